// SPDX-License-Identifier: Apache-2.0
//
// Partial exchange: a node of a torus or an array that learns by itself along which dimension its line has the fewest
// active nodes, and sends its packets along that one first, then along the others in cyclic order (Varvarigos & Bertsekas
// 1994, Sec. 4, which has two dimensions). Balanced, no line has more than M^(1/Dims) nodes that start along it, M being
// how many are active: nodes count again and again, until every active one has its class. On a link, packets for which it is the first dimension go before those for
// which it is the second, and so on; of one such level, those on their way before its own. Ports are served turn by turn
// (crl_online_turns), so they share one datapath; destinations travel as digits, one a dimension.
//
// Timing: start_i is a pulse while not busy_o. A slot begins at an edge that samples slot_i while ready_o and takes 4 Dims
// + 5 cycles, then its words are on the links and ready_o rises. All nodes are started and given slots together; slot_i
// may stay high. Words of a slot hold until those of the next are sent. Packets end when no node is busy any more, which
// no node knows.
//
// Word of a link: {class, digits of the destination, digits of the origin, payload}, or how many are active, in its low
// bits.
//
// Registers (load port, while ready and not busy): 0 active in bit 0, balanced in bit 1; writing it ends what goes on; 1
// the longest side less 1; 2 + k {ring, digit, side less 1} of dimension k in bits 31, 27 to 16 and 11 to 0; 10 packets a queue may hold; 16 + a
// the payload for the node with address a: its digits, each in as many bits as SideBits says, dimension 0 lowest.

module crl_online_exchange #(
  /// Dimensions, 1 to 8.
  parameter int Dims = 2,
  /// Bits of a digit: sides are 2 to 2^DigitW.
  parameter int DigitW = 4,
  /// Bits of a payload.
  parameter int DataW = 16,
  /// Packets on their way that a node holds: a power of two, 2 or more.
  parameter int Depth = 256,
  /// Bits that the digit of dimension k really has, 1 or more, 4 bits a dimension; 0: DigitW in each.
  parameter logic [31:0] SideBits = 32'd0,
  /// Bits of the digits of a node, of a number of dimensions, of a link's word.
  localparam int NodeW = Dims * DigitW,
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1,
  localparam int WordW = StepW + 2 * NodeW + DataW
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    start_i,
  input  logic                    slot_i,
  output logic                    ready_o,
  output logic                    busy_o,       // counts, or has packets to send

  input  logic                    load_we_i,
  input  logic [15:0]             load_addr_i,
  input  logic [31:0]             load_data_i,

  output logic [1:0]              phase_o,      // of what is on the links: 0 nothing, 1 counts, 2 packets

  input  logic [2*Dims-1:0]       link_valid_i, // port 2k: travelling up along dimension k, 2k + 1: down
  input  logic [2*Dims*WordW-1:0] link_data_i,
  output logic [2*Dims-1:0]       link_valid_o,
  output logic [2*Dims*WordW-1:0] link_data_o,

  input  logic [15:0]             read_sel_i,   // 0: what came to stay, while ready
  input  logic [15:0]             read_addr_i,
  output logic                    read_valid_o,
  output logic [NodeW+DataW-1:0]  read_data_o,  // {origin, payload}, a cycle after read_addr_i
  output logic                    fault_o       // sticky until the next start: a packet was lost
);

  localparam int Ports = 2 * Dims;
  localparam int AddrW = $clog2(Depth);
  localparam int BodyW = NodeW + DataW;
  localparam int PortW = StepW + 1;
  localparam logic [1:0] Idle = 2'd0, Count = 2'd1, Send = 2'd2;

  if (Dims < 1 || Dims > 8) begin : gen_bad_dims
    crl_error_dims_must_be_1_to_8 u_error ();
  end
  if (DigitW < 1 || DigitW > 12) begin : gen_bad_digit
    crl_error_digits_must_be_1_to_12_bits u_error ();
  end

  // Bits of a node's address before digit k.
  function int side_at(input int k);
    int i;
    begin
      side_at = 0;
      for (i = 0; i < k; i = i + 1) side_at = side_at + (SideBits == 32'd0 ? DigitW : 32'((SideBits >> (4 * i)) & 32'd15));
    end
  endfunction
  localparam int NodeAddrW = side_at(Dims);

  // ---- what the node knows. Dimensions are in the order that begins with that of the turn.

  localparam int DimW = 1 + 2 * DigitW;
  logic                 active_q, balanced_q, stop, dim_ends;
  logic [DigitW-1:0]    longest_q;
  logic [Dims*DimW-1:0] dims_q; // {ring, digit, last}
  logic [NodeW-1:0]     digits, lasts, own_digits_q;
  logic [Dims-1:0]      rings;
  logic [AddrW:0]       limit_q;
  assign stop = load_we_i && load_addr_i == 16'd0;
  always_ff @(posedge clk_i) begin
    if (stop) {balanced_q, active_q} <= load_data_i[1:0];
    if (load_we_i && load_addr_i == 16'd1) longest_q <= load_data_i[DigitW-1:0];
    for (int k = 0; k < Dims; k++)
      if (load_we_i && load_addr_i == 16'(2 + k))
        dims_q[k*DimW +: DimW] <= {load_data_i[31], load_data_i[16 +: DigitW], load_data_i[DigitW-1:0]};
    if (load_we_i && load_addr_i == 16'd10) limit_q <= load_data_i[AddrW:0];
    if (dim_ends) dims_q <= (Dims*DimW)'({dims_q[DimW-1:0], dims_q} >> DimW);
  end
  for (genvar k = 0; k < Dims; k++) begin : gen_dim
    assign {rings[k], digits[k*DigitW +: DigitW], lasts[k*DigitW +: DigitW]} = dims_q[k*DimW +: DimW];
  end

  // Dimension a + b, and a - b, modulo Dims.
  function automatic [StepW-1:0] dim_after(input [StepW-1:0] a, input [StepW-1:0] b);
    logic [StepW:0] plain;
    begin
      plain     = {1'b0, a} + {1'b0, b};
      dim_after = StepW'(plain >= (StepW+1)'(Dims) ? plain - (StepW+1)'(Dims) : plain);
    end
  endfunction
  function [StepW-1:0] dim_before(input [StepW-1:0] a, input [StepW-1:0] b);
    dim_before = a >= b ? a - b : StepW'({1'b0, a} + (StepW+1)'(Dims) - {1'b0, b});
  endfunction

  // ---- turns and phases

  logic              nobody_q; // the total that was counted is 0
  logic              receive_q, advance, send, send_q, down, down_q, new_q, open_q, leaving_q;
  logic              unused_receive;
  logic [StepW-1:0]  dim, dim_q, step_q;
  logic              step_ends, round_ends, round, sends; // sends: packets, from the next slot on
  logic [1:0]        phase_q;
  logic [DigitW-1:0] slot_q;
  crl_online_turns #(
    .Dims  (Dims),
    .Stages(2)
  ) u_turns (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .stop_i     (stop),
    .begin_i    (slot_i && (new_q || phase_q != Idle)),
    .ready_o    (ready_o),
    .receive_o  (unused_receive),
    .advance_o  (advance),
    .send_o     (send),
    .engine_o   (dim),
    .down_o     (down),
    .receive_q_o(receive_q),
    .send_q_o   (send_q),
    .engine_q_o (dim_q),
    .down_q_o   (down_q)
  );
  assign dim_ends = (receive_q && down_q) || (send && down);
  assign phase_o  = phase_q;

  // A step of counting is along one dimension, but the first one of a round along all of them.
  assign step_ends  = advance && phase_q == Count && slot_q + 1'b1 == longest_q;
  assign round_ends = step_ends && (!balanced_q || step_q == StepW'(Dims - 1));
  assign sends      = round_ends && (!balanced_q || nobody_q);
  assign round      = (advance && new_q) || (round_ends && !sends);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || stop) begin
      new_q   <= 1'b0;
      open_q  <= 1'b0;
      phase_q <= Idle;
      slot_q  <= '0;
      step_q  <= '0;
    end else if (start_i) begin
      new_q   <= 1'b1;
      phase_q <= Idle;
    end else if (advance) begin
      new_q  <= 1'b0;
      slot_q <= new_q || step_ends ? '0 : slot_q + 1'b1;
      open_q <= sends;
      if (round) step_q <= '0;
      else if (step_ends) step_q <= step_q + 1'b1;
      if (new_q) phase_q <= Count;
      else if (sends) phase_q <= Send;
    end
  end

  // ---- what comes in

  logic             in_valid, in_valid_q;
  logic [WordW-1:0] in, in_q;
  always_comb begin
    in_valid = 1'b0;
    in       = '0;
    for (int p = 0; p < Ports; p++)
      if ({dim, down} == PortW'(p)) begin
        in_valid = link_valid_i[p];
        in       = link_data_i[p*WordW +: WordW];
      end
  end
  always_ff @(posedge clk_i) begin
    in_valid_q <= in_valid;
    in_q       <= in;
  end

  // ---- counting those that are left, which are active and have no class yet. In the first step every line by itself, all
  // dimensions at once: how many others are on it. Balanced then all, dimension by dimension.

  localparam int SumW = DigitW + 1;  // nodes of a line
  localparam int TotalW = NodeW + 1; // nodes
  logic [Dims*SumW-1:0] sums;
  logic [SumW-1:0]      sum, fewest;
  logic [TotalW-1:0]    known_q, total_q, count_q2; // known: of the total, when the step began
  logic [DigitW-1:0]    digit, to_top, from_end;
  logic                 counts, counts_q, behind_q, adds, in_step, left_q, left, few;
  logic [StepW-1:0]     class_q, class_d;
  assign adds = receive_q && phase_q == Count && in_valid_q;
  assign sum  = sums[SumW-1:0] + (adds && step_q == '0 ? in_q[SumW-1:0] : '0);
  crl_online_ring #(
    .Width(SumW),
    .Count(Dims)
  ) u_sums (
    .clk_i (clk_i),
    .rst_ni(rst_ni && !round),
    .we_i  (receive_q || (send && down)),
    .turn_i(down_q || send),
    .data_i(sum),
    .data_o(sums)
  );
  always_comb begin
    class_d = '0;
    fewest  = '0;
    for (int k = 0; k < Dims; k++)
      if (k == 0 || sums[k*SumW +: SumW] < fewest) begin
        class_d = StepW'(k);
        fewest  = sums[k*SumW +: SumW];
      end
  end
  assign digit    = digits[DigitW-1:0];
  assign to_top   = lasts[DigitW-1:0] - digit;
  assign from_end = down ? to_top : digit;
  assign left     = new_q || (left_q && !few);
  assign in_step  = step_q == '0 || dim == step_q;
  assign counts   = send && phase_q == Count && in_step && slot_q == from_end && from_end != lasts[DigitW-1:0];
  always_ff @(posedge clk_i) begin
    if (advance && phase_q == Count && left_q) class_q <= class_d;
    counts_q <= counts;
    behind_q <= from_end != '0;
    count_q2 <= known_q + (behind_q ? in_q[TotalW-1:0] : '0);
    if (round) left_q <= left;
    if (round) known_q <= TotalW'(active_q && left);
    else if (step_ends) known_q <= total_q;
    if (round) total_q <= TotalW'(active_q && left);
    else if (adds && dim_q == step_q) total_q <= total_q + in_q[TotalW-1:0];
    nobody_q <= total_q == '0;
  end

  // Few are left on the emptiest line, K with this node, if K^Dims is no more than M. Powers are added up: each step after
  // the first makes one, adding that before to itself K - 1 times. It has a slot for each, as many as the longest side has
  // nodes but one.
  if (Dims > 1) begin : gen_powers
    logic [TotalW-1:0] power_q, before_q, most_q;
    logic [SumW-1:0]   times_q;
    logic              first_q, multiplies; // first: round, which counts M
    assign multiplies = receive_q && dim_q == '0 && !down_q && times_q != '0;
    always_ff @(posedge clk_i) begin
      if (advance && new_q) first_q <= 1'b1;
      else if (round) first_q <= 1'b0;
      if (first_q) most_q <= total_q;
      if (step_ends) begin
        power_q  <= step_q == '0 ? TotalW'(fewest) + 1'b1 : power_q;
        before_q <= step_q == '0 ? TotalW'(fewest) + 1'b1 : power_q;
        times_q  <= fewest;
      end else if (multiplies) begin
        power_q <= power_q + before_q;
        times_q <= times_q - 1'b1;
      end
    end
    assign few = power_q <= most_q;
  end else begin : gen_one_line
    assign few = 1'b1; // all are on it
  end

  // ---- where it goes: to stay, straight on, or into a dimension that its class crosses later

  logic [NodeW-1:0]  dest, turned; // turned: in the order of dimensions of the turn
  logic [DigitW-1:0] forward, wrapped;
  logic [Dims-1:0]   here, up;
  logic [StepW-1:0]  kind, later, ahead;
  logic              odd, straight, stays, came, goes_up;
  assign dest  = in_q[BodyW +: NodeW];
  assign kind  = in_q[BodyW+NodeW +: StepW];
  assign later = dim_before(dim_before(kind, StepW'(Dims > 1)), dim_q); // dimensions that it may still turn into
  always_comb begin
    turned = '0;
    for (int k = 0; k < Dims; k++)
      for (int j = 0; j < Dims; j++)
        if (dim_after(dim_q, StepW'(j)) == StepW'(k)) turned[j*DigitW +: DigitW] = dest[k*DigitW +: DigitW];
    odd = 1'b0;
    for (int j = 0; j < Dims; j++) odd = odd ^ turned[j*DigitW];
    here    = '0;
    up      = '0;
    forward = '0;
    wrapped = '0;
    for (int j = 0; j < Dims; j++) begin
      // Half way round a ring, up to where the digits have an even sum.
      forward = turned[j*DigitW +: DigitW] - digits[j*DigitW +: DigitW];
      wrapped = forward + (turned[j*DigitW +: DigitW] < digits[j*DigitW +: DigitW] ? lasts[j*DigitW +: DigitW] + 1'b1 : '0);
      here[j] = turned[j*DigitW +: DigitW] == digits[j*DigitW +: DigitW];
      up[j]   = !rings[j] ? turned[j*DigitW +: DigitW] > digits[j*DigitW +: DigitW]
              : {wrapped, 1'b0} <= {1'b0, lasts[j*DigitW +: DigitW]} ||
                ({wrapped, 1'b0} == {1'b0, lasts[j*DigitW +: DigitW]} + 1'b1 && !odd);
    end
  end
  assign straight = here[0];
  always_comb begin
    ahead   = '0; // nothing turns back
    goes_up = !down_q;
    stays   = straight;
    for (int j = 1; j < Dims; j++)
      if (stays && j <= 32'(later) && !here[j]) begin
        stays   = 1'b0;
        ahead   = StepW'(j);
        goes_up = up[j];
      end
  end
  assign came = receive_q && phase_q == Send && in_valid_q;

  // ---- what has come to stay

  logic [NodeAddrW:0] held_q;
  crl_ram #(
    .DataW(BodyW),
    .Depth(1 << NodeAddrW)
  ) u_stayed (
    .clk_i  (clk_i),
    .we_i   (came && stays && !held_q[NodeAddrW]),
    .waddr_i(held_q[NodeAddrW-1:0]),
    .wdata_i(in_q[BodyW-1:0]),
    .re_i   (1'b1),
    .raddr_i(read_addr_i[NodeAddrW-1:0]),
    .rdata_o(read_data_o)
  );
  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) held_q <= '0;
    else held_q <= held_q + (NodeAddrW+1)'(came && stays && !held_q[NodeAddrW]);
  end
  assign read_valid_o = read_sel_i == '0 && 17'(read_addr_i) < 17'(held_q);

  // ---- its own packets, port by port

  logic [Ports*(DigitW+NodeW)-1:0] supplies;
  logic [DigitW-1:0]               hops, hops_d;
  logic [NodeW-1:0]                rest, rest_d, to, own_dest, own_dest_q;
  logic                            own_valid, own_pop, own_q;
  logic [StepW-1:0]                own_level, own_later;
  logic [DataW-1:0]                own_data;
  logic [NodeAddrW-1:0]            own_addr, load_at;
  assign {hops, rest} = supplies[DigitW+NodeW-1:0]; // not those of other ports
  assign own_level    = dim_before(dim, class_q);
  assign own_later    = StepW'(Dims - 1) - own_level;
  crl_online_ring #(
    .Width(DigitW + NodeW),
    .Count(Ports)
  ) u_supplies (
    .clk_i (clk_i),
    .rst_ni(rst_ni && !start_i),
    .we_i  (send && phase_q == Send),
    .turn_i(1'b1),
    .data_i({hops_d, rest_d}),
    .data_o(supplies)
  );
  crl_online_supply #(
    .Dims  (Dims),
    .DigitW(DigitW)
  ) u_supply (
    .clk_i   (clk_i),
    .down_i  (down),
    .ring_i  (rings[0]),
    .last_i  (lasts),
    .digit_i (digits),
    .later_i (own_later),
    .open_i  (open_q),
    .active_i(active_q),
    .hops_i  (hops),
    .rest_i  (rest),
    .pop_i   (own_pop),
    .hops_o  (hops_d),
    .rest_o  (rest_d),
    .valid_o (own_valid),
    .dest_o  (to)
  );
  always_comb begin
    own_dest = '0;
    for (int k = 0; k < Dims; k++)
      for (int j = 0; j < Dims; j++)
        if (dim_after(dim_q, StepW'(j)) == StepW'(k)) own_dest[k*DigitW +: DigitW] = to[j*DigitW +: DigitW];
  end
  for (genvar k = 0; k < Dims; k++) begin : gen_address
    localparam int At = side_at(k);
    localparam int Bits = side_at(k + 1) - At;
    assign own_addr[At +: Bits] = own_dest[k*DigitW +: Bits];
  end
  assign load_at = NodeAddrW'(load_addr_i - 16'd16);
  crl_ram #(
    .DataW(DataW),
    .Depth(1 << NodeAddrW)
  ) u_payloads (
    .clk_i  (clk_i),
    .we_i   (load_we_i && load_addr_i >= 16'd16),
    .waddr_i(load_at),
    .wdata_i(load_data_i[DataW-1:0]),
    .re_i   (1'b1),
    .raddr_i(own_addr),
    .rdata_o(own_data)
  );

  // ---- those on their way

  logic                   lost, leaves, empty;
  logic [StepW-1:0]       level, out_dim;
  logic [NodeW+BodyW-1:0] packet;
  crl_online_queues #(
    .Dims (Dims),
    .Width(NodeW + BodyW),
    .Depth(Depth)
  ) u_queues (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni && !start_i),
    .limit_i     (limit_q),
    .push_i      (came && !stays),
    .push_port_i ({dim_after(dim_q, ahead), !goes_up}),
    .push_level_i(dim_before(dim_after(dim_q, ahead), kind)),
    .push_from_i ({dim_q, down_q}),
    .push_data_i (in_q[NodeW+BodyW-1:0]),
    .lost_o      (lost),
    .pick_i      (send && phase_q == Send),
    .pick_port_i ({dim, down}),
    .own_valid_i (own_valid),
    .own_level_i (own_level),
    .own_pop_o   (own_pop),
    .leaves_o    (leaves),
    .level_o     (level),
    .data_o      (packet),
    .empty_o     (empty)
  );

  // ---- what leaves: a cycle to read, one to send

  logic                    own_q2, counts_q2, out_down;
  logic [WordW-1:0]        word;
  always_ff @(posedge clk_i) begin
    own_q       <= own_pop;
    own_q2      <= own_q;
    own_dest_q  <= own_dest;
    counts_q2   <= counts_q;
    leaving_q   <= rst_ni && !stop && send_q;
    out_dim     <= dim_q;
    out_down    <= down_q;
    // All digits of the node are in order while nothing is sent.
    if (advance) own_digits_q <= digits;
  end
  assign word = counts_q2 ? WordW'(count_q2)
              : leaves ? {dim_before(out_dim, level), packet} : {class_q, own_dest_q, own_digits_q, own_data};
  always_ff @(posedge clk_i) begin
    for (int p = 0; p < Ports; p++) begin
      if (!rst_ni) link_data_o[p*WordW +: WordW] <= '0;
      else if (leaving_q && {out_dim, out_down} == PortW'(p)) link_data_o[p*WordW +: WordW] <= word;
      if (!rst_ni || start_i || stop) link_valid_o[p] <= 1'b0;
      else if (leaving_q && {out_dim, out_down} == PortW'(p)) link_valid_o[p] <= counts_q2 || leaves || own_q2;
    end
  end
  assign busy_o = new_q || phase_q == Count || (phase_q == Send && (!empty || link_valid_o != '0));

  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) fault_o <= 1'b0;
    else fault_o <= fault_o || lost || (came && stays && held_q[NodeAddrW]);
  end

  // Between the fields of registers, and of other ports.
  logic unused_bits;
  assign unused_bits = &{1'b0, load_data_i, supplies};

`ifdef CRL_CONTRACTS
  // The contract of who uses it.
  always @(posedge clk_i) if (rst_ni) begin
    assert (!load_we_i || (ready_o && !busy_o)) else $fatal(1, "contract: a load while busy");
    assert (!start_i || (ready_o && !busy_o && !load_we_i)) else $fatal(1, "contract: a start while busy");
  end
`endif

endmodule
