// SPDX-License-Identifier: Apache-2.0
//
// A torus, an array or a mixed mesh of on-line nodes with real wires, from power-up, in four states: random runs of every
// mode, some of them ended by a reset, some begun again without new registers. Nothing that a node says may be unknown once
// reset is over, nor any word on a link; all nodes are in the same slot of the same phase, a slot takes as long as it must,
// and in the end every node must hold what the problem says.
//
// +seed=N draws others. Prints for how many cycles the links were busy; exit code 1: says what was wrong.

`timescale 1ns / 1ns

module crl_online_tb;
  parameter int Dims = 2;
  parameter int SideX = 3; // dimension 0
  parameter int SideY = 3;
  parameter int SideZ = 1; // 1 where there are fewer dimensions
  parameter int Rings = 3; // a bit a dimension
  parameter int Exchange = 0;
  parameter int DigitW = 2;
  parameter int Depth = 16;
  parameter int SideBits = 0; // of an exchange
  parameter int Kinds = Exchange != 0 ? 3 : 511; // runs, a bit each, see below, in turn
  parameter int Tight = 0; // 1: queues may be too small, and something more comes in than is sent, in an exchange on an array
  parameter int Runs = 4;
  localparam int DataW = 16, Waiting = 2, Parts = 8; // at most
  localparam int Nodes = SideX * SideY * SideZ;
  localparam int StepW = Dims > 1 ? $clog2(Dims) : 1;
  localparam int NodeW = Dims * DigitW;
  localparam int WordW = 2 * NodeW + DataW + (Exchange != 0 ? StepW : 0);
  localparam int Ports = 2 * Dims;
  localparam int Cycles = 4 * Dims + (Exchange != 0 ? 5 : 3); // of a slot
  localparam int Halves = Rings == (1 << Dims) - 1 ? 1 : 0;

  // Kinds of runs of crl_online_node; of crl_online_exchange 0 plain, 1 balanced.
  localparam int Whole = 0, Split = 1, Prefix = 2, Packing = 3, Routing = 4, Lines = 5, SplitLines = 6, Repeat = 7, SplitRepeat = 8;

  logic        clk = 1'b0;
  logic        rst_n = 1'b0;
  logic        start = 1'b0;
  logic        slot = 1'b0;
  logic        we = 1'b0;
  logic        stranger = 1'b0; // comes in at node 0, travelling up,
  int          hops = 0;        // with so many hops left in it
  logic [15:0] addr = '0, sel = '0, place = '0;
  always #5 clk = !clk;

  logic [Nodes-1:0]               ready, busy, fault, held, begins;
  logic [Nodes-1:0]               give = '0;
  logic [Nodes*DataW-1:0]         given;
  logic [Nodes*2-1:0]             phase;
  logic [Nodes*StepW-1:0]         step;
  logic [Nodes*32-1:0]            rows;
  logic [Nodes*Ports-1:0]         valid, in_valid;
  logic [Nodes*Ports*WordW-1:0]   data, in_data;
  logic [Nodes*(NodeW+DataW)-1:0] packet;

  function int side_of(input int k);
    side_of = k == 0 ? SideX : k == 1 ? SideY : SideZ;
  endfunction
  function int digit_of(input int v, input int k);
    digit_of = k == 0 ? v % SideX : k == 1 ? v / SideX % SideY : v / SideX / SideY;
  endfunction

  // What travels in direction p comes from the node behind that.
  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      localparam int Side = side_of(p / 2);
      localparam int From = digit_of(v, p / 2) + (p % 2 == 0 ? -1 : 1);
      localparam int There = (Rings >> (p / 2)) % 2 != 0 || (From >= 0 && From < Side) ? 1 : 0;
      localparam int Weight = p / 2 == 0 ? 1 : p / 2 == 1 ? SideX : SideX * SideY;
      localparam int Behind = v + ((From + Side) % Side - digit_of(v, p / 2)) * Weight;
      assign in_valid[v*Ports+p] = There != 0 ? valid[Behind*Ports+p] : v == 0 && p == 0 && stranger;
      assign in_data[(v*Ports+p)*WordW +: WordW] = There != 0 ? data[(Behind*Ports+p)*WordW +: WordW]
                                              : WordW'(hops) << (NodeW + DataW); // for node 0, class 0
    end
    if (Exchange == 0) begin : gen_broadcast
      crl_online_node #(
        .Dims   (Dims),
        .DigitW (DigitW),
        .DataW  (DataW),
        .Depth  (Depth),
        .Waiting(Waiting)
      ) u_node (
        .clk_i(clk), .rst_ni(rst_n), .start_i(start), .slot_i(slot), .ready_o(ready[v]), .busy_o(busy[v]),
        .load_we_i(we), .load_addr_i(addr), .load_data_i(rows[v*32 +: 32]),
        .give_valid_i(give[v]), .give_data_i(given[v*DataW +: DataW]),
        .begins_o(begins[v]), .phase_o(phase[v*2 +: 2]), .step_o(step[v*StepW +: StepW]),
        .link_valid_i(in_valid[v*Ports +: Ports]), .link_data_i(in_data[v*Ports*WordW +: Ports*WordW]),
        .link_valid_o(valid[v*Ports +: Ports]), .link_data_o(data[v*Ports*WordW +: Ports*WordW]),
        .read_sel_i(sel), .read_addr_i(place), .read_valid_o(held[v]),
        .read_data_o(packet[v*(NodeW+DataW) +: NodeW+DataW]), .fault_o(fault[v])
      );
    end else begin : gen_exchange
      assign begins[v] = 1'b0;
      assign step[v*StepW +: StepW] = '0;
      crl_online_exchange #(
        .Dims    (Dims),
        .DigitW  (DigitW),
        .DataW   (DataW),
        .Depth   (Depth),
        .SideBits(SideBits)
      ) u_node (
        .clk_i(clk), .rst_ni(rst_n), .start_i(start), .slot_i(slot), .ready_o(ready[v]), .busy_o(busy[v]),
        .load_we_i(we), .load_addr_i(addr), .load_data_i(rows[v*32 +: 32]), .phase_o(phase[v*2 +: 2]),
        .link_valid_i(in_valid[v*Ports +: Ports]), .link_data_i(in_data[v*Ports*WordW +: Ports*WordW]),
        .link_valid_o(valid[v*Ports +: Ports]), .link_data_o(data[v*Ports*WordW +: Ports*WordW]),
        .read_sel_i(sel), .read_addr_i(place), .read_valid_o(held[v]),
        .read_data_o(packet[v*(NodeW+DataW) +: NodeW+DataW]), .fault_o(fault[v])
      );
    end
  end

  // ---- at any time

  logic [Nodes-1:0] lost = '0; // nodes that lost a packet; they are not told where Tight
  logic             idle = 1'b1, alone = 1'b0; // alone: no slot follows at once
  int               words = 0, cycle = 0;
  always @(negedge clk) begin
    #4; // all that is done at this edge is done
    if (!rst_n) cycle = 0;
    else begin
      if (^{ready, busy, fault, valid, begins, phase, step} === 1'bx) $fatal(1, "an output is unknown");
      for (int i = 0; i < Nodes * Ports; i++)
        if (valid[i] && ^data[i*WordW +: WordW] === 1'bx) $fatal(1, "node %0d: an unknown word on port %0d", i / Ports, i % Ports);
      if (Tight == 0 && !stranger && fault != lost) $fatal(1, "run of kind %0d: fault of nodes %b, must be of %b", kind, fault, lost);
      if (ready != {Nodes{ready[0]}} || begins != {Nodes{begins[0]}} || phase != {Nodes{phase[1:0]}} || step != {Nodes{step[StepW-1:0]}})
        $fatal(1, "the nodes are not in the same slot");
      if (idle && (ready != '1 || busy != '0 || begins != '0 || phase != '0 || step != '0 || valid != '0))
        $fatal(1, "something goes on where nothing has begun");
      for (int i = 0; i < Nodes * Ports; i++) words = words + 32'(valid[i]);
      if (!ready[0]) cycle = cycle + 1;
      else begin
        if (alone && cycle != 0 && cycle != Cycles) $fatal(1, "a slot of %0d cycles", cycle);
        cycle = 0;
      end
      if (cycle > 6000) $fatal(1, "slots do not end");
    end
  end

  // ---- what is drawn

  int         state = 1;
  int         kind, turn = 8, line, salt, count, rank;
  logic [Nodes-1:0] active;
  int         dest [0:Nodes-1], items [0:Nodes-1], rounds [0:Nodes-1]; // rounds: the salt of each node's packet
  function logic halves_of(input int k);
    halves_of = (k == Split || k == SplitRepeat) ? Halves != 0 : k == SplitLines;
  endfunction
  function logic parted(input int k);
    parted = k == Split || k == SplitRepeat || k == SplitLines;
  endfunction

  task draw(input int below, output int value);
    begin
      state = state * 1103515245 + 12345;
      value = ((state >> 8) & 32'h7fffff) % below;
    end
  endtask

  // {salt, origin, part}; of an exchange the destination is the part.
  function [DataW-1:0] payload(input int round, input int origin, input int part);
    payload = {4'(round), 6'(origin), 6'(part)};
  endfunction

  // The packets of a run: everybody's, first of all; nobody's, or those of any.
  int lot;
  task pose;
    begin
      turn = (turn + 1) % 9; // every kind in its turn
      while ((Kinds >> turn) % 2 == 0) turn = (turn + 1) % 9;
      kind = turn;
      salt = salt + 1;
      draw(6, lot);
      for (int v = 0; v < Nodes; v++) begin
        draw(3, rank);
        active[v] = words == 0 || lot == 1 || (lot > 1 && rank > 0);
      end
      draw(Dims, line);
      if (kind == SplitLines && (Rings >> line) % 2 == 0) kind = Lines; // an array's lines have no halves
      for (int v = 0; v < Nodes; v++) draw(3, items[v]);
      // Destinations that rise with the origins: any of the nodes, as many as are active.
      count = 0;
      for (int v = 0; v < Nodes; v++) count = count + 32'(active[v]);
      rank = 0;
      for (int v = 0; v < Nodes; v++) begin
        draw(Nodes - v, lot);
        if (lot < count - rank) begin
          dest[rank] = v;
          rank = rank + 1;
        end
      end
    end
  endtask

  function int rank_of(input int v);
    rank_of = 0;
    for (int o = 0; o < Nodes; o++) if (o < v && active[o]) rank_of = rank_of + 1;
  endfunction
  function int bits_of(input int k);
    bits_of = SideBits == 0 ? DigitW : (SideBits >> (4 * k)) % 16;
  endfunction
  function [31:0] row(input int v, input int a);
    int to, rest, weight;
    begin
      row = 32'h5a5a_5a5a; // for nobody
      if (a == 0 && Exchange != 0) row = 32'(active[v]) | kind << 1;
      if (a == 0 && Exchange == 0)
        row = 32'(active[v]) | 32'(parted(kind)) << 1 |
              (kind <= Split ? 0 : kind <= Routing ? kind - 1 : kind <= SplitLines ? 4 : 5) << 2;
      if (a == 1) row = (SideX >= SideY && SideX >= SideZ ? SideX : SideY >= SideZ ? SideY : SideZ) - 1;
      if (a >= 2 && a < 2 + Dims) row = 32'((Rings >> (a - 2)) & 1) << 31 | digit_of(v, a - 2) << 16 | (side_of(a - 2) - 1);
      if (a == 11) row = line;
      if (a == 12) row = items[v];
      if (a == 10 || a == 13) row = Depth;
      if (a == 14) row = Waiting;
      if (a >= 16 && Exchange != 0) begin
        to = 0;
        rest = a - 16;
        weight = 1;
        for (int k = 0; k < Dims; k++) begin
          to = to + rest % (1 << bits_of(k)) * weight;
          rest = rest >> bits_of(k);
          weight = weight * side_of(k);
        end
        row = 32'(payload(salt, v, to));
      end else if (a >= 16 && a < 16 + 2 * Dims)
        row = 32'(payload(salt, v, !parted(kind) ? 0 : halves_of(kind) ? a - 16 : (a - 16) / 2));
      if (Exchange == 0 && a >= 32 && kind == Routing && a - 32 < Dims && active[v]) row = digit_of(dest[rank_of(v)], a - 32);
      if (Exchange == 0 && a >= 32 && kind >= Lines) row = 32'(payload(salt, v, a - 32));
    end
  endfunction

  // Slots may be asked for meanwhile: none begins.
  task load;
    begin
      slot = 1'b1;
      for (int a = 0; a < (Exchange != 0 ? 16 + (1 << NodeW) : 40); a++) begin
        we   = 1'b1;
        addr = 16'(a);
        for (int v = 0; v < Nodes; v++) rows[v*32 +: 32] = row(v, a);
        @(negedge clk);
        idle = 1'b1;
      end
      we   = 1'b0;
      slot = 1'b0;
      @(negedge clk);
    end
  endtask
  task begin_run;
    begin
      start = 1'b1;
      idle  = 1'b0;
      draw(2, lot);
      slot  = 1'(lot);
      @(negedge clk);
      lost  = '0;
      start = 1'b0;
    end
  endtask
  // Until nothing is to be sent any more.
  int patience;
  task play;
    begin
      patience = 0;
      while (!(ready[0] && busy == '0)) begin
        draw(16, lot);
        slot = lot != 0 && busy != '0;
        @(negedge clk);
        patience = patience + 1;
        if (patience > 6000) $fatal(1, "a run does not end");
      end
      slot = 1'b0;
    end
  endtask
  task one_slot;
    begin
      slot  = 1'b1;
      alone = 1'b1;
      @(negedge clk);
      slot = 1'b0;
      while (!ready[0]) @(negedge clk);
      #5 alone = 1'b0;
      @(negedge clk);
    end
  endtask

  // ---- what nodes hold

  logic [Nodes*Nodes*Parts-1:0] seen;
  logic [NodeW+DataW-1:0]       word;
  int                           origin, part, engine;
  task collect(input int memory);
    begin
      engine = memory / 4;
      sel    = 16'(memory);
      place  = '0;
      #1;
      while (held != '0 && (memory % 4 < 2 || place == '0)) begin
        @(negedge clk);
        for (int v = 0; v < Nodes; v++) if (held[v]) begin
          word   = packet[v*(NodeW+DataW) +: NodeW+DataW];
          origin = 32'(word[6 +: 6]);
          part   = 32'(word[5:0]);
          if (origin >= Nodes || word[DataW-1:0] !== payload(rounds[origin], origin, part))
            $fatal(1, "node %0d, memory %0d: wrong packet %h", v, memory, word);
          // Digits are in the engine's order; what is routed has its destination in their place.
          for (int k = 0; k < Dims; k++)
            if (32'(word[DataW + k * DigitW +: DigitW]) != digit_of(kind == Routing ? v : origin, (engine + k) % Dims))
              $fatal(1, "node %0d, memory %0d: another origin in %h", v, memory, word);
          if (Exchange != 0) begin
            if (part != v) $fatal(1, "node %0d has what is for node %0d", v, part);
            part = 0;
          end
          if (part >= Parts || seen[(v*Nodes+origin)*Parts+part]) $fatal(1, "node %0d has packet %0d.%0d twice", v, origin, part);
          seen[(v*Nodes+origin)*Parts+part] = 1'b1;
        end
        place = place + 1'b1;
        #1;
      end
    end
  endtask
  function logic same_line(input int v, input int o);
    same_line = 1'b1;
    for (int k = 0; k < Dims; k++) if (k != line && digit_of(v, k) != digit_of(o, k)) same_line = 1'b0;
  endfunction
  function logic wanted(input int v, input int o, input int p, input logic [Nodes-1:0] who);
    case (kind)
      Whole:       wanted = who[o] && (Exchange == 0 ? p == 0 : p == 0 && o != v);
      Packing:     wanted = who[o] && p == 0 && v == rank_of(o);
      Routing:     wanted = who[o] && p == 0 && v == dest[rank_of(o)];
      Lines:       wanted = p < items[o] && same_line(v, o);
      SplitLines:  wanted = p < 2 * items[o] && same_line(v, o);
      Repeat:      wanted = who[o] && p == 0;
      default:     wanted = Exchange != 0 ? who[o] && p == 0 && o != v : who[o] && p < (Halves != 0 ? 2 * Dims : Dims);
    endcase
  endfunction
  task judge(input logic [Nodes-1:0] who);
    begin
      seen = '0;
      for (int m = 0; m < (Exchange != 0 ? 1 : 4 * Dims); m++) collect(m);
      @(negedge clk);
      for (int v = 0; v < Nodes; v++)
        for (int o = 0; o < Nodes; o++)
          for (int p = 0; p < Parts; p++)
            if (seen[(v*Nodes+o)*Parts+p] !== wanted(v, o, p, who) && (fault == '0 || seen[(v*Nodes+o)*Parts+p]))
              $fatal(1, "run of kind %0d, node %0d: packet %0d.%0d is missing, or must not be there", kind, v, o, p);
    end
  endtask
  int               below, total;
  logic [DataW-1:0] sum;
  task judge_sums;
    for (int m = 0; m < 3; m++) begin
      below = 0;
      total = 0;
      sel   = 16'(m);
      place = '0;
      @(negedge clk);
      if (held != {Nodes{m < 2}}) $fatal(1, "nodes %b have sum %0d", held, m);
      for (int v = 0; v < Nodes; v++) total = total + 32'(payload(salt, v, 0));
      for (int v = 0; v < Nodes; v++) begin
        below = below + 32'(payload(salt, v, 0));
        sum   = m == 0 ? below[DataW-1:0] : total[DataW-1:0];
        if (m < 2 && packet[v*(NodeW+DataW) +: NodeW+DataW] !== {NodeW'(0), sum})
          $fatal(1, "node %0d: sum %0d is %h", v, m, packet[v*(NodeW+DataW) +: NodeW+DataW]);
      end
      place = 16'd1;
      #1 if (held != '0) $fatal(1, "nodes %b have a second sum", held);
      @(negedge clk);
    end
  endtask

  // ---- runs

  int waits [0:Nodes-1], newest [0:Nodes-1], intervals, patient;
  logic [Nodes-1:0] now, shown, gets;
  // Packets given to some of the nodes, of which they must lose those that find no room.
  task hand_out;
    begin
      for (int v = 0; v < Nodes; v++) begin
        draw(2, lot);
        gets[v] = 1'(lot);
        if (gets[v]) newest[v] = newest[v] + 1;
      end
      for (int p = 0; p < Ports; p++) begin
        give = gets;
        for (int v = 0; v < Nodes; v++) given[v*DataW +: DataW] = payload(newest[v], v, p);
        @(negedge clk);
        for (int v = 0; v < Nodes; v++) if (gets[v] && waits[v] == Waiting) lost[v] = 1'b1;
        give = '0; // not one part after the other
        draw(2, lot);
        if (lot != 0) @(negedge clk);
      end
      for (int v = 0; v < Nodes; v++) if (gets[v]) begin
        if (waits[v] == Waiting) newest[v] = newest[v] - 1;
        else waits[v] = waits[v] + 1;
      end
    end
  endtask
  task play_intervals;
    begin
      shown = '0;
      now   = '0;
      for (int v = 0; v < Nodes; v++) waits[v] = 0;
      for (int v = 0; v < Nodes; v++) newest[v] = 0;
      one_slot;
      for (int i = 0; i < 6; i++) begin
        if (!begins[0]) $fatal(1, "an interval does not begin");
        if (now != '0) shown = now;
        judge(shown);
        for (int v = 0; v < Nodes; v++) begin // those that begin now
          now[v] = waits[v] != 0;
          if (now[v]) rounds[v] = newest[v] - waits[v] + 1;
          if (now[v]) waits[v] = waits[v] - 1;
        end
        if (i != 2) hand_out;
        if (i == 3) repeat (4) hand_out; // more than may wait
        patient = 0;
        one_slot;
        while (!begins[0]) begin
          one_slot;
          patient = patient + 1;
          if (patient > 200 || phase[1:0] == '0) $fatal(1, "an interval does not end");
        end
      end
    end
  endtask

  // More than there are nodes: what does not fit is told, and takes the place of nothing.
  task crowd;
    begin
      stranger = 1'b1;
      patience = 0;
      while (!fault[0]) begin
        one_slot;
        patience = patience + 1;
        if (patience > 2 << NodeW) $fatal(1, "node 0 holds more than it has room for");
      end
      stranger = 1'b0;
      one_slot;
      count = 0;
      for (int i = 0; i < 1 << NodeW; i++) begin
        sel   = '0;
        place = 16'(i);
        @(negedge clk);
        if (held[0] && packet[DataW-1:0] != '0) count = count + 1;
      end
      for (int o = 0; o < Nodes; o++) count = count - 32'(seen[o*Parts]);
      if (count != 0) $fatal(1, "node 0 has lost what it held");
    end
  endtask

  // A word that comes in the last slot of a broadcast and would have to go on is late, which its node tells; one that has
  // arrived is not. How many slots a run takes is seen in one without.
  int slots, slots_before;
  task late_word;
    for (int h = 0; h <= 2; h++) begin
      load;
      begin_run;
      slots = 0;
      while (busy != '0) begin
        slots    = slots + 1;
        stranger = h != 0 && slots == slots_before;
        hops     = h;
        one_slot;
      end
      stranger = 1'b0;
      hops     = 0;
      lost[0]  = h == 2;
      if (h != 0 && slots != slots_before) $fatal(1, "a run of %0d slots takes %0d with a word more", slots_before, slots);
      slots_before = slots;
      @(negedge clk);
    end
  endtask

  int again;
  initial begin
    if ($value$plusargs("seed=%d", state)) ;
    salt = state;
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    for (int r = 0; r < Runs; r++) begin
      pose;
      draw(3, again); // a run that a reset ends comes first, or one follows with the same registers
      load;
      begin_run;
      if (again == 0) begin
        draw(400, patience);
        for (int i = 0; i < patience; i++) begin
          slot = 1'b1;
          @(negedge clk);
        end
        slot  = 1'b0;
        rst_n = 1'b0;
        @(negedge clk);
        idle  = 1'b1;
        rst_n = 1'b1;
        @(negedge clk);
        load;
        begin_run;
      end
      if (kind >= Repeat) begin
        play_intervals;
        rst_n = 1'b0;
        @(negedge clk);
        lost  = '0;
        idle  = 1'b1;
        rst_n = 1'b1;
      end else begin
        for (int v = 0; v < Nodes; v++) rounds[v] = salt;
        play;
        if (kind == Prefix && Exchange == 0) judge_sums;
        else judge(active);
        if (Exchange != 0 ? again == 1 : kind >= Lines) begin
          begin_run;
          play;
          judge(active);
        end
        if (Exchange == 0 && kind <= Split && Rings % 2 == 0 && active != '0) late_word;
        if (Tight != 0) crowd;
        if (Exchange != 0 || kind >= Lines) one_slot; // has no end that they know
      end
    end
    $display("every node holds what it must; links were busy for %0d cycles in all", words);
    $finish(0);
  end
endmodule
