// SPDX-License-Identifier: Apache-2.0
//
// Which ports of a router a row expects words on, and which it sends on.
//
// Timing: combinational. Of the row at a router's row_i in time r+1 words arrive in time r+2 and are on the output links in time r+3.

module crl_row_ports #(
  `include "crl_router_form.svh"
  parameter int Streams = 0,
  parameter int Store = 1,
  `include "crl_row.svh"
  localparam int Places = Lanes << GW
) (
  input  logic [RowW-1:0]  row_i,
  input  logic             arrives_i, // its arrivals play
  input  logic             departs_i, // its departures play
  output logic [Ports-1:0] expects_o,
  output logic [Ports-1:0] sends_o
);

  logic [Lanes-1:0]    exp, ov;
  logic [Lanes*GV-1:0] iport, oport;
  logic [Places-1:0]   exp_at, ov_at;
  logic unused_row; // its other fields, and places beyond the ports
  assign unused_row = &{1'b0, row_i, exp_at, ov_at};

  for (genvar j = 0; j < Lanes; j++) begin : gen_lane
    assign exp[j] = row_i[InAt + j * InFieldsW] && arrives_i;
    assign ov[j]  = row_i[OutAt + j * OutFieldsW] && departs_i;
    if (GW > 0) begin : gen_member
      assign iport[j*GV +: GV] = row_i[InAt + j * InFieldsW + IportAt +: GV];
      assign oport[j*GV +: GV] = row_i[OutAt + j * OutFieldsW + OportAt +: GV];
    end else begin : gen_one_member
      assign {iport[j], oport[j]} = '0;
    end
  end

  crl_port_select #(
    .Lanes(Lanes),
    .GW   (GW)
  ) u_expects (
    .en_i    (exp),
    .member_i(iport),
    .port_o  (exp_at)
  );

  crl_port_select #(
    .Lanes(Lanes),
    .GW   (GW)
  ) u_sends (
    .en_i    (ov),
    .member_i(oport),
    .port_o  (ov_at)
  );

  assign expects_o = exp_at[Ports-1:0];
  assign sends_o   = ov_at[Ports-1:0];

endmodule
