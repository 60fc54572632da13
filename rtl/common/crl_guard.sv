// SPDX-License-Identifier: Apache-2.0
//
// Compares the words that arrive with those the row expects, at every port in every cycle.
//
// Timing: looks at time r+2 of row r, the time in which the words of its arrivals are on the input links; a fault shows
// after the next edge. A fault in the cycle of clear_i is kept: none is lost.

module crl_guard #(
  /// Link ports of the router.
  parameter int Ports = 4,
  /// Receives per cycle.
  parameter int Lanes = 4,
  /// Rows of the table memory.
  parameter int TableDepth = 256,
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  /// Bits that name a member of a lane's port group.
  localparam int GW = $clog2((Ports + Lanes - 1) / Lanes),
  /// The same on the port list.
  localparam int MemberW = (GW > 0) ? GW : 1
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,

  input  logic [Lanes-1:0]         exp_i,          // 0 when no row acts
  input  logic [Lanes*MemberW-1:0] iport_i,
  input  logic                     active_i,
  input  logic [TA-1:0]            row_i,
  input  logic [Ports-1:0]         link_valid_i,

  output logic [2:0]               fault_o,        // 0 missing, 1 unexpected, 2 overrun
  output logic [Ports-1:0]         fault_ports_o,  // ports of the first fault; says nothing while fault_o is 0
  output logic [TA-1:0]            fault_row_o     // row of the first fault; says nothing while fault_o is 0
);

  localparam int Places = Lanes << GW;

  logic [Places-1:0] expected, arrived;
  logic             missing, surplus;
  logic [2:0]       fault_d, fault_q;
  logic [Ports-1:0] fault_ports_q;
  logic [TA-1:0]    fault_row_q;

  crl_port_select #(
    .Lanes(Lanes),
    .GW   (GW)
  ) u_expected (
    .en_i    (exp_i),
    .member_i(iport_i),
    .port_o  (expected)
  );

  // No word can come through a port that does not exist, so a row that waits for one is told that it is missing.
  assign arrived = Places'(link_valid_i);

  assign missing = |(expected & ~arrived);
  assign surplus = |(arrived & ~expected);
  assign fault_d = {surplus && !active_i, surplus && active_i, missing};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) fault_q <= '0;
    else fault_q <= (clear_i ? 3'b0 : fault_q) | fault_d;
  end

  // These follow each cycle until a fault holds them: the enable then does not wait for this cycle's verdict.
  always_ff @(posedge clk_i) begin
    if (clear_i || fault_q == '0) begin
      fault_ports_q <= expected[Ports-1:0] ^ link_valid_i;
      fault_row_q   <= row_i;
    end
  end

  assign fault_o       = fault_q;
  assign fault_ports_o = fault_ports_q;
  assign fault_row_o   = fault_row_q;

`ifdef FORMAL
  // The rules again, port by port and without crl_port_select.
  logic             f_past_valid;
  logic [Ports-1:0] f_wanted, f_missing, f_surplus;
  logic             f_nowhere;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb begin
    for (int p = 0; p < Ports; p++)
      f_wanted[p] = exp_i[p % Lanes] && (GW == 0 || 32'(iport_i[(p % Lanes) * MemberW +: MemberW]) == p / Lanes);
    f_missing = f_wanted & ~link_valid_i;
    f_surplus = link_valid_i & ~f_wanted;
    // A row that waits at a port that does not exist.
    f_nowhere = 1'b0;
    for (int j = 0; j < Lanes; j++)
      if (exp_i[j] && GW != 0 && 32'(iport_i[j*MemberW +: MemberW]) * Lanes + j >= Ports) f_nowhere = 1'b1;

    if (!f_past_valid) assume (!rst_ni);
`ifdef FORMAL_TOP_crl_guard
    if (!active_i) assume (exp_i == '0);
`else
    // Proved where the guard is used: crl_node, crl_logp_node.
    if (f_past_valid && !active_i) a_expects_by_row: assert (exp_i == '0);
`endif
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if ($past(rst_ni)) begin
      a_missing: assert (fault_o[0] == (($past(fault_o[0]) && !$past(clear_i)) || $past(f_missing != '0 || f_nowhere)));
      a_unexpected: assert (fault_o[1] == (($past(fault_o[1]) && !$past(clear_i)) || $past(active_i && f_surplus != '0)));
      a_overrun: assert (fault_o[2] == (($past(fault_o[2]) && !$past(clear_i)) || $past(!active_i && f_surplus != '0)));
      a_none_missed: assert (fault_o != '0 || $past(f_surplus == '0 && f_missing == '0));
      if ($past(!clear_i)) a_sticky: assert (($past(fault_o) & ~fault_o) == '0);
      if ($past(!clear_i && fault_o != '0)) begin
        a_first_held: assert (fault_ports_o == $past(fault_ports_o) && fault_row_o == $past(fault_row_o));
      end else begin
        a_first: assert (fault_ports_o == $past(f_missing | f_surplus) && (fault_o == '0 || fault_row_o == $past(row_i)));
      end
    end else begin
      a_reset: assert (fault_o == '0);
    end

    c_all: cover (fault_o == 3'b111 && $past(fault_o, 3) == '0);
    c_clear: cover (fault_o == '0 && $past(fault_o) != '0 && $past(rst_ni));
  end
`endif

endmodule
