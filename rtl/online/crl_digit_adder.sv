// SPDX-License-Identifier: Apache-2.0
//
// Adds two numbers whose digits have bases of their own: digit i counts from 0 to last i, and carries into digit i + 1.
// Combinational.

module crl_digit_adder #(
  /// Digits of a number.
  parameter int Digits = 2,
  /// Bits of a digit.
  parameter int DigitW = 4
) (
  input  logic [Digits*DigitW-1:0] last_i,  // of each digit, 1 or more
  input  logic [Digits*DigitW-1:0] a_i,
  input  logic [Digits*DigitW-1:0] b_i,
  output logic [Digits*DigitW-1:0] sum_o,
  output logic                     carry_o  // out of the highest digit
);

  logic [DigitW:0]   plain;
  logic [DigitW-1:0] over;
  logic              carry;
  always_comb begin
    carry = 1'b0;
    sum_o = '0;
    plain = '0;
    over  = '0;
    for (int i = 0; i < Digits; i++) begin
      plain = {1'b0, a_i[i*DigitW +: DigitW]} + {1'b0, b_i[i*DigitW +: DigitW]} + (DigitW+1)'(carry);
      over  = DigitW'(plain) - last_i[i*DigitW +: DigitW] - 1'b1;
      carry = plain > {1'b0, last_i[i*DigitW +: DigitW]};
      sum_o[i*DigitW +: DigitW] = carry ? over : DigitW'(plain);
    end
    carry_o = carry;
  end

`ifdef FORMAL
  // The same as numbers, of any digits.
  localparam int F = Digits * DigitW + 2;
  logic [F-1:0] f_a, f_b, f_sum, f_weight;
  logic         f_fit, f_digits;
  always_comb begin
    f_a      = '0;
    f_b      = '0;
    f_sum    = '0;
    f_weight = F'(1);
    f_fit    = 1'b1;
    f_digits = 1'b1;
    for (int i = 0; i < Digits; i++) begin
      f_a      = f_a + f_weight * F'(a_i[i*DigitW +: DigitW]);
      f_b      = f_b + f_weight * F'(b_i[i*DigitW +: DigitW]);
      f_sum    = f_sum + f_weight * F'(sum_o[i*DigitW +: DigitW]);
      f_fit    = f_fit && a_i[i*DigitW +: DigitW] <= last_i[i*DigitW +: DigitW] &&
                 b_i[i*DigitW +: DigitW] <= last_i[i*DigitW +: DigitW];
      f_digits = f_digits && sum_o[i*DigitW +: DigitW] <= last_i[i*DigitW +: DigitW];
      f_weight = f_weight * (F'(last_i[i*DigitW +: DigitW]) + 1'b1);
    end
    if (carry_o) f_sum = f_sum + f_weight;
`ifdef FORMAL_TOP_crl_digit_adder
    assume (f_fit);
`endif
    if (f_fit) begin
      a_sum: assert (f_sum == f_a + f_b);
      a_digits: assert (f_digits);
      c_carry: cover (carry_o && sum_o != '0);
    end
  end
`endif

endmodule
