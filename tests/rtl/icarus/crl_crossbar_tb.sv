// SPDX-License-Identifier: Apache-2.0
//
// Crossbars of several sizes against a list of what was sent, word by word: anybody sends to anybody, also three at once to one
// and to ports that are not in use, with resets and clears at any time and a new latency after each quiet time. From power-up, in
// four states: what is valid, a word that is, and the faults must be known once there was a reset.
//
// Plusargs: +rounds=N, times that all is played (1); +seed=N. Prints "PASS" and how many words came out; exit code 1: what was wrong.

`timescale 1ns / 1ns

module crl_crossbar_case #(
  parameter int Ports = 2,
  parameter int LatencyMax = 1,
  parameter int Elsewhere = 0,
  parameter int Registers = 0,
  parameter int DataW = 3
) (
  input  int   rounds, seed,
  output logic done,
  output int   words
);
  localparam int NodeW = $clog2(Ports), LW = $clog2(LatencyMax + 1), Shortest = 1 + Elsewhere + Registers;

  logic                     clk = 1'b0, rst_n = 1'b1, clear = 1'b0;
  logic [NodeW:0]           nodes = '0;
  logic [LW-1:0]            latency = LW'(Shortest);
  logic [Ports-1:0]         valid = '0, conflict, outside;
  logic [Ports*NodeW-1:0]   dest = '0;
  logic [Ports*DataW-1:0]   data = '0;
  logic [2*Ports-1:0]       out_valid;
  logic [2*Ports*DataW-1:0] out_data;
  always #5 clk = !clk;

  crl_crossbar #(
    .Ports(Ports), .LatencyMax(LatencyMax), .Elsewhere(Elsewhere), .Registers(Registers), .DataW(DataW)
  ) u_crossbar (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(clear), .nodes_i(nodes), .latency_i(latency), .valid_i(valid), .dest_i(dest), .data_i(data),
    .valid_o(out_valid), .data_o(out_data), .conflict_o(conflict), .outside_o(outside)
  );

  // What was sent, by age: who, whither and what.
  logic [Ports-1:0]       sent     [0:LatencyMax];
  logic [Ports*NodeW-1:0] sent_to  [0:LatencyMax];
  logic [Ports*DataW-1:0] sent_what[0:LatencyMax];
  logic [Ports-1:0]       odd = '0, far = '0; // conflict, outside
  int                     known = 0, quiet = 0, most = 0;

  `include "random.svh"

  // Of the words of one age for a port: how many there are, and the first two.
  task automatic look(input int age, input int port, output int count, output logic [DataW-1:0] first, output logic [DataW-1:0] second);
    count = 0;
    first = '0;
    second = '0;
    for (int s = 0; s < Ports; s++)
      if (sent[age][s] && 32'(sent_to[age][s*NodeW +: NodeW]) == port) begin
        if (count == 0) first = sent_what[age][s*DataW +: DataW];
        if (count == 1) second = sent_what[age][s*DataW +: DataW];
        count = count + 1;
      end
  endtask

  task automatic compare;
    int count;
    logic [DataW-1:0] first, second;
    sent[0] = valid;
    sent_to[0] = dest;
    sent_what[0] = data;
    for (int d = 0; d < Ports; d++) begin
      look(32'(latency) - 1 - Elsewhere, d, count, first, second);
      if (out_valid[2*d +: 2] !== {count > 1, count > 0}) $fatal(1, "%m: port %0d: valid %b, not of %0d", d, out_valid[2*d +: 2], count);
      if (count > 0 && out_data[2*d*DataW +: DataW] !== first) $fatal(1, "%m: port %0d: another first word", d);
      if (count == 2 && out_data[(2*d+1)*DataW +: DataW] !== second) $fatal(1, "%m: port %0d: another second word", d);
      words = words + count;
    end
    if (conflict !== odd) $fatal(1, "%m: conflict %b, not %b", conflict, odd);
    if (outside !== far) $fatal(1, "%m: outside %b, not %b", outside, far);
  endtask

  // What the next edge makes of it.
  task automatic follow;
    int count;
    logic [DataW-1:0] first, second;
    if (clear || !rst_n) {odd, far} = '0;
    for (int d = 0; d < Ports && rst_n; d++) begin
      look(0, d, count, first, second);
      odd[d] = odd[d] || count > 2;
      far[d] = far[d] || (valid[d] && 32'(dest[d*NodeW +: NodeW]) >= 32'(nodes));
    end
    for (int age = LatencyMax; age > 0; age--) begin
      sent[age] = rst_n ? sent[age-1] : '0;
      sent_to[age] = sent_to[age-1];
      sent_what[age] = sent_what[age-1];
    end
  endtask

  task automatic choose;
    random = shuffled((known == 1) ? 32'(seed * 7919 + Ports * 31 + LatencyMax) : random);
    rst_n <= known > 1 && random[7:0] != 8'd3;
    clear <= random[12:8] == 5'd0;
    if (quiet == 2) begin // nothing is under way, so this may change, a cycle before the next word
      latency <= LW'(Shortest + 32'(random[23:16]) % (LatencyMax + 1 - Shortest));
      nodes <= (NodeW+1)'((random[15:13] == 3'd0) ? 32'(random[26:24]) % (Ports + 1) : Ports);
      most = 32'(random[28:27]);
    end
    if (quiet > 0) quiet = quiet - 1;
    else if (random[31:26] == 6'd0) quiet = LatencyMax + 3;
    for (int s = 0; s < Ports; s++) begin
      random = shuffled(random);
      valid[s] <= quiet == 0 && 32'(random[1:0]) <= most;
      // Half of the words go to the next port, so that nobody gets more than two; from time to time most go to the same.
      dest[s*NodeW +: NodeW] <= random[2] ? NodeW'((s + 1) % Ports) : random[9:4] == 6'd0 ? '0 : random[10 +: NodeW];
      data[s*DataW +: DataW] <= random[31 -: DataW];
    end
  endtask

  // Clocked, not one process that waits: Verilator 5.006 misses what such a one changes for logic without a register.
  always @(negedge clk) if (!done) choose;
  always @(posedge clk) if (!done) begin
    if (known > 1) compare; // after the first edge with a reset
    if (known > 0) follow;
    known = known + 1;
    done = known == 400 * rounds;
  end

  initial begin
    {done, words} = '0;
    for (int age = 0; age <= LatencyMax; age++) {sent[age], sent_to[age], sent_what[age]} = '0;
  end
endmodule

module crl_crossbar_tb;
  int              rounds, seed;
  logic [7:0]      done;
  int              words [0:7];

  crl_crossbar_case #(.Ports(2), .LatencyMax(1)) u_wire (.rounds, .seed, .done(done[0]), .words(words[0]));
  crl_crossbar_case #(.Ports(3), .LatencyMax(2)) u_one (.rounds, .seed, .done(done[1]), .words(words[1]));
  crl_crossbar_case #(.Ports(5), .LatencyMax(5)) u_late (.rounds, .seed, .done(done[2]), .words(words[2]));
  crl_crossbar_case #(.Ports(4), .LatencyMax(2), .Registers(1)) u_register (.rounds, .seed, .done(done[3]), .words(words[3]));
  crl_crossbar_case #(.Ports(3), .LatencyMax(3), .Elsewhere(2)) u_stages (.rounds, .seed, .done(done[4]), .words(words[4]));
  crl_crossbar_case #(.Ports(8), .LatencyMax(7), .Elsewhere(2), .Registers(1)) u_both (.rounds, .seed, .done(done[5]), .words(words[5]));
  crl_crossbar_case #(.Ports(4), .LatencyMax(9), .DataW(1)) u_later (.rounds, .seed, .done(done[6]), .words(words[6]));
  crl_crossbar_case #(.Ports(6), .LatencyMax(5), .Elsewhere(2), .Registers(1)) u_short (.rounds, .seed, .done(done[7]), .words(words[7]));

  initial begin
    if (!$value$plusargs("rounds=%d", rounds)) rounds = 1;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    wait (done === '1);
    for (int i = 0; i < 8; i++) if (words[i] < 60 * rounds) $fatal(1, "case %0d: only %0d words", i, words[i]);
    $display("PASS: %0d crossbars, %0d words in the largest", 8, words[5]);
    $finish(0);
  end
endmodule
