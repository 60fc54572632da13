// SPDX-License-Identifier: Apache-2.0
//
// Sends flits on one wire, each behind an edge and with a check of 16 bits, four cycles a bit.
//
// A frame is a start bit, which is the other level than the bit before it, the flit from its highest bit on, and its check, that of
// crl_flit_check. Behind a flit without a word, whose highest bit is 0, the wire rests for as long as a frame takes, so that who has lost his place finds it.
//
// Timing: flit_take_o takes the flit at flit_i; its start bit begins a cycle later.

module crl_wire_tx #(
  /// Bits of a flit.
  parameter int FlitW = 33
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [FlitW-1:0] flit_i,
  output logic             flit_take_o,
  output logic             wire_o
);

  localparam int FrameW = 1 + FlitW + 16;
  localparam int CountW = $clog2(FrameW);

  logic [1:0]        phase_q;
  logic [CountW-1:0] count_q; // bits of this frame, or this rest, before the one on the wire
  logic [FlitW-1:0]  flit_q;
  logic [15:0]       check_q;
  logic              wire_q, word_q, rests_q, data_q; // of the frame: it has a word; this is the rest behind it; a bit of the flit is next
  logic              step, over, bit_out, turns;

  assign step        = phase_q == 2'd3;
  assign over        = step && count_q == CountW'(FrameW - 1);
  assign flit_take_o = over && (word_q || rests_q);
  assign bit_out     = data_q ? flit_q[FlitW-1] : check_q[15];
  assign turns       = data_q && (check_q[15] ^ flit_q[FlitW-1]);
  assign wire_o      = wire_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) phase_q <= '0;
    else phase_q <= phase_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
      wire_q  <= 1'b0;
      word_q  <= 1'b0;
      rests_q <= 1'b1;
    end else if (step) begin
      count_q <= over ? '0 : count_q + 1'b1;
      if (flit_take_o) wire_q <= !wire_q;
      else if (!over && !rests_q) wire_q <= bit_out;
      if (over) rests_q <= !(word_q || rests_q);
      if (flit_take_o) word_q <= flit_i[FlitW-1];
    end
  end

  always_ff @(posedge clk_i) if (step) begin
    if (over) data_q <= 1'b1;
    else if (count_q == CountW'(FlitW - 1)) data_q <= 1'b0;
    if (over) check_q <= '1;
    else check_q <= {check_q[14:0], 1'b0} ^ (turns ? 16'h0019 : 16'h0000);
    flit_q <= over ? flit_i : flit_q << 1;
  end

endmodule
