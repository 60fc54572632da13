// SPDX-License-Identifier: Apache-2.0
//
// Takes a row of a LogP processor's table apart and registers its selects.
//
// Timing: that of crl_row_decoder. row_i is the table's output in time r+1 and fetched_i says that it is a row that
// plays; raddr_o leaves at once, everything else after the next edge (time r+2).

module crl_logp_decoder #(
  /// Bits of a bank address.
  parameter int AddrW = 8,
  /// Bits that name a processor.
  parameter int NodeW = 6,
  /// Bits of a row.
  localparam int RowW = 17 + NodeW + 2 * AddrW
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             fetched_i,
  input  logic [RowW-1:0]  row_i,
  output logic [AddrW-1:0] raddr_o,

  output logic             send_o,            // time r+2, like all below
  output logic [2:0]       what_o,
  output logic [NodeW-1:0] dest_o,
  output logic [1:0]       exp_o,
  output logic             hold_o,
  output logic             held_o,
  output logic             swap_o,
  output logic             store_o,
  output logic             store_total_o,
  output logic [AddrW-1:0] waddr_o,
  output logic             operand_o,
  output logic             part_en_o,
  output logic             part_combine_o,
  output logic             total_en_o,
  output logic             total_combine_o
);

  // First bit of each field; bit 0 is the parity.
  localparam int SendAt    = 1;
  localparam int WhatAt    = 2;
  localparam int ExpAt     = 5;
  localparam int HoldAt    = 7;
  localparam int HeldAt    = 8;
  localparam int SwapAt    = 9;
  localparam int StoreAt   = 10;
  localparam int OperandAt = 12;
  localparam int PartAt    = 13;
  localparam int TotalAt   = 15;
  localparam int DestAt    = 17;
  localparam int RaddrAt   = DestAt + NodeW;
  localparam int WaddrAt   = RaddrAt + AddrW;

  logic unused_parity;
  assign unused_parity = row_i[0];

  // What makes something happen: for rows that play only, else a table would play while it is loaded.
  logic [7:0] act_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !fetched_i) act_q <= '0;
    else
      act_q <= {row_i[TotalAt], row_i[PartAt], row_i[StoreAt], row_i[HeldAt], row_i[HoldAt],
                row_i[ExpAt +: 2], row_i[SendAt]};
  end

  assign {total_en_o, part_en_o, store_o, held_o, hold_o, exp_o, send_o} = act_q;

  // How it happens.
  always_ff @(posedge clk_i) begin
    what_o          <= row_i[WhatAt +: 3];
    swap_o          <= row_i[SwapAt];
    dest_o          <= row_i[DestAt +: NodeW];
    store_total_o   <= row_i[StoreAt + 1];
    operand_o       <= row_i[OperandAt];
    part_combine_o  <= row_i[PartAt + 1];
    total_combine_o <= row_i[TotalAt + 1];
    waddr_o         <= row_i[WaddrAt +: AddrW];
  end

  assign raddr_o = row_i[RaddrAt +: AddrW];

endmodule
