// SPDX-License-Identifier: Apache-2.0
//
// What a router is, as parameters of it and of all that is built of routers. To be included in a module's parameter list before another
// parameter: the last line ends with a comma. Each module uses what it needs of it.

  /* verilator lint_off UNUSED */
  /// Link ports of a router, 1 to 32.
  parameter int Ports = 4,
  /// Sends, and receives, per cycle of a router: 1 to Ports.
  parameter int Lanes = Ports,
  /// Memories of one read and one write port: Lanes without WriteXbar; fewer only without Delay.
  parameter int Banks = Lanes,
  /// 0: bank b stores what arrives on input lane b; 1: each bank selects its input lane.
  parameter int WriteXbar = 0,
  /// 1: each lane can replay the word that arrived one cycle earlier.
  parameter int Delay = 1,
  /// 0: the write address is the row number; 1: each row carries a write address per bank.
  parameter int WaddrField = 0,
  /// 0: banks keep what arrives; else 1 + the operator by which they add it up, as of crl_sum: there are as many as wanted, with
  /// WriteXbar, Delay and WaddrField; with streams at least Lanes, and any stream's own word can go to any of them.
  parameter int Combine = 0,
  /// 1, with Combine: sums are made in stages, at a higher clock rate; departures and what is shown leave Late cycles later.
  parameter int Staged = 0,
  /// 1, with Staged: no row adds two words of links to a sum. Needed with Combine 7 to 9: there no row adds two words at all, and 8 cycles
  /// or more lie between rows that add to a sum.
  parameter int Single = 0,
  /// 1, with Combine and streams: what comes on stream j is added in banks j, j + Lanes, … alone, and stream j shows what is in these.
  parameter int Aligned = 0,
  /// Bits of a word.
  parameter int DataW = 16,
  /// Bits of a bank address within a page.
  parameter int AddrW = 8,
  /// Rows of a table memory.
  parameter int TableDepth = 256,
  /* verilator lint_on UNUSED */
