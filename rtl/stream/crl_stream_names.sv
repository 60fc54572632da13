// SPDX-License-Identifier: Apache-2.0
//
// Names the word that a stream takes or gives next: words come round after round in the same order.

module crl_stream_names #(
  /// Words of a round; 0: the stream has none, and names are 0.
  parameter int Count = 4,
  /// Bits of a name.
  parameter int NameW = 2,
  /// Names of a round's words, the first in the low bits.
  parameter logic [((Count > 0) ? Count : 1)*NameW-1:0] Names = '0,
  /// Bits of a word's number.
  localparam int CountW = (Count > 1) ? $clog2(Count) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             next_i,  // the word is taken
  output logic [NameW-1:0] name_o   // of the word to come
);

  if (Count < 2) begin : gen_one
    logic unused;
    assign unused = &{1'b0, clk_i, rst_ni, next_i};
    assign name_o = (Count == 1) ? Names[NameW-1:0] : '0;
`ifdef FORMAL
    always_comb a_one_name: assert (name_o == ((Count == 0) ? '0 : Names));
`endif
  end else begin : gen_many
    logic [CountW-1:0] number_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) number_q <= '0;
      else if (next_i) number_q <= (number_q == CountW'(Count - 1)) ? '0 : number_q + 1'b1;
    end

    assign name_o = Names[32'(number_q)*NameW +: NameW];
  end

`ifdef FORMAL
  if (Count >= 2) begin : gen_f_many
    // Words of a round that are still to come: all of them again where none is left.
    logic        f_past_valid;
    logic [31:0] f_left;
    initial f_past_valid = 1'b0;

    always_ff @(posedge clk_i) begin
      f_past_valid <= 1'b1;
      if (!rst_ni || (next_i && f_left == 1)) f_left <= Count;
      else if (next_i) f_left <= f_left - 1;
    end

    always_comb begin
      if (!f_past_valid) assume (!rst_ni);
      else begin
        a_in_round: assert (f_left >= 1 && f_left <= Count);
        a_name: assert (name_o == Names[(Count - f_left)*NameW +: NameW]);
      end
    end

    always_ff @(posedge clk_i) if (f_past_valid) c_again: cover (rst_ni && f_left == Count && $past(rst_ni && next_i));
  end
`endif

endmodule
