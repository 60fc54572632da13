// SPDX-License-Identifier: Apache-2.0
//
// One bank of a router that combines: what arrives is added to a sum in the bank, and the sum, as it was or as it becomes,
// can leave.
//
// Timing: saddr_i and raddr_i are sampled at an edge; what they name counts after it (time r+2), with all other inputs. The
// sum is written at the next edge. The reads of that edge do not see it: fwd_i and dly_i in the cycle after stand for it.
// An edge at which en_i is 0 changes nothing, if all other inputs stay: the sum is written once more.

module crl_sum_lane #(
  /// Words that arrive at a time.
  parameter int Lanes = 4,
  /// How they combine, as of crl_sum.
  parameter int Op = 0,
  /// Bits of a word.
  parameter int DataW = 16,
  /// Words of the bank.
  parameter int Depth = 256,
  /// Bits of the bank's address, page included.
  parameter int AddrW = 8,
  /// Cycles of a row: what was written last was so many ago.
  parameter int Beats = 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   en_i,

  input  logic [Lanes*DataW-1:0] data_i,
  input  logic [Lanes-1:0]       mask_i,   // the words that are added
  input  logic                   set_i,    // to nothing
  input  logic                   fwd_i,    // to the sum that was written last
  input  logic [AddrW-1:0]       saddr_i,  // else to the one that is here
  input  logic                   wen_i,
  input  logic [AddrW-1:0]       waddr_i,  // where the sum goes

  input  logic                   byp_i,    // the sum leaves as it becomes
  input  logic                   dly_i,    // else the one that was written last does
  input  logic [AddrW-1:0]       raddr_i,  // else the one that is here
  output logic [DataW-1:0]       value_o
);

  logic [DataW-1:0] sum, sum_q, added_to, shown;

  // Two copies, because two of its words are read at once.
  crl_ram #(
    .DataW(DataW),
    .Depth(Depth)
  ) u_sums (
    .clk_i  (clk_i),
    .we_i   (wen_i),
    .waddr_i(waddr_i),
    .wdata_i(sum),
    .re_i   (en_i),
    .raddr_i(saddr_i),
    .rdata_o(added_to)
  );

  crl_ram #(
    .DataW(DataW),
    .Depth(Depth)
  ) u_copy (
    .clk_i  (clk_i),
    .we_i   (wen_i),
    .waddr_i(waddr_i),
    .wdata_i(sum),
    .re_i   (en_i),
    .raddr_i(raddr_i),
    .rdata_o(shown)
  );

  crl_sum #(
    .N    (Lanes),
    .Op   (Op),
    .DataW(DataW)
  ) u_sum (
    .first_i(!set_i),
    .word_i (fwd_i ? sum_q : added_to),
    .mask_i (mask_i),
    .list_i (data_i),
    .sum_o  (sum)
  );

  if (Beats > 1) begin : gen_row_before
    logic unused_full;
    crl_ring #(
      .DataW (DataW),
      .Cycles(Beats)
    ) u_ring (
      .clk_i (clk_i),
      .rst_ni(rst_ni),
      .en_i  (en_i),
      .d_i   (sum),
      .q_o   (sum_q),
      .full_o(unused_full)
    );
  end else begin : gen_before
    logic unused_reset;
    assign unused_reset = &{1'b0, rst_ni};
    always_ff @(posedge clk_i) if (wen_i && en_i) sum_q <= sum;
  end

  assign value_o = byp_i ? sum : dly_i ? sum_q : shown;

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  // A sum that is written can be added to, and leave, in the cycle after.
  always_ff @(posedge clk_i) if (f_past_valid && $past(wen_i && en_i)) begin
    if (dly_i && !byp_i) a_leaves: assert (value_o == $past(sum));
    if (byp_i && fwd_i && !set_i && mask_i == '0) a_goes_on: assert (value_o == $past(sum));
    if (byp_i && set_i && mask_i == Lanes'(1)) a_begins: assert (value_o == data_i[DataW-1:0]);
    c_chain: cover (wen_i && fwd_i && !set_i && mask_i != '0 && sum != $past(sum));
  end
`endif

endmodule
