@if IS_STREAM_SPARES   // Of each stream and plan packets of a round, 16 bits each, and their peers: @FEED_MOST@ of an input, @SHOW_MOST@ of an output stream.
@if IS_STREAM_ONE   // Packets of a round of each stream, 16 bits each, and their peers: @FEED_MOST@ of an input, @SHOW_MOST@ of an output stream.
@if IS_STREAM_SPARES   localparam int Plans = @OPS@;
@if IS_STREAM_SPARES   localparam logic [All*Plans*16-1:0] Feeds = @FEEDS@;
@if IS_STREAM_SPARES   localparam logic [All*Plans*16-1:0] Shows = @SHOWS@;
@if IS_STREAM_SPARES   localparam logic [All*Plans*@FEED_MOST@*PeerW-1:0] Dests = @DESTS@;
@if IS_STREAM_SPARES   localparam logic [All*Plans*@SHOW_MOST@*PeerW-1:0] Origins = @ORIGINS@;
@if IS_STREAM_ONE   localparam logic [16*All-1:0] Feeds = @FEEDS@;
@if IS_STREAM_ONE   localparam logic [16*All-1:0] Shows = @SHOWS@;
@if IS_STREAM_ONE   localparam logic [All*@FEED_MOST@*PeerW-1:0] Dests = @DESTS@;
@if IS_STREAM_ONE   localparam logic [All*@SHOW_MOST@*PeerW-1:0] Origins = @ORIGINS@;
@if IS_STREAM 
@if IS_STREAM   for (genvar i = 0; i < All; i++) begin : gen_names
@if IS_STREAM_ONE     localparam int Fed = 32'(Feeds[i*16 +: 16]);
@if IS_STREAM_ONE     localparam int Shown = 32'(Shows[i*16 +: 16]);
@if IS_STREAM_ONE 
@if IS_STREAM_ONE     crl_stream_names #(
@if IS_STREAM_ONE       .Count(Fed),
@if IS_STREAM_SPARES     crl_stream_lists #(
@if IS_STREAM_SPARES       .Kinds(Plans),
@if IS_STREAM_SPARES       .Most(@FEED_MOST@),
@if IS_STREAM_SPARES       .Counts(Feeds[i*Plans*16 +: Plans*16]),
@if IS_STREAM       .NameW(PeerW),
@if STREAM_PACKETS       .Words(@WORDS@),
@if IS_STREAM_SPARES       .Names(Dests[i*Plans*@FEED_MOST@*PeerW +: Plans*@FEED_MOST@*PeerW])
@if IS_STREAM_ONE       .Names(Dests[i*@FEED_MOST@*PeerW +: ((Fed > 0) ? Fed : 1)*PeerW])
@if IS_STREAM     ) u_dest (
@if IS_STREAM       .clk_i (@CLK@),
@if IS_STREAM       .rst_ni(@RST@@NAMES_SETTLED@),
@if IS_STREAM_SPARES       .kind_i(@NAMES_KIND@),
@if IS_STREAM       .next_i(@NAMES_TAKEN@),
@if IS_STREAM       .name_o(@NAMES_DEST@[i*PeerW +: PeerW]),
@if IS_STREAM       .last_o(unused_last_own[i])
@if IS_STREAM     );
@if IS_STREAM 
@if IS_STREAM_ONE     crl_stream_names #(
@if IS_STREAM_ONE       .Count(Shown),
@if IS_STREAM_SPARES     crl_stream_lists #(
@if IS_STREAM_SPARES       .Kinds(Plans),
@if IS_STREAM_SPARES       .Most(@SHOW_MOST@),
@if IS_STREAM_SPARES       .Counts(Shows[i*Plans*16 +: Plans*16]),
@if IS_STREAM       .NameW(PeerW),
@if STREAM_PACKETS       .Words(@WORDS@),
@if IS_STREAM_SPARES       .Names(Origins[i*Plans*@SHOW_MOST@*PeerW +: Plans*@SHOW_MOST@*PeerW])
@if IS_STREAM_ONE       .Names(Origins[i*@SHOW_MOST@*PeerW +: ((Shown > 0) ? Shown : 1)*PeerW])
@if IS_STREAM     ) u_origin (
@if IS_STREAM       .clk_i (@CLK@),
@if IS_STREAM       .rst_ni(@RST@@NAMES_SETTLED@),
@if IS_STREAM_SPARES       .kind_i(@NAMES_KIND@),
@if IS_STREAM       .next_i(@NAMES_SHOWN@),
@if IS_STREAM       .name_o(@NAMES_FROM@[i*PeerW +: PeerW]),
@if IS_STREAM       .last_o(@NAMES_LAST@[i])
@if IS_STREAM     );
@if IS_STREAM   end
