// SPDX-License-Identifier: Apache-2.0
//
// Names the packet that a stream takes or gives next, and says which word ends it: packets come round after round in the same order.

module crl_stream_names #(
  /// Packets of a round; 0: the stream has none, and names are 0.
  parameter int Count = 4,
  /// Bits of a name.
  parameter int NameW = 2,
  /// Names of a round's packets, the first in the low bits.
  parameter logic [((Count > 0) ? Count : 1)*NameW-1:0] Names = '0,
  /// Words of a packet, which follow each other.
  parameter int Words = 1,
  /// Bits of a packet's number.
  localparam int CountW = (Count > 1) ? $clog2(Count) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             next_i,  // the word is taken
  output logic [NameW-1:0] name_o,  // of the word to come
  output logic             last_o   // it is the last one of its packet
);

  if (Words > 1) begin : gen_beats
    localparam int BeatW = $clog2(Words);
    logic [BeatW-1:0] beat_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) beat_q <= '0;
      else if (next_i) beat_q <= last_o ? '0 : beat_q + 1'b1;
    end

    assign last_o = beat_q == BeatW'(Words - 1);
  end else begin : gen_one_beat
    assign last_o = 1'b1;
  end

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
      else if (next_i && last_o) number_q <= (number_q == CountW'(Count - 1)) ? '0 : number_q + 1'b1;
    end

    assign name_o = Names[32'(number_q)*NameW +: NameW];
  end

`ifdef FORMAL
  if (Count >= 2) begin : gen_f_many
    // Packets of a round that are still to come, all of them again where none is left, and words of the packet.
    logic        f_past_valid;
    logic [31:0] f_left, f_words;
    initial f_past_valid = 1'b0;

    always_ff @(posedge clk_i) begin
      f_past_valid <= 1'b1;
      if (!rst_ni || (next_i && f_words == 1)) f_words <= Words;
      else if (next_i) f_words <= f_words - 1;
      if (!rst_ni || (next_i && f_words == 1 && f_left == 1)) f_left <= Count;
      else if (next_i && f_words == 1) f_left <= f_left - 1;
    end

    always_comb begin
      if (!f_past_valid) assume (!rst_ni);
      else begin
        a_in_round: assert (f_left >= 1 && f_left <= Count && f_words >= 1 && f_words <= Words);
        a_last: assert (last_o == (f_words == 1));
        a_name: assert (name_o == Names[(Count - f_left)*NameW +: NameW]);
      end
    end

    always_ff @(posedge clk_i) if (f_past_valid) c_again: cover (rst_ni && f_left == Count && f_words == Words && $past(rst_ni && next_i));
  end
`endif

endmodule
