// SPDX-License-Identifier: Apache-2.0
//
// The queues of a partial exchange, for any packets that come and go as crl_online_queues says: any one queue gives its
// packets in the order in which they came, loses one only when it or the memory is full, and when its turn is first it is
// not passed over.

module crl_online_queues_order #(
  parameter int Dims = 2,
  parameter int Depth = 2,
  localparam int AddrW = $clog2(Depth),
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1,
  localparam int PortW = StepW + 1
) (
  input logic clk_i
);

  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  (* anyseq *) logic             push, pick, own_valid, payload;
  (* anyseq *) logic [PortW-1:0] push_port, push_from, pick_port;
  (* anyseq *) logic [StepW-1:0] push_level, own_level;
  (* anyconst *) logic [PortW-1:0] port, from;
  (* anyconst *) logic [StepW-1:0] level;
  (* anyconst *) logic [AddrW:0]   limit;

  logic             lost, own_pop, leaves, empty, mine, rst_n;
  logic [StepW-1:0] leaves_level;
  logic [1:0]       data;
  assign rst_n = f_past_valid;
  assign mine  = push_port == port && push_level == level && push_from == from;

  crl_online_queues #(
    .Dims (Dims),
    .Width(2),
    .Depth(Depth)
  ) u_queues (
    .clk_i       (clk_i),
    .rst_ni      (rst_n),
    .limit_i     (limit),
    .push_i      (push),
    .push_port_i (push_port),
    .push_level_i(push_level),
    .push_from_i (push_from),
    .push_data_i ({mine, payload}),
    .lost_o      (lost),
    .pick_i      (pick),
    .pick_port_i (pick_port),
    .own_valid_i (own_valid),
    .own_level_i (own_level),
    .own_pop_o   (own_pop),
    .leaves_o    (leaves),
    .level_o     (leaves_level),
    .data_o      (data),
    .empty_o     (empty)
  );

  // Straight on, or out of a dimension that was crossed before.
  function there(input [PortW-1:0] o, input [StepW-1:0] l, input [PortW-1:0] i);
    logic [StepW:0] before;
    begin
      before = {1'b0, o[PortW-1:1]} >= {1'b0, i[PortW-1:1]} ? {1'b0, o[PortW-1:1]} - {1'b0, i[PortW-1:1]}
             : (StepW+1)'(Dims) + {1'b0, o[PortW-1:1]} - {1'b0, i[PortW-1:1]};
      there = 32'(o) < 2 * Dims && 32'(l) < Dims && 32'(i) < 2 * Dims && (o == i || (before != '0 && before <= {1'b0, l}));
    end
  endfunction

  // Pushes, one a port of arrival, a cycle without any, picks, one a port, and two without any: what has come or gone in
  // this pass, and the cycles since the last one.
  logic [2*Dims-1:0] came_q, went_q;
  logic [1:0]        push_ago_q, pick_ago_q;
  always_ff @(posedge clk_i) begin
    if (!f_past_valid) begin
      came_q     <= '0;
      went_q     <= '0;
      push_ago_q <= 2'd3;
      pick_ago_q <= 2'd3;
    end else begin
      came_q     <= push ? (pick_ago_q != 2'd3 ? '0 : came_q) | (2*Dims)'(1) << push_from : pick ? '0 : came_q;
      went_q     <= pick ? went_q | (2*Dims)'(1) << pick_port : push ? '0 : went_q;
      push_ago_q <= push ? 2'd0 : push_ago_q == 2'd3 ? 2'd3 : push_ago_q + 1'b1;
      pick_ago_q <= pick ? 2'd0 : pick_ago_q == 2'd3 ? 2'd3 : pick_ago_q + 1'b1;
    end
  end
  always_comb begin
    assume (there(port, level, from) && 32'(limit) <= Depth && limit != '0);
    assume (!(push && pick) && 32'(pick_port) < 2 * Dims && 32'(own_level) < Dims);
    if (!f_past_valid) assume (!push && !pick);
    if (push) assume (there(push_port, push_level, push_from) && !came_q[push_from] && pick_ago_q >= 2'd2);
    if (pick) assume (!went_q[pick_port] && push_ago_q >= 2'd1);
  end

  // The queue as it must be: its oldest packet lowest.
  logic [Depth-1:0] held_q;
  logic [AddrW:0]   count_q, all_q;
  logic             mine_q, payload_q, push_q, gone, first_q, first_q2, lost_q;
  assign gone = leaves && data[1];
  always_ff @(posedge clk_i) begin
    push_q    <= f_past_valid && push;
    mine_q    <= mine;
    payload_q <= payload;
    // Level 0 straight on is before all others.
    first_q   <= f_past_valid && pick && pick_port == port && level == '0 && from == port && count_q != '0;
    first_q2  <= f_past_valid && first_q;
    lost_q    <= f_past_valid && (lost_q || (lost && mine_q));
    if (!f_past_valid) begin
      count_q <= '0;
      all_q   <= '0;
    end else begin
      all_q <= all_q + (AddrW+1)'(push_q && !lost) - (AddrW+1)'(leaves);
      if (push_q && mine_q && !lost) begin
        held_q[count_q[AddrW-1:0]] <= payload_q;
        count_q                    <= count_q + 1'b1;
      end else if (gone) begin
        held_q  <= held_q >> 1;
        count_q <= count_q - 1'b1;
      end
    end
  end

  always_comb if (f_past_valid) begin
    if (gone) a_order: assert (count_q != '0 && data[0] == held_q[0] && leaves_level == level);
    if (push_q && mine_q) a_lost: assert (lost == (count_q == limit || 32'(all_q) == Depth));
    if (first_q2) a_first: assert (gone);
    a_all: assert (32'(all_q) <= Depth);
    if (push_ago_q == 2'd3 && pick_ago_q == 2'd3) a_empty: assert (empty == (all_q == '0));
    c_full: cover (gone && lost_q && data[0]);
    c_again: cover (gone && level != '0 && from != port && count_q == (AddrW+1)'(2));
    c_own: cover (own_pop && all_q != '0);
  end

endmodule
