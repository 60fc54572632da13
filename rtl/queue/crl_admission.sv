// SPDX-License-Identifier: Apache-2.0
//
// Blocking mode of a node under queue control (docs/formats/queue.md): counts what each buffer, a tree and a class, holds, and
// says which ports the neighbours may send to in a slot and whether the node's own packet finds room.
//
// Timing: start_i is the pulse that begins a slot. In the cycles after it the ports are gone through, one a cycle, from the
// one whose turn it is: run_o, port_o ask for a port's gate; accept_tree_i, the tree that may come in by it, is there a
// cycle later and passed on as tree_o, with ask_o, to ask for that tree's forwarding row; class_i and stores_i are there a
// cycle after that, and decide. Ports + 3 cycles after start_i all of accept_o is decided, which holds for the slot; serve_o
// comes two cycles before. What comes is counted at once; what leaves, when the next slot begins. Nothing may come in the
// first Ports + 2 cycles of a slot.

module crl_admission #(
  parameter int Ports = 4,
  parameter int Trees = 4,
  parameter int Classes = 2,
  /// Entries a buffer can hold, 1 or more.
  parameter int Units = 2,
  localparam int PW = (Ports > 1) ? $clog2(Ports) : 1,
  localparam int TW = (Trees > 1) ? $clog2(Trees) : 1,
  localparam int CW = (Classes > 1) ? $clog2(Classes) : 1,
  localparam int UW = $clog2(Units + 1),
  localparam int Buffers = Trees * Classes,
  localparam int BW = TW + CW
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [UW-1:0]    limit_i,       // entries a buffer may hold, 1 to Units

  input  logic             start_i,
  input  logic             period_i,      // with start_i: the slot is the first of a period
  input  logic             stalled_i,     // with start_i: the node neither sends nor takes anything in the slot
  output logic             serve_o,
  output logic             stalled_o,
  output logic [Ports-1:0] accept_o,

  output logic             run_o,
  output logic [PW-1:0]    port_o,
  input  logic [3:0]       accept_tree_i, // Trees or more: none
  output logic             ask_o,
  output logic [PW-1:0]    ask_port_o,
  output logic [TW-1:0]    ask_tree_o,
  input  logic [CW-1:0]    class_i,
  input  logic             stores_i,      // what comes this way takes room

  input  logic             put_i,         // a packet comes
  input  logic [TW-1:0]    put_tree_i,
  input  logic [CW-1:0]    put_class_i,
  output logic             full_o,        // there is no room for it

  input  logic [TW-1:0]    leave_tree_i,  // a packet leaves a queue,
  input  logic [CW-1:0]    leave_class_i,
  input  logic             free_i         // and waits nowhere any more, which shows a cycle later
`ifdef FORMAL
  ,
  output logic [Buffers*UW-1:0] f_held_o, // for proofs around it: what each buffer holds, what left of it in this slot,
  output logic [Buffers*UW-1:0] f_left_o,
  output logic [PW-1:0]         f_first_o // and whose turn it is
`endif
);

  // ---- the ports in turn

  logic          last;
  logic [PW-1:0] first_q, first, next, decide_port_q;
  logic [TW-1:0] decide_tree_q;
  logic          decide_q, ask_q;

  function automatic logic [PW-1:0] after(input logic [PW-1:0] port);
    after = (32'(port) == Ports - 1) ? '0 : port + 1'b1;
  endfunction

`ifdef FORMAL
  assign f_first_o = first_q;
`endif

  assign first   = period_i ? after(first_q) : first_q;
  assign next    = after(port_o);
  assign last    = next == first_q;
  assign serve_o = ask_q && !run_o;

  assign ask_o      = ask_q;
  assign ask_tree_o = accept_tree_i[TW-1:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_o     <= 1'b0;
      ask_q     <= 1'b0;
      decide_q  <= 1'b0;
      first_q   <= '0;
      stalled_o <= 1'b0;
    end else begin
      run_o    <= start_i || (run_o && !last);
      ask_q    <= run_o;
      decide_q <= ask_q && 32'(accept_tree_i) < Trees && !stalled_o;
      if (start_i) begin
        first_q   <= first;
        stalled_o <= stalled_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    port_o        <= start_i ? first : next;
    ask_port_o    <= port_o;
    decide_port_q <= ask_port_o;
    decide_tree_q <= ask_tree_o;
  end

  // ---- the buffers

  logic [Buffers-1:0] room, space, space_q; // room: counting what has been promised in this slot
  logic               grant, has_room, has_space, started_q;
  logic [BW-1:0]      granted, put, leaving;
  logic [UW-1:0]      limit_but_one;

  assign granted = {decide_tree_q, class_i};
  assign put     = {put_tree_i, put_class_i};
  assign leaving = {leave_tree_i, leave_class_i};

  assign limit_but_one = limit_i - 1'b1;

  always_ff @(posedge clk_i) started_q <= start_i;

  for (genvar k = 0; k < Trees; k++) begin : gen_tree
    for (genvar c = 0; c < Classes; c++) begin : gen_buffer
      localparam int B = k * Classes + c;
      localparam logic [BW-1:0] Me = {TW'(k), CW'(c)};

      // May still be promised: what is free when the slot has begun, less what is promised, which is less to wait for than
      // the sum of both would be.
      logic [UW-1:0] held_q, left_q, free_q;
      logic          freed_q;

`ifdef FORMAL
      assign f_held_o[B*UW +: UW] = held_q;
      assign f_left_o[B*UW +: UW] = left_q;
`endif

      assign room[B]  = free_q != '0;
      assign space[B] = held_q < limit_i;

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          held_q <= '0;
          left_q <= '0;
        end else begin
          held_q <= held_q - (start_i ? left_q : '0) + UW'(put_i && put == Me);
          left_q <= (start_i ? '0 : left_q) + UW'(free_i && freed_q);
        end
      end
      // What is left when a packet comes was compared before: with and without one more, in case one came just now. What leaves
      // shows two cycles after a slot began, long before anything comes.
      always_ff @(posedge clk_i) begin
        freed_q    <= leaving == Me;
        space_q[B] <= (put_i && put == Me) ? held_q < limit_but_one : space[B];
        if (started_q) free_q <= space[B] ? limit_i - held_q : '0;
        else free_q <= free_q - UW'(grant && stores_i && granted == Me);
      end
    end
  end

  always_comb begin
    has_room  = 1'b0;
    has_space = 1'b0;
    for (int k = 0; k < Trees; k++)
      for (int c = 0; c < Classes; c++) begin
        if (granted == {TW'(k), CW'(c)}) has_room = room[k*Classes + c];
        if (put == {TW'(k), CW'(c)}) has_space = space_q[k*Classes + c];
      end
  end

  assign grant  = decide_q && (!stores_i || has_room);
  assign full_o = !has_space;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) accept_o <= '0;
    else for (int p = 0; p < Ports; p++) if (grant && 32'(decide_port_q) == p) accept_o[p] <= 1'b1;
  end

endmodule
