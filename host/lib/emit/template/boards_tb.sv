// @TOP@_tb: all boards, each with a clock of its own, and the cables between them. Every stream is fed with words that say which packet of
// which round they are, and every word that is shown is judged by what streams.csv of its board names, in its order. Rounds of the slowest
// board must take the cycles that the plan says. Prints PASS or what went wrong. Made by carillon @VERSION@.
@if LISTED // Which schedule a round plays is drawn by +seed. Between rounds of two schedules one comes a row later.
//
// +rounds=N +seed=N +ppm=P: clocks are P ppm slower, the first board's, to P ppm faster, the last one's. +late=N: each board is reset N cycles
// later than the one before. With one of the next cycles a round are printed and not judged: +longer=N: each cable takes N cycles longer
// than planned. +errors=N: flits of a million that are damaged, lost and doubled, each. +unplug=C +at=N +for=N: cable C is pulled out after N cycles,
// for so many; with +noise=1 it carries noise meanwhile.
@if SPARES // +plan=P: plan P is played. +fail=P +at=N: after N cycles the cable that plan P is without dies; when an end says that it is silent, and no board has
@if SPARES // made a step for 500 cycles, all boards are reset and play plan P. Rounds that not all boards have ended are thrown away.
@if WIRES // +jitter=N: each edge on a wire comes up to N thousandths of a cycle sooner or later.
@if IS_AXIS // +stalls=N: of a million cycles, so many in which a source, or a sink, begins to pause for up to 32.
`timescale 1fs / 1fs

module @TOP@_tb;
  localparam longint Cycle = 10000000;
  localparam int Boards = @BOARDS@;
  localparam int Nodes = @NODES@;
  localparam int Streams = @STREAMS@;       // of a node, in and out
  localparam int All = Nodes * Streams;
  localparam int DataW = @WIDTH@;
  localparam int PeerW = @PEER_BITS@;
  localparam int Words = @WORDS@;           // of a packet
  localparam int Ops = @OPS@;              // kinds of rounds
  localparam logic [Ops*32-1:0] Periods = @PERIODS@; // steps of a round of each, the last one first
  localparam int FeedMost = @FEED_MOST@;    // words that a stream takes, or gives, in a round, at most
  localparam int ShowMost = @SHOW_MOST@;
  localparam int Ends = @ENDS@;             // of cables: 2 C and 2 C + 1 are those of cable C
  localparam int FlitW = @FLIT_BITS@;

  // The board of each node; of each end its board, the cycles that what it sends takes, and those in which it sends a flit.
  localparam logic [16*Nodes-1:0] BoardOf = @BOARD_OF@;
  localparam logic [16*Ends-1:0] BoardAt = @BOARD_AT@;
  localparam logic [16*Ends-1:0] Delays = @DELAYS@;
  localparam logic [16*Ends-1:0] Gaps = @GAPS@;

  logic [Boards-1:0] rst_n = '0, start, begins, busy, steps, fault;
  wire  [All*DataW-1:0] s_tdata, m_tdata;
  wire  [All*PeerW-1:0] s_tdest, m_tid;
  wire  [All-1:0]       s_tvalid, s_tready, m_tvalid, m_tready, m_tlast;
@if LISTED   wire  [Boards*@OP_BITS@-1:0] op;
@if AXIS_SEVERAL   wire  [Boards-1:0]    op_ready;
@if SPARES   localparam logic [Ops*32-1:0] CableOf = @CABLE_OF@; // that each plan is without, the last one first
@if SPARES   wire  [Ends-1:0]      silent;
@if SPARES   logic [@OP_BITS@-1:0] plan;
@if SPARES   logic   changed = 1'b0;
@if SPARES   integer fail, idle, thrown = 0;
@if SPARES   integer first = 0; // round of the plan that is played
  wire  [Ends-1:0]      waits_for, held_by, repeats;
@if FLITS   wire  [Ends-1:0]       flit_valid;
@if FLITS   wire  [Ends*FlitW-1:0] flit;
@if FLITS   logic [Ends-1:0]       flit_take = '1, heard_valid = '0;
@if FLITS   logic [Ends*FlitW-1:0] heard;
@if WIRES   wire  [Ends-1:0]       wire_out;
@if WIRES   wire  [Ends-1:0]       wire_in;

  // Packets by stream, and how many, and their peers, of each kind of rounds: what streams.csv of the boards say.
  reg [31:0] feed [0:Ops*All*FeedMost-1];
  reg [31:0] show [0:Ops*All*ShowMost-1];
  reg [31:0] feed_peer [0:Ops*All*FeedMost-1];
  reg [31:0] show_peer [0:Ops*All*ShowMost-1];
  reg [31:0] feeds [0:Ops*All-1];
  reg [31:0] shows [0:Ops*All-1];

  integer seed, rounds, ppm, late, longer, damage, unplug, noise, out_at, out_for, jitter, pauses, errors, stalls, repeated;
  logic   ready = 1'b0, judged, out;
  longint period [0:Boards-1], third [0:Boards-1], last [0:Boards-1]; // of clocks; when the third round began, and the last one
  longint slowest, cycles;
  integer begun [0:Boards-1];
  real    measured, took, planned;

@INSTANCES@

@include words.sv
@include floats.sv
@if FLOATS   // The sum of a chunk of a round at a node.
@if FLOATS   function automatic [31:0] float_of(input [31:0] op, input [31:0] chunk, input [31:0] round, input integer node);
@if FLOATS     integer    term;
@if FLOATS     reg [63:0] x;
@if FLOATS     begin
@if FLOATS       for (term = 0; term < Terms; term = term + 1) begin
@if FLOATS         x = terms[(op * Chunks + chunk) * Terms + term];
@if FLOATS         values[term] = (term < Nodes) ? word_of(term * Chunks + chunk, round) : float_sum(values[x[31:0]], values[x[63:32]]);
@if FLOATS       end
@if FLOATS       float_of = values[ends[(op * Chunks + chunk) * Nodes + node]];
@if FLOATS     end
@if FLOATS   endfunction
@if FLOATS 
  // Numbers at random, the same by any simulator.
  reg [63:0] lots;
  function automatic integer drawn(input integer below);
    lots = lots * 64'd6364136223846793005 + 64'd1442695040888963407;
    drawn = int'(lots[62:32]) % below;
  endfunction

  // Of a round: the same on all boards.
  function automatic integer op_of(input integer round);
@if ONE     op_of = 0;
@if SPARES     op_of = int'(plan);
@if LISTED     reg [63:0] x;
@if LISTED     begin
@if LISTED       x = {seed, round} * 64'h9E37_79B9_7F4A_7C15;
@if LISTED       x = (x ^ (x >> 29)) * 64'hBF58_476D_1CE4_E5B9;
@if LISTED       op_of = int'(x[62:40]) % Ops;
@if LISTED     end
  endfunction

  // Steps until the next one begins.
  function automatic integer steps_of(input integer round);
    steps_of = int'(Periods[op_of(round)*32 +: 32]) + ((op_of(round) != op_of(round + 1)) ? Words : 0);
  endfunction

  task complain; // the caller says why
    begin
      errors = errors + 1;
      if (errors >= 10) $finish(0);
    end
  endtask

  initial begin
    fill_feed;
    fill_show;
    fill_feed_peer;
    fill_show_peer;
    fill_feeds;
    fill_shows;
@if FLOATS     fill_terms;
@if FLOATS     fill_ends;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    if (!$value$plusargs("rounds=%d", rounds)) rounds = 60;
    if (!$value$plusargs("ppm=%d", ppm)) ppm = 100;
    if (!$value$plusargs("late=%d", late)) late = 0;
    if (!$value$plusargs("longer=%d", longer)) longer = 0;
    if (!$value$plusargs("errors=%d", damage)) damage = 0;
    if (!$value$plusargs("unplug=%d", unplug)) unplug = -1;
    if (!$value$plusargs("at=%d", out_at)) out_at = 0;
    if (!$value$plusargs("for=%d", out_for)) out_for = 0;
    if (!$value$plusargs("noise=%d", noise)) noise = 0;
    if (!$value$plusargs("jitter=%d", jitter)) jitter = 0;
    if (!$value$plusargs("stalls=%d", pauses)) pauses = 0;
@if SPARES     if (!$value$plusargs("plan=%d", plan)) plan = 0;
@if SPARES     if (!$value$plusargs("fail=%d", fail)) fail = 0;
@if SPARES     if (fail > 0) unplug = CableOf[fail*32 +: 32];
@if SPARES     idle = 0;
    judged = longer == 0 && damage == 0 && @UNPLUGGED@ && pauses == 0@JUDGED@;
    errors = 0;
    stalls = 0;
    repeated = 0;
    cycles = 0;
    slowest = 0;
    for (int b = 0; b < Boards; b++) begin
      begun[b] = 0;
      period[b] = Cycle + Cycle * (ppm - 2 * ppm * b / (Boards - 1)) / 1000000;
      if (period[b] > slowest) slowest = period[b];
    end
    lots = 64'(seed);
    ready = 1'b1;
  end

  always @(posedge gen_clock[0].tick) begin
    cycles <= cycles + 1;
    out    <= unplug >= 0 && cycles >= 64'(out_at) && @FOR_GOOD@cycles < 64'(out_at) + 64'(out_for)@CLOSED@;
  end

  for (genvar b = 0; b < Boards; b++) begin : gen_clock
    logic tick = 1'b0;
  end

  for (genvar b = 0; b < Boards; b++) begin : gen_board
    initial begin
      wait (ready);
      #(drawn(int'(Cycle))); // clocks begin anywhere
      forever begin
        gen_clock[b].tick = 1'b1;
        #(period[b] / 2);
        gen_clock[b].tick = 1'b0;
        #(period[b] - period[b] / 2);
      end
    end

    initial begin
      wait (ready);
      repeat (40 + b * late) @(posedge gen_clock[b].tick);
      rst_n[b] <= 1'b1;
@if SPARES       wait (changed);
@if SPARES       rst_n[b] <= 1'b0;
@if SPARES       repeat (60) @(posedge gen_clock[b].tick);
@if SPARES       rst_n[b] <= 1'b1;
    end

@if BY_START     assign start[b] = rst_n[b] && begun[b] < rounds;
@if AXIS_SEVERAL     integer ordered = 0;
@if AXIS_SEVERAL     assign start[b] = rst_n[b] && ordered < rounds;
@if LISTED     assign op[b*@OP_BITS@ +: @OP_BITS@] = @OP_BITS@'(op_of(ordered));
@if LISTED     always @(posedge gen_clock[b].tick) if (start[b] && op_ready[b]) ordered <= ordered + 1;
@if AXIS_SPARES     always @(posedge gen_clock[b].tick) if (start[b] && op_ready[b]) ordered <= ordered + 1;
@if AXIS_SPARES     always @(posedge changed) ordered <= first;
@if SPARES     always @(posedge changed) begun[b] <= first;

    always @(posedge gen_clock[b].tick) if (rst_n[b]) begin
      if (begins[b]) begin
        begun[b] <= begun[b] + 1;
        last[b]  <= $time;
@if DRAWN         if (begun[b] == 2) third[b] <= $time; // the second one may wait for the first words, of cables that are yet to come up
@if SPARES         if (begun[b] == first + 2) third[b] <= $time; // likewise
      end
      if (!steps[b] && begun[b] > 2) stalls = stalls + 1;
      if (fault[b] !== 1'b0) begin
        $display("FAIL fault_o of board %0d is %b", b, fault[b]);
        $finish(0);
      end
    end
  end

  for (genvar i = 0; i < All; i++) begin : gen_stream
    localparam int B = 32'(BoardOf[16*(i/Streams) +: 16]);
    integer fed = 0, fed_round = 0, shown = 0, shown_round = 0; // words of a round
    logic [DataW-1:0] right;

    // The first round from `from` on in which the stream has words.
    function automatic integer feed_round(input integer from);
      integer of;
      begin
        feed_round = from;
        of = op_of(from);
        while (feed_round < rounds && feeds[of*All + i] == 0) begin
          feed_round = feed_round + 1;
          of = op_of(feed_round);
        end
      end
    endfunction

    function automatic integer show_round(input integer from);
      integer of;
      begin
        show_round = from;
        of = op_of(from);
        while (show_round < rounds && shows[of*All + i] == 0) begin
          show_round = show_round + 1;
          of = op_of(show_round);
        end
      end
    endfunction

@if DRAWN     wire [31:0] feed_of = op_of(fed_round)*All + i, show_of = op_of(shown_round)*All + i;
@if SPARES     wire [31:0] feed_of = int'(plan)*All + i, show_of = int'(plan)*All + i;
    wire [31:0] feed_at = feed_of*FeedMost + fed / Words, show_at = show_of*ShowMost + shown / Words;
    wire        feeding = ready && fed_round < rounds, showing = ready && shown_round < rounds;

@if WHOLE     assign s_tdata[i*DataW +: DataW] = word_of(feed[feed_at], fed_round + ((fed % Words) << 16));
@if HALVES     assign s_tdata[i*DataW +: DataW] = narrow(word_of(feed[feed_at], fed_round + ((fed % Words) << 16)));
@if IS_STREAM     assign s_tvalid[i] = feeding; // there where it is taken
@if IS_STREAM     assign m_tready[i] = 1'b1;
@if IS_AXIS     integer rest = 0, full = 0; // cycles that the source, and the sink, pause yet
@if IS_AXIS     assign s_tvalid[i] = feeding && rest == 0;
@if IS_AXIS     assign m_tready[i] = full == 0;
@if IS_AXIS 
@if IS_AXIS     // A word that is offered stays until it is taken.
@if IS_AXIS     always @(posedge gen_clock[B].tick) if (pauses > 0) begin
@if IS_AXIS       if (rest > 0) rest <= rest - 1;
@if IS_AXIS       else if ((!feeding || s_tready[i]) && drawn(1000000) < pauses) rest <= 1 + drawn(32);
@if IS_AXIS       if (full > 0) full <= full - 1;
@if IS_AXIS       else if (drawn(1000000) < pauses) full <= 1 + drawn(32);
@if IS_AXIS     end

    initial begin
      wait (ready);
      fed_round   = feed_round(0);
      shown_round = show_round(0);
@if SPARES       wait (changed);
@if SPARES       fed         = 0;
@if SPARES       shown       = 0;
@if SPARES       fed_round   = feed_round(first);
@if SPARES       shown_round = show_round(first);
    end

    always @(posedge gen_clock[B].tick) if (rst_n[B]) begin
@if IS_STREAM       if (s_tready[i] !== 1'b0) begin
@if IS_AXIS       if (feeding && s_tready[i] === 1'bx) begin
@if IS_AXIS         $display("FAIL node %0d stream %0d: unknown handshake", i / Streams, i % Streams);
@if IS_AXIS         complain;
@if IS_AXIS       end
@if IS_AXIS       if (s_tvalid[i] && s_tready[i]) begin
        if (!feeding || s_tdest[i*PeerW +: PeerW] !== PeerW'(feed_peer[feed_at])) begin
          $display("FAIL node %0d stream %0d: the word that is taken as number %0d is for %0d", i / Streams, i % Streams, fed, s_tdest[i*PeerW +: PeerW]);
          complain;
        end
        fed <= (fed + 1 == feeds[feed_of] * Words) ? 0 : fed + 1;
        if (fed + 1 == feeds[feed_of] * Words) fed_round <= feed_round(fed_round + 1);
      end
      if (m_tvalid[i] !== 1'b0 && m_tready[i]) begin
@if PLAIN         right = word_of(show[show_at], shown_round + ((shown % Words) << 16));
@if UNSIGNED         right = sum_of(show[show_at], shown_round + ((shown % Words) << 16), i / Streams);
@if FLOATS_WHOLE         right = float_of(op_of(shown_round), show[show_at], shown_round + ((shown % Words) << 16), i / Streams);
@if HALVES         right = narrow(float_of(op_of(shown_round), show[show_at], shown_round + ((shown % Words) << 16), i / Streams));
        if (!showing || m_tdata[i*DataW +: DataW] !== right || m_tid[i*PeerW +: PeerW] !== PeerW'(show_peer[show_at])) begin
          $display("FAIL node %0d stream %0d: word %0d of round %0d is %h from %0d, not %h", i / Streams, i % Streams, shown, shown_round,
                   m_tdata[i*DataW +: DataW], m_tid[i*PeerW +: PeerW], right);
          complain;
        end
        if (m_tlast[i] !== (shown % Words == Words - 1)) begin
          $display("FAIL node %0d stream %0d: tlast is %b at word %0d", i / Streams, i % Streams, m_tlast[i], shown);
          complain;
        end
        shown <= (shown + 1 == shows[show_of] * Words) ? 0 : shown + 1;
        if (shown + 1 == shows[show_of] * Words) shown_round <= show_round(shown_round + 1);
      end
    end
  end

  wire [All-1:0] done;
  for (genvar i = 0; i < All; i++) begin : gen_done
    assign done[i] = ready && gen_stream[i].fed_round >= rounds && gen_stream[i].shown_round >= rounds;
  end

  for (genvar i = 0; i < Ends; i++) begin : gen_end
    localparam int From  = 32'(BoardAt[16*i +: 16]);
    localparam int To    = 32'(BoardAt[16*(i^1) +: 16]);
    localparam int Delay = 32'(Delays[16*i +: 16]);

    always @(posedge gen_clock[From].tick) if (repeats[i] === 1'b1) repeated = repeated + 1;
@if WIRES     wire    cut = out && unplug == i / 2;
@if WIRES     longint moved;
@if WIRES     reg     carried = 1'b0, other = 1'b0;
@if WIRES     assign wire_in[i^1] = cut ? other : carried;
@if WIRES     always @(posedge gen_clock[To].tick) other <= cut && noise != 0 && (drawn(4) == 0) != other;
@if WIRES     always @(wire_out[i]) begin
@if WIRES       moved = (Delay + longer) * Cycle + (drawn(2 * jitter + 1) - jitter) * (Cycle / 1000);
@if WIRES       carried <= #(moved) wire_out[i];
@if WIRES     end
@if FLITS 
@if FLITS     // A flit is at the other end so many cycles after it was there to be sent, or when that clock rises next. Where the sender's clock is
@if FLITS     // faster, flits without a word are left out, as transceivers do.
@if FLITS     localparam int Gap  = 32'(Gaps[16*i +: 16]);
@if FLITS     localparam int Room = 4096;
@if FLITS     reg [FlitW-1:0] under_way [0:Room-1];
@if FLITS     longint         due [0:Room-1];
@if FLITS     reg [FlitW-1:0] sent;
@if FLITS     integer         oldest = 0, next = 0, beat = 0, copies, bit_at;
@if FLITS 
@if FLITS     always @(posedge gen_clock[From].tick) begin
@if FLITS       beat         <= (beat + 1) % Gap;
@if FLITS       flit_take[i] <= beat == 0;
@if FLITS       #1;
@if FLITS       if (rst_n[From] && flit_valid[i] && flit_take[i]) begin
@if FLITS         sent   = flit[i*FlitW +: FlitW];
@if FLITS         copies = 1;
@if FLITS         if (damage > 0) begin
@if FLITS           bit_at = drawn(FlitW);
@if FLITS           if (drawn(1000000) < damage) sent = sent ^ (FlitW'(1) << bit_at);
@if FLITS           if (drawn(1000000) < damage) copies = 0;
@if FLITS           else if (drawn(1000000) < damage) copies = 2;
@if FLITS         end
@if FLITS         if (out && unplug == i / 2) begin
@if FLITS           if (noise != 0) repeat (3) sent = sent ^ (FlitW'(1) << drawn(FlitW));
@if FLITS           else copies = 0;
@if FLITS         end
@if FLITS         repeat (copies) begin
@if FLITS           under_way[next % Room] = sent;
@if FLITS           due[next % Room]       = $time - 1 + (Delay + longer - 1) * Cycle;
@if FLITS           next                   = next + 1;
@if FLITS         end
@if FLITS       end
@if FLITS     end
@if FLITS 
@if FLITS     always @(posedge gen_clock[To].tick) begin
@if FLITS       #(period[To] - 2); // before it rises again
@if FLITS       while (next - oldest > 1 && due[(oldest + 1) % Room] <= $time && !under_way[oldest % Room][FlitW-1]) oldest = oldest + 1;
@if FLITS       heard_valid[i^1] = oldest != next && due[oldest % Room] <= $time;
@if FLITS       if (heard_valid[i^1]) begin
@if FLITS         heard[(i^1)*FlitW +: FlitW] = under_way[oldest % Room];
@if FLITS         oldest                      = oldest + 1;
@if FLITS       end
@if FLITS     end
  end

@if SPARES   // The host, which sees all boards, and acts between their edges.
@if SPARES   wire [All*32-1:0] shown_rounds;
@if SPARES   for (genvar i = 0; i < All; i++) begin : gen_shown
@if SPARES     assign shown_rounds[i*32 +: 32] = gen_stream[i].shown_round;
@if SPARES   end
@if SPARES   integer right, begun_most;
@if SPARES   logic   lost;
@if SPARES   always @(negedge gen_clock[0].tick) if (fail > 0 && !changed && out) begin
@if SPARES     idle = (steps == '0) ? idle + 1 : 0;
@if SPARES     lost = silent != '0;
@if SPARES     for (int e = 0; e < Ends; e++) if (silent[e] && e / 2 != unplug) lost = 1'b0; // others are yet to come up
@if SPARES     if (idle > 500 && lost) begin
@if SPARES       right = rounds;
@if SPARES       begun_most = 0;
@if SPARES       for (int i = 0; i < All; i++) if (int'(shown_rounds[i*32 +: 32]) < right) right = int'(shown_rounds[i*32 +: 32]);
@if SPARES       for (int b = 0; b < Boards; b++) if (begun[b] > begun_most) begun_most = begun[b];
@if SPARES       first   = begun_most;
@if SPARES       plan    = @OP_BITS@'(fail);
@if SPARES       thrown  = begun_most - right;
@if SPARES       changed = 1'b1;
@if SPARES     end
@if SPARES   end
@if SPARES 
  always @(posedge gen_clock[0].tick) if ((&done) && busy == '0) begin
    measured = 0.0;
    planned  = 0.0;
@if DRAWN     for (int r = 2; r < rounds - 1; r++) planned = planned + steps_of(r);
@if DRAWN     if (rounds > 3) planned = planned / (rounds - 3);
@if SPARES     planned = int'(Periods[plan*32 +: 32]);
@if SPARES     if (fail > 0 && !changed) begin
@if SPARES       $display("FAIL nothing has failed");
@if SPARES       errors = errors + 1;
@if SPARES     end
    for (int b = 0; b < Boards; b++) begin
      took = last[b] - third[b];
@if DRAWN       took = took / slowest / (rounds - 3);
@if SPARES       took = took / slowest / (rounds - first - 3);
      if (rounds@FIRST@ > 3 && period[b] == slowest && took > measured) measured = took;
    end
    if (judged && rounds@FIRST@ > 3 && (measured > planned + 0.01 || measured < planned - 0.01)) begin
      $display("FAIL rounds take %0.4f cycles, not %0.4f", measured, planned);
      errors = errors + 1;
    end
@if SPARES     if (errors == 0 && changed) $display("NOTE %0d rounds were thrown away", thrown);
    if (errors == 0)
      $display("PASS %0d rounds of @WHAT@ on %0d boards, %0.4f cycles a round, %0.4f planned, %0d stalls, %0d repetitions", rounds, Boards,
               measured, planned, stalls, repeated);
    $finish(0);
  end else if (cycles > @LIMIT@ + 64'(rounds) * @PERIOD_MOST@ * 50 + 64'(out_at) + 64'(out_for) + 64'(late) * Boards) begin
    $display("FAIL after %0d cycles words are missing; boards wait for ends %b, are held by %b", cycles, waits_for, held_by);
    $finish(0);
  end

  // What the files streams.csv say, as numbers.
@NUMBERS@
endmodule
