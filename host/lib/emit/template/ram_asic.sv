// SPDX-License-Identifier: Apache-2.0
//
// The one place where memories meet a technology. Here it is an ASIC: up to RegisterBits bits are flip-flops, more are a macro
// (crl_sram). Nothing has initial contents.
//
// Timing: raddr_i is sampled at an edge with re_i, the word is at rdata_o after it and stays. A word written at an edge can be
// read from the next edge on; what a read of the same address at the same edge returns is undefined, so nobody asks for it.

module crl_ram #(
  /// Bits of a word.
  parameter int DataW = 16,
  /// Words of the memory.
  parameter int Depth = 256,
  /// Must be empty and 0: an ASIC's memories start undefined.
  parameter InitFile = "",
  parameter int Inline = 0,
  parameter int Zero = 0,
  /* verilator lint_off UNUSEDPARAM */ // for FPGAs
  parameter Init = 1'b0,
  parameter Style = "auto",
  /* verilator lint_on UNUSEDPARAM */
  /// Bits up to which flip-flops are smaller than a macro: it depends on the library.
  parameter int RegisterBits = 256,
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

  if (InitFile != "" || Inline != 0 || Zero != 0) begin : gen_bad_contents
    crl_error_memories_of_an_asic_start_undefined u_error ();
  end

  if (DataW * Depth <= RegisterBits) begin : gen_registers
    logic [DataW-1:0] mem [0:Depth-1];

    always_ff @(posedge clk_i) begin
      if (we_i) mem[waddr_i] <= wdata_i;
      if (re_i) rdata_o <= mem[raddr_i];
    end
  end else begin : gen_macro
    crl_sram #(
      .DataW(DataW),
      .Depth(Depth)
    ) u_sram (
      .clk_i  (clk_i),
      .we_i   (we_i),
      .waddr_i(waddr_i),
      .wdata_i(wdata_i),
      .re_i   (re_i),
      .raddr_i(raddr_i),
      .rdata_o(rdata_o)
    );
  end

endmodule
