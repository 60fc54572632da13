// SPDX-License-Identifier: Apache-2.0
//
// Lots of a bench, the same in every simulator: xorshift, included within the module that begins `random` with its seed.

  logic [31:0] random;

  function automatic logic [31:0] shuffled(input logic [31:0] from);
    logic [31:0] x;
    x = from ^ (from << 13);
    x = x ^ (x >> 17);
    shuffled = x ^ (x << 5);
  endfunction

  function automatic int below(input int bound);
    random = shuffled(random);
    below = 32'(random[30:4]) % bound;
  endfunction
