// SPDX-License-Identifier: Apache-2.0
//
// How long the departures of a router, and what it shows, wait for sums. To be included in a module's parameter list, after Lanes, Combine, Staged
// and Streams, and before another parameter: the last line ends with a comma.

  /// Cycles: of unsigned words one less where a sum has one word to add.
  localparam int Late = (Staged == 0) ? 0 : (Combine >= 7) ? 9 : (Lanes > 1 || Streams != 0) ? 4 : 3,
