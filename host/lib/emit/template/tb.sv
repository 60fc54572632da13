// @TOP@_tb: feeds every input stream with words that say which packet of which round they are, and looks whether every output
// stream gives those that streams.csv names, in its order. The first rounds are not stalled: the first one must take the cycles that
// README.md promises, from the first word taken to the last one given, and those behind it must follow in its period. Prints PASS or
// what went wrong. Made by carillon @VERSION@.
`timescale 1ns / 1ps

module @TOP@_tb;
  localparam int Nodes = @NODES@;
  localparam int Streams = @STREAMS@;       // of a node, in and out
  localparam int All = Nodes * Streams;
  localparam int DataW = @WIDTH@;
  localparam int PeerW = @PEER_BITS@;
  localparam int Rounds = @ROUNDS@;
  localparam int Quiet = 6;                 // of these, the first ones are not stalled
  localparam int Period = @PERIOD@;         // cycles from a round to the next
@if PACKETS   localparam int Words = @WORDS@;           // of a packet
  localparam int FeedMost = @FEED_MOST@;    // words that a stream takes, or gives, in a round, at most
  localparam int ShowMost = @SHOW_MOST@;
  localparam int Ops = @OPS@;              // kinds of rounds
  localparam logic [Ops*32-1:0] EndToEnd = @ENDS@; // cycles of a round of each, the last one first
  localparam int Stalls = @STALLS@;         // 1: sources and sinks stall at random

  logic clk = 1'b0, rst_n = 1'b0, start = 1'b0, begun = 1'b0;
  wire  busy, fault;
  wire [All*DataW-1:0] s_tdata, m_tdata;
  wire [All-1:0]       s_tvalid, s_tready, m_tvalid, m_tready, m_tlast;
  wire [All*PeerW-1:0] s_tdest, m_tid;
@if ABSENT   wire [All-1:0]       s_tuser;
@if PADDED   wire [@PADDING_HIGH@:0] m_padding; // bits of no word, which make whole bytes

  // Packets by stream, and how many, of each kind of rounds: what streams.csv says.
  reg [31:0] feed [0:Ops*All*FeedMost-1];
  reg [31:0] show [0:Ops*All*ShowMost-1];
  reg [31:0] feeds [0:Ops*All-1];
  reg [31:0] shows [0:Ops*All-1];
  reg [31:0] op_of [0:Rounds-1]; // kinds of the rounds, in their order

  integer seed, cycles, left, errors, begin_at, round;

  // In which cycle the first word was taken, and the last one of each round was given.
  integer first_in = -1;
  integer last_out [0:Rounds-1];
  integer over = 0; // rounds that are
  wire    stalling = Stalls != 0 && over >= Quiet;

@if SEVERAL   // Rounds are ordered as fast as they are accepted.
@if SEVERAL   integer ordered = 0;
@if SEVERAL   wire    op_ready;
@if SEVERAL   wire [@OP_BITS@-1:0] op = (ordered < Rounds) ? op_of[ordered] : 'x;
@if SEVERAL   always_comb start = begun && ordered < Rounds;
@if SEVERAL   always @(posedge clk) if (start && op_ready) ordered <= ordered + 1;
@if SEVERAL 

@include words.sv
  // Whether a packet is not there in a round: one in four.
  function automatic absent_of(input [31:0] packet, input [31:0] round);
@if ABSENT     reg [DataW-1:0] x;
@if ABSENT     begin
@if ABSENT       x = word_of(packet + 32'd77777, round);
@if ABSENT       absent_of = round >= Quiet && @IS_ABSENT@;
@if ABSENT     end
@if PRESENT     absent_of = 1'b0;
  endfunction

@include floats.sv
@if FLOATS   reg [31:0] sums [0:Rounds*@WORDS@*Chunks*Nodes-1];
@if FLOATS   integer    chunk, term, node;
@if FLOATS_PACKETS   integer    beat;
@if FLOATS 
@if FLOATS   task make_sums;
@if FLOATS     reg [63:0] x;
@if FLOATS     begin
@if FLOATS       fill_terms;
@if FLOATS       fill_ends;
@if FLOATS_WORD       for (round = 0; round < Rounds; round = round + 1)
@if FLOATS_PACKETS       for (round = 0; round < Rounds; round = round + 1) for (beat = 0; beat < Words; beat = beat + 1)
@if FLOATS         for (chunk = 0; chunk < Chunks; chunk = chunk + 1) begin
@if FLOATS           for (term = 0; term < Terms; term = term + 1) begin
@if FLOATS             x = terms[(op_of[round] * Chunks + chunk) * Terms + term];
@if FLOATS             values[term] = (term < Nodes) ? word_of(term * Chunks + chunk, @ROUND_WORD@) : float_sum(values[x[31:0]], values[x[63:32]]);
@if FLOATS           end
@if FLOATS           for (node = 0; node < Nodes; node = node + 1)
@if FLOATS             sums[(@ROUND_AT@ * Chunks + chunk) * Nodes + node] = values[ends[(op_of[round] * Chunks + chunk) * Nodes + node]];
@if FLOATS         end
@if FLOATS     end
@if FLOATS   endtask
@if FLOATS 
@if LOADED   // Loads all tables and maps by the port. Those of the fabric are undefined till then, but for a netlist's, which are constants.
@if LOADED   reg  [39:0] load [0:@LOADS@-1];
@if LOADED   reg         awvalid = 1'b0, wvalid = 1'b0, arvalid = 1'b0;
@if LOADED   reg  [4:0]  awaddr, araddr;
@if LOADED   reg  [31:0] wdata;
@if LOADED   wire        awready, wready, bvalid, arready, rvalid;
@if LOADED   wire [1:0]  bresp, rresp;
@if LOADED   wire [31:0] rdata;
@if LOADED   integer     at;
@if LOADED 
@if LOADED   task write_register(input [4:0] address, input [31:0] data);
@if LOADED     begin
@if LOADED       awaddr  <= address;
@if LOADED       wdata   <= data;
@if LOADED       awvalid <= 1'b1;
@if LOADED       wvalid  <= 1'b1;
@if LOADED       @(posedge clk);
@if LOADED       while (awready !== 1'b1 || wready !== 1'b1) @(posedge clk);
@if LOADED       awvalid <= 1'b0;
@if LOADED       wvalid  <= 1'b0;
@if LOADED       @(posedge clk);
@if LOADED       while (bvalid !== 1'b1) @(posedge clk);
@if LOADED       if (bresp !== 2'b00) begin
@if LOADED         $display("FAIL register %h does not take %h: response %b", address, data, bresp);
@if LOADED         errors = errors + 10;
@if LOADED       end
@if LOADED     end
@if LOADED   endtask
@if LOADED 
@if LOADED   task read_register(input [4:0] address);
@if LOADED     begin
@if LOADED       araddr  <= address;
@if LOADED       arvalid <= 1'b1;
@if LOADED       @(posedge clk);
@if LOADED       while (arready !== 1'b1) @(posedge clk);
@if LOADED       arvalid <= 1'b0;
@if LOADED       @(posedge clk);
@if LOADED       while (rvalid !== 1'b1) @(posedge clk);
@if LOADED       if (rresp !== 2'b00) begin
@if LOADED         $display("FAIL register %h cannot be read: response %b", address, rresp);
@if LOADED         errors = errors + 10;
@if LOADED       end
@if LOADED     end
@if LOADED   endtask
@if LOADED 
@if LOADED   task load_tables;
@if LOADED     begin
@if LOADED       fill_load;
@if LOADED       read_register(5'h00);
@if LOADED       if (rdata !== 32'h@ID@) begin
@if LOADED         $display("FAIL the fabric is %h, not @ID@", rdata);
@if LOADED         errors = errors + 10;
@if LOADED       end
@if LOADED       write_register(5'h04, 32'd1);
@if LOADED       read_register(5'h08);
@if LOADED       while (rdata[0] !== 1'b1) read_register(5'h08);
@if LOADED       for (at = 0; at < @LOADS@; at = at + 1) write_register(load[at][36:32], load[at][31:0]);
@if LOADED       write_register(5'h04, 32'd0);
@if LOADED       while (rdata[0] !== 1'b0) read_register(5'h08);
@if LOADED     end
@if LOADED   endtask
@if LOADED 
@if LOADED_SYSTEM `ifdef NETLIST
@if LOADED   @TOP@ dut (
@if LOADED_SYSTEM `else
@if LOADED_SYSTEM   @TOP@ #(.Init(0)) dut (
@if LOADED_SYSTEM `endif
@if LOADED     .s_axil_awvalid@I@(awvalid),
@if LOADED     .s_axil_awready@O@(awready),
@if LOADED     .s_axil_awaddr@I@(awaddr),
@if LOADED     .s_axil_wvalid@I@(wvalid),
@if LOADED     .s_axil_wready@O@(wready),
@if LOADED     .s_axil_wdata@I@(wdata),
@if LOADED     .s_axil_wstrb@I@(4'hf),
@if LOADED     .s_axil_bvalid@O@(bvalid),
@if LOADED     .s_axil_bready@I@(1'b1),
@if LOADED     .s_axil_bresp@O@(bresp),
@if LOADED     .s_axil_arvalid@I@(arvalid),
@if LOADED     .s_axil_arready@O@(arready),
@if LOADED     .s_axil_araddr@I@(araddr),
@if LOADED     .s_axil_rvalid@O@(rvalid),
@if LOADED     .s_axil_rready@I@(1'b1),
@if LOADED     .s_axil_rdata@O@(rdata),
@if LOADED     .s_axil_rresp@O@(rresp),
@if FIXED   @TOP@ dut (
@if LOADED     .s_axil_awprot@I@(3'd0),
@if LOADED     .s_axil_arprot@I@(3'd0),
    .@CLK@(clk),
    .@RST@(rst_n),
    .start@I@(start),
@if SEVERAL     .op@I@(op),
@if SEVERAL     .op_ready@O@(op_ready),
@if SPARES     .clear@I@(1'b0),
    .busy@O@(busy),
@if NAMED @NAMED_BENCH@
@if PACKED     .s_axis_tdata_i(s_tdata),
@if PACKED     .s_axis_tvalid_i(s_tvalid),
@if PACKED     .s_axis_tready_o(s_tready),
@if PACKED_ABSENT     .s_axis_tuser_i(s_tuser),
@if PACKED     .s_axis_tdest_o(s_tdest),
@if PACKED     .m_axis_tdata_o(m_tdata),
@if PACKED     .m_axis_tvalid_o(m_tvalid),
@if PACKED     .m_axis_tready_i(m_tready),
@if PACKED     .m_axis_tlast_o(m_tlast),
@if PACKED     .m_axis_tid_o(m_tid),
    .fault@O@(fault)
  );

  always #5 clk = !clk;

  initial begin
    fill_feed;
    fill_show;
    fill_feeds;
    fill_shows;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    cycles = 0;
    errors = 0;
@if DRAWN     for (round = 0; round < Rounds; round = round + 1) op_of[round] = $unsigned($random(seed)) % Ops;
@if SPARES     for (round = 0; round < Rounds; round = round + 1) op_of[round] = (round < Ops) ? round : $unsigned($random(seed)) % Ops;
@if FLOATS     make_sums;
    repeat (40) @(posedge clk);
    rst_n <= 1'b1;
    repeat (2) @(posedge clk);
@if LOADED     load_tables;
@if LOADED     @(posedge clk);
@if ONE     start <= 1'b1;
    begun <= 1'b1;
    begin_at = cycles;
@if BY_CYCLES     repeat ((Rounds - 1) * Period + 1) @(posedge clk); // as many rounds without a gap
@if BY_CYCLES     start <= 1'b0;
  end

  for (genvar i = 0; i < All; i++) begin : gen_stream
@if PACKETS     integer fed_beat, shown_beat; // which word of the packet
    integer fed, fed_round, fed_at, shown, shown_round, shown_at; // ..._at: where feeds, or shows, has the round's stream
    integer next, next_round, next_at;                            // of the word that is shown next
    reg     gives, takes;
    integer lot = -1, rest = 0; // what was drawn; cycles that a source pauses for, yet

    // The first round from `from` on in which the stream has words.
    function automatic integer feed_round(input integer from);
      integer at;
      begin
        at = from;
        while (at < Rounds && feeds[op_of[at] * All + i] == 0) at = at + 1;
        feed_round = at;
      end
    endfunction

    function automatic integer show_round(input integer from);
      integer at;
      begin
        at = from;
        while (at < Rounds && shows[op_of[at] * All + i] == 0) at = at + 1;
        show_round = at;
      end
    endfunction

    function automatic integer at_of(input integer in_round);
      at_of = (in_round < Rounds) ? op_of[in_round] * All + i : i;
    endfunction

    function automatic [DataW-1:0] right_of(input [31:0] wanted, input integer in_round);
@if PLAIN       right_of = word_of(wanted, @IN_ROUND_WORD@);
@if UNSIGNED       right_of = sum_of(wanted, @IN_ROUND_WORD@, i / Streams);
@if FLOATS_WHOLE       right_of = sums[(@IN_ROUND_AT@ * Chunks + wanted) * Nodes + i / Streams];
@if HALVES       right_of = narrow(sums[(@IN_ROUND_AT@ * Chunks + wanted) * Nodes + i / Streams]);
    endfunction

    task pass_next; // to the word behind the next one
      begin
        next = next + 1;
        if (next == shows[next_at]) begin
          next       = 0;
          next_round = show_round(next_round + 1);
          next_at    = at_of(next_round);
        end
      end
    endtask

    wire        feeding = begun && fed_round < Rounds;
    wire [31:0] feed_at = fed_at * FeedMost + fed;
    wire [31:0] giving = feed[feed_at];
    reg  [DataW-1:0] right;

    assign s_tvalid[i] = gives && feeding;
@if WHOLE     assign s_tdata[i*DataW +: DataW] = s_tvalid[i] ? word_of(giving, @FED_WORD@) : 'x;
@if HALVES     assign s_tdata[i*DataW +: DataW] = s_tvalid[i] ? narrow(word_of(giving, @FED_WORD@)) : 'x;
@if ABSENT     assign s_tuser[i] = absent_of(giving, fed_round);
    assign m_tready[i] = takes;

    initial begin
      fed = 0;
      shown = 0;
@if PACKETS       fed_beat = 0;
@if PACKETS       shown_beat = 0;
      gives = 1'b1;
      takes = 1'b1;
    end

    always @(posedge clk) if (!begun) begin
      fed_round   <= feed_round(0);
      fed_at      <= at_of(feed_round(0));
      shown_round <= show_round(0);
      shown_at    <= at_of(show_round(0));
    end else begin
@if WORD       if (s_tvalid[i] && s_tready[i]) begin
@if PACKETS       if (s_tvalid[i] && s_tready[i]) fed_beat <= (fed_beat + 1) % Words;
@if PACKETS       if (s_tvalid[i] && s_tready[i] && fed_beat == Words - 1) begin
        fed <= (fed + 1 == feeds[fed_at]) ? 0 : fed + 1;
        if (fed + 1 == feeds[fed_at]) begin
          fed_round <= feed_round(fed_round + 1);
          fed_at    <= at_of(feed_round(fed_round + 1));
        end
      end
      // A word that is offered stays until it is taken.
      // Some pauses are longer than the fabric looks ahead.
      if (stalling && rest != 0) rest <= rest - 1;
      else if (stalling && (!gives || s_tready[i])) begin
        gives <= (lot & 3) != 0;
        if ((lot & 15) == 0) rest <= (lot >> 4) & 31;
      end
      if (stalling) takes <= ((lot >> 9) & 3) != 0;
      if (stalling) lot <= $random(seed);
      next       = shown;
      next_round = shown_round;
      next_at    = shown_at;
@if ABSENT       while (next_round < Rounds && absent_of(show[next_at * ShowMost + next], next_round)) pass_next;
      if (m_tvalid[i] && m_tready[i]) begin
        right = (next_round < Rounds) ? right_of(show[next_at * ShowMost + next], next_round) : 'x;
        if (next_round >= Rounds || m_tdata[i*DataW +: DataW] !== right) begin
          if (errors < 10)
            $display("FAIL node %0d stream %0d: word %0d of round %0d is %h, not %h", i / Streams, i % Streams, next,
                     next_round, m_tdata[i*DataW +: DataW], right);
          errors = errors + 1;
        end
@if WORD         if (m_tlast[i] !== 1'b1) begin
@if PACKETS         if (m_tlast[i] !== (shown_beat == Words - 1)) begin
@if WORD           if (errors < 10) $display("FAIL node %0d stream %0d: tlast is %b at a packet's end", i / Streams, i % Streams, m_tlast[i]);
@if PACKETS           if (errors < 10)
@if PACKETS             $display("FAIL node %0d stream %0d: tlast is %b with word %0d of %0d", i / Streams, i % Streams, m_tlast[i], shown_beat, Words);
          errors = errors + 1;
        end
@if PACKETS         shown_beat <= (shown_beat + 1) % Words;
@if PACKETS         if (next_round < Rounds && shown_beat == Words - 1) pass_next;
@if WORD         if (next_round < Rounds) pass_next;
      end else if (m_tvalid[i] === 1'bx || s_tready[i] === 1'bx) begin
        if (errors < 10) $display("FAIL node %0d stream %0d: unknown handshake", i / Streams, i % Streams);
        errors = errors + 1;
      end
      shown       <= next;
      shown_round <= next_round;
      shown_at    <= next_at;
    end

    wire done = begun && shown_round >= Rounds;
    wire ended = begun && shown_round > over;
  end

  wire [All-1:0] done, ended;
  for (genvar i = 0; i < All; i++) begin : gen_done
    assign done[i]  = gen_stream[i].done;
    assign ended[i] = gen_stream[i].ended;
  end

  // What is given in a cycle is counted in the next one.
  always @(posedge clk) begin
    if (over == 0 && first_in >= 0 && !(&ended) && busy !== 1'b1) begin
      $display("FAIL words of the first round are under way and busy_o is %b in cycle %0d", busy, cycles);
      errors = errors + 10;
    end
    if (first_in < 0 && (s_tvalid & s_tready) != '0) first_in = cycles;
    if (over < Rounds && (&ended)) begin
      last_out[over] = cycles - 1;
      if (over == 0 && first_in >= 0 && last_out[0] - first_in + 1 != EndToEnd[op_of[0]*32 +: 32]) begin
        $display("FAIL the first round takes %0d cycles from end to end, not %0d", last_out[0] - first_in + 1, EndToEnd[op_of[0]*32 +: 32]);
        errors = errors + 10;
      end
@if ONE       if (over == Quiet - 1 && first_in >= 0 && last_out[over] - last_out[1] != (over - 1) * Period) begin
@if ONE         $display("FAIL %0d rounds follow each other in %0d cycles, not %0d each", over - 1, last_out[over] - last_out[1], Period);
@if ONE         errors = errors + 10;
@if ONE       end
      over = over + 1;
    end
  end

  always @(posedge clk) begin
    cycles <= cycles + 1;
    if (rst_n && (fault !== 1'b0)) begin
      $display("FAIL fault_o is %b in cycle %0d", fault, cycles);
      $finish(0);
    end else if (rst_n && m_tvalid != '0 && busy !== 1'b1) begin
      $display("FAIL words leave and busy_o is %b in cycle %0d", busy, cycles);
      $finish(0);
    end else if (errors >= 10) $finish(0);
@if PADDED     else if (m_padding !== '0) begin
@if PADDED       $display("FAIL bits of no word are %h in cycle %0d", m_padding, cycles);
@if PADDED       $finish(0);
@if PADDED     end
@if ONE     else if (&done) begin
@if SEVERAL     else if ((&done) && ordered == Rounds && busy === 1'b0) begin
      if (errors == 0) $display("PASS %0d rounds of @WHAT@, %0d cycles", Rounds, cycles - begin_at);
      $finish(0);
    end else if (cycles > @LIMIT@) begin
      $display("FAIL after %0d cycles words are missing", cycles);
      $finish(0);
    end
  end

  // What streams.csv says, as numbers.@LOAD_NOTE@
@NUMBERS@
endmodule
