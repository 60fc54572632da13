// @WHAT@: the part that lies on board @BOARD@ of @BOARDS@. Made by carillon @VERSION@.
//
// Nodes of the network on this board, in their order here: @MEMBERS@.
// Stream @STREAM_AT@ of each port, v counted on this board; streams.csv has the packets in their order.
// Cables, in their order here: @CABLE_NAMES@.
@if ONE // A round takes @PERIOD@ steps.
@if SPARES // plan_i says in reset which plan is played: 0, or another one for when something has failed, in the order of README.md. All boards play
@if SPARES // the same one.
@if LISTED // op_i says which of @OPS@ schedules a round plays, in the order in which they are listed above, from 0. All boards play the same ones in the
@if LISTED // same order.
@if IS_STREAM // The board steps in cycles with step_o; in others it waits for a cable, and nothing is taken or shown.
@if IS_AXIS // The board steps in cycles with step_o; in others it waits for a cable, or for a word of a stream.

@if INLINED module @TOP@ (
@if FILED module @TOP@ #(
@if FILED   parameter TablesDir = "tables" // the folder of that name, as seen from where this is elaborated
@if FILED ) (
  input  logic clk_i,
  input  logic rst_ni, // synchronous, active low

@if IS_STREAM   input  logic start_i, // in a step, where no round plays or one ends: begins one
@if IS_AXIS_ONE   input  logic start_i, // sampled while not busy, arms a round
@if SPARES   input  logic [@OP_BITS@-1:0] plan_i, // what is played from a reset on
@if AXIS_SEVERAL   input  logic start_i, // with op_ready_o orders a round
@if LISTED   input  logic [@OP_BITS@-1:0] op_i, //   of this kind
@if AXIS_SEVERAL   output logic op_ready_o, // 1 while not busy; one round may wait behind others
  output logic begins_o, // one begins, at the next edge
  output logic busy_o,
  output logic step_o,
  output logic [@ROW_HIGH@:0] row_o, // that acts, or waits

  input  logic [@DATA_HIGH@:0] s_axis_tdata_i, // @ALL@ streams of @WIDTH@ bits
  input  logic [@ALL_HIGH@:0] s_axis_tvalid_i,
  output logic [@ALL_HIGH@:0] s_axis_tready_o,
  output logic [@PEER_HIGH@:0] s_axis_tdest_o, // of the word that is taken next, @PEER_BITS@ bits: @DEST_NOTE@

  output logic [@DATA_HIGH@:0] m_axis_tdata_o,
  output logic [@ALL_HIGH@:0] m_axis_tvalid_o,
  input  logic [@ALL_HIGH@:0] m_axis_tready_i,
  output logic [@ALL_HIGH@:0] m_axis_tlast_o,
  output logic [@PEER_HIGH@:0] m_axis_tid_o, // of the word that is shown: @ORIGIN_NOTE@

@if WIRES   // Cables: two wires each.
@if WIRES   input  logic [@CABLES_HIGH@:0] rx_wire_i,
@if WIRES   output logic [@CABLES_HIGH@:0] tx_wire_o,
@if FLITS   // Cables: flits of @FLIT_BITS@ bits for a transceiver. There is always one to send.
@if FLITS   output logic [@CABLES_HIGH@:0] tx_valid_o,
@if FLITS   output logic [@FLITS_HIGH@:0] tx_flit_o,
@if FLITS   input  logic [@CABLES_HIGH@:0] tx_take_i, // it is sent
@if FLITS   input  logic [@CABLES_HIGH@:0] rx_valid_i, // one was heard
@if FLITS   input  logic [@FLITS_HIGH@:0] rx_flit_i,

  output logic [@CABLES_HIGH@:0] waits_for_o, // row_o waits for a word of this cable
  output logic [@CABLES_HIGH@:0] held_by_o, //   or for room in it
  output logic [@CABLES_HIGH@:0] up_o, // both ends know each other
  output logic [@CABLES_HIGH@:0] silent_o, // nothing is heard
  output logic [@CABLES_HIGH@:0] fault_other_o, // until reset: the other end is of another plan or another cable
  output logic [@CABLES_HIGH@:0] fault_reset_o, // until reset of both: one board was reset, and not the other one
  output logic [@CABLES_HIGH@:0] repeats_o, // pulse: words are sent again
  output logic [@CABLES_HIGH@:0] damaged_o, // pulse: a flit was damaged

  output logic fault_o // sticky; with those of cables
);

@include shape.sv
  localparam int Cables = @CABLES@;

  localparam logic [15:0] None = 16'hffff; // nobody

  // Whom a node hears on each port, of the nodes here, and the cycles that a word takes from there.
  localparam logic [16*Nodes*Ports-1:0] Neighbours = @NEIGHBOURS@;
  localparam logic [16*Nodes*Ports-1:0] Latencies = @LATENCIES@;

  // The cable that a port's words go into, and the one that it hears.
  localparam logic [16*Nodes*Ports-1:0] Senders = @SENDERS@;
  localparam logic [16*Nodes*Ports-1:0] Hearers = @HEARERS@;

@include uses.sv
  logic [Nodes*4-1:0] faults;
  logic [@TABLES@-1:0] fault_parity;
  logic [Nodes*Ports-1:0] unused_fault_ports;
  logic [Nodes*@ROW_BITS@-1:0] unused_fault_row;
  logic [@TABLES@*@ROW_BITS@-1:0] unused_parity_row;
@if IS_STREAM   logic [All-1:0] unused_last_own;
@if IS_STREAM   logic unused_playing, unused_last, unused_arrives;
@if IS_STREAM   logic [@AT_BITS@-1:0] unused_row, unused_ahead, unused_arrival;
@if IS_AXIS   logic [Nodes-1:0] fault_map; // 0 where maps are constants
@if IS_AXIS   logic start, fed, acting, playing, last, arrives;
@if IS_AXIS   logic [@ROW_BITS@-1:0] last_row, base;
@if IS_AXIS   logic [@AT_BITS@-1:0] row, ahead, arrival;
@if IS_AXIS   logic [Nodes*@LANES@-1:0] show_valid, unused_own_ready;
@if IS_AXIS   logic [Nodes*@LANES@*DataW-1:0] own_data, show_data;
@if IS_AXIS_FIXED_ONE   logic unused_order;
@if SPARES 
@if SPARES   // Ends of another plan are refused as those of another cable are.
@if SPARES   localparam logic [32*Cables-1:0] Identities = @IDENTITIES@;
@if SPARES   logic [@OP_BITS@-1:0] plan_q;
@if SPARES   always_ff @(posedge clk_i) if (!rst_ni) plan_q <= plan_i;
@if IS_STREAM_SPARES   localparam logic [@OPS@*@ROW_BITS@-1:0] LastRows = @LAST_ROWS@;
@if IS_STREAM_SPARES   localparam logic [@OPS@*@ROW_BITS@-1:0] Bases = @BASES@;
@if WIRES   logic [Cables-1:0] unused_valid;

  crl_cabled_board #(
@include routers.sv
    .DataW      (DataW),
    .Cables     (Cables),
    .Senders    (Senders),
    .Hearers    (Hearers),
@if INLINED     .Inline     (1),
@if FILED     .InitFile   ({TablesDir, "/"}),
@if SEVERAL     .Based      (1),
    .Words      (@WORDS@),
    .Wired      (@WIRED@),
    .Twice      (@TWICE@),
    .Depth      (@DEPTH@),
    .Silence    (@SILENCE@),
@if SPARES     .Told       (1),
    .Identities (@IDENTITIES@),
    .Ends       (@CABLE_ENDS@)
  ) u_board (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .clear_i           (1'b0),
@if IS_STREAM     .start_i           (start_i),
@if IS_STREAM_ONE     .last_row_i        (@LAST_ROWS@),
@if IS_STREAM_ONE     .base_i            (@BASES@),
@if IS_STREAM_SPARES     .last_row_i        (LastRows[32'(plan_q)*@ROW_BITS@ +: @ROW_BITS@]),
@if IS_STREAM_SPARES     .base_i            (Bases[32'(plan_q)*@ROW_BITS@ +: @ROW_BITS@]),
@if IS_AXIS     .start_i           (start),
@if IS_AXIS     .last_row_i        (last_row),
@if IS_AXIS     .base_i            (base),
    .begin_o           (begins_o),
@if IS_STREAM     .busy_o            (busy_o),
@if IS_STREAM     .fed_i             (1'b1),
@if IS_AXIS     .busy_o            (acting),
@if IS_AXIS     .fed_i             (fed),
    .step_o            (step_o),
    .number_o          (row_o),
    .waits_for_o       (waits_for_o),
    .held_by_o         (held_by_o),
@if IS_STREAM     .playing_o         (unused_playing),
@if IS_STREAM     .row_o             (unused_row),
@if IS_STREAM     .ahead_o           (unused_ahead),
@if IS_STREAM     .last_o            (unused_last),
@if IS_STREAM     .arrives_o         (unused_arrives),
@if IS_STREAM     .arrival_o         (unused_arrival),
@if IS_AXIS     .playing_o         (playing),
@if IS_AXIS     .row_o             (row),
@if IS_AXIS     .ahead_o           (ahead),
@if IS_AXIS     .last_o            (last),
@if IS_AXIS     .arrives_o         (arrives),
@if IS_AXIS     .arrival_o         (arrival),
    .table_we_i        (1'b0),
    .table_sel_i       (@TABLE_BITS@'d0),
    .table_addr_i      (@ROW_BITS@'d0),
    .table_data_i      ({@ROW_WIDTH@{1'b0}}),
@if IS_STREAM     .own_valid_i       (s_axis_tvalid_i),
@if IS_STREAM     .own_data_i        (s_axis_tdata_i),
@if IS_STREAM     .own_ready_o       (s_axis_tready_o),
@if IS_STREAM     .show_valid_o      (m_axis_tvalid_o),
@if IS_STREAM     .show_data_o       (m_axis_tdata_o),
@if IS_AXIS     .own_valid_i       ({Nodes*@LANES@{1'b1}}),
@if IS_AXIS     .own_data_i        (own_data),
@if IS_AXIS     .own_ready_o       (unused_own_ready),
@if IS_AXIS     .show_valid_o      (show_valid),
@if IS_AXIS     .show_data_o       (show_data),
@if SPARES     .identities_i      (Identities ^ {Cables{32'(plan_q)}}),
@if SPARES     .ends_i            (@CABLE_ENDS@),
@if DRAWN     .identities_i      ({32*Cables{1'b0}}),
@if DRAWN     .ends_i            ({Cables{1'b0}}),
@if WIRES     .line_valid_i      ({Cables{1'b1}}),
@if WIRES     .line_i            (rx_wire_i),
@if WIRES     .line_take_i       ({Cables{1'b1}}),
@if WIRES     .line_valid_o      (unused_valid),
@if WIRES     .line_o            (tx_wire_o),
@if FLITS     .line_valid_i      (rx_valid_i),
@if FLITS     .line_i            (rx_flit_i),
@if FLITS     .line_take_i       (tx_take_i),
@if FLITS     .line_valid_o      (tx_valid_o),
@if FLITS     .line_o            (tx_flit_o),
    .up_o              (up_o),
    .silent_o          (silent_o),
    .fault_other_o     (fault_other_o),
    .fault_reset_o     (fault_reset_o),
    .repeats_o         (repeats_o),
    .damaged_o         (damaged_o),
    .fault_o           (faults),
    .fault_ports_o     (unused_fault_ports),
    .fault_row_o       (unused_fault_row),
    .fault_parity_o    (fault_parity),
    .fault_parity_row_o(unused_parity_row)
  );

@if IS_AXIS   crl_board_streams #(
@if IS_AXIS     .Nodes     (Nodes),
@if IS_AXIS     .Lanes     (@LANES@),
@if IS_AXIS     .DataW     (DataW),
@if IS_AXIS     .TableDepth(@TABLE_ROWS@),
@if IS_AXIS     .Ways      (Streams),
@if IS_AXIS     .InUses    (InUses),
@if IS_AXIS     .OutUses   (OutUses),
@if IS_AXIS     .Pages     (@PAGES@),
@if IS_AXIS     .MapDepth  (@MAP_DEPTH@),
@if AXIS_INLINED     .Inline    (1),
@if AXIS_INLINED     .InMapInit (AllInMaps),
@if AXIS_INLINED     .OutMapInit(AllOutMaps),
@if AXIS_FILES     .MapFile   ({TablesDir, "/"}),
@if IS_AXIS     .Waits     (@WAITS@),
@if IS_AXIS     .Ops       (@OPS@),
@if IS_AXIS     .Rows      (@ROWS@),
@if IS_AXIS     .Words     (@WORDS@),
@if AXIS_PACKETS     .Keeps     (Keeps),
@if IS_AXIS     .PeerW     (PeerW)
@if IS_AXIS   ) u_streams (
@if IS_AXIS     .clk_i          (clk_i),
@if IS_AXIS     .rst_ni         (rst_ni),
@if IS_AXIS     .clear_i        (1'b0),
@if IS_AXIS     .start_i        (start_i),
@if IS_AXIS_ONE     .op_i           (1'b0),
@if IS_AXIS_FIXED_ONE     .order_ready_o  (unused_order),
@if LISTED     .op_i           (op_i),
@if AXIS_SPARES     .op_i           (plan_q),
@if AXIS_SEVERAL     .order_ready_o  (op_ready_o),
@if IS_AXIS     .busy_o         (busy_o),
@if IS_AXIS     .last_row_i     (@LAST_ROWS@),
@if IS_AXIS     .base_i         (@BASES@),
@if IS_AXIS     .map_base_i     (@MAP_BASES@),
@if IS_AXIS     .start_o        (start),
@if IS_AXIS     .last_row_o     (last_row),
@if IS_AXIS     .base_o         (base),
@if IS_AXIS     .fed_o          (fed),
@if IS_AXIS     .step_i         (step_o),
@if IS_AXIS     .begin_i        (begins_o),
@if IS_AXIS     .acting_i       (acting),
@if IS_AXIS     .playing_i      (playing),
@if IS_AXIS     .row_i          (row),
@if IS_AXIS     .ahead_i        (ahead),
@if IS_AXIS     .last_i         (last),
@if IS_AXIS     .arrives_i      (arrives),
@if IS_AXIS     .arrival_i      (arrival),
@if IS_AXIS     .own_data_o     (own_data),
@if IS_AXIS     .show_valid_i   (show_valid),
@if IS_AXIS     .show_data_i    (show_data),
@if IS_AXIS     .s_axis_tdata_i (s_axis_tdata_i),
@if IS_AXIS     .s_axis_tvalid_i(s_axis_tvalid_i),
@if IS_AXIS     .s_axis_tready_o(s_axis_tready_o),
@if IS_AXIS     .s_axis_tdest_o (s_axis_tdest_o),
@if IS_AXIS     .m_axis_tdata_o (m_axis_tdata_o),
@if IS_AXIS     .m_axis_tvalid_o(m_axis_tvalid_o),
@if IS_AXIS     .m_axis_tready_i(m_axis_tready_i),
@if IS_AXIS     .m_axis_tlast_o (m_axis_tlast_o),
@if IS_AXIS     .m_axis_tid_o   (m_axis_tid_o),
@if IS_AXIS     .fault_map_o    (fault_map)
@if IS_AXIS   );
@if IS_AXIS 
@if IS_AXIS   assign fault_o = |faults || |fault_parity || |fault_map || |fault_other_o || |fault_reset_o;
@if IS_STREAM   // Nothing holds a word back: one that is not taken is lost, which is a fault.
@if IS_STREAM   logic lost_q;
@if IS_STREAM   always_ff @(posedge clk_i) begin
@if IS_STREAM     if (!rst_ni) lost_q <= 1'b0;
@if IS_STREAM     else lost_q <= lost_q || (m_axis_tvalid_o & ~m_axis_tready_i) != '0;
@if IS_STREAM   end
@if IS_STREAM 
@if IS_STREAM   assign fault_o = |faults || |fault_parity || lost_q || |fault_other_o || |fault_reset_o;
@if IS_STREAM 
@include names.sv
endmodule
