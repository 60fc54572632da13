// SPDX-License-Identifier: Apache-2.0
//
// The AXI4-Streams of a board of several: adapters between them and a crl_cabled_board, and what begins its rounds.
//
// Timing: rounds begin as those of crl_axis_fabric do, of all nodes on this board and whatever other boards do. Where a stream stalls so long
// that a word is not there when its row comes, fed_o falls and the board waits; others wait for its cables. What is shown in a step is kept
// in a register, since before the step a word of a cable may not be there yet: so a word is given one cycle later than there.

module crl_board_streams #(
  /// Nodes on the board, lanes of a node, bits of a word, rows of its tables.
  parameter int Nodes = 4,
  parameter int Lanes = 3,
  parameter int DataW = 16,
  parameter int TableDepth = 256,
  /// As of crl_axis_fabric.
  parameter int Ways = 1,
  parameter InUses = {(Nodes * Ways * Lanes){1'b1}},
  parameter OutUses = {(Nodes * Ways * Lanes){1'b1}},
  parameter int Pages = 2,
  parameter int MapDepth = 2 * TableDepth,
  /// Maps, as of crl_axis_fabric: from files, or constants.
  parameter MapFile = "",
  parameter int Inline = 0,
  parameter InMapInit = 1'b0,
  parameter OutMapInit = 1'b0,
  /// As of crl_axis_fabric.
  parameter int Waits = 1,
  parameter int Ops = 1,
  parameter int Rows = TableDepth,
  parameter int Words = 1,
  parameter logic [Nodes*Ways-1:0] Keeps = '0,
  parameter int PeerW = (Nodes > 1) ? $clog2(Nodes) : 1,
  `include "crl_stream_entry.svh"
  /// Bits that name an entry of a map, a stream, a row, and a kind of rounds.
  localparam int MapA = (MapDepth > 1) ? $clog2(MapDepth) : 1,
  localparam int WayW = (Ways > 1) ? $clog2(Ways) : 1,
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  localparam int OpW = (Ops > 1) ? $clog2(Ops) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,           // clears sticky faults

  input  logic                   start_i,           // as of crl_axis_fabric
  input  logic [OpW-1:0]         op_i,
  output logic                   order_ready_o,
  output logic                   busy_o,
  input  logic [Ops*TA-1:0]      last_row_i,
  input  logic [Ops*TA-1:0]      base_i,
  input  logic [Ops*MapA-1:0]    map_base_i,

  // The board: what it is told of the next round, and what it tells.
  output logic                   start_o,
  output logic [TA-1:0]          last_row_o,
  output logic [TA-1:0]          base_o,
  output logic                   fed_o,
  input  logic                   step_i,
  input  logic                   begin_i,
  input  logic                   acting_i,          // its busy_o
  input  logic                   playing_i,
  input  logic [TA+BeatW-1:0]    row_i,
  input  logic [TA+BeatW-1:0]    ahead_i,
  input  logic                   last_i,
  input  logic                   arrives_i,
  input  logic [TA+BeatW-1:0]    arrival_i,
  output logic [Nodes*Lanes*DataW-1:0] own_data_o,
  input  logic [Nodes*Lanes-1:0] show_valid_i,
  input  logic [Nodes*Lanes*DataW-1:0] show_data_i,

  input  logic [Nodes*Ways*DataW-1:0] s_axis_tdata_i, // node v, stream j at v * Ways + j
  input  logic [Nodes*Ways-1:0]  s_axis_tvalid_i,
  output logic [Nodes*Ways-1:0]  s_axis_tready_o,
  output logic [Nodes*Ways*PeerW-1:0] s_axis_tdest_o, // destination of the word that is waited for

  output logic [Nodes*Ways*DataW-1:0] m_axis_tdata_o,
  output logic [Nodes*Ways-1:0]  m_axis_tvalid_o,
  input  logic [Nodes*Ways-1:0]  m_axis_tready_i,
  output logic [Nodes*Ways-1:0]  m_axis_tlast_o,
  output logic [Nodes*Ways*PeerW-1:0] m_axis_tid_o,   // origin of the word

  output logic [Nodes-1:0]       fault_map_o        // sticky, with MapFile: a map of the node is not loaded
);

  localparam int RoundW = $clog2(Pages) + 1;
  localparam int Based = (Ops > 1) ? 1 : 0;
  localparam int UseW = Ways * Lanes;
  localparam int InMapW = MapDepth * InEntryW, OutMapW = MapDepth * OutEntryW;
  localparam logic [Nodes*UseW-1:0] InUsed = (Nodes * UseW)'(InUses);
  localparam logic [Nodes*UseW-1:0] OutUsed = (Nodes * UseW)'(OutUses);
  localparam logic [Nodes*Ways*InMapW-1:0] InMaps = (Nodes * Ways * InMapW)'(InMapInit);
  localparam logic [Nodes*Ways*OutMapW-1:0] OutMaps = (Nodes * Ways * OutMapW)'(OutMapInit);

  if ($bits(InUses) != Nodes * UseW || $bits(OutUses) != Nodes * UseW) begin : gen_bad_uses
    crl_error_uses_must_have_a_bit_for_each_lane_of_each_stream u_error ();
  end
  if (Inline != 0 && ($bits(InMapInit) != Nodes * Ways * InMapW || $bits(OutMapInit) != Nodes * Ways * OutMapW)) begin : gen_bad_maps
    crl_error_map_init_must_have_all_entries u_error ();
  end

  logic [RoundW-1:0]     ordered, begun, read, shown;
  logic [OpW-1:0]        op;
  logic [Pages*OpW-1:0]  page_ops;
  logic [Pages*MapA-1:0] page_bases;
  logic [MapA-1:0]       map_base;
  logic [AtW-1:0]        shown_row;
  logic [RoundW+AtW-1:0] left;
  logic [Nodes-1:0]      there, late;
  logic [Nodes*Ways-1:0] room, leaving;

  assign last_row_o = last_row_i[32'(op)*TA +: TA];
  assign base_o     = base_i[32'(op)*TA +: TA];
  assign map_base   = map_base_i[32'(op)*MapA +: MapA];
  assign fed_o      = Waits == 0 || !playing_i || late == '0;

  for (genvar i = 0; i < Pages; i++) begin : gen_page
    assign page_bases[i*MapA +: MapA] = map_base_i[32'(page_ops[i*OpW +: OpW])*MapA +: MapA];
  end

  // What was shown in the last step, and that of which row it was.
  logic                         arrives_q;
  logic [TA+BeatW-1:0]          arrival_q;
  logic [Nodes*Lanes-1:0]       show_valid_q;
  logic [Nodes*Lanes*DataW-1:0] show_data_q;

  always_ff @(posedge clk_i) begin
    show_valid_q <= show_valid_i & {Nodes*Lanes{step_i && rst_ni}};
    show_data_q  <= show_data_i;
    if (step_i) arrives_q <= arrives_i && rst_ni;
    if (step_i) arrival_q <= arrival_i;
  end

  logic [TA-1:0]    arrival_row;
  logic [BeatV-1:0] arrival_beat;
  assign arrival_row  = arrival_q[BeatW +: TA];
  assign arrival_beat = (BeatW > 0) ? arrival_q[BeatV-1:0] : '0;

  // Tables are as long as all kinds of rounds, pages as the longest.
  logic unused_high;
  assign unused_high = &{1'b0, row_i, ahead_i, shown};

  crl_stream_rounds #(
    .Pages(Pages),
    .Ops  (Ops),
    .RowA (RowA),
    .Words(Words)
  ) u_rounds (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .en_i         (step_i),
    .start_i      (start_i),
    .op_i         (op_i),
    .order_ready_o(order_ready_o),
    .busy_o       (busy_o),
    .there_i      (&there),
    .room_i       (&room),
    .leaving_i    (|leaving),
    .start_o      (start_o),
    .begin_i      (begin_i),
    .last_i       (last_i),
    .arrives_i    (arrives_q),
    .behind_i     (arrival_row == {TA{1'b0}}), // yosys reads a module anew, under another name, for a '0 here
    .beat_i       (arrival_beat),
    .playing_i    (acting_i),
    .op_o         (op),
    .page_ops_o   (page_ops),
    .ordered_o    (ordered),
    .begun_o      (begun),
    .read_o       (read),
    .round_o      (shown),
    .row_o        (shown_row),
    .left_o       (left)
  );

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    localparam Digits = {8'(48 + v / 10000 % 10), 8'(48 + v / 1000 % 10), 8'(48 + v / 100 % 10), 8'(48 + v / 10 % 10), 8'(48 + v % 10)};
    localparam InFile = (MapFile != "") ? {MapFile, "in", Digits} : "";
    logic [Ways-1:0] in_unloaded, out_unloaded;

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
      .Words   (Words),
      .Keeps   (Keeps[v*Ways +: Ways]),
      .Uses    (InUsed[v*UseW +: UseW])
    ) u_in (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .map_we_i  (1'b0),
      .map_way_i ({WayW{1'b0}}),
      .map_addr_i({MapA{1'b0}}),
      .map_data_i({InEntryW{1'b0}}),
      .unloaded_o(in_unloaded),
      .valid_i   (s_axis_tvalid_i[v*Ways +: Ways]),
      .data_i    (s_axis_tdata_i[v*Ways*DataW +: Ways*DataW]),
      .ready_o   (s_axis_tready_o[v*Ways +: Ways]),
      .peer_o    (s_axis_tdest_o[v*Ways*PeerW +: Ways*PeerW]),
      .ordered_i (ordered),
      .base_i    (map_base),
      .begun_i   (begun),
      .there_o   (there[v]),
      .en_i      (step_i),
      .row_i     (row_i[AtW-1:0]),
      .round_i   (read),
      .own_data_o(own_data_o[v*Lanes*DataW +: Lanes*DataW]),
      .ahead_i   (ahead_i[AtW-1:0]),
      .late_o    (late[v])
    );

    if (MapFile != "") begin : gen_fault_map
      logic fault_q;
      always_ff @(posedge clk_i) fault_q <= rst_ni && ((fault_q && !clear_i) || |in_unloaded || |out_unloaded);
      assign fault_map_o[v] = fault_q;
    end else begin : gen_no_fault_map
      logic unused_unloaded;
      assign unused_unloaded = &{1'b0, in_unloaded, out_unloaded, clear_i};
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
          .rst_ni      (rst_ni),
          .map_we_i    (1'b0),
          .map_addr_i  ({MapA{1'b0}}),
          .map_data_i  ({OutEntryW{1'b0}}),
          .unloaded_o  (out_unloaded[j]),
          .show_valid_i(show_valid_q[v*Lanes +: Lanes]),
          .show_data_i (show_data_q[v*Lanes*DataW +: Lanes*DataW]),
          .row_i       (shown_row),
          .page_i      (shown[RoundW-2:0]),
          .left_i      (left),
          .begun_i     (begun),
          .bases_i     (page_bases),
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
        assign unused_none = &{1'b0, m_axis_tready_i[At], show_valid_q[v*Lanes +: Lanes], page_bases};
      end
    end
  end

endmodule
