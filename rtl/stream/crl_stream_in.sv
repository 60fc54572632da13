// SPDX-License-Identifier: Apache-2.0
//
// Takes words from streams with valid and ready and lays them out for the lanes of a stream node, page by page: a page holds
// a round's words, at the rows in which they leave. A map a stream says where each word goes, in the order of rows, and from which
// word on the round may begin: no word of row 0 comes after that, and others come in time, one a cycle. A word that does not is
// told a row ahead, so that the fabric can wait for it.
//
// Timing: a word taken at an edge is in its lane's page after the next one. row_i and round_i are sampled at an edge (time r of
// the node) at which en_i is 1, the lanes' words are at own_data_o after it. With late_o at an edge row ahead_i must not be sampled at
// the next one.

module crl_stream_in #(
  /// Streams.
  parameter int Ways = 1,
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
  /// Entries of a map's memory: one more than the longest round has.
  parameter int MapDepth = 256,
  /// The map of stream j is in the file of this name with two digits and .hex behind it, for $readmemh; empty: all are loaded.
  parameter MapFile = "",
  /// 1: the maps are MapInit, that of stream 0 in its lowest bits, as of crl_stream_map.
  parameter int Inline = 0,
  parameter MapInit = 1'b0,
  /// 1: in memory entries are marked, as of crl_stream_map.
  parameter int Marked = 0,
  /// 1: the maps hold several kinds of rounds, each from a base on, and take words of a round only when it is ordered.
  parameter int Based = 0,
  /// 1: words are asked for more rows ahead than one, so that those before are, too.
  parameter int Early = 0,
  /// The lanes that each stream's words go to, those of stream i from bit Lanes * i on. A stream that has none is not there: it has no
  /// map and takes nothing. Nor is there a memory for a lane that no stream feeds.
  parameter Uses = {(Ways * Lanes){1'b1}},
  /// With packets of several words, a bit a stream: packets of it have more than one entry, and are kept for that.
  parameter logic [Ways-1:0] Keeps = '0,
  `include "crl_stream_entry.svh"
  /// Bits of a peer's number on the port list.
  localparam int PeerV = (PeerW > 0) ? PeerW : 1,
  /// Bits that name a stream, and an entry of a map.
  localparam int WayW = (Ways > 1) ? $clog2(Ways) : 1,
  localparam int MapA = (MapDepth > 1) ? $clog2(MapDepth) : 1,
  /// Bits that count rounds, modulo twice the pages.
  localparam int RoundW = $clog2(Pages) + 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   map_we_i,     // load port; only in reset
  input  logic [WayW-1:0]        map_way_i,
  input  logic [MapA-1:0]        map_addr_i,
  input  logic [InEntryW-1:0]    map_data_i,

  output logic [Ways-1:0]        unloaded_o,   // as of crl_stream_map

  input  logic [Ways-1:0]        valid_i,
  input  logic [Ways*DataW-1:0]  data_i,
  output logic [Ways-1:0]        ready_o,
  output logic [Ways*PeerV-1:0]  peer_o,       // of the word that is waited for

  input  logic [RoundW-1:0]      ordered_i,    // with Based: rounds that are ordered, up to one more than have begun
  input  logic [MapA-1:0]        base_i,       // with Based: of the round that was ordered last
  input  logic [RoundW-1:0]      begun_i,      // rounds that have begun
  output logic                   there_o,      // the next one may begin: what it needs is there, or comes in time

  input  logic                   en_i,         // time r: the node reads the words of row_i
  input  logic [AtW-1:0]         row_i,        //   (above the number of its cycle, as everywhere here)
  input  logic [RoundW-1:0]      round_i,      // rounds of which all words are read
  output logic [Lanes*DataW-1:0] own_data_o,   // time r+1

  input  logic [AtW-1:0]         ahead_i,      // the row to be read next; 0 behind the last one
  output logic                   late_o        // while a round plays: a word of it is not there
);

  localparam int PageW = $clog2(Pages);
  localparam int AddrW = PageW + AtW;
  localparam logic [Ways*MapDepth*InEntryW-1:0] Maps = (Ways * MapDepth * InEntryW)'(MapInit);
  localparam logic [Ways*Lanes-1:0] Used = (Ways * Lanes)'(Uses);

  logic [Ways-1:0]       may, late;
  // What is written: a stage behind the maps, which are slow.
  logic [Ways*Lanes-1:0] lanes_q;
  logic [Ways*AddrW-1:0] place_q;
  logic [Ways*DataW-1:0] data_q, data;

  if (Ways < 1 || Lanes < 1 || DataW < 1 || Rows < 1) begin : gen_bad_size
    crl_error_ways_lanes_data_w_rows_must_be_1_or_more u_error ();
  end
  if (Pages < 2 || (1 << PageW) != Pages) begin : gen_bad_pages
    crl_error_pages_must_be_a_power_of_two_from_2_on u_error ();
  end

`ifdef FORMAL
  // For any maps and pages: proved with their memories taken out.
  logic              f_past_valid, f_there_q;
  logic [RoundW-1:0] f_begun_q, f_round_q, f_ordered_q;
  localparam int WriteW = Lanes + AddrW + DataW;
  logic [Ways-1:0]        f_taken, f_page_read, f_counts, f_full, f_waits, f_both, f_writes, f_orders, f_idle_q;
  logic [Ways*WriteW-1:0] f_write, f_write_q;
  logic [Lanes-1:0]       f_one_writes, f_clash;
  logic                   f_late_q;
  logic [AtW-1:0]         f_ahead_q;
  initial f_past_valid = 1'b0;

  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    f_there_q    <= rst_ni && there_o;
    f_begun_q    <= rst_ni ? begun_i : '0;
    f_round_q    <= rst_ni ? round_i : '0;
    f_ordered_q  <= rst_ni ? ordered_i : '0;
    f_idle_q     <= rst_ni ? ready_o & ~valid_i : '0;
    f_write_q    <= rst_ni ? f_write : '0;
    f_late_q     <= rst_ni && late_o;
    f_ahead_q    <= ahead_i;
  end

  // Of crl_stream_rounds, proved in crl_stream_rounds_order: a round begins when it may, and is read after that.
  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    if (map_we_i) assume (!rst_ni && 32'(map_addr_i) < MapDepth);
    if (f_past_valid) begin
      assume (begun_i == f_begun_q || (f_there_q && begun_i == f_begun_q + 1'b1));
      if (Based != 0) begin
        assume (ordered_i == f_ordered_q || (f_ordered_q == begun_i && begun_i == f_begun_q && ordered_i == f_ordered_q + 1'b1));
        assume (ordered_i == begun_i || ordered_i == begun_i + RoundW'(1));
      end
      // A row is read when it was told ahead, and nothing was late then; rounds end behind their last row.
      assume (row_i == f_ahead_q && !(en_i && f_late_q && row_i != '0));
      if (round_i != f_round_q) assume (row_i == '0);
      assume (round_i == f_round_q || (f_round_q != f_begun_q && round_i == f_round_q + 1'b1));
    end
  end

  always_comb if (f_past_valid) begin
    // A word is taken where both agree, and each is written once where the map says, into a page that is read.
    a_taken: assert (&f_taken);
    a_orders: assert (&f_orders);
    // No round begins in the cycle in which it is ordered: its base must reach the table first.
    if (Based != 0 && ordered_i != f_ordered_q) a_not_yet: assert (!there_o);
    a_writes: assert (&f_writes);
    a_one_writes: assert (&f_one_writes);
    a_page_read: assert (&f_page_read);
    a_counts: assert (&f_counts);
    // What is read while it is being written is no word yet: it was told a row ahead. Row 0 is no matter of this: it is not read
    // before it is written, by the rule for `go`.
    if (en_i && row_i != '0) a_told: assert (f_clash == '0);
    // Nothing but another stream that goes first makes ready fall.
    a_ready_stays: assert (!f_idle_q[0] || ready_o[0]);
    c_full: cover (&f_full);
    c_waits: cover (f_waits[Ways-1]);
    c_both: cover (&f_both);
    c_again: cover (32'(round_i) == Pages && ready_o != '0);
  end
`endif

  for (genvar i = 0; i < Ways; i++) begin : gen_way
    localparam logic [Lanes-1:0] Feeds = Used[i*Lanes +: Lanes];
    localparam File = (MapFile != "") ? {MapFile, 8'(48 + i / 10), 8'(48 + i % 10), ".hex"} : "";

    // Two streams may have a word for the same lane: the first one goes first, if it has its word.
    logic [Lanes-1:0] taken, wanted;
    if (i > 0) begin : gen_wait
      assign taken = gen_way[i-1].taken | gen_way[i-1].wanted;
    end else begin : gen_first
      assign taken = '0;
    end

    if (Feeds == '0) begin : gen_none
      assign wanted      = '0;
      assign may[i]      = 1'b1;
      assign late[i]     = 1'b0;
      assign ready_o[i]  = 1'b0;
      assign peer_o[i*PeerV +: PeerV] = '0;
      assign unloaded_o[i] = 1'b0;

      always_ff @(posedge clk_i) begin
        lanes_q[i*Lanes +: Lanes] <= '0;
        place_q[i*AddrW +: AddrW] <= '0;
        data_q[i*DataW +: DataW]  <= '0;
      end
      assign data[i*DataW +: DataW] = data_q[i*DataW +: DataW];

      logic unused_way;
      assign unused_way = &{1'b0, taken, wanted, valid_i[i], data_i[i*DataW +: DataW]};
`ifdef FORMAL
      assign {f_taken[i], f_page_read[i], f_counts[i], f_orders[i], f_full[i], f_waits[i], f_both[i], f_writes[i]} = 8'b11111111;
      assign f_write[i*WriteW +: WriteW] = '0;
`endif
    end else begin : gen_there
      logic [InEntryW-1:0] entry;
      logic [RoundW-1:0]   filled_q, filled_d, ready_q;
      logic                turn, next_there;
      logic [InEntryW-1:0] next;
      logic                there, room_q, waits, fire, load, hold, last_beat, whole, ends;
      logic [BeatV-1:0]    beat;
      logic [AtW-1:0]      at, needed;

      assign load = map_we_i && (Ways == 1 || map_way_i == WayW'(i));

      // Only what is here now is asked for.
      logic unused_next;
      assign unused_next = &{1'b0, turn, next_there, next};

      crl_stream_map #(
        .Width   (InEntryW),
        .Depth   (MapDepth),
        .InitFile(File),
        .Inline  (Inline),
        .Init    (Maps[i*MapDepth*InEntryW +: MapDepth*InEntryW]),
        .Marked  (Marked),
        .Based   (Based),
        .Words   (Words)
      ) u_map (
        .clk_i  (clk_i),
        .rst_ni (rst_ni && !hold),
        .base_i (base_i),
        .we_i   (load),
        .waddr_i(map_addr_i),
        .wdata_i(map_data_i),
        .step_i (fire),
        .there_o(there),
        .entry_o(entry),
        .beat_o (beat),
        .whole_o(last_beat),
        .turn_o (turn),
        .next_there_o(next_there),
        .next_o (next),
        .unloaded_o(unloaded_o[i])
      );

      assign whole = Words == 1 || last_beat;
      assign ends  = fire && whole && entry[EndAt];
      if (BeatW > 0) begin : gen_beats
        assign at = {entry[InRowAt +: RowA], beat};
        // The next packet's first word is needed as early as this one's.
        assign needed = {entry[InRowAt +: RowA], entry[InMoreAt] ? ahead_i[BeatV-1:0] : beat};
      end else begin : gen_rows
        logic unused_beat;
        assign unused_beat = &{1'b0, beat};
        assign at = entry[InRowAt +: RowA];
        assign needed = at;
      end

      // Between rounds the map waits at the base of the next one, which is known a cycle after that was ordered.
      if (Based != 0) begin : gen_based
        logic ordered_q;
        always_ff @(posedge clk_i) ordered_q <= rst_ni && filled_d != ordered_i && !ends;
        assign hold = !ordered_q || ends;
      end else begin : gen_from_0
        logic unused_order;
        assign unused_order = &{1'b0, ordered_i};
        assign hold = 1'b0;
      end

      assign waits   = (taken & entry[InLanesAt +: Lanes]) != '0;
      assign filled_d = filled_q + RoundW'(ends);
      assign fire    = room_q && !waits && (valid_i[i] || !entry[TakeAt]);
      assign wanted  = entry[InLanesAt +: Lanes] & Feeds & {Lanes{fire}};
      assign may[i]  = ready_q != begun_i;

      assign ready_o[i] = room_q && !waits && entry[TakeAt];

      always_ff @(posedge clk_i) begin
        if (!rst_ni) lanes_q[i*Lanes +: Lanes] <= '0;
        else lanes_q[i*Lanes +: Lanes] <= wanted;
        place_q[i*AddrW +: AddrW] <= {filled_q[PageW-1:0], at};
      end

      // Kept for entries that send it in more rows.
      if (Words == 1) begin : gen_word
        always_ff @(posedge clk_i) if (entry[TakeAt]) data_q[i*DataW +: DataW] <= data_i[i*DataW +: DataW];
        assign data[i*DataW +: DataW] = data_q[i*DataW +: DataW];
      end else begin : gen_packet
        always_ff @(posedge clk_i) data_q[i*DataW +: DataW] <= data_i[i*DataW +: DataW];
        if (Keeps[i]) begin : gen_kept
          logic             took_q;
          logic [DataW-1:0] kept;
          always_ff @(posedge clk_i) took_q <= entry[TakeAt];
          assign data[i*DataW +: DataW] = took_q ? data_q[i*DataW +: DataW] : kept;

          crl_ram #(
            .DataW(DataW),
            .Depth(Words)
          ) u_kept (
            .clk_i  (clk_i),
            .we_i   (fire && entry[TakeAt]),
            .waddr_i(beat),
            .wdata_i(data_i[i*DataW +: DataW]),
            .re_i   (!entry[TakeAt]),
            .raddr_i(beat),
            .rdata_o(kept)
          );
        end else begin : gen_taken
          assign data[i*DataW +: DataW] = data_q[i*DataW +: DataW];
        end
      end

      // As entries are in the order of rows, the first one that waits is enough to look at. Where the next round's row 0 comes next
      // no entry of this round waits for row 0. One without a word lasts as long as a packet, and nobody waits for it.
      assign late[i] = ((Early != 0) ? needed <= ahead_i : needed == ahead_i) && filled_q == round_i
          && (Words == 1 || entry[InLanesAt +: Lanes] != '0);

      logic goes;
      if (Words > 1) begin : gen_goes
        assign goes = beat == entry[InGoWordAt +: BeatV];
      end else begin : gen_goes_at_once
        assign goes = 1'b1;
      end

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          room_q   <= 1'b0;
          filled_q <= '0;
          ready_q  <= '0;
        end else begin
          // A page that becomes free is seen a cycle later.
          room_q   <= there && !hold && filled_d != {~round_i[RoundW-1], round_i[RoundW-2:0]};
          filled_q <= filled_d;
          ready_q  <= ready_q + RoundW'(fire && entry[GoAt] && goes);
        end
      end

      if (PeerW > 0) begin : gen_peer
        assign peer_o[i*PeerV +: PeerV] = entry[InPeerAt +: PeerV];
      end else begin : gen_no_peer
        assign peer_o[i] = 1'b0;
      end

`ifdef FORMAL
      // Of the map: a round may begin once, at its last entry or before.
      logic              f_gone_q;
      logic [RoundW-1:0] f_pages, f_filled_q;
      assign f_pages = filled_q - round_i;

      always_ff @(posedge clk_i) begin
        f_filled_q <= filled_q;
        if (!rst_ni) f_gone_q <= 1'b0;
        else if (fire) f_gone_q <= !entry[EndAt] && (f_gone_q || entry[GoAt]);
      end

      always_comb if (f_past_valid) begin
        if (entry[GoAt]) assume (!f_gone_q);
        if (entry[EndAt]) assume (f_gone_q || entry[GoAt]);
        // Rows wait for words.
        if (round_i != f_round_q) assume (f_round_q != f_filled_q);
      end

      assign f_taken[i]     = (valid_i[i] && ready_o[i]) == (fire && entry[TakeAt]);
      assign f_page_read[i] = !fire || 32'(f_pages) < Pages;
      assign f_counts[i]    = 32'(f_pages) <= Pages && (32'(f_pages) < Pages || (!room_q && !f_gone_q))
          && ready_q == filled_q + RoundW'(f_gone_q) && RoundW'(begun_i - round_i) <= RoundW'(ready_q - round_i);
      // With Based: words are taken, and a round is ready, only of rounds that were ordered a cycle ago.
      assign f_orders[i]    = Based == 0 || (f_pages <= RoundW'(f_ordered_q - round_i)
          && (f_ordered_q != filled_q || (!room_q && !f_gone_q)));
      assign f_full[i]      = 32'(f_pages) == Pages && valid_i[i];
      assign f_waits[i]     = room_q && valid_i[i] && waits;
      assign f_both[i]      = valid_i[i] && ready_o[i];
      // What is written, in the cycle before.
      assign f_write[i*WriteW +: WriteW] = {wanted, filled_q[PageW-1:0], entry[InRowAt +: RowA],
                                            entry[TakeAt] ? data_i[i*DataW +: DataW] : data_q[i*DataW +: DataW]};
      assign f_writes[i]    = {lanes_q[i*Lanes +: Lanes], place_q[i*AddrW +: AddrW], data_q[i*DataW +: DataW]}
          == f_write_q[i*WriteW +: WriteW] || (lanes_q[i*Lanes +: Lanes] == '0 && f_write_q[i*WriteW+AddrW+DataW +: Lanes] == '0);
`endif
    end
  end

  assign there_o = &may;
  assign late_o  = |late;

  // Where no stream is there.
  logic unused_all;
  assign unused_all = &{1'b0, rst_ni, map_we_i, map_way_i, map_addr_i, map_data_i, ordered_i, base_i, begun_i, en_i, row_i, round_i, ahead_i};

  // What stream 0 has, or the other one that writes.
  function automatic logic [DataW-1:0] word_of(input logic [Ways-1:0] wen, input logic [Ways*DataW-1:0] words);
    word_of = words[DataW-1:0];
    for (int i = 1; i < Ways; i++) if (wen[i]) word_of = words[i*DataW +: DataW];
  endfunction

  function automatic logic [AddrW-1:0] place_of(input logic [Ways-1:0] wen, input logic [Ways*AddrW-1:0] places);
    place_of = places[AddrW-1:0];
    for (int i = 1; i < Ways; i++) if (wen[i]) place_of = places[i*AddrW +: AddrW];
  endfunction

  function automatic bit used_at(input int lane);
    used_at = 1'b0;
    for (int i = 0; i < Ways; i++) used_at |= Used[i*Lanes + lane];
  endfunction

  for (genvar b = 0; b < Lanes; b++) begin : gen_lane
    logic [Ways-1:0]  wen;
    logic [DataW-1:0] word;
    logic [AddrW-1:0] at;

    for (genvar i = 0; i < Ways; i++) begin : gen_wen
      assign wen[i] = lanes_q[i*Lanes + b];
    end

    // At most one writes.
    assign word = word_of(wen, data);
    assign at   = place_of(wen, place_q);

    if (used_at(b)) begin : gen_page
      crl_ram #(
        .DataW(DataW),
        .Depth(1 << AddrW)
      ) u_page (
        .clk_i  (clk_i),
        .we_i   (|wen),
        .waddr_i(at),
        .wdata_i(word),
        .re_i   (en_i),
        .raddr_i({round_i[PageW-1:0], row_i}),
        .rdata_o(own_data_o[b*DataW +: DataW])
      );
    end else begin : gen_no_page
      assign own_data_o[b*DataW +: DataW] = '0;
      logic unused_page;
      assign unused_page = &{1'b0, word, at};
    end

`ifdef FORMAL
    logic [Ways-1:0] f_same;
    for (genvar i = 0; i < Ways; i++) begin : gen_f_same
      assign f_same[i] = !wen[i] || (word == data_q[i*DataW +: DataW] && at == place_q[i*AddrW +: AddrW]);
    end
    assign f_one_writes[b] = (wen & (wen - 1'b1)) == '0 && (&f_same);
    assign f_clash[b]      = wen != '0 && at == {round_i[PageW-1:0], row_i};
`endif
  end

endmodule
