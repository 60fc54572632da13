// SPDX-License-Identifier: Apache-2.0
//
// A board of the cluster on a ULX3S: NAME, with accelerators of lines L0 to L3, all four given to the preprocessor. One pin shifts in the
// four rows, another one shifts out the columns; two wires go to each of two other boards.
//
// Timing: a round begins when load_i goes low and the wires allow it; load_i then takes the columns, which leave bit by bit, the highest first.

`define WIRES
`include "board.svh"
`BOARD(`NAME, `L0, `L1, `L2, `L3)
`define MADE(NAME) board_``NAME

module top (
  input  logic       clk_25mhz,
  input  logic [1:0] btn,      // 0, active low: reset; 1: load
  input  logic       gp_in,
  output logic       gp_out,
  input  logic [1:0] wire_in,
  output logic [1:0] wire_out
);
  localparam int RowsW = 4 * 16 * 16;
  localparam logic [4*8-1:0] LinesHere = {8'd`L3, 8'd`L2, 8'd`L1, 8'd`L0};

  logic               rst_q, load_q, was_q, busy, fault, begins;
  logic [RowsW-1:0]   in_q, out_q, columns;
  logic [16*16*16-1:0] rows;
  logic [1:0]         unused_waits;
  logic [5:0]         unused_row;

  always_ff @(posedge clk_25mhz) begin
    rst_q  <= btn[0];
    load_q <= btn[1];
    was_q  <= load_q;
    in_q   <= {in_q[RowsW-2:0], gp_in};
    out_q  <= load_q ? columns ^ RowsW'({busy, fault, begins}) : {out_q[RowsW-2:0], 1'b0};
  end
  assign gp_out = out_q[RowsW-1];

  always_comb begin
    rows = '0;
    for (int k = 0; k < 4; k++) rows[32'(LinesHere[8*k +: 8])*256 +: 256] = in_q[256*k +: 256];
  end

  `MADE(`NAME) u_board (
    .clk_i(clk_25mhz), .rst_ni(rst_q), .start_i(was_q && !load_q), .begins_o(begins), .busy_o(busy), .waits_for_o(unused_waits), .row_o(unused_row),
    .rows_i(rows), .columns_o(columns), .tx_wire_o(wire_out), .rx_wire_i(wire_in), .fault_o(fault));

endmodule
