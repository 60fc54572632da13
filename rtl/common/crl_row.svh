// SPDX-License-Identifier: Apache-2.0
//
// Geometry of a slot row (docs/formats/row.md), the only place in the RTL where it is written. To be included in a
// module's parameter list, after Ports, Lanes, Banks, WriteXbar, Delay, WaddrField, Streams, Store, Combine and AddrW, and before
// another parameter: the last line ends with a comma. Each module uses what it needs of it.

  /* verilator lint_off UNUSED */
  /// Bits that name a member of a lane's port group of ceil(Ports / Lanes).
  localparam int GW = $clog2((Ports + Lanes - 1) / Lanes),
  /// Bits that select a lane for an output; with fewer banks than lanes, a live input or a bank.
  localparam int SW = $clog2((Banks < Lanes && Combine == 0) ? Lanes + Banks : Banks),
  /// Bits that choose the live input for a lane: with fewer banks than lanes the outputs do that.
  localparam int BypW = (Banks < Lanes && Combine == 0) ? 0 : 1,
  /// Bits that select an input lane for a bank, or that name the input lanes, and then the streams, which it adds up.
  localparam int XW = (Combine != 0) ? Lanes * (1 + Streams) : (WriteXbar != 0) ? $clog2(Lanes) : 0,
  /// Bits that say what a bank adds to.
  localparam int AddW = (Combine != 0) ? 3 : 0,
  /// Bits that say that a lane shows an own word, and that select the bank whose sum is for this node.
  localparam int OwnW = (Combine != 0) ? 0 : Streams,
  localparam int SselW = (Combine != 0) ? Streams * SW : 0,
  /// The same on a port list, where a field of no bits is one bit at 0.
  localparam int GV = (GW > 0) ? GW : 1,
  localparam int SV = (SW > 0) ? SW : 1,
  localparam int XV = (XW > 0) ? XW : 1,
  /// Bits of a bank's part of the row, of an output lane's and of an input lane's.
  localparam int BankFieldsW = Store * AddrW + BypW + Delay + Store + XW + Store * WaddrField * AddrW + OwnW + AddW,
  localparam int OutFieldsW = 1 + SW + GW,
  localparam int InFieldsW = 1 + GW + Streams + SselW,
  /// First bit of bank 0's part, of output lane 0's and of input lane 0's. Bit 0 of the row is the parity.
  localparam int BankAt = 1,
  localparam int OutAt = BankAt + Banks * BankFieldsW,
  localparam int InAt = OutAt + Lanes * OutFieldsW,
  /// First bit of each field of a bank's part; raddr is its bit 0.
  localparam int BypAt = Store * AddrW,
  localparam int DlyAt = BypAt + BypW,
  localparam int WenAt = DlyAt + Delay,
  localparam int WselAt = WenAt + Store,
  localparam int WaddrAt = WselAt + XW,
  localparam int OwnAt = WaddrAt + Store * WaddrField * AddrW,
  localparam int SetAt = OwnAt + OwnW,
  localparam int FwdAt = SetAt + 1,
  localparam int FlipAt = FwdAt + 1,
  /// First bit of each field of a lane's part; ov and exp are its bit 0.
  localparam int OselAt = 1,
  localparam int OportAt = OselAt + SW,
  localparam int IportAt = 1,
  localparam int ShowAt = IportAt + GW,
  localparam int SselAt = ShowAt + Streams,
  /// Bits of a row.
  localparam int RowW = InAt + Lanes * InFieldsW,
  /* verilator lint_on UNUSED */
