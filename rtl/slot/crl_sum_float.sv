// SPDX-License-Identifier: Apache-2.0
//
// Adds two numbers of IEEE 754 binary32, rounded to nearest, ties to even; subnormal numbers are numbers like others, and
// all results that are none have the same bits.
//
// Timing: combinational; with Stages 1 the sum is there six cycles in which en_i is 1 later.

module crl_sum_float #(
  /// 1: registers between the parts.
  parameter int Stages = 0
) (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic        alone_i,  // a_i is the negative zero: the sum has the bits of b_i, also where that is no number
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] sum_o
);

  localparam logic [31:0] NotANumber = 32'h7fc00000;

  // The operand of the greater magnitude, and the other one.
  logic [31:0] larger, lesser;
  logic        alone;

  crl_delay #(
    .Width (65),
    .Stages(Stages)
  ) u_ordered (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   ({alone_i, (a_i[30:0] < b_i[30:0]) ? {b_i, a_i} : {a_i, b_i}}),
    .q_o   ({alone, larger, lesser})
  );

  // The lowest exponent stands for two: without the hidden bit it means the same as the next.
  logic [7:0] larger_exp, lesser_exp, distance;
  logic       subtract, special, valid;

  assign larger_exp = (larger[30:23] == '0) ? 8'd1 : larger[30:23];
  assign lesser_exp = (lesser[30:23] == '0) ? 8'd1 : lesser[30:23];
  assign distance   = larger_exp - lesser_exp;
  assign subtract   = larger[31] ^ lesser[31];

  // Infinity stays, unless the other one is its opposite, or not a number.
  assign special = larger[30:23] == 8'hff;
  assign valid   = alone || (larger[22:0] == '0 && !(lesser[30:23] == 8'hff && subtract));

  // A shift of more than 31 moves everything behind the bits that count, as one of 31 does.
  logic [4:0]  by;
  logic [23:0] lesser_number, number, number_q;
  logic [7:0]  exp_far, exp_q;
  logic        subtract_far, subtract_q, sign_far, sign_q, special_far, special_q, valid_far, valid_q, alone_far, alone_q;

  crl_delay #(
    .Width (66),
    .Stages(Stages)
  ) u_far (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   ({(distance > 8'd31) ? 5'd31 : distance[4:0], lesser[30:23] != '0, lesser[22:0], larger[30:23] != '0, larger[22:0], larger_exp,
             subtract, larger[31], special, valid, alone}),
    .q_o   ({by, lesser_number, number, exp_far, subtract_far, sign_far, special_far, valid_far, alone_far})
  );

  // Three more bits: two that are rounded off, and one that says whether anything was behind them.
  logic [50:0] shifted;
  logic [26:0] aligned;

  assign shifted = {lesser_number, 27'd0} >> by;

  crl_delay #(
    .Width (64),
    .Stages(Stages)
  ) u_aligned (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   ({shifted[50:25], shifted[24:0] != '0, number, exp_far, subtract_far, sign_far, special_far, valid_far, alone_far}),
    .q_o   ({aligned, number_q, exp_q, subtract_q, sign_q, special_q, valid_q, alone_q})
  );

  // One adder: what is subtracted is inverted, and one is carried in.
  // And how far a sum can go to the left: to the lowest exponent.
  logic [27:0] total, stop;
  logic [7:0]  total_exp;
  logic        total_subtract, total_sign, total_special, total_valid, total_alone;

  crl_delay #(
    .Width (69),
    .Stages(Stages)
  ) u_total (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   ({{1'b0, number_q, 3'd0} + ({28{subtract_q}} ^ {1'b0, aligned}) + 28'(subtract_q), 28'h8000000 >> 8'(exp_q - 8'd1), exp_q, subtract_q, sign_q, special_q, valid_q,
             alone_q}),
    .q_o   ({total, stop, total_exp, total_subtract, total_sign, total_special, total_valid, total_alone})
  );

  // To the left as far as there are zeros. Opposite numbers make a zero without a sign.
  logic [4:0]  left;
  logic [27:0] sum;
  logic [7:0]  exp;
  logic        sign, is_special, is_valid, is_alone;

  // By fours, from the left: in which is a one, and where in it.
  logic [27:0] searched;
  logic [2:0]  fours;
  logic [2:0]  four; // but the last of it

  assign searched = {total[26:0], 1'b1} | stop;

  always_comb begin
    fours = 3'd6;
    for (int i = 0; i < 7; i++) if (searched[4*i +: 4] != '0) fours = 3'(6 - i);
  end

  assign four = 3'(searched >> {3'd6 - fours, 2'd1});

  crl_delay #(
    .Width (45),
    .Stages(Stages)
  ) u_left (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   ({fours, four[2] ? 2'd0 : four[1] ? 2'd1 : four[0] ? 2'd2 : 2'd3, total, total_exp,
             total_sign && !(total_subtract && total == '0), total_special, total_valid, total_alone}),
    .q_o   ({left, sum, exp, sign, is_special, is_valid, is_alone})
  );

  logic [26:0] normal;
  logic [25:0] normal_q;
  logic [7:0]  exponent, exponent_q;
  logic        end_sign, end_special, end_valid, end_alone;

  assign normal   = sum[27] ? {sum[27:2], sum[1] | sum[0]} : sum[26:0] << left;
  assign exponent = sum[27] ? exp + 8'd1 : normal[26] ? exp - 8'(left) : 8'd0;

  crl_delay #(
    .Width (38),
    .Stages(Stages)
  ) u_normal (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   ({normal[25:0], exponent, sign, is_special, is_valid, is_alone}),
    .q_o   ({normal_q, exponent_q, end_sign, end_special, end_valid, end_alone})
  );

  // Rounding up may carry into the exponent, up to that of infinity, whose other bits are then zero.
  logic        up;
  logic [30:0] rounded;

  assign up      = normal_q[2] && (normal_q[3] || normal_q[1:0] != '0);
  assign rounded = (end_special || exponent_q == 8'hff) ? {8'hff, end_alone ? normal_q[25:3] : 23'd0} : {exponent_q, normal_q[25:3]} + 31'(up);
  assign sum_o   = (end_special && !end_valid) ? NotANumber : {end_sign, rounded};

endmodule
