// SPDX-License-Identifier: Apache-2.0
//
// Geometry of the entries of stream maps (docs/formats/row.md), the only place in the RTL where it is written. To be included
// in a module's parameter list, after Lanes, Rows, Words and PeerW, and before another parameter: the last line ends with a comma.

  /* verilator lint_off UNUSED */
  /// Bits of a row's number within a round.
  localparam int RowA = (Rows > 1) ? $clog2(Rows) : 1,
  /// Bits that name a lane.
  localparam int LaneW = $clog2(Lanes),
  /// Bits that number a packet's words, also where a field must have one, and those of a row's number with it.
  localparam int BeatW = $clog2(Words),
  localparam int BeatV = (BeatW > 0) ? BeatW : 1,
  localparam int AtW = RowA + BeatW,
  /// Of both maps: the round's last entry; and the peer of the word, last.
  localparam int EndAt = 0,
  /// Of words that come: with this entry the round may begin; it takes a word, else it is for the one taken last; the lanes
  /// that get it, and the row in which they send it.
  localparam int GoAt = 1,
  localparam int TakeAt = 2,
  localparam int InLanesAt = 3,
  localparam int InRowAt = InLanesAt + Lanes,
  localparam int InPeerAt = InRowAt + RowA,
  /// With packets of several words: with which word of this entry the round may begin; the next entry is for the same row.
  localparam int InGoWordAt = InPeerAt + PeerW,
  localparam int InMoreAt = InGoWordAt + BeatW,
  localparam int InEntryW = InGoWordAt + ((Words > 1) ? BeatW + 1 : 0),
  /// Of words that leave: there is no word; it ends a packet; the lane that has it, and the row before the one that brings it,
  /// all ones for row 0, which is behind all others.
  localparam int NoneAt = 1,
  localparam int LastAt = 2,
  localparam int OutLaneAt = 3,
  localparam int OutRowAt = OutLaneAt + LaneW,
  localparam int OutPeerAt = OutRowAt + RowA,
  localparam int OutEntryW = OutPeerAt + PeerW,
  /* verilator lint_on UNUSED */
