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
  localparam int AW = $clog2(Ports + 2),
  localparam int Queues = Ports * Classes,
  /// Bits of a gate {position, b, a, mode}.
  localparam int GateW = 11 + Ports
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     c_loop_i,     // in C: the loop-back queue of the tree, else the port
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

  logic [Classes-1:0]        waits, waits_q, coin;
  logic [Classes*EntryW-1:0] heads, heads_q;
  logic [Classes*Ports-1:0]  place;
  logic [GateW-1:0]          gate_q;
  logic                      second, second_q, second_we;
  logic [CW-1:0]             second_class, second_class_q;
  logic [Ports-1:0]          left;
  logic [Ports*CW-1:0]       left_class;

  always_comb begin
    waits        = '0;
    heads        = '0;
    second       = 1'b0;
    second_class = '0;
    for (int p = 0; p < Ports; p++) begin
      if (32'(c_port_i) == p) begin
        waits        = waits_i[p*Classes +: Classes];
        heads        = heads_i[p*Classes*EntryW +: Classes*EntryW];
        second       = left[p];
        second_class = left_class[p*CW +: CW];
      end
    end
    if (c_loop_i) begin
      waits[0]           = loop_waits_i[c_tree_i];
      heads[0 +: EntryW] = loop_heads_i[c_tree_i*EntryW +: EntryW];
    end
  end

  always_ff @(posedge clk_i) begin
    gate_q         <= gate_i;
    waits_q        <= waits;
    heads_q        <= heads;
    second_q       <= second;
    second_class_q <= second_class;
  end

  // ---- D

  logic          gate_send, gate_second, may_send, sends, gives;
  logic [CW-1:0] gate_class, gate_second_class, chosen;

  for (genvar c = 0; c < Classes; c++) begin : gen_head
    assign coin[c] = heads_q[c*EntryW + AddrW];
    if (Position != 0) begin : gen_place
      assign place[c*Ports +: Ports] = heads_q[c*EntryW + AddrW + 1 +: Ports];
    end else begin : gen_no_place
      assign place[c*Ports +: Ports] = '0;
    end
  end

  always_comb begin
    may_send = 1'b0;
    for (int p = 0; p < Ports; p++) if (32'(d_port_i) == p) may_send = may_send_i[p];
  end

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
    class_o <= gate_class;
    entry_o <= heads_q[chosen*EntryW +: EntryW];
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_second
    logic          left_q;
    logic [CW-1:0] left_class_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) left_q <= 1'b0;
      else if (second_we && 32'(d_port_i) == p) left_q <= gate_second;
    end
    always_ff @(posedge clk_i) begin
      if (second_we && 32'(d_port_i) == p) left_class_q <= gate_second_class;
    end

    assign left[p]                = left_q;
    assign left_class[p*CW +: CW] = left_class_q;
  end

  // ---- P

  always_comb begin
    pop_o      = '0;
    loop_pop_o = '0;
    for (int p = 0; p < Ports; p++)
      for (int c = 0; c < Classes; c++)
        if (send_o && 32'(p_port_i) == p && 32'(class_o) == c) pop_o[p*Classes + c] = 1'b1;
    for (int k = 0; k < Trees; k++) if (loop_o && 32'(p_tree_i) == k) loop_pop_o[k] = 1'b1;
  end

`ifdef FORMAL
  // Proved where the server is used: crl_queue_node.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb if (f_past_valid) a_second_class: assert (!(d_i && second_q) || 32'(second_class_q) < Classes);
`endif

endmodule
