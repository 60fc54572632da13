// SPDX-License-Identifier: Apache-2.0
//
// The network of a board of queues: a hypercube of crl_queue_node, all with the same tables, and what each slot did.
//
// Words of links and of own packets are narrow: {tree, origin, sequence}, each as many low bits as it takes to tell packets
// apart that are under way. What they lack is 0 in crl_queue_node, where it costs nothing.
//
// Timing: slot_i begins a slot while ready_o. own_ready_o rises when own packets are taken, one a clock, each by the node that
// is its origin. Three clocks after that, or after the last of them, record_o says what the slot did, and the next may begin.
// record_i is {node, which}: 0 {fault, stored, delivered, sent}, 1 + p the word on port p if it was sent.

module crl_live_queue #(
  /// Dimensions.
  parameter int Dim = 3,
  /// Packets a node stores: a power of two.
  parameter int Depth = 8,
  /// Bits of a sequence number: fewer packets of an origin than they count are under way.
  parameter int SequenceW = 8,
  localparam int LinkW = 2 + Dim + SequenceW,
  localparam int Nodes = 1 << Dim,
  localparam int AddrW = $clog2(Depth),
  localparam int WordW = 32
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  output logic           ready_o,

  input  logic           load_we_i,     // of all nodes' forwarding tables
  input  logic [4:0]     load_addr_i,
  input  logic [15:0]    load_data_i,

  input  logic           slot_i,
  input  logic           own_valid_i,
  input  logic [15:0]    own_data_i,
  output logic           own_ready_o,

  input  logic [Dim+1:0] record_i,
  output logic [15:0]    record_o,
  output logic           fault_o
);

  localparam int LoadW = $clog2(Dim) + $clog2(Dim + 2);

  if (Dim != 3) begin : gen_bad_dim
    crl_error_a_record_has_three_ports u_error ();
  end

  // Every port sends the oldest packet that waits for it, in every slot: docs/formats/queue.md.
  localparam int Always = 1 | 15 << 7;

  function automatic logic [WordW-1:0] widened(input logic [LinkW-1:0] word);
    widened = {2'b0, word[LinkW-1 -: 2], 1'b0, 10'(word[SequenceW +: Dim]), 17'(word[SequenceW-1:0])};
  endfunction

  logic [Nodes-1:0]          ready, takes, faults;
  logic [Nodes*Dim-1:0]       valid;
  logic [Nodes*Dim*LinkW-1:0] data;
  logic [Nodes*4*16-1:0]     record;

  assign ready_o     = &ready;
  assign own_ready_o = takes[0];  // all nodes are at the same stage
  assign fault_o     = |faults;
  assign record_o    = record[record_i*16 +: 16];

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    logic [Dim-1:0]       in_valid, sent_q, delivered_q, deliver_port;
    logic [Dim*WordW-1:0] in_data, out_data;
    logic [AddrW:0]       stored;
    logic [2:0]           fault;
    logic                 deliver_valid, unused_taken;
    logic [WordW-1:0]     unused_delivered;
    logic [Dim-1:0]       unused_accept;
    logic [31:0]          unused_dropped, unused_strange;

    for (genvar p = 0; p < Dim; p++) begin : gen_port
      localparam int From = (v ^ (1 << p)) * Dim + p;
      assign in_valid[p]                   = valid[From];
      assign in_data[p*WordW +: WordW]     = widened(data[From*LinkW +: LinkW]);
      assign data[(v*Dim + p)*LinkW +: LinkW] =
          {out_data[p*WordW + 28 +: 2], out_data[p*WordW + 17 +: Dim], out_data[p*WordW +: SequenceW]};
      assign record[(v*4 + 1 + p)*16 +: 16] = 16'(data[(v*Dim + p)*LinkW +: LinkW]);
    end

    crl_queue_node #(
      .Ports  (Dim),
      .Trees  (Dim),
      .Classes(1),
      .Depth  (Depth),
      .Period (1),
      .Coins  (0),
      .OriginW(Dim),
      .SequenceW(SequenceW),
      .OneGate(Always)
    ) u_node (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .ready_o        (ready[v]),
      .node_i         (10'(v)),
      .limit_i        ((AddrW+1)'(Depth)),
      .last_row_i     (1'b0),
      .load_we_i      (load_we_i),
      .load_gate_i    (1'b0),
      .load_addr_i    (load_addr_i[LoadW-1:0]),
      .load_data_i    (load_data_i[10+Dim:0]),
      .slot_i         (slot_i),
      .stalled_i      (1'b0),
      .inject_valid_i (own_valid_i && own_data_i[SequenceW +: Dim] == Dim'(v)),
      .inject_data_i  (widened(own_data_i[LinkW-1:0])),
      .inject_ready_o (takes[v]),
      .inject_taken_o (unused_taken),
      .link_valid_i   (in_valid),
      .link_data_i    (in_data),
      .link_valid_o   (valid[v*Dim +: Dim]),
      .link_data_o    (out_data),
      .link_accept_o  (unused_accept),
      .link_accept_i  ('1),
      .deliver_valid_o(deliver_valid),
      .deliver_data_o (unused_delivered),
      .deliver_port_o (deliver_port),
      .stored_o       (stored),
      .fault_o        (fault),
      .dropped_o      (unused_dropped),
      .strange_o      (unused_strange)
    );

    always_ff @(posedge clk_i) begin
      if (slot_i) begin
        sent_q      <= '0;
        delivered_q <= '0;
      end else begin
        sent_q <= sent_q | valid[v*Dim +: Dim];
        for (int p = 0; p < Dim; p++) if (deliver_valid && 32'(deliver_port) == p) delivered_q[p] <= 1'b1;
      end
    end

    assign faults[v]          = fault != '0;
    assign record[v*64 +: 16] = {fault, 7'(stored), delivered_q, sent_q};

    logic unused_bits;
    assign unused_bits = &{1'b0, out_data, unused_delivered, unused_taken, unused_accept, unused_dropped, unused_strange};
  end

  logic unused_high;
  assign unused_high = &{1'b0, takes, load_data_i, own_data_i[15:LinkW]};

endmodule
