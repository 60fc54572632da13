// SPDX-License-Identifier: Apache-2.0
//
// Plays a table whose rounds follow each other without a gap: the last row's words arrive while row 0 plays, which is row 0 of
// the next round or, if none follows, row 0 once more for its arrivals alone.
//
// Timing: with the edge that samples start_i = 1 called edge 0, row r of the first round is at row_o in time r+1. start_i is
// sampled where nothing plays and at the last row of a round: held high, row 0 of the next round follows the last row. Where the
// next round is played from another place of the table, a row of the last one's arrivals alone comes between. In a cycle in which en_i is
// 0 time stands still: all outputs stay, no round begins.

module crl_round_sequencer #(
  /// Bits of a row, bit 0 of which makes the number of ones even.
  parameter int RowW = 61,
  /// Rows of the table.
  parameter int TableDepth = 256,
  /// File for $readmemh with exactly as many rows as are in memory; empty: the table is loaded through its port, or a constant.
  parameter InitFile = "",
  /// 1: the table is Init, row 0 in its lowest bits, as of crl_ram.
  parameter int Inline = 0,
  parameter Init = 1'b0,
  /// 1: in memory a 1 stands above each row, in the file, too. A memory that nobody has loaded shows by that: fault_parity_o
  /// rises two cycles after reset.
  parameter int Marked = 0,
  /// 1: the table holds the rows of several kinds of rounds, each from a base on; 0: base_i counts as 0.
  parameter int Based = 0,
  /// With Based: the rows in memory, where equal ones are stored once and a list says which one each row of the table is. 0: the
  /// memory holds the table's rows in their order. InitFile and Init are those of the memory, which has no load port then.
  parameter int Stored = 0,
  /// As InitFile and Init, of the list: TableDepth numbers of rows in memory.
  parameter ListFile = "",
  parameter ListInit = 1'b0,
  /// Cycles of a row, which stands so long in each stage; its words are numbered.
  parameter int Beats = 1,
  localparam int BeatW = (Beats > 1) ? $clog2(Beats) : 1,
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            clear_i,            // clears sticky faults
  input  logic            en_i,               // 1 while in reset

  input  logic            start_i,
  input  logic [TA-1:0]   last_row_i,         // below TableDepth; holds from start_i on, while busy; with Based: as base_i
  input  logic [TA-1:0]   base_i,             // of the next round: holds from the cycle before start_i on until it begins
  output logic            begin_o,            // start_i begins a round at the next edge
  output logic            busy_o,

  input  logic            table_we_i,         // load port; only while not busy, and row 0 before the edge of start_i
  input  logic [TA-1:0]   table_addr_i,
  input  logic [RowW-1:0] table_data_i,

  output logic [TA-1:0]   addr_o,             // time r: the row at the table's address, counted from the round's first
  output logic [TA-1:0]   ahead_o,            // where playing_o is 1: the row that is addr_o in the next cycle; 0 behind the last one
  output logic            playing_o,          // time r: its departures will play
  output logic            last_o,             // time r: and it is the last one of the round, in its last cycle
  output logic [RowW-1:0] row_o,              // time r+1
  output logic            departs_o,          // time r+1: its departures play
  output logic            arrives_o,          // time r+1: its arrivals play
  output logic [TA-1:0]   row_number_o,       // time r+1: which row
  output logic            active_o,           // time r+2: one of them acts
  output logic [TA-1:0]   number_o,           // time r+2: which row
  output logic [BeatW-1:0] beat_o,            // time r: which of the row's cycles it is,
  output logic [BeatW-1:0] beat_ahead_o,      //   which one ahead_o's is,
  output logic [BeatW-1:0] row_beat_o,        //   time r+1,
  output logic [BeatW-1:0] number_beat_o,     //   and time r+2

  output logic            fault_parity_o,     // sticky
  output logic [TA-1:0]   fault_parity_row_o  // first row of bad parity; says nothing while fault_parity_o is 0
);

  // run: a round plays; played: one did in the row before, the last words of which arrive now if none plays, or if it is row 0.
  logic            run_q, played_q, fetched_q, departs_q, arrives_q, active_q;
  logic            at_last_q, last_row, run_d, next_last, same;
  logic [TA-1:0]   next_q, addr_q, fetched_row_q, row_q;
  logic [TA-1:0]   end_row, read_at;
  logic [RowW-1:0] read, read_q;
  logic            fault_parity, unloaded;

  if (TableDepth < 1) begin : gen_bad_size
    crl_error_table_depth_must_be_1_or_more u_error ();
  end
  if (Stored != 0 && Based == 0) begin : gen_bad_list
    crl_error_stored_rows_need_based u_error ();
  end

  // Rows in memory, and where it is read. A 1 stands above what it and the list return, where they are marked.
  localparam int MemDepth = (Stored != 0) ? Stored : TableDepth;
  localparam int PlaceW = (MemDepth > 1) ? $clog2(MemDepth) : 1;
  logic [PlaceW-1:0] place;
  logic place_mark;

  // The next row comes at the next edge.
  logic step, end_beat;

  if (Beats > 1) begin : gen_beats
    logic [BeatW-1:0] beat_q, row_beat_q, number_beat_q;

    assign end_beat = beat_q == BeatW'(Beats - 1);
    assign step     = en_i && (end_beat || !(run_q || played_q) || !rst_ni); // where nothing plays none must be waited for

    always_ff @(posedge clk_i) if (en_i) begin
      beat_q        <= step ? '0 : beat_q + 1'b1;
      row_beat_q    <= beat_q;
      number_beat_q <= row_beat_q;
    end

    assign beat_o        = beat_q;
    assign beat_ahead_o  = step ? '0 : beat_q + BeatW'(en_i);
    assign row_beat_o    = row_beat_q;
    assign number_beat_o = number_beat_q;
  end else begin : gen_one_beat
    assign end_beat = 1'b1;
    assign step     = en_i;
    assign {beat_o, beat_ahead_o, row_beat_o, number_beat_o} = '0;
  end

  assign last_row = run_q && at_last_q;
  assign begin_o  = start_i && step && (!run_q || (at_last_q && same));
  assign run_d    = begin_o || (run_q && !at_last_q);
  assign busy_o   = run_q || played_q || fetched_q || active_q;

  always_ff @(posedge clk_i) if (step) begin
    if (!rst_ni) begin
      run_q    <= 1'b0;
      played_q <= 1'b0;
    end else begin
      run_q    <= run_d;
      played_q <= run_q;
    end
  end

  always_ff @(posedge clk_i) if (en_i) begin
    if (!rst_ni) begin
      fetched_q <= 1'b0;
      departs_q <= 1'b0;
      arrives_q <= 1'b0;
      active_q  <= 1'b0;
    end else begin
      fetched_q <= run_q || played_q;
      departs_q <= run_q;
      arrives_q <= played_q;
      active_q  <= fetched_q;
    end
  end

  // The row rests at 0 while no round plays, so that neither start nor drain needs a cycle of its own. The table is read a row
  // ahead, behind the last one row 0, whatever follows, so that rows come out of registers: much hangs on them, and a memory's
  // output is late.
  assign next_last = next_q == end_row;

  if (Based != 0) begin : gen_based
    // Of the round that plays, and where the memory is read: while none plays, at the base of the next one.
    logic [TA-1:0] base_q, end_q, read_at_q, read_at_d;
    assign read_at_d = (!rst_ni || !run_d) ? base_i : next_last ? (run_q ? base_q : base_i) : read_at_q + 1'b1;

    always_ff @(posedge clk_i) if (step) begin
      if (begin_o) begin
        base_q <= base_i;
        end_q  <= last_row_i;
      end
      read_at_q <= read_at_d;
    end

    assign same    = base_i == base_q;
    assign end_row = run_q ? end_q : last_row_i;
    assign read_at = read_at_q;

    if (Stored != 0) begin : gen_list
      // Read as read_at_q is written, so that what it returns is the address that read_at_q would be: no step more.
      logic [PlaceW+Marked-1:0] listed;
      logic unused_port;
      assign unused_port = &{1'b0, read_at, table_we_i, table_addr_i, table_data_i};
      assign place      = listed[PlaceW-1:0];
      assign place_mark = (Marked != 0) ? listed[PlaceW+Marked-1] : 1'b1;

      crl_ram #(
        .Depth   (TableDepth),
        .DataW   (PlaceW + Marked),
        .InitFile(ListFile),
        .Inline  (Inline),
        .Init    (ListInit)
      ) u_list (
        .clk_i  (clk_i),
        .we_i   (1'b0),
        .waddr_i(TA'(0)),
        .wdata_i((PlaceW + Marked)'(0)),
        .re_i   (step),
        .raddr_i(read_at_d),
        .rdata_o(listed)
      );
    end else begin : gen_in_order
      assign place      = read_at;
      assign place_mark = 1'b1;
    end
  end else begin : gen_from_0
    logic unused_base;
    assign unused_base = &{1'b0, base_i};
    assign same    = 1'b1;
    assign end_row = last_row_i;
    assign read_at = next_q;
    assign place   = PlaceW'(read_at);
    assign place_mark = 1'b1;
  end

  always_ff @(posedge clk_i) if (step) begin
    if (!rst_ni || next_last) next_q <= '0;
    else next_q <= next_q + TA'(run_d);
    addr_q    <= rst_ni ? next_q : '0;
    at_last_q <= next_last;
  end

  always_ff @(posedge clk_i) if (en_i) begin
    if (!rst_ni) begin
      fetched_row_q <= '0;
      row_q         <= '0;
    end else begin
      fetched_row_q <= addr_q;
      row_q         <= fetched_row_q;
    end
    read_q <= read;
  end

  assign addr_o    = addr_q;
  assign ahead_o   = step ? next_q : addr_q;
  assign row_o     = read_q;
  assign playing_o = run_q;
  assign last_o    = last_row && end_beat;
  assign departs_o = departs_q;
  assign arrives_o = arrives_q;
  assign row_number_o = fetched_row_q;
  assign active_o  = active_q;
  assign number_o  = row_q;

  localparam int MemW = RowW + Marked;
  logic [MemW-1:0] word;
  assign read = word[RowW-1:0];

  crl_ram #(
    .Depth   (MemDepth),
    .DataW   (MemW),
    .InitFile(InitFile),
    .Inline  (Inline),
    .Init    (Init)
  ) u_table (
    .clk_i  (clk_i),
    .we_i   (Stored == 0 && table_we_i),
    .waddr_i(PlaceW'(table_addr_i)),
    .wdata_i(MemW'({1'b1, table_data_i})),
    .re_i   (step),
    .raddr_i(place),
    .rdata_o(word)
  );

  if (Marked != 0) begin : gen_marked
    // The row that rests at the memory's output behind reset is of the table, as are all after it. An undefined mark is none.
    logic reads_q, unloaded_q, marked;
    assign marked = word[MemW-1] === 1'b1 && place_mark === 1'b1;
    always_ff @(posedge clk_i) begin
      reads_q <= rst_ni && (reads_q || en_i);
      if (!rst_ni) unloaded_q <= 1'b0;
      else unloaded_q <= (unloaded_q && !clear_i) || (reads_q && !marked);
    end
    assign unloaded = unloaded_q;
  end else begin : gen_unmarked
    logic unused_mark;
    assign unused_mark = place_mark;
    assign unloaded = 1'b0;
  end

  assign fault_parity_o = fault_parity || unloaded;

  crl_parity #(
    .RowW(RowW),
    .TA  (TA)
  ) u_parity (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear_i),
    .en_i        (en_i),
    .row_i       (row_o),
    .active_i    (active_q),
    .row_number_i(row_q),
    .fault_o     (fault_parity),
    .fault_row_o (fault_parity_row_o)
  );

`ifdef FORMAL
  // The caller does not change the length of a round from its start on, or with Based tells that of the next one in time.
  logic          f_past_valid, f_busy_q, f_first_q;
  logic [TA-1:0] f_last_row_q, f_base_q, f_base_now_q;
  logic          f_drains; // row 0 plays for its arrivals alone
  assign f_drains = played_q && !run_q;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    f_busy_q     <= busy_o || begin_o;
    f_last_row_q <= last_row_i;
    if (en_i) f_first_q <= rst_ni && begin_o;
    if (en_i) f_base_q <= base_i;
    if (begin_o) f_base_now_q <= base_i;
  end

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    if (!rst_ni) assume (en_i);
    assume (32'(last_row_i) < TableDepth);
    assume (!table_we_i || 32'(table_addr_i) < TableDepth);
    if (Based == 0 && f_past_valid && (busy_o || begin_o) && f_busy_q) assume (last_row_i == f_last_row_q);
    if (Based != 0) begin
      assume (32'(base_i) + 32'(last_row_i) < TableDepth);
`ifdef FORMAL_TOP_crl_round_sequencer
      if (begin_o && !run_q) assume (f_past_valid && base_i == f_base_q);
`else
      // Proved where it is used: crl_stream_rounds_order.
      if (f_past_valid && rst_ni && begin_o && !run_q) a_base_holds: assert (base_i == f_base_q);
`endif
      if (begin_o && run_q && same) assume (last_row_i == end_row); // one base, one length
    end
    if (busy_o) assume (!table_we_i);
  end

  // The row of the next cycle, as it was told.
  always_ff @(posedge clk_i) if (f_past_valid && $past(rst_ni && playing_o) && playing_o) a_told_ahead: assert (addr_o == $past(ahead_o));

  always_comb if (f_past_valid) begin
    a_row_range: assert (run_q ? addr_q <= end_row : addr_q == '0);
    a_last_row: assert (!run_q || at_last_q == (addr_q == end_row));
    // With Based: the memory is read at the base, and as far behind it as the row is in its round.
    if (Based != 0 && run_q) a_from_base: assert (read_at == f_base_now_q + next_q);
    if (Based != 0 && begin_o) a_at_base: assert (read_at == base_i);
    // However long a row stands.
    if (Based != 0 && !run_q) a_rests_at_base: assert (read_at == f_base_q);
    if (Based != 0 && run_q) a_ends_in_table: assert (32'(f_base_now_q) + 32'(end_row) < TableDepth);
    if (Based != 0) a_in_table: assert (32'(read_at) < TableDepth);
    a_ahead: assert (next_q == ((run_q && !at_last_q) ? addr_q + 1'b1 : '0));
    a_one_state: assert ((!f_first_q || run_q) && (!run_q || played_q || f_first_q));
    a_first_is_0: assert (!run_q || f_first_q == (addr_q == '0));
    // From a round's first cycle to the one in which its last row acts.
    a_busy: assert (busy_o == (run_q || f_drains || fetched_q || active_q));
    a_fetched: assert (fetched_q == (departs_q || arrives_q));
  end

  if (Based != 0) begin : gen_f_based
    always_comb if (f_past_valid && run_q) a_base: assert (gen_based.base_q == f_base_now_q);
  end

  if (Stored != 0 && Inline != 0) begin : gen_f_listed
    // Each row that plays is the one that the list names for it.
    localparam logic [TableDepth*PlaceW-1:0] List = (TableDepth * PlaceW)'(ListInit);
    localparam logic [Stored*MemW-1:0] Rows = (Stored * MemW)'(Init);
    logic [PlaceW-1:0] f_place;
    logic [RowW-1:0]   f_row, f_row_q;
    assign f_place = List[(32'(f_base_now_q) + 32'(addr_q))*PlaceW +: PlaceW];
    assign f_row   = Rows[32'(f_place)*MemW +: RowW];
    always_ff @(posedge clk_i) if (en_i) f_row_q <= f_row;
    always_comb if (f_past_valid) begin
      a_place: assert (place == List[32'(read_at)*PlaceW +: PlaceW]);
      if (run_q || f_drains) a_listed_ahead: assert (read == f_row);
      if (fetched_q) a_listed: assert (row_o == f_row_q);
    end
  end

  // A row's parity is judged in the cycle in which it acts, and kept with its number. However long a row stands, its parity is known.
  (* hierconn *) logic [(RowW+15)/16-1:0] \u_parity.odd_q ;
  logic f_odd, f_past2_valid;
  initial f_past2_valid = 1'b0;
  always_comb if (f_past_valid) a_odd: assert (f_odd == ^\u_parity.odd_q );
  always_ff @(posedge clk_i) begin
    if (en_i) f_odd <= ^row_o;
    f_past2_valid <= f_past_valid;
    if (f_past_valid && !$past(rst_ni)) a_parity_reset: assert (!fault_parity_o && fault_parity_row_o == '0);
    if (f_past2_valid && $past(rst_ni)) begin
      a_parity: assert (fault_parity == $past((fault_parity && !clear_i) || (active_q && f_odd)));
      if (!$past(fault_parity && !clear_i)) a_parity_row: assert (fault_parity_row_o == $past(row_q));
    end
  end

  // A row without its mark shows, the first one two cycles behind reset.
  logic f_reads_q;
  always_ff @(posedge clk_i) begin
    f_reads_q <= rst_ni && (f_reads_q || en_i);
    if (f_past_valid && !$past(rst_ni)) a_loaded_reset: assert (!unloaded);
    else if (f_past_valid)
      a_loaded: assert (unloaded == (Marked != 0 && $past((unloaded && !clear_i) || (f_reads_q && !(word[MemW-1] && place_mark)))));
  end

  if (Marked != 0) begin : gen_f_marked
    always_comb if (f_past_valid) begin
      a_reads: assert (gen_marked.reads_q == f_reads_q);
      c_unloaded: cover (unloaded && !busy_o);
    end
  end

  // Each round's last row is followed by row 0 with its arrivals, and nothing else brings row 0 arrivals.
  always_ff @(posedge clk_i) if (f_past_valid) begin
    if ($past(rst_ni && !en_i)) begin
      a_stands: assert ({busy_o, addr_o, playing_o, last_o, row_o, departs_o, arrives_o, active_o, number_o, read_at}
          == $past({busy_o, addr_o, playing_o, last_o, row_o, departs_o, arrives_o, active_o, number_o, read_at}) && !$past(begin_o));
    end else if ($past(rst_ni)) begin
      a_last_arrives: assert (!$past(last_row) || (f_drains || (f_first_q && played_q)));
      a_only_then: assert ($past(last_row) || !(f_drains || (f_first_q && played_q)));
      a_next_row: assert (!$past(run_q && !last_row) || (run_q && addr_q == $past(addr_q) + 1'b1));
      a_begin: assert (!$past(begin_o) || (run_q && addr_q == '0));
      a_begins_only: assert (!run_q || addr_q != '0 || $past(begin_o));
      a_stages: assert (departs_q == $past(run_q) && row_q == $past(fetched_row_q));
      // Row 0 has arrivals only behind a last row, every other row always.
      a_arrivals: assert (arrives_q == $past(f_drains || (run_q && addr_q != '0) || (f_first_q && played_q)));
      a_fresh: assert ((f_first_q && !played_q) == $past(begin_o && !run_q));
    end else begin
      a_reset: assert (!busy_o && addr_q == '0);
    end
    c_stands: cover (rst_ni && !en_i && playing_o && addr_o == TA'(1));
    c_second_round: cover (f_first_q && played_q && arrives_q && last_row_i == TA'(2));
    c_other: cover (Based == 0 || (f_drains && begin_o && base_i != f_base_now_q));
    c_drained: cover (!busy_o && $past(arrives_q, 2) && last_row_i == TA'(2));
  end
`endif

endmodule
