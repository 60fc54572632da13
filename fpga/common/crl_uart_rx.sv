// SPDX-License-Identifier: Apache-2.0
//
// Receives bytes: one start bit, eight data bits, low first, one stop bit.
//
// Timing: valid_o is a pulse in the middle of the stop bit, with the byte at data_o. A byte whose stop bit is 0 is dropped.

module crl_uart_rx #(
  /// Clocks a bit, at least 4.
  parameter int ClocksPerBit = 12
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       rx_i,      // from the pin: synchronised here
  output logic       valid_o,
  output logic [7:0] data_o
);

  localparam int CountW = $clog2(ClocksPerBit + ClocksPerBit / 2);

  logic [1:0]        sync_q;
  logic              busy_q, valid_q;
  logic [CountW-1:0] count_q;
  logic [3:0]        left_q;     // bits to come, the stop bit included
  logic [8:0]        bits_q;

  assign valid_o = valid_q;
  assign data_o  = bits_q[7:0];

  // The line rests at 1: a reset must not look like a start bit.
  always_ff @(posedge clk_i) sync_q <= rst_ni ? {sync_q[0], rx_i} : '1;

  always_ff @(posedge clk_i) begin
    valid_q <= 1'b0;
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else if (!busy_q) begin
      busy_q  <= !sync_q[1];
      count_q <= CountW'(ClocksPerBit + ClocksPerBit / 2 - 2);
      left_q  <= 4'd9;
    end else if (count_q != '0) begin
      count_q <= count_q - 1'b1;
    end else if (left_q != '0) begin
      bits_q  <= {sync_q[1], bits_q[8:1]};
      count_q <= CountW'(ClocksPerBit - 1);
      left_q  <= left_q - 1'b1;
      if (left_q == 4'd1) begin
        // Bit 8 is the stop bit; what it shifts in is looked at when the byte is handed over.
        valid_q <= sync_q[1];
        count_q <= '0;
      end
    end else begin
      // A line that stays at 0 is no new start bit before it has been 1.
      busy_q <= !sync_q[1];
    end
  end

endmodule
