// SPDX-License-Identifier: Apache-2.0
//
// Sizes of trees of registers. To be included in a module.

  /// The least number whose power of so many levels is as many as there are leaves.
  function automatic int branches(input int leaves, input int levels);
    int most;
    begin
      branches = 1;
      most     = (levels < 1) ? leaves : 1;
      while (most < leaves) begin
        branches = branches + 1;
        most     = 1;
        for (int i = 0; i < levels; i++) if (most < leaves) most = most * branches;
      end
    end
  endfunction

  /// Registers of a level that has so many levels behind it.
  function automatic int level_size(input int leaves, input int width, input int behind);
    level_size = leaves;
    for (int i = 0; i < behind; i++) level_size = (level_size + width - 1) / width;
    if (width < 2) level_size = (behind > 0) ? 1 : leaves;
  endfunction
