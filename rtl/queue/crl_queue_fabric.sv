// SPDX-License-Identifier: Apache-2.0
//
// Nodes of queue control, wired to each other as a list of neighbours says.
//
// Timing: that of crl_queue_node. All nodes are in the same cycle of a slot.

`include "crl_networks.svh"

module crl_queue_fabric #(
  /// Nodes of the network.
  parameter int Nodes = 8,
  /// Link ports of a node, 1 to 10.
  parameter int Ports = 3,
  /// 16 bits a link, as of crl_links: the neighbour behind direction p of node v at 16 * (v * Ports + p), all ones for none.
  /// The default is the 3-cube.
  parameter Neighbours = `CRL_CUBE_3,
  /// Trees along which packets travel, 1 to 15.
  parameter int Trees = 3,
  /// Queues of a port, 1 to 10.
  parameter int Classes = 1,
  /// 1: a loop-back queue a tree.
  parameter int Loops = 0,
  /// 1: queues remember where packets come from, for gates by position.
  parameter int Position = 0,
  /// Places of the store of a node and of each queue: a power of two.
  parameter int Depth = 256,
  /// 0: what finds the store full is dropped. Else blocking mode: packets a buffer, a tree and a class, can hold.
  parameter int Units = 0,
  /// Slots after which gates repeat, at most.
  parameter int Period = 3,
  /// 1: dropped_o and strange_o count; 0: they are 0.
  parameter int Counters = 0,
  /// File for $readmemh of the forwarding table of all nodes; empty: loaded through the load port.
  parameter ForwardFile = "",
  /// The same of the gates.
  parameter GateFile = "",
  /// Bits as in crl_queue_node.
  localparam int DataW = 32,
  localparam int AddrW = $clog2(Depth),
  localparam int TW = (Trees > 1) ? $clog2(Trees) : 1,
  localparam int AW = $clog2(Ports + 2),
  localparam int PeriodW = (Period > 1) ? $clog2(Period) : 1,
  localparam int LoadW = ((PeriodW > TW) ? PeriodW : TW) + AW,
  localparam int GateW = 11 + Ports + ((Units != 0) ? 4 : 0)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         ready_o,         // of all nodes

  input  logic [AddrW:0]               limit_i,         // packets each store may hold; in blocking mode, each buffer
  input  logic [PeriodW-1:0]           last_row_i,      // period - 1

  input  logic [Nodes-1:0]             load_we_i,       // load port: into the tables of which nodes; only between slots
  input  logic                         load_gate_i,
  input  logic [LoadW-1:0]             load_addr_i,
  input  logic [GateW-1:0]             load_data_i,

  input  logic                         slot_i,          // pulse: a slot begins
  input  logic [Nodes-1:0]             stalled_i,       // with it, blocking mode: which nodes do nothing in it
  input  logic [Nodes-1:0]             inject_valid_i,
  input  logic [Nodes*DataW-1:0]       inject_data_i,
  output logic                         inject_ready_o,  // of all nodes
  output logic [Nodes-1:0]             inject_taken_o,

  output logic [Nodes*Ports-1:0]       link_valid_o,    // what node v sends on port p, at v * Ports + p
  output logic [Nodes*Ports*DataW-1:0] link_data_o,

  output logic [Nodes-1:0]             deliver_valid_o,
  output logic [Nodes*DataW-1:0]       deliver_data_o,
  output logic [Nodes*AW-1:0]          deliver_port_o,

  output logic [Nodes*(AddrW+1)-1:0]   stored_o,
  output logic [Nodes*3-1:0]           fault_o,
  output logic [Nodes*32-1:0]          dropped_o,
  output logic [Nodes*32-1:0]          strange_o
);

  if (Nodes > 1024) begin : gen_bad_nodes
    crl_error_nodes_must_be_1024_or_fewer u_error ();
  end

  logic [Nodes*Ports-1:0]       in_valid, accepts, accepted;
  logic [Nodes*Ports*DataW-1:0] in_data;
  logic [Nodes-1:0]             ready, inject_ready;

  crl_links #(
    .Nodes     (Nodes),
    .Ports     (Ports),
    .DataW     (DataW),
    .Neighbours(Neighbours)
  ) u_links (
    .valid_i(link_valid_o),
    .data_i (link_data_o),
    .valid_o(in_valid),
    .data_o (in_data),
    .back_i (accepts),
    .back_o (accepted)
  );

  assign ready_o        = &ready;
  assign inject_ready_o = &inject_ready;

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    crl_queue_node #(
      .Ports      (Ports),
      .Trees      (Trees),
      .Classes    (Classes),
      .Loops      (Loops),
      .Position   (Position),
      .Depth      (Depth),
      .Units      (Units),
      .Period     (Period),
      .Counters   (Counters),
      .ForwardFile(ForwardFile),
      .GateFile   (GateFile)
    ) u_node (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .ready_o        (ready[v]),
      .node_i         (10'(v)),
      .limit_i        (limit_i),
      .last_row_i     (last_row_i),
      .load_we_i      (load_we_i[v]),
      .load_gate_i    (load_gate_i),
      .load_addr_i    (load_addr_i),
      .load_data_i    (load_data_i),
      .slot_i         (slot_i),
      .stalled_i      (stalled_i[v]),
      .inject_valid_i (inject_valid_i[v]),
      .inject_data_i  (inject_data_i[v*DataW +: DataW]),
      .inject_ready_o (inject_ready[v]),
      .inject_taken_o (inject_taken_o[v]),
      .link_valid_i   (in_valid[v*Ports +: Ports]),
      .link_data_i    (in_data[v*Ports*DataW +: Ports*DataW]),
      .link_valid_o   (link_valid_o[v*Ports +: Ports]),
      .link_data_o    (link_data_o[v*Ports*DataW +: Ports*DataW]),
      .link_accept_o  (accepts[v*Ports +: Ports]),
      .link_accept_i  (accepted[v*Ports +: Ports]),
      .deliver_valid_o(deliver_valid_o[v]),
      .deliver_data_o (deliver_data_o[v*DataW +: DataW]),
      .deliver_port_o (deliver_port_o[v*AW +: AW]),
      .stored_o       (stored_o[v*(AddrW+1) +: AddrW+1]),
      .fault_o        (fault_o[v*3 +: 3]),
      .dropped_o      (dropped_o[v*32 +: 32]),
      .strange_o      (strange_o[v*32 +: 32])
    );
  end

endmodule
