// SPDX-License-Identifier: Apache-2.0
//
// A memory of one read and one write port, as a block RAM has.
//
// Timing: raddr_i is sampled at an edge with re_i, the word is at rdata_o after it and stays. A word written at an edge can be
// read from the next edge on; what a read of the same address at the same edge returns is undefined, so nobody asks for it.

module crl_ram #(
  /// Bits of a word.
  parameter int DataW = 16,
  /// Words of the memory.
  parameter int Depth = 256,
  /// File for $readmemh with exactly Depth words; empty: the contents start undefined.
  parameter InitFile = "",
  /// 1: the contents at power-up are Init, word 0 in its lowest bits; where there is no InitFile.
  parameter int Inline = 0,
  parameter Init = 1'b0,
  /// Of so many equal parts word 0 is zero at power-up, where there are no other contents.
  parameter int Zero = 0,
  /* verilator lint_off UNUSEDPARAM */ // an attribute is nothing to a simulator
  /// "block": a block RAM however small it is; "auto": as synthesis sees fit.
  parameter Style = "auto",
  /* verilator lint_on UNUSEDPARAM */
  /// Bits of an address.
  localparam int AddrW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic             clk_i,

  input  logic             we_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [DataW-1:0] wdata_i,

  input  logic             re_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [DataW-1:0] rdata_o
);

  (* no_rw_check *) (* ram_style = Style *)
  logic [DataW-1:0] mem [0:Depth-1];

  if (InitFile != "") begin : gen_init
    initial $readmemh(InitFile, mem);
  end else if (Inline != 0) begin : gen_inline
    localparam logic [Depth*DataW-1:0] Words = (Depth * DataW)'(Init);
    if ($bits(Init) != Depth * DataW) begin : gen_bad_length
      crl_error_init_must_have_all_words u_error ();
    end
    initial for (int i = 0; i < Depth; i++) mem[i] = Words[i*DataW +: DataW];
  end else if (Zero != 0) begin : gen_zero
    initial for (int i = 0; i < Zero; i++) mem[i * (Depth / Zero)] = '0;
  end

  always @(posedge clk_i) begin // always_ff would be all that may write it
    if (we_i) mem[waddr_i] <= wdata_i;
    if (re_i) rdata_o <= mem[raddr_i];
  end

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  // All words, for proofs of who uses it. They are of small memories; tools look at the default, too.
  logic [Depth*DataW-1:0] f_words;
  if (Depth <= 8) begin : gen_f_words
    for (genvar i = 0; i < Depth; i++) begin : gen_f_word
      assign f_words[i*DataW +: DataW] = mem[i];
    end
  end

`ifdef FORMAL_CONTENTS
  // Any one address: what was written last is what is read.
  (* anyconst *) logic [AddrW-1:0] f_addr;
  logic             f_written;
  logic [DataW-1:0] f_word;
  initial f_written = 1'b0;

  always_ff @(posedge clk_i) begin
    if (we_i && waddr_i == f_addr) begin
      f_written <= 1'b1;
      f_word    <= wdata_i;
    end
  end

  always_comb begin
    assume (32'(f_addr) < Depth && 32'(waddr_i) < Depth && 32'(raddr_i) < Depth);
    if (f_written) a_mirror: assert (mem[f_addr] == f_word);
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if ($past(re_i && f_written && raddr_i == f_addr)) begin
      a_read_back: assert (rdata_o == $past(f_word));
      c_read_back: cover (rdata_o != '0);
    end
    if ($past(!re_i)) a_stays: assert (rdata_o == $past(rdata_o));
  end
`else
  // Proved where the memory is used: crl_node, crl_sequencer.
  always_comb if (f_past_valid) begin
    if (re_i) a_read_range: assert (32'(raddr_i) < Depth);
    if (we_i) a_write_range: assert (32'(waddr_i) < Depth);
    c_read_last: cover (re_i && 32'(raddr_i) == Depth - 1);
    c_write_last: cover (we_i && 32'(waddr_i) == Depth - 1);
  end
`endif
`endif

endmodule
