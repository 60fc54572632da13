// SPDX-License-Identifier: Apache-2.0
//
// As crl_sum_lane, for floating-point numbers, in stages: of the words the one that counts is added to a sum in the bank.
//
// Timing: all inputs as of crl_sum_lane. The sum is written Adder + 1 cycles later than there; a row that adds to it must come Adder + 2
// cycles later or more. value_o is what raddr_i names, with this row's sum and those before it, Adder + 3 cycles later than there; so a
// word that leaves must not be written in the row after. An edge at which en_i is 0 changes nothing, if all other inputs stay.

module crl_sum_floats #(
  /// Words that arrive at a time: a mask names at most one.
  parameter int Terms = 4,
  /// Words of the bank.
  parameter int Depth = 256,
  /// Bits of the bank's address, page included.
  parameter int AddrW = 8,
  /// Bits of a word.
  localparam int DataW = 32
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   en_i,

  input  logic [Terms*DataW-1:0] data_i,
  input  logic [Terms-1:0]       mask_i,   // the word that is added
  input  logic                   set_i,    // to nothing
  input  logic [AddrW-1:0]       saddr_i,  // else to the sum that is here
  input  logic                   wen_i,
  input  logic [AddrW-1:0]       waddr_i,  // where the sum goes

  input  logic [AddrW-1:0]       raddr_i,  // the sum that leaves
  output logic [DataW-1:0]       value_o
);

  // Registers of the adder.
  localparam int Adder = 6;
  localparam logic [DataW-1:0] NegativeZero = 32'h80000000;

  logic             set, wen;
  logic [AddrW-1:0] saddr, waddr, raddr;

  crl_delay #(
    .Width (1 + AddrW),
    .Stages(1)
  ) u_from (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   ({set_i, saddr_i}),
    .q_o   ({set, saddr})
  );

  crl_delay #(
    .Width (1),
    .Stages(Adder + 1)
  ) u_wen (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .en_i  (en_i),
    .d_i   (wen_i),
    .q_o   (wen)
  );

  crl_delay #(
    .Width (AddrW),
    .Stages(Adder + 1)
  ) u_write (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   (waddr_i),
    .q_o   (waddr)
  );

  crl_delay #(
    .Width (AddrW),
    .Stages(Adder + 3)
  ) u_read (
    .clk_i (clk_i),
    .rst_ni(1'b1),
    .en_i  (en_i),
    .d_i   (raddr_i),
    .q_o   (raddr)
  );

  // By the flip-flops' own reset: a mask costs no logic.
  logic [Terms*DataW-1:0] masked_q;
  logic [DataW-1:0]       more, stored, sum;

  for (genvar i = 0; i < Terms; i++) begin : gen_term
    always_ff @(posedge clk_i) if (en_i) begin
      if (!mask_i[i]) masked_q[i*DataW +: DataW] <= '0;
      else masked_q[i*DataW +: DataW] <= data_i[i*DataW +: DataW];
    end
  end

  crl_sum_any #(
    .N    (Terms),
    .DataW(DataW)
  ) u_any (
    .list_i(masked_q),
    .word_o(more)
  );

  // Two copies, because two of its words are read at once.
  crl_ram #(
    .DataW(DataW),
    .Depth(Depth)
  ) u_sums (
    .clk_i  (clk_i),
    .we_i   (wen),
    .waddr_i(waddr),
    .wdata_i(sum),
    .re_i   (en_i),
    .raddr_i(saddr),
    .rdata_o(stored)
  );

  crl_ram #(
    .DataW(DataW),
    .Depth(Depth)
  ) u_copy (
    .clk_i  (clk_i),
    .we_i   (wen),
    .waddr_i(waddr),
    .wdata_i(sum),
    .re_i   (en_i),
    .raddr_i(raddr),
    .rdata_o(value_o)
  );

  crl_sum_float #(
    .Stages(1)
  ) u_add (
    .clk_i  (clk_i),
    .en_i   (en_i),
    .alone_i(set),
    .a_i    (set ? NegativeZero : stored),
    .b_i    (more),
    .sum_o  (sum)
  );

endmodule
