// SPDX-License-Identifier: Apache-2.0
//
// Keeps the words that a stream node shows, page by page, at the rows in which they are shown, and gives them to one stream
// with valid and ready. A map says in which order.
//
// Timing: a word shown at an edge can be read from the next edge on, and is at data_o after the edge that reads it. How far the
// rows have been shown is told with each: whoever comes first waits.

module crl_stream_out #(
  /// Lanes, and memories.
  parameter int Lanes = 4,
  /// Bits of a word.
  parameter int DataW = 16,
  /// Rows of a page.
  parameter int Rows = 128,
  /// Pages, a power of two: rounds that are under way.
  parameter int Pages = 2,
  /// Words of a packet, which follow each other: rows have as many cycles.
  parameter int Words = 1,
  /// Bits that name the peer of a word; 0: none do.
  parameter int PeerW = 0,
  /// Entries of the map's memory: one more than the longest round has.
  parameter int MapDepth = 256,
  /// File of the map, for $readmemh with exactly MapDepth entries; empty: it is loaded through its port.
  parameter MapFile = "",
  /// 1: the map is MapInit, 1: its entries are marked in memory, as of crl_stream_map.
  parameter int Inline = 0,
  parameter MapInit = 1'b0,
  parameter int Marked = 0,
  /// 1: the map holds several kinds of rounds, each from a base on.
  parameter int Based = 0,
  /// Lanes that show words for the stream: others have no memory.
  parameter Uses = {Lanes{1'b1}},
  `include "crl_stream_entry.svh"
  /// The same on a port list, and to select with.
  localparam int PeerV = (PeerW > 0) ? PeerW : 1,
  localparam int LaneV = (LaneW > 0) ? LaneW : 1,
  /// Bits that name an entry of the map.
  localparam int MapA = (MapDepth > 1) ? $clog2(MapDepth) : 1,
  /// Bits that name a page, and that count rounds, modulo twice the pages.
  localparam int PageW = $clog2(Pages),
  localparam int RoundW = PageW + 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   map_we_i,     // load port; only in reset
  input  logic [MapA-1:0]        map_addr_i,
  input  logic [OutEntryW-1:0]   map_data_i,
  output logic                   unloaded_o,   // as of crl_stream_map

  input  logic [Lanes-1:0]       show_valid_i, // time r+2
  input  logic [Lanes*DataW-1:0] show_data_i,
  input  logic [AtW-1:0]         row_i,        // above the number of its cycle: the row before that of these words, all ones for row 0
  input  logic [PageW-1:0]       page_i,       // the page of their round
  input  logic [RoundW+AtW-1:0]  left_i,       // the complement of {rounds before theirs, row_i}; as of the last words, where none are shown

  input  logic [RoundW-1:0]      begun_i,      // rounds that have begun
  input  logic [Pages*MapA-1:0]  bases_i,      // with Based: of the rounds that have begun and not left, by their pages
  output logic                   room_o,       // the next one may begin
  output logic                   busy_o,       // there are words to give

  output logic                   valid_o,
  output logic [DataW-1:0]       data_o,
  output logic                   last_o,
  output logic [PeerV-1:0]       peer_o,
  input  logic                   ready_i
);

  logic [OutEntryW-1:0]   entry, next;
  logic [RoundW-1:0]      empty_q, next_empty;
  logic [RoundW+AtW-1:0]  ahead, next_ahead;
  logic                   there, next_there, turn, shown_q, issue, valid_q, last_q, hold, last_beat, whole, ends;
  logic [BeatV-1:0]       beat;
  logic [AtW-1:0]         at, next_at;
  logic [LaneV-1:0]       lane;
  logic [Lanes*DataW-1:0] words;

  if (Lanes < 1 || DataW < 1 || Rows < 1) begin : gen_bad_size
    crl_error_lanes_data_w_rows_must_be_1_or_more u_error ();
  end
  if (Pages < 2 || (1 << PageW) != Pages) begin : gen_bad_pages
    crl_error_pages_must_be_a_power_of_two_from_2_on u_error ();
  end

  crl_stream_map #(
    .Width   (OutEntryW),
    .Depth   (MapDepth),
    .InitFile(MapFile),
    .Inline  (Inline),
    .Init    (MapInit),
    .Marked  (Marked),
    .Based   (Based),
    .Words   (Words)
  ) u_map (
    .clk_i  (clk_i),
    .rst_ni (rst_ni && !hold),
    .base_i (bases_i[32'(empty_q[PageW-1:0])*MapA +: MapA]),
    .we_i   (map_we_i),
    .waddr_i(map_addr_i),
    .wdata_i(map_data_i),
    .step_i (issue),
    .there_o(there),
    .entry_o(entry),
    .beat_o (beat),
    .whole_o(last_beat),
    .turn_o (turn),
    .next_there_o(next_there),
    .next_o (next),
    .unloaded_o(unloaded_o)
  );

  // Of the next entry little is asked for.
  logic unused_next;
  assign unused_next = &{1'b0, there, ends, next};

  assign whole = Words == 1 || last_beat;
  assign ends  = issue && whole && entry[EndAt];
  if (BeatW > 0) begin : gen_beats
    assign at      = {entry[OutRowAt +: RowA], beat};
    assign next_at = {next[OutRowAt +: RowA], {BeatW{1'b0}}};
  end else begin : gen_rows
    logic unused_beat;
    assign unused_beat = &{1'b0, beat};
    assign at      = entry[OutRowAt +: RowA];
    assign next_at = next[OutRowAt +: RowA];
  end

  // Between rounds the map waits at the base of the next one, which is known when that has begun.
  if (Based != 0) begin : gen_based
    logic begun_q;
    always_ff @(posedge clk_i) begun_q <= rst_ni && begun_i != empty_q && !ends;
    assign hold = !begun_q || ends;
    assign next_empty = empty_q; // behind the last entry of a round none comes before that has left
    always_ff @(posedge clk_i) begin
      if (!rst_ni) empty_q <= '0;
      else empty_q <= empty_q + RoundW'(ends);
    end
  end else begin : gen_from_0
    assign hold = 1'b0;
    logic [RoundW-1:0] next_empty_q;
    assign next_empty = next_empty_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        empty_q      <= '0;
        next_empty_q <= '0;
      end else if (turn) begin
        empty_q      <= next_empty_q;
        next_empty_q <= next_empty_q + RoundW'(next_there && next[EndAt]);
      end
    end
  end

  // How far what has been shown by the next edge lies behind a word, less one, from Pages rounds before it to a round behind: one bit
  // is its sign. A round can have left before all its rows are through, and then the next one's words lie ahead.
  // Told of all that may come next, so that in its cycle it is a register.
  assign ahead      = {empty_q, at} + left_i;
  assign next_ahead = {next_empty, next_at} + left_i;

  if (Words > 1) begin : gen_shown_packet
    logic [RoundW+AtW:0] beat_ahead; // one more, by a carry
    assign beat_ahead = {empty_q, at, 1'b1} + {left_i, 1'b1};
    always_ff @(posedge clk_i)
      shown_q <= rst_ni && !hold && (turn ? next_there && next_ahead[RoundW+AtW-1] : issue ? beat_ahead[RoundW+AtW] : ahead[RoundW+AtW-1]);
  end else begin : gen_shown_word
    always_ff @(posedge clk_i) shown_q <= rst_ni && !hold && (turn ? next_there && next_ahead[RoundW+AtW-1] : ahead[RoundW+AtW-1]);
  end

  assign issue  = shown_q && (!valid_q || ready_i);
  assign room_o = begun_i != {~empty_q[RoundW-1], empty_q[RoundW-2:0]};
  assign busy_o = begun_i != empty_q || valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= (issue && !entry[NoneAt]) || (valid_q && !ready_i);
  end

  always_ff @(posedge clk_i) if (issue) last_q <= entry[LastAt] && whole;

  if (LaneW > 0) begin : gen_lane_select
    logic [LaneV-1:0] lane_q;
    always_ff @(posedge clk_i) if (issue) lane_q <= entry[OutLaneAt +: LaneV];
    assign lane = lane_q;
  end else begin : gen_one_lane
    assign lane = 1'b0;
  end

  if (PeerW > 0) begin : gen_peer
    logic [PeerV-1:0] peer_q;
    always_ff @(posedge clk_i) if (issue) peer_q <= entry[OutPeerAt +: PeerV];
    assign peer_o = peer_q;
  end else begin : gen_no_peer
    assign peer_o = 1'b0;
  end

  for (genvar j = 0; j < Lanes; j++) begin : gen_lane
    if (Uses[j]) begin : gen_page
      crl_ram #(
        .DataW(DataW),
        .Depth(1 << (PageW + AtW))
      ) u_page (
        .clk_i  (clk_i),
        .we_i   (show_valid_i[j]),
        .waddr_i({page_i, row_i}),
        .wdata_i(show_data_i[j*DataW +: DataW]),
        .re_i   (issue),
        .raddr_i({empty_q[PageW-1:0], at}),
        .rdata_o(words[j*DataW +: DataW])
      );
    end else begin : gen_no_page
      assign words[j*DataW +: DataW] = '0;
      logic unused_show;
      assign unused_show = &{1'b0, show_valid_i[j], show_data_i[j*DataW +: DataW]};
    end
  end

  crl_mux #(
    .N    (Lanes),
    .DataW(DataW)
  ) u_word (
    .data_i(words),
    .sel_i (lane),
    .data_o(data_o)
  );

  assign valid_o = valid_q;
  assign last_o  = last_q;

`ifdef FORMAL
  // For any contents of the map and of the pages: proved with their memories taken out.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    if (map_we_i) assume (32'(map_addr_i) < MapDepth);
  end

  // A word may leave in the first cycle behind the one in which it is shown, and not before.
  logic [RoundW+AtW-1:0] f_left_q, f_ahead;
  always_ff @(posedge clk_i) f_left_q <= left_i;
  assign f_ahead = {empty_q, at} + f_left_q;
  always_comb if (f_past_valid) begin
    a_shown: assert (shown_q == (there && f_ahead[RoundW+AtW-1]));
    a_next_round: assert (next_empty == empty_q + RoundW'(Based == 0 && there && entry[EndAt]));
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if (!$past(rst_ni)) a_reset: assert (!valid_o);
    else if ($past(valid_o && !ready_i)) begin
      a_valid_stays: assert (valid_o);
      a_word_stays: assert (data_o == $past(data_o) && last_o == $past(last_o) && peer_o == $past(peer_o));
    end
    c_waited: cover (valid_o && $past(valid_o && !ready_i, 3));
    c_one_a_cycle: cover (valid_o && $past(valid_o && ready_i) && $past(valid_o && ready_i, 2));
  end
`endif

endmodule
