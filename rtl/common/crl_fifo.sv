// SPDX-License-Identifier: Apache-2.0
//
// First in, first out, in a memory of one read and one write port.
//
// Timing: what is pushed at an edge is counted, and is the head of a queue that was empty, after that edge; what is popped
// at an edge leaves the next entry, if there is one, at head_o after it. A full queue takes nothing and an empty one gives
// nothing: who pushes and pops sees to that. In a cycle without active_i nothing is pushed or popped, and nothing changes.

module crl_fifo #(
  /// Bits of an entry.
  parameter int Width = 8,
  /// Entries it holds: a power of two, 2 or more.
  parameter int Depth = 16,
  /// Bits of an entry's place.
  localparam int AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             active_i,  // 1 with push_i and pop_i, and in as few cycles besides as costs nothing
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  input  logic             pop_i,

  output logic [Width-1:0] head_o,    // the oldest entry; says nothing while empty_o
  output logic             empty_o,
  output logic             full_o
);

  (* no_rw_check *)
  logic [Width-1:0] mem [0:Depth-1];

  // Places with a bit more than they need, which tells full from empty. next_q is the one after read_q.
  logic [AddrW:0] read_q, next_q, write_q;
  logic           one, passes, passed_q;

  logic [AddrW-1:0] read_d;
  logic [Width-1:0] stored_q, data_q;

  if (Depth < 2 || (1 << AddrW) != Depth) begin : gen_bad_depth
    crl_error_depth_must_be_a_power_of_two u_error ();
  end

  assign empty_o = write_q == read_q;
  assign one     = write_q == next_q;
  assign full_o  = write_q == {!read_q[AddrW], read_q[AddrW-1:0]};

  // A memory does not return what is written at the same edge, so an entry that becomes the head at once goes past it.
  // pop_i, which comes late, only chooses between what is known without it.
  assign read_d = pop_i ? next_q[AddrW-1:0] : read_q[AddrW-1:0];
  assign passes = push_i && (pop_i ? one : write_q == read_q);

  always_ff @(posedge clk_i) begin
    if (active_i) begin
      if (push_i) mem[write_q[AddrW-1:0]] <= data_i;
      stored_q <= mem[read_d];
      passed_q <= passes;
      data_q   <= data_i;
    end
    if (!rst_ni) begin
      read_q  <= '0;
      next_q  <= (AddrW+1)'(1);
      write_q <= '0;
    end else if (active_i) begin
      if (push_i) write_q <= write_q + 1'b1;
      if (pop_i) begin
        read_q <= next_q;
        next_q <= next_q + 1'b1;
      end
    end
  end

  assign head_o = passed_q ? data_q : stored_q;

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  // How many entries it holds, and which, the oldest lowest: for proofs of who uses the queue.
  logic [AddrW:0] f_count;
  assign f_count = write_q - read_q;
  logic [Depth*Width-1:0] f_entries;
  for (genvar i = 0; i < Depth; i++) begin : gen_f_entry
    assign f_entries[i*Width +: Width] = mem[AddrW'(read_q + (AddrW+1)'(i))];
  end

  always_comb if (f_past_valid) begin
    a_bounds: assert (32'(f_count) <= Depth);
    a_next: assert (next_q == read_q + 1'b1);
    a_empty: assert (empty_o == (f_count == '0) && full_o == (32'(f_count) == Depth));
  end

  always_ff @(posedge clk_i) if (f_past_valid && $past(rst_ni)) begin
    if (passed_q && !empty_o) a_passed: assert (data_q == mem[read_q[AddrW-1:0]]);
    a_head_next: assert (empty_o || head_o == mem[read_q[AddrW-1:0]]);
  end

`ifdef FORMAL_CONTENTS
  // Any one entry, followed from its push to its pop: where it is, how many are before it, and what it says.
  (* anyseq *) logic f_follow;
  logic             f_in;
  logic [AddrW:0]   f_before;
  logic [AddrW-1:0] f_place;
  logic [Width-1:0] f_entry;
  initial f_in = 1'b0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_in <= 1'b0;
    end else if (!f_in) begin
      if (push_i && f_follow) begin
        f_in     <= 1'b1;
        f_before <= f_count - (AddrW+1)'(pop_i);
        f_place  <= write_q[AddrW-1:0];
        f_entry  <= data_i;
      end
    end else if (pop_i) begin
      if (f_before == '0) f_in <= 1'b0;
      else f_before <= f_before - 1'b1;
    end
  end

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    assume (!(push_i && full_o));
    assume (!(pop_i && empty_o));
    assume (active_i || !(push_i || pop_i));
  end

  always_comb if (f_past_valid) begin
    if (f_in) begin
      a_waits: assert (f_before < f_count);
      a_place: assert (f_place == AddrW'(read_q + f_before));
      a_kept: assert (mem[f_place] == f_entry);
      if (f_before == '0) a_head: assert (head_o == f_entry);
    end
    c_full: cover (full_o && f_in && f_before == '0);
  end

  always_ff @(posedge clk_i) if (f_past_valid && $past(rst_ni)) begin
    c_through: cover (!f_in && $past(f_in) && !empty_o);
  end
`else
  // Proved where the queue is used: crl_packet_store, crl_queue_node.
  always_comb if (f_past_valid && rst_ni) begin
    a_not_over: assert (!(push_i && full_o));
    a_not_under: assert (!(pop_i && empty_o));
    a_active: assert (active_i || !(push_i || pop_i));
  end
`endif
`endif

endmodule
