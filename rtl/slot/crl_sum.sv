// SPDX-License-Identifier: Apache-2.0
//
// Adds up words: one, and then those of a list that a mask names, in their order.
//
// Timing: combinational.

module crl_sum #(
  /// Words of the list.
  parameter int N = 4,
  /// How two words combine: 0 sum modulo 2^DataW, 1 minimum, 2 maximum, 3 exclusive or, 4 and, 5 or,
  /// of unsigned words; 6 to 8 sum of floating-point numbers of 32 bits, one after the other.
  parameter int Op = 0,
  /// Bits of a word.
  parameter int DataW = 16
) (
  input  logic               first_i,  // 0: there is no first word; the mask names others then
  input  logic [DataW-1:0]   word_i,
  input  logic [N-1:0]       mask_i,
  input  logic [N*DataW-1:0] list_i,
  output logic [DataW-1:0]   sum_o
);

  localparam int Float = 6;

  // What changes nothing stands for a word that does not count.
  localparam logic [DataW-1:0] Neutral = {DataW{Op == 1||Op == 4}};

  function automatic [DataW-1:0] combined(input logic [DataW-1:0] a, input logic [DataW-1:0] b);
    case (Op)
      0:       combined = a + b;
      1:       combined = (a < b) ? a : b;
      2:       combined = (a < b) ? b : a;
      3:       combined = a ^ b;
      4:       combined = a & b;
      default: combined = a | b;
    endcase
  endfunction

  if (Op >= Float) begin : gen_float
    // The order matters: the word, and then those of the list. What comes first is not added to anything, which keeps its bits.
    for (genvar i = 0; i < N; i++) begin : gen_add
      logic [DataW-1:0] so_far, more, upto;
      logic             any;

      if (i == 0) begin : gen_first
        assign any    = first_i;
        assign so_far = word_i;
      end else begin : gen_next
        assign any    = gen_add[i-1].any || mask_i[i-1];
        assign so_far = gen_add[i-1].upto;
      end

      crl_sum_float u_add (
        .clk_i  (1'b0),
        .en_i   (1'b1),
        .alone_i(1'b0),
        .a_i    (so_far),
        .b_i    (list_i[i*DataW +: DataW]),
        .sum_o  (more)
      );

      assign upto = !mask_i[i] ? so_far : any ? more : list_i[i*DataW +: DataW];
    end
    assign sum_o = gen_add[N-1].upto;
  end else begin : gen_unsigned
    logic [DataW-1:0] listed;

    // The word comes late, from a memory. The order does not matter: all operators are associative and commutative.
    always_comb begin
      listed = Neutral;
      for (int i = 0; i < N; i++) listed = combined(listed, mask_i[i] ? list_i[i*DataW +: DataW] : Neutral);
      sum_o = combined(listed, first_i ? word_i : Neutral);
    end
  end

  if (Op < 0 || Op > 8) begin : gen_bad_op
    crl_error_op_must_be_0_to_8 u_error ();
  end
  if (Op >= Float && DataW != 32) begin : gen_bad_width
    crl_error_data_w_must_be_32_for_floating_point u_error ();
  end

`ifdef FORMAL
  // Without a neutral word: those that count, one after the other.
  logic [DataW-1:0] f_sum;
  logic             f_any;

  always_comb begin
    f_sum = word_i;
    f_any = first_i;
    for (int i = 0; i < N; i++) begin
      if (mask_i[i]) begin
        f_sum = f_any ? combined(f_sum, list_i[i*DataW +: DataW]) : list_i[i*DataW +: DataW];
        f_any = 1'b1;
      end
    end
    if (f_any) a_sum: assert (sum_o == f_sum);
    c_sum: cover (first_i && mask_i != '0 && sum_o != word_i);
  end
`endif

endmodule
