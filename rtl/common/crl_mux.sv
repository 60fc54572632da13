// SPDX-License-Identifier: Apache-2.0
//
// Multiplexer of N words.
//
// Timing: combinational.
//
// The hierarchy is kept in synthesis so that the mapper sees one multiplexer at a time: it then finds two LUT4 per bit
// for four inputs, and does not spread the selects' decoding over the whole router.

(* keep_hierarchy *)
module crl_mux #(
  /// Number of words to choose from, at least 1.
  parameter int N = 4,
  /// Bits of a word.
  parameter int DataW = 16,
  /// Bits of the select; 1 when there is nothing to select.
  localparam int SelW = (N > 1) ? $clog2(N) : 1
) (
  input  logic [N*DataW-1:0] data_i,
  input  logic [SelW-1:0]    sel_i,
  output logic [DataW-1:0]   data_o
);

  if (N > 1) begin : gen_mux
    assign data_o = data_i[sel_i*DataW +: DataW];
  end else begin : gen_wire
    logic unused_sel;
    assign unused_sel = sel_i;
    assign data_o = data_i;
  end

`ifdef FORMAL
  logic [DataW-1:0] f_word;

  always_comb begin
    f_word = data_o;
    for (int i = 0; i < N; i++) if (32'(sel_i) == i) f_word = data_i[i*DataW +: DataW];
    a_selected_word: assert (data_o == f_word);
    // Where there is nothing to select, the select says nothing.
    a_only_word: assert (N > 1 || data_o == data_i[DataW-1:0]);
    c_last_word: cover (32'(sel_i) == N - 1);
  end
`endif

endmodule
