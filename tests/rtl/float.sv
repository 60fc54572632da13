// SPDX-License-Identifier: Apache-2.0
//
// Compares the adder of floating-point numbers with lines of operands and sum, those of float.c.
module float;
  reg [95:0] line;
  integer file, lines, wrong;
  wire [31:0] sum;

  crl_sum_float u_add (
    .a_i  (line[95:64]),
    .b_i  (line[63:32]),
    .sum_o(sum)
  );

  initial begin
    file = $fopen("vectors", "r");
    lines = 0;
    wrong = 0;
    while ($fscanf(file, "%h\n", line) == 1) begin
      #1;
      lines = lines + 1;
      if (sum !== line[31:0]) begin
        wrong = wrong + 1;
        if (wrong < 10) $display("%h + %h is %h, but must be %h", line[95:64], line[63:32], sum, line[31:0]);
      end
    end
    $display("%0d sums, %0d wrong", lines, wrong);
    $finish;
  end
endmodule
