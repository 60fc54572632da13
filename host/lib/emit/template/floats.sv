@if FLOATS   // Sums of floating-point numbers depend on the order of additions, which the schedule says: of each chunk there are terms,
@if FLOATS   // the nodes' own words first, then what was held (the low half) plus what came (the high half); each node ends with one.
@if FLOATS   localparam int Chunks = @CHUNKS@;
@if FLOATS   localparam int Terms = @TERMS@;
@if FLOATS   reg [63:0] terms [0:Ops*Chunks*Terms-1];
@if FLOATS   reg [31:0] ends [0:Ops*Chunks*Nodes-1];
@if FLOATS   reg [31:0] values [0:Terms-1];
@if FLOATS 
@if FLOATS   // Two numbers of 32 bits, normal or zero, added as numbers of 64: rounded to 53 bits and then to 24, ties to even, the sum is
@if FLOATS   // the same as if rounded once.
@if FLOATS   function automatic [63:0] wide(input [31:0] x);
@if FLOATS     wide = (x[30:0] == '0) ? {x[31], 63'd0} : {x[31], 11'(x[30:23]) + 11'd896, x[22:0], 29'd0};
@if FLOATS   endfunction
@if FLOATS 
@if FLOATS   function automatic [31:0] float_sum(input [31:0] a, input [31:0] b);
@if FLOATS     reg [63:0] x;
@if FLOATS     reg        up;
@if FLOATS     begin
@if FLOATS       x = $realtobits($bitstoreal(wide(a)) + $bitstoreal(wide(b)));
@if FLOATS       up = x[28] && (x[27:0] != '0 || x[29]);
@if FLOATS       float_sum = (x[62:0] == '0) ? {x[63], 31'd0} : {x[63], 8'(x[62:52] - 11'd896), x[51:29]} + 32'(up);
@if FLOATS     end
@if FLOATS   endfunction
@if FLOATS 
@if HALVES   // As streams have it: rounded to 16 bits, to nearest, ties to even.
@if HALVES   function automatic [31:0] narrow(input [31:0] x);
@if HALVES     narrow = {16'd0, @HALF@};
@if HALVES   endfunction
@if HALVES 
