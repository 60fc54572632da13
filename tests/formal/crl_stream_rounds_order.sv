// SPDX-License-Identifier: Apache-2.0
//
// crl_stream_rounds with the sequencer that it starts: what adapters take for granted. A round begins when all is there, is read
// after it has begun, and shown after it has been read, row by row; none is left out or counted twice.

module crl_stream_rounds_order #(
  parameter int Pages = 2,
  parameter int Ops = 1,
  localparam int TableDepth = 3,
  localparam int TA = $clog2(TableDepth),
  localparam int RowA = $clog2(TableDepth),
  localparam int OpW = (Ops > 1) ? $clog2(Ops) : 1,
  localparam int RoundW = $clog2(Pages) + 1
) (
  input logic          clk_i,
  input logic          rst_ni,
  input logic          en_i,
  input logic          start_i,
  input logic          there_i,
  input logic          room_i,
  input logic          leaving_i,
  input logic [TA-1:0] last_row_i,
  input logic [OpW-1:0] op_i,       // of several kinds each has its base, and plays from there to the table's end
  input logic          table_we_i,
  input logic [TA-1:0] table_addr_i
);

  logic              busy, start, begins, last, playing, plays, departs, arrives, active, parity;
  logic [RoundW-1:0] begun, read, round;
  logic [TA-1:0]     row, ahead, row_number, number, parity_row;
  logic [RowA-1:0]   shown_row;
  logic [RoundW+RowA-1:0] left;
  logic [1:0]        table_row;
  logic              order_ready;
  logic [OpW-1:0]    op;
  logic [Pages*OpW-1:0] page_ops;
  logic [RoundW-1:0] ordered;

  crl_stream_rounds #(.Pages(Pages), .Ops(Ops), .RowA(RowA)) u_rounds (
    .clk_i(clk_i), .rst_ni(rst_ni), .en_i(en_i), .start_i(start_i), .op_i(op_i), .order_ready_o(order_ready), .op_o(op), .page_ops_o(page_ops), .ordered_o(ordered), .busy_o(busy), .there_i(there_i), .room_i(room_i), .leaving_i(leaving_i),
    .start_o(start), .begin_i(begins), .last_i(last), .arrives_i(arrives), .behind_i(row_number == '0), .beat_i(1'b0), .playing_i(playing), .begun_o(begun), .read_o(read), .row_o(shown_row),
    .round_o(round), .left_o(left));

  crl_round_sequencer #(.RowW(2), .TableDepth(TableDepth), .Based((Ops > 1) ? 1 : 0)) u_sequencer (
    .clk_i(clk_i), .rst_ni(rst_ni), .clear_i(1'b0), .en_i(en_i), .start_i(start), .last_row_i((Ops > 1) ? TA'(TableDepth - 1) - TA'(op) : last_row_i), .base_i((Ops > 1) ? TA'(op) : '0), .begin_o(begins), .busy_o(playing),
    .table_we_i(table_we_i), .table_addr_i(table_addr_i), .table_data_i(2'b0), .addr_o(row), .ahead_o(ahead), .playing_o(plays), .last_o(last), .row_o(table_row),
    .departs_o(departs), .arrives_o(arrives), .row_number_o(row_number), .active_o(active), .number_o(number), .fault_parity_o(parity),
    .fault_parity_row_o(parity_row));

  (* hierconn *) logic [TA-1:0] \u_sequencer.read_at ;
  (* hierconn *) logic \u_sequencer.played_q ;

  // As rows go through the stages: a round's last row, and the row behind it.
  logic              f_past_valid, f_may_q;
  logic [2:0]        f_last_q;
  logic              f_arrives_q;
  logic [RoundW-1:0] f_begun_q, f_read_q, f_ordered_q;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    f_may_q      <= rst_ni && there_i && room_i && (start_i || busy);
    f_begun_q    <= rst_ni ? begun : '0;
    f_ordered_q  <= rst_ni ? ordered : '0;
    f_read_q     <= rst_ni ? read : '0;
    if (!rst_ni) {f_last_q, f_arrives_q} <= '0;
    else if (en_i) {f_last_q, f_arrives_q} <= {f_last_q[1:0], last, arrives};
  end

  // Nothing is late behind the last row, so all stands still only while a round plays.
  always_comb if (!rst_ni || !plays) assume (en_i);

  // Of crl_stream_in, proved there.
  always_comb if (Ops > 1 && ordered != f_ordered_q) assume (!there_i);

  always_comb if (f_past_valid) begin
    a_begins: assert (begun == f_begun_q || (f_may_q && begun == f_begun_q + 1'b1));
    a_read: assert (read == f_read_q || (f_read_q != f_begun_q && read == f_read_q + 1'b1));
    a_one_plays: assert (begun - read == RoundW'(plays));
    // What the order says is what plays: the sequencer has read the table at its base.
    a_base: assert (Ops == 1 || !begins || \u_sequencer.read_at  == TA'(op));
    // The words of a round's last row are shown when row 0 behind it acts, which brings no others.
    if (f_last_q[2]) a_arrived: assert (active && number == '0);
    a_arrival: assert (f_arrives_q == (f_last_q[2] || number != '0) && (!f_arrives_q || active));
    // However long rows stand: each stage has the row behind that of the next one, and row 0 behind a last one.
    a_fetched: assert (f_last_q[1] ? row_number == '0 : (number != '0) ? 32'(row_number) == 32'(number) + 1 : row_number <= TA'(1));
    a_addressed: assert (f_last_q[0] ? row == '0 : (row_number != '0) ? 32'(row) == 32'(row_number) + 1 : row <= TA'(1));
    a_row_0_behind: assert (f_last_q[0] == (\u_sequencer.played_q  && row == '0));
    a_row_0_fetched: assert (f_last_q[1] == (arrives && row_number == '0));
    a_inner: assert (arrives == (f_last_q[1] || row_number != '0));
    if (row != '0) a_played: assert (plays && \u_sequencer.played_q );
    // Words are shown for the row before, and behind a round's last ones that row and that round stay.
    a_round: assert (read - round == RoundW'(f_last_q[0]) + RoundW'(f_last_q[1]) + ((shown_row == '1) ? RoundW'(1) : RoundW'(0)));
    a_row: assert (shown_row == ((number == '0) ? '1 : RowA'(number - 1'b1)));
    a_left: assert (left == ~{round, shown_row});
    c_gapless: cover (f_last_q[2] && plays && last_row_i == TA'(2));
    c_done: cover (!busy && round == RoundW'(1));
  end

endmodule
