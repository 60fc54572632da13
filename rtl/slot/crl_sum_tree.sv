// SPDX-License-Identifier: Apache-2.0
//
// Adds up the words of a list, in pairs. The order does not show: for unsigned words only.
//
// Timing: combinational.
//
// The hierarchy is kept in synthesis: a chain of carries an addition is smaller there than one addition of many words.

(* keep_hierarchy *)
module crl_sum_tree #(
  /// Words of the list.
  parameter int N = 4,
  /// How two words combine, as of crl_sum; 0 to 5.
  parameter int Op = 0,
  /// Bits of a word.
  parameter int DataW = 16
) (
  input  logic [N*DataW-1:0] list_i,
  output logic [DataW-1:0]   sum_o
);

  if (N == 1) begin : gen_word
    assign sum_o = list_i;
  end else begin : gen_halves
    localparam int Low = N / 2;
    logic [DataW-1:0] low, high;

    crl_sum_tree #(
      .N    (Low),
      .Op   (Op),
      .DataW(DataW)
    ) u_low (
      .list_i(list_i[Low*DataW-1:0]),
      .sum_o (low)
    );

    crl_sum_tree #(
      .N    (N - Low),
      .Op   (Op),
      .DataW(DataW)
    ) u_high (
      .list_i(list_i[N*DataW-1:Low*DataW]),
      .sum_o (high)
    );

    crl_sum #(
      .N    (1),
      .Op   (Op),
      .DataW(DataW)
    ) u_sum (
      .first_i(1'b1),
      .word_i (low),
      .mask_i (1'b1),
      .list_i (high),
      .sum_o  (sum_o)
    );
  end

endmodule
