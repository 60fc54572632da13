// SPDX-License-Identifier: Apache-2.0
//
// Sends bytes: one start bit, eight data bits, low first, one stop bit.
//
// Timing: a byte is taken at an edge with valid_i and ready_o.

module crl_uart_tx #(
  /// Clocks a bit.
  parameter int ClocksPerBit = 12
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       valid_i,
  input  logic [7:0] data_i,
  output logic       ready_o,
  output logic       tx_o
);

  localparam int CountW = $clog2(ClocksPerBit);

  logic [CountW-1:0] count_q;
  logic [3:0]        left_q;    // bits to send, the one on the line included
  logic [8:0]        bits_q;
  logic              tx_q;

  assign ready_o = left_q == '0;
  assign tx_o    = tx_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q <= '0;
      tx_q   <= 1'b1;
    end else if (ready_o) begin
      if (valid_i) begin
        tx_q   <= 1'b0;
        bits_q <= {1'b1, data_i};
        left_q <= 4'd10;
      end
      count_q <= CountW'(ClocksPerBit - 1);
    end else if (count_q != '0) begin
      count_q <= count_q - 1'b1;
    end else begin
      tx_q    <= bits_q[0];
      bits_q  <= {1'b1, bits_q[8:1]};
      left_q  <= left_q - 1'b1;
      count_q <= CountW'(ClocksPerBit - 1);
    end
  end

endmodule
