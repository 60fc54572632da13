// SPDX-License-Identifier: Apache-2.0
//
// On-line nodes, wired to each other as a list of neighbours says: crl_online_node, or crl_online_exchange.
//
// Timing: that of the nodes, which are all in the same cycle of a slot.

`include "crl_networks.svh"

module crl_online_fabric #(
  /// Nodes of the network.
  parameter int Nodes = 9,
  /// Dimensions, 1 to 8; a node has two ports each.
  parameter int Dims = 2,
  /// 16 bits a link, as of crl_links: the neighbour behind direction p of node v at 16 * (v * Ports + p), all ones for none.
  /// The default is the 3 by 3 torus.
  parameter Neighbours = `CRL_TORUS_3X3,
  /// 0: partial all-gather and its parts; 1: partial exchange.
  parameter int Exchange = 0,
  /// Bits of a digit: sides are 2 to 2^DigitW.
  parameter int DigitW = 4,
  /// Bits of a payload.
  parameter int DataW = 16,
  /// Packets of each memory of a node, or of all its queues: a power of two, 2 or more.
  parameter int Depth = 256,
  /// Broadcast: packets that may wait for an interval, a power of two, 2 or more; 0: there are no intervals.
  parameter int Waiting = 64,
  /// Exchange: bits of the digits of a node, as of crl_online_exchange.
  parameter logic [31:0] SideBits = 32'd0,
  /// Link ports of a node.
  localparam int Ports = 2 * Dims,
  /// Bits as in the nodes.
  localparam int NodeW = Dims * DigitW,
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1,
  localparam int WordW = ((Exchange != 0) ? StepW : 0) + 2 * NodeW + DataW
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           start_i,
  input  logic                           slot_i,
  output logic                           ready_o,       // of all nodes
  output logic                           busy_o,        // of any

  input  logic [Nodes-1:0]               load_we_i,     // load port: into the registers of which nodes
  input  logic [15:0]                    load_addr_i,
  input  logic [31:0]                    load_data_i,

  input  logic [Nodes-1:0]               give_valid_i,  // broadcast: a packet of a node, as of crl_online_node
  input  logic [Nodes*DataW-1:0]         give_data_i,

  output logic [Nodes-1:0]               begins_o,      // what each node says of the words on its links
  output logic [Nodes*2-1:0]             phase_o,
  output logic [Nodes*StepW-1:0]         step_o,

  output logic [Nodes*Ports-1:0]         link_valid_o,  // what node v sends on port p, at v * Ports + p
  output logic [Nodes*Ports*WordW-1:0]   link_data_o,

  input  logic [15:0]                    read_sel_i,    // of all nodes at once
  input  logic [15:0]                    read_addr_i,
  output logic [Nodes-1:0]               read_valid_o,
  output logic [Nodes*(NodeW+DataW)-1:0] read_data_o,
  output logic [Nodes-1:0]               fault_o
);

  logic [Nodes*Ports-1:0]       in_valid, unused_back;
  logic [Nodes*Ports*WordW-1:0] in_data;
  logic [Nodes-1:0]             ready, busy;

  crl_links #(
    .Nodes     (Nodes),
    .Ports     (Ports),
    .DataW     (WordW),
    .Neighbours(Neighbours)
  ) u_links (
    .valid_i(link_valid_o),
    .data_i (link_data_o),
    .valid_o(in_valid),
    .data_o (in_data),
    .back_i ({Nodes*Ports{1'b0}}),
    .back_o (unused_back)
  );

  assign ready_o = &ready;
  assign busy_o  = |busy;

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    if (Exchange != 0) begin : gen_exchange
      crl_online_exchange #(
        .Dims    (Dims),
        .DigitW  (DigitW),
        .DataW   (DataW),
        .Depth   (Depth),
        .SideBits(SideBits)
      ) u_node (
        .clk_i       (clk_i),
        .rst_ni      (rst_ni),
        .start_i     (start_i),
        .slot_i      (slot_i),
        .ready_o     (ready[v]),
        .busy_o      (busy[v]),
        .load_we_i   (load_we_i[v]),
        .load_addr_i (load_addr_i),
        .load_data_i (load_data_i),
        .phase_o     (phase_o[v*2 +: 2]),
        .link_valid_i(in_valid[v*Ports +: Ports]),
        .link_data_i (in_data[v*Ports*WordW +: Ports*WordW]),
        .link_valid_o(link_valid_o[v*Ports +: Ports]),
        .link_data_o (link_data_o[v*Ports*WordW +: Ports*WordW]),
        .read_sel_i  (read_sel_i),
        .read_addr_i (read_addr_i),
        .read_valid_o(read_valid_o[v]),
        .read_data_o (read_data_o[v*(NodeW+DataW) +: NodeW+DataW]),
        .fault_o     (fault_o[v])
      );
      logic unused_give;
      assign unused_give = &{1'b0, give_valid_i[v], give_data_i[v*DataW +: DataW]};
      assign begins_o[v] = 1'b0;
      assign step_o[v*StepW +: StepW] = '0;
    end else begin : gen_broadcast
      crl_online_node #(
        .Dims   (Dims),
        .DigitW (DigitW),
        .DataW  (DataW),
        .Depth  (Depth),
        .Waiting(Waiting)
      ) u_node (
        .clk_i       (clk_i),
        .rst_ni      (rst_ni),
        .start_i     (start_i),
        .slot_i      (slot_i),
        .ready_o     (ready[v]),
        .busy_o      (busy[v]),
        .load_we_i   (load_we_i[v]),
        .load_addr_i (load_addr_i),
        .load_data_i (load_data_i),
        .give_valid_i(give_valid_i[v]),
        .give_data_i (give_data_i[v*DataW +: DataW]),
        .begins_o    (begins_o[v]),
        .phase_o     (phase_o[v*2 +: 2]),
        .step_o      (step_o[v*StepW +: StepW]),
        .link_valid_i(in_valid[v*Ports +: Ports]),
        .link_data_i (in_data[v*Ports*WordW +: Ports*WordW]),
        .link_valid_o(link_valid_o[v*Ports +: Ports]),
        .link_data_o (link_data_o[v*Ports*WordW +: Ports*WordW]),
        .read_sel_i  (read_sel_i),
        .read_addr_i (read_addr_i),
        .read_valid_o(read_valid_o[v]),
        .read_data_o (read_data_o[v*(NodeW+DataW) +: NodeW+DataW]),
        .fault_o     (fault_o[v])
      );
    end
  end

endmodule
