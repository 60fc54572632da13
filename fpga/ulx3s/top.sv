// SPDX-License-Identifier: Apache-2.0
//
// An emitted fabric with AXI4-Streams, total exchange on the 4 by 4 torus, on a ULX3S: one pin shifts in what the streams are
// given, another one shifts out what they give. For area and clock rate; a design has its accelerators there.
//
// Timing: load_i in a cycle takes the fabric's outputs, which then leave bit by bit, the highest first.

module top (
  input  logic clk_25mhz,
  input  logic [1:0] btn,   // 0, active low: reset; 1: load
  input  logic gp_in,
  output logic gp_out
);

  localparam int Streams = 16, DataW = 16, NodeW = 4;

  localparam int InW  = Streams * (DataW + 2) + 1;
  localparam int OutW = Streams * (DataW + 3 + 2 * NodeW) + 2;

  logic            rst_q, load_q;
  logic [InW-1:0]  in_q;
  logic [OutW-1:0] out_q, out;

  always_ff @(posedge clk_25mhz) begin
    rst_q  <= btn[0];
    load_q <= btn[1];
    in_q   <= {in_q[InW-2:0], gp_in};
    out_q  <= load_q ? out : {out_q[OutW-2:0], 1'b0};
  end

  assign gp_out = out_q[OutW-1];

  exchange u_exchange (
    .clk_i          (clk_25mhz),
    .rst_ni         (rst_q),
    .start_i        (in_q[InW-1]),
    .busy_o         (out[0]),
    .s_axis_tdata_i (in_q[0 +: Streams*DataW]),
    .s_axis_tvalid_i(in_q[Streams*DataW +: Streams]),
    .s_axis_tready_o(out[2 +: Streams]),
    .s_axis_tdest_o (out[2 + Streams +: Streams*NodeW]),
    .m_axis_tdata_o (out[2 + Streams*(1 + NodeW) +: Streams*DataW]),
    .m_axis_tvalid_o(out[2 + Streams*(1 + NodeW + DataW) +: Streams]),
    .m_axis_tready_i(in_q[Streams*(DataW + 1) +: Streams]),
    .m_axis_tlast_o (out[2 + Streams*(2 + NodeW + DataW) +: Streams]),
    .m_axis_tid_o   (out[2 + Streams*(3 + NodeW + DataW) +: Streams*NodeW]),
    .fault_o        (out[1])
  );

endmodule
