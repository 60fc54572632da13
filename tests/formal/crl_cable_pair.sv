// SPDX-License-Identifier: Apache-2.0
//
// Both ends of a cable, which loses, doubles and damages flits and takes as long for each as it likes. Words put in at end 0 come out
// at end 1 once each, whole and in their order, no more of them wait than there is room for, and when the cable has been good for a
// while none waits any more, whatever was before.
//
// The last is proved in two steps, since a search from reset does not end with Depth 4. What must hold for it is proved of all
// states that can be reached (Anywhere 0). From any state at all in which that holds, all is through in Calm cycles (Anywhere 1).

module crl_cable_pair #(
  parameter int Depth = 2,
  /// 1: begins in any state in which what the other proof shows holds, with a good cable from then on.
  parameter int Anywhere = 0,
  /// Cycles of a good cable after which all is through.
  parameter int Calm = 24,
  /// 1: a good cable takes a flit in every second cycle at most.
  parameter int Slow = 0,
  /// 1: flits carry each word twice.
  parameter int Twice = 0,
  localparam int A = $clog2(Depth),
  localparam int FlitW = 1 + 2 * A + A + 4 + Twice,
  localparam int IdentityW = 3 * A + 1
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [1:0] put_i,
  input logic [1:0] data_i,
  input logic [1:0] take_i,
  input logic [1:0] sends_i,   // end e says something
  input logic [1:0] comes_i,   // it hears something,
  input logic [1:0] keeps_i,   //   and will once more,
  input logic [1:0] good_i,    //   not damaged,
  input logic [1:0] loses_i,   // or that is lost
  input logic       calm_i     // from now on all is well
);

  logic [1:0]         put, take, room, there, word, up, other, was_reset, flit_take, arrives, good, repeats;
  logic [2*FlitW-1:0] flit, way_q;
  logic [1:0]         full_q; // of what is under way to end e
  logic [1:0]         took_q; // end e sent something in the last cycle
  always_ff @(posedge clk_i) took_q <= flit_take;

  logic calm_q;
  always_ff @(posedge clk_i) calm_q <= rst_ni && (calm_q || calm_i);

  assign put  = put_i & room & {2{!calm_q}};
  assign take = (take_i | {2{calm_q}}) & there;

`ifdef FORMAL
  logic [1:0]     fault;
  logic [2*A-1:0] put_n, credit, send_n, next_n, read_n, taken;
`endif

  for (genvar e = 0; e < 2; e++) begin : gen_end
    logic unused_ahead, unused_also, unused_silent, unused_damaged;
    crl_cable #(
      .DataW  (1),
      .Depth  (Depth),
      .Silence(1),
      .Twice  (Twice)
    ) u_end (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .identity_i   (IdentityW'(5)),
      .end_i        (1'(e)),
      .put_i        (put[e]),
      .data_i       (data_i[e]),
      .room_o       (room[e]),
      .room_ahead_o (unused_ahead),
      .take_i       (take[e]),
      .word_o       (word[e]),
      .there_o      (there[e]),
      .there_ahead_o(unused_also),
      .flit_take_i  (flit_take[e]),
      .flit_o       (flit[e*FlitW +: FlitW]),
      .flit_valid_i (arrives[e]),
      .flit_good_i  (good[e]),
      .flit_i       (way_q[e*FlitW +: FlitW] ^ {FlitW{!good[e]}}), // what is damaged is something else
      .up_o         (up[e]),
      .silent_o     (unused_silent),
      .fault_other_o(other[e]),
      .fault_reset_o(was_reset[e]),
      .repeats_o    (repeats[e]),
      .damaged_o    (unused_damaged)
    );

`ifdef FORMAL
    // The end's own registers, by what flattening calls them.
    (* hierconn *) wire \u_end.fault_q ;
    (* hierconn *) wire [A-1:0] \u_end.put_q ;
    (* hierconn *) wire [A-1:0] \u_end.credit_q ;
    (* hierconn *) wire [A-1:0] \u_end.send_q ;
    (* hierconn *) wire [A-1:0] \u_end.next_q ;
    (* hierconn *) wire [A-1:0] \u_end.read_q ;
    (* hierconn *) wire [A-1:0] \u_end.taken_q ;
    assign fault[e]          = \u_end.fault_q ;
    assign put_n[e*A +: A]   = \u_end.put_q ;
    assign credit[e*A +: A]  = \u_end.credit_q ;
    assign send_n[e*A +: A]  = \u_end.send_q ;
    assign next_n[e*A +: A]  = \u_end.next_q ;
    assign read_n[e*A +: A]  = \u_end.read_q ;
    assign taken[e*A +: A]   = \u_end.taken_q ;
`endif

    // On its way to end e.
    logic leaves;
    assign arrives[e] = full_q[e] && (comes_i[e] || calm_q);
    assign good[e]    = good_i[e] || calm_q;
    assign leaves     = full_q[e] && (calm_q || (comes_i[e] ? !keeps_i[e] : loses_i[e]));
    assign flit_take[1-e] = (calm_q ? Slow == 0 || !took_q[1-e] : sends_i[1-e]) && (!full_q[e] || leaves);

    always_ff @(posedge clk_i) begin
      if (!rst_ni) full_q[e] <= 1'b0;
      else full_q[e] <= flit_take[1-e] || (full_q[e] && !leaves);
      if (flit_take[1-e]) way_q[e*FlitW +: FlitW] <= flit[(1-e)*FlitW +: FlitW];
    end
  end

`ifdef FORMAL
  // Any one word from end 0, followed until it is taken: how many are before it, and what it is.
  logic         f_past_valid, f_in, f_word;
  logic [A:0]   f_count, f_before;
  logic [6:0]   f_calm;
  logic [2:0]   f_good [0:1]; // how many good flits end e has heard, to 5
  (* anyseq *) logic f_follow;
  initial f_past_valid = 1'b0;

  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    if (!rst_ni) begin
      f_count <= '0;
      f_in    <= 1'b0;
      f_calm  <= '0;
      f_good[0] <= '0;
      f_good[1] <= '0;
    end else begin
      f_count <= f_count + (A+1)'(put[0]) - (A+1)'(take[1]);
      if (!f_in && put[0] && f_follow) begin
        f_in     <= 1'b1;
        f_before <= f_count - (A+1)'(take[1]);
        f_word   <= data_i[0];
      end else if (f_in && take[1]) begin
        f_in     <= f_before != '0;
        f_before <= f_before - 1'b1;
      end
      if (arrives[0] && good[0] && f_good[0] != 3'd5) f_good[0] <= f_good[0] + 1'b1;
      if (arrives[1] && good[1] && f_good[1] != 3'd5) f_good[1] <= f_good[1] + 1'b1;
      if (calm_q && 32'(f_calm) < Calm) f_calm <= f_calm + 1'b1;
    end
  end

  // Numbers of words count from the credit on, so that none is Depth or more: words are taken, heard, sent and put in this order.
  logic [1:0] ordered, clear;
  for (genvar e = 0; e < 2; e++) begin : gen_lemmas
    logic [A-1:0] none, last_taken, last_heard, last_sent, last_put;
    assign none       = credit[e*A +: A];
    assign last_put   = put_n[e*A +: A] - 1'b1 - none;
    assign last_sent  = send_n[e*A +: A] - 1'b1 - none;
    assign last_heard = next_n[(1-e)*A +: A] - 1'b1 - none;
    assign last_taken = taken[(1-e)*A +: A] - none;
    assign ordered[e] = last_taken <= last_heard && last_heard <= last_sent && last_sent <= last_put;
    assign clear[e]   = up[e] || (put_n[e*A +: A] == A'(1) && send_n[e*A +: A] == A'(1)); // nothing is sent before it is up
  end

  logic counted;
  assign counted = 32'(f_count) < Depth && A'(f_count) == A'(put_n[A-1:0] - read_n[2*A-1:A]);

  if (Anywhere == 0) begin : gen_reached
    always_comb assume (rst_ni == f_past_valid);

    always_comb if (f_past_valid) begin
      a_room: assert (32'(f_count) < Depth);
      if (take[1]) a_none_made_up: assert (f_count != '0);
      if (take[1] && f_in && f_before == '0) a_word: assert (word[1] == f_word);
      // Three until one counts, one that says HELLO, and one that has heard it.
      a_up_by_good: assert ((!up[0] || f_good[0] == 3'd5) && (!up[1] || f_good[1] == 3'd5));
      a_no_fault: assert (fault == '0 && other == '0 && was_reset == '0);
      a_ordered: assert (&ordered);
      a_clear: assert (&clear);
      a_counted: assert (counted);
      c_repeated: cover (take[1] && f_in && repeats[1]);
    end
  end else begin : gen_anywhere
    always_comb begin
      assume (rst_ni && calm_i && fault == '0 && &ordered && &clear && counted);
      if (!f_past_valid) assume (f_calm == '0);
    end

    always_comb if (32'(f_calm) == Calm) begin
      a_through_in_calm_cycles: assert (f_count == '0 && up == 2'b11);
      c_calm: cover (f_past_valid);
    end
  end
`endif

endmodule
