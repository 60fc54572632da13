// SPDX-License-Identifier: Apache-2.0
//
// Node under queue control: packets find their way by a forwarding table and wait in queues (docs/formats/queue.md). One
// store of one read and one write port; one port is served a cycle.
//
// Timing: the edge that samples slot_i begins a slot, with the queues as they are then. In the cycle after it the first of
// Loops*Trees loop-back queues is looked at (highest first), then, one a cycle, the link ports, highest first. A port looked
// at in cycle t has its word on the link in cycle t+3, so words come in through port p in the same cycle in every node; what
// they do is done two edges later. Own packets are taken when inject_ready_o, one a cycle, after the last port. slot_i may
// come two cycles after inject_ready_o rose or the last own packet was taken.

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
  /// Slots after which gates repeat, at most.
  parameter int Period = 4,
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
  /// Bits of a row of the forwarding table {take, deliver, loop, class, ports} and of the gates {position, b, a, mode}.
  localparam int ForwardW = 7 + Ports,
  localparam int GateW = 11 + Ports
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  output logic                   ready_o,        // reset is over: the store takes Depth cycles for it

  input  logic [9:0]             node_i,         // number of this node
  input  logic [AddrW:0]         limit_i,        // places of the store that may be used
  input  logic [PeriodW-1:0]     last_row_i,     // period - 1

  input  logic                   load_we_i,      // load port; only between slots
  input  logic                   load_gate_i,    // 1: gates at {slot mod period, port or Ports for loop-backs}
  input  logic [LoadW-1:0]       load_addr_i,    // 0: forwarding table at {tree, arrival}
  input  logic [GateW-1:0]       load_data_i,

  input  logic                   slot_i,         // pulse: a slot begins
  input  logic                   inject_valid_i,
  input  logic [DataW-1:0]       inject_data_i,
  output logic                   inject_ready_o,

  input  logic [Ports-1:0]       link_valid_i,
  input  logic [Ports*DataW-1:0] link_data_i,
  output logic [Ports-1:0]       link_valid_o,
  output logic [Ports*DataW-1:0] link_data_o,

  output logic                   deliver_valid_o,
  output logic [DataW-1:0]       deliver_data_o,
  output logic [AW-1:0]          deliver_port_o,

  output logic [AddrW:0]         stored_o,       // packets stored when the slot began
  output logic [2:0]             fault_o,        // sticky: 0 store overflowed, 1 word nobody expects, 2 word out of turn
  output logic [31:0]            dropped_o,      // packets that found the store full
  output logic [31:0]            strange_o       // words of the faults 1 and 2
);

  localparam int EntryW = AddrW + 1 + Position * Ports;
  localparam int Queues = Ports + Loops;
  localparam int Phases = Ports + Loops * Trees;
  localparam int PhaseW = $clog2(Phases + 1);

  if (Ports < 1 || Ports > 10) begin : gen_bad_ports
    crl_error_ports_must_be_1_to_10 u_error ();
  end
  if (Trees < 1 || Trees > 15) begin : gen_bad_trees
    crl_error_trees_must_be_1_to_15 u_error ();
  end
  if (Classes < 1 || Classes > 10) begin : gen_bad_classes
    crl_error_classes_must_be_1_to_10 u_error ();
  end

  // ---- phases of a slot: G reads the gate, D decides, E takes the packet out of the store, A meets an arriving word

  logic               run_q, d_q, e_q, a_q;
  logic [PhaseW-1:0]  phase_q;
  logic               g_loop, d_loop_q;
  logic [AW-1:0]      g_port, d_port_q, e_port_q, a_port_q;
  logic [TW-1:0]      g_tree, d_tree_q;
  logic [PeriodW-1:0] row_q;
  logic               own_q;

  assign g_loop = Loops != 0 && 32'(phase_q) < Loops * Trees;
  assign g_tree = TW'(Trees - 1 - 32'(phase_q));
  assign g_port = g_loop ? AW'(Ports) : AW'(Phases - 1 - 32'(phase_q));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q <= 1'b0;
      d_q   <= 1'b0;
      e_q   <= 1'b0;
      a_q   <= 1'b0;
      own_q <= 1'b0;
      row_q <= '0;
    end else begin
      run_q <= slot_i || (run_q && 32'(phase_q) != Phases - 1);
      d_q   <= run_q;
      e_q   <= d_q && !d_loop_q;
      a_q   <= e_q;
      own_q <= !slot_i && (own_q || (a_q && !e_q && !d_q && !run_q));
      if (slot_i) row_q <= (row_q == last_row_i) ? '0 : row_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    phase_q  <= (run_q && !slot_i) ? phase_q + 1'b1 : '0;
    d_loop_q <= g_loop;
    d_tree_q <= g_tree;
    d_port_q <= g_port;
    e_port_q <= d_port_q;
    a_port_q <= e_port_q;
  end

  // ---- tables

  logic [ForwardW-1:0] forward;
  logic [TW+AW-1:0]    forward_addr;
  logic [GateW-1:0]    gate;

  crl_table #(
    .TableDepth(ForwardDepth),
    .RowW      (ForwardW),
    .InitFile  (ForwardFile)
  ) u_forward (
    .clk_i  (clk_i),
    .we_i   (load_we_i && !load_gate_i),
    .waddr_i(load_addr_i[TW+AW-1:0]),
    .wdata_i(load_data_i[ForwardW-1:0]),
    .raddr_i(forward_addr),
    .rdata_o(forward)
  );

  crl_table #(
    .TableDepth(GateDepth),
    .RowW      (GateW),
    .InitFile  (GateFile)
  ) u_gates (
    .clk_i  (clk_i),
    .we_i   (load_we_i && load_gate_i),
    .waddr_i(load_addr_i[PeriodW+AW-1:0]),
    .wdata_i(load_data_i),
    .raddr_i({row_q, g_port}),
    .rdata_o(gate)
  );

  // ---- queues: those of port p are p*Classes and up

  logic [Ports*Classes-1:0]        push, pop, empty, full, waits_q;
  logic [Ports*Classes*EntryW-1:0] heads;
  logic [EntryW-1:0]               entry;   // that joins
  logic [Trees-1:0]                loop_push, loop_pop, loop_waits_q;
  logic [Trees*EntryW-1:0]         loop_heads;

  for (genvar i = 0; i < Ports * Classes; i++) begin : gen_queue
    crl_fifo #(
      .Width(EntryW),
      .Depth(Depth)
    ) u_fifo (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .push_i (push[i]),
      .data_i (entry),
      .pop_i  (pop[i]),
      .head_o (heads[i*EntryW +: EntryW]),
      .empty_o(empty[i]),
      .full_o (full[i])
    );
  end

  if (Loops != 0) begin : gen_loops
    logic [Trees-1:0] loop_empty, loop_full;

    for (genvar k = 0; k < Trees; k++) begin : gen_loop
      crl_fifo #(
        .Width(EntryW),
        .Depth(Depth)
      ) u_fifo (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .push_i (loop_push[k]),
        .data_i (entry),
        .pop_i  (loop_pop[k]),
        .head_o (loop_heads[k*EntryW +: EntryW]),
        .empty_o(loop_empty[k]),
        .full_o (loop_full[k])
      );
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) loop_waits_q <= '0;
      else if (slot_i) loop_waits_q <= ~loop_empty;
    end

    logic unused_loop_full;
    assign unused_loop_full = &{1'b0, loop_full};
  end else begin : gen_no_loops
    assign loop_heads   = '0;
    assign loop_waits_q = '0;
    logic unused_loops;
    assign unused_loops = &{1'b0, loop_push, loop_pop};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) waits_q <= '0;
    else if (slot_i) waits_q <= ~empty;
  end

  // ---- D: what the port serves

  logic [Classes-1:0]        d_waits, d_coin;
  logic [Classes*EntryW-1:0] d_heads;
  logic [Classes*Ports-1:0]  d_place;
  logic                      gate_send, d_send, gate_second, second_we;
  logic [CW-1:0]             d_class, gate_second_class;
  logic [Ports-1:0]          second_q;
  logic                      d_second;
  logic [CW-1:0]             d_second_class;
  logic [Ports*CW-1:0]       second_class_q;
  logic [EntryW-1:0]         d_entry, d_loop_entry;
  logic                      d_loop_send;

  always_comb begin
    d_waits        = '0;
    d_heads        = '0;
    d_second       = 1'b0;
    d_second_class = '0;
    for (int p = 0; p < Ports; p++) begin
      if (32'(d_port_q) == p) begin
        d_waits        = waits_q[p*Classes +: Classes];
        d_heads        = heads[p*Classes*EntryW +: Classes*EntryW];
        d_second       = second_q[p];
        d_second_class = second_class_q[p*CW +: CW];
      end
    end
  end

  for (genvar c = 0; c < Classes; c++) begin : gen_head
    assign d_coin[c] = d_heads[c*EntryW + AddrW];
    if (Position != 0) begin : gen_place
      assign d_place[c*Ports +: Ports] = d_heads[c*EntryW + AddrW + 1 +: Ports];
    end else begin : gen_no_place
      assign d_place[c*Ports +: Ports] = '0;
    end
  end

  crl_gate #(
    .Ports  (Ports),
    .Classes(Classes)
  ) u_gate (
    .mode_i        (gate[2:0]),
    .a_i           (gate[6:3]),
    .b_i           (gate[10:7]),
    .position_i    (gate[11 +: Ports]),
    .waits_i       (d_waits),
    .coin_i        (d_coin),
    .place_i       (d_place),
    .second_i      (d_second),
    .second_class_i(d_second_class),
    .send_o        (gate_send),
    .class_o       (d_class),
    .second_o      (gate_second),
    .second_class_o(gate_second_class)
  );

  assign d_send    = d_q && !d_loop_q && gate_send;
  assign d_entry   = d_heads[d_class*EntryW +: EntryW];
  assign second_we = d_q && !d_loop_q && (gate[2:0] == 3'd2 || gate[2:0] == 3'd3);

  for (genvar p = 0; p < Ports; p++) begin : gen_second
    always_ff @(posedge clk_i) begin
      if (!rst_ni) second_q[p] <= 1'b0;
      else if (second_we && 32'(d_port_q) == p) second_q[p] <= gate_second;
    end
    always_ff @(posedge clk_i) begin
      if (second_we && 32'(d_port_q) == p) second_class_q[p*CW +: CW] <= gate_second_class;
    end
  end

  assign d_loop_send  = d_q && d_loop_q && gate[0] && loop_waits_q[d_tree_q];
  assign d_loop_entry = loop_heads[d_tree_q*EntryW +: EntryW];

  always_comb begin
    pop      = '0;
    loop_pop = '0;
    for (int p = 0; p < Ports; p++)
      for (int c = 0; c < Classes; c++)
        if (d_send && 32'(d_port_q) == p && 32'(d_class) == c) pop[p*Classes + c] = 1'b1;
    for (int k = 0; k < Trees; k++) if (d_loop_send && 32'(d_tree_q) == k) loop_pop[k] = 1'b1;
  end

  // ---- E: the packet leaves its queue; a loop-back joins others

  logic              e_send_q, e_loop_q;
  logic [EntryW-1:0] e_entry_q;
  logic [DataW-1:0]  e_word;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      e_send_q <= 1'b0;
      e_loop_q <= 1'b0;
    end else begin
      e_send_q <= d_send;
      e_loop_q <= d_loop_send;
    end
  end
  always_ff @(posedge clk_i) begin
    e_entry_q <= d_loop_q ? d_loop_entry : d_entry;
  end

  always_ff @(posedge clk_i) begin
    for (int p = 0; p < Ports; p++) begin
      link_valid_o[p] <= rst_ni && e_send_q && 32'(e_port_q) == p;
      if (e_send_q && 32'(e_port_q) == p) link_data_o[p*DataW +: DataW] <= e_word;
    end
  end

  // ---- A: a word has come; B: what becomes of it

  logic              a_valid, b_valid_q, a_strange, b_known_q;
  logic [DataW-1:0]  a_word, b_word_q;
  logic [AW-1:0]     b_port_q;
  logic              take, deliver, loop, b_store, b_put, full_store;
  logic [3:0]        into, b_tree;
  logic [Ports-1:0]  ports;
  logic [Queues-1:0] queues;
  logic [AddrW-1:0]  put_addr;
  logic [Ports-1:0]  b_place;

  always_comb begin
    a_word  = inject_data_i;
    a_valid = inject_valid_i && inject_ready_o;
    for (int p = 0; p < Ports; p++) begin
      if (a_q && 32'(a_port_q) == p) begin
        a_word  = link_data_i[p*DataW +: DataW];
        a_valid = link_valid_i[p];
      end
    end
    a_strange = 1'b0;
    for (int p = 0; p < Ports; p++) if (link_valid_i[p] && !(a_q && 32'(a_port_q) == p)) a_strange = 1'b1;
  end

  assign inject_ready_o = own_q && !slot_i;
  assign forward_addr   = (d_q && d_loop_q) ? {d_tree_q, AW'(Ports + 1)}
                                            : {a_word[28 +: TW], a_q ? a_port_q : AW'(Ports)};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) b_valid_q <= 1'b0;
    else b_valid_q <= a_valid;
  end
  always_ff @(posedge clk_i) begin
    b_word_q  <= a_word;
    b_port_q  <= a_q ? a_port_q : AW'(Ports);
    b_known_q <= 32'(a_word[31:28]) < Trees;
  end

  assign b_tree  = b_word_q[31:28];
  assign ports   = forward[0 +: Ports];
  assign into    = forward[Ports +: 4];
  assign loop    = forward[Ports + 4];
  assign deliver = forward[Ports + 5];
  assign take    = forward[Ports + 6] && b_known_q;

  if (Loops != 0) begin : gen_loop_bit
    assign queues = {loop, ports};
  end else begin : gen_no_loop_bit
    assign queues = ports;
    logic unused_loop;
    assign unused_loop = &{1'b0, loop};
  end

  assign b_store = b_valid_q && take && queues != '0;
  assign b_put   = b_store && !full_store;

  // Where the packet comes from, seen from here along its tree.
  logic [Ports-1:0] b_offset;
  assign b_offset = b_word_q[17 +: Ports] ^ node_i[Ports-1:0];
  assign b_place  = Ports'({2{b_offset}} >> b_word_q[31:28]);

  if (Position != 0) begin : gen_entry_place
    assign entry = e_loop_q ? e_entry_q : {b_place, b_word_q[27], put_addr};
  end else begin : gen_entry
    assign entry = e_loop_q ? e_entry_q : {b_word_q[27], put_addr};
    logic unused_place;
    assign unused_place = &{1'b0, b_place};
  end

  always_comb begin
    push      = '0;
    loop_push = '0;
    for (int p = 0; p < Ports; p++)
      for (int c = 0; c < Classes; c++)
        if ((b_put || e_loop_q) && ports[p] && 32'(into) == c) push[p*Classes + c] = 1'b1;
    for (int k = 0; k < Trees; k++)
      if (Loops != 0 && b_put && loop && 32'(b_tree) == k) loop_push[k] = 1'b1;
  end

  // ---- the store

  logic [Queues-1:0] e_queues;
  logic [AddrW:0]    used, kept;

  always_comb begin
    e_queues = '0;
    for (int p = 0; p < Ports; p++) if (e_send_q && 32'(e_port_q) == p) e_queues[p] = 1'b1;
    // From the loop-back queue into others.
    if (e_loop_q) e_queues = queues | (Queues'(Loops) << Ports);
  end

  crl_packet_store #(
    .Depth (Depth),
    .DataW (DataW),
    .Queues(Queues)
  ) u_store (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .ready_o       (ready_o),
    .slot_i        (slot_i),
    .limit_i       (limit_i),
    .used_o        (used),
    .kept_o        (kept),
    .full_o        (full_store),
    .put_i         (b_put),
    .put_word_i    (b_word_q),
    .put_queues_i  (queues),
    .put_addr_o    (put_addr),
    .get_addr_i    (d_entry[AddrW-1:0]),
    .get_word_o    (e_word),
    .leave_i       (e_send_q || e_loop_q),
    .leave_addr_i  (e_entry_q[AddrW-1:0]),
    .leave_queues_i(e_queues)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) stored_o <= '0;
    else if (slot_i) stored_o <= kept;
  end

  // ---- deliveries, faults

  assign deliver_valid_o = b_valid_q && take && deliver;
  assign deliver_data_o  = b_word_q;
  assign deliver_port_o  = b_port_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fault_o   <= '0;
      dropped_o <= '0;
      strange_o <= '0;
    end else begin
      fault_o   <= fault_o | {a_strange, b_valid_q && !take, b_store && full_store};
      dropped_o <= dropped_o + 32'(b_store && full_store);
      strange_o <= strange_o + 32'(b_valid_q && !take) + 32'(a_strange);
    end
  end

  logic unused_signals;
  assign unused_signals = &{1'b0, full, used, node_i};

endmodule
