// SPDX-License-Identifier: Apache-2.0
//
// A number of IEEE 754 binary32 in 16 bits, rounded to nearest, ties to even; all that are none have the same bits.
//
// Timing: combinational.

module crl_float_narrow #(
  /// Bits of the exponent: 8 is bf16, 5 fp16 (IEEE 754 binary16).
  parameter int Exp = 8
) (
  input  logic [31:0] float_i,
  output logic [15:0] half_o
);

  logic nan, up;
  assign nan = float_i[30:23] == '1 && float_i[22:0] != '0;

  // Rounding up may carry into the exponent, up to that of infinity.
  if (Exp == 8) begin : gen_bf16
    assign up     = float_i[15] && (float_i[16] || float_i[14:0] != '0);
    assign half_o = nan ? 16'h7fc0 : float_i[31:16] + 16'(up);
  end else if (Exp == 5) begin : gen_fp16
    // What is below the least normal number moves to the right until its exponent is that of the subnormal ones; of what is moved
    // by 12 nothing is left that rounds up.
    logic [7:0]  exponent;
    logic [3:0]  distance;
    logic [35:0] shifted;
    logic [14:0] number;

    assign exponent = float_i[30:23];
    assign distance = (exponent >= 8'd113) ? 4'd0 : (exponent > 8'd101) ? 4'(8'd113 - exponent) : 4'd12;
    assign shifted  = {1'b1, float_i[22:0], 12'd0} >> distance;
    assign up       = shifted[24] && (shifted[25] || shifted[23:0] != '0);
    assign number   = {(exponent > 8'd113) ? 5'(exponent - 8'd113) : 5'd0, 10'd0} + 15'(shifted[35:25]) + 15'(up);
    assign half_o   = nan ? 16'h7e00 : {float_i[31], (exponent > 8'd142) ? 15'h7c00 : number};
  end else begin : gen_bad_exp
    crl_error_exp_must_be_8_or_5 u_error ();
  end

endmodule
