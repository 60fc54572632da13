// SPDX-License-Identifier: Apache-2.0
//
// Input lanes of a router: each listens to one port of its group. With sums the own words of streams come with them.
//
// Timing: lane_o follows link_data_i and iport_i at once; terms_o has own words that were taken at the edge before.

module crl_input #(
  /// Link ports of the router.
  parameter int Ports = 4,
  /// Input lanes.
  parameter int Lanes = 4,
  /// Own words, at least Lanes where they are terms.
  parameter int Banks = 4,
  /// Bits of a word.
  parameter int DataW = 16,
  /// 1: own words are terms of sums, too.
  parameter int OwnTerms = 0,
  /// Bits that name a member of a lane's port group.
  localparam int GroupW = $clog2((Ports + Lanes - 1) / Lanes),
  localparam int GV = (GroupW > 0) ? GroupW : 1,
  /// What a bank can add up.
  localparam int Terms = Lanes * (1 + OwnTerms)
) (
  input  logic                   clk_i,
  input  logic                   en_i,

  input  logic [Ports*DataW-1:0] link_data_i,
  input  logic [Lanes*GV-1:0]    iport_i,
  input  logic [Banks*DataW-1:0] own_data_i,
  output logic [Lanes*DataW-1:0] lane_o,
  output logic [Terms*DataW-1:0] terms_o      // own words first
);

  for (genvar j = 0; j < Lanes; j++) begin : gen_lane
    localparam int Members = (Ports - j + Lanes - 1) / Lanes;
    localparam int SelW    = (Members > 1) ? $clog2(Members) : 1;

    logic [Members*DataW-1:0] words;

    for (genvar m = 0; m < Members; m++) begin : gen_member
      assign words[m*DataW +: DataW] = link_data_i[(m * Lanes + j) * DataW +: DataW];
    end

    crl_mux #(
      .N    (Members),
      .DataW(DataW)
    ) u_mux (
      .data_i(words),
      .sel_i (iport_i[j*GV +: SelW]),
      .data_o(lane_o[j*DataW +: DataW])
    );
  end

  if (OwnTerms != 0) begin : gen_own
    logic [Lanes*DataW-1:0] own_q;
    always_ff @(posedge clk_i) if (en_i) own_q <= own_data_i[Lanes*DataW-1:0];
    assign terms_o = {lane_o, own_q};
  end else begin : gen_none
    assign terms_o = lane_o;
  end

  // What these parameters leave out.
  logic unused;
  assign unused = &{1'b0, clk_i, en_i, iport_i, own_data_i};

endmodule
