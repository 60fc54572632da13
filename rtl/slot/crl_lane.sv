// SPDX-License-Identifier: Apache-2.0
//
// One lane: the places in which a word that must leave can be. The live input, the input of one cycle before, the bank,
// or the stream of the node's own words.
//
// Timing: raddr_i, own_i and own_data_i are sampled at an edge, and the word counts at value_o after it if byp_i is 0.
// byp_i acts on value_o at once. wen_i writes and dly_i keeps what is at data_i, at the next edge. An edge at which en_i is 0 changes
// nothing, if all other inputs stay: what is written is written once more.

module crl_lane #(
  /// Bits of a word.
  parameter int DataW = 16,
  /// Words of the bank.
  parameter int Depth = 256,
  /// Bits of the bank's address, page included.
  parameter int AddrW = 8,
  /// 1: the lane can replay the word that arrived one cycle earlier.
  parameter int Delay = 1,
  /// 1: the lane can show the live input.
  parameter int Bypass = 1,
  /// 1: the lane can show a word of the node's own.
  parameter int Streams = 0,
  /// 1: there is a bank.
  parameter int Store = 1,
  /// 1: reset writes word 0 of the bank, which a stream's word needs to be zero; 0: it is so at power-up.
  parameter int ResetBanks = 0,
  /// Pages of the bank, in each of which a stream's word needs word 0 to be zero.
  parameter int Pages = 1,
  /// Cycles of a row: so many later the word of the row before is replayed.
  parameter int Beats = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             en_i,

  input  logic [DataW-1:0] data_i,
  input  logic             byp_i,
  input  logic             dly_i,
  input  logic             wen_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [AddrW-1:0] raddr_i,
  input  logic             own_i,
  input  logic [DataW-1:0] own_data_i,
  output logic [DataW-1:0] value_o
);

  logic [DataW-1:0] stored, kept;

  if (Store != 0) begin : gen_bank
    localparam int Clears = (Streams != 0 && ResetBanks != 0) ? 1 : 0;
    logic clear;
    assign clear = Clears != 0 && !rst_ni;

    crl_ram #(
      .DataW(DataW),
      .Depth(Depth),
      .Zero ((Clears != 0) ? 0 : Streams * Pages)
    ) u_bank (
      .clk_i  (clk_i),
      .we_i   (wen_i || clear),
      .waddr_i(clear ? '0 : waddr_i),
      .wdata_i(clear ? '0 : data_i),
      .re_i   (en_i),
      .raddr_i(raddr_i),
      .rdata_o(stored)
    );
  end else begin : gen_no_bank
    logic unused_bank;
    assign unused_bank = &{1'b0, wen_i, waddr_i, raddr_i};

    assign stored = '0;
  end

  // Zero when nothing is kept, so that the OR below costs no select. Without a bank nobody else speaks.
  if (Store == 0) begin : gen_own
    logic [DataW-1:0] kept_q;

    always_ff @(posedge clk_i) if (en_i) kept_q <= own_data_i;

    assign kept = kept_q;
  end else if (Delay != 0 && Beats > 1) begin : gen_row_before
    // What a lane keeps it keeps for all cycles of a row.
    logic [DataW-1:0] own_q, replayed;
    logic             dly, full;

    crl_ring #(
      .DataW (DataW + 1),
      .Cycles(Beats)
    ) u_ring (
      .clk_i (clk_i),
      .rst_ni(rst_ni),
      .en_i  (en_i),
      .d_i   ({dly_i, data_i}),
      .q_o   ({dly, replayed}),
      .full_o(full)
    );

    always_ff @(posedge clk_i) if (en_i) own_q <= own_data_i & {DataW{own_i}};
    assign kept = own_q | (replayed & {DataW{dly && full}});
  end else if (Delay != 0 && Streams != 0) begin : gen_either
    logic [DataW-1:0] kept_q;

    always_ff @(posedge clk_i) if (en_i) kept_q <= (data_i & {DataW{dly_i}}) | (own_data_i & {DataW{own_i}});

    assign kept = kept_q;
  end else if (Delay != 0 || Streams != 0) begin : gen_one
    logic [DataW-1:0] kept_q;

    // By the flip-flop's own reset.
    always_ff @(posedge clk_i) if (en_i) begin
      if (!((Delay != 0) ? dly_i : own_i)) kept_q <= '0;
      else kept_q <= (Delay != 0) ? data_i : own_data_i;
    end

    assign kept = kept_q;
  end else begin : gen_nothing
    assign kept = '0;
  end

  // What these parameters leave out.
  logic unused_keep;
  assign unused_keep = &{1'b0, rst_ni, en_i, dly_i, own_i, own_data_i};

  if (Bypass != 0) begin : gen_bypass
    // One LUT4 per bit.
    assign value_o = byp_i ? data_i : (stored | kept);
  end else begin : gen_no_bypass
    logic unused_byp;
    assign unused_byp = byp_i;

    assign value_o = stored | kept;
  end

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  // What the file's head says of value_o, in the compiler's cases.
  logic f_keeps, f_takes;
  assign f_keeps = dly_i && Delay != 0;
  assign f_takes = own_i && Streams != 0;

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if (byp_i && Bypass != 0) a_live: assert (value_o == data_i);
    else if ($past(!en_i)) a_stands: assert (kept == $past(kept));
    else if ($past(!f_keeps && !f_takes)) a_stored: assert (value_o == stored || Store == 0);
    else if ($past(!f_takes)) a_delayed: assert (value_o == (stored | $past(data_i)));
    else if ($past(!f_keeps)) a_own: assert (value_o == (stored | $past(own_data_i)));
  end

  if (Bypass != 0) begin : gen_f_bypass
    always_ff @(posedge clk_i) if (f_past_valid) c_live: cover (byp_i && value_o != stored);
  end

  if (Delay != 0 || Streams != 0) begin : gen_f_kept
    always_ff @(posedge clk_i) if (f_past_valid) c_kept: cover (!byp_i && value_o != stored);
  end
`endif

endmodule
