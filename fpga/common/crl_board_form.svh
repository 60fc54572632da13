// SPDX-License-Identifier: Apache-2.0
//
// What a board's network is, from its Dim, Steps and Combine: to be included in a module's parameter list before another parameter.

  localparam int Nodes = 1 << Dim,
  /// The routers' form: one lane, one bank, a delay register and write addresses; or one bank that adds up.
  localparam int Ports = Dim,
  localparam int Lanes = 1,
  localparam int Banks = 1,
  localparam int WriteXbar = (Combine != 0) ? 1 : 0,
  localparam int Delay = 1,
  localparam int WaddrField = 1,
  localparam int Streams = 0,
  localparam int Store = 1,
  localparam int AddrW = 8,
  localparam int DataW = 16,
  `include "crl_row.svh"
  /* verilator lint_off UNUSED */
  /// Lines of the table memory and of the trace memory.
  localparam int Lines = 256,
  /// Bits of a row number.
  localparam int TA = $clog2(Lines / Steps),
  /// Nodes a line, and 16-bit words of a line of the tables and of the trace.
  localparam int Group = Nodes / Steps,
  localparam int TableWords = (Group * RowW + 15) / 16,
  localparam int PortW = $clog2(Ports + 1),
  localparam int TraceW = DataW + PortW,
  localparam int TraceWords = (Group * TraceW + 15) / 16,
  /* verilator lint_on UNUSED */
