  // Of a packet of a round, whatever the width: any two that could be mistaken for each other differ somewhere in a run.
  function automatic [DataW-1:0] word_of(input [31:0] packet, input [31:0] round);
    reg [63:0] x;
    begin
      x = {round, packet} * 64'h9E37_79B9_7F4A_7C15;
      x = x ^ (x >> 29);
      x = x * 64'hBF58_476D_1CE4_E5B9;
@if BITS       word_of = DataW'(@RANDOM@ >> 20);
@if FLOATS       word_of = @FLOAT@
    end
  endfunction

@if SOME_ADD   // Which nodes have values; the others only forward.
@if SOME_ADD   localparam [Nodes-1:0] Adds = @ADDS@;
@if SOME_ADD 
@if UNSIGNED   // The sum of a chunk of a round at a node, from the words that the nodes have of it.
@if UNSIGNED   function automatic [DataW-1:0] sum_of(input [31:0] chunk, input [31:0] round, input integer node);
@if UNSIGNED     integer v;
@if UNSIGNED     reg [DataW-1:0] word;
@if UNSIGNED     begin
@if UNSIGNED       sum_of = word_of(@SUM_FIRST@chunk, round);
@if UNSIGNED       for (v = @SUM_AFTER@; v <= @SUM_TO@; v = v + 1) @SUM_IF@begin
@if UNSIGNED         word = word_of(v * @CHUNKS@ + chunk, round);
@if UNSIGNED         sum_of = @SUM@;
@if UNSIGNED       end
@if UNSIGNED     end
@if UNSIGNED   endfunction
@if UNSIGNED 
