// SPDX-License-Identifier: Apache-2.0
//
// Names the packet that a stream takes or gives next, and says which word ends it, as crl_stream_names does, of rounds of several kinds: of
// each kind packets come round after round in the same order. Reset begins a round anew, as it must where the kind changes.

module crl_stream_lists #(
  /// Kinds of rounds.
  parameter int Kinds = 2,
  /// Packets of a round, at most.
  parameter int Most = 4,
  /// Bits of a name.
  parameter int NameW = 2,
  /// Packets of a round of each kind, 16 bits each, kind 0 in the low bits; 0: the stream has none, and names are 0.
  parameter logic [Kinds*16-1:0] Counts = {16'd3, 16'd4},
  /// Names of the packets of each kind, Most each, the first of kind 0 in the low bits; 0 behind the last one.
  parameter logic [Kinds*Most*NameW-1:0] Names = '0,
  /// Words of a packet, which follow each other.
  parameter int Words = 1,
  /// Bits that name a kind, and of a packet's number.
  localparam int KindW = (Kinds > 1) ? $clog2(Kinds) : 1,
  localparam int CountW = (Most > 1) ? $clog2(Most) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic [KindW-1:0] kind_i,  // of the round
  input  logic             next_i,  // the word is taken
  output logic [NameW-1:0] name_o,  // of the word to come
  output logic             last_o   // it is the last one of its packet
);

  logic [CountW-1:0] number_q;
  logic [15:0]       count;
  assign count = Counts[32'(kind_i)*16 +: 16];

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

  always_ff @(posedge clk_i) begin
    if (!rst_ni) number_q <= '0;
    else if (next_i && last_o) number_q <= (16'(number_q) + 1'b1 >= count) ? '0 : number_q + 1'b1;
  end

  assign name_o = Names[(32'(kind_i)*Most + 32'(number_q))*NameW +: NameW];

`ifdef FORMAL
  // Packets of a round that are over, and words of the packet that are still to come.
  logic             f_past_valid;
  logic [31:0]      f_over, f_words;
  logic [KindW-1:0] f_kind_q;
  initial f_past_valid = 1'b0;

  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    f_kind_q     <= kind_i;
    if (!rst_ni || (next_i && f_words == 1)) f_words <= Words;
    else if (next_i) f_words <= f_words - 1;
    if (!rst_ni || (next_i && f_words == 1 && f_over + 1 >= 32'(count))) f_over <= 0;
    else if (next_i && f_words == 1) f_over <= f_over + 1;
  end

  always_comb begin
    assume (32'(kind_i) < Kinds);
    if (!f_past_valid) assume (!rst_ni);
    else begin
      if (rst_ni) assume (kind_i == f_kind_q);
      a_in_round: assert (f_over < Most && f_words >= 1 && f_words <= Words);
      a_last: assert (last_o == (f_words == 1));
      if (rst_ni) a_name: assert (name_o == Names[(32'(kind_i)*Most + f_over)*NameW +: NameW]);
    end
  end

  always_ff @(posedge clk_i) if (f_past_valid) c_again: cover (rst_ni && kind_i == KindW'(Kinds - 1) && f_over == 0 && $past(rst_ni && next_i));
`endif

endmodule
