// SPDX-License-Identifier: Apache-2.0
//
// Store of packets: each once, with the set of queues in which it waits.
//
// A packet waits in queue q where bit q of what was put with it differs from bit q of `left`: one is written when a packet
// comes and the other when it leaves a queue, so neither memory needs a second write port. When they are equal the place is
// free; a list of free places carries `left` along, so that what is put with a new packet follows without a read.
//
// Timing: after reset the places are entered in the list, one a cycle, then ready_o rises. put_i takes place put_addr_o at
// the edge. get_addr_i is sampled at an edge with get_i, the packet is at get_word_o after it. In the cycle after get_i, leave_i
// toggles queues of that packet; a place whose packet waits nowhere is free three edges later. slot_i ends a slot: only then do
// places that became free stop to count, so that none is put to use before the list can tell it.

module crl_packet_store #(
  /// Places: a power of two, 2 or more.
  parameter int Depth = 256,
  /// Bits of a packet.
  parameter int DataW = 32,
  /// Queues in which a packet can wait.
  parameter int Queues = 5,
  /// Bits of a place.
  localparam int AddrW = $clog2(Depth)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              ready_o,

  input  logic              slot_i,
  input  logic [AddrW:0]    limit_i,       // places that may be used, at most Depth
  output logic [AddrW:0]    used_o,        // those in use, including those that became free in this slot
  output logic [AddrW:0]    kept_o,        // those in use, without them
  output logic              full_o,        // used_o is limit_i; of what a slot frees it knows a cycle after slot_i

  input  logic              put_i,         // not while full_o
  input  logic [DataW-1:0]  put_word_i,
  input  logic [Queues-1:0] put_queues_i,  // not empty
  output logic [AddrW-1:0]  put_addr_o,

  input  logic              get_i,
  input  logic [AddrW-1:0]  get_addr_i,
  output logic [DataW-1:0]  get_word_o,

  input  logic              leave_i,       // only in the cycle after get_i
  input  logic [Queues-1:0] leave_queues_i,
  output logic              free_o         // the packet that left at the last edge waits nowhere any more
);

  logic                    filling_q;
  logic [AddrW-1:0]        fill_q;
  logic                    none_free, all_free;
  logic [Queues-1:0]       free_left;

  logic                    leaving_q;
  logic [AddrW-1:0]        got_addr_q, leaving_addr_q, left_addr_q;
  logic [Queues-1:0]       put, leaving_queues_q, last_q, left, left_now, left_d, left_q;
  logic                    again_q;
  logic                    free, free_q; // free_q: of what is in left_addr_q and left_q
  logic [AddrW:0]          used_q, freed_q;

  // ---- the list of free places

  crl_fifo #(
    .Width(AddrW + Queues),
    .Depth(Depth),
    .Ahead(1),
    .Style("block")
  ) u_free (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .active_i(1'b1),
    .push_i  (filling_q || free_q),
    .data_i  (filling_q ? {fill_q, Queues'(0)} : {left_addr_q, left_q}),
    .pop_i   (put_i),
    .read_i  (1'b1),
    .head_o  ({put_addr_o, free_left}),
    .empty_o (none_free),
    .full_o  (all_free)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      filling_q <= 1'b1;
      fill_q    <= '0;
    end else if (filling_q) begin
      filling_q <= fill_q != AddrW'(Depth - 1);
      fill_q    <= fill_q + 1'b1;
    end
  end

  // ---- packets, and what was put with each

  crl_ram #(
    .DataW(DataW + Queues),
    .Depth(Depth)
  ) u_packets (
    .clk_i  (clk_i),
    .we_i   (put_i),
    .waddr_i(put_addr_o),
    .wdata_i({free_left ^ put_queues_i, put_word_i}),
    .re_i   (get_i),
    .raddr_i(get_addr_i),
    .rdata_o({put, get_word_o})
  );

  // ---- packets leave queues: read, change, write

  assign left_now = again_q ? left_q : left;
  assign left_d   = left_now ^ leaving_queues_q;
  assign free     = leaving_q && left_now == last_q;

  crl_ram #(
    .DataW(Queues),
    .Depth(Depth)
  ) u_left (
    .clk_i  (clk_i),
    .we_i   (filling_q || leaving_q),
    .waddr_i(filling_q ? fill_q : leaving_addr_q),
    .wdata_i(filling_q ? '0 : left_d),
    .re_i   (leave_i),
    .raddr_i(got_addr_q),
    .rdata_o(left)
  );

  always_ff @(posedge clk_i) begin
    if (get_i) got_addr_q <= get_addr_i;
    if (leave_i) begin
      leaving_addr_q   <= got_addr_q;
      leaving_queues_q <= leave_queues_i;
      // What must have left before for these to be the last.
      last_q           <= put ^ leave_queues_i;
      // The same packet twice in a row: the memory does not hold the first change yet.
      again_q          <= leaving_q && leaving_addr_q == got_addr_q;
    end
    left_addr_q <= leaving_addr_q;
    left_q      <= left_d;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      leaving_q <= 1'b0;
      free_q    <= 1'b0;
    end else begin
      leaving_q <= leave_i;
      free_q    <= free;
    end
  end

  // ---- how many there are. A put comes late, so it only chooses.

  always_ff @(posedge clk_i) begin
    if (!rst_ni) full_o <= 1'b0;
    else full_o <= (put_i ? used_q + 1'b1 >= limit_i : used_q >= limit_i);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q  <= '0;
      freed_q <= '0;
    end else begin
      used_q  <= (slot_i ? kept_o : used_q) + (AddrW+1)'(put_i);
      freed_q <= (slot_i ? '0 : freed_q) + (AddrW+1)'(free_q);
    end
  end

  assign free_o  = free;
  assign ready_o = !filling_q;
  assign used_o  = used_q;
  assign kept_o  = used_q - freed_q;

  logic unused_flags;
  assign unused_flags = &{1'b0, none_free, all_free};

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  // What the world outside believes: the queues in which the packet at each place waits, and the packet at any one.
  (* anyconst *) logic [AddrW-1:0] f_place;
  logic [Depth*Queues-1:0] f_waits;
  logic [DataW-1:0]        f_word;
  logic [Queues-1:0]       f_here, f_leaves;
  logic [AddrW:0]          f_waiting;
  logic                    f_got; // in the cycle before
  initial f_waits = '0;
  initial f_got = 1'b0;
  always_ff @(posedge clk_i) f_got <= rst_ni && get_i;

  assign f_here   = f_waits[f_place*Queues +: Queues];
  assign f_leaves = f_waits[got_addr_q*Queues +: Queues];

  always_comb begin
    f_waiting = '0;
    for (int i = 0; i < Depth; i++) f_waiting = f_waiting + (AddrW+1)'(f_waits[i*Queues +: Queues] != '0);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_waits <= '0;
    end else begin
      for (int i = 0; i < Depth; i++) begin
        if (put_i && 32'(put_addr_o) == i) f_waits[i*Queues +: Queues] <= put_queues_i;
        if (leave_i && 32'(got_addr_q) == i) f_waits[i*Queues +: Queues] <= f_leaves ^ leave_queues_i;
      end
      if (put_i && put_addr_o == f_place) f_word <= put_word_i;
    end
  end

`ifdef FORMAL_TOP_crl_packet_store
  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    assume (32'(limit_i) <= Depth);
    if (put_i) assume (ready_o && !full_o && put_queues_i != '0);
    // Who leaves a queue waits there, and may move on to others; and it was there when it was got.
    if (get_i) assume (f_waits[get_addr_i*Queues +: Queues] != '0);
    if (leave_i) assume (ready_o && f_got && (f_leaves & leave_queues_i) != '0);
  end
`else
  // Proved where the store is used: crl_queue_node.
  always_comb if (f_past_valid && rst_ni) begin
    if (put_i) a_put: assert (ready_o && !full_o && put_queues_i != '0);
    if (get_i) a_get: assert (f_waits[get_addr_i*Queues +: Queues] != '0);
    if (leave_i) a_leave: assert (ready_o && f_got && (f_leaves & leave_queues_i) != '0);
  end
`endif

  always_ff @(posedge clk_i) if (f_past_valid && $past(rst_ni)) begin
    // Not given away while it waits anywhere: nothing is overwritten, nothing is there twice.
    if (put_i) a_not_given: assert (!none_free && f_waits[put_addr_o*Queues +: Queues] == '0);
    if (f_here != '0 && $past(f_here != '0 && get_i && get_addr_i == f_place)) a_word: assert (get_word_o == f_word);
    if (ready_o) a_counted: assert (used_o >= f_waiting && kept_o <= used_o);
    // Nothing is forgotten: what is not free is what waits, but for places that are free from the next two edges on.
    if (ready_o) a_none_lost: assert (kept_o == f_waiting + (AddrW+1)'(free) + (AddrW+1)'(free_q));
    c_again: cover (put_i && put_addr_o == f_place && $past(f_here != '0, 5));
    c_busy: cover (full_o && 32'(limit_i) == Depth && ready_o && f_here != '0);
  end

  // Why that is so, place by place: it waits somewhere or is on its way into the list of free places or is in it, once.
  (* hierconn *) logic [Depth*(AddrW+Queues)-1:0] \u_free.f_entries ;
  (* hierconn *) logic [AddrW:0] \u_free.f_count ;
  (* hierconn *) logic \u_free.f_read ;
  (* hierconn *) logic [Depth*(DataW+Queues)-1:0] \u_packets.f_words ;
  (* hierconn *) logic [Depth*Queues-1:0] \u_left.f_words ;

  if (Depth <= 8) begin : gen_f_places  // the proofs are of small stores; tools look at the default, too

    logic [Depth-1:0]       f_once, f_agrees;  // a place each
    logic [Depth*Depth-1:0] f_left_agrees;     // a place and entry of the list each

    for (genvar i = 0; i < Depth; i++) begin : gen_f_place
      logic [Queues-1:0] f_waits_here;
      logic [Depth-1:0]  f_listed;
      logic              f_entered, f_leaving, f_left_last;
      logic [Queues-1:0] f_put, f_left;
      assign f_put        = \u_packets.f_words [i*(DataW+Queues)+DataW +: Queues];
      assign f_left       = \u_left.f_words [i*Queues +: Queues];
      assign f_waits_here = f_waits[i*Queues +: Queues];
      assign f_entered    = !filling_q || 32'(fill_q) > i;
      assign f_leaving    = leaving_q && 32'(leaving_addr_q) == i;
      assign f_left_last  = free_q && 32'(left_addr_q) == i;

      for (genvar j = 0; j < Depth; j++) begin : gen_f_listed
        logic [AddrW+Queues-1:0] f_entry;
        assign f_entry     = \u_free.f_entries [j*(AddrW+Queues) +: AddrW+Queues];
        assign f_listed[j] = j < 32'(\u_free.f_count ) && 32'(f_entry[Queues +: AddrW]) == i;
        assign f_left_agrees[i*Depth + j] = !f_listed[j] || (!f_leaving && f_entry[Queues-1:0] == f_left);
      end

      assign f_once[i] = (!f_entered || f_waits_here != '0)
          ? f_listed == '0 && !f_left_last
          : (f_listed != '0) ^ f_leaving ^ f_left_last && !(f_leaving && f_left_last)
            && (f_listed & (f_listed - 1'b1)) == '0;
      assign f_agrees[i] = !f_entered || f_listed != '0 || f_waits_here == (f_put ^ (f_leaving ? left_d : f_left));
    end

    always_comb if (f_past_valid) begin
      a_once: assert (&f_once);
      a_agrees: assert (&f_agrees);
      a_left_agrees: assert (&f_left_agrees);
      if (filling_q) a_filling: assert (\u_free.f_count == (AddrW+1)'(fill_q) && !leaving_q && !free_q && {f_waits, used_q} == '0);
      else a_count: assert (\u_free.f_count + used_q - freed_q == (AddrW+1)'(Depth));
      if (!full_o) a_room: assert (32'(used_q) < Depth);
      if (free_q) a_left: assert (!filling_q && left_q == \u_left.f_words [left_addr_q*Queues +: Queues]);
      a_freed: assert (freed_q <= used_q && 32'(used_q) <= Depth);
      // The last entry of the list may be too young to be read; while one may be put to use it is not the only one.
      if (!filling_q && 32'(used_q) < Depth) a_old: assert (\u_free.f_read );
      if (f_got) a_got: assert (put == \u_packets.f_words [got_addr_q*(DataW+Queues)+DataW +: Queues]);
      if (leaving_q) a_leaving: assert (left_now == \u_left.f_words [leaving_addr_q*Queues +: Queues]
          && (last_q ^ leaving_queues_q) == \u_packets.f_words [leaving_addr_q*(DataW+Queues)+DataW +: Queues]);
      if (f_here != '0) a_word_kept: assert (\u_packets.f_words [f_place*(DataW+Queues) +: DataW] == f_word);
    end
  end
`endif

endmodule
