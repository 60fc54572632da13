// SPDX-License-Identifier: Apache-2.0
//
// Stage D of crl_queue_node: what the port or loop-back queue that is there gives away, if anything. The only state is what
// a coin leaves for the second of its two slots.

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

  input  logic                     busy_i,       // something is here:
  input  logic                     loop_i,       // 1: the loop-back queue of the tree, 0: the port
  input  logic [TW-1:0]            tree_i,
  input  logic [AW-1:0]            port_i,
  input  logic [GateW-1:0]         gate_i,
  input  logic [Ports-1:0]         may_send_i,   // ports that may send at all

  input  logic [Queues*EntryW-1:0] heads_i,      // of crl_queue_fifos
  input  logic [Queues-1:0]        waits_i,
  input  logic [Trees*EntryW-1:0]  loop_heads_i,
  input  logic [Trees-1:0]         loop_waits_i,

  output logic                     send_o,       // the port sends from the queue of
  output logic [CW-1:0]            class_o,
  output logic                     loop_o,       // the loop-back queue gives its head
  output logic [EntryW-1:0]        entry_o,      // what is sent or given
  output logic [Queues-1:0]        pop_o,
  output logic [Trees-1:0]         loop_pop_o
);

  logic [Classes-1:0]        waits, coin;
  logic [Classes*EntryW-1:0] heads;
  logic [Classes*Ports-1:0]  place;
  logic                      gate_send, gate_second, second, second_we, may_send;
  logic [CW-1:0]             gate_second_class, second_class;
  logic [Ports-1:0]          second_q;
  logic [Ports*CW-1:0]       second_class_q;

  always_comb begin
    waits        = '0;
    heads        = '0;
    second       = 1'b0;
    second_class = '0;
    may_send     = 1'b1;
    for (int p = 0; p < Ports; p++) begin
      if (32'(port_i) == p) begin
        waits        = waits_i[p*Classes +: Classes];
        heads        = heads_i[p*Classes*EntryW +: Classes*EntryW];
        second       = second_q[p];
        second_class = second_class_q[p*CW +: CW];
        may_send     = may_send_i[p];
      end
    end
  end

  for (genvar c = 0; c < Classes; c++) begin : gen_head
    assign coin[c] = heads[c*EntryW + AddrW];
    if (Position != 0) begin : gen_place
      assign place[c*Ports +: Ports] = heads[c*EntryW + AddrW + 1 +: Ports];
    end else begin : gen_no_place
      assign place[c*Ports +: Ports] = '0;
    end
  end

  crl_gate #(
    .Ports  (Ports),
    .Classes(Classes)
  ) u_gate (
    .mode_i        (gate_i[2:0]),
    .a_i           (gate_i[6:3]),
    .b_i           (gate_i[10:7]),
    .position_i    (gate_i[11 +: Ports]),
    .waits_i       (waits),
    .coin_i        (coin),
    .place_i       (place),
    .second_i      (second),
    .second_class_i(second_class),
    .send_o        (gate_send),
    .class_o       (class_o),
    .second_o      (gate_second),
    .second_class_o(gate_second_class)
  );

  assign send_o    = busy_i && !loop_i && gate_send && may_send;
  assign second_we = busy_i && !loop_i && (gate_i[2:0] == 3'd2 || gate_i[2:0] == 3'd3);
  assign loop_o    = busy_i && loop_i && gate_i[0] && loop_waits_i[tree_i];
  assign entry_o   = loop_i ? loop_heads_i[tree_i*EntryW +: EntryW] : heads[class_o*EntryW +: EntryW];

  for (genvar p = 0; p < Ports; p++) begin : gen_second
    always_ff @(posedge clk_i) begin
      if (!rst_ni) second_q[p] <= 1'b0;
      else if (second_we && 32'(port_i) == p) second_q[p] <= gate_second;
    end
    always_ff @(posedge clk_i) begin
      if (second_we && 32'(port_i) == p) second_class_q[p*CW +: CW] <= gate_second_class;
    end
  end

  always_comb begin
    pop_o      = '0;
    loop_pop_o = '0;
    for (int p = 0; p < Ports; p++)
      for (int c = 0; c < Classes; c++)
        if (send_o && 32'(port_i) == p && 32'(class_o) == c) pop_o[p*Classes + c] = 1'b1;
    for (int k = 0; k < Trees; k++) if (loop_o && 32'(tree_i) == k) loop_pop_o[k] = 1'b1;
  end

`ifdef FORMAL
  // Proved where the server is used: crl_queue_node.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb if (f_past_valid) a_second_class: assert (!second || 32'(second_class) < Classes);
`endif

endmodule
