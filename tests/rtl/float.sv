// SPDX-License-Identifier: Apache-2.0
//
// Compares what is done with floating-point numbers with the lines of float_vectors.c.
module float;
  reg [99:0] line;
  integer file, lines, wrong;
  wire [31:0] sum, from_bf16, from_fp16;
  wire [15:0] bf16, fp16;
  reg  [31:0] made;

  crl_sum_float u_add (
    .clk_i  (1'b0),
    .en_i   (1'b1),
    .alone_i(1'b0),
    .a_i    (line[95:64]),
    .b_i    (line[63:32]),
    .sum_o  (sum)
  );

  crl_float_widen #(.Exp(8)) u_from_bf16 (.half_i(line[79:64]), .float_o(from_bf16));
  crl_float_widen #(.Exp(5)) u_from_fp16 (.half_i(line[79:64]), .float_o(from_fp16));
  crl_float_narrow #(.Exp(8)) u_bf16 (.float_i(line[95:64]), .half_o(bf16));
  crl_float_narrow #(.Exp(5)) u_fp16 (.float_i(line[95:64]), .half_o(fp16));

  initial begin
    file = $fopen("vectors", "r");
    lines = 0;
    wrong = 0;
    while ((wrong == 0 || !$test$plusargs("first")) && $fscanf(file, "%h\n", line) == 1) begin
      #1;
      lines = lines + 1;
      case (line[99:96])
        0: made = sum;
        1: made = from_bf16;
        2: made = from_fp16;
        3: made = {16'd0, bf16};
        default: made = {16'd0, fp16};
      endcase
      if (made !== line[31:0]) begin
        wrong = wrong + 1;
        if (wrong < 10) $display("case %0d: of %h and %h comes %h, but must %h", line[99:96], line[95:64], line[63:32], made, line[31:0]);
      end
    end
    $display("%0d results, %0d wrong", lines, wrong);
    $finish;
  end
endmodule
