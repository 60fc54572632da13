// SPDX-License-Identifier: Apache-2.0
//
// Begins the rounds of stream nodes with adapters, and counts them: a round begins when what it needs is there and there is
// room for what comes of it.
//
// With several kinds of rounds start_i orders one wherever order_ready_o is 1, as a handshake: one may wait while others play.
//
// Timing: start_o goes to a crl_round_sequencer in the same cycle; the counts change at the edges named below.

module crl_stream_rounds #(
  /// Pages of the adapters, a power of two.
  parameter int Pages = 2,
  /// Kinds of rounds.
  parameter int Ops = 1,
  /// Bits of a row's number within a round.
  parameter int RowA = 3,
  /// Words of a packet: rows have as many cycles.
  parameter int Words = 1,
  /// Cycles after a round has begun in which what adapters say is still of the time before.
  parameter int Stale = 0,
  /// Bits that name one.
  localparam int OpW = (Ops > 1) ? $clog2(Ops) : 1,
  /// Bits that count rounds, modulo twice the pages.
  localparam int RoundW = $clog2(Pages) + 1,
  /// Bits that number a row's cycles, also on the port list, and those of a row's number above them.
  localparam int BeatW = $clog2(Words),
  localparam int BeatV = (BeatW > 0) ? BeatW : 1,
  localparam int AtW = RowA + BeatW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              en_i,       // of the sequencer

  input  logic              start_i,    // where nothing is under way: arms a round; held, rounds follow
  input  logic [OpW-1:0]    op_i,       // with several kinds: which, where start_i and order_ready_o are 1
  output logic              order_ready_o, // with one kind: what start_i asks for begins
  output logic              busy_o,     // from there until the last word has left

  input  logic              there_i,    // all adapters: the next round may begin
  input  logic              room_i,
  input  logic              leaving_i,  // one has words to give

  output logic              start_o,    // sequencer
  input  logic              begin_i,
  input  logic              last_i,     // time r: the last row of a round, in its last cycle
  input  logic              arrives_i,  // time r+1: the words of a row are shown in the next cycle
  input  logic              behind_i,   //   of row 0, which is behind all others of its round
  input  logic [BeatV-1:0]  beat_i,     //   which of the row's cycles it is
  input  logic              playing_i,  // it is busy

  output logic [OpW-1:0]    op_o,       // of the round that was ordered last
  output logic [Pages*OpW-1:0] page_ops_o, // of the last rounds that have begun, by their pages
  output logic [RoundW-1:0] ordered_o,  // rounds that have begun or wait for it
  output logic [RoundW-1:0] begun_o,    // rounds that have begun, from the edge of begin_i on
  output logic [RoundW-1:0] read_o,     // of which all own words are read, from the edge of last_i on
  output logic [RoundW-1:0] round_o,    // time r+2: the round of which words are shown, or were last: how many were before it
  output logic [AtW-1:0]    row_o,      //   the row before that of these words, all ones for row 0, above the number of its cycle
  output logic [RoundW+AtW-1:0] left_o  //   ~{round_o, row_o}, out of registers
);

  logic              armed_q, arm, fresh;
  logic [RoundW-1:0] begun_q, read_q;
  logic [RoundW-1:0] round_q, round_d;
  logic [AtW-1:0]    row_q, row_d;
  logic [RoundW+AtW-1:0] left_q;

  if (Ops > 1) begin : gen_ops
    logic [OpW-1:0]       op_q;
    logic [Pages*OpW-1:0] page_ops_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) op_q <= '0; // tables rest at the rows of the first kind
      else if (arm) op_q <= op_i;
      if (begin_i) page_ops_q[32'(begun_q[RoundW-2:0])*OpW +: OpW] <= op_q;
    end

    assign order_ready_o = !armed_q;
    assign arm           = start_i && order_ready_o;
    assign start_o       = armed_q && there_i && room_i && fresh;
    assign op_o          = op_q;
    assign page_ops_o    = page_ops_q;
  end else begin : gen_one_op
    logic unused_op;
    assign unused_op     = &{1'b0, op_i};
    assign order_ready_o = begin_i;
    assign arm           = start_i && !busy_o;
    assign start_o       = (armed_q || start_i) && there_i && room_i && fresh;
    assign op_o          = '0;
    assign page_ops_o    = '0;
  end

  if (Stale > 0) begin : gen_stale
    logic [Stale-1:0] stale_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) stale_q <= '0;
      else stale_q <= begin_i ? '1 : stale_q >> 1;
    end
    assign fresh = !stale_q[0];
  end else begin : gen_fresh
    assign fresh = 1'b1;
  end

  assign busy_o  = armed_q || playing_i || leaving_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      armed_q <= 1'b0;
      begun_q <= '0;
      read_q  <= '0;
    end else begin
      armed_q <= (armed_q || arm) && !begin_i;
      if (begin_i) begun_q <= begun_q + 1'b1;
      if (en_i && last_i) read_q <= read_q + 1'b1;
    end
  end

  // A round's words begin in row 1 and end in row 0 behind it, so behind all ones comes the next round.
  logic            next_row;
  logic [RowA-1:0] inner;
  assign inner    = row_q[BeatW +: RowA];
  assign next_row = en_i && arrives_i && (Words == 1 || beat_i == '0);
  assign round_d  = round_q + RoundW'(next_row && (&inner));

  if (BeatW > 0) begin : gen_beats
    assign row_d[BeatW-1:0] = (en_i && arrives_i) ? beat_i : row_q[BeatW-1:0];
  end else begin : gen_one_beat
    logic unused_beat;
    assign unused_beat = &{1'b0, beat_i};
  end
  assign row_d[BeatW +: RowA] = !next_row ? inner : behind_i ? '1 : inner + 1'b1;

  // Each output adapter subtracts what is shown from where its word is: to turn these bits there would take it a LUT4 a bit.
  always_ff @(posedge clk_i) begin
    {round_q, row_q} <= rst_ni ? {round_d, row_d} : '1;
    left_q           <= rst_ni ? ~{round_d, row_d} : '0;
  end

  assign ordered_o = begun_q + RoundW'(armed_q);
  assign begun_o   = begun_q;
  assign read_o    = read_q;
  assign round_o   = round_q;
  assign row_o     = row_q;
  assign left_o    = left_q;

endmodule
