// SPDX-License-Identifier: Apache-2.0
//
// The adapters of a stream node around a node that shows each own word at the same lane a row later. Sources and sinks stall
// at random; what comes out is compared with a list. Rounds may be of several kinds, which are ordered one by one.

`timescale 1ns / 1ns

module crl_streams_tb;

  parameter int Ways = 2, Lanes = 3, T = 5, Kinds = 1, Depth = 5, Pages = 2, PeerW = 5, MapDepth = 16, Rounds = 50, Seed = 1, Words = 1000;
  // 1: maps are loaded through their ports; each start orders one round.
  parameter int Load = 0, Single = 0;
  localparam int DataW = 16, Rows = 1 << $clog2(T), Based = (Kinds > 1) ? 1 : 0;
  localparam int RowA = (Rows > 1) ? $clog2(Rows) : 1, RoundW = $clog2(Pages) + 1;
  localparam int WayW = (Ways > 1) ? $clog2(Ways) : 1, MapA = $clog2(MapDepth), PeerV = (PeerW > 0) ? PeerW : 1;
  localparam int TA = (Depth > 1) ? $clog2(Depth) : 1, OpW = (Kinds > 1) ? $clog2(Kinds) : 1;
  localparam int InEntryW = 3 + Lanes + RowA + PeerW, OutEntryW = 3 + $clog2(Lanes) + RowA + PeerW;
  localparam InFile = (Load != 0) ? "" : "in";
  localparam int Orders = Rounds + 2 * Pages + 2;

  logic clk = 0, rst_n = 0, start = 0, en = 1;
  always #5 clk = !clk;

  logic                   begins, last, playing, busy, seq_busy, seq_start, there, departs, arrives, active, late, parity;
  logic [TA-1:0]          row, ahead, row_number, number, parity_row;
  logic [RowA-1:0]        shown_row;
  logic [RoundW+RowA-1:0] left;
  logic [8-1:0]           control;
  logic [RoundW-1:0]      ordered, begun, read, round;
  logic                   order_ready;
  logic [OpW-1:0]         op;
  logic [Pages*OpW-1:0]   page_ops;
  logic [Pages*MapA-1:0]  page_bases;
  logic [Ways-1:0]        s_valid = '0, s_ready, m_valid, m_last, m_ready = '0, room, leaving;
  logic [Ways*DataW-1:0]  s_data, m_data;
  logic [Ways*PeerV-1:0]  s_peer, m_peer;
  logic [Lanes*DataW-1:0] own, sent, seen;

  // Of each kind its last row, and where its rows and its entries begin; then the kind of each round.
  logic [31:0] kinds [0:3*Kinds-1];
  logic [31:0] ops [0:Orders-1];
  int          orders = 0;

  // What is loaded.
  logic                 load = 0;
  logic [31:0]          load_way = 0, load_at = 0;
  logic [InEntryW-1:0]  load_in;
  logic [OutEntryW-1:0] load_out;
  logic [InEntryW-1:0]  in_map [0:MapDepth-1];
  logic [OutEntryW-1:0] out_map [0:MapDepth-1];

  crl_round_sequencer #(.RowW(8), .TableDepth(Depth), .Based(Based)) u_sequencer (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(1'b0), .en_i(en), .start_i(seq_start), .last_row_i(TA'(kinds[3*32'(op)])), .base_i(TA'(kinds[3*32'(op)+1])),
    .begin_o(begins), .busy_o(seq_busy), .table_we_i(1'b0), .table_addr_i({TA{1'b0}}), .table_data_i(8'b0), .addr_o(row),
    .ahead_o(ahead), .playing_o(playing), .last_o(last), .row_o(control), .departs_o(departs), .arrives_o(arrives), .row_number_o(row_number), .active_o(active), .number_o(number),
    .fault_parity_o(parity), .fault_parity_row_o(parity_row));

  crl_stream_rounds #(.Pages(Pages), .Ops(Kinds), .RowA(RowA)) u_rounds (
    .clk_i(clk), .rst_ni(rst_n), .en_i(en), .start_i(start), .op_i(OpW'(ops[orders])), .order_ready_o(order_ready), .op_o(op), .page_ops_o(page_ops),
    .ordered_o(ordered), .busy_o(busy), .there_i(there), .room_i(&room), .leaving_i(|leaving),
    .start_o(seq_start), .begin_i(begins), .last_i(last), .arrives_i(arrives), .behind_i(row_number == '0), .beat_i(1'b0), .playing_i(seq_busy), .begun_o(begun), .read_o(read),
    .row_o(shown_row), .round_o(round), .left_o(left));

  logic [Ways-1:0] unused_in, unused_out;

  // One stream's number says nothing.
  crl_stream_in #(.Ways(Ways), .Lanes(Lanes), .DataW(DataW), .Rows(Rows), .Pages(Pages), .PeerW(PeerW), .MapDepth(MapDepth),
                  .MapFile(InFile), .Based(Based)) u_in (
    .clk_i(clk), .rst_ni(rst_n), .map_we_i(load), .map_way_i(Ways > 1 ? WayW'(load_way) : WayW'(load_at)),
    .map_addr_i(MapA'(load_at)), .map_data_i(load_in), .unloaded_o(unused_in), .valid_i(s_valid), .data_i(s_data), .ready_o(s_ready), .peer_o(s_peer),
    .ordered_i(ordered), .base_i(MapA'(kinds[3*32'(op)+2])), .begun_i(begun), .there_o(there), .en_i(en), .row_i(row[RowA-1:0]),
    .round_i(read), .own_data_o(own), .ahead_i(ahead[RowA-1:0]), .late_o(late));

  always_ff @(posedge clk) en <= !rst_n || !playing || !late;

  // Own words are read in time r+1, leave and arrive, and are shown in time r+3, when the next row acts, once.
  logic shows;
  always_ff @(posedge clk) shows <= en && arrives;
  always_ff @(posedge clk) if (en) begin
    sent <= own;
    seen <= sent;
  end

  for (genvar i = 0; i < Pages; i++) begin : gen_page
    assign page_bases[i*MapA +: MapA] = MapA'(kinds[3*32'(page_ops[i*OpW +: OpW])+2]);
  end

  for (genvar w = 0; w < Ways; w++) begin : gen_way
    localparam File = (Load != 0) ? "" : {"out", 8'(48 + w / 10), 8'(48 + w % 10), ".hex"};
    logic mine;
    assign mine = load && load_way == 32'(w);
    crl_stream_out #(.Lanes(Lanes), .DataW(DataW), .Rows(Rows), .Pages(Pages), .PeerW(PeerW), .MapDepth(MapDepth),
                     .MapFile(File), .Based(Based)) u_out (
      .clk_i(clk), .rst_ni(rst_n), .map_we_i(mine), .map_addr_i(MapA'(load_at)), .map_data_i(load_out), .unloaded_o(unused_out[w]),
      .show_valid_i({Lanes{shows}}), .show_data_i(seen), .row_i(shown_row), .page_i(round[RoundW-2:0]), .left_i(left),
      .begun_i(begun), .bases_i(page_bases), .room_o(room[w]), .busy_o(leaving[w]), .valid_o(m_valid[w]), .data_o(m_data[w*DataW +: DataW]),
      .last_o(m_last[w]), .peer_o(m_peer[w*PeerV +: PeerV]), .ready_i(m_ready[w]));
  end

  // A source's word: its stream and number, with the peer that the map names. What must come out, a line each: data, peer,
  // last; a stream's lines are those of its number times Words on.
  logic [31:0] expected [0:Ways*Words-1];
  logic [31:0] peers [0:Ways*Words-1];
  logic [32*Ways-1:0] offered = '0, taken = '0;
  int wrong = 0, total = 0, stall, cycles = 0, wanted, holds = 0, begins_seen = 0, quiet = 0;
  integer state;
  string in_file, out_file;
  initial begin
    $readmemh("expected.hex", expected);
    $readmemh("peers.hex", peers);
    $readmemh("kinds.hex", kinds);
    $readmemh("ops.hex", ops);
    if (!$value$plusargs("stall=%d", stall)) stall = 50;
    if (!$value$plusargs("words=%d", wanted)) wanted = 100;
    state = Seed;
    repeat (4) @(posedge clk);
    for (int way = 0; way < Ways && Load != 0; way++) begin
      $sformat(in_file, "in%02d.hex", way);
      $sformat(out_file, "out%02d.hex", way);
      $readmemh(in_file, in_map);
      $readmemh(out_file, out_map);
      for (int a = 0; a < MapDepth; a++) begin
        load     <= 1;
        load_way <= way;
        load_at  <= a;
        load_in  <= in_map[a];
        load_out <= out_map[a];
        @(posedge clk);
      end
    end
    load <= 0;
    @(posedge clk);
    rst_n <= 1;
    start <= Single == 0;
  end

  for (genvar i = 0; i < Ways; i++) begin : gen_word
    assign s_data[i*DataW +: DataW] = {2'(i), offered[32*i +: 14]};
  end

  task complain(input string what);
    $display("%0s in cycle %0d", what, cycles);
    wrong++;
  endtask

  always @(posedge clk) if (rst_n) begin
    cycles <= cycles + 1;
    begins_seen <= begins_seen + 32'(begins);
    for (int i = 0; i < Ways; i++) begin
      if (s_valid[i] && s_ready[i]) begin
        if (s_peer[i*PeerV +: PeerV] !== PeerV'(peers[i*Words + offered[32*i +: 32]])) complain("a wrong destination");
        offered[32*i +: 32] <= offered[32*i +: 32] + 1;
      end
      // What is offered stays.
      if (!s_valid[i] || s_ready[i]) s_valid[i] <= $unsigned($random(state)) % 100 >= stall;
      m_ready[i] <= $unsigned($random(state)) % 100 >= stall;
      if (m_valid[i] && m_ready[i]) begin
        if (m_data[i*DataW +: DataW] !== expected[i*Words + taken[32*i +: 32]][DataW-1:0]) complain("a wrong word");
        if (m_last[i] !== expected[i*Words + taken[32*i +: 32]][PeerW+DataW] ||
            m_peer[i*PeerV +: PeerV] !== (PeerW == 0 ? PeerV'(0) : PeerV'(expected[i*Words + taken[32*i +: 32]] >> DataW))) complain("a wrong origin");
        taken[32*i +: 32] <= taken[32*i +: 32] + 1;
        total++;
      end
    end
    if (en === 1'bx || (!en && stall == 0 && Ways == 1)) complain("waits for words that come");
    holds = holds + 32'(!en);
    // With one kind a start is no order for later; held, rounds follow each other.
    if (Kinds == 1 && start && there && &room && (!playing || last) && !begins) complain("no round begins");
    if (Kinds == 1 && (op !== '0 || page_ops !== '0)) complain("a kind where there is one");
    if ((seq_busy || leaving != 0 || m_valid != 0) && !busy) complain("not busy");
    if (begins && seq_start !== 1'b1) complain("begun by nobody");
    // Orders: one by one, and none where there is nothing to do.
    if (Kinds > 1) begin
      if (start && order_ready) orders <= orders + 1;
      start <= $unsigned($random(state)) % 3 != 0;
      if (begins_seen > orders) complain("a round that nobody ordered");
    end else if (Single != 0) begin
      if (begins_seen + 32'(begins) > orders + 32'(start)) complain("a round that nobody ordered");
      quiet = busy ? 0 : quiet + 1;
      start <= !start && quiet == 4;
      if (start) begin
        if (begins_seen != orders || (total != 0 && total % (wanted / Rounds) != 0)) complain("words that are missing");
        orders <= orders + 1;
      end
    end
    if (wrong > 5) $fatal;
  end

  initial begin
    wait (total >= wanted && wanted > 0 || cycles > 200 * Rounds * T || orders > Rounds + Pages);
    @(posedge clk);
    $display("%0d words in %0d cycles, %0d of them waited, %0d wrong", total, cycles, holds, wrong);
    if (wrong != 0 || total < wanted) $fatal;
    $finish(0);
  end

endmodule
