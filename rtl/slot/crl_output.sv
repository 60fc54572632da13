// SPDX-License-Identifier: Apache-2.0
//
// Output registers of the links: one data register a lane, shared by the ports of its group, one valid bit a port.
//
// Timing: inputs are sampled at an edge, the word is on the link after it.

module crl_output #(
  /// Link ports of the router.
  parameter int Ports = 4,
  /// Sends per cycle.
  parameter int Lanes = 4,
  /// Bits of a word.
  parameter int DataW = 16,
  /// Bits that name a member of a lane's port group.
  localparam int GW = $clog2((Ports + Lanes - 1) / Lanes),
  /// The same on the port list.
  localparam int MemberW = (GW > 0) ? GW : 1
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     en_i,     // 0: words stay on the links for a cycle more; 1 while in reset

  input  logic [Lanes-1:0]         ov_i,     // 0 when no row acts
  input  logic [Lanes*MemberW-1:0] oport_i,
  input  logic [Lanes*DataW-1:0]   data_i,

  output logic [Ports-1:0]         link_valid_o,
  output logic [Ports*DataW-1:0]   link_data_o
);

  localparam int Places = Lanes << GW;

  logic [Places-1:0]      send;
  logic [Ports-1:0]       valid_q;
  logic [Lanes*DataW-1:0] data_q;

  crl_port_select #(
    .Lanes(Lanes),
    .GW   (GW)
  ) u_send (
    .en_i    (ov_i),
    .member_i(oport_i),
    .port_o  (send)
  );

  if (Places > Ports) begin : gen_no_port
    logic unused_send;
    assign unused_send = &{1'b0, send[Places-1:Ports]};
  end

  always_ff @(posedge clk_i) if (en_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= send[Ports-1:0];
  end

  // Data needs no select: it counts only with a valid bit.
  always_ff @(posedge clk_i) if (en_i) data_q <= data_i;

  assign link_valid_o = valid_q;

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign link_data_o[p*DataW +: DataW] = data_q[(p % Lanes) * DataW +: DataW];
  end

endmodule
