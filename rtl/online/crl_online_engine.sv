// SPDX-License-Identifier: Apache-2.0
//
// Partial multinode broadcast, one class of packets at one node (Varvarigos & Bertsekas 1994, Sec. 3): counts how many
// active nodes come before this one and how many there are, packs packets at the nodes whose numbers are their ranks,
// and broadcasts them along one dimension after the other. Dimensions are in this class's order, `step_i` counts them.
//
// Timing: in each cycle it takes in what its neighbours sent in the slot before (context prev_*) and says what leaves
// in this one (the other context); the node registers that.
//
// Word of a link: bit 63 a count, in bits 31 to 0; else {tag, origin, payload} in bits 55 to 0. The tag is the rank while
// packing, and the hops left while broadcasting. What is routed to a destination has that in the place of the origin.
// Digits of ranks and destinations are taken by division.
//
// Packets that a node has to broadcast from the beginning are written into the memories while it is idle, from place 0
// on, and `items_i` says how many: in halves, that many in each memory; else in that of what travels up.

module crl_online_engine #(
  /// Dimensions of the network.
  parameter int Dims = 2,
  /// Packets each of the two memories holds.
  parameter int Depth = 64,
  /// Bits of a place in a memory.
  localparam int AddrW = (Depth > 1) ? $clog2(Depth) : 1,
  /// Bits of a step.
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               start_i,     // forgets all, faults included

  input  logic [Dims*12-1:0] size_i,      // these hold while it runs
  input  logic [Dims*12-1:0] digit_i,     // of this node
  input  logic [Dims-1:0]    ring_i,
  input  logic [11:0]        node_i,
  input  logic [63:0]        payload_i,   // of this node's packet, a word a half
  input  logic               halves_i,    // packets of this class are two mini packets, one a direction

  input  logic [1:0]         phase_i,     // 0 idle, 1 count, 2 pack, 3 broadcast
  input  logic [StepW-1:0]   step_i,
  input  logic [11:0]        slot_i,      // of a step of counting
  input  logic               half_i,      // whose slot of packing it is
  input  logic               open_i,      // first slot of a phase
  input  logic               first_i,     // first slot of a step
  input  logic               last_i,      // last slot of a step
  input  logic               member_i,    // this node has a packet of this class
  input  logic [31:0]        value_i,     // what it adds to the sum
  input  logic               back_i,      // packing: from the packed place to the destination
  input  logic [12:0]        most_i,      // ranks there may be; while broadcasting
  input  logic [1:0]         prev_phase_i,
  input  logic [StepW-1:0]   prev_step_i,
  input  logic               prev_half_i,
  input  logic               prev_back_i,

  input  logic [AddrW:0]     limit_i,     // packets a memory may hold, at most Depth; holds while it runs
  input  logic [AddrW:0]     items_i,     // holds when it starts
  input  logic [1:0]         load_we_i,   // up, down
  input  logic [AddrW-1:0]   load_addr_i,
  input  logic [43:0]        load_data_i, // {origin, payload}

  output logic [31:0]        below_o,     // sum of the values of nodes before this one, and of all, after what came in
  output logic [31:0]        total_o,
  output logic               ready_o,     // needs no slot of this step of broadcasting after this one

  input  logic [1:0]         link_valid_i, // [up, down] along the dimension of prev_step_i
  /* verilator lint_off UNUSEDSIGNAL */ // a packet's upper bits are idle
  input  logic [127:0]       link_data_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [1:0]         send_o,       // along that of step_i
  output logic [127:0]       word_o,

  input  logic [1:0]         read_sel_i,   // while nothing goes up: 0, 1 a memory, 2, 3 the packet of a half
  input  logic [AddrW-1:0]   read_addr_i,
  output logic               read_valid_o, // there is one
  output logic [43:0]        read_data_o,  // {origin, payload}
  output logic               fault_o       // sticky: a packet was lost
);

  localparam logic [1:0] Count = 2'd1, Pack = 2'd2, Broadcast = 2'd3;

  logic [55:0] in_up, in_down;
  assign in_up   = link_data_i[55:0];
  assign in_down = link_data_i[119:64];

  // ---- the dimension of this step, and of the one before

  logic [Dims*13+12:0] product; // of the sizes before a dimension
  logic [11:0]         size, last, digit, prev_size, prev_digit;
  logic                ring;
  logic [12:0]         divisor, prev_divisor, nodes;
  logic [12:0]         running;
  always_comb begin
    running       = 13'd1;
    product[12:0] = 13'd1;
    for (int k = 0; k < Dims; k++) begin
      running = 13'(running * 13'(size_i[k*12 +: 12]));
      product[(k+1)*13 +: 13] = running;
    end
  end
  assign size         = size_i[32'(step_i)*12 +: 12];
  assign digit        = digit_i[32'(step_i)*12 +: 12];
  assign ring         = ring_i[step_i];
  assign last         = size - 12'd1;
  assign divisor      = product[32'(step_i)*13 +: 13];
  assign nodes        = product[32'(step_i)*13+13 +: 13];
  assign prev_size    = size_i[32'(prev_step_i)*12 +: 12];
  assign prev_digit   = digit_i[32'(prev_step_i)*12 +: 12];
  assign prev_divisor = product[32'(prev_step_i)*13 +: 13];

  // ---- counting: sums from both ends of a line at the same time

  logic [31:0] below_q, below_now, total_q, total_now, base_q, base;
  logic [1:0]  counted, count_send;
  logic [11:0] to_top;
  logic [31:0] count_up, count_down;
  assign counted    = prev_phase_i == Count ? link_valid_i : 2'd0;
  assign below_o    = below_q + (counted[0] ? in_up[31:0] : 32'd0);
  assign total_o    = total_q + (counted[0] ? in_up[31:0] : 32'd0) + (counted[1] ? in_down[31:0] : 32'd0);
  assign below_now  = phase_i == Count && open_i ? 32'd0 : below_o;
  assign total_now  = phase_i == Count && open_i ? value_i : total_o;
  assign base       = first_i ? total_now : base_q;
  assign to_top     = last - digit;
  assign count_up   = base + (digit != 12'd0 ? in_up[31:0] : 32'd0);
  assign count_down = base + (to_top != 12'd0 ? in_down[31:0] : 32'd0);
  assign count_send = {slot_i == to_top && digit != 12'd0, slot_i == digit && to_top != 12'd0};

  // ---- packing: one dimension after the other to the node whose number is the rank, or (back) that of the destination

  logic [1:0]   packed_in, stays;
  logic [1:0]   own_valid_q, own_valid;    // of each half
  logic [111:0] own_q, own;
  logic [3:0]   under_way_q, under_way;    // came and goes on: [half][up, down]
  logic [223:0] way_q, way;
  logic [11:0]  to_up, to_down, to_own;    // where packets go: a rank, or a destination
  logic [11:0]  goal;
  logic         opens; // packing, with the packet of its own; forgets what it was sent in a run before
  logic         own_leaves, pack_fault;
  assign opens     = phase_i == Pack && open_i && !back_i;
  assign packed_in = prev_phase_i == Pack ? link_valid_i : 2'd0;
  assign to_up     = prev_back_i ? in_up[43:32] : in_up[55:44];
  assign to_down   = prev_back_i ? in_down[43:32] : in_down[55:44];
  assign stays[0]  = 13'(to_up) / prev_divisor % 13'(prev_size) == 13'(prev_digit);
  assign stays[1]  = 13'(to_down) / prev_divisor % 13'(prev_size) == 13'(prev_digit);

  for (genvar h = 0; h < 2; h++) begin : gen_half
    logic [1:0] here, on;
    assign here = prev_half_i == 1'(h) ? packed_in & stays : 2'd0;
    assign on   = prev_half_i == 1'(h) ? packed_in & ~stays : 2'd0;
    assign own_valid[h]            = opens ? member_i && (h == 0 || halves_i) : own_valid_q[h] || here != 2'd0;
    assign own[h*56 +: 56]         = opens ? {below_now[11:0], node_i, payload_i[h*32 +: 32]}
                                     : here[1] ? in_down : here[0] ? in_up : own_q[h*56 +: 56];
    assign under_way[h*2 +: 2]     = under_way_q[h*2 +: 2] | on;
    assign way[h*112 +: 56]        = on[0] ? in_up : way_q[h*112 +: 56];
    assign way[h*112+56 +: 56]     = on[1] ? in_down : way_q[h*112+56 +: 56];
  end
  assign to_own     = back_i ? own[32'(half_i)*56+32 +: 12] : own[32'(half_i)*56+44 +: 12];
  assign goal       = 12'(13'(to_own) / divisor % 13'(size));
  assign own_leaves = phase_i == Pack && own_valid[half_i] && goal != digit;
  assign pack_fault = ((packed_in & stays) != 2'd0 && own_valid_q[prev_half_i]) || (packed_in & stays) == 2'd3 ||
                      (packed_in & ~stays & under_way_q[32'(prev_half_i)*2 +: 2]) != 2'd0 ||
                      (own_leaves && under_way[{half_i, goal < digit}]);

  // ---- broadcasting: pass on what comes, else send the next of what was held when the step began

  (* ram_style = "distributed" *) logic [43:0] mem_up   [0:Depth-1];
  (* ram_style = "distributed" *) logic [43:0] mem_down [0:Depth-1];

  logic [1:0]          kept, room, pass, more, far_off, from_down, at_own, unfinished;
  logic [2*AddrW+1:0]  held_q, limit_q, limit; // entries of each memory, and those when the step began
  logic [AddrW:0]      limit_up, limit_down;
  logic [2*AddrW+5:0]  next_q, next, length;
  logic [2*AddrW-1:0]  addr;
  logic [23:0]         far;
  logic [87:0]         entry;
  logic [11:0]         reach;
  assign kept = prev_phase_i == Broadcast ? link_valid_i : 2'd0;
  assign pass = kept & ~{2{first_i}} & {in_down[55:44] > 12'd1, in_up[55:44] > 12'd1} & {2{phase_i == Broadcast}};

  // Hops to the end of a path; round a ring the whole way where each half has a direction of its own, else to its far
  // side.
  assign reach = ring && !halves_i ? last - (last >> 1) : last;
  assign far[11:0]  = ring ? reach : to_top;
  assign far[23:12] = !ring ? digit : halves_i ? last : last >> 1;

  assign limit_up   = limit[AddrW:0];
  assign limit_down = limit[2*AddrW+1:AddrW+1];
  for (genvar d = 0; d < 2; d++) begin : gen_direction
    localparam int A = AddrW + 1;
    logic             mine; // this node's packet is the first of the list
    logic [AddrW+2:0] at;
    assign room[d]             = held_q[d*A +: A] != limit_i;
    assign limit[d*A +: A]     = first_i ? held_q[d*A +: A] + A'(kept[d] && room[d]) : limit_q[d*A +: A];
    assign mine                = halves_i ? own_valid[d] : own_valid[0];
    assign length[d*(A+2) +: A+2] = (A+2)'(mine) + (halves_i ? (A+2)'(limit[d*A +: A])
                                                             : (A+2)'(limit_up) + (A+2)'(limit_down));
    assign next[d*(A+2) +: A+2] = first_i ? '0 : next_q[d*(A+2) +: A+2];
    assign far_off[d]          = far[d*12 +: 12] != 12'd0;
    assign more[d]             = phase_i == Broadcast && !pass[d] && far_off[d] &&
                                 next[d*(A+2) +: A+2] < length[d*(A+2) +: A+2];
    assign at_own[d]           = mine && next[d*(A+2) +: A+2] == '0;
    assign at                  = next[d*(A+2) +: A+2] - (A+2)'(mine);
    assign from_down[d]        = !more[d] ? read_sel_i[0] : halves_i ? (d == 1) : at >= (A+2)'(limit_up);
    assign addr[d*AddrW +: AddrW] = !more[d] ? read_addr_i
                                             : AddrW'(from_down[d] && !halves_i ? at - (A+2)'(limit_up) : at);
    // What comes in at the very start of a step may be the first to leave.
    logic        passes; // it does
    logic [43:0] stored;
    assign stored = from_down[d] ? mem_down[addr[d*AddrW +: AddrW]] : mem_up[addr[d*AddrW +: AddrW]];
    assign passes = kept[from_down[d]] && A'(addr[d*AddrW +: AddrW]) == held_q[32'(from_down[d])*A +: A];
    assign entry[d*44 +: 44] = !more[d] ? stored
                             : at_own[d] ? (halves_i ? own[d*56 +: 44] : own[43:0])
                             : passes ? (from_down[d] ? in_down[43:0] : in_up[43:0]) : stored;
    assign unfinished[d] = phase_i == Broadcast && last_i && far_off[d] &&
                           next[d*(A+2) +: A+2] + (A+2)'(more[d]) < length[d*(A+2) +: A+2];
  end

  always_ff @(posedge clk_i) begin
    if (load_we_i[0]) mem_up[load_addr_i] <= load_data_i;
    else if (kept[0] && room[0]) mem_up[held_q[AddrW-1:0]] <= in_up[43:0];
    if (load_we_i[1]) mem_down[load_addr_i] <= load_data_i;
    else if (kept[1] && room[1]) mem_down[held_q[2*AddrW:AddrW+1]] <= in_down[43:0];
  end

  // A step takes as many slots as the longest way, for each packet that a node of a line may hold.
  logic [11:0] hop_q, hop;
  logic [12:0] covered_q, covered;
  logic        ready_q, block_ends;
  assign hop        = first_i ? 12'd0 : hop_q;
  assign covered    = first_i ? nodes : covered_q;
  assign block_ends = hop + 12'd1 == reach;
  assign ready_o    = (ready_q && !first_i) || (block_ends && covered >= most_i);

  // ---- what leaves

  logic         own_up, own_down;
  logic [111:0] packed_word, spread_word;
  assign own_up      = own_leaves && goal > digit;
  assign own_down    = own_leaves && goal < digit;
  assign packed_word = {own_down ? own[32'(half_i)*56 +: 56] : way[32'(half_i)*112+56 +: 56],
                        own_up ? own[32'(half_i)*56 +: 56] : way[32'(half_i)*112 +: 56]};
  assign spread_word = {pass[1] ? {in_down[55:44] - 12'd1, in_down[43:0]} : {far[23:12], entry[87:44]},
                        pass[0] ? {in_up[55:44] - 12'd1, in_up[43:0]} : {far[11:0], entry[43:0]}};
  assign send_o      = phase_i == Count ? count_send
                     : phase_i == Pack ? under_way[32'(half_i)*2 +: 2] | {own_down, own_up}
                     : phase_i == Broadcast ? pass | more : 2'd0;
  assign word_o      = phase_i == Count ? {1'b1, 31'd0, count_down, 1'b1, 31'd0, count_up}
                     : phase_i == Pack ? {8'd0, packed_word[111:56], 8'd0, packed_word[55:0]}
                                       : {8'd0, spread_word[111:56], 8'd0, spread_word[55:0]};

  // ---- what was received, to be read

  assign read_valid_o = read_sel_i[1] ? own_valid_q[read_sel_i[0]]
                                      : (AddrW+1)'(read_addr_i) < held_q[32'(read_sel_i[0])*(AddrW+1) +: AddrW+1];
  assign read_data_o  = read_sel_i[1] ? own_q[32'(read_sel_i[0])*56 +: 44] : entry[43:0];

  // ---- registers

  logic late; // a word has hops left when its step is over
  assign late = ((kept[0] && in_up[55:44] > 12'd1) || (kept[1] && in_down[55:44] > 12'd1)) &&
                (first_i || phase_i != Broadcast);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      below_q     <= '0;
      total_q     <= '0;
      base_q      <= '0;
      own_valid_q <= '0;
      own_q       <= '0;
      under_way_q <= '0;
      way_q       <= '0;
      held_q      <= {halves_i ? items_i : (AddrW+1)'(0), items_i};
      limit_q     <= '0;
      next_q      <= '0;
      hop_q       <= '0;
      covered_q   <= '0;
      ready_q     <= 1'b0;
      fault_o     <= 1'b0;
    end else begin
      below_q     <= below_now;
      total_q     <= total_now;
      base_q      <= base;
      own_valid_q <= own_valid & ~(own_leaves ? (half_i ? 2'd2 : 2'd1) : 2'd0);
      own_q       <= own;
      under_way_q <= under_way & ~(phase_i == Pack ? (half_i ? 4'b1100 : 4'b0011) : 4'd0);
      way_q       <= way;
      held_q[AddrW:0]           <= held_q[AddrW:0] + (AddrW+1)'(kept[0] && room[0]);
      held_q[2*AddrW+1:AddrW+1] <= held_q[2*AddrW+1:AddrW+1] + (AddrW+1)'(kept[1] && room[1]);
      if (opens) held_q <= '0;
      limit_q     <= limit;
      next_q[AddrW+2:0]         <= next[AddrW+2:0] + (AddrW+3)'(more[0]);
      next_q[2*AddrW+5:AddrW+3] <= next[2*AddrW+5:AddrW+3] + (AddrW+3)'(more[1]);
      hop_q       <= block_ends ? 12'd0 : hop + 12'd1;
      covered_q   <= block_ends ? covered + nodes : covered;
      ready_q     <= ready_o;
      fault_o     <= fault_o || pack_fault || late || unfinished != 2'd0 || (kept & ~room) != 2'd0;
    end
  end

endmodule
