// @WHAT@. Made by carillon @VERSION@.
//
// Stream j of node v is at index v * @STREAMS@ + j; streams.csv has the packets in their order.
@if ONE // A round takes @PERIOD@ cycles.
@if SEVERAL // op_i says which of @OPS@ schedules a round plays, in the order in which they are listed above, from 0.

module @TOP@ (
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
  output logic [@NODES@*@STREAMS@*@NODE_BITS@-1:0] s_axis_tdest_o, // destination of the word wanted

  output logic [@NODES@*@STREAMS@*@WIDTH@-1:0] m_axis_tdata_o,
  output logic [@NODES@*@STREAMS@-1:0] m_axis_tvalid_o,
  input  logic [@NODES@*@STREAMS@-1:0] m_axis_tready_i,
  output logic [@NODES@*@STREAMS@-1:0] m_axis_tlast_o,
  output logic [@NODES@*@STREAMS@*@NODE_BITS@-1:0] m_axis_tid_o,   // origin of the word shown

  output logic fault_o                                    // sticky
);

  logic [@NODES@*5-1:0]  fault;
  logic [@TABLES@-1:0]     fault_parity;
@if ONE   logic                unused_order;

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
    .DataW      (@WIDTH@),
    .AddrW      (@ADDR_WIDTH@),
    .TableDepth (@TABLE_ROWS@),
    .InitFile   ("tables/"),
    .Ways       (@STREAMS@),
    .Ops        (@OPS@),
    .Rows       (@ROWS@),
    .MapDepth   (@MAP_DEPTH@),
    .MapFile    ("tables/")
  ) u_fabric (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (1'b0),
    .start_i        (start_i),
@if ONE     .op_i           (1'b0),
@if ONE     .order_ready_o  (unused_order),
@if SEVERAL     .op_i           (op_i),
@if SEVERAL     .order_ready_o  (op_ready_o),
    .last_row_i     (@LAST_ROWS@),
    .base_i         (@BASES@),
    .map_base_i     (@MAP_BASES@),
    .busy_o         (busy_o),
    .hold_i         (1'b0),
    .table_we_i     (1'b0),
    .table_sel_i    (@TABLE_BITS@'d0),
    .table_addr_i   (@ROW_BITS@'d0),
    .table_data_i   ({@ROW_WIDTH@{1'b0}}),
    .map_we_i       (1'b0),
    .map_out_i      (1'b0),
    .map_node_i     (@NODE_BITS@'d0),
    .map_way_i      (@WAY_BITS@'d0),
    .map_addr_i     (@MAP_BITS@'d0),
    .map_data_i     ({@ENTRY_WIDTH@{1'b0}}),
    .s_axis_tdata_i (s_axis_tdata_i),
    .s_axis_tvalid_i(s_axis_tvalid_i),
    .s_axis_tready_o(s_axis_tready_o),
    .s_axis_tdest_o (s_axis_tdest_o),
    .m_axis_tdata_o (m_axis_tdata_o),
    .m_axis_tvalid_o(m_axis_tvalid_o),
    .m_axis_tready_i(m_axis_tready_i),
    .m_axis_tlast_o (m_axis_tlast_o),
    .m_axis_tid_o   (m_axis_tid_o),
    .fault_o        (fault),
    .fault_parity_o (fault_parity)
  );

  assign fault_o = |fault || |fault_parity;

endmodule
