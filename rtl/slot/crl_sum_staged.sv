// SPDX-License-Identifier: Apache-2.0
//
// As crl_sum_lane, in stages: what arrives is masked, added up in pairs, and then added to a sum in the bank.
//
// Timing: all inputs as of crl_sum_lane; the sum is written 1 + Levels cycles later than there, and value_o is 2 + Levels cycles
// later, with Levels = max(1, $clog2(Lanes)).

module crl_sum_staged #(
  /// Words that arrive at a time.
  parameter int Lanes = 4,
  /// How they combine, as of crl_sum; only unsigned words.
  parameter int Op = 0,
  /// Bits of a word.
  parameter int DataW = 16,
  /// Words of the bank.
  parameter int Depth = 256,
  /// Bits of the bank's address, page included.
  parameter int AddrW = 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [Lanes*DataW-1:0] data_i,
  input  logic [Lanes-1:0]       mask_i,   // the words that are added
  input  logic                   set_i,    // to nothing
  input  logic                   fwd_i,    // to the sum that the row before made
  input  logic [AddrW-1:0]       saddr_i,  // else to the one that is here
  input  logic                   wen_i,
  input  logic [AddrW-1:0]       waddr_i,  // where the sum goes

  input  logic                   byp_i,    // the sum leaves as it becomes
  input  logic                   dly_i,    // else the one that a row before wrote last does
  input  logic [AddrW-1:0]       raddr_i,  // else the one that is here
  output logic [DataW-1:0]       value_o
);

  localparam int Levels = (Lanes > 2) ? $clog2(Lanes) : 1;
  localparam int Leaves = 1 << Levels;
  localparam logic [DataW-1:0] Neutral = {DataW{Op == 1||Op == 4}};

  if (Op < 0 || Op > 5) begin : gen_bad_op
    crl_error_op_must_be_0_to_5 u_error ();
  end

  // When the words of a row are added up: what it says of their sum, and of the word that leaves a cycle after that.
  logic             set, fwd, wen, byp, dly, add_bit;
  logic [AddrW-1:0] saddr, to, waddr, raddr;

  crl_sum_delay #(
    .Width (5),
    .Stages(1 + Levels)
  ) u_selects (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .d_i   ({byp_i, dly_i, wen_i, set_i, fwd_i}),
    .q_o   ({byp, dly, wen, set, fwd})
  );

  crl_sum_delay #(
    .Width (AddrW),
    .Stages(2 + Levels)
  ) u_read (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .d_i   (raddr_i),
    .q_o   (raddr)
  );

  crl_sum_delay #(
    .Width (AddrW),
    .Stages(Levels - 1)
  ) u_to (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .d_i   (waddr_i),
    .q_o   (to)
  );

  crl_sum_delay #(
    .Width (AddrW),
    .Stages(2)
  ) u_write (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .d_i   (to),
    .q_o   (waddr)
  );

  // The sum that is added to lies where the new one goes, but for the lowest bit.
  crl_sum_delay #(
    .Width (1),
    .Stages(Levels)
  ) u_add (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .d_i   (saddr_i[0]),
    .q_o   (add_bit)
  );

  assign saddr = (to & ~AddrW'(1)) | AddrW'(add_bit);

  logic unused_saddr;
  assign unused_saddr = &{1'b0, saddr_i};

  // A tree: its leaves first, then the sums of pairs, the root last. Leaf i is at Leaves - 1 + i, its parent at half of that.
  logic [(2*Leaves-1)*DataW-1:0] tree;

  for (genvar i = 0; i < Leaves; i++) begin : gen_leaf
    localparam int At = (Leaves - 1 + i) * DataW;

    if (i < Lanes) begin : gen_lane
      logic [DataW-1:0] word_q;

      // By the flip-flops' own reset: a mask costs no logic.
      always_ff @(posedge clk_i) begin
        if (!mask_i[i]) word_q <= Neutral;
        else word_q <= data_i[i*DataW +: DataW];
      end

      assign tree[At +: DataW] = word_q;
    end else begin : gen_none
      assign tree[At +: DataW] = Neutral;
    end
  end

  for (genvar i = 0; i < Leaves - 1; i++) begin : gen_pair
    logic [DataW-1:0] sum, sum_q;

    crl_sum #(
      .N    (1),
      .Op   (Op),
      .DataW(DataW)
    ) u_sum (
      .first_i(1'b1),
      .word_i (tree[(2*i+1)*DataW +: DataW]),
      .mask_i (1'b1),
      .list_i (tree[(2*i+2)*DataW +: DataW]),
      .sum_o  (sum)
    );

    always_ff @(posedge clk_i) sum_q <= sum;

    assign tree[i*DataW +: DataW] = sum_q;
  end

  // The word that is added to is read two cycles ahead. What the row before the last wrote it does not see; that is in made_q
  // when it comes.
  logic [DataW-1:0] sum, made_q, added_to, added_to_q, shown;
  logic [AddrW-1:0] last_addr_q;
  logic             byp_q, near_q;

  // Two copies, because two of its words are read at once.
  crl_ram #(
    .DataW(DataW),
    .Depth(Depth)
  ) u_sums (
    .clk_i  (clk_i),
    .we_i   (wen),
    .waddr_i(waddr),
    .wdata_i(sum),
    .re_i   (1'b1),
    .raddr_i(saddr),
    .rdata_o(added_to)
  );

  crl_ram #(
    .DataW(DataW),
    .Depth(Depth)
  ) u_copy (
    .clk_i  (clk_i),
    .we_i   (wen),
    .waddr_i(waddr),
    .wdata_i(sum),
    .re_i   (1'b1),
    .raddr_i(dly ? last_addr_q : raddr),
    .rdata_o(shown)
  );

  crl_sum #(
    .N    (1),
    .Op   (Op),
    .DataW(DataW)
  ) u_sum (
    .first_i(!set),
    .word_i (fwd ? made_q : added_to_q),
    .mask_i (1'b1),
    .list_i (tree[DataW-1:0]),
    .sum_o  (sum)
  );

  always_ff @(posedge clk_i) begin
    made_q     <= sum;
    near_q     <= wen && waddr == saddr;
    added_to_q <= near_q ? made_q : added_to;
    byp_q      <= byp;
    if (wen) last_addr_q <= waddr;
  end

  assign value_o = byp_q ? made_q : shown;

endmodule
