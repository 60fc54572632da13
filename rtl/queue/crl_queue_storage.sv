// SPDX-License-Identifier: Apache-2.0
//
// What crl_queue_node holds: packets in a store, once each, and their places in the queues where they wait.
//
// Timing: put_i takes a packet in at the edge, into the store and the queues that its forwarding row names; put_full_o says
// that the store has no room for it. pop_i takes the head of a queue away at the edge and is followed, a cycle later, by
// leave_i or move_i with what entry_i was: leave_i says that the packet, at word_o then, has left the queues of a port;
// move_i that it goes from a loop-back queue to those the forwarding row names. waits_o and loop_waits_o say which queues
// held something when the slot began. What is pushed or popped is so in a cycle with active_i.

module crl_queue_storage #(
  parameter int Ports = 4,
  parameter int Trees = 4,
  parameter int Classes = 1,
  parameter int Loops = 0,
  parameter int Position = 0,
  parameter int Depth = 256,
  parameter int DataW = 32,
  /// 1: coins are stored; bits of an origin and of what follows it that are. The others of a packet are 0.
  parameter int Coins = 1,
  parameter int OriginW = 10,
  parameter int SequenceW = 17,
  localparam int AddrW = $clog2(Depth),
  localparam int TW = (Trees > 1) ? $clog2(Trees) : 1,
  localparam int AW = $clog2(Ports + 2),
  /// Bits of an entry {where from, coin, place}.
  localparam int EntryW = AddrW + 1 + Position * Ports
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  output logic                            ready_o,
  input  logic                            slot_i,
  input  logic [Ports-1:0]                node_i,
  input  logic [AddrW:0]                  limit_i,
  output logic [AddrW:0]                  stored_o,     // packets stored when the slot began

  input  logic [Ports-1:0]                ports_i,      // of the forwarding row
  input  logic [Classes-1:0]              classes_i,    // the class it names, a bit each
  input  logic                            loop_i,

  input  logic                            active_i,     // something may come or go
  input  logic                            put_i,
  input  logic [DataW-1:0]                put_word_i,
  output logic                            put_full_o,

  output logic [Ports*Classes*EntryW-1:0] heads_o,
  output logic [Ports*Classes-1:0]        waits_o,
  output logic [Trees*EntryW-1:0]         loop_heads_o,
  output logic [Trees-1:0]                loop_waits_o,
  input  logic [Ports*Classes-1:0]        pop_i,
  input  logic [Trees-1:0]                loop_pop_i,
  input  logic                            get_i,        // with pop_i and loop_pop_i
  input  logic [EntryW-1:0]               entry_i,      // that is popped
  output logic [DataW-1:0]                word_o,       // of the entry before
  input  logic                            leave_i,
  input  logic [AW-1:0]                   leave_port_i,
  input  logic                            move_i,
  output logic                            free_o        // what left or moved at the last edge waits nowhere any more
);

  localparam int Queues = Ports + Loops;

  // ---- what joins queues

  logic [EntryW-1:0]        entry_q, entry;
  logic [Ports*Classes-1:0] push;
  logic [Trees-1:0]         loop_push;
  logic [AddrW-1:0]         put_addr;
  logic [3:0]               tree;
  logic [Ports-1:0]         offset, place;
  logic [Queues-1:0]        joins, leaves;

  always_ff @(posedge clk_i) if (get_i) entry_q <= entry_i;

  assign tree = put_word_i[31:28];

  // Where the packet comes from, seen from here along its tree.
  assign offset = put_word_i[17 +: Ports] ^ node_i;
  assign place  = Ports'({2{offset}} >> tree);

  if (Position != 0) begin : gen_entry_place
    assign entry = move_i ? entry_q : {place, put_word_i[27], put_addr};
  end else begin : gen_entry
    assign entry = move_i ? entry_q : {put_word_i[27], put_addr};
    logic unused_place;
    assign unused_place = &{1'b0, place};
  end

  if (Loops != 0) begin : gen_loop_bit
    assign joins = {loop_i, ports_i};
  end else begin : gen_no_loop_bit
    assign joins = ports_i;
  end

  always_comb begin
    push      = '0;
    loop_push = '0;
    for (int c = 0; c < Classes; c++)
      if ((put_i || move_i) && classes_i[c]) push[c*Ports +: Ports] = ports_i;
    for (int k = 0; k < Trees; k++)
      if (Loops != 0 && put_i && loop_i && 32'(tree) == k) loop_push[k] = 1'b1;
  end

  always_comb begin
    leaves = '0;
    if (leave_i) leaves = Queues'(1) << leave_port_i;
    if (move_i) leaves = joins | (Queues'(Loops << Ports));
  end

  // ---- the queues

  crl_queue_fifos #(
    .Ports  (Ports),
    .Trees  (Trees),
    .Classes(Classes),
    .Loops  (Loops),
    .EntryW (EntryW),
    .Depth  (Depth)
  ) u_fifos (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .slot_i      (slot_i),
    .active_i    (active_i),
    .entry_i     (entry),
    .push_i      (push),
    .loop_push_i (loop_push),
    .pop_i       (pop_i),
    .loop_pop_i  (loop_pop_i),
    .heads_o     (heads_o),
    .waits_o     (waits_o),
    .loop_heads_o(loop_heads_o),
    .loop_waits_o(loop_waits_o)
  );

  // ---- the store

  localparam int PacketW = 1 + TW + OriginW + SequenceW;
  localparam int StoredW = PacketW - 1 + Coins; // without coins the cast cuts them off
  logic [AddrW:0]     used, kept;
  logic [StoredW-1:0] stored;
  logic [PacketW-1:0] packet;

  assign packet = PacketW'(stored);
  assign word_o = {4'(packet[OriginW+SequenceW +: TW]), packet[PacketW-1], 10'(packet[SequenceW +: OriginW]),
                   17'(packet[SequenceW-1:0])};

  crl_packet_store #(
    .Depth (Depth),
    .DataW (StoredW),
    .Queues(Queues)
  ) u_store (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .ready_o       (ready_o),
    .slot_i        (slot_i),
    .limit_i       (limit_i),
    .used_o        (used),
    .kept_o        (kept),
    .full_o        (put_full_o),
    .put_i         (put_i),
    .put_word_i    (StoredW'({put_word_i[27], put_word_i[28 +: TW], put_word_i[17 +: OriginW], put_word_i[SequenceW-1:0]})),
    .put_queues_i  (joins),
    .put_addr_o    (put_addr),
    .get_i         (get_i),
    .get_addr_i    (entry_i[AddrW-1:0]),
    .get_word_o    (stored),
    .leave_i       (leave_i || move_i),
    .leave_queues_i(leaves),
    .free_o        (free_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) stored_o <= '0;
    else if (slot_i) stored_o <= kept;
  end

  logic unused_signals;
  assign unused_signals = &{1'b0, used, loop_i, put_word_i};

endmodule
