// SPDX-License-Identifier: Apache-2.0
//
// Two boards' ends of a cable, each with its own clock, and what can happen to what is between them. Every word is judged.
`timescale 1ps / 1ps

module cable #(
  parameter int Wired = 0,      // 1: wires; 0: flits as they are, one a cycle where one may go
  parameter int DataW = 16,
  parameter int Depth = 16,
  parameter int Twice = 0,      // flits carry each word twice
  parameter int Words = 2000,   // each way
  parameter int PpmA = 0,
  parameter int PpmB = 0,
  parameter int Delay = 23,     // of the cable, in cycles
  parameter int Jitter = 0,     // of each edge on a wire, each way, in thousandths of a cycle
  parameter int Errors = 0,     // flits in a million that are damaged, as many that are lost, and as many doubled
  parameter int Gaps = 1,       // puts and takes come at random, in one cycle of so many
  parameter int OneWay = 0,
  // 0: none; 1: unplugged for a while; 2: noise on both wires for a while; 3: another plan; 4: the same end twice; 5: end 1 is
  // reset alone; 6: as 5, and end 0 is unplugged until end 1 has called for long; 7: end 1 begins late
  parameter int Event = 0,
  parameter int Cycles = 0      // not used: a longer run of other benches
);
  localparam int Silence = 6;
  localparam int A = $clog2(Depth);
  localparam int FieldW = (DataW > A + 4) ? DataW : A + 4;
  localparam int FlitW = 1 + 2 * A + FieldW + ((Twice != 0) ? DataW : 0) + 16;
  localparam int Period = 10000;

  function automatic [DataW-1:0] word(input int from, input int n);
    word = DataW'(((n + 17 * from) * 40503) ^ (n >>> 3));
  endfunction

  logic [1:0] clk, rst_n, put, room, take, there, up, silent, other, was_reset, repeats, damaged;
  logic [1:0] flit_take, flit_valid, heard_valid, wire_out, wire_in;
  logic [2*DataW-1:0] data, got;
  logic [2*FlitW-1:0] flit, heard;
  logic [1:0][31:0] put_count, got_count, repeated, spoilt;
  int wrong, plugged, noisy, finished, holds;
  time first_got [0:1], last_got [0:1];

  initial begin
    clk = '0;
    rst_n = '0;
    wrong = 0;
    plugged = 1;
    noisy = 0;
    holds = 0;
    finished = 0;
  end

  for (genvar e = 0; e < 2; e++) begin : gen_end
    localparam int Half = (Period + Period * ((e == 0) ? PpmA : PpmB) / 1000000) / 2;
    localparam int Id = 1000 + ((e == 1 && Event == 3) ? 1 : 0);
    localparam int End = (Event == 4) ? 0 : e;
    logic ahead_room, ahead_there;

    initial begin
      #(e * 3331);
      forever #(Half) clk[e] = !clk[e];
    end

    if (Wired != 0) begin : gen_wired
      crl_cable_port #(.Wired(1), .DataW(DataW), .Depth(Depth), .Silence(Silence), .Twice(Twice), .Told(1)) u_end (
        .clk_i(clk[e]), .rst_ni(rst_n[e]), .identity_i(32'(Id)), .end_i(1'(End)), .put_i(put[e]), .data_i(data[e*DataW +: DataW]), .room_o(room[e]), .room_ahead_o(ahead_room),
        .take_i(take[e]), .word_o(got[e*DataW +: DataW]), .there_o(there[e]), .there_ahead_o(ahead_there),
        .line_i(wire_in[e]), .line_o(wire_out[e]), .line_take_i(1'b1), .line_valid_i(1'b1), .line_valid_o(always_valid), .up_o(up[e]), .silent_o(silent[e]), .fault_other_o(other[e]),
        .fault_reset_o(was_reset[e]), .repeats_o(repeats[e]), .damaged_o(damaged[e]));

      logic always_valid;

      // The wire: each edge comes later by the delay and some jitter; unplugged it stays, noise is whatever.
      logic plain, noise;
      initial noise = 0;
      wire heard_wire = wire_out[1-e];
      always @(heard_wire) plain <= #(Delay * Period + ((Jitter != 0) ? $urandom_range(0, 2 * Jitter) * (Period / 1000) : 0)) wire_out[1-e];
      always begin
        #($urandom_range(Period / 2, 12 * Period));
        noise = (noisy != 0) && !noise;
      end
      assign wire_in[e] = (noisy != 0) ? noise : (plugged != 0) ? plain : 1'b0;
    end else begin : gen_port
      crl_cable_port #(.DataW(DataW), .Depth(Depth), .Silence(Silence), .Twice(Twice), .Identity(Id), .End(End)) u_end (
        .clk_i(clk[e]), .rst_ni(rst_n[e]), .identity_i(32'h0), .end_i(1'b0), .put_i(put[e]), .data_i(data[e*DataW +: DataW]), .room_o(room[e]), .room_ahead_o(ahead_room),
        .take_i(take[e]), .word_o(got[e*DataW +: DataW]), .there_o(there[e]), .there_ahead_o(ahead_there),
        .line_take_i(flit_take[e]), .line_valid_o(flit_valid[e]), .line_o(flit[e*FlitW +: FlitW]),
        .line_valid_i(heard_valid[e]), .line_i(heard[e*FlitW +: FlitW]), .up_o(up[e]), .silent_o(silent[e]),
        .fault_other_o(other[e]), .fault_reset_o(was_reset[e]), .repeats_o(repeats[e]), .damaged_o(damaged[e]));

      // The cable from here to the other end.
      logic [FlitW-1:0] under_way [0:4095];
      time              due [0:4095];
      int               first, last, copies;
      logic [FlitW-1:0] sent;
      initial begin
        first = 0;
        last = 0;
        flit_take[e] = 1'b0;
        heard_valid[1-e] = 1'b0;
      end

      always @(posedge clk[e]) begin
        if (flit_take[e] && flit_valid[e] && rst_n[e]) begin
          sent = flit[e*FlitW +: FlitW];
          if ($urandom_range(0, 999999) < Errors || noisy != 0)
            for (int i = 0; i < 3; i++) sent[$urandom_range(0, FlitW - 1)] ^= 1'b1;
          copies = (plugged == 0) ? 0 : ($urandom_range(0, 999999) < Errors) ? 0 : ($urandom_range(0, 999999) < Errors) ? 2 : 1;
          for (int i = 0; i < copies; i++) begin
            under_way[last % 4096] = sent;
            due[last % 4096] = $time + Delay * Period;
            last++;
          end
        end
        flit_take[e] <= PpmA == 0 && PpmB == 0 && Errors == 0 || $urandom_range(0, 7) != 0; // a transceiver's pauses, for the other's clock
      end

      always @(posedge clk[1-e]) begin
        heard_valid[1-e] <= 1'b0;
        if (first != last && due[first % 4096] <= $time) begin
          heard_valid[1-e] <= 1'b1;
          heard[(1-e)*FlitW +: FlitW] <= under_way[first % 4096];
          first++;
        end
      end
    end

    // Who puts words in and takes them out.
    initial begin
      put_count[e] = 0;
      got_count[e] = 0;
      repeated[e] = 0;
      spoilt[e] = 0;
    end

    logic may_put, may_take;
    int   faulty = 0;
    assign put[e]  = may_put && room[e] && put_count[e] < Words && !(OneWay != 0 && e == 1);
    assign take[e] = may_take && there[e] && !(holds != 0 && e == 0);
    assign data[e*DataW +: DataW] = word(e, put_count[e]);

    always @(posedge clk[e]) begin
      if (rst_n[e]) begin
        if (take[e]) begin
          if (got[e*DataW +: DataW] !== word(1 - e, got_count[e])) begin
            wrong++;
            if (wrong < 5) $display("%0t: end %0d took %h for word %0d, %h", $time, e, got[e*DataW +: DataW], got_count[e], word(1 - e, got_count[e]));
          end
          if (got_count[e] >= put_count[1-e]) wrong++; // more than were put
          if (got_count[e] == 0) first_got[e] = $time;
          last_got[e] = $time;
          got_count[e] <= got_count[e] + 1;
        end
        if (put[e]) put_count[e] <= put_count[e] + 1;
      end
      if (rst_n[e]) begin
        if (^{room[e], there[e], up[e], silent[e], other[e], was_reset[e]} === 1'bx) wrong++;
        if (repeats[e] === 1'b1) repeated[e] <= repeated[e] + 1;
        if (damaged[e] === 1'b1) spoilt[e] <= spoilt[e] + 1;
        if ((other[e] || was_reset[e]) && up[e]) wrong++;
        // From then on nothing is given, taken or sent.
        faulty <= !(other[e] || was_reset[e]) ? 0 : faulty + 1;
        if (faulty > 2 && (there[e] || room[e])) wrong++;
        if (faulty > 16 && Wired == 0 && flit_valid[e] && flit[(e+1)*FlitW-1]) wrong++;
      end else faulty <= 0;
      may_put  <= $urandom_range(0, Gaps - 1) == 0;
      may_take <= $urandom_range(0, Gaps - 1) == 0;
    end

    // What is known a cycle ahead comes true.
    logic was_room, was_there, was_rst;
    always @(posedge clk[e]) begin
      was_room  <= ahead_room;
      was_there <= ahead_there;
      was_rst   <= rst_n[e];
      if (rst_n[e] && was_rst === 1'b1 && ((was_room !== room[e]) || (was_there !== there[e]))) wrong++;
    end
  end

  function automatic int all_came(input int dummy);
    all_came = got_count[1] == Words && (got_count[0] == Words || OneWay != 0);
  endfunction

  task automatic wait_for_words(input longint cycles);
    longint waited;
    waited = 0;
    while (all_came(0) == 0 && waited < cycles) begin
      #(16 * Period);
      waited += 16;
    end
    if (all_came(0) == 0) begin
      $display("%0d and %0d words of %0d came", got_count[0], got_count[1], Words);
      wrong++;
    end
  endtask

  task automatic expect_it(input int truth, input string text);
    if (truth == 0) begin
      $display("not seen: %s", text);
      wrong++;
    end
  endtask

  localparam longint Flit = (Wired != 0) ? 400 : 1;
  localparam longint Settle = Flit * 200 + 40 * Delay;

  int so_far;
  initial begin
    #(10 * Period);
    rst_n[0] = 1'b1;
    #(((Event == 7) ? 3 * Settle : 7) * Period);
    if (Event == 7) expect_it(silent[0] && !up[0], "silence before the other end begins");
    rst_n[1] = 1'b1;
    case (Event)
      0, 7: begin
        wait_for_words(Settle + Words * Flit * Gaps * ((Errors != 0) ? 16 : 4) * (1 + 4 * Delay / Depth));
        expect_it(up == 2'b11 && !silent, "both up");
        if (Errors == 0) expect_it(repeated[0] + repeated[1] + spoilt[0] + spoilt[1] == 0, "no repetition");
        else if (Twice != 0) expect_it(6 * (repeated[0] + repeated[1]) < spoilt[0] + spoilt[1], "few repetitions for damaged flits");
        else expect_it(repeated[0] > 0 && repeated[1] > 0 && spoilt[0] > 0 && spoilt[1] > 0, "repetitions counted");
        if (Wired != 0 && Errors == 0 && Gaps == 1 && Words > 1) begin
          $display("%0d cycles a word", (last_got[1] - first_got[1]) / (Words - 1) / Period);
          // From first to last; the slower clock's cycles.
          expect_it((last_got[1] - first_got[1]) <= 64'(Words - 1) * 200 * (Period + 32'(64'(Period) * ((PpmA > PpmB) ? PpmA : PpmB) / 1000000)) +
                    64'(Period), "no more than 200 cycles a word");
        end
      end
      1, 2: begin
        while (got_count[1] < Words / 2) #(16 * Period);
        noisy = (Event == 2) ? 1 : 0;
        plugged = (Event == 1) ? 0 : 1;
        #(((Wired != 0) ? 50000 : 4000) * Period);
        so_far = got_count[1];
        #(2 * Flit * 64 * Period);
        if (Event == 1) expect_it(&silent, "silence where it is unplugged");
        expect_it(got_count[1] == so_far, "all waits");
        noisy = 0;
        plugged = 1;
        wait_for_words(Settle + Words * 8 * Flit * Gaps);
        expect_it(up == 2'b11 && !silent && {other, was_reset} == '0, "both up again");
      end
      3, 4: begin
        #(2 * Settle * Period);
        expect_it(other == 2'b11 && was_reset == 2'b00 && up == 2'b00 && put_count[0] + put_count[1] == 0, "another plan at both ends");
      end
      5, 6: begin
        while (got_count[1] < Words / 2) #(16 * Period);
        holds = 1; // words wait when it is seen
        #((20 * Flit + 4 * Delay) * Period);
        expect_it(there[0], "a word that waits");
        if (Event == 6) plugged = 0;
        rst_n[1] = 1'b0;
        #(20 * Period);
        rst_n[1] = 1'b1;
        if (Event == 6) begin
          #(Settle * Period);
          plugged = 1;
        end
        so_far = got_count[1];
        #(2 * Settle * Period);
        holds = 0;
        #(20 * Period);
        expect_it(was_reset == 2'b11 && other == 2'b00 && up == 2'b00, "a reset at both ends");
        expect_it(got_count[1] == so_far, "nothing is taken after it");
      end
      default: wrong++;
    endcase
    $display("%0d words, %0d wrong", got_count[0] + got_count[1] + ((Event == 3 || Event == 4) ? 1 : 0), wrong);
    $finish;
  end
endmodule
