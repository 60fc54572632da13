// SPDX-License-Identifier: Apache-2.0
//
// What a memory macro of an ASIC does, of one read and one write port on one clock: its ports, and a model of it without initial
// contents. `carillon emit --target asic` puts it behind crl_ram; whoever has a memory compiler replaces this file.
//
// Timing: that of crl_ram. A read of the address that is written at the same edge returns nothing that counts.

module crl_sram #(
  /// Bits of a word.
  parameter int DataW = 16,
  /// Words of the memory.
  parameter int Depth = 256,
  /// Bits of an address.
  localparam int AddrW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic             clk_i,

  input  logic             we_i,    // write port
  input  logic [AddrW-1:0] waddr_i,
  input  logic [DataW-1:0] wdata_i,

  input  logic             re_i,    // read port; without re_i the last word stays
  input  logic [AddrW-1:0] raddr_i,
  output logic [DataW-1:0] rdata_o
);

  logic [DataW-1:0] mem [0:Depth-1];

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    if (re_i) rdata_o <= (we_i && waddr_i == raddr_i) ? 'x : mem[raddr_i];
  end

endmodule
