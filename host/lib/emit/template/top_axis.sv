// @WHAT@. Made by carillon @VERSION@.
//
// Stream j of node v is at index v * @STREAMS@ + j; streams.csv has the packets in their order.
@if ONE // A round takes @PERIOD@ cycles.
@if SEVERAL // op_i says which of @OPS@ schedules a round plays, in the order in which they are listed above, from 0.

@if LOADED module @TOP@ #(
@if LOADED   parameter int Init = 1 // 0: tables start undefined, and nothing begins before they are loaded
@if LOADED ) (
@if FIXED module @TOP@ (
  input  logic clk_i,
  input  logic rst_ni,

@if ONE   input  logic start_i,                                   // sampled while not busy, arms a round
@if SEVERAL   input  logic start_i,                                   // with op_ready_o orders a round
@if SEVERAL   input  logic [@OP_BITS@-1:0] op_i,                             //   of this kind
@if SEVERAL   output logic op_ready_o,                                // 1 while not busy; one round may wait behind others
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

@if LOADED   input  logic s_axil_awvalid_i,                            // AXI4-Lite port to load tables, registers as README.md says
@if LOADED   output logic s_axil_awready_o,
@if LOADED   input  logic [4:0] s_axil_awaddr_i,
@if LOADED   input  logic s_axil_wvalid_i,
@if LOADED   output logic s_axil_wready_o,
@if LOADED   input  logic [31:0] s_axil_wdata_i,
@if LOADED   input  logic [3:0] s_axil_wstrb_i,
@if LOADED   output logic s_axil_bvalid_o,
@if LOADED   input  logic s_axil_bready_i,
@if LOADED   output logic [1:0] s_axil_bresp_o,
@if LOADED   input  logic s_axil_arvalid_i,
@if LOADED   output logic s_axil_arready_o,
@if LOADED   input  logic [4:0] s_axil_araddr_i,
@if LOADED   output logic s_axil_rvalid_o,
@if LOADED   input  logic s_axil_rready_i,
@if LOADED   output logic [31:0] s_axil_rdata_o,
@if LOADED   output logic [1:0] s_axil_rresp_o,
@if LOADED 
  output logic fault_o                                    // sticky
);

  logic [@NODES@*5-1:0]  fault;
  logic [@TABLES@-1:0]     fault_parity;
@if ONE   logic                unused_order;
@if FIXED   logic                unused_held;
@if LOADED   logic hold, held, clear, table_we, map_we, map_out;
@if LOADED   logic [@TABLE_BITS@-1:0] table_sel;
@if LOADED   logic [@ROW_BITS@-1:0] table_addr;
@if LOADED   logic [@ROW_WIDTH@-1:0] table_data;
@if LOADED   logic [@NODE_BITS@-1:0] map_node;
@if LOADED   logic [@WAY_BITS@-1:0] map_way;
@if LOADED   logic [@MAP_BITS@-1:0] map_addr;
@if LOADED   logic [@ENTRY_WIDTH@-1:0] map_data;
@if LOADED   logic [@OPS@*@ROW_BITS@-1:0] last_rows, bases;
@if LOADED   logic [@OPS@*@MAP_BITS@-1:0] map_bases;
@if LOADED 
@if LOADED   crl_table_port #(
@if LOADED     .Tables    (@TABLES@),
@if LOADED     .TableDepth(@TABLE_ROWS@),
@if LOADED     .RowW      (@ROW_WIDTH@),
@if LOADED     .Nodes     (@NODES@),
@if LOADED     .Ways      (@STREAMS@),
@if LOADED     .MapDepth  (@MAP_DEPTH@),
@if LOADED     .EntryW    (@ENTRY_WIDTH@),
@if LOADED     .Ops       (@OPS@),
@if LOADED     .Id        (32'h@ID@),
@if LOADED     .Held      ((Init != 0) ? 0 : 1),
@if LOADED     .LastRows  (@LAST_ROWS@),
@if LOADED     .Bases     (@BASES@),
@if LOADED     .MapBases  (@MAP_BASES@)
@if LOADED   ) u_tables (
@if LOADED     .clk_i           (clk_i),
@if LOADED     .rst_ni          (rst_ni),
@if LOADED     .s_axil_awvalid_i(s_axil_awvalid_i),
@if LOADED     .s_axil_awready_o(s_axil_awready_o),
@if LOADED     .s_axil_awaddr_i (s_axil_awaddr_i),
@if LOADED     .s_axil_wvalid_i (s_axil_wvalid_i),
@if LOADED     .s_axil_wready_o (s_axil_wready_o),
@if LOADED     .s_axil_wdata_i  (s_axil_wdata_i),
@if LOADED     .s_axil_wstrb_i  (s_axil_wstrb_i),
@if LOADED     .s_axil_bvalid_o (s_axil_bvalid_o),
@if LOADED     .s_axil_bready_i (s_axil_bready_i),
@if LOADED     .s_axil_bresp_o  (s_axil_bresp_o),
@if LOADED     .s_axil_arvalid_i(s_axil_arvalid_i),
@if LOADED     .s_axil_arready_o(s_axil_arready_o),
@if LOADED     .s_axil_araddr_i (s_axil_araddr_i),
@if LOADED     .s_axil_rvalid_o (s_axil_rvalid_o),
@if LOADED     .s_axil_rready_i (s_axil_rready_i),
@if LOADED     .s_axil_rdata_o  (s_axil_rdata_o),
@if LOADED     .s_axil_rresp_o  (s_axil_rresp_o),
@if LOADED     .hold_o          (hold),
@if LOADED     .held_i          (held),
@if LOADED     .busy_i          (busy_o),
@if LOADED     .fault_i         (fault_o),
@if LOADED     .clear_o         (clear),
@if LOADED     .table_we_o      (table_we),
@if LOADED     .table_sel_o     (table_sel),
@if LOADED     .table_addr_o    (table_addr),
@if LOADED     .table_data_o    (table_data),
@if LOADED     .map_we_o        (map_we),
@if LOADED     .map_out_o       (map_out),
@if LOADED     .map_node_o      (map_node),
@if LOADED     .map_way_o       (map_way),
@if LOADED     .map_addr_o      (map_addr),
@if LOADED     .map_data_o      (map_data),
@if LOADED     .last_row_o      (last_rows),
@if LOADED     .base_o          (bases),
@if LOADED     .map_base_o      (map_bases)
@if LOADED   );
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

  crl_axis_fabric #(
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
    .TableDepth (@TABLE_ROWS@),
@if LOADED     .InitFile   ((Init != 0) ? "tables/" : ""),
@if FIXED     .InitFile   ("tables/"),
    .Ways       (@STREAMS@),
    .PeerW      (@PEER_BITS@),
    .Ops        (@OPS@),
    .Rows       (@ROWS@),
    .MapDepth   (@MAP_DEPTH@),
@if LOADED     .MapFile    ((Init != 0) ? "tables/" : "")
@if FIXED     .MapFile    ("tables/")
  ) u_fabric (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
@if LOADED     .clear_i        (clear),
@if FIXED     .clear_i        (1'b0),
    .start_i        (start_i),
@if ONE     .op_i           (1'b0),
@if ONE     .order_ready_o  (unused_order),
@if SEVERAL     .op_i           (op_i),
@if SEVERAL     .order_ready_o  (op_ready_o),
    .busy_o         (busy_o),
@if LOADED     .last_row_i     (last_rows),
@if LOADED     .base_i         (bases),
@if LOADED     .map_base_i     (map_bases),
@if LOADED     .hold_i         (hold),
@if LOADED     .held_o         (held),
@if LOADED     .table_we_i     (table_we),
@if LOADED     .table_sel_i    (table_sel),
@if LOADED     .table_addr_i   (table_addr),
@if LOADED     .table_data_i   (table_data),
@if LOADED     .map_we_i       (map_we),
@if LOADED     .map_out_i      (map_out),
@if LOADED     .map_node_i     (map_node),
@if LOADED     .map_way_i      (map_way),
@if LOADED     .map_addr_i     (map_addr),
@if LOADED     .map_data_i     (map_data),
@if FIXED     .last_row_i     (@LAST_ROWS@),
@if FIXED     .base_i         (@BASES@),
@if FIXED     .map_base_i     (@MAP_BASES@),
@if FIXED     .hold_i         (1'b0),
@if FIXED     .held_o         (unused_held),
@if FIXED     .table_we_i     (1'b0),
@if FIXED     .table_sel_i    (@TABLE_BITS@'d0),
@if FIXED     .table_addr_i   (@ROW_BITS@'d0),
@if FIXED     .table_data_i   ({@ROW_WIDTH@{1'b0}}),
@if FIXED     .map_we_i       (1'b0),
@if FIXED     .map_out_i      (1'b0),
@if FIXED     .map_node_i     (@NODE_BITS@'d0),
@if FIXED     .map_way_i      (@WAY_BITS@'d0),
@if FIXED     .map_addr_i     (@MAP_BITS@'d0),
@if FIXED     .map_data_i     ({@ENTRY_WIDTH@{1'b0}}),
    .s_axis_tdata_i (@OWN_DATA@),
    .s_axis_tvalid_i(s_axis_tvalid_i),
    .s_axis_tready_o(s_axis_tready_o),
    .s_axis_tdest_o (s_axis_tdest_o),
    .m_axis_tdata_o (@SHOW_DATA@),
    .m_axis_tvalid_o(@SHOW_VALID@),
    .m_axis_tready_i(@SHOW_READY@),
    .m_axis_tlast_o (m_axis_tlast_o),
    .m_axis_tid_o   (m_axis_tid_o),
    .fault_o        (fault),
    .fault_parity_o (fault_parity)
  );

  assign fault_o = |fault || |fault_parity;

endmodule
