// SPDX-License-Identifier: Apache-2.0
//
// Node under queue control: packets find their way by a forwarding table and wait in queues (docs/formats/queue.md). One
// store of one read and one write port; one port is served a cycle.
//
// Timing: the edge that samples slot_i begins a slot, with the queues as they are then. In its cycle the gate of the first of
// Loops*Trees loop-back queues is read (highest first), then, one a cycle, those of the link ports, highest first. A port whose
// gate is read in cycle t has its word on the link in cycle t+5, so words come in through port p in the same cycle in every
// node; what they do is done three edges later. Own packets are taken when inject_ready_o, one a cycle, after the last port.
// slot_i may come three cycles after inject_ready_o rose or the last own packet was taken. In blocking mode crl_admission
// comes before all this, and makes it Ports + 1 cycles later.

module crl_queue_node #(
  /// Link ports, 1 to 10. Port p carries traffic in direction p; in[p] is what the neighbour behind direction p sent.
  parameter int Ports = 4,
  /// Trees along which packets travel, 1 to 15.
  parameter int Trees = 4,
  /// Queues of a port, 1 to 10.
  parameter int Classes = 1,
  /// 1: a loop-back queue a tree.
  parameter int Loops = 0,
  /// 1: queues remember where packets come from, for gates by position.
  parameter int Position = 0,
  /// Places of the store and of each queue: a power of two.
  parameter int Depth = 256,
  /// 0: what finds the store full is dropped. Else blocking mode: packets a buffer, a tree and a class, can hold.
  parameter int Units = 0,
  /// Slots after which gates repeat, at most.
  parameter int Period = 4,
  /// Whether packets have coins; bits of an origin, 1 to 10, and of what follows it, 1 to 17, that they have. The others must be 0.
  parameter int Coins = 1,
  parameter int OriginW = 10,
  parameter int SequenceW = 17,
  /// Not 0: the row of all gates, which then need no table.
  parameter int OneGate = 0,
  /// 1: dropped_o and strange_o count; 0: they are 0.
  parameter int Counters = 0,
  /// File for $readmemh of the forwarding table; empty: loaded through the load port.
  parameter ForwardFile = "",
  /// The same of the gates.
  parameter GateFile = "",
  /// Bits of a packet: tree 31...28, coin 27, origin 26...17, the rest is not looked at.
  localparam int DataW = 32,
  localparam int AddrW = $clog2(Depth),
  localparam int TW = (Trees > 1) ? $clog2(Trees) : 1,
  localparam int CW = (Classes > 1) ? $clog2(Classes) : 1,
  /// Bits of an arrival: link port, own (Ports), loop-back (Ports + 1).
  localparam int AW = $clog2(Ports + 2),
  /// Bits of a slot of the period.
  localparam int PeriodW = (Period > 1) ? $clog2(Period) : 1,
  /// Rows of the two tables, and bits of an address of either.
  localparam int ForwardDepth = 1 << (TW + AW),
  localparam int GateDepth = 1 << (PeriodW + AW),
  localparam int LoadW = ((PeriodW > TW) ? PeriodW : TW) + AW,
  /// Bits of a row of the forwarding table {take, deliver, loop, class, ports} and of the gates {position, b, a, mode};
  /// in blocking mode {accept, position, b, a, mode}.
  localparam int ForwardW = 7 + Ports,
  localparam int GateW = 11 + Ports + ((Units != 0) ? 4 : 0)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  output logic                   ready_o,        // reset is over: the store takes Depth cycles for it

  input  logic [9:0]             node_i,         // number of this node
  input  logic [AddrW:0]         limit_i,        // packets the store may hold; in blocking mode, each buffer
  input  logic [PeriodW-1:0]     last_row_i,     // period - 1

  input  logic                   load_we_i,      // load port; only between slots
  input  logic                   load_gate_i,    // 1: gates at {slot mod period, port or Ports for loop-backs}
  input  logic [LoadW-1:0]       load_addr_i,    // 0: forwarding table at {tree, arrival}
  input  logic [GateW-1:0]       load_data_i,

  input  logic                   slot_i,         // pulse: a slot begins
  input  logic                   stalled_i,      // with it, blocking mode: this node neither sends nor takes anything in it
  input  logic                   inject_valid_i,
  input  logic [DataW-1:0]       inject_data_i,
  output logic                   inject_ready_o,
  output logic                   inject_taken_o, // blocking mode: the own packet of two cycles before found room

  input  logic [Ports-1:0]       link_valid_i,
  input  logic [Ports*DataW-1:0] link_data_i,
  output logic [Ports-1:0]       link_valid_o,
  output logic [Ports*DataW-1:0] link_data_o,
  output logic [Ports-1:0]       link_accept_o,  // blocking mode: in[p] takes a word in this slot
  input  logic [Ports-1:0]       link_accept_i,  // the same of the neighbour that port p sends to

  output logic                   deliver_valid_o,
  output logic [DataW-1:0]       deliver_data_o,
  output logic [AW-1:0]          deliver_port_o,

  output logic [AddrW:0]         stored_o,       // packets stored when the slot began
  output logic [2:0]             fault_o,        // sticky: 0 store overflowed, 1 word nobody expects, 2 word out of turn
  output logic [31:0]            dropped_o,      // packets that found the store full
  output logic [31:0]            strange_o       // words of the faults 1 and 2
);

  localparam int EntryW = AddrW + 1 + Position * Ports;

  if (Ports < 1 || Ports > 10) begin : gen_bad_ports
    crl_error_ports_must_be_1_to_10 u_error ();
  end
  if (Trees < 1 || Trees > 15) begin : gen_bad_trees
    crl_error_trees_must_be_1_to_15 u_error ();
  end
  if (Classes < 1 || Classes > 10) begin : gen_bad_classes
    crl_error_classes_must_be_1_to_10 u_error ();
  end
  if (Units != 0 && (Loops != 0 || Trees * Classes * Units > Depth)) begin : gen_bad_units
    crl_error_units_need_depth_and_no_loops u_error ();
  end

  // ---- phases of a slot: G reads the gate, C collects, D decides, P takes out of the queue, E out of the store, A meets an
  // arriving word, which is followed by B and R

  logic               c_q, c_loop_q, d_q, d_loop_q, a_q, own_q;
  logic [AW-1:0]      g_port, c_port_q, d_port_q, p_port_q, e_port_q, a_port_q;
  logic [TW-1:0]      c_tree_q, d_tree_q, p_tree_q;
  logic [PeriodW-1:0] row_q, row_d;
  logic               last_row, serve;

  crl_queue_phases #(
    .Ports(Ports),
    .Trees(Trees),
    .Loops(Loops)
  ) u_phases (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .slot_i  (slot_i),
    .serve_i (serve),
    .g_port_o(g_port),
    .c_o     (c_q),
    .c_loop_o(c_loop_q),
    .c_tree_o(c_tree_q),
    .c_port_o(c_port_q),
    .d_o     (d_q),
    .d_loop_o(d_loop_q),
    .d_tree_o(d_tree_q),
    .d_port_o(d_port_q),
    .p_tree_o(p_tree_q),
    .p_port_o(p_port_q),
    .e_port_o(e_port_q),
    .a_o     (a_q),
    .a_port_o(a_port_q),
    .own_o   (own_q)
  );

  assign last_row = row_q == last_row_i;
  assign row_d    = !slot_i ? row_q : last_row ? '0 : row_q + 1'b1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) row_q <= '0;
    else row_q <= row_d;
  end

  // ---- tables

  logic [ForwardW-1:0] forward, forward_q;
  logic [GateW-1:0]    gate;
  logic [TW+AW-1:0]    forward_addr;
  logic [AW-1:0]       gate_port;
  logic                take, deliver, loop, stores_q;
  logic [3:0]          into;
  logic [Ports-1:0]    ports;
  logic [Classes-1:0]  joins_q; // the class it joins

  // A row of what it reads takes a whole cycle out of the memory, and acts in the next, for which what it says of storing is
  // worked out before.
  function automatic logic stores(input logic [ForwardW-1:0] row);
    stores = row[Ports-1:0] != '0 || (Loops != 0 && row[Ports+4]);
  endfunction

  always_ff @(posedge clk_i) begin
    forward_q <= forward;
    stores_q  <= forward[ForwardW-1] && stores(forward);
    for (int c = 0; c < Classes; c++) joins_q[c] <= 32'(forward[Ports +: 4]) == c;
  end

  assign {take, deliver, loop, into, ports} = forward_q;

  crl_ram #(
    .Depth   (ForwardDepth),
    .DataW   (ForwardW),
    .InitFile(ForwardFile)
  ) u_forward_table (
    .clk_i  (clk_i),
    .we_i   (load_we_i && !load_gate_i),
    .waddr_i(load_addr_i[TW+AW-1:0]),
    .wdata_i(load_data_i[ForwardW-1:0]),
    .re_i   (1'b1),
    .raddr_i(forward_addr),
    .rdata_o(forward)
  );

  if (OneGate != 0) begin : gen_one_gate
    assign gate = GateW'(OneGate);
    logic unused_gates;
    assign unused_gates = &{1'b0, gate_port, row_d, load_data_i};
  end else begin : gen_gates
    crl_ram #(
      .Depth   (GateDepth),
      .DataW   (GateW),
      .InitFile(GateFile)
    ) u_gate_table (
      .clk_i  (clk_i),
      .we_i   (load_we_i && load_gate_i),
      .waddr_i(load_addr_i[PeriodW+AW-1:0]),
      .wdata_i(load_data_i),
      .re_i   (1'b1),
      .raddr_i({row_d, gate_port}),
      .rdata_o(gate)
    );
  end

  // ---- C, D, P: what the port or the loop-back queue gives away

  logic [Ports*Classes-1:0]        pop, waits;
  logic [Ports*Classes*EntryW-1:0] heads;
  logic [Trees-1:0]                loop_pop, loop_waits;
  logic [Trees*EntryW-1:0]         loop_heads;
  logic                            p_send, p_loop_send;
  logic [CW-1:0]                   p_class;
  logic [EntryW-1:0]               p_entry;
  logic [Ports-1:0]                may_send;

  crl_queue_server #(
    .Ports   (Ports),
    .Trees   (Trees),
    .Classes (Classes),
    .Position(Position),
    .EntryW  (EntryW),
    .AddrW   (AddrW)
  ) u_server (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .c_i         (c_q),
    .c_loop_i    (c_loop_q),
    .c_tree_i    (c_tree_q),
    .c_port_i    (c_port_q),
    .gate_i      (gate[11+Ports-1:0]),
    .heads_i     (heads),
    .waits_i     (waits),
    .loop_heads_i(loop_heads),
    .loop_waits_i(loop_waits),
    .d_i         (d_q),
    .d_loop_i    (d_loop_q),
    .d_port_i    (d_port_q),
    .may_send_i  (may_send),
    .p_tree_i    (p_tree_q),
    .p_port_i    (p_port_q),
    .send_o      (p_send),
    .loop_o      (p_loop_send),
    .class_o     (p_class),
    .entry_o     (p_entry),
    .pop_o       (pop),
    .loop_pop_o  (loop_pop)
  );

  // ---- E: the packet leaves its queue; a loop-back joins others

  logic             e_send_q, e_loop_q, e_free;
  logic [DataW-1:0] e_word;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      e_send_q <= 1'b0;
      e_loop_q <= 1'b0;
    end else begin
      e_send_q <= p_send;
      e_loop_q <= p_loop_send;
    end
  end

  always_ff @(posedge clk_i) begin
    link_valid_o <= (rst_ni && e_send_q) ? Ports'(1) << e_port_q : '0;
    if (e_send_q) for (int p = 0; p < Ports; p++) if (32'(e_port_q) == p) link_data_o[p*DataW +: DataW] <= e_word;
  end

  // ---- A: a word has come; R: what becomes of it

  logic [TW-1:0]    a_tree;
  logic [AW-1:0]    a_arrival, r_port;
  logic             a_stray, r_valid, r_known, r_taken, r_refused, r_unexpected, r_store, r_put, r_drop, full;
  logic [DataW-1:0] r_word;

  assign inject_ready_o = own_q && !slot_i;

  crl_queue_arrivals #(
    .Ports(Ports),
    .Trees(Trees),
    .DataW(DataW)
  ) u_arrivals (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .link_i        (a_q),
    .port_i        (a_port_q),
    .accept_i      (link_accept_o),
    .link_valid_i  (link_valid_i),
    .link_data_i   (link_data_i),
    .inject_valid_i(inject_valid_i && inject_ready_o),
    .inject_data_i (inject_data_i),
    .tree_o        (a_tree),
    .arrival_o     (a_arrival),
    .stray_o       (a_stray),
    .valid_o       (r_valid),
    .known_o       (r_known),
    .word_o        (r_word),
    .port_o        (r_port)
  );

  assign r_unexpected = r_valid && !(take && r_known);
  assign r_taken      = r_known && take && !r_refused;
  assign r_store      = r_known && stores_q && !r_refused;
  assign r_put        = r_store && !full;
  assign r_drop       = r_store && full;

  // ---- what is stored

  logic           full_store;
  logic [AddrW:0] limit_store;

  crl_queue_storage #(
    .Ports   (Ports),
    .Trees   (Trees),
    .Classes (Classes),
    .Loops   (Loops),
    .Position(Position),
    .Depth   (Depth),
    .DataW   (DataW),
    .Coins   (Coins),
    .OriginW (OriginW),
    .SequenceW(SequenceW)
  ) u_storage (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .ready_o     (ready_o),
    .slot_i      (slot_i),
    .node_i      (node_i[Ports-1:0]),
    .limit_i     (limit_store),
    .stored_o    (stored_o),
    .ports_i     (ports),
    .classes_i   (joins_q),
    .loop_i      (loop),
    .active_i    (p_send || p_loop_send || e_loop_q || r_valid),
    .put_i       (r_put),
    .put_word_i  (r_word),
    .put_full_o  (full_store),
    .heads_o     (heads),
    .waits_o     (waits),
    .loop_heads_o(loop_heads),
    .loop_waits_o(loop_waits),
    .pop_i       (pop),
    .loop_pop_i  (loop_pop),
    .get_i       (p_send || p_loop_send),
    .entry_i     (p_entry),
    .word_o      (e_word),
    .leave_i     (e_send_q),
    .leave_port_i(e_port_q),
    .move_i      (e_loop_q),
    .free_o      (e_free)
  );

  // ---- blocking mode

  if (Units != 0) begin : gen_admission
    localparam int PW = (Ports > 1) ? $clog2(Ports) : 1;
    localparam int UW = $clog2(Units + 1);

    logic          run, ask, stalled, full_buffer;
    logic [PW-1:0] port, ask_port;
    logic [TW-1:0] ask_tree;
    logic [CW-1:0] e_class_q;

    crl_admission #(
      .Ports  (Ports),
      .Trees  (Trees),
      .Classes(Classes),
      .Units  (Units)
    ) u_admission (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .limit_i      (limit_i[UW-1:0]),
      .start_i      (slot_i),
      .period_i     (last_row),
      .stalled_i    (stalled_i),
      .serve_o      (serve),
      .stalled_o    (stalled),
      .accept_o     (link_accept_o),
      .run_o        (run),
      .port_o       (port),
      .accept_tree_i(gate[GateW-1 -: 4]),
      .ask_o        (ask),
      .ask_port_o   (ask_port),
      .ask_tree_o   (ask_tree),
      .class_i      (forward[Ports +: CW]),
      .stores_i     (stores(forward)),
      .put_i        (r_put),
      .put_tree_i   (r_word[28 +: TW]),
      .put_class_i  (into[CW-1:0]),
      .full_o       (full_buffer),
      .leave_tree_i (e_word[28 +: TW]),
      .leave_class_i(e_class_q),
      .free_i       (e_free)
    );

    always_ff @(posedge clk_i) e_class_q <= p_class;

    assign gate_port      = run ? AW'(port) : g_port;
    assign forward_addr   = ask ? {ask_tree, AW'(ask_port)} : {a_tree, a_arrival};
    assign may_send       = stalled ? '0 : link_accept_i;
    assign r_refused      = 32'(r_port) == Ports && (full_buffer || stalled);
    assign inject_taken_o = r_taken && 32'(r_port) == Ports;
    assign full           = full_buffer || full_store;
    assign limit_store    = (AddrW+1)'(Depth);
    logic unused_limit;
    assign unused_limit = &{1'b0, limit_i, d_tree_q, into};
  end else begin : gen_no_admission
    assign serve          = slot_i;
    assign gate_port      = g_port;
    assign forward_addr   = (d_q && d_loop_q) ? {d_tree_q, AW'(Ports + 1)} : {a_tree, a_arrival};
    assign may_send       = '1;
    assign r_refused      = 1'b0;
    assign inject_taken_o = 1'b0;
    assign link_accept_o  = '1;
    assign full           = full_store;
    assign limit_store    = limit_i;
    logic unused_admission;
    assign unused_admission = &{1'b0, stalled_i, link_accept_i, last_row, e_free, p_class, into};
  end

  // ---- deliveries, faults

  assign deliver_valid_o = r_taken && deliver;
  assign deliver_data_o  = r_word;
  assign deliver_port_o  = r_port;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) fault_o <= '0;
    else fault_o <= fault_o | {a_stray, r_unexpected, r_drop};
  end

  if (Counters != 0) begin : gen_counters
    logic [31:0] dropped_q, strange_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        dropped_q <= '0;
        strange_q <= '0;
      end else begin
        dropped_q <= dropped_q + 32'(r_drop);
        strange_q <= strange_q + 32'(r_unexpected) + 32'(a_stray);
      end
    end

    assign dropped_o = dropped_q;
    assign strange_o = strange_q;
  end else begin : gen_no_counters
    assign dropped_o = '0;
    assign strange_o = '0;
  end

  logic unused_signals;
  assign unused_signals = &{1'b0, node_i};

`ifdef CRL_CONTRACTS
  // What the caller owes, for simulation: what queue_node_packet assumes, and when tables may be loaded.
  logic [1:0] quiet_q; // cycles in which an own packet could have come and none did
  logic       begun_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      quiet_q <= '0;
      begun_q <= 1'b0;
    end else begin
      quiet_q <= (!inject_ready_o || inject_valid_i) ? '0 : (quiet_q == 2'd2) ? quiet_q : quiet_q + 1'b1;
      begun_q <= begun_q || slot_i;
    end
  end
  always @(posedge clk_i) if (rst_ni) begin
    if (slot_i) assert (ready_o && (!begun_q || quiet_q == 2'd2)) else $fatal(1, "contract: a slot begins too early");
    if (load_we_i) assert (!slot_i && (!begun_q || inject_ready_o)) else $fatal(1, "contract: a load within a slot");
    assert (32'(limit_i) <= Depth && 32'(last_row_i) < Period) else $fatal(1, "contract: limit_i, last_row_i");
  end
`endif

endmodule
