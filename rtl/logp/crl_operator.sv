// SPDX-License-Identifier: Apache-2.0
//
// One operator of a combining collective: sum (modulo 2^DataW), minimum, maximum, exclusive or. Words are unsigned.
//
// Timing: combinational. All four are associative and commutative, which a schedule counts on.

module crl_operator #(
  /// Bits of a word.
  parameter int DataW = 16
) (
  input  logic [1:0]       op_i,  // 0 sum, 1 minimum, 2 maximum, 3 exclusive or
  input  logic [DataW-1:0] a_i,
  input  logic [DataW-1:0] b_i,
  input  logic [DataW-1:0] addend_i, // b_i, inverted where the operator compares: known before, it costs no time
  output logic [DataW-1:0] y_o
);

  logic             a_greater, take_a;
  logic [DataW-1:0] sum;

  // One adder: a + b, or a + ~b, whose carry says that a is the greater.
  assign {a_greater, sum} = {1'b0, a_i} + {1'b0, addend_i};
  assign take_a           = a_greater == op_i[1];

  // Written as gates, not as a choice: where a_i is the register that y_o goes to, tools would make an enable of it, which
  // would come at the end of the carry chain and take as long again.
  always_comb begin
    unique case (op_i)
      2'd0:    y_o = sum;
      2'd3:    y_o = a_i ^ b_i;
      default: y_o = ({DataW{take_a}} & a_i) | ({DataW{!take_a}} & b_i);
    endcase
  end

`ifdef FORMAL
  always_comb begin
    // crl_combine asserts the addend.
    if (addend_i == (b_i ^ {DataW{op_i[0] ^ op_i[1]}})) begin
      if (op_i == 2'd0) a_sum: assert (y_o == DataW'(a_i + b_i));
      if (op_i == 2'd1) a_min: assert (y_o == ((a_i < b_i) ? a_i : b_i));
      if (op_i == 2'd2) a_max: assert (y_o == ((a_i < b_i) ? b_i : a_i));
      if (op_i == 2'd3) a_xor: assert (y_o == (a_i ^ b_i));
    end
    c_differ: cover (y_o != a_i);
  end
`endif

endmodule
