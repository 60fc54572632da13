@if IS_AXIS   // The lanes that own words of each stream go to, and those that show words for it, the last stream first: what is not used is
@if IS_AXIS   // not there.
@if IS_AXIS   localparam logic [All*@LANES@-1:0] InUses = @IN_USES@;
@if IS_AXIS   localparam logic [All*@LANES@-1:0] OutUses = @OUT_USES@;
@if AXIS_PACKETS   localparam logic [All-1:0] Keeps = @KEEPS@; // streams some of whose packets are sent more than once
@if IS_AXIS 
@if INLINED   `include "@TOP@_tables.svh"
@if INLINED 
