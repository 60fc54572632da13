// SPDX-License-Identifier: Apache-2.0
//
// Tells rows whose number of ones is odd.
//
// Timing: row_i is the table's output in time r+1; the tree of exclusive ors is cut by a register, so active_i and
// row_number_i belong to time r+2, and a fault shows in time r+3. A fault in the cycle of clear_i is kept.

module crl_parity #(
  /// Bits of a row.
  parameter int RowW = 61,
  /// Bits of a row number.
  parameter int TA = 8
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            clear_i,
  input  logic            en_i,          // 0: row_i stays for a cycle more, and so does what active_i says

  input  logic [RowW-1:0] row_i,
  input  logic            active_i,
  input  logic [TA-1:0]   row_number_i,

  output logic            fault_o,
  output logic [TA-1:0]   fault_row_o
);

  // Sixteen bits are two levels of LUT4, which is what fits behind a memory's slow output.
  localparam int Chunks = (RowW + 15) / 16;

  logic [16*Chunks-1:0] padded;
  logic [Chunks-1:0]    odd_q;
  logic                 fault_q;
  logic [TA-1:0]        fault_row_q;

  assign padded = (16 * Chunks)'(row_i);

  for (genvar c = 0; c < Chunks; c++) begin : gen_chunk
    always_ff @(posedge clk_i) if (en_i) odd_q[c] <= ^padded[16*c +: 16];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) fault_q <= 1'b0;
    else fault_q <= (fault_q && !clear_i) || (active_i && ^odd_q);
  end

  // Follows the rows until a fault holds it: the enable then does not wait for this row's verdict.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) fault_row_q <= '0;
    else if (clear_i || !fault_q) fault_row_q <= row_number_i;
  end

  assign fault_o     = fault_q;
  assign fault_row_o = fault_row_q;

`ifdef FORMAL
  logic f_past_valid, f_past2_valid;
  initial f_past_valid = 1'b0;
  initial f_past2_valid = 1'b0;
  always_ff @(posedge clk_i) begin
    f_past_valid  <= 1'b1;
    f_past2_valid <= f_past_valid;
  end

  always_comb if (!f_past_valid) assume (!rst_ni && en_i);

  // The register cuts the tree, so a row's verdict is looked at with the row of two edges ago.
  logic [RowW-1:0] f_row_q;
  always_ff @(posedge clk_i) if (en_i || !f_past_valid) f_row_q <= row_i;
  always_comb if (f_past_valid) a_tree: assert (^odd_q == ^f_row_q);

  always_ff @(posedge clk_i) if (f_past_valid && !$past(rst_ni)) a_reset: assert (!fault_o && fault_row_o == '0);

  always_ff @(posedge clk_i) if (f_past2_valid && $past(rst_ni)) begin
    a_fault: assert (fault_o == ($past(fault_o && !clear_i) || $past(active_i && ^f_row_q)));
    if ($past(fault_o && !clear_i)) a_first_held: assert (fault_row_o == $past(fault_row_o));
    else if (fault_o) a_first: assert (fault_row_o == $past(row_number_i));
    c_fault: cover (fault_o && $past(fault_o) && fault_row_o != row_number_i);
  end
`endif

endmodule
