// SPDX-License-Identifier: Apache-2.0
//
// Plays a table a processor on a LogP machine, from power-up, in four states, and prints every word that a processor sends as
// `cycle node destination data`, cycle 0 = the first word. Only the banks' places that have a packet are written before: the
// others are unknown, and so are the rows behind the last.
//
// Plusargs: +tables=FILE, Nodes * Rows rows, those of processor 0 first, as `carillon dump` prints them (NodeW 6, AddrW 8);
// +words=FILE, Words * Nodes * Places words: what lies at place 0, 1, ... of processor 0, ... first of page 0; x: nothing.
// An output that is unknown, or a fault, ends the run with exit code 1.

`timescale 1ns / 1ns

module crl_logp_tb #(
  parameter int Nodes = 4,
  parameter int Latency = 4,
  parameter int LatencyMin = 1,
  parameter int Words = 1,
  parameter int Rows = 8,
  parameter int Places = 1,
  /// What the bench does against the contract of the machine: 1 loads while busy.
  parameter int Wrong = 0
);
  localparam int DataW = 32, AddrW = 8, TableDepth = 64, DumpNodeW = 6, LatencyMax = 6;
  localparam int NodeW = $clog2(Nodes), LW = $clog2(LatencyMax + 1), TA = $clog2(TableDepth);
  localparam int PW = (Words > 1) ? $clog2(Words) : 1;
  localparam int RowW = 17 + NodeW + 2 * AddrW;
  localparam int DumpRowW = 17 + DumpNodeW + 2 * AddrW;

  logic                   clk = 1'b0, rst_n = 1'b0, start = 1'b0, we = 1'b0, clear = 1'b0;
  logic [TA-1:0]          last_row = '0, addr = '0;
  logic [NodeW-1:0]       sel = '0;
  logic [RowW-1:0]        row = '0;
  logic [DumpRowW-1:0]    dumped;
  logic [DumpRowW-1:0]    rows  [0:Nodes*Rows-1];
  logic [DataW-1:0]       words [0:Words*Nodes*Places-1];
  logic [NodeW:0]         nodes = (NodeW+1)'(Nodes);
  logic                   busy, listen = 1'b0, stranger = 1'b0, wanted = 1'b0; // wanted: a fault, and no words of the trace
  logic [Nodes-1:0]       inj_valid, valid, fault_parity, conflict, outside;
  logic [Nodes*DataW-1:0] inj_data, data;
  logic [Nodes*NodeW-1:0] dest;
  logic [Nodes*4-1:0]     fault;
  logic [Nodes*TA-1:0]    fault_row, fault_parity_row;
  always #5 clk = !clk;

  crl_logp_fabric #(
    .Nodes     (Nodes),
    .LatencyMax(LatencyMax),
    .LatencyMin(LatencyMin),
    .DataW     (DataW),
    .AddrW     (AddrW),
    .TableDepth(TableDepth),
    .Words     (Words)
  ) u_fabric (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(clear), .start_i(start), .last_row_i(last_row), .last_page_i(PW'(Words - 1)),
    .busy_o(busy), .nodes_i(nodes), .latency_i(LW'(Latency)), .op_i(2'd0), .table_we_i(we), .table_sel_i(sel),
    .table_addr_i(addr), .table_data_i(row), .inj_valid_i(inj_valid), .inj_data_i(inj_data), .link_valid_o(valid),
    .link_dest_o(dest), .link_data_o(data), .fault_o(fault), .fault_row_o(fault_row), .fault_parity_o(fault_parity),
    .fault_parity_row_o(fault_parity_row), .fault_conflict_o(conflict), .fault_outside_o(outside)
  );

  // now = n from edge n on, edge 0 being the one that samples start: row r acts while now = r + 2.
  int now, first = -1, away = 0; // away: words for other processors than the first
  always @(posedge clk) now <= start ? 0 : now + 1;

  always_comb begin
    {inj_valid, inj_data} = '0;
    if (stranger) inj_valid = '1;
    if (listen && now >= 2 && now < 2 + Words * Places)
      for (int v = 0; v < Nodes; v++) begin
        inj_data[v*DataW +: DataW] = words[((now - 2) / Places * Nodes + v) * Places + (now - 2) % Places];
        inj_valid[v] = ^inj_data[v*DataW +: DataW] !== 1'bx;
      end
  end

  always @(negedge clk) if (rst_n) begin
    if (^{busy, valid, fault, fault_parity, conflict, outside} === 1'bx) $fatal(1, "an output is unknown");
    if (!wanted && |{fault, fault_parity, conflict, outside}) $fatal(1, "fault %b %b %b %b", fault, fault_parity, conflict, outside);
    for (int v = 0; v < Nodes; v++) if (valid[v] && !wanted) begin
      if (^{dest[v*NodeW +: NodeW], data[v*DataW +: DataW]} === 1'bx) $fatal(1, "processor %0d sends an unknown word", v);
      if (first < 0) first = now;
      if (dest[v*NodeW +: NodeW] != '0) away++;
      $display("%0d %0d %0d %0h", now - first, v, dest[v*NodeW +: NodeW], data[v*DataW +: DataW]);
    end
  end

  task load(input int v, input int number);
    begin
      {we, sel, addr} = {1'b1, NodeW'(v), TA'(number)};
      row[0] = 1'b0;
      row[0] = ^row;
      @(negedge clk);
      we = 1'b0;
    end
  endtask

  task play(input int count);
    begin
      last_row = TA'(count - 1);
      start = 1'b1;
      @(negedge clk);
      start = 1'b0;
      if (Wrong == 1) load(0, Rows);
      while (busy) @(negedge clk);
      repeat (2 * LatencyMax) @(negedge clk);
    end
  endtask

  reg [8*1024-1:0] file;
  initial begin
    if (!$value$plusargs("tables=%s", file)) $fatal(1, "no +tables");
    $readmemh(file, rows);
    if (!$value$plusargs("words=%s", file)) $fatal(1, "no +words");
    $readmemh(file, words);
    @(negedge clk); // one edge is enough
    rst_n = 1'b1;

    // A row a place: where a packet lies it expects one and stores it.
    for (int v = 0; v < Nodes; v++)
      for (int a = 0; a < Places; a++) begin
        row = '0;
        if (^words[v*Places + a] !== 1'bx) {row[RowW-1 -: AddrW], row[10], row[5]} = {AddrW'(a), 2'b11};
        load(v, a);
      end
    listen = 1'b1;
    play(Places);
    listen = 1'b0;

    for (int v = 0; v < Nodes; v++)
      for (int r = 0; r < Rows; r++) begin
        dumped = rows[v*Rows + r];
        row = {dumped[17+DumpNodeW +: 2*AddrW], dumped[17 +: NodeW], dumped[16:0]};
        load(v, r);
      end
    play(Rows);

    // What comes while nothing plays is a fault of who hears it, and a word for a processor that is not there one of the crossbar,
    // until both are cleared.
    {stranger, wanted} = 2'b11;
    @(negedge clk);
    stranger = 1'b0;
    for (int v = 0; v < Nodes; v++) if (fault[4*v +: 4] == '0) $fatal(1, "processor %0d hears a stranger", v);
    nodes = (NodeW+1)'(1);
    play(Rows);
    if (away != 0 && outside == '0) $fatal(1, "a word for a stranger is nobody's fault");
    clear = 1'b1;
    @(negedge clk);
    {clear, wanted} = 2'b00;
    @(negedge clk);
    @(posedge clk); // what is seen at the edge before ends the run
    $finish(0);
  end
endmodule
