// SPDX-License-Identifier: Apache-2.0
//
// Crossbar with a fixed latency: every port sends a word a cycle to any port. There is no arbiter and no queue: the
// schedule promises that no two words are for one port in one cycle, and the crossbar tells when they are.
//
// Timing: a word at valid_i in one cycle is at valid_o of its destination latency_i - 1 cycles later (at once with a
// latency of 1: the sender's output register is the other cycle). A fault shows after the next edge; one in the cycle of
// clear_i is kept.

module crl_crossbar #(
  /// Ports, 2 or more.
  parameter int Ports = 64,
  /// The longest latency, 1 or more.
  parameter int LatencyMax = 16,
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
  output logic [Ports-1:0]       valid_o,
  output logic [Ports*DataW-1:0] data_o,

  output logic [Ports-1:0]       conflict_o,  // sticky: two words were for this port in one cycle
  output logic [Ports-1:0]       outside_o    // sticky: this port sent to a port that is not in use
);

  localparam int SW = (LatencyMax > 1) ? $clog2(LatencyMax) : 1;

  logic [SW-1:0]    delay;
  logic [Ports-1:0] conflict, outside, conflict_q, outside_q;

  if (Ports < 2 || LatencyMax < 1 || DataW < 1) begin : gen_bad_size
    crl_error_ports_must_be_2_latency_max_data_w_1_or_more u_error ();
  end

  assign delay = SW'(latency_i - 1'b1);

  for (genvar d = 0; d < Ports; d++) begin : gen_port
    logic [Ports-1:0] hit;
    logic [DataW-1:0] word;

    always_comb begin
      word = '0;
      for (int s = 0; s < Ports; s++) begin
        hit[s] = valid_i[s] && dest_i[s*NodeW +: NodeW] == NodeW'(d);
        word   = word | (data_i[s*DataW +: DataW] & {DataW{hit[s]}});
      end
    end

    assign conflict[d] = (hit & (hit - 1'b1)) != '0;
    assign outside[d]  = valid_i[d] && {1'b0, dest_i[d*NodeW +: NodeW]} >= nodes_i;

    crl_delay_line #(
      .DataW   (DataW),
      .DelayMax(LatencyMax - 1)
    ) u_delay (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .delay_i(delay),
      .valid_i(|hit),
      .data_i (word),
      .valid_o(valid_o[d]),
      .data_o (data_o[d*DataW +: DataW])
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

  // Any one latency, sender and receiver: a word between them comes out after exactly that latency, and nothing else
  // does; two senders at once are told, and so is a word to nobody.
  (* anyconst *) logic [LW-1:0]    f_latency;
  (* anyconst *) logic [NodeW-1:0] f_from, f_other, f_to;
  logic                        f_sent, f_other_sent, f_any_sent;
  logic [DataW-1:0]            f_word;
  logic [LatencyMax:0]         f_any, f_alone;  // by age: a word for f_to was sent; f_from's and no other
  logic [(LatencyMax+1)*DataW-1:0] f_words;

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    assume (32'(f_latency) >= 1 && 32'(f_latency) <= LatencyMax);
    assume (latency_i == f_latency);
    assume (32'(nodes_i) <= Ports);
    assume (32'(f_from) < Ports && 32'(f_other) < Ports && 32'(f_to) < Ports && f_from != f_other);

    f_sent       = valid_i[f_from] && dest_i[f_from*NodeW +: NodeW] == f_to;
    f_other_sent = valid_i[f_other] && dest_i[f_other*NodeW +: NodeW] == f_to;
    f_word       = data_i[f_from*DataW +: DataW];
    f_any_sent   = 1'b0;
    for (int s = 0; s < Ports; s++) if (valid_i[s] && dest_i[s*NodeW +: NodeW] == f_to) f_any_sent = 1'b1;
  end

  // What was sent, newest first.
  logic [LatencyMax-1:0]       f_any_q, f_alone_q;
  logic [LatencyMax*DataW-1:0] f_words_q;

  assign f_any   = {f_any_q, f_any_sent};
  assign f_alone = {f_alone_q, f_sent && !conflict[f_to]};
  assign f_words = {f_words_q, f_word};

  always_ff @(posedge clk_i) begin
    f_any_q   <= rst_ni ? f_any[LatencyMax-1:0] : '0;
    f_alone_q <= rst_ni ? f_alone[LatencyMax-1:0] : '0;
    f_words_q <= f_words[LatencyMax*DataW-1:0];
  end

  always_comb if (f_past_valid) begin
    a_valid: assert (valid_o[f_to] == f_any[f_latency - 1'b1]);
    if (f_alone[f_latency - 1'b1])
      a_word: assert (data_o[f_to*DataW +: DataW] == f_words[(f_latency - 1'b1)*DataW +: DataW]);
    c_through: cover (f_alone[f_latency - 1'b1] && data_o[f_to*DataW +: DataW] != '0 && 32'(f_latency) == LatencyMax);
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if ($past(rst_ni)) begin
      if ($past(f_sent && f_other_sent)) a_conflict: assert (conflict_o[f_to]);
      if (conflict_o[f_to] && !$past(conflict_o[f_to])) a_conflict_cause: assert ($past(f_any_sent));
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
