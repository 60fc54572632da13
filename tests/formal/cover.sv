// SPDX-License-Identifier: Apache-2.0
//
// For yosys' techmap: what a cover wants to see is asserted never to happen, so that a checker of assertions finds it.

(* techmap_celltype = "$cover" *)
module cover_as_assert (input A, input EN);
  \$assert seen (.A(!A), .EN(EN));
endmodule
