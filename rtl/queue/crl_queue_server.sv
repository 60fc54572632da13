// SPDX-License-Identifier: Apache-2.0
//
// Stages C, D and P of crl_queue_node: what a port or loop-back queue gives away, if anything. The only state is what a coin
// leaves for the second of its two slots.
//
// Timing: C collects the gate and the heads, D decides, P takes the head out of its queue. Each is a cycle, with a register
// behind it.

module crl_queue_server #(
  parameter int Ports = 4,
  parameter int Trees = 4,
  parameter int Classes = 1,
  /// 1: entries hold where packets come from.
  parameter int Position = 0,
  /// Bits of an entry {where from, coin, place}, and of the place.
  parameter int EntryW = 9,
  parameter int AddrW = 8,
  localparam int TW = (Trees > 1) ? $clog2(Trees) : 1,
  localparam int CW = (Classes > 1) ? $clog2(Classes) : 1,
  localparam int PW = (Ports > 1) ? $clog2(Ports) : 1,
  localparam int AW = $clog2(Ports + 2),
  localparam int Queues = Ports * Classes,
  /// Bits of a gate {position, b, a, mode}.
  localparam int GateW = 11 + Ports
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     c_i,          // something is in C:
  input  logic                     c_loop_i,     // the loop-back queue of the tree, else the port
  input  logic [TW-1:0]            c_tree_i,
  input  logic [AW-1:0]            c_port_i,
  input  logic [GateW-1:0]         gate_i,
  input  logic [Queues*EntryW-1:0] heads_i,      // of crl_queue_fifos
  input  logic [Queues-1:0]        waits_i,
  input  logic [Trees*EntryW-1:0]  loop_heads_i,
  input  logic [Trees-1:0]         loop_waits_i,

  input  logic                     d_i,          // something is in D:
  input  logic                     d_loop_i,
  input  logic [AW-1:0]            d_port_i,
  input  logic [Ports-1:0]         may_send_i,   // ports that may send at all

  input  logic [TW-1:0]            p_tree_i,
  input  logic [AW-1:0]            p_port_i,
  output logic                     send_o,       // in P: the port sends from the queue of
  output logic [CW-1:0]            class_o,
  output logic                     loop_o,       // the loop-back queue gives its head
  output logic [EntryW-1:0]        entry_o,      // what is sent or given
  output logic [Queues-1:0]        pop_o,
  output logic [Trees-1:0]         loop_pop_o
);

  // ---- C: of the port; a loop-back queue stands in the place of class 0

  logic [Classes-1:0]        waits_q, coin;
  logic [Classes*EntryW-1:0] heads_q;
  logic [Classes*Ports-1:0]  place;
  logic [GateW-1:0]          gate_q;
  logic                      second_q, second_we;
  logic [CW-1:0]             second_class_q;
  logic [Ports-1:0]          left_q;
  logic [Ports*CW-1:0]       left_class_q;

  for (genvar c = 0; c < Classes; c++) begin : gen_class
    logic [Ports-1:0]        waits;
    logic [Ports*EntryW-1:0] heads;

    assign waits = waits_i[c*Ports +: Ports];
    assign heads = heads_i[c*Ports*EntryW +: Ports*EntryW];

    always_ff @(posedge clk_i) begin
      if (c_i) begin
        waits_q[c]                  <= waits[PW'(c_port_i)];
        heads_q[c*EntryW +: EntryW] <= heads[EntryW-1:0];
        for (int p = 1; p < Ports; p++)
          if (32'(c_port_i) == p) heads_q[c*EntryW +: EntryW] <= heads[p*EntryW +: EntryW];
        if (c == 0 && c_loop_i) begin
          waits_q[c] <= loop_waits_i[c_tree_i];
          for (int k = 0; k < Trees; k++)
            if (32'(c_tree_i) == k) heads_q[c*EntryW +: EntryW] <= loop_heads_i[k*EntryW +: EntryW];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (c_i) begin
      gate_q         <= gate_i;
      second_q       <= left_q[PW'(c_port_i)];
      second_class_q <= left_class_q[PW'(c_port_i)*CW +: CW];
    end
  end

  // ---- D

  logic             gate_send, gate_second, may_send, sends, gives;
  logic [Ports-1:0] port;
  logic [CW-1:0]    gate_class, gate_second_class, chosen;

  for (genvar c = 0; c < Classes; c++) begin : gen_head
    assign coin[c] = heads_q[c*EntryW + AddrW];
    if (Position != 0) begin : gen_place
      assign place[c*Ports +: Ports] = heads_q[c*EntryW + AddrW + 1 +: Ports];
    end else begin : gen_no_place
      assign place[c*Ports +: Ports] = '0;
    end
  end

  assign port     = Ports'(1) << d_port_i;
  assign may_send = (may_send_i & port) != '0;

  crl_class_select #(
    .Ports  (Ports),
    .Classes(Classes)
  ) u_select (
    .mode_i        (gate_q[2:0]),
    .a_i           (gate_q[6:3]),
    .b_i           (gate_q[10:7]),
    .position_i    (gate_q[11 +: Ports]),
    .waits_i       (waits_q),
    .coin_i        (coin),
    .place_i       (place),
    .second_i      (second_q),
    .second_class_i(second_class_q),
    .send_o        (gate_send),
    .class_o       (gate_class),
    .second_o      (gate_second),
    .second_class_o(gate_second_class)
  );

  assign sends     = d_i && !d_loop_i && gate_send && may_send;
  assign gives     = d_i && d_loop_i && gate_q[0] && waits_q[0];
  assign second_we = d_i && !d_loop_i && (gate_q[2:0] == 3'd2 || gate_q[2:0] == 3'd3);
  assign chosen    = d_loop_i ? '0 : gate_class;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      send_o <= 1'b0;
      loop_o <= 1'b0;
    end else begin
      send_o <= sends;
      loop_o <= gives;
    end
  end
  always_ff @(posedge clk_i) begin
    if (d_i) begin
      class_o <= gate_class;
      entry_o <= heads_q[chosen*EntryW +: EntryW];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) left_q <= '0;
    else if (second_we) left_q <= gate_second ? left_q | port : left_q & ~port;
  end
  always_ff @(posedge clk_i) begin
    if (second_we) for (int p = 0; p < Ports; p++) if (port[p]) left_class_q[p*CW +: CW] <= gate_second_class;
  end

  // ---- P

  always_comb begin
    pop_o      = '0;
    loop_pop_o = '0;
    for (int c = 0; c < Classes; c++)
      if (send_o && 32'(class_o) == c) pop_o[c*Ports +: Ports] = Ports'(1) << p_port_i;
    for (int k = 0; k < Trees; k++) if (loop_o && 32'(p_tree_i) == k) loop_pop_o[k] = 1'b1;
  end

  logic unused_port;
  assign unused_port = &{1'b0, c_port_i};

`ifdef FORMAL
  // Proved where the server is used: crl_queue_node.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb if (f_past_valid) a_second_class: assert (!(d_i && second_q) || 32'(second_class_q) < Classes);
`endif

endmodule
