// SPDX-License-Identifier: Apache-2.0
//
// Adds two numbers of IEEE 754 binary32, rounded to nearest, ties to even; subnormal numbers are numbers like others, and
// all results that are none have the same bits.
//
// Timing: combinational.

module crl_sum_float (
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] sum_o
);

  localparam logic [31:0] NotANumber = 32'h7fc00000;

  // The operand of the greater magnitude, and the other one. The lowest exponent stands for two: without the hidden bit
  // it means the same as the next.
  logic [31:0] larger, lesser;
  logic [7:0]  larger_exp, lesser_exp, distance;
  logic        subtract;

  assign {larger, lesser} = (a_i[30:0] < b_i[30:0]) ? {b_i, a_i} : {a_i, b_i};
  assign larger_exp      = (larger[30:23] == '0) ? 8'd1 : larger[30:23];
  assign lesser_exp    = (lesser[30:23] == '0) ? 8'd1 : lesser[30:23];
  assign distance     = larger_exp - lesser_exp;
  assign subtract     = larger[31] ^ lesser[31];

  // Three more bits: two that are rounded off, and one that says whether anything was behind them. A shift of more than
  // 31 moves everything behind them, as one of 31 does.
  logic [50:0] shifted;
  logic [26:0] aligned;
  logic [27:0] total;

  assign shifted = {lesser[30:23] != '0, lesser[22:0], 27'd0} >> ((distance > 8'd31) ? 5'd31 : distance[4:0]);
  assign aligned = {shifted[50:25], shifted[24:0] != '0};

  // One adder: what is subtracted is inverted, and one is carried in.
  assign total = {1'b0, larger[30:23] != '0, larger[22:0], 3'd0} + ({28{subtract}} ^ {1'b0, aligned}) + 28'(subtract);

  // To the left as far as there are zeros, and no farther than to the lowest exponent.
  logic [4:0]  zeros, left;
  logic [26:0] normal;
  logic [7:0]  exponent;

  always_comb begin
    zeros = 5'd27;
    for (int i = 0; i < 27; i++) if (total[i]) zeros = 5'(26 - i);
  end

  assign left     = (8'(zeros) < larger_exp) ? zeros : 5'(larger_exp - 8'd1);
  assign normal   = total[27] ? {total[27:2], total[1] | total[0]} : total[26:0] << left;
  assign exponent = total[27] ? larger_exp + 8'd1 : normal[26] ? larger_exp - 8'(left) : 8'd0;

  // Rounding up may carry into the exponent, up to that of infinity, whose other bits are then zero.
  logic        up;
  logic [30:0] rounded;

  assign up      = normal[2] && (normal[3] || normal[1:0] != '0);
  assign rounded = (exponent == 8'hff) ? {8'hff, 23'd0} : {exponent, normal[25:3]} + 31'(up);

  // Infinity stays, unless the other one is its opposite, or not a number. Opposite numbers make a zero without a sign.
  logic special, valid;

  assign special = larger[30:23] == 8'hff;
  assign valid   = larger[22:0] == '0 && !(lesser[30:23] == 8'hff && subtract);
  assign sum_o   = !special ? {larger[31] && !(subtract && total == '0), rounded} : valid ? larger : NotANumber;

endmodule
