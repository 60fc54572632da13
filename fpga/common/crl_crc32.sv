// SPDX-License-Identifier: Apache-2.0
//
// CRC-32 as zlib computes it, a bit a clock.
//
// Timing: a byte taken by we_i keeps busy_o for eight clocks; the CRC of all bytes since clear_i is at crc_o when busy_o is
// 0. shift_i drops its low byte, so that the four bytes of the CRC, low first, can be sent from, or compared with, crc_o[7:0].

module crl_crc32 (
  input  logic        clk_i,

  input  logic        clear_i,
  input  logic        we_i,      // only while not busy
  input  logic [7:0]  data_i,
  input  logic        shift_i,   // only while not busy
  output logic        busy_o,
  output logic [31:0] crc_o
);

  localparam logic [31:0] Polynomial = 32'hEDB88320;

  logic [31:0] crc_q;
  logic [7:0]  data_q;
  logic [3:0]  left_q;

  assign busy_o = left_q != '0;
  assign crc_o  = ~crc_q;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      crc_q  <= '1;
      left_q <= '0;
    end else if (we_i) begin
      data_q <= data_i;
      left_q <= 4'd8;
    end else if (busy_o) begin
      crc_q  <= {1'b0, crc_q[31:1]} ^ ((crc_q[0] ^ data_q[0]) ? Polynomial : 32'b0);
      data_q <= {1'b0, data_q[7:1]};
      left_q <= left_q - 1'b1;
    end else if (shift_i) begin
      crc_q <= {8'hFF, crc_q[31:8]};
    end
  end

endmodule
