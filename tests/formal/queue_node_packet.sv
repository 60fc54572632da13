// SPDX-License-Identifier: Apache-2.0
//
// One packet on its way through crl_queue_node: it leaves once by each port that the forwarding table names, in its turn,
// and by no other; or a fault says that it came out of turn, was not expected or found the store full.
//
// The packet is marked by bit 0 of its word, which the node does not look at: what holds for a marked packet among others
// holds for any. Bit 1 stands for the rest of its word. A row of either table is anything that the format allows, anew
// in every cycle in which it is read.

module queue_node_packet #(
  parameter int Ports = 2,
  parameter int Trees = 1,
  parameter int Classes = 1,
  parameter int Loops = 0,
  parameter int Depth = 2,
  localparam int DataW = 32,
  localparam int AddrW = $clog2(Depth),
  localparam int CW = (Classes > 1) ? $clog2(Classes) : 1,
  localparam int AW = $clog2(Ports + 2),
  localparam int Phases = Ports + Loops * Trees,
  /// Queues: class c of port p is c*Ports + p; behind them the loop-back queues of the trees.
  localparam int Links = Ports * Classes,
  localparam int Queues = Links + Loops * Trees
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic [AddrW:0]         limit_i,
  input logic                   slot_i,
  input logic                   inject_valid_i,
  input logic [DataW-1:0]       inject_data_i,
  input logic [Ports-1:0]       link_valid_i,
  input logic [Ports*DataW-1:0] link_data_i
);

  logic                   ready, inject_ready, deliver_valid;
  logic [Ports-1:0]       link_valid;
  logic [Ports*DataW-1:0] link_data;
  logic [DataW-1:0]       deliver_data;
  logic [AddrW:0]         stored;
  logic [2:0]             fault;

  crl_queue_node #(
    .Ports  (Ports),
    .Trees  (Trees),
    .Classes(Classes),
    .Loops  (Loops),
    .Depth  (Depth),
    .Period (1)
  ) u_node (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .ready_o        (ready),
    .node_i         (10'd0),
    .limit_i        (limit_i),
    .last_row_i     (1'b0),
    .load_we_i      (1'b0),
    .load_gate_i    (1'b0),
    .load_addr_i    ('0),
    .load_data_i    ('0),
    .slot_i         (slot_i),
    .inject_valid_i (inject_valid_i),
    .inject_data_i  (inject_data_i),
    .inject_ready_o (inject_ready),
    .link_valid_i   (link_valid_i),
    .link_data_i    (link_data_i),
    .link_valid_o   (link_valid),
    .link_data_o    (link_data),
    .deliver_valid_o(deliver_valid),
    .deliver_data_o (deliver_data),
    .deliver_port_o (),
    .stored_o       (stored),
    .fault_o        (fault),
    .dropped_o      (),
    .strange_o      ()
  );

  // What is looked at inside: rows as they are read, whether the store is full, which queues are served.
  (* hierconn *) logic [6+Ports:0]  \u_node.forward_q ;
  (* hierconn *) logic [10+Ports:0] \u_node.gate ;
  (* hierconn *) logic              \u_node.full_store ;
  (* hierconn *) logic [Links-1:0]  \u_node.pop ;
  (* hierconn *) logic [Trees-1:0]  \u_node.loop_pop ;

  logic past_valid;
  initial past_valid = 1'b0;
  always_ff @(posedge clk_i) past_valid <= 1'b1;

  // ---- when what may come

  // Cycles since the slot began, the first is 1; 0: none did.
  logic [5:0] since;
  logic [1:0] quiet;   // cycles in which an own packet could have come and none did
  logic       begun;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      since <= '0;
      quiet <= '0;
      begun <= 1'b0;
    end else begin
      since <= slot_i ? 6'd1 : (since == '0 || since == '1) ? since : since + 1'b1;
      quiet <= (!inject_ready || inject_valid_i) ? '0 : (quiet == 2'd2) ? quiet : quiet + 1'b1;
      begun <= begun || slot_i;
    end
  end

  always_comb begin
    if (!past_valid) assume (!rst_ni);
    assume (32'(limit_i) <= Depth);
    if (slot_i) assume (ready && (!begun || quiet == 2'd2));
  end

  // ---- the word that arrives, and the row read for it

  logic             comes, out_of_turn, coming, came, marked_comes;
  logic [DataW-1:0] word, coming_word, came_word;
  logic             seen, bit_of_marked;  // the marked packet was here, and its bit 1

  always_comb begin
    comes        = inject_valid_i && inject_ready;
    word         = inject_data_i;
    out_of_turn  = 1'b0;
    marked_comes = comes && word[0];
    for (int p = 0; p < Ports; p++) begin
      if (32'(since) == Phases + 4 - p) begin
        comes = link_valid_i[p];
        word  = link_data_i[p*DataW +: DataW];
      end else if (link_valid_i[p]) begin
        out_of_turn = 1'b1;
      end
      if (link_valid_i[p] && link_data_i[p*DataW]) begin
        assume (!marked_comes);
        marked_comes = 1'b1;
      end
    end
    assume (!(marked_comes && seen));
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      coming <= 1'b0;
      came   <= 1'b0;
      seen   <= 1'b0;
    end else begin
      coming <= comes;
      came   <= coming;
      seen   <= seen || marked_comes;
    end
  end
  always_ff @(posedge clk_i) begin
    coming_word <= word;
    came_word   <= coming_word;
    if (comes && word[0]) bit_of_marked <= word[1];
  end

  logic [Ports-1:0] row_ports;
  logic [3:0]       row_class;
  logic             row_loop, row_deliver, row_take, take, enters, loops, dropped;

  assign {row_take, row_deliver, row_loop, row_class, row_ports} = \u_node.forward_q ;
  assign take    = came && row_take && 32'(came_word[31:28]) < Trees;
  assign dropped = take && (row_ports != '0 || loops) && \u_node.full_store ;
  assign enters  = take && (row_ports != '0 || loops) && !\u_node.full_store ;
  assign loops   = Loops != 0 && row_loop;

  // A row that a loop-back queue is served for: the cycle after it was popped.
  logic moves;
  logic [Trees-1:0] moves_from, loop_served;
  assign loop_served = (Loops != 0) ? \u_node.loop_pop : '0;
  always_ff @(posedge clk_i) begin
    moves      <= rst_ni && loop_served != '0;
    moves_from <= loop_served;
  end

  // The ports of a packet that comes and of one that leaves its tree's loop-back queue have none in common.
  (* anyconst *) logic [Trees*Ports-1:0] later;
  always_comb begin
    assume (row_ports == '0 || 32'(row_class) < Classes);
    for (int k = 0; k < Trees; k++) begin
      if (moves && moves_from[k]) assume ((row_ports & ~later[k*Ports +: Ports]) == '0);
      if (loops && !moves && 32'(came_word[31:28]) == k) assume ((row_ports & later[k*Ports +: Ports]) == '0);
    end
  end

  // ---- queues as they should be: how long they are, and how many are before the marked packet

  logic [Queues*(AddrW+1)-1:0] length, begin_length, ahead;
  logic [Queues-1:0]           inside, pushed, popped, pops_marked;
  logic                        marked_moves;
  logic                        behind, moved;  // it was not the first of its queue; it left a loop-back queue

  always_comb begin
    pushed = '0;
    for (int p = 0; p < Ports; p++)
      for (int c = 0; c < Classes; c++)
        pushed[c*Ports + p] = (enters || moves) && row_ports[p] && 32'(row_class) == c;
    for (int k = 0; k < Loops * Trees; k++) pushed[Links + k] = enters && loops && 32'(came_word[31:28]) == k;
    popped = Queues'({loop_served, \u_node.pop });
    for (int q = 0; q < Queues; q++) pops_marked[q] = popped[q] && inside[q] && ahead[q*(AddrW+1) +: AddrW+1] == '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      length       <= '0;
      begin_length <= '0;
      inside       <= '0;
      marked_moves <= 1'b0;
      behind       <= 1'b0;
      moved        <= 1'b0;
    end else begin
      marked_moves <= (pops_marked >> Links) != '0;
      behind       <= behind || (inside & popped & ~pops_marked) != '0;
      moved        <= moved || marked_moves;
      if (slot_i) begin_length <= length;
      for (int q = 0; q < Queues; q++) begin
        length[q*(AddrW+1) +: AddrW+1] <= length[q*(AddrW+1) +: AddrW+1] + (AddrW+1)'(pushed[q]) - (AddrW+1)'(popped[q]);
        if (pushed[q] && (moves ? marked_moves : came_word[0])) begin
          inside[q]                     <= 1'b1;
          ahead[q*(AddrW+1) +: AddrW+1] <= length[q*(AddrW+1) +: AddrW+1] - (AddrW+1)'(popped[q]);
        end else if (pops_marked[q]) begin
          inside[q] <= 1'b0;
        end else if (popped[q]) begin
          ahead[q*(AddrW+1) +: AddrW+1] <= ahead[q*(AddrW+1) +: AddrW+1] - 1'b1;
        end
      end
    end
  end

  // ---- by which ports it must leave, and has

  logic [Ports-1:0] to_leave, left, serves, serves_marked, sends, sends_marked, waits_for, marked_leaves;
  logic [2:0]       should_fault;
  logic             held;

  always_comb begin
    for (int p = 0; p < Ports; p++) begin
      serves[p]        = 1'b0;
      serves_marked[p] = 1'b0;
      waits_for[p]     = 1'b0;
      for (int c = 0; c < Classes; c++) begin
        serves[p]        = serves[p] || popped[c*Ports + p];
        serves_marked[p] = serves_marked[p] || pops_marked[c*Ports + p];
        waits_for[p]     = waits_for[p] || inside[c*Ports + p];
      end
    end
  end

  logic [Ports-1:0] taken_out, taken_out_marked;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      to_leave         <= '0;
      left             <= '0;
      taken_out        <= '0;
      taken_out_marked <= '0;
      sends            <= '0;
      sends_marked     <= '0;
      should_fault     <= '0;
      held             <= 1'b0;
    end else begin
      if ((enters && came_word[0]) || (moves && marked_moves)) to_leave <= to_leave | row_ports;
      left             <= left | marked_leaves;
      taken_out        <= serves;
      taken_out_marked <= serves_marked;
      sends            <= taken_out;
      sends_marked     <= taken_out_marked;
      should_fault     <= should_fault | {out_of_turn, came && !take, dropped};
      if (slot_i) held <= inside != '0;
    end
  end

  logic [Ports-1:0]  altered, out_of_order, late;
  logic [Queues-1:0] began, open, decided, should_pop;  // the gate as it is read, and what follows from it two cycles later

  always_ff @(posedge clk_i) begin
    decided    <= rst_ni ? open : '0;
    should_pop <= rst_ni ? decided : '0;
  end

  always_comb begin
    for (int p = 0; p < Ports; p++) begin
      marked_leaves[p] = link_valid[p] && link_data[p*DataW];
      altered[p]       = marked_leaves[p] && link_data[p*DataW + 1] != bit_of_marked;
      out_of_order[p]  = link_valid[p] && link_data[p*DataW] != sends_marked[p];
      late[p]          = link_valid[p] && 32'(since) != Phases + 4 - p;
      for (int c = 0; c < Classes; c++)
        open[c*Ports + p] = 32'(since) == Phases - p && \u_node.gate [2:0] == 3'd1 && 32'(\u_node.gate [6:3]) == c;
    end
    for (int k = 0; k < Loops * Trees; k++) open[Links + k] = 32'(since) == Trees - k && \u_node.gate [0];
    for (int q = 0; q < Queues; q++) began[q] = begin_length[q*(AddrW+1) +: AddrW+1] != '0;
  end

  always_comb if (past_valid) begin
    // Once, by these ports, unchanged.
    a_once: assert ((marked_leaves & (~to_leave | left)) == '0);
    a_unchanged: assert (altered == '0);
    // Never forgotten: by which it has not left it waits for, once, or is about to leave by.
    a_kept: assert ((to_leave & ~left) == (waits_for | taken_out_marked | sends_marked));
    // In its turn: first come first served in each queue, and nothing else leaves.
    a_sends: assert (link_valid == sends && late == '0);
    a_order: assert (out_of_order == '0);
    // What came in a slot waits for the next; an open gate serves.
    a_began: assert ((popped & ~began) == '0);
    a_open: assert ((should_pop & began & ~popped) == '0);
    // Deliveries and faults.
    a_deliver: assert (deliver_valid == (take && row_deliver) && (!deliver_valid || deliver_data == came_word));
    a_fault: assert (fault == should_fault);
    if (held) a_stored: assert (stored != '0);

    c_all_ports: cover (left == '1);
    c_behind: cover (left != '0 && left == to_leave && behind);
    c_dropped: cover (dropped && came_word[0]);
    c_moves: cover (Loops == 0 || (left == '1 && moved));
  end

endmodule
