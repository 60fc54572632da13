// @WHAT@. Made by carillon @VERSION@.
//
// Stream j of node v is at index v * @STREAMS@ + j; streams.csv has the packets in their order. A round takes @PERIOD@ cycles.

module @TOP@ (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic start_i,                                   // sampled while not busy, arms a round
  output logic busy_o,

  input  logic [@NODES@*@STREAMS@*@WIDTH@-1:0] s_axis_tdata_i,
  input  logic [@NODES@*@STREAMS@-1:0] s_axis_tvalid_i,
  output logic [@NODES@*@STREAMS@-1:0] s_axis_tready_o,
@if ABSENT   input  logic [@NODES@*@STREAMS@-1:0] s_axis_tuser_i,                // 1: no word is in this place this time
  output logic [@NODES@*@STREAMS@*@PEER_BITS@-1:0] s_axis_tdest_o, // @DEST_NOTE@ of the word wanted

  output logic [@NODES@*@STREAMS@*@WIDTH@-1:0] m_axis_tdata_o,
  output logic [@NODES@*@STREAMS@-1:0] m_axis_tvalid_o,
  input  logic [@NODES@*@STREAMS@-1:0] m_axis_tready_i,
  output logic [@NODES@*@STREAMS@-1:0] m_axis_tlast_o,
  output logic [@NODES@*@STREAMS@*@PEER_BITS@-1:0] m_axis_tid_o,   // @ORIGIN_NOTE@ of the word shown

  output logic fault_o                                    // sticky
);

  logic [@NODES@*4-1:0]                fault;
  logic [@TABLES@-1:0]                   fault_parity;
  logic                                unused_begin, unused_playing, unused_last, unused_active, lost_q;
  logic [@ROW_BITS@-1:0]                 unused_row, unused_number;
  logic [@NODES@*@PORTS@-1:0]            unused_fault_ports;
  logic [@NODES@*@ROW_BITS@-1:0]         unused_fault_row;
  logic [@TABLES@*@ROW_BITS@-1:0]          unused_parity_row;
@if ABSENT 
@if ABSENT   // The highest bit of a word inside says that there is none in its place.
@if ABSENT   logic [@NODES@*@STREAMS@*@FABRIC_WIDTH@-1:0] own_data, show_data;
@if ABSENT   logic [@NODES@*@STREAMS@-1:0] show_valid, show_ready, absent;
@if ABSENT   for (genvar i = 0; i < @NODES@ * @STREAMS@; i++) begin : gen_absent
@if ABSENT     assign own_data[i*@FABRIC_WIDTH@ +: @FABRIC_WIDTH@] = {s_axis_tuser_i[i], s_axis_tdata_i[i*@WIDTH@ +: @WIDTH@]};
@if ABSENT     assign absent[i] = show_valid[i] && show_data[i*@FABRIC_WIDTH@ + @WIDTH@];
@if ABSENT     assign m_axis_tdata_o[i*@WIDTH@ +: @WIDTH@] = show_data[i*@FABRIC_WIDTH@ +: @WIDTH@];
@if ABSENT   end
@if ABSENT   assign m_axis_tvalid_o = show_valid & ~absent;
@if ABSENT   assign show_ready = m_axis_tready_i | absent;

  crl_stream_fabric #(
    .Nodes      (@NODES@),
    .Ports      (@PORTS@),
    .Neighbours (@NEIGHBOURS@),
    .Latencies  (@LATENCIES@),
    .SharedTable(@SHARED@),
    .Lanes      (@LANES@),
    .Banks      (@BANKS@),
    .WriteXbar  (@WRITE_XBAR@),
    .Delay      (@DELAY@),
    .WaddrField (@WADDR_FIELD@),
    .Store      (@STORE@),
    .Combine    (@COMBINE@),
    .DataW      (@FABRIC_WIDTH@),
    .AddrW      (@ADDR_WIDTH@),
    .TableDepth (@ROWS@),
    .InitFile   ("tables/")
  ) u_fabric (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .clear_i           (1'b0),
    .start_i           (start_i),
    .last_row_i        (@LAST_ROWS@),
    .base_i            (@BASES@),
    .begin_o           (unused_begin),
    .busy_o            (busy_o),
    .playing_o         (unused_playing),
    .row_o             (unused_row),
    .last_o            (unused_last),
    .active_o          (unused_active),
    .number_o          (unused_number),
    .table_we_i        (1'b0),
    .table_sel_i       (@TABLE_BITS@'d0),
    .table_addr_i      (@ROW_BITS@'d0),
    .table_data_i      ({@ROW_WIDTH@{1'b0}}),
    .own_valid_i       (s_axis_tvalid_i),
    .own_data_i        (@OWN_DATA@),
    .own_ready_o       (s_axis_tready_o),
    .show_valid_o      (@SHOW_VALID@),
    .show_data_o       (@SHOW_DATA@),
    .fault_o           (fault),
    .fault_ports_o     (unused_fault_ports),
    .fault_row_o       (unused_fault_row),
    .fault_parity_o    (fault_parity),
    .fault_parity_row_o(unused_parity_row)
  );

  // Words come and leave in their cycles, so nobody can hold one back: one that is not taken is lost, which is a fault.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) lost_q <= 1'b0;
    else lost_q <= lost_q || (@SHOW_VALID@ & ~@SHOW_READY@) != '0;
  end

  assign fault_o = |fault || |fault_parity || lost_q;

  assign m_axis_tlast_o = '1; // packets of one word

  // Words of a round of each stream, 16 bits each, and their peers: @FEED_MOST@ of an input, @SHOW_MOST@ of an output stream.
  localparam [@NODES@*@STREAMS@*16-1:0] Feeds = @FEEDS@;
  localparam [@NODES@*@STREAMS@*16-1:0] Shows = @SHOWS@;
  localparam [@NODES@*@STREAMS@*@FEED_MOST@*@PEER_BITS@-1:0] Dests = @DESTS@;
  localparam [@NODES@*@STREAMS@*@SHOW_MOST@*@PEER_BITS@-1:0] Origins = @ORIGINS@;

  for (genvar i = 0; i < @NODES@ * @STREAMS@; i++) begin : gen_names
    localparam int Fed = 32'(Feeds[i*16 +: 16]);
    localparam int Shown = 32'(Shows[i*16 +: 16]);

    crl_stream_names #(
      .Count(Fed),
      .NameW(@PEER_BITS@),
      .Names(Dests[i*@FEED_MOST@*@PEER_BITS@ +: ((Fed > 0) ? Fed : 1)*@PEER_BITS@])
    ) u_dest (
      .clk_i (clk_i),
      .rst_ni(rst_ni),
      .next_i(s_axis_tvalid_i[i] && s_axis_tready_o[i]),
      .name_o(s_axis_tdest_o[i*@PEER_BITS@ +: @PEER_BITS@])
    );

    crl_stream_names #(
      .Count(Shown),
      .NameW(@PEER_BITS@),
      .Names(Origins[i*@SHOW_MOST@*@PEER_BITS@ +: ((Shown > 0) ? Shown : 1)*@PEER_BITS@])
    ) u_origin (
      .clk_i (clk_i),
      .rst_ni(rst_ni),
      .next_i(@SHOW_VALID@[i] && @SHOW_READY@[i]),
      .name_o(m_axis_tid_o[i*@PEER_BITS@ +: @PEER_BITS@])
    );
  end

endmodule
