// @WHAT@: the part that lies on board @BOARD@ of @BOARDS@. Made by carillon @VERSION@.
//
// Nodes of the network on this board, in their order here: @MEMBERS@.
// Stream @STREAM_AT@ of each port, v counted on this board; streams.csv has the packets in their order.
// Cables, in their order here: @CABLE_NAMES@.
// A round takes @PERIOD@ steps. The board steps in cycles with step_o; in others it waits for a cable, and nothing is taken or shown.

@if INLINED module @TOP@ (
@if FILED module @TOP@ #(
@if FILED   parameter TablesDir = "tables" // the folder of that name, as seen from where this is elaborated
@if FILED ) (
  input  logic clk_i,
  input  logic rst_ni, // synchronous, active low

  input  logic start_i, // in a step, where no round plays or one ends: begins one
  output logic begins_o, // it does, at the next edge
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

  localparam int Nodes = @NODES@;
  localparam int Ports = @PORTS@;   // links of a node, each way, at most
  localparam int Streams = @STREAMS@; // of a node, each way
  localparam int All = Nodes * Streams;
  localparam int DataW = @WIDTH@;   // bits of a word
  localparam int PeerW = @PEER_BITS@;   // bits of what names @PEER_NOTE@
  localparam int Cables = @CABLES@;

  localparam logic [15:0] None = 16'hffff; // nobody

  // Whom a node hears on each port, of the nodes here, and the cycles that a word takes from there.
  localparam logic [16*Nodes*Ports-1:0] Neighbours = @NEIGHBOURS@;
  localparam logic [16*Nodes*Ports-1:0] Latencies = @LATENCIES@;

  // The cable that a port's words go into, and the one that it hears.
  localparam logic [16*Nodes*Ports-1:0] Senders = @SENDERS@;
  localparam logic [16*Nodes*Ports-1:0] Hearers = @HEARERS@;

@if INLINED   `include "@TOP@_tables.svh"
@if INLINED 
  logic [Nodes*4-1:0] faults;
  logic [@TABLES@-1:0] fault_parity;
  logic [Nodes*Ports-1:0] unused_fault_ports;
  logic [Nodes*@ROW_BITS@-1:0] unused_fault_row;
  logic [@TABLES@*@ROW_BITS@-1:0] unused_parity_row;
  logic [All-1:0] unused_last_own;
@if WIRES   logic [Cables-1:0] unused_valid;

  crl_cabled_board #(
    .Nodes      (Nodes),
    .Ports      (Ports),
    .Lanes      (@LANES@),
    .Banks      (@BANKS@),
    .WriteXbar  (@WRITE_XBAR@),
    .Delay      (@DELAY@),
    .WaddrField (@WADDR_FIELD@),
    .Combine    (@COMBINE@),
    .DataW      (DataW),
    .AddrW      (@ADDR_WIDTH@),
    .TableDepth (@ROWS@),
    .Neighbours (Neighbours),
    .Latencies  (Latencies),
    .Cables     (Cables),
    .Senders    (Senders),
    .Hearers    (Hearers),
    .SharedTable(@SHARED@),
    .Store      (@STORE@),
    .ResetBanks (@RESET_BANKS@),
@if INLINED     .TableInit  (AllRows),
@if INLINED     .Inline     (1),
@if FILED     .InitFile   ({TablesDir, "/"}),
    .Words      (@WORDS@),
    .Wired      (@WIRED@),
    .Depth      (@DEPTH@),
    .Silence    (@SILENCE@),
    .Identities (@IDENTITIES@),
    .Ends       (@ENDS@)
  ) u_board (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .clear_i           (1'b0),
    .start_i           (start_i),
    .last_row_i        (@ROW_BITS@'d@LAST_ROW@),
    .begin_o           (begins_o),
    .busy_o            (busy_o),
    .step_o            (step_o),
    .number_o          (row_o),
    .waits_for_o       (waits_for_o),
    .held_by_o         (held_by_o),
    .table_we_i        (1'b0),
    .table_sel_i       (@TABLE_BITS@'d0),
    .table_addr_i      (@ROW_BITS@'d0),
    .table_data_i      ({@ROW_WIDTH@{1'b0}}),
    .own_valid_i       (s_axis_tvalid_i),
    .own_data_i        (s_axis_tdata_i),
    .own_ready_o       (s_axis_tready_o),
    .show_valid_o      (m_axis_tvalid_o),
    .show_data_o       (m_axis_tdata_o),
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

  // Nothing holds a word back: one that is not taken is lost, which is a fault.
  logic lost_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) lost_q <= 1'b0;
    else lost_q <= lost_q || (m_axis_tvalid_o & ~m_axis_tready_i) != '0;
  end

  assign fault_o = |faults || |fault_parity || lost_q || |fault_other_o || |fault_reset_o;

  // Packets of a round of each stream, 16 bits each, and their peers: @FEED_MOST@ of an input, @SHOW_MOST@ of an output stream.
  localparam logic [16*All-1:0] Feeds = @FEEDS@;
  localparam logic [16*All-1:0] Shows = @SHOWS@;
  localparam logic [All*@FEED_MOST@*PeerW-1:0] Dests = @DESTS@;
  localparam logic [All*@SHOW_MOST@*PeerW-1:0] Origins = @ORIGINS@;

  for (genvar i = 0; i < All; i++) begin : gen_names
    localparam int Fed = 32'(Feeds[i*16 +: 16]);
    localparam int Shown = 32'(Shows[i*16 +: 16]);

    crl_stream_names #(
      .Count(Fed),
      .NameW(PeerW),
      .Words(@WORDS@),
      .Names(Dests[i*@FEED_MOST@*PeerW +: ((Fed > 0) ? Fed : 1)*PeerW])
    ) u_dest (
      .clk_i (clk_i),
      .rst_ni(rst_ni),
      .next_i(s_axis_tvalid_i[i] && s_axis_tready_o[i]),
      .name_o(s_axis_tdest_o[i*PeerW +: PeerW]),
      .last_o(unused_last_own[i])
    );

    crl_stream_names #(
      .Count(Shown),
      .NameW(PeerW),
      .Words(@WORDS@),
      .Names(Origins[i*@SHOW_MOST@*PeerW +: ((Shown > 0) ? Shown : 1)*PeerW])
    ) u_origin (
      .clk_i (clk_i),
      .rst_ni(rst_ni),
      .next_i(m_axis_tvalid_o[i] && m_axis_tready_i[i]),
      .name_o(m_axis_tid_o[i*PeerW +: PeerW]),
      .last_o(m_axis_tlast_o[i])
    );
  end

endmodule
