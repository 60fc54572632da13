// SPDX-License-Identifier: Apache-2.0
//
// Hears flits on one wire, as crl_wire_tx sends them, by a clock of about the same rate: four samples a bit, counted anew from every edge.
//
// Who takes another bit for the start bit hears damaged flits until the wire rests, which is for as long as a frame takes: what he hears ends in
// the rest, and the edge behind it is a start bit.
//
// Timing: a flit is at flit_o in the one cycle with flit_valid_o, six to seven cycles after its last bit began.

module crl_wire_rx #(
  /// Bits of a flit.
  parameter int FlitW = 33
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             wire_i,      // of another clock
  output logic             flit_valid_o,
  output logic             flit_good_o,
  output logic [FlitW-1:0] flit_o
);

  localparam int FrameW = 1 + FlitW + 16;
  localparam int CountW = $clog2(FrameW);

  logic [2:0]        wire_q; // the last of three is compared with the one before it
  logic [1:0]        phase_q; // cycles since the last edge, modulo four
  logic [CountW-1:0] count_q; // bits of a frame
  logic [FlitW-1:0]  flit_q;
  logic [15:0]       check_q;
  logic              hears_q, over_q, valid_q, good_q, in_flit_q;
  logic              edge_seen, sample, turns, last;

  assign edge_seen    = wire_q[2] != wire_q[1];
  assign sample       = phase_q == 2'd1 && !edge_seen;
  assign last         = count_q == CountW'(FrameW - 1);
  assign turns        = check_q[15] ^ wire_q[1];
  assign flit_valid_o = valid_q;
  assign flit_good_o  = good_q;
  assign flit_o       = flit_q;

  always_ff @(posedge clk_i) begin
    wire_q <= {wire_q[1:0], wire_i};
    if (!rst_ni || edge_seen) phase_q <= 2'd1;
    else phase_q <= phase_q + 1'b1;
  end

  // The bit that is sampled first is the start bit.
  always_ff @(posedge clk_i) begin
    if (!hears_q) count_q <= '0;
    else if (sample) count_q <= count_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      hears_q <= 1'b0;
      over_q  <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      hears_q <= hears_q ? !(sample && last) : edge_seen;
      over_q  <= hears_q && sample && last;
      valid_q <= over_q;
    end
  end

  always_ff @(posedge clk_i) begin
    good_q <= check_q == '0;
    if (!hears_q) in_flit_q <= 1'b1;
    else if (sample && count_q == CountW'(FlitW)) in_flit_q <= 1'b0;
    if (hears_q && sample) begin
      if (count_q == '0) check_q <= '1;
      else check_q <= {check_q[14:0], 1'b0} ^ (turns ? 16'h0019 : 16'h0000);
      if (in_flit_q) flit_q <= FlitW'({flit_q, wire_q[1]});
    end
  end

endmodule
