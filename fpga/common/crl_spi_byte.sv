// SPDX-License-Identifier: Apache-2.0
//
// Exchanges bytes with an SPI flash: mode 0, high bit first, at half the clock. Chip select is the caller's.
//
// Timing: start_i takes a byte; done_o is a pulse when the byte that came in exchange is at data_o, 16 clocks later.

module crl_spi_byte (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       start_i,   // only while not busy
  input  logic [7:0] data_i,
  output logic       busy_o,
  output logic       done_o,
  output logic [7:0] data_o,

  output logic       sck_o,
  output logic       mosi_o,
  input  logic       miso_i
);

  logic [7:0] bits_q;
  logic [3:0] left_q;
  logic       sck_q, in_q, done_q;

  assign busy_o = left_q != '0;
  assign done_o = done_q;
  assign data_o = bits_q;
  assign sck_o  = sck_q;
  assign mosi_o = bits_q[7];

  always_ff @(posedge clk_i) begin
    done_q <= 1'b0;
    if (!rst_ni) begin
      left_q <= '0;
      sck_q  <= 1'b0;
    end else if (start_i) begin
      bits_q <= data_i;
      left_q <= 4'd8;
    end else if (busy_o) begin
      sck_q <= !sck_q;
      if (!sck_q) begin
        in_q <= miso_i;
      end else begin
        bits_q <= {bits_q[6:0], in_q};
        left_q <= left_q - 1'b1;
        done_q <= left_q == 4'd1;
      end
    end
  end

endmodule
