// SPDX-License-Identifier: Apache-2.0
//
// A floating-point number of 16 bits as one of IEEE 754 binary32, exactly.
//
// Timing: combinational.

module crl_float_widen #(
  /// Bits of the exponent: 8 is bf16, 5 fp16 (IEEE 754 binary16).
  parameter int Exp = 8
) (
  input  logic [15:0] half_i,
  output logic [31:0] float_o
);

  if (Exp == 8) begin : gen_bf16
    assign float_o = {half_i, 16'd0};
  end else if (Exp == 5) begin : gen_fp16
    // A subnormal number is to the left as far as there are zeros, and one more: its highest bit is hidden then.
    logic [3:0] left;
    logic [9:0] fraction;
    logic       low, high, zero;

    always_comb begin
      left = 4'd0;
      for (int i = 0; i < 10; i++) if (half_i[i]) left = 4'(10 - i);
    end

    assign low      = half_i[14:10] == '0;
    assign high     = half_i[14:10] == '1;
    assign zero     = low && half_i[9:0] == '0;
    assign fraction = low ? half_i[9:0] << left : half_i[9:0];
    assign float_o  = {half_i[15], zero ? 8'd0 : high ? 8'hff : 8'(half_i[14:10]) + (low ? 8'd113 - 8'(left) : 8'd112), fraction, 13'd0};
  end else begin : gen_bad_exp
    crl_error_exp_must_be_8_or_5 u_error ();
  end

endmodule
