// SPDX-License-Identifier: Apache-2.0
//
// Memory of lines that is written a word at a time and read a line at a time: the schedule tables of a board.
//
// Timing: line_addr_i is sampled at an edge, the line is at line_o after it. A word written at an edge can be read from
// the next edge on; what a read of the same line at the same edge returns is undefined.

module crl_line_memory #(
  /// Lines.
  parameter int Depth = 256,
  /// 16-bit words of a line.
  parameter int Words = 13,
  /// File for $readmemh with exactly Depth lines; empty: the contents start undefined.
  parameter InitFile = "",
  /// Bits of a line's number.
  localparam int LineW = $clog2(Depth),
  /// Bits of a word's number.
  localparam int WordW = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic                clk_i,

  input  logic                we_i,
  input  logic [LineW-1:0]    write_line_i,
  input  logic [WordW-1:0]    write_word_i,   // from Words on: nothing is written
  input  logic [15:0]         data_i,

  input  logic [LineW-1:0]    line_addr_i,
  output logic [16*Words-1:0] line_o
);

  (* no_rw_check *)
  logic [16*Words-1:0] mem [0:Depth-1];

  if (InitFile != "") begin : gen_init
    initial $readmemh(InitFile, mem);
  end
`ifndef SYNTHESIS
  // A simulated board gets its baked-in tables here: +tables=FILE, a line of hexadecimal digits each.
  else begin : gen_simulated_init
    logic [8*256-1:0] file;
    initial if ($value$plusargs("tables=%s", file) != 0) $readmemh(file, mem);
  end
`endif

  for (genvar c = 0; c < Words; c++) begin : gen_word
    always @(posedge clk_i) if (we_i && write_word_i == WordW'(c)) mem[write_line_i][16*c +: 16] <= data_i;
  end

  always_ff @(posedge clk_i) line_o <= mem[line_addr_i];

endmodule
