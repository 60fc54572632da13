// SPDX-License-Identifier: Apache-2.0
//
// Plays a table on a hypercube with one shared sequencer and prints every word on a link.
//
// Timing: the word of line i of a words file is on the input links in link cycle i, which row i listens to. Links are
// looked at in the middle of a cycle.
//
// Plusargs, each pair a table for $readmemh (one row a line, exactly last + 1 lines) and its last row number:
//   +preload=FILE +preload_last=N +words=FILE   first, with these words put on the input links: a line a row and round,
//                                               {valid, data} of all ports, node 0 port 0 lowest; optional
//   +table=FILE   +table_last=N                 the table
//   +readout=FILE +readout_last=N               then, its words go to the trace too, cycles from 0 again; optional
//   +last_page=N                                rounds - 1; 0 if left out
// Prints `cycle node port data`, cycle 0 = the first word of a play. A fault ends the run with exit code 1.

`timescale 1ns / 1ns

module crl_fabric_tb #(
  parameter int Dim = 3,
  parameter int Lanes = Dim,
  parameter int Banks = Lanes,
  parameter int WriteXbar = 0,
  parameter int Delay = 1,
  parameter int WaddrField = 0,
  parameter int DataW = 16,
  parameter int AddrW = 8,
  parameter int TableDepth = 256,
  parameter int Words = 1,
  localparam int Ports = Dim,
  localparam int Streams = 0,
  localparam int Store = 1,
  localparam int Combine = 0,
  `include "crl_row.svh"
  localparam int Nodes = 1 << Dim
);
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1;
  localparam int PW = (Words > 1) ? $clog2(Words) : 1;
  localparam int Links = Nodes * Dim;

  // Node v hears on port p what node v ^ (1 << p) sends.
  function automatic [16*Links-1:0] cube(input logic unused);
    for (int i = 0; i < Links; i++) cube[16*i +: 16] = 16'((i / Dim) ^ (1 << (i % Dim)));
  endfunction

  logic                   clk = 1'b0;
  logic                   rst_n = 1'b0;
  logic                   start = 1'b0;
  logic                   we = 1'b0;
  logic                   listen = 1'b0;
  logic [TA-1:0]          last_row = '0;
  logic [TA-1:0]          addr = '0;
  logic [PW-1:0]          last_page = '0;
  logic [RowW-1:0]        row = '0;
  logic [RowW-1:0]        rows [0:TableDepth-1];
  logic [Links*(DataW+1)-1:0] words [0:TableDepth*Words-1];
  logic                   busy;
  logic [Links-1:0]       inj_valid, valid;
  logic [Links*DataW-1:0] inj_data, data;
  logic [Nodes*3-1:0]     fault;
  logic [Nodes*Dim-1:0]   fault_ports;
  logic [Nodes*TA-1:0]    fault_row;
  logic                   fault_parity;
  logic [TA-1:0]          fault_parity_row;

  always #5 clk = !clk;

  crl_fabric #(
    .Nodes     (Nodes),
    .Ports     (Ports),
    .Neighbours(cube(1'b0)),
    .Lanes     (Lanes),
    .Banks     (Banks),
    .WriteXbar (WriteXbar),
    .Delay     (Delay),
    .WaddrField(WaddrField),
    .DataW     (DataW),
    .AddrW     (AddrW),
    .TableDepth(TableDepth),
    .Words     (Words)
  ) u_fabric (
    .clk_i             (clk),
    .rst_ni            (rst_n),
    .clear_i           (1'b0),
    .start_i           (start),
    .last_row_i        (last_row),
    .last_page_i       (last_page),
    .busy_o            (busy),
    .table_we_i        (we),
    .table_sel_i       (1'b0),
    .table_addr_i      (addr),
    .table_data_i      (row),
    .inj_valid_i       (inj_valid),
    .inj_data_i        (inj_data),
    .link_valid_o      (valid),
    .link_data_o       (data),
    .fault_o           (fault),
    .fault_ports_o     (fault_ports),
    .fault_row_o       (fault_row),
    .fault_parity_o    (fault_parity),
    .fault_parity_row_o(fault_parity_row)
  );

  // now = n from edge n on, edge 0 being the one that samples start.
  int now, length;
  always @(posedge clk) now <= start ? 0 : now + 1;

  always_comb begin
    {inj_valid, inj_data} = '0;
    if (listen && busy && now >= 2 && now - 2 < length) {inj_valid, inj_data} = words[now - 2];
  end

  int first;
  always @(negedge clk) begin
    if (valid !== '0 && rst_n) begin
      if (first < 0) first = now;
      for (int i = 0; i < Links; i++)
        if (valid[i] !== 1'b0) $display("%0d %0d %0d %0h", now - first, i / Dim, i % Dim, data[i*DataW +: DataW]);
    end
  end

  // Loads the rows that were read, plays them and waits until the last words are through.
  task play(input int last);
    begin
      for (int r = 0; r <= last; r++) begin
        @(negedge clk);
        we = 1'b1;
        addr = TA'(r);
        row = rows[r];
      end
      @(negedge clk);
      we = 1'b0;
      last_row = TA'(last);
      length = (last + 1) * (32'(last_page) + 1);
      first = -1;
      start = 1'b1;
      @(negedge clk);
      start = 1'b0;
      while (busy) @(negedge clk);
      // What the last row sends is on the links one cycle longer.
      repeat (2) @(negedge clk);
    end
  endtask

  reg [8*1024-1:0] file;
  int              last, page;

  initial begin
    if ($value$plusargs("last_page=%d", page)) last_page = PW'(page);
    else page = 0;
    repeat (3) @(negedge clk);
    rst_n = 1'b1;

    if ($value$plusargs("preload=%s", file)) begin
      if (!$value$plusargs("preload_last=%d", last)) $fatal(1, "no +preload_last");
      $readmemh(file, rows, 0, last);
      if (!$value$plusargs("words=%s", file)) $fatal(1, "no +words");
      $readmemh(file, words, 0, (last + 1) * (page + 1) - 1);
      listen = 1'b1;
      play(last);
      listen = 1'b0;
    end

    if (!$value$plusargs("table=%s", file)) $fatal(1, "no +table");
    if (!$value$plusargs("table_last=%d", last)) $fatal(1, "no +table_last");
    $readmemh(file, rows, 0, last);
    play(last);

    if ($value$plusargs("readout=%s", file)) begin
      if (!$value$plusargs("readout_last=%d", last)) $fatal(1, "no +readout_last");
      $readmemh(file, rows, 0, last);
      play(last);
    end

    for (int v = 0; v < Nodes; v++)
      if (fault[v*3 +: 3] !== 3'b0)
        $display("fault node %0d kind %b ports %b row %0d", v, fault[v*3 +: 3], fault_ports[v*Dim +: Dim],
                 fault_row[v*TA +: TA]);
    if (fault_parity !== 1'b0) $display("fault parity row %0d", fault_parity_row);
    if (fault !== '0 || fault_parity !== 1'b0) $fatal(1, "faults");
    $finish(0);
  end
endmodule
