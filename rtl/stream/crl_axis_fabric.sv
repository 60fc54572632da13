// SPDX-License-Identifier: Apache-2.0
//
// Stream routers wired to each other as a list of neighbours says, with AXI4-Streams: crl_stream_fabric with adapters.
//
// Timing: start_i where busy_o is 0 arms a round, and busy_o stays until its last word has left; held, rounds follow. A round
// begins when none of its words can be late if streams do not stall, and there is room for what comes of it. A word that is
// taken at an edge can leave its router in the fifth cycle after it, and one that is shown is given two edges later. Where a stream stalls
// so long that a word is not there when its row comes, all nodes wait. With several kinds of rounds
// start_i and op_i order one wherever order_ready_o is 1, and adapters take its words from then on. held_o follows hold_i when
// the rounds that had begun have ended.

`include "crl_networks.svh"

module crl_axis_fabric #(
  /// Nodes of the network.
  parameter int Nodes = 16,
  `include "crl_router_form.svh"
  /// 16 bits a link, as of crl_links: the neighbour behind direction p of node v at 16 * (v * Ports + p), all ones for none.
  /// The default is the 4-cube.
  parameter Neighbours = `CRL_CUBE_4,
  /// 16 bits a link, as of crl_link_pipes, in the order of Neighbours: rows that a word takes to node v by port p.
  parameter Latencies = {(Nodes * Ports){16'h0001}},
  /// 1: one sequencer for all routers; 0: one each.
  parameter int SharedTable = 1,
  /// 1: lanes have banks; 0, without Delay: no word waits.
  parameter int Store = 1,
  /// 1: reset writes the zero that a stream's word finds in word 0 of its bank, in one cycle; 0: it is there at power-up.
  parameter int ResetBanks = 0,
  /// Tables, as of crl_stream_fabric: from files, or constants; neither: they are loaded through their port.
  parameter InitFile = "",
  parameter int Inline = 0,
  parameter TableInit = 1'b0,
  /// With several kinds of rounds: equal rows are stored once, as of crl_stream_fabric.
  parameter int Stored = 0,
  parameter ListInit = 1'b0,
  /// Streams of a node, each way.
  parameter int Ways = 1,
  /// Of each stream, Lanes bits for that of node v and number j from Lanes * (v * Ways + j) on: the lanes that its own words go to, and
  /// those that show words for it. A stream without lanes is not there, nor are memories that none needs.
  parameter InUses = {(Nodes * Ways * Lanes){1'b1}},
  parameter OutUses = {(Nodes * Ways * Lanes){1'b1}},
  /// Pages of the adapters, a power of two: rounds that are under way.
  parameter int Pages = 2,
  /// Entries of a map's memory: one more than the longest round has.
  parameter int MapDepth = 2 * TableDepth,
  /// The maps of node v's stream j are in the files of this name with in or out, five digits of v, two of j and .hex behind
  /// it, each of exactly MapDepth entries for $readmemh with a 1 above each; empty: they are loaded through their port, or
  /// constants.
  parameter MapFile = "",
  /// With Inline: those of inputs and those of outputs, the first entry of node 0's stream 0 in the lowest bits.
  parameter InMapInit = 1'b0,
  parameter OutMapInit = 1'b0,
  /// 0: by their maps no round begins before all its words are there, so nodes never wait.
  parameter int Waits = 1,
  /// Registers between the sequencers and each node, and as many between the adapters and what begins rounds: a round begins so many
  /// cycles later, and so does all that comes of it. With Waits no round begins before the words of its first 2 RowStages + 1 rows are
  /// there.
  parameter int RowStages = 0,
  /// Kinds of rounds that the tables and maps hold.
  parameter int Ops = 1,
  /// Rows of a page: those of the longest round.
  parameter int Rows = TableDepth,
  /// Words of a packet, as of crl_stream_fabric.
  parameter int Words = 1,
  /// With packets of several words, a bit a stream, as of crl_stream_in.
  parameter logic [Nodes*Ways-1:0] Keeps = '0,
  /// Bits of what tdest and tid name: nodes, or demands.
  parameter int PeerW = (Nodes > 1) ? $clog2(Nodes) : 1,
  /// Bits of a node's number.
  localparam int NodeW = (Nodes > 1) ? $clog2(Nodes) : 1,
  /// Own words come from streams.
  localparam int Streams = 1,
  `include "crl_row.svh"
  `include "crl_stream_entry.svh"
  /// Bits of a map entry on the load port.
  localparam int EntryW = (InEntryW > OutEntryW) ? InEntryW : OutEntryW,
  /// Bits that name an entry of a map, and a stream.
  localparam int MapA = (MapDepth > 1) ? $clog2(MapDepth) : 1,
  localparam int WayW = (Ways > 1) ? $clog2(Ways) : 1,
  /// Sequencers.
  localparam int Tables = (SharedTable != 0) ? 1 : Nodes,
  /// Bits that name a sequencer.
  localparam int TableW = (Tables > 1) ? $clog2(Tables) : 1,
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  /// Bits that name a kind of rounds.
  localparam int OpW = (Ops > 1) ? $clog2(Ops) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,           // clears sticky faults

  input  logic                   start_i,
  input  logic [OpW-1:0]         op_i,              // kind of the round that start_i orders
  output logic                   order_ready_o,
  output logic                   busy_o,

  // Of each kind of rounds; these hold while busy.
  input  logic [Ops*TA-1:0]      last_row_i,
  input  logic [Ops*TA-1:0]      base_i,            // where its rows begin in the tables; 0 if there is one kind
  input  logic [Ops*MapA-1:0]    map_base_i,        // where its entries begin in the maps; 0 if there is one kind

  input  logic                   hold_i,            // no round begins, nor is one ordered, until it falls
  output logic                   held_o,            // nothing plays or leaves any more, adapters are in reset
  input  logic                   table_we_i,        // load port; only while held
  input  logic [TableW-1:0]      table_sel_i,       // whose table, where each has one
  input  logic [TA-1:0]          table_addr_i,
  input  logic [RowW-1:0]        table_data_i,
  input  logic                   map_we_i,          // load port; only while held
  input  logic                   map_out_i,         // of words that leave
  input  logic [NodeW-1:0]       map_node_i,
  input  logic [WayW-1:0]        map_way_i,
  input  logic [MapA-1:0]        map_addr_i,
  input  logic [EntryW-1:0]      map_data_i,

  input  logic [Nodes*Ways*DataW-1:0] s_axis_tdata_i, // node v, stream j at v * Ways + j
  input  logic [Nodes*Ways-1:0]  s_axis_tvalid_i,
  output logic [Nodes*Ways-1:0]  s_axis_tready_o,
  output logic [Nodes*Ways*PeerW-1:0] s_axis_tdest_o, // destination of the word that is waited for

  output logic [Nodes*Ways*DataW-1:0] m_axis_tdata_o,
  output logic [Nodes*Ways-1:0]  m_axis_tvalid_o,
  input  logic [Nodes*Ways-1:0]  m_axis_tready_i,
  output logic [Nodes*Ways-1:0]  m_axis_tlast_o,
  output logic [Nodes*Ways*PeerW-1:0] m_axis_tid_o,   // origin of the word

  output logic [Nodes*4-1:0]     fault_o,           // sticky, of each node, as of crl_stream_fabric
  output logic [Tables-1:0]      fault_parity_o,
  output logic [Nodes-1:0]       fault_map_o        // sticky, with MapFile: a map of the node is not loaded
);

  localparam int RoundW = $clog2(Pages) + 1;
  localparam int Based = (Ops > 1) ? 1 : 0;
  // Cycles from what begins rounds to the adapters and back.
  localparam int Way = 2 * RowStages;

  logic                         rst_adapters_n, held_q, may_begin, order_ready;
  logic                         start, begins, playing, acting, last, en;
  logic                         arrives;
  logic [TA+BeatW-1:0]          row, ahead, arrival; // above the numbers of their cycles
  logic [TA-1:0]                arrival_row;
  logic [BeatV-1:0]             arrival_beat;
  logic [AtW-1:0]               shown_row;
  logic [RoundW+AtW-1:0]        left;
  logic [RoundW-1:0]            ordered, begun, read, shown;
  logic [OpW-1:0]               op;
  logic [Pages*OpW-1:0]         page_ops;
  logic [Pages*MapA-1:0]        page_bases;
  logic                         all_there, all_room, none_leaves, on_time, under_way;
  logic [Nodes-1:0]             there, late;
  logic [Nodes*Ways-1:0]        room, leaving;
  logic [Nodes*Lanes-1:0]       own_ready, show_valid;
  logic [Nodes*Lanes*DataW-1:0] own_data, show_data;
  logic [Nodes*Ports-1:0]       fault_ports;
  logic [Nodes*TA-1:0]          fault_row;
  logic [Tables*TA-1:0]         fault_parity_row;

  // Rounds that are ordered and words that were taken for them are dropped: nobody knows whether they will be wanted.
  always_ff @(posedge clk_i) held_q <= rst_ni && hold_i && !under_way && none_leaves;

  assign held_o         = held_q;
  assign rst_adapters_n = rst_ni && !held_q;
  assign may_begin      = !hold_i && !held_q;
  assign order_ready_o  = order_ready && may_begin;

  // Adapters know which words are read; where a fault was is not told here.
  logic unused_fabric;
  assign unused_fabric = &{1'b0, own_ready, fault_ports, fault_row, fault_parity_row, map_data_i, row, ahead, show_valid, show_data};

  // One for all, so that words which are under way stay where they are expected.
  if (Waits != 0) begin : gen_waits
    logic en_q;
    always_ff @(posedge clk_i) en_q <= !rst_ni || on_time;
    assign en = en_q;
  end else begin : gen_never_waits
    logic unused_late;
    assign unused_late = &{1'b0, on_time};
    assign en = 1'b1;
  end

  // What adapters say, as it comes back from them.
  crl_all #(
    .Inputs(Nodes),
    .Stages(RowStages)
  ) u_there (
    .clk_i (clk_i),
    .rst_ni(rst_adapters_n),
    .in_i  (there),
    .all_o (all_there)
  );

  crl_all #(
    .Inputs(Nodes * Ways),
    .Stages(RowStages)
  ) u_room (
    .clk_i (clk_i),
    .rst_ni(rst_adapters_n),
    .in_i  (room),
    .all_o (all_room)
  );

  // While a round plays its last words are on their way to the adapters, and back is what they say of these.
  crl_all #(
    .Inputs(Nodes * Ways),
    .Stages(RowStages)
  ) u_leaving (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .in_i  (~leaving),
    .all_o (none_leaves)
  );

  crl_all #(
    .Inputs(Nodes),
    .Stages(RowStages)
  ) u_on_time (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .in_i  (~late),
    .all_o (on_time)
  );

  crl_linger #(
    .Stages(RowStages)
  ) u_under_way (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .en_i  (1'b1),
    .d_i   (acting),
    .q_o   (under_way)
  );

  // A row as adapters have it, above the number of its cycle.
  function automatic logic [AtW-1:0] with_beat(input logic [TA-1:0] of_row, input logic [BeatV-1:0] of_beat);
    with_beat = (BeatW > 0) ? AtW'({of_row, of_beat}) : AtW'(of_row);
  endfunction

  // The row whose words must be there now, so that those of the row after the next Way ones are: the last one, where there is none.
  logic [AtW-1:0] asked;
  if (RowStages > 0) begin : gen_asked
    localparam int Rest = (Way + 1) % Words;
    logic [TA-1:0]    end_q;
    logic [TA:0]      beyond_q; // as if no row were held: then it is the same in the next cycle
    logic [BeatV-1:0] beat_q;
    logic [BeatV-1:0] beat_ahead;
    logic             wraps;
    assign beat_ahead = (BeatW > 0) ? ahead[BeatV-1:0] : '0;
    assign wraps = 32'(beat_ahead) + Rest >= Words;
    always_ff @(posedge clk_i) begin
      if (begins) end_q <= last_row_i[32'(op)*TA +: TA];
      beyond_q <= {1'b0, ahead[BeatW +: TA]} + (TA+1)'((Way + 1) / Words) + (TA+1)'(wraps);
      beat_q   <= BeatV'(32'(beat_ahead) + Rest - (wraps ? Words : 0));
    end
    assign asked = (last || beyond_q > {1'b0, end_q}) ? with_beat(end_q, BeatV'(Words - 1)) : with_beat(beyond_q[TA-1:0], beat_q);
  end else begin : gen_asked_next
    assign asked = ahead[AtW-1:0];
  end

  logic unused_asked;
  assign unused_asked = &{1'b0, asked, shown};

  assign arrival_row  = arrival[BeatW +: TA];
  assign arrival_beat = (BeatW > 0) ? arrival[BeatV-1:0] : '0;

  // What all adapters are told, as it reaches those of each node.
  localparam int BasedW = (Based != 0) ? RoundW + MapA + Pages * MapA : 1;
  localparam int ToldW = 1 + 4 * AtW + 4 * RoundW + BasedW;
  logic [Nodes*ToldW-1:0] told;
  logic [BasedW-1:0]      told_based;
  if (Based != 0) begin : gen_told_based
    assign told_based = {ordered, map_base_i[32'(op)*MapA +: MapA], page_bases};
  end else begin : gen_told_plain
    logic unused_based;
    assign unused_based = &{1'b0, ordered, page_bases, map_base_i};
    assign told_based = 1'b0;
  end

  crl_stages #(
    .Width (ToldW),
    .Leaves(Nodes),
    .Stages(RowStages)
  ) u_told (
    .clk_i (clk_i),
    .rst_ni(rst_adapters_n),
    .d_i   ({!en, playing, row[AtW-1:0], asked, shown_row, read, shown[RoundW-2:0], left, begun, told_based}),
    .q_o   (told)
  );

  crl_stream_rounds #(
    .Pages(Pages),
    .Ops  (Ops),
    .RowA (RowA),
    .Words(Words),
    .Stale(Way)
  ) u_rounds (
    .clk_i      (clk_i),
    .rst_ni     (rst_adapters_n),
    .en_i       (en),
    .start_i    (start_i && may_begin),
    .op_i       (op_i),
    .order_ready_o(order_ready),
    .busy_o     (busy_o),
    .there_i    (all_there),
    .room_i     (all_room),
    .leaving_i  (!none_leaves),
    .start_o    (start),
    .begin_i    (begins),
    .last_i     (last),
    .arrives_i  (arrives),
    .behind_i   (arrival_row == {TA{1'b0}}), // yosys reads a module anew, under another name, for a '0 here
    .beat_i     (arrival_beat),
    .playing_i  (under_way),
    .op_o       (op),
    .page_ops_o (page_ops),
    .ordered_o  (ordered),
    .begun_o    (begun),
    .read_o     (read),
    .round_o    (shown),
    .row_o      (shown_row),
    .left_o     (left)
  );

  for (genvar i = 0; i < Pages; i++) begin : gen_page
    assign page_bases[i*MapA +: MapA] = map_base_i[32'(page_ops[i*OpW +: OpW])*MapA +: MapA];
  end

  crl_stream_fabric #(
    .Nodes      (Nodes),
    .Ports      (Ports),
    .Neighbours (Neighbours),
    .Latencies  (Latencies),
    .SharedTable(SharedTable),
    .Lanes      (Lanes),
    .Banks      (Banks),
    .WriteXbar  (WriteXbar),
    .Delay      (Delay),
    .WaddrField (WaddrField),
    .Store      (Store),
    .ResetBanks (ResetBanks),
    .Combine    (Combine),
    .Staged     (Staged),
    .Single     (Single),
    .Aligned    (Aligned),
    .DataW      (DataW),
    .AddrW      (AddrW),
    .TableDepth (TableDepth),
    .InitFile   (InitFile),
    .Inline     (Inline),
    .TableInit  (TableInit),
    .Stored     (Stored),
    .ListInit   (ListInit),
    .Based      (Based),
    .RowStages  (RowStages),
    .Words      (Words)
  ) u_fabric (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .clear_i           (clear_i),
    .en_i              (en),
    .start_i           (start && may_begin),
    .last_row_i        (last_row_i[32'(op)*TA +: TA]),
    .base_i            (base_i[32'(op)*TA +: TA]),
    .begin_o           (begins),
    .busy_o            (acting),
    .playing_o         (playing),
    .row_o             (row),
    .ahead_o           (ahead),
    .last_o            (last),
    .arrives_o         (arrives),
    .arrival_o         (arrival),
    .table_we_i        (table_we_i),
    .table_sel_i       (table_sel_i),
    .table_addr_i      (table_addr_i),
    .table_data_i      (table_data_i),
    .own_valid_i       ({Nodes*Lanes{1'b1}}),
    .own_data_i        (own_data),
    .own_ready_o       (own_ready),
    .show_valid_o      (show_valid),
    .show_data_o       (show_data),
    .fault_o           (fault_o),
    .fault_ports_o     (fault_ports),
    .fault_row_o       (fault_row),
    .fault_parity_o    (fault_parity_o),
    .fault_parity_row_o(fault_parity_row)
  );

  localparam int InMapW = MapDepth * InEntryW, OutMapW = MapDepth * OutEntryW;
  localparam logic [Nodes*Ways*InMapW-1:0] InMaps = (Nodes * Ways * InMapW)'(InMapInit);
  localparam logic [Nodes*Ways*OutMapW-1:0] OutMaps = (Nodes * Ways * OutMapW)'(OutMapInit);

  if (Inline != 0 && ($bits(InMapInit) != Nodes * Ways * InMapW || $bits(OutMapInit) != Nodes * Ways * OutMapW)) begin : gen_bad_maps
    crl_error_map_init_must_have_all_entries u_error ();
  end

  localparam int UseW = Ways * Lanes;
  localparam logic [Nodes*UseW-1:0] InUsed = (Nodes * UseW)'(InUses);
  localparam logic [Nodes*UseW-1:0] OutUsed = (Nodes * UseW)'(OutUses);

  if ($bits(InUses) != Nodes * UseW || $bits(OutUses) != Nodes * UseW) begin : gen_bad_uses
    crl_error_uses_must_have_a_bit_for_each_lane_of_each_stream u_error ();
  end

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    localparam Digits = {8'(48 + v / 10000 % 10), 8'(48 + v / 1000 % 10), 8'(48 + v / 100 % 10), 8'(48 + v / 10 % 10), 8'(48 + v % 10)};
    localparam InFile = (MapFile != "") ? {MapFile, "in", Digits} : "";
    logic            load;
    logic [Ways-1:0] in_unloaded, out_unloaded;
    assign load = map_we_i && map_node_i == NodeW'(v);

    logic                  stands, plays, late_here;
    logic [AtW-1:0]        row_here, asked_here, shown_row_here;
    logic [RoundW-1:0]     read_here, begun_here, ordered_here;
    logic [RoundW-2:0]     page_here;
    logic [RoundW+AtW-1:0] left_here;
    logic [BasedW-1:0]     based_here;
    logic [MapA-1:0]       base_here;
    logic [Pages*MapA-1:0] bases_here;
    assign {stands, plays, row_here, asked_here, shown_row_here, read_here, page_here, left_here, begun_here, based_here} = told[v*ToldW +: ToldW];
    if (Based != 0) begin : gen_based
      assign {ordered_here, base_here, bases_here} = based_here;
    end else begin : gen_plain
      logic unused_based;
      assign unused_based = &{1'b0, based_here};
      assign {ordered_here, base_here, bases_here} = '0;
    end
    assign late[v] = plays && late_here;

    crl_stream_in #(
      .Ways    (Ways),
      .Lanes   (Lanes),
      .DataW   (DataW),
      .Rows    (Rows),
      .Pages   (Pages),
      .PeerW   (PeerW),
      .MapDepth(MapDepth),
      .MapFile (InFile),
      .Inline  (Inline),
      .MapInit (InMaps[v*Ways*InMapW +: Ways*InMapW]),
      .Marked  ((MapFile != "") ? 1 : 0),
      .Based   (Based),
      .Early   ((RowStages > 0) ? 1 : 0),
      .Words   (Words),
      .Keeps   (Keeps[v*Ways +: Ways]),
      .Uses    (InUsed[v*UseW +: UseW])
    ) u_in (
      .clk_i     (clk_i),
      .rst_ni    (rst_adapters_n),
      .map_we_i  (load && !map_out_i),
      .map_way_i (map_way_i),
      .map_addr_i(map_addr_i),
      .map_data_i(map_data_i[InEntryW-1:0]),
      .unloaded_o(in_unloaded),
      .valid_i   (s_axis_tvalid_i[v*Ways +: Ways]),
      .data_i    (s_axis_tdata_i[v*Ways*DataW +: Ways*DataW]),
      .ready_o   (s_axis_tready_o[v*Ways +: Ways]),
      .peer_o    (s_axis_tdest_o[v*Ways*PeerW +: Ways*PeerW]),
      .ordered_i (ordered_here),
      .base_i    (base_here),
      .begun_i   (begun_here),
      .there_o   (there[v]),
      .en_i      (!stands),
      .row_i     (row_here),
      .round_i   (read_here),
      .own_data_o(own_data[v*Lanes*DataW +: Lanes*DataW]),
      .ahead_i   (asked_here),
      .late_o    (late_here)
    );

    if (MapFile != "") begin : gen_fault_map
      logic fault_q;
      always_ff @(posedge clk_i) fault_q <= rst_adapters_n && ((fault_q && !clear_i) || |in_unloaded || |out_unloaded);
      assign fault_map_o[v] = fault_q;
    end else begin : gen_no_fault_map
      logic unused_unloaded;
      assign unused_unloaded = &{1'b0, in_unloaded, out_unloaded};
      assign fault_map_o[v] = 1'b0;
    end

    for (genvar j = 0; j < Ways; j++) begin : gen_way
      localparam int At = v * Ways + j;
      localparam OutFile = (MapFile != "") ? {MapFile, "out", Digits, 8'(48 + j / 10), 8'(48 + j % 10), ".hex"} : "";
      localparam logic [Lanes-1:0] Uses = OutUsed[At*Lanes +: Lanes];

      if (Uses != '0) begin : gen_out
        crl_stream_out #(
          .Lanes   (Lanes),
          .DataW   (DataW),
          .Rows    (Rows),
          .Pages   (Pages),
          .Words   (Words),
          .PeerW   (PeerW),
          .MapDepth(MapDepth),
          .MapFile (OutFile),
          .Inline  (Inline),
          .MapInit (OutMaps[At*OutMapW +: OutMapW]),
          .Marked  ((MapFile != "") ? 1 : 0),
          .Based   (Based),
          .Uses    (Uses)
        ) u_out (
          .clk_i       (clk_i),
          .rst_ni      (rst_adapters_n),
          .map_we_i    (load && map_out_i && map_way_i == WayW'(j)),
          .map_addr_i  (map_addr_i),
          .map_data_i  (map_data_i[OutEntryW-1:0]),
          .unloaded_o  (out_unloaded[j]),
          .show_valid_i(show_valid[v*Lanes +: Lanes]),
          .show_data_i (show_data[v*Lanes*DataW +: Lanes*DataW]),
          .row_i       (shown_row_here),
          .page_i      (page_here),
          .left_i      (left_here),
          .begun_i     (begun_here),
          .bases_i     (bases_here),
          .room_o      (room[At]),
          .busy_o      (leaving[At]),
          .valid_o     (m_axis_tvalid_o[At]),
          .data_o      (m_axis_tdata_o[At*DataW +: DataW]),
          .last_o      (m_axis_tlast_o[At]),
          .peer_o      (m_axis_tid_o[At*PeerW +: PeerW]),
          .ready_i     (m_axis_tready_i[At])
        );
      end else begin : gen_none
        assign out_unloaded[j]        = 1'b0;
        assign room[At]               = 1'b1;
        assign leaving[At]            = 1'b0;
        assign m_axis_tvalid_o[At]    = 1'b0;
        assign m_axis_tdata_o[At*DataW +: DataW] = '0;
        assign m_axis_tlast_o[At]     = 1'b0;
        assign m_axis_tid_o[At*PeerW +: PeerW] = '0;

        logic unused_none;
        assign unused_none = &{1'b0, m_axis_tready_i[At], load, shown_row_here, page_here, left_here, begun_here, bases_here};
      end
    end
  end

`ifdef FORMAL
  // For any tables, and any maps that keep the rules of the adapters.
  logic              f_past_valid, f_hold_q;
  logic [RoundW-1:0] f_ordered_q, f_begun_q;
  initial f_past_valid = 1'b0;

  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    f_hold_q     <= rst_ni && hold_i;
    f_ordered_q  <= ordered;
    f_begun_q    <= begun;
  end

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    assume (32'(last_row_i) < TableDepth && !table_we_i && !map_we_i);
  end

  // With words of one cycle: which row's words must be there is that so many rows behind the one that plays, or the round's last.
  if (RowStages > 0 && Words == 1) begin : gen_f_asked
    logic [TA-1:0] f_end_q;
    always_ff @(posedge clk_i) if (begins) f_end_q <= last_row_i[32'(op)*TA +: TA];
    always_comb if (f_past_valid && playing) a_asked: assert (32'(asked) == ((32'(row) + Way + 1 > 32'(f_end_q)) ? 32'(f_end_q) : 32'(row) + Way + 1));
  end

  always_comb if (f_past_valid) begin
    // Nothing is under way where the fabric says that it is held.
    if (held_o) a_held: assert (!acting && leaving == '0 && m_axis_tvalid_o == '0);
    // While it is asked to hold, or is held, no round is ordered, and none begins; nor does one that nobody asked for.
    if (hold_i || held_q) a_no_order: assert (!order_ready_o && !begins);
    a_begins: assert (!begins || (start && (start_i || busy_o)));
    if (f_hold_q) a_none_begins: assert (begun == f_begun_q || held_q);
    if (f_hold_q && ordered != f_ordered_q) a_none_ordered: assert (ordered == begun);
    if (!busy_o) a_idle: assert (!acting && m_axis_tvalid_o == '0);
    c_held: cover (held_o && f_hold_q);
    c_waits: cover (hold_i && acting);
    c_plays_again: cover (acting && begun != '0 && !hold_i);
  end
`endif

endmodule
