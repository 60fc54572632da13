// SPDX-License-Identifier: Apache-2.0
//
// That word of a list which is not the neutral one; at most one is not.
//
// Timing: combinational.

module crl_sum_any #(
  /// Words of the list.
  parameter int N = 4,
  /// Bits of a word.
  parameter int DataW = 16,
  /// The neutral word: all bits are alike.
  parameter logic [DataW-1:0] Neutral = '0
) (
  input  logic [N*DataW-1:0] list_i,
  output logic [DataW-1:0]   word_o
);

  always_comb begin
    word_o = Neutral;
    for (int i = 0; i < N; i++)
      word_o = (Neutral == '0) ? word_o | list_i[i*DataW +: DataW] : word_o & list_i[i*DataW +: DataW];
  end

`ifdef FORMAL
  (* anyconst *) logic [31:0] f_which;
  always_comb begin
    assume (f_which < N);
    for (int i = 0; i < N; i++) if (i != 32'(f_which)) assume (list_i[i*DataW +: DataW] == Neutral);
    a_word: assert (word_o == list_i[f_which*DataW +: DataW]);
    c_word: cover (word_o != Neutral);
  end
`endif

endmodule
