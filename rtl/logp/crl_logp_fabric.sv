// SPDX-License-Identifier: Apache-2.0
//
// LogP machine: processors on a crossbar, each with a table of its own.
//
// Timing: that of crl_logp_node. A word on a processor's output link in one cycle is taken in by the row that acts
// latency_i - 1 cycles later, so row r's word counts in row r + latency_i. A word put on the injection input takes the
// place of the crossbar's first in the same cycle.

module crl_logp_fabric #(
  /// Processors, 2 or more.
  parameter int Nodes = 4,
  /// The longest latency of the crossbar, and the shortest: from 3 on it absorbs registers in the processors, from 4 on one in
  /// the crossbar, too, and the clock is faster.
  parameter int LatencyMax = 6,
  parameter int LatencyMin = 4,
  /// Bits of a word.
  parameter int DataW = 16,
  /// Bits of a bank address within a page.
  parameter int AddrW = 8,
  /// Rows of a table memory.
  parameter int TableDepth = 256,
  /// Words of an item; a bank has as many pages.
  parameter int Words = 1,
  /// Bits that name a processor.
  localparam int NodeW = (Nodes > 1) ? $clog2(Nodes) : 1,
  /// Bits of a latency.
  localparam int LW = $clog2(LatencyMax + 1),
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  /// Bits of a page number.
  localparam int PW = (Words > 1) ? $clog2(Words) : 1,
  /// Bits of a row.
  localparam int RowW = 17 + NodeW + 2 * AddrW
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,          // clears sticky faults

  input  logic                   start_i,          // pulse; ignored while busy
  input  logic [TA-1:0]          last_row_i,       // holds while busy
  input  logic [PW-1:0]          last_page_i,      // rounds - 1; holds while busy
  output logic                   busy_o,

  input  logic [NodeW:0]         nodes_i,          // processors in use; these hold while busy
  input  logic [LW-1:0]          latency_i,        // LatencyMin to LatencyMax
  input  logic [1:0]             op_i,             // as in crl_operator

  input  logic                   table_we_i,       // load port; only while not busy
  input  logic [NodeW-1:0]       table_sel_i,      // whose table is loaded
  input  logic [TA-1:0]          table_addr_i,
  input  logic [RowW-1:0]        table_data_i,

  input  logic [Nodes-1:0]       inj_valid_i,
  input  logic [Nodes*DataW-1:0] inj_data_i,
  output logic [Nodes-1:0]       link_valid_o,     // what each processor sends
  output logic [Nodes*NodeW-1:0] link_dest_o,
  output logic [Nodes*DataW-1:0] link_data_o,

  output logic [Nodes*4-1:0]     fault_o,          // of the processors
  output logic [Nodes*TA-1:0]    fault_row_o,
  output logic [Nodes-1:0]       fault_parity_o,
  output logic [Nodes*TA-1:0]    fault_parity_row_o,
  output logic [Nodes-1:0]       fault_conflict_o, // of the crossbar
  output logic [Nodes-1:0]       fault_outside_o
);

  logic [Nodes-1:0]         busy;
  logic [2*Nodes-1:0]       arrival_valid;
  logic [2*Nodes*DataW-1:0] arrival_data;

  localparam int Stages = (LatencyMin >= 3) ? 2 : 0;

  // All tables have the same length, so the processors run in step.
  assign busy_o = |busy;

  crl_crossbar #(
    .Ports     (Nodes),
    .LatencyMax(LatencyMax),
    .Elsewhere (Stages),
    .Registers ((LatencyMin >= 4) ? 1 : 0),
    .DataW     (DataW)
  ) u_crossbar (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .nodes_i   (nodes_i),
    .latency_i (latency_i),
    .valid_i   (link_valid_o),
    .dest_i    (link_dest_o),
    .data_i    (link_data_o),
    .valid_o   (arrival_valid),
    .data_o    (arrival_data),
    .conflict_o(fault_conflict_o),
    .outside_o (fault_outside_o)
  );

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    crl_logp_node #(
      .DataW     (DataW),
      .AddrW     (AddrW),
      .NodeW     (NodeW),
      .TableDepth(TableDepth),
      .Words     (Words),
      .Stages    (Stages)
    ) u_node (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .clear_i           (clear_i),
      .start_i           (start_i),
      .last_row_i        (last_row_i),
      .last_page_i       (last_page_i),
      .busy_o            (busy[v]),
      .op_i              (op_i),
      .table_we_i        (table_we_i && table_sel_i == NodeW'(v)),
      .table_addr_i      (table_addr_i),
      .table_data_i      (table_data_i),
      .link_valid_i      ({arrival_valid[2*v+1], arrival_valid[2*v] || inj_valid_i[v]}),
      .link_data_i       ({arrival_data[(2*v+1)*DataW +: DataW],
                           inj_valid_i[v] ? inj_data_i[v*DataW +: DataW] : arrival_data[2*v*DataW +: DataW]}),
      .link_valid_o      (link_valid_o[v]),
      .link_dest_o       (link_dest_o[v*NodeW +: NodeW]),
      .link_data_o       (link_data_o[v*DataW +: DataW]),
      .fault_o           (fault_o[v*4 +: 4]),
      .fault_row_o       (fault_row_o[v*TA +: TA]),
      .fault_parity_o    (fault_parity_o[v]),
      .fault_parity_row_o(fault_parity_row_o[v*TA +: TA])
    );
  end

endmodule
