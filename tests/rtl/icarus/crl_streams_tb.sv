// SPDX-License-Identifier: Apache-2.0
//
// The adapters of a stream node around a node that shows each own word at the same lane a row later. Sources and sinks stall
// at random; what comes out is compared with a list.

`timescale 1ns / 1ns

module crl_streams_tb;

  parameter int Ways = 2, Lanes = 3, T = 5, Pages = 2, MapDepth = 16, Rounds = 50, Seed = 1, Words = 1000;
  localparam int DataW = 16, PeerW = 5, Rows = 1 << $clog2(T);
  localparam int RowA = (Rows > 1) ? $clog2(Rows) : 1, RoundW = $clog2(Pages) + 1, PageW = $clog2(Pages);
  localparam int WayW = (Ways > 1) ? $clog2(Ways) : 1, MapA = $clog2(MapDepth);
  localparam int InEntryW = 4 + Lanes + RowA + PeerW, OutEntryW = 3 + $clog2(Lanes) + RowA + PeerW;

  logic clk = 0, rst_n = 0, start = 0;
  always #5 clk = !clk;

  logic                   begins, last, playing, busy, seq_busy, seq_start, there, departs, arrives, active, late, parity;
  logic [RowA-1:0]        row, number, parity_row;
  logic [8-1:0]           control;
  logic [RoundW-1:0]      ordered, begun, read, shown;
  logic                   op, order_ready;
  logic [Pages-1:0]       page_ops;
  logic                   shown_now;
  logic [Ways-1:0]        s_valid = '0, s_ready, m_valid, m_last, m_ready = '0, room, leaving;
  logic [Ways*DataW-1:0]  s_data, m_data;
  logic [Ways*PeerW-1:0]  s_peer, m_peer;
  logic [Lanes*DataW-1:0] own, sent, seen;

  crl_round_sequencer #(.RowW(8), .TableDepth(Rows)) u_sequencer (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(1'b0), .start_i(seq_start), .last_row_i(RowA'(T - 1)), .base_i({RowA{1'b0}}), .begin_o(begins), .busy_o(seq_busy),
    .table_we_i(1'b0), .table_addr_i({RowA{1'b0}}), .table_data_i(8'b0), .addr_o(row), .playing_o(playing), .last_o(last), .row_o(control),
    .departs_o(departs), .arrives_o(arrives), .active_o(active), .number_o(number), .fault_parity_o(parity),
    .fault_parity_row_o(parity_row));

  crl_stream_rounds #(.Pages(Pages)) u_rounds (
    .clk_i(clk), .rst_ni(rst_n), .start_i(start), .op_i(1'b0), .order_ready_o(order_ready), .op_o(op), .page_ops_o(page_ops),
    .ordered_o(ordered), .busy_o(busy), .there_i(there), .room_i(&room), .leaving_i(|leaving),
    .start_o(seq_start), .begin_i(begins), .last_i(last), .playing_i(seq_busy), .begun_o(begun), .read_o(read),
    .shown_now_o(shown_now), .shown_o(shown));

  crl_stream_in #(.Ways(Ways), .Lanes(Lanes), .DataW(DataW), .Rows(Rows), .Pages(Pages), .PeerW(PeerW), .MapDepth(MapDepth),
                  .MapFile("in")) u_in (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(1'b0), .map_we_i(1'b0), .map_way_i({WayW{1'b0}}), .map_addr_i({MapA{1'b0}}), .map_data_i({InEntryW{1'b0}}),
    .valid_i(s_valid), .data_i(s_data), .ready_o(s_ready), .peer_o(s_peer), .ordered_i(ordered), .base_i({MapA{1'b0}}), .begun_i(begun), .there_o(there),
    .playing_i(playing), .row_i(row), .round_i(read), .own_data_o(own), .fault_o(late));

  // Own words are read in time r+1, leave and arrive, and are shown in time r+3, when the next row acts.
  always_ff @(posedge clk) begin
    sent <= own;
    seen <= sent;
  end

  for (genvar i = 0; i < Ways; i++) begin : gen_way
    localparam File = {"out", 8'(48 + i / 10), 8'(48 + i % 10), ".hex"};
    crl_stream_out #(.Lanes(Lanes), .DataW(DataW), .Rows(Rows), .Pages(Pages), .PeerW(PeerW), .MapDepth(MapDepth),
                     .MapFile(File)) u_out (
      .clk_i(clk), .rst_ni(rst_n), .map_we_i(1'b0), .map_addr_i({MapA{1'b0}}), .map_data_i({OutEntryW{1'b0}}), .show_valid_i({Lanes{active}}),
      .show_data_i(seen), .row_i(number), .page_i(shown[PageW-1:0]), .go_i(shown_now), .begun_i(begun), .bases_i({Pages*MapA{1'b0}}), .room_o(room[i]),
      .busy_o(leaving[i]), .valid_o(m_valid[i]), .data_o(m_data[i*DataW +: DataW]), .last_o(m_last[i]),
      .peer_o(m_peer[i*PeerW +: PeerW]), .ready_i(m_ready[i]));
  end

  // A source's word: its stream and number, with the peer that the map names. What must come out, a line each: data, peer,
  // last; a stream's lines are those of its number times Words on.
  logic [31:0] expected [0:Ways*Words-1];
  logic [31:0] peers [0:Ways*Words-1];
  logic [32*Ways-1:0] offered = '0, taken = '0;
  int wrong = 0, total = 0, stall, cycles = 0;
  integer state;
  initial begin
    $readmemh("expected.hex", expected);
    $readmemh("peers.hex", peers);
    if (!$value$plusargs("stall=%d", stall)) stall = 50;
    state = Seed;
    repeat (4) @(posedge clk);
    rst_n <= 1;
    start <= 1;
  end

  for (genvar i = 0; i < Ways; i++) begin : gen_word
    assign s_data[i*DataW +: DataW] = {2'(i), offered[32*i +: 14]};
  end

  always @(posedge clk) if (rst_n) begin
    cycles <= cycles + 1;
    for (int i = 0; i < Ways; i++) begin
      if (s_valid[i] && s_ready[i]) begin
        if (s_peer[i*PeerW +: PeerW] !== peers[i*Words + offered[32*i +: 32]][PeerW-1:0]) begin
          $display("stream %0d word %0d: destination %h instead of %h", i, offered[32*i +: 32], s_peer[i*PeerW +: PeerW], peers[i*Words + offered[32*i +: 32]]);
          wrong++;
        end
        offered[32*i +: 32] <= offered[32*i +: 32] + 1;
      end
      // What is offered stays.
      if (!s_valid[i] || s_ready[i]) s_valid[i] <= $unsigned($random(state)) % 100 >= stall;
      m_ready[i] <= $unsigned($random(state)) % 100 >= stall;
      if (m_valid[i] && m_ready[i]) begin
        if ({m_last[i], m_peer[i*PeerW +: PeerW], m_data[i*DataW +: DataW]} !== expected[i*Words + taken[32*i +: 32]][PeerW+DataW:0]) begin
          $display("stream %0d word %0d: %h %h %b instead of %h", i, taken[32*i +: 32], m_data[i*DataW +: DataW], m_peer[i*PeerW +: PeerW], m_last[i],
                   expected[i*Words + taken[32*i +: 32]]);
          wrong++;
        end
        taken[32*i +: 32] <= taken[32*i +: 32] + 1;
        total++;
      end
    end
    if (late !== 1'b0) begin
      $display("starved");
      wrong++;
    end
    if (wrong > 5) $fatal;
  end

  int wanted;
  initial begin
    if (!$value$plusargs("words=%d", wanted)) wanted = 100;
    wait (total >= wanted || cycles > 200 * Rounds * T);
    @(posedge clk);
    $display("%0d words in %0d cycles, %0d wrong", total, cycles, wrong);
    if (wrong != 0 || total < wanted) $fatal;
    $finish;
  end

endmodule
