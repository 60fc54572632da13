// SPDX-License-Identifier: Apache-2.0
//
// A torus or an array of on-line nodes with real wires, from power-up, in four states. Nothing that a node says may be
// unknown once reset is over, nor any word on a link; in the end every node must hold what the problem says: of a partial
// multinode broadcast the packet of every active node, of an exchange what every active node had for it.
//
// Slots follow each other without a gap. Prints for how many cycles the links were busy; exit code 1: says what was wrong.

`timescale 1ns / 1ns

module crl_online_tb;
  parameter int SideX = 3; // dimension 0
  parameter int SideY = 3;
  parameter int Ring = 1;
  parameter int Split = 1;
  parameter int Exchange = 0;
  parameter int Balanced = 0; // classes of an exchange
  parameter int Active = 9'h0d5; // a bit a node
  parameter int Slots = 60;
  localparam int Dims = 2, DigitW = 2, DataW = 16, Depth = 16;
  localparam int Nodes = SideX * SideY;
  localparam int NodeW = Dims * DigitW;
  localparam int WordW = 2 * NodeW + DataW + (Exchange != 0 ? 1 : 0);
  localparam int Ports = 2 * Dims;
  localparam int Parts = Split == 0 ? 1 : Ring != 0 ? 2 * Dims : Dims;

  logic        clk = 1'b0;
  logic        rst_n = 1'b0;
  logic        start = 1'b0;
  logic        slot = 1'b0;
  logic        we = 1'b0;
  logic [15:0] addr = '0, sel = '0, place = '0;
  always #5 clk = !clk;

  logic [Nodes-1:0]               ready, busy, fault, held;
  logic [Nodes*32-1:0]            rows;
  logic [Nodes*Ports-1:0]         valid, in_valid;
  logic [Nodes*Ports*WordW-1:0]   data, in_data;
  logic [Nodes*(NodeW+DataW)-1:0] packet;

  function [DataW-1:0] payload(input int origin, input int part);
    payload = DataW'(origin * 64 + part + 16'h1001);
  endfunction

  // What travels in direction p comes from the node behind that.
  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    localparam int X = v % SideX;
    localparam int Y = v / SideX;
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      localparam int Step = p % 2 == 0 ? -1 : 1;
      localparam int FromX = p / 2 == 0 ? X + Step : X;
      localparam int FromY = p / 2 == 1 ? Y + Step : Y;
      localparam int There = Ring != 0 || (FromX >= 0 && FromX < SideX && FromY >= 0 && FromY < SideY) ? 1 : 0;
      localparam int From = (FromX + SideX) % SideX + (FromY + SideY) % SideY * SideX;
      assign in_valid[v*Ports+p] = There != 0 ? valid[From*Ports+p] : 1'b0;
      assign in_data[(v*Ports+p)*WordW +: WordW] = There != 0 ? data[(From*Ports+p)*WordW +: WordW] : '0;
    end
    if (Exchange == 0) begin : gen_broadcast
      logic       begins, step;
      logic [1:0] phase;
      crl_online_node #(
        .Dims   (Dims),
        .DigitW (DigitW),
        .DataW  (DataW),
        .Depth  (Depth),
        .Waiting(2)
      ) u_node (
        .clk_i(clk), .rst_ni(rst_n), .start_i(start), .slot_i(slot), .ready_o(ready[v]), .busy_o(busy[v]),
        .load_we_i(we), .load_addr_i(addr), .load_data_i(rows[v*32 +: 32]), .give_valid_i(1'b0), .give_data_i(DataW'(0)),
        .begins_o(begins), .phase_o(phase), .step_o(step),
        .link_valid_i(in_valid[v*Ports +: Ports]), .link_data_i(in_data[v*Ports*WordW +: Ports*WordW]),
        .link_valid_o(valid[v*Ports +: Ports]), .link_data_o(data[v*Ports*WordW +: Ports*WordW]),
        .read_sel_i(sel), .read_addr_i(place), .read_valid_o(held[v]),
        .read_data_o(packet[v*(NodeW+DataW) +: NodeW+DataW]), .fault_o(fault[v])
      );
      always @(negedge clk) if (rst_n && ^{begins, step, phase} === 1'bx) $fatal(1, "node %0d: a phase is unknown", v);
    end else begin : gen_exchange
      logic [1:0] phase;
      crl_online_exchange #(
        .Dims  (Dims),
        .DigitW(DigitW),
        .DataW (DataW),
        .Depth (Depth)
      ) u_node (
        .clk_i(clk), .rst_ni(rst_n), .start_i(start), .slot_i(slot), .ready_o(ready[v]), .busy_o(busy[v]),
        .load_we_i(we), .load_addr_i(addr), .load_data_i(rows[v*32 +: 32]), .phase_o(phase),
        .link_valid_i(in_valid[v*Ports +: Ports]), .link_data_i(in_data[v*Ports*WordW +: Ports*WordW]),
        .link_valid_o(valid[v*Ports +: Ports]), .link_data_o(data[v*Ports*WordW +: Ports*WordW]),
        .read_sel_i(sel), .read_addr_i(place), .read_valid_o(held[v]),
        .read_data_o(packet[v*(NodeW+DataW) +: NodeW+DataW]), .fault_o(fault[v])
      );
      always @(negedge clk) if (rst_n && ^phase === 1'bx) $fatal(1, "node %0d: a phase is unknown", v);
    end
  end

  int words = 0;
  always @(negedge clk) if (rst_n) begin
    if (^{ready, busy, fault, valid} === 1'bx) $fatal(1, "an output is unknown");
    for (int i = 0; i < Nodes * Ports; i++)
      if (valid[i] && ^data[i*WordW +: WordW] === 1'bx) $fatal(1, "node %0d: an unknown word on port %0d", i / Ports, i % Ports);
    if (fault != '0) $fatal(1, "fault of nodes %b", fault);
    if (slot) for (int i = 0; i < Nodes * Ports; i++) words = words + 32'(valid[i]);
  end

  function [31:0] row(input int v, input int a);
    int x, y;
    begin
      x   = v % SideX;
      y   = v / SideX;
      row = '0;
      if (a == 0) row = (Active >> v & 1) | (Balanced != 0 || (Exchange == 0 && Split != 0) ? 2 : 0);
      if (a == 1) row = (SideX > SideY ? SideX : SideY) - 1;
      if (a == 2) row = Ring << 31 | x << 16 | (SideX - 1);
      if (a == 3) row = Ring << 31 | y << 16 | (SideY - 1);
      if (a == 10 || a == 13) row = Depth;
      if (a >= 16 && Exchange != 0) row = 32'(payload(v, (a - 16) % 4 + (a - 16) / 4 * SideX)); // by destination
      else if (a >= 16) row = 32'(payload(v, Split == 0 ? 0 : Ring != 0 ? a - 16 : (a - 16) / 2));
    end
  endfunction

  logic [Nodes*Nodes*Parts-1:0] seen = '0;
  int origin, part;
  task collect(input int memory);
    begin
      sel = 16'(memory);
      for (int i = 0; i < Nodes; i++) begin
        place = 16'(i);
        @(negedge clk);
        @(negedge clk);
        for (int v = 0; v < Nodes; v++) if (held[v] && (memory % 4 < 2 || i == 0)) begin
          part = Exchange != 0 ? v : Split == 0 ? 0 : Ring != 0 ? memory / 4 * 2 + memory % 2 : memory / 4;
          // Digits are in the engine's order.
          origin = 32'(packet[v*(NodeW+DataW)+DataW+(memory/4%2)*DigitW +: DigitW]) +
                   32'(packet[v*(NodeW+DataW)+DataW+(1-memory/4%2)*DigitW +: DigitW]) * SideX;
          if (packet[v*(NodeW+DataW) +: DataW] !== payload(origin, part))
            $fatal(1, "node %0d, memory %0d: wrong packet %h", v, memory, packet[v*(NodeW+DataW) +: NodeW+DataW]);
          if (Exchange != 0) part = 0;
          if (seen[(v*Nodes+origin)*Parts+part]) $fatal(1, "node %0d has packet %0d.%0d twice", v, origin, part);
          seen[(v*Nodes+origin)*Parts+part] = 1'b1;
        end
      end
    end
  endtask

  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    for (int a = 0; a < 32; a++) begin
      we   = 1'b1;
      addr = 16'(a);
      for (int v = 0; v < Nodes; v++) rows[v*32 +: 32] = row(v, a);
      @(negedge clk);
    end
    we    = 1'b0;
    start = 1'b1;
    @(negedge clk);
    start = 1'b0;
    slot  = 1'b1;
    repeat (Slots * (4 * Dims + 5)) @(negedge clk);
    slot = 1'b0;
    @(negedge clk);
    while (!ready[0]) @(negedge clk);
    if (busy != '0) $fatal(1, "nodes %b are busy", busy);
    for (int m = 0; m < (Exchange != 0 ? 1 : 4 * Dims); m++) collect(m);
    for (int v = 0; v < Nodes; v++)
      for (int o = 0; o < Nodes; o++)
        for (int p = 0; p < Parts; p++)
          if (seen[(v*Nodes+o)*Parts+p] !== ((Active >> o & 1) != 0 && (Exchange == 0 || o != v)))
            $fatal(1, "node %0d: packet %0d.%0d is missing, or must not be there", v, o, p);
    if (words == 0) $fatal(1, "nothing was sent");
    $display("every node holds what it must; links were busy for %0d cycles in all", words);
    $finish;
  end
endmodule
