// SPDX-License-Identifier: Apache-2.0
//
// Partial all-gather: a node of a torus or an array that learns by itself who is active (Varvarigos & Bertsekas
// 1994, Sec. 3). One engine a class of packets; that of class c uses dimension c + k (mod d) where that of class 0 uses
// dimension k, so that no two use a link at the same time. Engines are served turn by turn (crl_online_turns), so they
// share one datapath; where a packet goes is told by digits, one a dimension.
//
// A mode other than 0 is a part of it, which engine 0 does by itself: 1 the sum of the values over the nodes up to this
// one, and over all; 2 packing; 3 packing and from there to destinations; 4 broadcasts along the lines of one dimension,
// in halves if split, whose end no router knows. Mode 5 is mode 0 repeated (Sec. 5): a run follows the other at once, and
// carries the oldest packet that waits.
//
// Timing: start_i is a pulse while not busy_o. A slot begins at an edge that samples slot_i while ready_o and takes 4 Dims
// + 3 cycles, then its words are on the links and ready_o rises. All nodes are started and given slots together; slot_i
// may stay high. Words of a slot hold until those of the next are sent.
//
// Word of a link: {tag, origin, payload}. A tag has Dims digits: the rank while packing, and while broadcasting the hops
// left in the lowest. An origin has its digits, both in the order of dimensions of the engine; what is routed to a
// destination has that in its place. A word of counting has the sum in place of the tag, that modulo Dims in place of the
// origin and that of values in place of the payload.
//
// Registers (load port, while ready and not busy): 0 {mode, split, active} in bits 4 to 2, 1 and 0, which ends what
// goes on; 1 the longest side less 1; 2 + k {ring, digit, side less 1} of dimension k in bits 31, 27 to 16 and 11 to 0,
// a ring having three or more; 11 the dimension of lines; 12 how many packets it has for its line; 13 how many a memory may hold, at most Depth; 14 how
// many may wait; 16 + 2e + h the payload of half h of its packet of engine e, without splitting the same for each e;
// 32 + k in mode 3 digit k of the destination, 32 + p in mode 4 part p of those for its line.

module crl_online_node #(
  /// Dimensions, 1 to 8.
  parameter int Dims = 2,
  /// Bits of a digit: sides are 2 to 2^DigitW.
  parameter int DigitW = 4,
  /// Bits of a payload.
  parameter int DataW = 16,
  /// Packets each of the two memories of an engine holds: a power of two, 2 or more.
  parameter int Depth = 256,
  /// Packets that may wait for an interval: a power of two, 2 or more; 0: there is no mode 5.
  parameter int Waiting = 64,
  /// Bits of the digits of a node, of a link's word.
  localparam int NodeW = Dims * DigitW,
  localparam int WordW = 2 * NodeW + DataW,
  /// Bits of a place in a memory, of a step.
  localparam int AddrW = $clog2(Depth),
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    start_i,
  input  logic                    slot_i,
  output logic                    ready_o,
  output logic                    busy_o,

  input  logic                    load_we_i,
  input  logic [15:0]             load_addr_i,
  input  logic [31:0]             load_data_i,

  input  logic                    give_valid_i, // mode 5: a packet, 2 Dims parts in ascending order, one a cycle
  input  logic [DataW-1:0]        give_data_i,

  output logic                    begins_o,     // what is on the links is of the first slot of a run
  output logic [1:0]              phase_o,      // 0 nothing, 1 of counting, 2 of packing, 3 of broadcasting
  output logic [StepW-1:0]        step_o,       // of which dimension, in the engines' order

  input  logic [2*Dims-1:0]       link_valid_i, // port 2k: travelling up along dimension k, 2k + 1: down
  input  logic [2*Dims*WordW-1:0] link_data_i,
  output logic [2*Dims-1:0]       link_valid_o,
  output logic [2*Dims*WordW-1:0] link_data_o,

  input  logic [15:0]             read_sel_i,   // while ready: 4e + memory; 0 up, 1 down, 2 + h its packet; mode 1: sum, total
  input  logic [15:0]             read_addr_i,
  output logic                    read_valid_o, // there is one
  output logic [NodeW+DataW-1:0]  read_data_o,  // {origin, payload}, a cycle after read_addr_i
  output logic                    fault_o       // sticky until the next start: a packet was lost, or was late
);

  localparam logic [1:0] Idle = 2'd0, Count = 2'd1, Pack = 2'd2, Broadcast = 2'd3;
  localparam logic [2:0] Prefix = 3'd1, Routing = 3'd3, Lines = 3'd4, Repeat = 3'd5;
  localparam int BodyW = NodeW + DataW; // what of a word goes into memories
  localparam int MemW = $clog2(2 * Dims * Depth);
  localparam int Ports = 2 * Dims;

  if (Dims < 1 || Dims > 8) begin : gen_bad_dims
    crl_error_dims_must_be_1_to_8 u_error ();
  end
  if (DigitW < 1 || DigitW > 12) begin : gen_bad_digit
    crl_error_digits_must_be_1_to_12_bits u_error ();
  end

  // ---- what the node knows. Dimensions are in the order of the engine whose turn it is.

  localparam int DimW = 1 + 2 * DigitW;
  logic                  active_q, split_q, halves_q, stop;
  logic [2:0]            mode_q;
  logic [StepW-1:0]      line_q;
  logic [DigitW-1:0]     longest_q;
  logic [AddrW:0]        items_q, limit_q;
  logic [Dims*DimW-1:0]  dims_q;  // {ring, digit, last}
  logic [NodeW-1:0]      dest_q, digits, lasts;
  logic [Dims-1:0]       rings;
  logic                  turn_ends, begins, offered;
  assign stop = load_we_i && load_addr_i == 16'd0;
  always_ff @(posedge clk_i) begin
    if (stop) {mode_q, split_q, active_q} <= load_data_i[4:0];
    if (load_we_i && load_addr_i == 16'd1) longest_q <= load_data_i[DigitW-1:0];
    for (int k = 0; k < Dims; k++)
      if (load_we_i && load_addr_i == 16'(2 + k))
        dims_q[k*DimW +: DimW] <= {load_data_i[31], load_data_i[16 +: DigitW], load_data_i[DigitW-1:0]};
    if (load_we_i && load_addr_i == 16'd11) line_q <= load_data_i[StepW-1:0];
    if (load_we_i && load_addr_i == 16'd12) items_q <= load_data_i[AddrW:0];
    if (load_we_i && load_addr_i == 16'd13) limit_q <= load_data_i[AddrW:0];
    for (int k = 0; k < Dims; k++)
      if (load_we_i && load_addr_i == 16'(32 + k) && mode_q == Routing)
        dest_q[k*DigitW +: DigitW] <= load_data_i[DigitW-1:0];
    halves_q <= split_q && ((&rings) || mode_q == Lines);
    if (begins && mode_q == Repeat) active_q <= offered;
    if (turn_ends) dims_q <= (Dims*DimW)'({dims_q[DimW-1:0], dims_q} >> DimW);
  end
  for (genvar k = 0; k < Dims; k++) begin : gen_dim
    assign {rings[k], digits[k*DigitW +: DigitW], lasts[k*DigitW +: DigitW]} = dims_q[k*DimW +: DimW];
  end

  // ---- turns and phases. a turn is looked at in one cycle, its words move in the next (_q).

  logic             receive, advance, send, down, receive_q, send_q, down_q;
  logic [StepW-1:0] engine, engine_q;
  logic             running, alone, back, half, first, open, ends, ready, none;
  logic [1:0]       phase;
  logic [StepW-1:0] step, class_of, rest, below_rest, total_rest;
  logic [DigitW-1:0] slot, side, digit;
  logic             ring, engine0;

  crl_online_turns #(
    .Dims(Dims)
  ) u_turns (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .stop_i     (stop),
    .begin_i    (slot_i && running),
    .ready_o    (ready_o),
    .receive_o  (receive),
    .advance_o  (advance),
    .send_o     (send),
    .engine_o   (engine),
    .down_o     (down),
    .receive_q_o(receive_q),
    .send_q_o   (send_q),
    .engine_q_o (engine_q),
    .down_q_o   (down_q)
  );
  assign turn_ends = (receive || send) && down;
  assign engine0   = engine_q == '0;

  crl_online_phases #(
    .Dims  (Dims),
    .DigitW(DigitW)
  ) u_phases (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .stop_i   (stop),
    .start_i  (start_i),
    .advance_i(advance),
    .mode_i   (mode_q),
    .split_i  (split_q),
    .halves_i (halves_q),
    .line_i   (line_q),
    .longest_i(longest_q),
    .side_i   (side),
    .ready_i  (ready),
    .nobody_i (none),
    .below_i  (below_rest),
    .total_i  (total_rest),
    .running_o(running),
    .phase_o  (phase),
    .alone_o  (alone),
    .back_o   (back),
    .step_o   (step),
    .slot_o   (slot),
    .half_o   (half),
    .first_o  (first),
    .open_o   (open),
    .ends_o   (ends),
    .begins_o (begins),
    .class_o  (class_of),
    .rest_o   (rest)
  );
  assign phase_o  = phase;
  assign step_o   = step;
  assign begins_o = phase == Count && open && (alone || split_q);
  assign busy_o   = running && !(phase == Broadcast && mode_q == Lines && link_valid_o == '0);

  // The dimension of this step.
  always_comb begin
    {ring, digit, side} = '0;
    for (int s = 0; s < Dims; s++) if (step == StepW'(s)) {ring, digit, side} = dims_q[s*DimW +: DimW];
  end

  // Its port in this turn: dimension engine + step.
  logic [StepW:0]   plain;
  logic [StepW-1:0] dim;
  logic [StepW:0]   port, port_q;
  assign plain = {1'b0, engine} + {1'b0, step};
  assign dim   = StepW'(plain >= (StepW+1)'(Dims) ? plain - (StepW+1)'(Dims) : plain);
  assign port  = {dim, down};

  // ---- what comes in by that port

  logic              in_valid, in_valid_q;
  logic [WordW-1:0]  in, in_q;
  always_comb begin
    in_valid = 1'b0;
    in       = '0;
    for (int p = 0; p < Ports; p++)
      if (port == (StepW+1)'(p)) begin
        in_valid = link_valid_i[p];
        in       = link_data_i[p*WordW +: WordW];
      end
  end
  always_ff @(posedge clk_i) begin
    in_valid_q <= in_valid;
    in_q       <= in;
  end

  // ---- this turn of sending: how far the line goes on, and what is behind

  logic [DigitW-1:0] to_top, from_end, reach, far, reach_q, far_q, digit_q;
  logic              acts, member, passes, count_sends, count_sends_q, behind_q, member_q, passes_q;
  logic [NodeW-1:0]  lasts_q, digits_q;
  assign to_top   = side - digit;
  assign from_end = down ? to_top : digit;
  assign reach    = (ring && !halves_q) ? side - (side >> 1) : side; // round a ring each half goes all the way
  assign far      = !ring ? (down ? digit : to_top) : (down && !halves_q) ? side >> 1 : reach;
  assign acts     = !alone || engine == '0;
  assign member   = active_q && acts && (alone || split_q || class_of == engine);

  assign count_sends = phase == Count && acts && slot == from_end && from_end != side;
  assign passes      = phase == Broadcast && in_valid && !first && in[BodyW +: DigitW] > DigitW'(1);
  always_ff @(posedge clk_i) begin
    count_sends_q <= send && count_sends;
    behind_q      <= from_end != '0;
    member_q      <= member;
    passes_q      <= send && passes;
    reach_q       <= reach;
    far_q         <= far;
    digit_q       <= digit;
    lasts_q       <= lasts;
    digits_q      <= digits;
  end

  // ---- counting

  logic [NodeW-1:0] sum, below;
  logic [StepW-1:0] sum_rest;
  logic [DataW-1:0] sum_value, below_value, total_value, own_data, value;
  logic             short_one; // ranks are shared out to the engines in turn: this one has one less than some
  assign value     = mode_q == Prefix ? own_data : '0;
  assign short_one = !split_q && rest != '0 && engine_q >= rest;
  crl_online_sums #(
    .Dims  (Dims),
    .DigitW(DigitW),
    .DataW (DataW)
  ) u_sums (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .receive_i    (receive_q),
    .send_i       (send_q),
    .down_i       (down_q),
    .engine0_i    (engine0),
    .count_i      (phase == Count),
    .spread_i     (phase == Broadcast),
    .open_i       (open),
    .first_i      (first),
    .member_i     (member_q),
    .value_i      (value),
    .short_i      (short_one),
    .step_i       (step),
    .last_i       (lasts_q),
    .reach_i      (reach_q),
    .valid_i      (in_valid_q),
    .behind_i     (behind_q),
    .in_i         (in_q[BodyW +: NodeW]),
    .in_rest_i    (in_q[DataW +: StepW]),
    .in_value_i   (in_q[DataW-1:0]),
    .sum_o        (sum),
    .sum_rest_o   (sum_rest),
    .sum_value_o  (sum_value),
    .below_o      (below),
    .below_rest_o (below_rest),
    .none_o       (none),
    .total_rest_o (total_rest),
    .below_value_o(below_value),
    .total_value_o(total_value),
    .ready_o      (ready)
  );

  // ---- packing: the packet of each half, and what came of it and goes on

  logic [(2<<StepW)-1:0] own_valid_q;
  logic [(4<<StepW)-1:0] way_valid_q;
  logic [StepW:0]        own_at, own_at_q;   // {engine, half}
  logic [StepW+1:0]      way_at;
  logic [DigitW-1:0]     to, goal;
  logic [NodeW-1:0]      own_tag, own_origin;
  logic                  packed_in, stays, opens, own_here, way_here, fresh, own_leaves, pack_fault;
  logic                  keep_q, own_q, way_q, fresh_q;
  assign own_at    = {engine, half};
  assign way_at    = {engine, half, down};
  assign packed_in = receive && phase == Pack && in_valid;
  assign stays     = to == digit;
  assign opens     = phase == Pack && open && !back;
  assign fresh     = phase == Pack && step == '0 && slot == '0 && !back; // it has not been sent yet
  assign own_here  = opens ? member : own_valid_q[own_at];
  assign way_here  = !opens && way_valid_q[way_at];
  always_comb begin
    to   = '0;
    goal = '0;
    for (int s = 0; s < Dims; s++)
      if (step == StepW'(s)) begin
        to   = back ? in[DataW+s*DigitW +: DigitW] : in[BodyW+s*DigitW +: DigitW];
        goal = back ? own_origin[s*DigitW +: DigitW] : own_tag[s*DigitW +: DigitW];
      end
  end
  assign own_leaves = own_q && (down_q ? goal < digit_q : goal > digit_q);
  assign pack_fault = packed_in && (stays ? own_valid_q[own_at] : way_valid_q[way_at] || ends);
  always_ff @(posedge clk_i) begin
    keep_q   <= packed_in;
    own_q    <= send && phase == Pack && own_here && !way_here;
    way_q    <= receive ? !stays : send && phase == Pack && way_here;
    fresh_q  <= send && fresh;
    own_at_q <= own_at;
    if (packed_in && stays) own_valid_q[own_at] <= 1'b1;
    if (packed_in && !stays) way_valid_q[way_at] <= 1'b1;
    if (send && opens) own_valid_q[engine*2 +: 2] <= {member && halves_q, member};
    if (send && phase == Pack) way_valid_q[way_at] <= 1'b0;
    if (own_leaves) own_valid_q[own_at_q] <= 1'b0;
    if (!rst_ni || start_i) begin
      own_valid_q <= '0;
      way_valid_q <= '0;
    end
  end

  // Where they are: {whether it goes on, engine, half, down}. Of two places of a packet of its own one has the payload for
  // the run that comes, from the load port or from those that waited; they change places when packing opens.
  logic             page_q, page;
  assign page = page_q ^ opens;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) page_q <= 1'b0;
    else if (advance) page_q <= page;
  end
  logic [StepW+2:0] word_raddr, word_waddr, data_waddr;
  logic [2*NodeW-1:0] own_head;
  logic [DataW-1:0] waiting_data;
  logic             loads, copies;
  assign word_raddr = !send ? {1'b0, read_sel_i[2 +: StepW], read_sel_i[0], page}
                    : phase == Pack ? {way_here, engine, half, way_here ? down : page}
                    : {1'b0, engine, phase == Broadcast && halves_q && down, page ^ (phase == Count)};
  assign word_waddr = {receive_q && way_q, own_at_q, receive_q && way_q ? down_q : page};
  assign loads      = load_we_i && load_addr_i >= 16'd16 && load_addr_i < 16'(16 + 2 * Dims);
  assign data_waddr = loads ? {1'b0, load_addr_i[0 +: StepW+1], !page}
                    : copies ? {1'b0, engine_q, down_q, !page} : word_waddr;
  crl_ram #(
    .DataW(2 * NodeW),
    .Depth(8 << StepW)
  ) u_head (
    .clk_i  (clk_i),
    .we_i   (keep_q || (fresh_q && own_q)),
    .waddr_i(word_waddr),
    .wdata_i(keep_q ? in_q[DataW +: 2*NodeW] : {own_tag, own_origin}),
    .re_i   (1'b1),
    .raddr_i(word_raddr),
    .rdata_o(own_head)
  );
  crl_ram #(
    .DataW(DataW),
    .Depth(8 << StepW)
  ) u_data (
    .clk_i  (clk_i),
    .we_i   (keep_q || loads || copies),
    .waddr_i(data_waddr),
    .wdata_i(loads ? load_data_i[DataW-1:0] : copies ? waiting_data : in_q[DataW-1:0]),
    .re_i   (1'b1),
    .raddr_i(word_raddr),
    .rdata_o(own_data)
  );
  assign own_tag    = fresh_q ? below : own_head[NodeW +: NodeW];
  assign own_origin = !fresh_q ? own_head[NodeW-1:0] : mode_q == Routing ? dest_q : digits_q;

  // ---- broadcasting

  logic             own_first, own_first_q, take, take_q, from_down, store, store_q, lost, left;
  logic [AddrW-1:0] place, place_q, next;
  logic [AddrW:0]   held;
  logic [BodyW-1:0] listed;
  logic [15:0]      item;
  logic             fills, has_items, goes_on; // there are nodes further on
  assign goes_on   = ring || (down ? digit != '0 : digit != side);
  assign has_items = phase == Idle && mode_q == Lines && engine == '0;
  assign own_first = phase == Broadcast && first && goes_on && own_valid_q[{engine, halves_q && down}];
  crl_online_lists #(
    .Dims (Dims),
    .Depth(Depth)
  ) u_lists (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni && !start_i),
    .receive_i  (receive),
    .send_i     (send),
    .down_i     (down),
    .spread_i   (phase == Broadcast),
    .ends_i     (ends),
    .forget_i   (opens),
    .fill_i     (has_items),
    .items_i    (items_q),
    .halves_i   (halves_q),
    .limit_i    (limit_q),
    .valid_i    (in_valid),
    .busy_i     (passes || own_first),
    .far_i      (goes_on),
    .store_o    (store),
    .place_o    (place),
    .lost_o     (lost),
    .left_o     (left),
    .take_o     (take),
    .from_down_o(from_down),
    .next_o     (next),
    .which_i    ({read_sel_i[2 +: StepW], read_sel_i[0]}),
    .held_o     (held)
  );
  always_ff @(posedge clk_i) begin
    own_first_q <= send && own_first;
    take_q      <= take;
    store_q     <= store;
    place_q     <= place;
  end
  assign item  = load_addr_i - 16'd32;
  assign fills = load_we_i && load_addr_i >= 16'd32 && mode_q == Lines;
  crl_ram #(
    .DataW(BodyW),
    .Depth(2 * Dims * Depth)
  ) u_memory (
    .clk_i  (clk_i),
    .we_i   (store_q || fills),
    .waddr_i(MemW'(fills ? {StepW'(0), halves_q && item[0], AddrW'(halves_q ? item >> 1 : item)}
                         : {engine_q, down_q, place_q})),
    .wdata_i(fills ? {digits, load_data_i[DataW-1:0]} : in_q[BodyW-1:0]),
    .re_i   (1'b1),
    .raddr_i(MemW'(send ? {engine, from_down, next}
                        : {read_sel_i[2 +: StepW], read_sel_i[0], read_addr_i[AddrW-1:0]})),
    .rdata_o(listed)
  );

  // ---- what leaves

  logic               word_valid;
  logic [WordW-1:0]   word;
  logic [DigitW-1:0]  hops;
  logic [BodyW-1:0]   passed;
  assign passed  = in_q[BodyW-1:0];
  assign word_valid = count_sends_q || passes_q || own_first_q || take_q || own_leaves || (send_q && way_q);
  assign hops    = passes_q ? in_q[BodyW +: DigitW] - 1'b1 : far_q;
  always_comb begin
    case (phase)
      Count:   word = {sum, NodeW'(sum_rest), sum_value};
      Pack:    word = {own_tag, own_origin, own_data};
      default: word = {NodeW'(hops), passes_q ? passed : own_first_q ? {own_origin, own_data} : listed};
    endcase
  end
  always_ff @(posedge clk_i) begin
    port_q <= port;
    for (int p = 0; p < Ports; p++) begin
      if (!rst_ni) link_data_o[p*WordW +: WordW] <= '0;
      else if (send_q && port_q == (StepW+1)'(p)) link_data_o[p*WordW +: WordW] <= word;
      if (!rst_ni || start_i || stop) link_valid_o[p] <= 1'b0;
      else if (send_q && port_q == (StepW+1)'(p)) link_valid_o[p] <= word_valid;
    end
  end

  // ---- packets that wait

  logic wait_lost;
  if (Waiting != 0) begin : gen_waiting
    localparam int WaitW = $clog2(Waiting);
    logic [WaitW:0] wait_limit_q;
    localparam int PartW = $clog2(Ports);
    logic           copying;
    logic [PartW-1:0] part;
    always_ff @(posedge clk_i) if (load_we_i && load_addr_i == 16'd14) wait_limit_q <= load_data_i[WaitW:0];
    assign copying = send_q && begins_o && mode_q == Repeat && active_q;
    assign part    = !split_q ? '0 : PartW'(halves_q ? {engine, down} : {1'b0, engine});
    assign copies  = copying && (!down_q || halves_q);
    crl_online_waiting #(
      .Parts(Ports),
      .DataW(DataW),
      .Depth(Waiting)
    ) u_waiting (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni && !start_i),
      .limit_i     (wait_limit_q),
      .give_valid_i(give_valid_i),
      .give_data_i (give_data_i),
      .lost_o      (wait_lost),
      .offered_o   (offered),
      .part_i      (part),
      .data_o      (waiting_data),
      .take_i      (copying && down_q && engine_q == StepW'(Dims - 1))
    );
  end else begin : gen_no_waiting
    logic unused;
    assign unused       = give_valid_i || give_data_i != '0;
    assign copies       = 1'b0;
    assign waiting_data = '0;
    assign wait_lost    = 1'b0;
    assign offered      = 1'b0;
  end

  // ---- what was received, to be read

  logic             own_read, read_sum;
  logic [BodyW-1:0] own_body;
  assign own_read     = own_valid_q[{read_sel_i[2 +: StepW], read_sel_i[0]}];
  assign own_body     = {own_head[NodeW-1:0], own_data};
  assign read_sum     = mode_q == Prefix;
  assign read_valid_o = read_sum ? read_sel_i < 16'd2 && read_addr_i == 16'd0
                      : read_sel_i[1] ? own_read : (AddrW+1)'(read_addr_i) < held;
  assign read_data_o  = read_sum ? {NodeW'(0), read_sel_i[0] ? total_value : below_value}
                      : read_sel_i[1] ? own_body : listed;

  logic late;
  assign late = receive && phase == Broadcast && ends && in_valid && in[BodyW +: DigitW] > DigitW'(1);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) fault_o <= 1'b0;
    else fault_o <= fault_o || lost || left || late || pack_fault || wait_lost;
  end

  // Between the fields of registers.
  logic unused_bits;
  assign unused_bits = &{1'b0, load_data_i};

`ifdef CRL_CONTRACTS
  // The contract of who uses it.
  always @(posedge clk_i) if (rst_ni) begin
    assert (!load_we_i || (ready_o && !busy_o)) else $fatal(1, "contract: a load while busy");
    assert (!start_i || (ready_o && !busy_o && !load_we_i)) else $fatal(1, "contract: a start while busy");
  end
`endif

endmodule
