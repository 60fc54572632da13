// SPDX-License-Identifier: Apache-2.0
//
// Crossbar with a fixed latency: every port sends a word a cycle to any port. There is no arbiter and no queue: a port
// takes in up to two words a cycle, of which the receiver keeps one waiting; the schedule promises that there are no
// more, and the crossbar tells when there are. Of two words the first is that of the lower sender.
//
// Timing: a word at valid_i in one cycle is at valid_o of its destination latency_i - 1 cycles later (at once with a
// latency of 1: the sender's output register is the other cycle). A fault shows after the next edge; one in the cycle of
// clear_i is kept.

module crl_crossbar #(
  /// Ports, 2 or more.
  parameter int Ports = 64,
  /// The longest latency, 1 or more.
  parameter int LatencyMax = 16,
  /// Cycles of the latency that pass elsewhere (Stages of crl_logp_node), and here in a register behind the choice of words
  /// (0 or 1): no latency is shorter than their sum and one.
  parameter int Elsewhere = 0,
  parameter int Registers = 0,
  /// Bits of a word.
  parameter int DataW = 16,
  /// Bits that name a port.
  localparam int NodeW = (Ports > 1) ? $clog2(Ports) : 1,
  /// Bits of a latency.
  localparam int LW = $clog2(LatencyMax + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,     // clears sticky faults

  input  logic [NodeW:0]         nodes_i,     // ports in use: those below
  input  logic [LW-1:0]          latency_i,   // 1 to LatencyMax; holds while words are under way

  input  logic [Ports-1:0]       valid_i,
  input  logic [Ports*NodeW-1:0] dest_i,
  input  logic [Ports*DataW-1:0] data_i,
  output logic [2*Ports-1:0]     valid_o,     // of port d: the first word at 2d, the second at 2d + 1
  output logic [2*Ports*DataW-1:0] data_o,

  output logic [Ports-1:0]       conflict_o,  // sticky: three words were for this port in one cycle
  output logic [Ports-1:0]       outside_o    // sticky: this port sent to a port that is not in use
);

  localparam int Absorbed = Elsewhere + Registers;
  localparam int DelayMax = LatencyMax - 1 - Absorbed;
  localparam int SW = (DelayMax > 0) ? $clog2(DelayMax + 1) : 1;

  logic [SW-1:0]    delay;
  logic [Ports-1:0] conflict, outside, conflict_q, outside_q;

  if (Ports < 2 || LatencyMax < 1 || DataW < 1) begin : gen_bad_size
    crl_error_ports_must_be_2_latency_max_data_w_1_or_more u_error ();
  end
  if (Elsewhere < 0 || Registers < 0 || Registers > 1 || DelayMax < 0) begin : gen_bad_registers
    crl_error_latency_max_must_be_more_than_elsewhere_and_registers_0_or_1 u_error ();
  end

  assign delay = SW'(latency_i - LW'(1 + Absorbed));

  for (genvar d = 0; d < Ports; d++) begin : gen_port
    logic [Ports-1:0] hit, others, rest;
    logic [DataW-1:0] first, second;
    logic             one, two;
    logic [2*DataW+1:0] chosen;

    always_comb begin
      for (int s = 0; s < Ports; s++) hit[s] = valid_i[s] && dest_i[s*NodeW +: NodeW] == NodeW'(d);
    end

    // All but the first, and all but the first two.
    assign others = hit & (hit - 1'b1);
    assign rest   = others & (others - 1'b1);

    always_comb begin
      first  = '0;
      second = '0;
      for (int s = 0; s < Ports; s++) begin
        if (hit[s] && !others[s]) first = first | data_i[s*DataW +: DataW];
        if (others[s]) second = second | data_i[s*DataW +: DataW];
      end
    end

    if (Registers != 0) begin : gen_register
      logic [1:0]         valid_q;
      logic [2*DataW-1:0] words_q;

      always_ff @(posedge clk_i) begin
        if (!rst_ni) valid_q <= '0;
        else valid_q <= {others != '0, hit != '0};
      end
      always_ff @(posedge clk_i) words_q <= {second, first};

      assign chosen = {valid_q, words_q};
    end else begin : gen_no_register
      assign chosen = {others != '0, hit != '0, second, first};
    end

    assign {two, one} = chosen[2*DataW +: 2];

    assign conflict[d] = rest != '0;
    assign outside[d]  = valid_i[d] && {1'b0, dest_i[d*NodeW +: NodeW]} >= nodes_i;

    crl_delay_line #(
      .DataW   (DataW),
      .DelayMax(DelayMax)
    ) u_first (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .delay_i(delay),
      .valid_i(one),
      .data_i (chosen[DataW-1:0]),
      .valid_o(valid_o[2*d]),
      .data_o (data_o[2*d*DataW +: DataW])
    );

    crl_delay_line #(
      .DataW   (DataW),
      .DelayMax(DelayMax)
    ) u_second (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .delay_i(delay),
      .valid_i(two),
      .data_i (chosen[2*DataW-1:DataW]),
      .valid_o(valid_o[2*d+1]),
      .data_o (data_o[(2*d+1)*DataW +: DataW])
    );
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      conflict_q <= '0;
      outside_q  <= '0;
    end else begin
      conflict_q <= (clear_i ? '0 : conflict_q) | conflict;
      outside_q  <= (clear_i ? '0 : outside_q) | outside;
    end
  end

  assign conflict_o = conflict_q;
  assign outside_o  = outside_q;

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  // Any one latency and receiver, and any two of its senders: their words come out after exactly that latency, the lower
  // sender's first, and nothing else does; a third is told, and so is a word to nobody.
  (* anyconst *) logic [LW-1:0]    f_latency;
  logic [LW-1:0]                   f_age;              // of a word that comes out
  (* anyconst *) logic [NodeW-1:0] f_from, f_other, f_to;
  logic [Ports-1:0]                f_hit;
  logic                            f_sent, f_other_sent;
  logic [1:0]                      f_count;            // how many words for f_to, 3 or more as 3
  logic [LatencyMax:0]             f_one, f_two, f_pair, f_alone;  // by age
  logic [LatencyMax-1:0]           f_one_q, f_two_q, f_pair_q, f_alone_q;
  logic [(LatencyMax+1)*DataW-1:0] f_words, f_other_words;
  logic [LatencyMax*DataW-1:0]     f_words_q, f_other_words_q;

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    assume (32'(f_latency) >= 1 + Absorbed && 32'(f_latency) <= LatencyMax);
    f_age = f_latency - LW'(1 + Elsewhere);
    assume (latency_i == f_latency);
    assume (32'(nodes_i) <= Ports);
    assume (f_from < f_other && 32'(f_other) < Ports && 32'(f_to) < Ports);

    for (int s = 0; s < Ports; s++) f_hit[s] = valid_i[s] && dest_i[s*NodeW +: NodeW] == f_to;
    f_sent       = f_hit[f_from];
    f_other_sent = f_hit[f_other];
    f_count      = ($countones(f_hit) > 2) ? 2'd3 : 2'($countones(f_hit));
  end

  // What was sent, newest first.
  assign f_one         = {f_one_q, f_count != '0};
  assign f_two         = {f_two_q, f_count[1]};
  assign f_alone       = {f_alone_q, f_sent && f_count == 2'd1};
  assign f_pair        = {f_pair_q, f_sent && f_other_sent && f_count == 2'd2};
  assign f_words       = {f_words_q, data_i[f_from*DataW +: DataW]};
  assign f_other_words = {f_other_words_q, data_i[f_other*DataW +: DataW]};

  always_ff @(posedge clk_i) begin
    f_one_q         <= rst_ni ? f_one[LatencyMax-1:0] : '0;
    f_two_q         <= rst_ni ? f_two[LatencyMax-1:0] : '0;
    f_alone_q       <= rst_ni ? f_alone[LatencyMax-1:0] : '0;
    f_pair_q        <= rst_ni ? f_pair[LatencyMax-1:0] : '0;
    f_words_q       <= f_words[LatencyMax*DataW-1:0];
    f_other_words_q <= f_other_words[LatencyMax*DataW-1:0];
  end

  always_comb if (f_past_valid) begin
    a_valid: assert (valid_o[2*f_to] == f_one[f_age]);
    a_second_valid: assert (valid_o[2*f_to+1] == f_two[f_age]);
    if (f_alone[f_age] || f_pair[f_age])
      a_word: assert (data_o[2*f_to*DataW +: DataW] == f_words[f_age*DataW +: DataW]);
    if (f_pair[f_age])
      a_second_word:
      assert (data_o[(2*f_to+1)*DataW +: DataW] == f_other_words[f_age*DataW +: DataW]);
    c_through: cover (f_pair[f_age] && data_o[2*f_to*DataW +: DataW] != '0 && 32'(f_latency) == LatencyMax);
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if ($past(rst_ni)) begin
      if ($past(f_count == 2'd3)) a_conflict: assert (conflict_o[f_to]);
      if (conflict_o[f_to] && !$past(conflict_o[f_to])) a_conflict_cause: assert ($past(f_count == 2'd3));
      if ($past(f_sent && 32'(f_to) >= 32'(nodes_i))) a_outside: assert (outside_o[f_from]);
      if ($past(!clear_i)) a_sticky: assert (($past(conflict_o) & ~conflict_o) == '0 && ($past(outside_o) & ~outside_o) == '0);
      if ($past(valid_i) == '0 && $past(clear_i)) a_clear: assert (conflict_o == '0 && outside_o == '0);
      c_both: cover (conflict_o[f_to] && !outside_o[f_from] && $past(conflict_o) == '0);
    end else begin
      a_reset: assert (conflict_o == '0 && outside_o == '0);
    end
  end
`endif

endmodule
