// SPDX-License-Identifier: Apache-2.0
//
// Turns the lanes' choices into one bit a port: port m * Lanes + j is member m of lane j's group.
//
// Timing: combinational.

module crl_port_select #(
  /// Lanes that choose.
  parameter int Lanes = 4,
  /// Bits of a lane's choice; 0: each lane has one port.
  parameter int GW = 0,
  /// Bits of the choice on the port list.
  localparam int MemberW = (GW > 0) ? GW : 1,
  /// Port numbers that can be named. It can exceed the router's ports; the caller drops the rest.
  localparam int Places = Lanes << GW
) (
  input  logic [Lanes-1:0]         en_i,
  input  logic [Lanes*MemberW-1:0] member_i,
  output logic [Places-1:0]         port_o
);

  if (GW == 0) begin : gen_direct
    logic unused_member;
    assign unused_member = &{1'b0, member_i};
    assign port_o = en_i;
  end else begin : gen_decode
    for (genvar p = 0; p < Places; p++) begin : gen_port
      assign port_o[p] = en_i[p % Lanes] && member_i[(p % Lanes) * MemberW +: MemberW] == MemberW'(p / Lanes);
    end
  end

endmodule
