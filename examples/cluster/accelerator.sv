// SPDX-License-Identifier: Apache-2.0
//
// A row of a matrix, which becomes a column: it hands out the words that its streams ask for, and keeps those that come. One's own word stays.
//
// Timing: that of the board; words count where own_ready_i, or come_valid_i, is 1. Nothing is buffered.

module accelerator #(
  /// Which line this is, of how many, bits of a word, and streams.
  parameter int Line = 0,
  parameter int Lines = 16,
  parameter int DataW = 16,
  parameter int Streams = 4,
  localparam int LineW = $clog2(Lines)
) (
  input  logic                     clk_i,

  input  logic [Lines*DataW-1:0]   row_i,      // steady while a round plays
  output logic [Lines*DataW-1:0]   column_o,

  output logic [Streams*DataW-1:0] own_data_o, // to the fabric
  input  logic [Streams*LineW-1:0] own_dest_i, // whose word each stream wants

  input  logic [Streams*DataW-1:0] come_data_i,
  input  logic [Streams-1:0]       come_valid_i,
  input  logic [Streams*LineW-1:0] come_id_i   // whose word it is
);

  logic [Lines*DataW-1:0] column_q;

  for (genvar j = 0; j < Streams; j++) begin : gen_stream
    assign own_data_o[j*DataW +: DataW] = row_i[own_dest_i[j*LineW +: LineW]*DataW +: DataW];
  end

  always_ff @(posedge clk_i) begin
    for (int j = 0; j < Streams; j++) begin
      if (come_valid_i[j]) column_q[come_id_i[j*LineW +: LineW]*DataW +: DataW] <= come_data_i[j*DataW +: DataW];
    end
  end

  for (genvar i = 0; i < Lines; i++) begin : gen_word
    assign column_o[i*DataW +: DataW] = (i == Line) ? row_i[i*DataW +: DataW] : column_q[i*DataW +: DataW];
  end

endmodule
