// SPDX-License-Identifier: Apache-2.0
//
// As crl_sum_lane, in stages: words are masked, added up among themselves, and then added to a sum in the bank.
//
// Timing: all inputs as of crl_sum_lane. The sum is written 1 + Wait cycles later than there, with Wait = 1 if there are several
// words, else 0. value_o is what raddr_i names, with this row's sum and those before it, 3 + Wait cycles later than there; so a word that
// leaves must not be written in the row after. An edge at which en_i is 0 changes nothing, if all other inputs stay.

module crl_sum_staged #(
  /// Words that arrive at a time.
  parameter int Lanes = 4,
  /// 1: a mask names at most one of them.
  parameter int Single = 0,
  /// Own words before them, of which a mask names at most one.
  parameter int Own = 0,
  /// How they combine, as of crl_sum; only unsigned words.
  parameter int Op = 0,
  /// Bits of a word.
  parameter int DataW = 16,
  /// Words of the bank.
  parameter int Depth = 256,
  /// Bits of the bank's address, page included.
  parameter int AddrW = 8,
  /// Cycles of a row: what a row before wrote was so many ago.
  parameter int Beats = 1,
  /// What can be added.
  localparam int Terms = Own + Lanes
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   en_i,

  input  logic [Terms*DataW-1:0] data_i,   // own words first
  input  logic [Terms-1:0]       mask_i,   // the words that are added
  input  logic                   set_i,    // to nothing
  input  logic                   fwd_i,    // to the sum that the row before made
  input  logic [AddrW-1:0]       saddr_i,  // else to the one that is here
  input  logic                   wen_i,
  input  logic [AddrW-1:0]       waddr_i,  // where the sum goes

  input  logic [AddrW-1:0]       raddr_i,  // the sum that leaves
  output logic [DataW-1:0]       value_o
);

  localparam int Wait = (Terms > 1) ? 1 : 0;
  localparam logic [DataW-1:0] Neutral = {DataW{Op == 1||Op == 4}};

  if (Op < 0 || Op > 5) begin : gen_bad_op
    crl_error_op_must_be_0_to_5 u_error ();
  end

  // What a row says of its sum: in the cycle before that in which it is made (set, fwd, saddr), and in that one; and then of the word
  // that leaves.
  logic             set, fwd, wen;
  logic [AddrW-1:0] saddr, waddr, raddr;

  crl_delay #(
    .Width (2),
    .Stages(Wait)
  ) u_from (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   ({set_i, fwd_i}),
    .q_o   ({set, fwd})
  );

  crl_delay #(
    .Width (1),
    .Stages(1 + Wait)
  ) u_wen (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .en_i  (en_i),
    .d_i   (wen_i),
    .q_o   (wen)
  );

  crl_delay #(
    .Width (AddrW),
    .Stages(Wait)
  ) u_add_to (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   (saddr_i),
    .q_o   (saddr)
  );

  crl_delay #(
    .Width (AddrW),
    .Stages(1 + Wait)
  ) u_write (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   (waddr_i),
    .q_o   (waddr)
  );

  crl_delay #(
    .Width (AddrW),
    .Stages(3 + Wait)
  ) u_read (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   (raddr_i),
    .q_o   (raddr)
  );

  // By the flip-flops' own reset: a mask costs no logic.
  logic [Terms*DataW-1:0] masked_q;

  for (genvar i = 0; i < Terms; i++) begin : gen_term
    always_ff @(posedge clk_i) if (en_i) begin
      if (!mask_i[i]) masked_q[i*DataW +: DataW] <= Neutral;
      else masked_q[i*DataW +: DataW] <= data_i[i*DataW +: DataW];
    end
  end

  logic [DataW-1:0] more;

  if (Terms == 1) begin : gen_one
    assign more = masked_q;
  end else begin : gen_several
    // Of words of which one counts, that one: no sum.
    localparam int Sums = (Own > 0 ? 1 : 0) + (Single != 0 ? 1 : Lanes);
    logic [Sums*DataW-1:0] list;
    logic [DataW-1:0]      total, total_q;

    if (Own > 0) begin : gen_own
      crl_sum_any #(
        .N      (Own),
        .Neutral(Neutral),
        .DataW  (DataW)
      ) u_any (
        .list_i(masked_q[Own*DataW-1:0]),
        .word_o(list[DataW-1:0])
      );
    end

    if (Single != 0) begin : gen_single
      crl_sum_any #(
        .N      (Lanes),
        .Neutral(Neutral),
        .DataW  (DataW)
      ) u_any (
        .list_i(masked_q[Own*DataW +: Lanes*DataW]),
        .word_o(list[(Sums-1)*DataW +: DataW])
      );
    end else begin : gen_all
      assign list[(Sums-Lanes)*DataW +: Lanes*DataW] = masked_q[Own*DataW +: Lanes*DataW];
    end

    crl_sum_tree #(
      .N    (Sums),
      .Op   (Op),
      .DataW(DataW)
    ) u_tree (
      .list_i(list),
      .sum_o (total)
    );

    always_ff @(posedge clk_i) if (en_i) total_q <= total;

    assign more = total_q;
  end

  // The word that is added to is read two cycles ahead. What was made two cycles before it does not see: that is in made_q when it
  // comes; what was made in the cycle before is so when it is added to. The other ones of these three are neutral.
  logic [DataW-1:0] sum, made_q, stored, stored_q, held_q, so_far;
  logic             near_q;

  // Two copies, because two of its words are read at once.
  crl_ram #(
    .DataW(DataW),
    .Depth(Depth)
  ) u_sums (
    .clk_i  (clk_i),
    .we_i   (wen),
    .waddr_i(waddr),
    .wdata_i(sum),
    .re_i   (en_i),
    .raddr_i(saddr),
    .rdata_o(stored)
  );

  crl_ram #(
    .DataW(DataW),
    .Depth(Depth)
  ) u_copy (
    .clk_i  (clk_i),
    .we_i   (wen),
    .waddr_i(waddr),
    .wdata_i(sum),
    .re_i   (en_i),
    .raddr_i(raddr),
    .rdata_o(value_o)
  );

  always_ff @(posedge clk_i) if (en_i) begin
    near_q <= wen && waddr == saddr;
    made_q <= sum;
    if (near_q || set) stored_q <= Neutral;
    else stored_q <= stored;
    if (!near_q || set) held_q <= Neutral;
    else held_q <= made_q;
  end

  // Registers of their own for every eight bits: one for all would be far from most. Where a row has several cycles, the row before is not
  // the cycle before.
  for (genvar i = 0; i < (DataW + 7) / 8; i++) begin : gen_so_far
    localparam int At   = 8 * i;
    localparam int Bits = (DataW - At < 8) ? DataW - At : 8;
    (* keep *) logic fwd_q;

    always_ff @(posedge clk_i) if (en_i) fwd_q <= fwd && Beats == 1;

    assign so_far[At +: Bits] = fwd_q ? made_q[At +: Bits] :
        (Neutral != '0) ? stored_q[At +: Bits] & held_q[At +: Bits] : stored_q[At +: Bits] | held_q[At +: Bits];
  end

  crl_sum #(
    .N    (1),
    .Op   (Op),
    .DataW(DataW)
  ) u_sum (
    .first_i(1'b1),
    .word_i (so_far),
    .mask_i (1'b1),
    .list_i (more),
    .sum_o  (sum)
  );

endmodule
