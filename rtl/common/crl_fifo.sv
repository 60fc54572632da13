// SPDX-License-Identifier: Apache-2.0
//
// First in, first out, in a memory of one read and one write port.
//
// Timing: what is pushed or popped at an edge is counted after it. An edge with read_i brings the oldest of the entries that
// were pushed at edges before it to head_o; with Ahead, of those that are left when one is popped at that edge. A full queue
// takes nothing and an empty one gives nothing: who pushes and pops sees to that. In a cycle without active_i nothing is
// pushed or popped.

module crl_fifo #(
  /// Bits of an entry.
  parameter int Width = 8,
  /// Entries it holds: a power of two, 2 or more.
  parameter int Depth = 16,
  /// 1: entries can be read and popped in every cycle. 0: read before popped.
  parameter int Ahead = 0,
  /// As of crl_ram.
  parameter Style = "auto",
  /// Bits of an entry's place.
  localparam int AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             active_i,  // 1 with push_i and pop_i, and in as few cycles besides as costs nothing
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  input  logic             pop_i,
  input  logic             read_i,

  output logic [Width-1:0] head_o,
  output logic             empty_o,
  output logic             full_o
);

  // Places with a bit more than they need, which tells full from empty.
  logic [AddrW:0]   read_q, write_q;
  logic [AddrW-1:0] read_at;

  if (Depth < 2 || (1 << AddrW) != Depth) begin : gen_bad_depth
    crl_error_depth_must_be_a_power_of_two u_error ();
  end

  assign empty_o = write_q == read_q;
  assign full_o  = write_q == {!read_q[AddrW], read_q[AddrW-1:0]};

  if (Ahead != 0) begin : gen_ahead
    // pop_i comes late, so it only chooses between what is known without it.
    logic [AddrW:0] next_q; // after read_q

    assign read_at = pop_i ? next_q[AddrW-1:0] : read_q[AddrW-1:0];

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        read_q <= '0;
        next_q <= (AddrW+1)'(1);
      end else if (active_i) begin
        if (pop_i) begin
          read_q <= next_q;
          next_q <= next_q + 1'b1;
        end
      end
    end

`ifdef FORMAL
    always_comb if (f_past_valid) a_next: assert (next_q == read_q + 1'b1);
`endif
  end else begin : gen_in_turn
    assign read_at = read_q[AddrW-1:0];

    always_ff @(posedge clk_i) begin
      if (!rst_ni) read_q <= '0;
      else if (active_i) begin
        if (pop_i) read_q <= read_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) write_q <= '0;
    else if (active_i) begin
      if (push_i) write_q <= write_q + 1'b1;
    end
  end

  crl_ram #(
    .DataW(Width),
    .Depth(Depth),
    .Style(Style)
  ) u_ram (
    .clk_i  (clk_i),
    .we_i   (push_i),
    .waddr_i(write_q[AddrW-1:0]),
    .wdata_i(data_i),
    .re_i   (read_i),
    .raddr_i(read_at),
    .rdata_o(head_o)
  );

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  // How many entries it holds, and which, the oldest lowest: for proofs of who uses the queue.
  (* hierconn *) logic [Depth*Width-1:0] \u_ram.f_words ;
  logic [AddrW:0] f_count;
  assign f_count = write_q - read_q;
  logic [Depth*Width-1:0] f_entries;
  for (genvar i = 0; i < Depth; i++) begin : gen_f_entry
    assign f_entries[i*Width +: Width] = \u_ram.f_words [AddrW'(read_q + (AddrW+1)'(i))*Width +: Width];
  end

  // What is at head_o is the oldest entry, until that is popped.
  logic f_read;
  initial f_read = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_read <= 1'b0;
    else if (read_i) f_read <= f_count > (AddrW+1)'(pop_i) && (Ahead != 0 || !pop_i);
    else if (pop_i) f_read <= 1'b0;
  end

  always_comb if (f_past_valid) begin
    a_bounds: assert (32'(f_count) <= Depth);
    a_empty: assert (empty_o == (f_count == '0) && full_o == (32'(f_count) == Depth));
    if (f_read) a_head: assert (!empty_o && head_o == f_entries[Width-1:0]);
  end

`ifdef FORMAL_CONTENTS
  // Any one entry, followed from its push to its pop: where it is, how many are before it, and what it says.
  (* anyseq *) logic f_follow;
  logic             f_in;
  logic [AddrW:0]   f_before;
  logic [Width-1:0] f_entry;
  initial f_in = 1'b0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_in <= 1'b0;
    end else if (!f_in) begin
      if (push_i && f_follow) begin
        f_in     <= 1'b1;
        f_before <= f_count - (AddrW+1)'(pop_i);
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
      a_kept: assert (f_entries[f_before*Width +: Width] == f_entry);
      if (f_before == '0 && f_read) a_its_turn: assert (head_o == f_entry);
    end
    c_full: cover (full_o && f_in && f_before == '0 && f_read);
  end

  always_ff @(posedge clk_i) if (f_past_valid && $past(rst_ni)) begin
    c_through: cover (!f_in && $past(f_in) && !empty_o);
    c_successive: cover (Ahead == 0 || (f_read && pop_i && $past(f_read && pop_i)));
  end
`else
  // Proved where the queue is used: crl_packet_store, crl_queue_node.
  always_comb if (f_past_valid && rst_ni) begin
    a_not_over: assert (!(push_i && full_o));
    a_not_under: assert (!(pop_i && empty_o));
    a_active: assert (active_i || !(push_i || pop_i));
    if (pop_i && Ahead != 0) a_read: assert (f_read);
  end
`endif
`endif

endmodule
