// SPDX-License-Identifier: Apache-2.0
//
// A hypercube of queue nodes with real wires, from power-up, in four states. Every node broadcasts its packets along the tree that
// crosses the dimensions upwards. Nothing that a node says may be unknown once reset is over, nor any word on a link or
// delivered; in the end every packet must have come to every other node, once, and no store may hold any.
//
// Prints how many words were on links; exit code 1: says what was wrong.

`timescale 1ns / 1ns

module crl_queue_tb #(
  parameter int Ports = 3,
  /// Own packets of a node.
  parameter int Packets = 4,
  /// 1: own packets go round by the loop-back queue first.
  parameter int Loops = 0,
  /// Blocking mode, as in crl_queue_node; with a class a dimension.
  parameter int Units = 0,
  /// Of the gates: 1 ORDER, 2 COIN_FIRST and COIN_SECOND in turn, 4 POSITION, one after the other.
  parameter int Mode = 1,
  /// What the bench does against the contract of the node: 1 begins a slot too early, 2 loads within one.
  parameter int Wrong = 0
);
  localparam int Nodes = 1 << Ports, DataW = 32, Depth = 32;
  localparam int Classes = (Units != 0) ? Ports : (Mode == 2) ? 2 : 1;
  localparam int Period = (Mode == 4) ? Nodes : (Mode == 2) ? 2 : 1;
  localparam int AddrW = $clog2(Depth), AW = $clog2(Ports + 2), PeriodW = (Period > 1) ? $clog2(Period) : 1;
  localparam int LoadW = PeriodW + AW;
  localparam int ForwardW = 7 + Ports, GateW = 11 + Ports + ((Units != 0) ? 4 : 0);

  logic             clk = 1'b0, rst_n = 1'b0, we = 1'b0, into_gate = 1'b0, slot = 1'b0;
  logic [LoadW-1:0] addr = '0;
  logic [GateW-1:0] row = '0;
  always #5 clk = !clk;

  logic [Nodes-1:0]             up, may, inject = '0, taken, deliver;
  logic [Nodes*DataW-1:0]       own, kept;
  logic [Nodes*Ports-1:0]       valid, in_valid, accept, in_accept;
  logic [Nodes*Ports*DataW-1:0] data, in_data;
  logic [Nodes*AW-1:0]          port;
  logic [Nodes*(AddrW+1)-1:0]   stored;
  logic [Nodes*3-1:0]           fault;
  logic [Nodes*32-1:0]          dropped, strange;

  // {tree 0, coin, origin, sequence}
  function [DataW-1:0] packet(input int origin, input int number);
    packet = {4'd0, 1'((origin ^ number) >> 1), 10'(origin), 17'(number)};
  endfunction

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      localparam int There = (v ^ (1 << p)) * Ports + p;
      assign in_valid[v*Ports+p] = valid[There];
      assign in_accept[v*Ports+p] = accept[There];
      assign in_data[(v*Ports+p)*DataW +: DataW] = data[There*DataW +: DataW];
    end
    crl_queue_node #(
      .Ports   (Ports),
      .Trees   (1),
      .Classes (Classes),
      .Loops   (Loops),
      .Position((Mode == 4) ? 1 : 0),
      .Depth   (Depth),
      .Units   (Units),
      .Period  (Period),
      .Counters(1)
    ) u_node (
      .clk_i(clk), .rst_ni(rst_n), .ready_o(up[v]), .node_i(10'(v)), .limit_i((AddrW+1)'((Units != 0) ? Units : Depth)),
      .last_row_i(PeriodW'(Period - 1)), .load_we_i(we), .load_gate_i(into_gate), .load_addr_i(addr), .load_data_i(row),
      .slot_i(slot), .stalled_i(1'b0), .inject_valid_i(inject[v]), .inject_data_i(own[v*DataW +: DataW]),
      .inject_ready_o(may[v]), .inject_taken_o(taken[v]), .link_valid_i(in_valid[v*Ports +: Ports]),
      .link_data_i(in_data[v*Ports*DataW +: Ports*DataW]), .link_valid_o(valid[v*Ports +: Ports]),
      .link_data_o(data[v*Ports*DataW +: Ports*DataW]), .link_accept_o(accept[v*Ports +: Ports]),
      .link_accept_i(in_accept[v*Ports +: Ports]), .deliver_valid_o(deliver[v]), .deliver_data_o(kept[v*DataW +: DataW]),
      .deliver_port_o(port[v*AW +: AW]), .stored_o(stored[v*(AddrW+1) +: AddrW+1]), .fault_o(fault[v*3 +: 3]),
      .dropped_o(dropped[v*32 +: 32]), .strange_o(strange[v*32 +: 32])
    );
  end

  int words = 0, origin, number;
  logic [Nodes*Nodes*Packets-1:0] seen = '0;
  always @(negedge clk) if (rst_n) begin
    if (^{up, may, taken, valid, accept, deliver, stored, fault, dropped, strange} === 1'bx) $fatal(1, "an output is unknown");
    if (|{fault, dropped, strange}) $fatal(1, "fault %b", fault);
    for (int i = 0; i < Nodes * Ports; i++) if (valid[i]) begin
      words = words + 1;
      if (^data[i*DataW +: DataW] === 1'bx) $fatal(1, "node %0d: an unknown word on port %0d", i / Ports, i % Ports);
    end
    for (int v = 0; v < Nodes; v++) if (deliver[v]) begin
      if (^{port[v*AW +: AW], kept[v*DataW +: DataW]} === 1'bx) $fatal(1, "node %0d: an unknown packet", v);
      origin = 32'(kept[v*DataW+17 +: 10]);
      number = 32'(kept[v*DataW +: 17]);
      if (origin >= Nodes || origin == v || number >= Packets || kept[v*DataW +: DataW] !== packet(origin, number))
        $fatal(1, "node %0d: %h is no packet for it", v, kept[v*DataW +: DataW]);
      if (32'(port[v*AW +: AW]) >= Ports || ((v ^ origin) >> port[v*AW +: AW]) != 1)
        $fatal(1, "node %0d: packet %0d.%0d came by port %0d", v, origin, number, port[v*AW +: AW]);
      if (seen[(v*Nodes+origin)*Packets+number]) $fatal(1, "node %0d has packet %0d.%0d twice", v, origin, number);
      seen[(v*Nodes+origin)*Packets+number] = 1'b1;
    end
  end

  task load(input logic gate, input int where, input logic [GateW-1:0] what);
    begin
      {we, into_gate, addr, row} = {1'b1, gate, LoadW'(where), what};
      @(negedge clk);
      we = 1'b0;
    end
  endtask

  // Forwarding {take, deliver, loop, class, ports}.
  function [GateW-1:0] forward(input int arrival);
    logic [Ports-1:0] above;
    begin
      above   = '1;
      forward = '0;
      if (arrival < Ports) begin
        above = above << (arrival + 1);
        forward[ForwardW-1:0] = {3'b110, 4'((Units != 0 && above != '0) ? arrival + 1 : (Mode == 2) ? 1 : 0), above};
      end else if (arrival == Ports && Loops != 0) forward[ForwardW-1:0] = {3'b101, 4'd0, Ports'(0)};
      else forward[ForwardW-1:0] = {3'b100, 4'd0, above};
    end
  endfunction

  // A gate {position, b, a, mode}, in blocking mode with the tree that it accepts on top.
  function [GateW-1:0] gate(input int turn, input int by);
    if (by == Ports) gate = GateW'(1);
    else if (Mode == 2) gate = GateW'({4'd1, 4'd0, 3'(2 + turn)});
    else if (Mode == 4) gate = GateW'({Ports'(turn), 4'd15, 4'd0, 3'd4});
    else gate = GateW'({(Units != 0 && by > 0) ? 4'(by - 1) : 4'd15, (Units != 0) ? 4'(by) : 4'd0, 3'd1});
  endfunction

  int              next [0:Nodes-1];
  logic [Nodes-1:0] tries;
  initial begin
    for (int v = 0; v < Nodes; v++) next[v] = 0;
    @(negedge clk); // one edge is enough
    rst_n = 1'b1;
    for (int a = 0; a < Ports + 2; a++) load(1'b0, a, forward(a));
    for (int t = 0; t < Period; t++) for (int p = 0; p <= Ports; p++) load(1'b1, t << AW | p, gate(t, p));
    while (up != '1) @(negedge clk);
    for (int s = 0; s < 8 * Nodes * Packets / Ports; s++) begin
      slot = 1'b1;
      @(negedge clk);
      slot = 1'b0;
      if (Wrong == 2) load(1'b0, 0, forward(0));
      while (may != '1) @(negedge clk);
      // One own packet a slot, of every second node: where it finds no room it is offered again.
      for (int v = 0; v < Nodes; v++) begin
        tries[v] = next[v] < Packets && (v + s) % 2 == 0;
        own[v*DataW +: DataW] = packet(v, next[v]);
      end
      inject = tries;
      @(negedge clk);
      inject = '0;
      own = 'x;
      @(negedge clk);
      for (int v = 0; v < Nodes; v++) if (tries[v] && (Units == 0 || taken[v])) next[v] = next[v] + 1;
      repeat ((Wrong == 1) ? 0 : 3) @(negedge clk);
    end
    for (int v = 0; v < Nodes; v++)
      for (int o = 0; o < Nodes; o++)
        for (int n = 0; n < Packets; n++)
          if (v != o && !seen[(v*Nodes+o)*Packets+n]) $fatal(1, "node %0d has no packet %0d.%0d", v, o, n);
    if (stored !== '0) $fatal(1, "packets are left behind");
    $display("every packet is everywhere; %0d words on links", words);
    $finish(0);
  end
endmodule
