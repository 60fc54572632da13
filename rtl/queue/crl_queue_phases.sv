// SPDX-License-Identifier: Apache-2.0
//
// The phases of a slot of crl_queue_node: which port or loop-back queue each stage of its pipeline is at.
//
// Timing: in the cycle of serve_i stage G is at the first of Loops*Trees loop-back queues, highest first, then at the link
// ports, highest first, one a cycle. C, D and P follow a cycle later each, then, for ports only, E and A. own_o rises when the
// last port has left A, and falls when the next slot begins.

module crl_queue_phases #(
  parameter int Ports = 4,
  parameter int Trees = 4,
  /// 1: a loop-back queue a tree.
  parameter int Loops = 0,
  localparam int TW = (Trees > 1) ? $clog2(Trees) : 1,
  localparam int AW = $clog2(Ports + 2)
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          slot_i,     // a slot begins
  input  logic          serve_i,    // its phases begin: with slot_i, or later in the slot

  output logic [AW-1:0] g_port_o,   // Ports: a loop-back queue
  output logic          c_o,        // something is in C
  output logic          c_loop_o,   // in C is a loop-back queue, that of
  output logic [TW-1:0] c_tree_o,
  output logic [AW-1:0] c_port_o,
  output logic          d_o,        // something is in D
  output logic          d_loop_o,
  output logic [TW-1:0] d_tree_o,
  output logic [AW-1:0] d_port_o,
  output logic [TW-1:0] p_tree_o,
  output logic [AW-1:0] p_port_o,
  output logic [AW-1:0] e_port_o,
  output logic          a_o,        // a port is in A
  output logic [AW-1:0] a_port_o,
  output logic          own_o       // own packets are taken
);

  localparam int Phases = Ports + Loops * Trees;
  localparam int PhaseW = $clog2(Phases + 1);

  logic              g, g_loop, run_q, p_q, e_q, p_loop_q;
  logic [PhaseW-1:0] phase_q;
  logic [TW-1:0]     g_tree;

  assign g        = serve_i || run_q;
  assign g_loop   = Loops != 0 && 32'(phase_q) < Loops * Trees;
  assign g_tree   = TW'(Trees - 1 - 32'(phase_q));
  assign g_port_o = g_loop ? AW'(Ports) : AW'(Phases - 1 - 32'(phase_q));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q <= 1'b0;
      c_o   <= 1'b0;
      d_o   <= 1'b0;
      p_q   <= 1'b0;
      e_q   <= 1'b0;
      a_o   <= 1'b0;
      own_o <= 1'b0;
    end else begin
      run_q <= g && 32'(phase_q) != Phases - 1;
      c_o   <= g;
      d_o   <= c_o;
      p_q   <= d_o;
      e_q   <= p_q && !p_loop_q;
      a_o   <= e_q;
      own_o <= !slot_i && (own_o || (a_o && !(e_q || p_q || d_o || c_o || run_q)));
    end
  end

  // It rests at the first, which then is in G when it is served.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !g || 32'(phase_q) == Phases - 1) phase_q <= '0;
    else phase_q <= phase_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    c_loop_o <= g_loop;
    c_tree_o <= g_tree;
    c_port_o <= g_port_o;
    d_loop_o <= c_loop_o;
    d_tree_o <= c_tree_o;
    d_port_o <= c_port_o;
    p_loop_q <= d_loop_o;
    p_tree_o <= d_tree_o;
    p_port_o <= d_port_o;
    e_port_o <= p_port_o;
    a_port_o <= e_port_o;
  end

endmodule
