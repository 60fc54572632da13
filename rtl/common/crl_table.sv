// SPDX-License-Identifier: Apache-2.0
//
// Memory of the schedule rows.
//
// Timing: raddr_i is sampled at an edge, the row is at rdata_o after it. A row written at an edge can be read from the
// next edge on; what a read of the same row at the same edge returns is undefined, so rows are loaded while nothing plays.

module crl_table #(
  /// Rows of the memory.
  parameter int TableDepth = 256,
  /// Bits of a row.
  parameter int RowW = 61,
  /// File for $readmemh with exactly TableDepth rows; empty: the contents start undefined.
  parameter InitFile = "",
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1
) (
  input  logic            clk_i,

  input  logic            we_i,
  input  logic [TA-1:0]   waddr_i,
  input  logic [RowW-1:0] wdata_i,

  input  logic [TA-1:0]   raddr_i,
  output logic [RowW-1:0] rdata_o
);

  (* no_rw_check *)
  logic [RowW-1:0] mem [0:TableDepth-1];

  if (InitFile != "") begin : gen_init
    initial $readmemh(InitFile, mem);
  end

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    rdata_o <= mem[raddr_i];
  end

`ifdef FORMAL
  // Proved where the table is used: crl_sequencer.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb if (f_past_valid) begin
    a_read_range: assert (32'(raddr_i) < TableDepth);
    c_last_row: cover (32'(raddr_i) == TableDepth - 1);
  end
`endif

endmodule
