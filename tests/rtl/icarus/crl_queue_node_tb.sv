// SPDX-License-Identifier: Apache-2.0
//
// Single nodes under queue control, of several forms, against a model of their slots (docs/formats/queue.md): random forwarding rows and
// gates, such as no scheme makes, random words from the neighbours and the processor, also ones that may not come, neighbours that do
// not accept, stalls, rows that are loaded between slots, resets at any time. Every output every cycle, from power-up, in four states;
// words that are not valid are unknown.
//
// Plusargs: +rounds=N, times that all is played (1); +seed=N. Prints "PASS" and how many words were sent; exit code 1: what was wrong.

`timescale 1ns / 1ns

module crl_queue_node_case #(
  parameter int Ports = 2,
  parameter int Trees = 2,
  parameter int Classes = 1,
  parameter int Loops = 0,
  parameter int Position = 0,
  parameter int Depth = 8,
  parameter int Units = 0,
  parameter int Period = 2,
  parameter int Coins = 1,
  parameter int OriginW = 10,
  parameter int SequenceW = 17,
  parameter int OneGate = 0
) (
  input  int   rounds, seed,
  output logic done,
  output int   sends
);
  localparam int DataW = 32, AddrW = $clog2(Depth), TW = (Trees > 1) ? $clog2(Trees) : 1, AW = $clog2(Ports + 2);
  localparam int PeriodW = (Period > 1) ? $clog2(Period) : 1, LoadW = ((PeriodW > TW) ? PeriodW : TW) + AW;
  localparam int ForwardW = 7 + Ports, GateW = 11 + Ports + ((Units != 0) ? 4 : 0);
  // Cycles of a slot: the first gate is read, the first own packet may come.
  localparam int Serve = (Units != 0) ? Ports + 1 : 0, Own = Serve + Loops * Trees + Ports + 5;

  logic                   clk = 1'b0, rst_n = 1'b0, we = 1'b0, into_gate = 1'b0, slot = 1'b0, stall = 1'b0, inject = 1'b0;
  logic [9:0]             node = '0;
  logic [AddrW:0]         limit = '0, stored;
  logic [PeriodW-1:0]     last_row = '0;
  logic [LoadW-1:0]       addr = '0;
  logic [GateW-1:0]       row = '0;
  logic [DataW-1:0]       own = '0, kept;
  logic [Ports-1:0]       in_valid = '0, in_accept = '0, valid, accept;
  logic [Ports*DataW-1:0] in_data = '0, data;
  logic                   up, may, taken, deliver;
  logic [AW-1:0]          port;
  logic [2:0]             fault;
  logic [31:0]            dropped, strange;
  always #5 clk = !clk;

  crl_queue_node #(
    .Ports(Ports), .Trees(Trees), .Classes(Classes), .Loops(Loops), .Position(Position), .Depth(Depth), .Units(Units), .Period(Period),
    .Coins(Coins), .OriginW(OriginW), .SequenceW(SequenceW), .OneGate(OneGate), .Counters(1)
  ) u_node (
    .clk_i(clk), .rst_ni(rst_n), .ready_o(up), .node_i(node), .limit_i(limit), .last_row_i(last_row), .load_we_i(we),
    .load_gate_i(into_gate), .load_addr_i(addr), .load_data_i(row), .slot_i(slot), .stalled_i(stall), .inject_valid_i(inject),
    .inject_data_i(own), .inject_ready_o(may), .inject_taken_o(taken), .link_valid_i(in_valid), .link_data_i(in_data),
    .link_valid_o(valid), .link_data_o(data), .link_accept_o(accept), .link_accept_i(in_accept), .deliver_valid_o(deliver),
    .deliver_data_o(kept), .deliver_port_o(port), .stored_o(stored), .fault_o(fault), .dropped_o(dropped), .strange_o(strange)
  );

  // ---- the node as the format says

  logic [ForwardW-1:0] forward [0:Trees*(Ports+2)-1];
  logic [GateW-1:0]    gates   [0:Period*(Ports+1)-1];
  // Packets, in how many queues each waits, in which buffer it counts; queues as lists of packets, the loop-back ones last.
  localparam int Queues = Ports * Classes + Loops * Trees;
  logic [DataW-1:0] words  [0:Depth-1];
  int               waits  [0:Depth-1], buffer [0:Depth-1];
  int               list   [0:(Queues+1)*Depth-1], count [0:Queues];
  int               held   [0:Trees*Classes-1], left [0:Trees*Classes-1];
  logic             seconds  [0:Ports-1];
  int               second_of [0:Ports-1];
  // n: cycle of the slot, -1 before the first. turn: its row of the gates. first: whose turn it is to be accepted.
  int               n = -1, turn = 0, first = 0, used = 0, freed = 0, began_with = 0, filling = 0, drops = 0, stranges = 0;
  logic [2:0]       wrong = '0;
  logic             stalled = 1'b0;
  logic [Ports-1:0] sent = '0, accepts = '1;
  logic [DataW-1:0] sent_word [0:Ports-1];
  // A word on its way: one and two cycles ago.
  logic             b_valid = 1'b0, b_known = 1'b0, r_valid = 1'b0, r_known = 1'b0;
  logic [DataW-1:0] b_word, r_word;
  int               b_port = 0, r_port = 0;

  `include "random.svh"

  // The port whose word is on the link now, or none.
  function automatic int on_link;
    on_link = Serve + Loops * Trees + Ports + 4 - n;
    if (n < 0 || on_link < 0 || on_link >= Ports) on_link = Ports;
  endfunction

  function automatic logic [GateW-1:0] gate(input int by);
    gate = (OneGate != 0) ? GateW'(OneGate) : gates[turn*(Ports+1) + by];
  endfunction

  function automatic logic [ForwardW-1:0] forward_of(input logic [DataW-1:0] word, input int by);
    forward_of = (32'(word[31:28]) < Trees) ? forward[32'(word[31:28])*(Ports+2) + by] : '0;
  endfunction

  function automatic logic stores(input logic [ForwardW-1:0] what);
    stores = what[Ports-1:0] != '0 || what[Ports+4];
  endfunction

  task automatic append(input int queue, input int packet);
    list[queue*Depth + count[queue]] = packet;
    count[queue] = count[queue] + 1;
  endtask

  task automatic take_head(input int queue, output int packet);
    packet = list[queue*Depth];
    count[queue] = count[queue] - 1;
    for (int i = 0; i < count[queue]; i++) list[queue*Depth + i] = list[queue*Depth + i + 1];
  endtask

  task automatic leave_one(input int packet);
    waits[packet] = waits[packet] - 1;
    if (waits[packet] == 0) begin
      freed = freed + 1;
      left[buffer[packet]] = left[buffer[packet]] + 1;
    end
  endtask

  function automatic logic has(input int p, input int class_);
    has = class_ < Classes && count[class_*Ports + p] > 0;
  endfunction

  function automatic logic [DataW-1:0] head_of(input int p, input int class_);
    head_of = words[list[(class_*Ports + p) * Depth]];
  endfunction

  // Whether the head of the class comes from where the gate says.
  function automatic logic placed(input int p, input int class_, input logic [Ports-1:0] position);
    logic [Ports-1:0] offset, turned;
    logic [DataW-1:0] word;
    word = head_of(p, class_);
    offset = word[17 +: Ports] ^ node[Ports-1:0];
    for (int i = 0; i < Ports; i++) turned[i] = offset[(i + 32'(word[31:28])) % Ports];
    placed = turned == position;
  endfunction

  // What port p sends: a class, or none (Classes).
  task automatic choose_class(input int p, output int class_);
    logic [GateW-1:0] g;
    logic [DataW-1:0] head;
    int               a, b, one;
    g = gate(p);
    a = 32'(g[6:3]);
    b = 32'(g[10:7]);
    one = has(p, a) ? a : has(p, b) ? b : Classes;
    class_ = Classes;
    head = (one < Classes) ? head_of(p, one) : '0;
    case (g[2:0])
      3'd1: class_ = one;
      3'd2: begin
        seconds[p] = 1'b0;
        if (has(p, a) && has(p, b)) begin
          class_ = head[27] ? b : a;
          second_of[p] = head[27] ? a : b;
          seconds[p] = 1'b1;
        end else if (one < Classes && head[27]) begin
          second_of[p] = one;
          seconds[p] = 1'b1;
        end else class_ = one;
      end
      3'd3: begin
        if (seconds[p] && has(p, second_of[p])) class_ = second_of[p];
        seconds[p] = 1'b0;
      end
      3'd4: if (has(p, a) && placed(p, a, g[11 +: Ports])) class_ = a;
      default: ;
    endcase
    if (Units != 0 && (stalled || !in_accept[p])) class_ = Classes;
  endtask

  // Who may send here in this slot.
  task automatic choose_accepts;
    int p, tree, b, free [0:Trees*Classes-1];
    for (int i = 0; i < Trees * Classes; i++) free[i] = 32'(limit) - held[i];
    accepts = (Units != 0) ? '0 : '1;
    for (int i = 0; i < Ports && Units != 0 && !stalled; i++) begin
      p = (first + i) % Ports;
      tree = 32'(gate(p) >> (11 + Ports)) & 15;
      if (tree < Trees) begin
        b = tree * Classes + 32'(forward[tree*(Ports+2) + p][Ports +: 4]);
        if (!stores(forward[tree*(Ports+2) + p])) accepts[p] = 1'b1;
        else if (free[b] > 0) begin
          accepts[p] = 1'b1;
          free[b] = free[b] - 1;
        end
      end
    end
  endtask

  task automatic slot_begins;
    int class_, packet;
    logic [ForwardW-1:0] what;
    turn = (turn == 32'(last_row)) ? 0 : turn + 1;
    if (turn == 0) first = (first + 1) % Ports;
    used = used - freed;
    freed = 0;
    began_with = used;
    for (int i = 0; i < Trees * Classes; i++) begin
      held[i] = held[i] - left[i];
      left[i] = 0;
    end
    stalled = stall && Units != 0;
    choose_accepts;
    for (int p = 0; p < Ports; p++) begin
      choose_class(p, class_);
      sent[p] = class_ < Classes;
      if (sent[p]) begin
        take_head(class_*Ports + p, packet);
        sent_word[p] = words[packet];
        leave_one(packet);
      end
    end
    for (int k = Trees - 1; k >= 0 && Loops != 0; k--) begin
      if (gate(Ports) & 1'b1 && count[Ports*Classes + k] > 0) begin
        take_head(Ports*Classes + k, packet);
        what = forward[k*(Ports+2) + Ports + 1];
        for (int p = 0; p < Ports; p++)
          if (what[p]) begin
            append(32'(what[Ports +: 4])*Ports + p, packet);
            waits[packet] = waits[packet] + 1;
          end
        leave_one(packet);
      end
    end
    n = 0;
  endtask

  // Whether there is no room for the word that has come.
  function automatic logic refused;
    logic [ForwardW-1:0] what;
    what = forward_of(r_word, r_port);
    refused = Units != 0 && held[32'(r_word[28 +: TW])*Classes + 32'(what[Ports +: 4])] >= 32'(limit);
  endfunction

  task automatic arrive;
    logic [ForwardW-1:0] what;
    int                  packet;
    what = r_known ? forward_of(r_word, r_port) : '0;
    if (!what[ForwardW-1]) begin
      wrong[1] = 1'b1;
      stranges = stranges + 1;
    end else if (stores(what) && !(r_port == Ports && Units != 0 && (refused() || stalled))) begin
      if (refused() || used >= ((Units != 0) ? Depth : 32'(limit))) begin
        wrong[0] = 1'b1;
        drops = drops + 1;
      end else begin
        packet = 0;
        while (waits[packet] != 0) packet = packet + 1;
        words[packet] = r_word;
        buffer[packet] = 32'(r_word[31:28]) * Classes + 32'(what[Ports +: 4]);
        held[buffer[packet]] = held[buffer[packet]] + 1;
        used = used + 1;
        for (int p = 0; p < Ports; p++)
          if (what[p]) begin
            append(32'(what[Ports +: 4])*Ports + p, packet);
            waits[packet] = waits[packet] + 1;
          end
        if (what[Ports+4]) begin
          append(Ports*Classes + 32'(r_word[31:28]), packet);
          waits[packet] = waits[packet] + 1;
        end
      end
    end
  endtask

  task automatic compare;
    logic [ForwardW-1:0] what;
    logic                comes;
    int                  p;
    p = on_link();
    what = r_known ? forward_of(r_word, r_port) : '0;
    comes = r_valid && what[ForwardW-1] && !(Units != 0 && r_port == Ports && (refused() || stalled));
    if (up !== (filling == 0)) $fatal(1, "%m: ready %b in cycle %0d", up, n);
    if (may !== (n >= Own && !slot)) $fatal(1, "%m: takes own packets %b in cycle %0d", may, n);
    if (valid !== ((p < Ports && sent[p]) ? Ports'(1) << p : '0)) $fatal(1, "%m: sends %b in cycle %0d", valid, n);
    if (valid != '0 && data[p*DataW +: DataW] !== sent_word[p]) $fatal(1, "%m: port %0d: another word", p);
    if (deliver !== (comes && what[ForwardW-2])) $fatal(1, "%m: delivers %b in cycle %0d", deliver, n);
    if (deliver && {kept, port} !== {r_word, AW'(r_port)}) $fatal(1, "%m: delivers another word");
    if (taken !== (Units != 0 && comes && r_port == Ports)) $fatal(1, "%m: takes %b in cycle %0d", taken, n);
    if ((Units == 0 || n < 0 || n >= Ports + 3) && accept !== accepts) $fatal(1, "%m: accepts %b, not %b", accept, accepts);
    if (stored !== (AddrW+1)'(began_with)) $fatal(1, "%m: %0d stored, not %0d, in cycle %0d", stored, began_with, n);
    if (fault !== wrong) $fatal(1, "%m: fault %b, not %b in cycle %0d", fault, wrong, n);
    if (dropped !== drops || strange !== stranges) $fatal(1, "%m: %0d dropped, %0d strange", dropped, strange);
    if (valid != '0) sends = sends + 1;
  endtask

  // What the next edge makes of it.
  task automatic follow;
    int               p;
    logic [Ports-1:0] turns;
    p = on_link();
    turns = (p < Ports) ? Ports'(1) << p : '0;
    if (r_valid) arrive;
    if ((in_valid & ~turns) != '0) begin
      wrong[2] = 1'b1;
      stranges = stranges + 1;
    end
    {r_valid, r_known, r_word, r_port} = {b_valid, b_known, b_word, b_port};
    b_valid = (p < Ports) ? in_valid[p] : inject && may;
    b_word = (p < Ports) ? in_data[p*DataW +: DataW] : own;
    b_port = p;
    b_known = b_valid && 32'(b_word[31:28]) < Trees && (p == Ports || accepts[p]);
    if (slot) slot_begins;
    if (n >= 0) n = n + 1;
    if (filling > 0) filling = filling - 1;
    if (!rst_n) forget;
  endtask

  task automatic forget;
    for (int i = 0; i < Depth; i++) waits[i] = 0;
    for (int i = 0; i <= Queues; i++) count[i] = 0;
    for (int i = 0; i < Trees * Classes; i++) {held[i], left[i]} = '0;
    for (int p = 0; p < Ports; p++) seconds[p] = 1'b0;
    {wrong, b_valid, b_known, r_valid, r_known, sent, stalled} = '0;
    accepts = (Units != 0) ? '0 : '1;
    {turn, first, used, freed, began_with, drops, stranges} = '0;
    n = -1;
    filling = Depth;
  endtask

  // ---- what is played

  int   rate = 0;      // of a hundred words that could come
  int   hot = 0;       // the tree of most of them
  logic gone;          // there was a reset

  function automatic logic [DataW-1:0] any_word;
    logic [DataW-1:0] word;
    int               tree;
    tree = (below(3) == 0) ? hot : below(Trees);
    if (below(80) == 0) tree = below(16);
    random = shuffled(random);
    word = random;
    any_word = {4'(tree), 1'(Coins) & word[27], 10'(word[17 +: OriginW]), 17'(word[SequenceW-1:0])};
  endfunction

  task automatic step;
    int p;
    p = on_link();
    in_valid = '0;
    in_data = 'x;
    if (p < Ports && below(100) < rate && (accepts[p] || below(40) == 0)) begin
      in_valid[p] = 1'b1;
      in_data[p*DataW +: DataW] = any_word();
      // Mostly of the tree that may come.
      if (Units != 0 && accepts[p] && below(20) != 0) in_data[p*DataW + 28 +: 4] = 4'(gate(p) >> (11 + Ports));
    end
    if (below(300) == 0) begin // out of turn
      p = below(Ports);
      in_valid[p] = 1'b1;
      in_data[p*DataW +: DataW] = any_word();
    end
    rst_n = gone || below(700) != 0;
    #1 compare;
    follow;
    @(negedge clk);
    if (!rst_n) gone = 1'b1;
    rst_n = 1'b1;
  endtask

  task automatic load(input logic gate_row, input int which, input int by);
    logic [ForwardW-1:0] what;
    logic [GateW-1:0]    g;
    logic [Ports-1:0]    later;
    random = shuffled(random);
    what = ForwardW'(random);
    // {take, deliver, loop, class, ports}; what is taken from a loop-back queue is not delivered and does not go back.
    what[Ports +: 4] = 4'(below(Classes));
    if (Loops == 0 || by == Ports + 1) what[Ports+4] = 1'b0;
    if (by == Ports + 1) what[Ports+5] = 1'b0;
    // Nor does it join a queue in which it waits already.
    later = Ports'(5 + which);
    if (by == Ports + 1) what[Ports-1:0] = what[Ports-1:0] & later;
    else if (what[Ports+4]) what[Ports-1:0] = what[Ports-1:0] & ~later;
    what[Ports+6] = by == Ports + 1 || below(12) != 0;
    if (!what[Ports+6]) what = '0;
    // {accept, position, b, a, mode}
    g = GateW'(shuffled(random));
    g[2:0] = (Units != 0 || Classes == 1 && Position == 0) ? 3'(below(6) != 0) : 3'(below(4 + Position));
    g[6:3] = (below(10) == 0) ? 4'd15 : 4'(below(Classes));
    g[10:7] = (below(4) == 0) ? 4'd15 : 4'(below(Classes));
    if (Units != 0) g = (g & GateW'((1 << (11 + Ports)) - 1)) | GateW'(((below(6) == 0) ? 15 : below(Trees)) << (11 + Ports));
    {we, into_gate, addr, row} = {1'b1, gate_row, LoadW'(which << AW | by), gate_row ? g : GateW'(what)};
    if (gate_row) gates[which*(Ports+1) + by] = g;
    else forward[which*(Ports+2) + by] = what;
    step;
    we = 1'b0;
  endtask

  task automatic play_slot;
    slot = 1'b1;
    stall = below(6) == 0;
    in_accept = '1;
    for (int p = 0; p < Ports; p++) in_accept[p] = below(5) != 0;
    step;
    {slot, stall} = '0;
    while (!gone && n < Own) step;
    for (int i = (below(100) < rate) ? below(5) : 0; i > 0 && !gone; i--) begin
      inject = 1'b1;
      own = any_word();
      step;
      inject = 1'b0;
      own = 'x;
      if (!gone && below(3) == 0) step;
    end
    for (int i = 2 + below(3); i > 0 && !gone; i--) step;
    if (!gone && below(4) == 0) load(1'b0, below(Trees), below(Ports + 2));
    if (!gone && below(4) == 0) load(1'b1, below(Period), below(Ports + 1));
  endtask

  initial begin
    {done, sends} = '0;
    #1 random = 32'(seed * 7919 + Ports * 31 + Classes * 1023 + Depth);
    forget;
    @(negedge clk); // one edge is enough
    for (int i = 0; i < 5 * rounds; i++) begin
      rst_n = 1'b0;
      node = 10'(below(1 << Ports));
      last_row = PeriodW'(below(Period));
      limit = (AddrW+1)'((Units != 0) ? 1 + below(Units) : (below(2) == 0) ? Depth : below(Depth));
      @(negedge clk) forget;
      rst_n = 1'b1;
      gone = 1'b0;
      for (int k = 0; k < Trees; k++) for (int a = 0; a < Ports + 2; a++) if (!gone) load(1'b0, k, a);
      for (int t = 0; t < Period; t++) for (int p = 0; p <= Ports; p++) if (!gone) load(1'b1, t, p);
      while (!gone && filling > 0) step;
      for (int s = 0; s < 30 && !gone; s++) begin
        if (s % 8 == 0) begin // nothing, some, bursts
          rate = (below(4) == 0) ? 0 : (below(2) == 0) ? 100 : 10 + below(60);
          hot = below(Trees);
        end
        play_slot;
      end
    end
    done = 1'b1;
  end
endmodule

module crl_queue_node_tb;
  localparam int Cases = 7;
  int               rounds, seed;
  logic [Cases-1:0] done;
  int               sends [0:Cases-1];

  crl_queue_node_case #(.Ports(1), .Trees(1), .Period(1), .Depth(2)) u_small (.rounds, .seed, .done(done[0]), .sends(sends[0]));
  crl_queue_node_case #(.Ports(3), .Trees(3), .Classes(3), .Loops(1), .Period(3), .Depth(16)) u_loops (.rounds, .seed, .done(done[1]), .sends(sends[1]));
  crl_queue_node_case #(.Ports(3), .Trees(3), .Classes(2), .Position(1), .Period(3)) u_position (.rounds, .seed, .done(done[2]), .sends(sends[2]));
  crl_queue_node_case #(.Ports(2), .Trees(3), .Coins(0), .OriginW(3), .SequenceW(8), .OneGate(1921)) u_gate (.rounds, .seed, .done(done[3]), .sends(sends[3]));
  crl_queue_node_case #(.Ports(3), .Trees(2), .Classes(2), .Units(2), .Period(2)) u_blocking (.rounds, .seed, .done(done[4]), .sends(sends[4]));
  crl_queue_node_case #(.Ports(4), .Trees(3), .Classes(3), .Units(3), .Period(5), .Depth(32)) u_units (.rounds, .seed, .done(done[5]), .sends(sends[5]));
  crl_queue_node_case #(.Ports(1), .Trees(2), .Units(1), .Period(1), .Depth(4)) u_one (.rounds, .seed, .done(done[6]), .sends(sends[6]));

  initial begin
    if (!$value$plusargs("rounds=%d", rounds)) rounds = 1;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    wait (done === '1);
    for (int i = 0; i < Cases; i++) if (sends[i] < 8 * rounds) $fatal(1, "case %0d: only %0d words", i, sends[i]);
    $display("PASS: %0d nodes, %0d words of the largest", Cases, sends[5]);
    $finish(0);
  end
endmodule
