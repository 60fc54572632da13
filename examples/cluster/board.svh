// SPDX-License-Identifier: Apache-2.0
//
// A board of the cluster: what Carillon emitted for it, cluster_NAME, and four accelerators, those of lines L0 to L3. Its cables
// are in the order of its README: number and index of each are in bench.sv. With WIRES a cable is two wires.

`ifdef WIRES
`define CABLE_PORTS output logic [1:0] tx_wire_o, input logic [1:0] rx_wire_i,
`define CABLE_PINS .tx_wire_o(tx_wire_o), .rx_wire_i(rx_wire_i),
`else
`define CABLE_PORTS output logic [1:0] tx_valid_o, output logic [2*FlitW-1:0] tx_flit_o, input logic [1:0] rx_valid_i, input logic [2*FlitW-1:0] rx_flit_i,
`define CABLE_PINS .tx_valid_o(tx_valid_o), .tx_flit_o(tx_flit_o), .tx_take_i(2'b11), .rx_valid_i(rx_valid_i), .rx_flit_i(rx_flit_i),
`endif

`define BOARD(NAME, L0, L1, L2, L3) \
module board_``NAME #( \
  parameter int DataW = 16, \
  parameter int FlitW = 45 \
) ( \
  input  logic                clk_i, \
  input  logic                rst_ni, \
  input  logic                start_i, \
  output logic                begins_o, \
  output logic                busy_o, \
  output logic [1:0]          waits_for_o, \
  output logic [5:0]          row_o, \
  input  logic [256*DataW-1:0] rows_i, \
  output logic [4*16*DataW-1:0] columns_o, \
  `CABLE_PORTS \
  output logic                fault_o \
); \
  localparam int Streams = 4; \
  localparam logic [4*8-1:0] LinesHere = {8'd``L3, 8'd``L2, 8'd``L1, 8'd``L0}; \
  logic [4*Streams*DataW-1:0] own, come; \
  logic [4*Streams*4-1:0] dest, id; \
  logic [4*Streams-1:0] come_valid; \
 \
  cluster_``NAME u_fabric ( \
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start_i), .begins_o(begins_o), .busy_o(busy_o), .step_o(), .row_o(row_o), \
    .s_axis_tdata_i(own), .s_axis_tvalid_i({4*Streams{1'b1}}), .s_axis_tready_o(), .s_axis_tdest_o(dest), \
    .m_axis_tdata_o(come), .m_axis_tvalid_o(come_valid), .m_axis_tready_i({4*Streams{1'b1}}), .m_axis_tlast_o(), .m_axis_tid_o(id), \
    `CABLE_PINS \
    .waits_for_o(waits_for_o), .held_by_o(), .up_o(), .silent_o(), .fault_other_o(), .fault_reset_o(), .repeats_o(), .damaged_o(), \
    .fault_o(fault_o)); \
 \
  for (genvar k = 0; k < 4; k++) begin : gen_line \
    localparam int Line = 32'(LinesHere[8*k +: 8]); \
    accelerator #(.Line(Line), .DataW(DataW), .Streams(Streams)) u_accelerator ( \
      .clk_i(clk_i), .row_i(rows_i[Line*16*DataW +: 16*DataW]), .column_o(columns_o[k*16*DataW +: 16*DataW]), \
      .own_data_o(own[k*Streams*DataW +: Streams*DataW]), .own_dest_i(dest[k*Streams*4 +: Streams*4]), \
      .come_data_i(come[k*Streams*DataW +: Streams*DataW]), .come_valid_i(come_valid[k*Streams +: Streams]), .come_id_i(id[k*Streams*4 +: Streams*4])); \
  end \
endmodule
