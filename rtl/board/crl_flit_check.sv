// SPDX-License-Identifier: Apache-2.0
//
// Sixteen bits of CRC behind each flit of a cable (polynomial 0019 from ffff on, highest bit first), for transceivers that carry it as it is.
//
// Timing: what is sent comes out two steps later, a step being a cycle with flit_take_i; what is heard two cycles later, with
// whether it is good.

module crl_flit_check #(
  /// Bits of a flit without its check.
  parameter int FlitW = 33
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [FlitW-1:0]    flit_i,        // from the cable, which gives another one after a cycle with flit_take_i
  input  logic                flit_take_i,
  output logic                sealed_valid_o,
  output logic [FlitW+16-1:0] sealed_o,

  input  logic                sealed_valid_i,
  input  logic [FlitW+16-1:0] sealed_i,
  output logic                flit_valid_o,
  output logic                flit_good_o,
  output logic [FlitW-1:0]    flit_o
);

  function automatic logic [15:0] check(input logic [FlitW-1:0] flit);
    check = '1;
    for (int i = FlitW - 1; i >= 0; i--) check = {check[14:0], 1'b0} ^ ((check[15] ^ flit[i]) ? 16'h0019 : 16'h0000);
  endfunction

  logic [FlitW-1:0]    bare_q;
  logic [FlitW+16-1:0] sealed_q;
  logic [1:0]          valid_q;

  assign sealed_valid_o = valid_q[1];
  assign sealed_o       = sealed_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else if (flit_take_i) valid_q <= {valid_q[0], 1'b1};
    if (flit_take_i) begin
      bare_q   <= flit_i;
      sealed_q <= {bare_q, check(bare_q)};
    end
  end

  logic [FlitW-1:0] heard_q, judged_q;
  logic [15:0]      wrong_q;
  logic             heard_valid_q, judged_valid_q, good_q;

  assign flit_valid_o = judged_valid_q;
  assign flit_good_o  = good_q;
  assign flit_o       = judged_q;

  always_ff @(posedge clk_i) begin
    heard_valid_q  <= rst_ni && sealed_valid_i;
    heard_q        <= sealed_i[FlitW+16-1:16];
    wrong_q        <= check(sealed_i[FlitW+16-1:16]) ^ sealed_i[15:0];
    judged_valid_q <= rst_ni && heard_valid_q;
    judged_q       <= heard_q;
    good_q         <= wrong_q == '0;
  end

endmodule
