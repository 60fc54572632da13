// SPDX-License-Identifier: Apache-2.0
//
// The network of a board of on-line routers: a ring of crl_online_node, and what each slot did.
//
// Timing: as crl_live_queue, without own packets. Registers are loaded while nothing plays, the low half first; start_i, a
// pulse, starts a run. held_o follows held_i two clocks later. record_i is {node, which}: 0 {fault, busy, phase, sent}, 1 + p
// the word on port p, {tag, origin, payload}. held_i is {node, memory, place}; held_o {there is one, origin, payload}.

module crl_live_online #(
  /// Nodes of the ring: a power of two.
  parameter int Nodes = 8,
  /// Bits of a payload.
  parameter int DataW = 8,
  localparam int DigitW = $clog2(Nodes),
  localparam int WordW = 2 * DigitW + DataW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              ready_o,

  input  logic              load_we_i,     // {node, register, half}
  input  logic [DigitW+6:0] load_addr_i,
  input  logic [15:0]       load_data_i,
  input  logic              start_i,

  input  logic              slot_i,

  input  logic [DigitW+1:0] record_i,
  output logic [15:0]       record_o,
  input  logic [DigitW+5:0] held_i,
  output logic [15:0]       held_o,
  output logic              fault_o
);

  if (WordW > 16) begin : gen_bad_width
    crl_error_a_word_must_fit_16_bits u_error ();
  end

  logic [Nodes-1:0]          ready, faults;
  logic [Nodes*2-1:0]        valid;
  logic [Nodes*2*WordW-1:0]  data;
  logic [Nodes*4*16-1:0]     record;
  logic [Nodes*16-1:0]       held;
  logic [15:0]               low_q;

  assign ready_o  = ready[0];  // all nodes are at the same stage
  assign fault_o  = |faults;
  assign record_o = record[record_i*16 +: 16];
  always_ff @(posedge clk_i) held_o <= held[held_i[6 +: DigitW]*16 +: 16];
  always_ff @(posedge clk_i) if (load_we_i && !load_addr_i[0]) low_q <= load_data_i;

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    localparam int Below = (v + Nodes - 1) % Nodes;
    localparam int Above = (v + 1) % Nodes;

    logic                    busy, read_valid, unused_begins;
    logic [1:0]              phase;
    logic [0:0]              unused_step;
    logic [DigitW+DataW-1:0] read_data;

    crl_online_node #(
      .Dims   (1),
      .DigitW (DigitW),
      .DataW  (DataW),
      .Depth  (Nodes),
      .Waiting(0)
    ) u_node (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .start_i     (start_i),
      .slot_i      (slot_i),
      .ready_o     (ready[v]),
      .busy_o      (busy),
      .load_we_i   (load_we_i && load_addr_i[0] && load_addr_i[7 +: DigitW] == DigitW'(v)),
      .load_addr_i (16'(load_addr_i[6:1])),
      .load_data_i ({load_data_i, low_q}),
      .give_valid_i(1'b0),
      .give_data_i ('0),
      .begins_o    (unused_begins),
      .phase_o     (phase),
      .step_o      (unused_step),
      .link_valid_i({valid[Above*2 + 1], valid[Below*2]}),
      .link_data_i ({data[(Above*2 + 1)*WordW +: WordW], data[Below*2*WordW +: WordW]}),
      .link_valid_o(valid[v*2 +: 2]),
      .link_data_o (data[v*2*WordW +: 2*WordW]),
      .read_sel_i  (16'(held_i[5:4])),
      .read_addr_i (16'(held_i[3:0])),
      .read_valid_o(read_valid),
      .read_data_o (read_data),
      .fault_o     (faults[v])
    );

    assign record[v*64 +: 64] = {16'b0, 16'(data[(2*v + 1)*WordW +: WordW]), 16'(data[2*v*WordW +: WordW]),
                                 10'b0, faults[v], busy, phase, valid[v*2 +: 2]};
    assign held[v*16 +: 16]   = {read_valid, 15'(read_data)};

    logic unused_flags;
    assign unused_flags = &{1'b0, unused_begins, unused_step};
  end

  logic unused_ready;
  assign unused_ready = &{1'b0, ready};

endmodule
