// SPDX-License-Identifier: Apache-2.0
//
// One memory bank of a router: one read port and one write port.
//
// Timing: raddr_i is sampled at an edge, the word is at rdata_o after it. A word written at an edge can be read from the
// next edge on; what a read of the same address at the same edge returns is undefined (the compiler never asks for it).

module crl_bank #(
  /// Bits of a word.
  parameter int DataW = 16,
  /// Words of the memory.
  parameter int Depth = 256,
  /// Bits of an address.
  parameter int AddrW = 8
) (
  input  logic             clk_i,

  input  logic             wen_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [DataW-1:0] wdata_i,

  input  logic [AddrW-1:0] raddr_i,
  output logic [DataW-1:0] rdata_o
);

  (* no_rw_check *)
  logic [DataW-1:0] mem [0:Depth-1];

  always_ff @(posedge clk_i) begin
    if (wen_i) mem[waddr_i] <= wdata_i;
    rdata_o <= mem[raddr_i];
  end

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

`ifdef FORMAL_CONTENTS
  // Any one address: what was written last is what is read.
  (* anyconst *) logic [AddrW-1:0] f_addr;
  logic             f_written;
  logic [DataW-1:0] f_word;
  initial f_written = 1'b0;

  always_ff @(posedge clk_i) begin
    if (wen_i && waddr_i == f_addr) begin
      f_written <= 1'b1;
      f_word    <= wdata_i;
    end
  end

  always_comb begin
    assume (32'(f_addr) < Depth && 32'(waddr_i) < Depth && 32'(raddr_i) < Depth);
    if (f_written) a_mirror: assert (mem[f_addr] == f_word);
  end

  always_ff @(posedge clk_i) if (f_past_valid && $past(f_written && raddr_i == f_addr)) begin
    a_read_back: assert (rdata_o == $past(f_word));
    c_read_back: cover (rdata_o != '0);
  end
`else
  // Proved where the bank is used: crl_node.
  always_comb if (f_past_valid) begin
    a_read_range: assert (32'(raddr_i) < Depth);
    if (wen_i) a_write_range: assert (32'(waddr_i) < Depth);
    c_write_last: cover (wen_i && 32'(waddr_i) == Depth - 1);
  end
`endif
`endif

endmodule
