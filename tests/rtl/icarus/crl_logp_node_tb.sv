// SPDX-License-Identifier: Apache-2.0
//
// Processors of LogP machines, of several forms, against a list of what their rows say (docs/formats/logp.md): random rows, words that
// are missing or come uncalled, rows of bad parity, starts while busy, clears and resets at any time. Every output every cycle, from
// power-up, in four states. No row reads what the row before it stores, and the first sends nothing of a row before it.
//
// Plusargs: +rounds=N, times that all is played (1); +seed=N. Prints "PASS" and how many words were sent; exit code 1: what was wrong.

`timescale 1ns / 1ns

module crl_logp_node_case #(
  parameter int Stages = 0,
  parameter int Words = 1,
  parameter int DataW = 5,
  parameter int AddrW = 2,
  parameter int NodeW = 2,
  parameter int TableDepth = 6
) (
  input  int   rounds, seed,
  output logic done,
  output int   sends
);
  localparam int TA = $clog2(TableDepth), PW = (Words > 1) ? $clog2(Words) : 1, RowW = 17 + NodeW + 2 * AddrW, Places = 1 << AddrW;

  logic               clk = 1'b0, rst_n = 1'b0, clear = 1'b0, start = 1'b0, we = 1'b0;
  logic [TA-1:0]      last_row = '0, addr = '0;
  logic [PW-1:0]      last_page = '0;
  logic [1:0]         op = '0, in_valid = '0;
  logic [RowW-1:0]    row = '0;
  logic [2*DataW-1:0] in_data = '0;
  logic               busy, valid, bad_parity;
  logic [NodeW-1:0]   dest;
  logic [DataW-1:0]   data;
  logic [3:0]         fault;
  logic [TA-1:0]      fault_row, bad_row;
  always #5 clk = !clk;

  crl_logp_node #(
    .DataW(DataW), .AddrW(AddrW), .NodeW(NodeW), .TableDepth(TableDepth), .Words(Words), .Stages(Stages)
  ) u_node (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(clear), .start_i(start), .last_row_i(last_row), .last_page_i(last_page), .busy_o(busy),
    .op_i(op), .table_we_i(we), .table_addr_i(addr), .table_data_i(row), .link_valid_i(in_valid), .link_data_i(in_data),
    .link_valid_o(valid), .link_dest_o(dest), .link_data_o(data), .fault_o(fault), .fault_row_o(fault_row),
    .fault_parity_o(bad_parity), .fault_parity_row_o(bad_row)
  );

  // ---- the processor as the format says. In time t row t - 2 acts; -1: nothing plays.
  int                     t = -1, rows = 1, total_rows = 1;
  logic [RowW-1:0]        table_q [0:TableDepth-1];
  logic [DataW-1:0]       bank    [0:Words*Places-1];
  logic [DataW-1:0]       part, total, held_word, last;
  logic                   full = 1'b0, bad_q = 1'b0, row_known = 1'b0;
  logic [3:0]             fault_q = '0;
  logic [TA-1:0]          fault_row_q, bad_row_q;
  logic [2:0]             leaves = '0; // by age
  logic [3*(NodeW+DataW)-1:0] leaving = '0;
  logic                   filled = 1'b0; // whether all that it holds is known

  `include "random.svh"

  function automatic logic [DataW-1:0] combined(input logic [DataW-1:0] a, input logic [DataW-1:0] b);
    case (op)
      2'd0: combined = a + b;
      2'd1: combined = (a < b) ? a : b;
      2'd2: combined = (a > b) ? a : b;
      default: combined = a ^ b;
    endcase
  endfunction

  function automatic logic acts;
    acts = t >= 2 && t - 2 < total_rows;
  endfunction

  function automatic logic still_busy;
    still_busy = t >= 0 && t < total_rows + 2 + Stages;
  endfunction

  task automatic compare;
    if (busy !== still_busy()) $fatal(1, "%m: busy %b in time %0d of %0d rows", busy, t, total_rows);
    if (valid !== leaves[Stages]) $fatal(1, "%m: sends %b in time %0d", valid, t);
    if (valid && {dest, data} !== leaving[Stages*(NodeW+DataW) +: NodeW+DataW])
      $fatal(1, "%m: sends %h to %0d, not %h in time %0d", data, dest, leaving[Stages*(NodeW+DataW) +: NodeW+DataW], t);
    if (fault !== fault_q) $fatal(1, "%m: fault %b, not %b in time %0d", fault, fault_q, t);
    if (fault[2:0] != '0 && row_known && fault_row !== fault_row_q) $fatal(1, "%m: fault in row %0d, not %0d", fault_row, fault_row_q);
    if (bad_parity !== bad_q) $fatal(1, "%m: parity fault %b, not %b", bad_parity, bad_q);
    if (bad_parity && bad_row !== bad_row_q) $fatal(1, "%m: parity fault in row %0d, not %0d", bad_row, bad_row_q);
    sends = sends + 32'(valid);
  endtask

  // What the next edge makes of it.
  task automatic follow;
    logic [RowW-1:0]  now;
    logic [1:0]       expected;
    logic [2:0]       wrong;
    logic [DataW-1:0] first, second, taken, stored, operand, value;
    int               number, page;
    logic             acting, hold, held;
    acting = acts();
    number = acting ? (t - 2) % rows : 0;
    page = acting ? (t - 2) / rows : 0;
    now = acting ? table_q[number] : '0;
    expected = now[6:5];
    {held, hold} = now[8:7];
    {second, first} = in_data;
    taken = held ? held_word : now[9] ? second : first;
    stored = bank[page*Places + 32'(now[17+NodeW +: AddrW])];
    operand = now[12] ? stored : taken;
    if (now[13]) part = now[14] ? combined(part, operand) : operand;
    if (now[15]) total = now[16] ? combined(total, operand) : operand;
    if (now[10]) bank[page*Places + 32'(now[17+NodeW+AddrW +: AddrW])] = now[11] ? total : taken;
    casez (now[4:2])
      3'b000: value = stored;
      3'b001: value = taken;
      3'b01?: value = last;
      3'b1?0: value = part;
      default: value = total;
    endcase
    last = taken;
    leaves = {leaves[1:0], now[1]};
    leaving = {leaving[2*(NodeW+DataW)-1:0], now[17 +: NodeW], value};

    wrong = {!acting && (in_valid & ~expected) != '0, acting && (in_valid & ~expected) != '0, (expected & ~in_valid) != '0};
    if (clear || fault_q[2:0] == '0) begin
      fault_row_q = TA'(number);
      row_known = acting;
    end
    fault_q[2:0] = (clear ? 3'd0 : fault_q[2:0]) | wrong;
    fault_q[3] = (fault_q[3] && !clear) || (held && !full) || (hold && full && !held);
    full = !clear && (hold || (full && !held));
    if (hold) held_word = (expected == 2'd3 && !now[9]) ? second : first;
    if (clear || !bad_q) bad_row_q = TA'(number);
    bad_q = (bad_q && !clear) || (acting && ^now);

    if (start && !still_busy()) t = 0;
    else if (t >= 0) t = t + 1;
    if (!still_busy()) t = -1;
    if (we) table_q[addr] = row;
    if (!rst_n) begin
      {fault_q, full, bad_q, leaves} = '0;
      t = -1;
      filled = 1'b0;
    end
  endtask

  // ---- what is played

  task automatic step;
    int number;
    compare;
    number = acts() ? (t - 2) % rows : 0;
    in_valid = acts() ? table_q[number][6:5] : '0;
    if (filled && below(60) == 0) in_valid = in_valid ^ 2'(1 + below(3));
    random = shuffled(random);
    in_data = random[31 -: 2*DataW];
    if (filled) begin
      clear = below(24) == 0;
      rst_n = below(150) != 0;
      if (still_busy() && below(4) == 0) start = 1'b1;
    end
    follow;
    @(negedge clk);
    rst_n = 1'b1;
  endtask

  task automatic load(input int number, input logic [RowW-1:0] what, input logic odd);
    {we, addr, row} = {1'b1, TA'(number), what};
    row[0] = 1'b0;
    row[0] = ^row ^ odd;
    step;
    we = 1'b0;
  endtask

  task automatic play(input int count, input int pages);
    rows = count;
    total_rows = count * pages;
    {last_row, last_page} = {TA'(count - 1), PW'(pages - 1)};
    start = 1'b1;
    step;
    start = 1'b0;
    while (still_busy()) begin
      step;
      start = 1'b0;
    end
    clear = 1'b0;
    for (int n = below(4); n > 0; n--) step;
  endtask

  // A word to each place of each page, the accumulators and the holding register.
  task automatic fill;
    logic [RowW-1:0] what;
    clear = 1'b0;
    for (int a = 0; a < Places; a++) begin
      what = '0;
      {what[RowW-1 -: AddrW], what[15], what[13], what[10], what[8], what[7], what[5]} = {AddrW'(a), 3'b111, a == 1, a == 0, 1'b1};
      load(a, what, 1'b0);
    end
    play(Places, Words);
    filled = 1'b1;
  endtask

  task automatic load_random(input int count);
    logic [RowW-1:0] what, prior;
    logic            waits, odd;
    waits = 1'b0;
    prior = '0;
    for (int n = 0; n < count && filled; n++) begin
      random = shuffled(random);
      what = RowW'({random, shuffled(~random)});
      what[6:5] = 2'((below(3) == 0) ? 0 : (below(2) == 0) ? 1 : 3);
      if (what[6:5] != 2'd3) what[9] = 1'b0;
      what[8] = (below(24) == 0) || (waits && (n == count - 1 || below(2) == 0));
      what[7] = (below(24) == 0) || (what[5] && n != count - 1 && (!waits || what[8]) && below(2) == 0);
      if (!what[5]) what[7] = 1'b0;
      waits = what[7] || (waits && !what[8]);
      if (n == 0 && what[4:3] == 2'b01) what[3] = 1'b0;
      if (prior[10] && prior[RowW-1 -: AddrW] == what[17+NodeW +: AddrW])
        what[17+NodeW +: AddrW] = what[17+NodeW +: AddrW] + 1'b1;
      prior = what;
      odd = below(50) == 0;
      load(n, what, odd);
    end
  endtask

  initial begin
    int count;
    {done, sends} = '0;
    #1 random = 32'(seed * 7919 + Stages * 31 + Words + TableDepth * 77);
    @(negedge clk);
    @(negedge clk) rst_n = 1'b1; // one edge is enough
    for (int n = 0; n < 25 * rounds; n++) begin
      if (!filled) fill;
      if (below(8) == 0) step;
      op = 2'(below(4));
      count = 1 + below(TableDepth);
      load_random(count);
      for (int again = below(2); filled && again >= 0; again--) play(count, 1 + below(Words));
    end
    done = 1'b1;
  end
endmodule

module crl_logp_node_tb;
  int         rounds, seed;
  logic [4:0] done;
  int         sends [0:4];

  crl_logp_node_case #(.Stages(0)) u_plain (.rounds, .seed, .done(done[0]), .sends(sends[0]));
  crl_logp_node_case #(.Stages(2)) u_stages (.rounds, .seed, .done(done[1]), .sends(sends[1]));
  crl_logp_node_case #(.Stages(0), .Words(3), .AddrW(1), .NodeW(1), .TableDepth(9)) u_pages (.rounds, .seed, .done(done[2]), .sends(sends[2]));
  crl_logp_node_case #(.Stages(2), .Words(2), .NodeW(4), .TableDepth(16)) u_both (.rounds, .seed, .done(done[3]), .sends(sends[3]));
  crl_logp_node_case #(.Stages(2), .Words(5), .DataW(1), .TableDepth(5)) u_odd (.rounds, .seed, .done(done[4]), .sends(sends[4]));

  initial begin
    if (!$value$plusargs("rounds=%d", rounds)) rounds = 1;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    wait (done === '1);
    for (int i = 0; i < 5; i++) if (sends[i] < 20 * rounds) $fatal(1, "case %0d: only %0d words", i, sends[i]);
    $display("PASS: %0d processors, %0d words of the largest", 5, sends[3]);
    $finish(0);
  end
endmodule
