// SPDX-License-Identifier: Apache-2.0
//
// Blocking mode cannot deadlock: four nodes of scheme indirect on a 2-cube, with the admission and the gates of the RTL and
// the tables of the program (docs/internals/decisions says what is abstracted, and why that is sound).
//
// A packet is here a count only: of those of a buffer, a tree and a class, that wait for a port. All packets of a buffer
// join the same queues at once, and a queue gives them away in order, so what waits for a port is the youngest of the
// buffer, and a buffer holds as many as wait for the port that is furthest behind.
//
// A slot takes eight cycles: 0 begins it, 1 to 4 admission, 5 and 6 ports 1 and 0 send, 7 own packets. Nodes stall and offer
// packets as they please. Proved of every state that is consistent, the one after reset among them.

module crl_cube_progress #(
  parameter int Units = 2,
  localparam int UW = $clog2(Units + 1)
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [3:0] stall_i,       // [node]
  input logic [3:0] offer_i,
  input logic [3:0] offer_tree_i,
  input logic [$clog2(Units+1)-1:0] limit_i // any, and always the same
);

  localparam int Nodes = 4, Trees = 2, Classes = 3, Buffers = Trees * Classes;

`include "indirect_cube2.svh"

  // ---- constants of the tables

  // Ports by which the packets of a buffer leave; '1 in bit 2 where they do not all leave by the same.
  function automatic logic [2:0] mask_of(input logic [1:0] node, input logic tree, input logic [1:0] class_);
    logic [8:0] row;
    mask_of = '0;
    for (int a = 0; a < 3; a++) begin
      row = forward_row(node, tree, 2'(a));
      if (row[1:0] != '0 && row[5:2] == 4'(class_)) begin
        if (mask_of[1:0] != '0 && mask_of[1:0] != row[1:0]) mask_of[2] = 1'b1;
        mask_of[1:0] = row[1:0];
      end
    end
  endfunction

  // ---- the slot

  logic [UW-1:0]                limit;
  logic                         past_q, start, sending, port, any_stall_q, moved_q;
  logic [2:0]                   cycle_q;
  logic [1:0]                   row_q;

  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    limit  <= limit_i;
  end

  assign start   = rst_ni && cycle_q == 3'd0;
  assign sending = cycle_q == 3'd5 || cycle_q == 3'd6;
  assign port    = cycle_q == 3'd5;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cycle_q <= '0;
      row_q   <= '0;
    end else begin
      cycle_q <= cycle_q + 1'b1;
      if (start) row_q <= (row_q == 2'd2) ? '0 : row_q + 1'b1;
    end
  end

  // ---- the nodes

  logic [Nodes*2-1:0]             accept;                  // [node][port]
  logic [Nodes-1:0]               send, tree, came, came_tree, stalled;
  logic [Nodes-1:0]               serve, holds_up, holds_down;
  logic [Nodes-1:0]               bad_mask, bad_count, bad_word, bad_room, bad_queue;

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    logic [Buffers*2*UW-1:0] waits_q;                      // [tree][class][port]
    logic [Classes-1:0]      queue, ready_q[0:1];
    logic                    run, ask, admit_port, ask_port, ask_tree, full, put, put_tree, own, freed, freed_q;
    logic [1:0]              gate_class;
    logic [16:0]             admit_gate_q, gate;
    logic [8:0]              admit_row_q, row;
    logic [Buffers*UW-1:0]   held, left;
    logic                    first, second, unused_gate;
    logic [1:0]              second_class;

    crl_admission #(
      .Ports  (2),
      .Trees  (Trees),
      .Classes(Classes),
      .Units  (Units)
    ) u_admission (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .limit_i      (limit),
      .start_i      (start),
      .period_i     (row_q == 2'd2),
      .stalled_i    (stall_i[v]),
      .serve_o      (serve[v]),
      .stalled_o    (stalled[v]),
      .accept_o     (accept[v*2 +: 2]),
      .run_o        (run),
      .port_o       (admit_port),
      .accept_tree_i(admit_gate_q[16:13]),
      .ask_o        (ask),
      .ask_port_o   (ask_port),
      .ask_tree_o   (ask_tree),
      .class_i      (admit_row_q[3:2]),
      .stores_i     (admit_row_q[1:0] != '0),
      .put_i        (put),
      .put_tree_i   (put_tree),
      .put_class_i  (row[3:2]),
      .full_o       (full),
      .leave_tree_i (tree[v]),
      .leave_class_i(gate_class),
      .free_i       (freed_q),
      .f_held_o     (held),
      .f_left_o     (left),
      .f_first_o    (first)
    );

    always_ff @(posedge clk_i) begin
      admit_gate_q <= gate_row(2'(v), row_q, admit_port);
      admit_row_q  <= forward_row(2'(v), ask_tree, {1'b0, ask_port});
    end

    // Which queues held something when the slot began.
    always_ff @(posedge clk_i)
      if (start)
        for (int p = 0; p < 2; p++)
          for (int c = 0; c < Classes; c++)
            ready_q[p][c] <= waits_q[((0*Classes + c)*2 + p)*UW +: UW] != '0 || waits_q[((1*Classes + c)*2 + p)*UW +: UW] != '0;

    assign gate  = gate_row(2'(v), row_q, port);
    assign queue = ready_q[port];

    logic gate_send;
    crl_class_select #(
      .Ports  (2),
      .Classes(Classes)
    ) u_gate (
      .mode_i        (gate[2:0]),
      .a_i           (gate[6:3]),
      .b_i           (gate[10:7]),
      .position_i    (gate[12:11]),
      .waits_i       (queue),
      .coin_i        ('0),
      .place_i       ('0),
      .second_i      (1'b0),
      .second_class_i('0),
      .send_o        (gate_send),
      .class_o       (gate_class),
      .second_o      (second),
      .second_class_o(second_class)
    );

    // The neighbour behind port p is v ^ 2^p, and what it sends comes in by that port, too.
    assign send[v]      = sending && gate_send && accept[(v ^ (port ? 2 : 1))*2 + 32'(port)] && !stalled[v];
    assign tree[v]      = waits_q[((1*Classes + 32'(gate_class))*2 + 32'(port))*UW +: UW] != '0;
    assign came[v]      = send[v ^ (port ? 2 : 1)];
    assign came_tree[v] = tree[v ^ (port ? 2 : 1)];

    assign put_tree = sending ? came_tree[v] : offer_tree_i[v];
    assign row      = forward_row(2'(v), put_tree, sending ? {1'b0, port} : 2'd2);
    assign own      = cycle_q == 3'd7 && offer_i[v] && !stalled[v] && !full;
    assign put      = (came[v] || own) && row[1:0] != '0;

    // ---- counts

    always_comb begin
      freed = 1'b0;
      for (int b = 0; b < Buffers; b++)
        if (send[v] && b == 32'(tree[v])*Classes + 32'(gate_class))
          freed = port ? waits_q[(b*2 + 1)*UW +: UW] > waits_q[(b*2 + 0)*UW +: UW]
                       : waits_q[(b*2 + 0)*UW +: UW] > waits_q[(b*2 + 1)*UW +: UW];
    end

    always_ff @(posedge clk_i) begin
      freed_q <= rst_ni && freed;
      for (int b = 0; b < Buffers; b++)
        for (int p = 0; p < 2; p++)
          if (!rst_ni) waits_q[(b*2 + p)*UW +: UW] <= '0;
          else
            waits_q[(b*2 + p)*UW +: UW] <= waits_q[(b*2 + p)*UW +: UW]
              + UW'(put && row[p] && b == 32'(put_tree)*Classes + 32'(row[3:2]))
              - UW'(send[v] && p == 32'(port) && b == 32'(tree[v])*Classes + 32'(gate_class));
    end

    // ---- what must hold

    logic [Buffers-1:0] wrong_mask, wrong_count, holds;

    for (genvar b = 0; b < Buffers; b++) begin : gen_buffer
      localparam logic [2:0] Mask = mask_of(2'(v), 1'(b / Classes), 2'(b % Classes));
      logic [UW-1:0] wait_0, wait_1, entries, here, gone;
      assign wait_0  = waits_q[b*2*UW +: UW];
      assign wait_1  = waits_q[(b*2 + 1)*UW +: UW];
      assign entries = (wait_0 > wait_1) ? wait_0 : wait_1;
      assign here    = held[b*UW +: UW];
      assign gone    = left[b*UW +: UW];

      assign holds[b] = entries != '0;
      // All packets of a buffer leave by the same ports, and they are counted there only.
      assign wrong_mask[b] = Mask[2] || (!Mask[0] && wait_0 != '0) || (!Mask[1] && wait_1 != '0);
      // What admission counts is what there is.
      assign wrong_count[b] = here > limit || gone > here || here - gone != entries;
    end

    assign holds_up[v]   = holds[0] || holds[Classes];
    assign holds_down[v] = |holds[Classes-1:1] || |holds[Buffers-1:Classes+1];
    assign bad_mask[v]   = |wrong_mask;
    assign bad_count[v]  = |wrong_count || freed_q || run || ask;
    assign bad_word[v]   = came[v] && (!row[8] || gate[16:13] != 4'(came_tree[v]));
    assign bad_room[v]   = came[v] && put && full;

    always_comb begin
      bad_queue[v] = 1'b0;
      for (int q = 0; q < 2*Classes; q++)
        if (waits_q[q*UW +: UW] != '0 && waits_q[(2*Classes + q)*UW +: UW] != '0) bad_queue[v] = 1'b1;
    end

    assign unused_gate = &{1'b0, first, second, second_class};
  end

  // ---- progress

  logic up_q, down_q, played_q;
  logic [1:0] idle_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      idle_q   <= '0;
      played_q <= 1'b0;
    end else if (start) begin
      up_q        <= |holds_up;
      down_q      <= |holds_down;
      any_stall_q <= |stall_i;
      moved_q     <= 1'b0;
      played_q    <= 1'b1;
      idle_q      <= idle;
    end else if (sending && |send) begin
      moved_q     <= 1'b1;
    end
  end

  // Slots in a row, up to now, in which something was stored, nobody stalled and no word was sent.
  logic [1:0] idle;
  assign idle = (!played_q || moved_q || any_stall_q || !(up_q || down_q)) ? '0 : idle_q + 1'b1;

  // What is true whenever a slot begins: proved of the slot's end where it is so at its beginning, and after reset.
  logic waits_as_bound, consistent;
  // Of any four slots in a row in which nobody stalls, while something is stored, one sends a word.
  assign waits_as_bound = idle <= ((row_q == 2'd0) ? 2'd3 : row_q) && (idle == '0 || row_q != '0 || holds_down != '0);
  assign consistent     = row_q != 2'd3 && bad_mask == '0 && bad_count == '0 && bad_queue == '0 && waits_as_bound;

  always_comb begin
    assume (limit != '0 && 32'(limit) <= Units && limit_i == limit);
    if (past_q) assume (rst_ni);
    else assume (!rst_ni || (cycle_q == 3'd0 && consistent));
  end

  always_comb if (past_q && rst_ni) begin
    if (cycle_q == 3'd0) begin
      a_row: assert (row_q != 2'd3);
      a_mask: assert (bad_mask == '0);
      a_queue: assert (bad_queue == '0);
      a_count: assert (bad_count == '0);
      a_progress: assert (waits_as_bound);
    end
    a_serve: assert (serve == {Nodes{cycle_q == 3'd3}});
    if (sending) a_expected: assert (bad_word == '0);
    if (sending) a_room: assert (bad_room == '0);
    if (cycle_q == 3'd0 && played_q && !any_stall_q) begin
      // On the way down nothing waits for what is on its way up; the way up waits for the way down at most.
      if (row_q != '0 && down_q) a_down: assert (moved_q);
      if (row_q == '0 && up_q && !down_q) a_up: assert (moved_q);
    end
  end

endmodule
