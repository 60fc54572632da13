// SPDX-License-Identifier: Apache-2.0
//
// The queues of crl_queue_node: Classes for each port, class c of port p at c*Ports + p, and a loop-back queue a tree.
//
// Timing: heads_o and loop_heads_o are the heads, waits_o and loop_waits_o say which there were, when the slot began; each may
// be popped once before the next. What is pushed a cycle before slot_i, or earlier, was there.

module crl_queue_fifos #(
  parameter int Ports = 4,
  parameter int Trees = 4,
  parameter int Classes = 1,
  /// 1: a loop-back queue a tree.
  parameter int Loops = 0,
  /// Bits of an entry.
  parameter int EntryW = 9,
  /// Entries of each queue: a power of two.
  parameter int Depth = 256,
  localparam int Queues = Ports * Classes
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     slot_i,

  input  logic                     active_i,     // something may be pushed or popped
  input  logic [EntryW-1:0]        entry_i,      // that joins
  input  logic [Queues-1:0]        push_i,
  input  logic [Trees-1:0]         loop_push_i,
  input  logic [Queues-1:0]        pop_i,
  input  logic [Trees-1:0]         loop_pop_i,

  output logic [Queues*EntryW-1:0] heads_o,
  output logic [Queues-1:0]        waits_o,
  output logic [Trees*EntryW-1:0]  loop_heads_o,
  output logic [Trees-1:0]         loop_waits_o
);

  logic [Queues-1:0] empty, full;

  for (genvar i = 0; i < Queues; i++) begin : gen_queue
    crl_fifo #(
      .Width(EntryW),
      .Depth(Depth)
    ) u_fifo (
      .clk_i   (clk_i),
      .rst_ni  (rst_ni),
      .active_i(active_i),
      .push_i  (push_i[i]),
      .data_i  (entry_i),
      .pop_i   (pop_i[i]),
      .read_i  (slot_i),
      .head_o  (heads_o[i*EntryW +: EntryW]),
      .empty_o (empty[i]),
      .full_o  (full[i])
    );
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) waits_o <= '0;
    else if (slot_i) waits_o <= ~empty;
  end

  if (Loops != 0) begin : gen_loops
    logic [Trees-1:0] loop_empty, loop_full;

    for (genvar k = 0; k < Trees; k++) begin : gen_loop
      crl_fifo #(
        .Width(EntryW),
        .Depth(Depth)
      ) u_fifo (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .active_i(active_i),
        .push_i  (loop_push_i[k]),
        .data_i  (entry_i),
        .pop_i   (loop_pop_i[k]),
        .read_i  (slot_i),
        .head_o  (loop_heads_o[k*EntryW +: EntryW]),
        .empty_o (loop_empty[k]),
        .full_o  (loop_full[k])
      );
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) loop_waits_o <= '0;
      else if (slot_i) loop_waits_o <= ~loop_empty;
    end

    logic unused_loop_full;
    assign unused_loop_full = &{1'b0, loop_full};
  end else begin : gen_no_loops
    assign loop_heads_o = '0;
    assign loop_waits_o = '0;
    logic unused_loops;
    assign unused_loops = &{1'b0, loop_push_i, loop_pop_i};
  end

  // They are as deep as the store, so they never overflow.
  logic unused_full;
  assign unused_full = &{1'b0, full};

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    // Who waits is told for a whole slot.
    if (f_past_valid && $past(rst_ni && !slot_i)) a_waits_hold: assert (waits_o == $past(waits_o));
  end
`endif

endmodule
