// SPDX-License-Identifier: Apache-2.0
//
// One end of a cable between two boards, both directions: words come out at the other end once each, in their order, and whole,
// whatever the cable loses, doubles or damages; late is all that they can be.
//
// A flit is, from its highest bit, {1, number, taken, word} or {0, number, taken, field}. Numbers count words modulo Depth from 1 on.
// In a flit without a word `number` is that of the next word. `taken` is the last word that the fabric here has taken, which is
// both acknowledgement and credit: at most Depth - 1 words are under way or wait, so none is overwritten. The field of a flit
// without a word is, from its highest bit, {0, 0, ask, echo, 0..., next}, `next` being the number of the word that this end waits for,
// or in a HELLO {1, heard, identity, end}, where the identity goes on in the place of `number` and `taken`.
//
// Who hears a number that is not the next, or two damaged flits in a row or nearly so, turns `ask` over, once, and says so in each flit without a word; then it
// hears no word until `echo` is what it asked. Who hears an `ask` that is not its `echo` goes on with the word `next`, and says so before it, in a flit without a
// word. Each later flit without a word says both, and at most Depth - 1 words are before the next one.
//
// From reset on an end says HELLO. It hears nothing in the first 2**Silence flits it sends, so that what was under way before is gone,
// then HELLO makes it say that it has heard, and HELLO that says so, or any other flit, that it is up. HELLO of another plan, and
// HELLO that has not heard where this end is up, are faults, as is any other flit before HELLO: one of the two was reset alone. A
// fault stays until reset; nothing is given or taken then.
//
// With Twice, {..., before} ends each flit, `before` being the word sent last before its number. Where one flit alone is lost, the next one brings
// its word, and from then on each flit the word before its own, until one without a word makes up for it: a cycle is lost, not two ways over the cable.
//
// After two damaged flits, where less than three good ones are between them, three good ones are not heard: of noise one flit in 65,536 passes for a good one.
//
// Timing: flit_o is what to send in a cycle with flit_take_i; flit_i counts in a cycle with flit_valid_i, it may come in every
// one. A word of put_i is in flit_o two cycles later, a word of flit_i at word_o two cycles later.

module crl_cable #(
  /// Bits of a word.
  parameter int DataW = 16,
  /// Words of each direction's memories, one more than may be under way or wait: a power of two, 2 or more.
  parameter int Depth = 256,
  /// Binary logarithm of how many flits are sent until the other end counts as silent if nothing was heard from it.
  parameter int Silence = 10,
  /// 1: a flit also carries the word before its own; Depth is 4 or more then.
  parameter int Twice = 0,
  /// Bits of a number.
  localparam int A = $clog2(Depth),
  localparam int FieldW = (DataW > A + 4) ? DataW : A + 4,
  localparam int CoreW = 1 + 2 * A + FieldW,
  localparam int FlitW = CoreW + ((Twice != 0) ? DataW : 0),
  localparam int IdentityW = 2 * A + FieldW - 3
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [IdentityW-1:0] identity_i,    // of the plan and the cable; constant
  input  logic                 end_i,         // which end of the cable this is; constant

  input  logic                 put_i,         // a word goes into the cable; only where room_o is 1
  input  logic [DataW-1:0]     data_i,
  output logic                 room_o,
  output logic                 room_ahead_o,  // what room_o will be in the next cycle

  input  logic                 take_i,        // word_o is taken; only where there_o is 1
  output logic [DataW-1:0]     word_o,
  output logic                 there_o,
  output logic                 there_ahead_o, // what there_o will be in the next cycle

  input  logic                 flit_take_i,
  output logic [FlitW-1:0]     flit_o,
  input  logic                 flit_valid_i,
  input  logic                 flit_good_i,   // with flit_valid_i: it is not damaged
  input  logic [FlitW-1:0]     flit_i,

  output logic                 up_o,
  output logic                 silent_o,
  output logic                 fault_other_o, // sticky: the other end has another plan, or is the end of another cable
  output logic                 fault_reset_o, // sticky: one of the ends was reset alone
  output logic                 repeats_o,     // pulse: words are sent again
  output logic                 damaged_o      // pulse: a flit was damaged
);

  if (DataW < 1 || Depth < 2 || (1 << A) != Depth || Silence < 1) begin : gen_bad_size
    crl_error_depth_must_be_a_power_of_two_and_data_w_silence_1_or_more u_error ();
  end

  if (Twice != 0 && Depth < 4) begin : gen_bad_twice
    crl_error_depth_must_be_4_or_more_with_twice u_error ();
  end

  // What is heard.
  logic              has_word, hello, counts, talks, same;
  logic [A-1:0]      number, taken;
  logic [FieldW-1:0] field;
  assign {has_word, number, taken, field} = flit_i[FlitW-1 -: CoreW];
  assign hello = !has_word && field[FieldW-1];

  // Which flits are heard.
  logic [2:0] good_q; // the last three
  logic       trusts_q, fault_q, calm;

  assign counts = flit_valid_i && flit_good_i && trusts_q;
  assign calm   = good_q == '1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      good_q   <= '0;
      trusts_q <= 1'b0;
    end else if (flit_valid_i) begin
      good_q   <= {good_q[1:0], flit_good_i};
      trusts_q <= flit_good_i ? trusts_q || good_q[1:0] == '1 : calm;
    end
  end

  // Which state this end is in; what it heard changes that a cycle later.
  typedef enum logic [1:0] { Deaf = 2'd0, Calls = 2'd1, Hears = 2'd2, Up = 2'd3 } state_e;
  state_e           state_q;
  logic [Silence:0] quiet_q; // flits sent since one was heard; it stops with its highest bit
  logic             counts_q, hello_q, heard_q, same_plan_q, other_plan, was_reset, fault_other_q, fault_reset_q;

  assign talks      = counts && !hello && state_q[1] && !fault_q;
  assign other_plan = counts_q && hello_q && !same_plan_q && state_q == Calls;
  assign was_reset  = counts_q && (hello_q ? !heard_q && state_q == Up : state_q == Calls);

  always_ff @(posedge clk_i) begin
    counts_q    <= rst_ni && counts && state_q != Deaf;
    hello_q     <= hello;
    heard_q     <= field[FieldW-2];
    same_plan_q <= {number, taken, field[FieldW-3:0]} == {identity_i, !end_i};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Deaf;
    else if (state_q == Deaf && quiet_q[Silence]) state_q <= Calls;
    else if (state_q == Calls && counts_q && hello_q && same_plan_q) state_q <= Hears;
    else if (state_q == Hears && counts_q && (!hello_q || heard_q)) state_q <= Up;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fault_q       <= 1'b0;
      fault_other_q <= 1'b0;
      fault_reset_q <= 1'b0;
    end else begin
      fault_q       <= fault_q || other_plan || was_reset;
      fault_other_q <= fault_other_q || other_plan;
      fault_reset_q <= fault_reset_q || was_reset;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || counts_q) quiet_q <= '0;
    else if (flit_take_i && !quiet_q[Silence]) quiet_q <= quiet_q + 1'b1;
  end

  assign up_o          = state_q == Up && !fault_q;
  assign silent_o      = quiet_q[Silence];
  assign fault_other_o = fault_other_q;
  assign fault_reset_o = fault_reset_q;
  assign damaged_o     = flit_valid_i && !flit_good_i;

  // Words that are heard. One whose number's two lowest bits are those of the last one counts as sent twice; where words are missing instead,
  // the flit without a word that comes after them tells.
  localparam int D = (A < 2) ? A : 2;
  logic [A-1:0] next_q, read_q, taken_q; // the number waited for; of word_o; of the last word taken
  logic [A-1:0] next_next, read_next;
  logic         asks, asks_q, ask_q, answered, doubled, late, missed, doubts, accept, there_q;

  assign same      = number == next_q;
  assign late      = Twice != 0 && number == next_next; // the word waited for is the one before
  assign answered  = !asks_q || (!has_word && field[FieldW-4] == ask_q);
  assign accept    = talks && ((has_word && !asks_q && same) || (late && answered));
  assign doubled   = has_word && D'(number + 1'b1) == next_q[D-1:0];
  assign missed    = !same && !late && !doubled;
  assign doubts    = damaged_o && !calm && state_q[1] && !asks_q;
  assign asks      = doubts || (talks && answered && missed);
  assign read_next = read_q + 1'b1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) next_q <= A'(1);
    else if (accept) next_q <= next_next;
  end

  if (Twice != 0) begin : gen_after
    logic [A-1:0] after_q;
    assign next_next = after_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) after_q <= A'(2);
      else if (accept) after_q <= after_q + 1'b1;
    end
  end else begin : gen_next
    assign next_next = next_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      asks_q <= 1'b0;
      ask_q  <= 1'b0;
    end else if (doubts || (talks && answered)) begin
      asks_q <= doubts || missed;
      if (asks) ask_q <= !ask_q;
    end
  end

  assign there_o       = there_q;
  assign there_ahead_o = (take_i ? read_next : read_q) != next_q && !fault_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q  <= A'(1);
      taken_q <= '0;
      there_q <= 1'b0;
    end else begin
      if (take_i) read_q <= read_next;
      if (take_i) taken_q <= read_q;
      there_q <= there_ahead_o;
    end
  end

  crl_ram #(
    .DataW(DataW),
    .Depth(Depth)
  ) u_heard (
    .clk_i  (clk_i),
    .we_i   (accept),
    .waddr_i(next_q),
    .wdata_i(late ? flit_i[DataW-1:0] : field[DataW-1:0]),
    .re_i   (1'b1),
    .raddr_i(take_i ? read_next : read_q),
    .rdata_o(word_o)
  );

  // Words that are sent. The memory is read where the next one is, which it knows a cycle after it was put.
  logic [A-1:0]      put_q, put_next, send_q, send_next, send_d, credit_q;
  logic [DataW-1:0]  word;
  logic              echo_q, urgent_q, back, sends, has_q, room_q;
  logic [FieldW-1:0] says;

  assign put_next     = put_q + 1'b1;
  assign room_o       = room_q;
  assign room_ahead_o = (put_i ? put_next : put_q) != credit_q && state_q == Up && !fault_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      put_q    <= A'(1);
      credit_q <= '0;
      room_q   <= 1'b0;
    end else begin
      if (put_i) put_q <= put_next;
      if (talks) credit_q <= taken;
      room_q <= room_ahead_o;
    end
  end

  // What a flit without a word asked is done a cycle later.
  logic         idle_q, other_ask_q;
  logic [A-1:0] other_next_q;
  always_ff @(posedge clk_i) begin
    idle_q       <= rst_ni && talks && !has_word;
    other_ask_q  <= field[FieldW-3];
    other_next_q <= field[A-1:0];
  end

  assign back      = idle_q && other_ask_q != echo_q;
  assign repeats_o = back;
  assign sends = has_q && !urgent_q;
  assign send_next = send_q + 1'b1;
  assign send_d = back ? other_next_q : (sends && flit_take_i) ? send_next : send_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      send_q    <= A'(1);
      has_q     <= 1'b0;
      echo_q    <= 1'b0;
      urgent_q  <= 1'b0;
    end else begin
      send_q <= send_d;
      has_q  <= ((sends && flit_take_i) ? send_next : send_q) != put_q && !back && state_q == Up && !fault_q;
      if (back) echo_q <= !echo_q;
      urgent_q <= back || (urgent_q && !flit_take_i);
    end
  end

  crl_ram #(
    .DataW(DataW),
    .Depth(Depth)
  ) u_sent (
    .clk_i  (clk_i),
    .we_i   (put_i),
    .waddr_i(put_q),
    .wdata_i(data_i),
    .re_i   (1'b1),
    .raddr_i(send_d),
    .rdata_o(word)
  );

  assign says   = (FieldW'({ask_q, echo_q}) << (FieldW - 4)) | FieldW'(next_q);
  assign flit_o[FlitW-1 -: CoreW] = (state_q != Up)
      ? {1'b0, identity_i[IdentityW-1 -: 2*A], 1'b1, state_q[1], identity_i[FieldW-4:0], end_i}
      : {sends, send_q, taken_q, sends ? FieldW'(word) : says};

  if (Twice != 0) begin : gen_twice
    logic [DataW-1:0] before_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) before_q <= '0;
      else if (sends && flit_take_i) before_q <= word;
    end
    assign flit_o[DataW-1:0] = before_q;
  end

`ifdef FORMAL_TOP_crl_cable
  // Whatever is heard: a fault stays, and its end is not up.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb if (!f_past_valid) assume (!rst_ni);

  always_ff @(posedge clk_i) if (f_past_valid) begin
    a_fault: assert (fault_q == (fault_other_o || fault_reset_o) && !(fault_q && up_o));
    if ($past(rst_ni)) a_stays: assert ({fault_other_o, fault_reset_o} == ({fault_other_o, fault_reset_o} | $past({fault_other_o, fault_reset_o})));
    c_fault: cover (fault_other_o && rst_ni);
  end
`endif

endmodule
