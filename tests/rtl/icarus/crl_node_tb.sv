// SPDX-License-Identifier: Apache-2.0
//
// A path of three nodes as one crl_fabric, and beside it three crl_node with links of the bench's own: every output, in every
// cycle. Tables are of random rows, some with odd parity, loaded whenever nothing plays; starts, words on the injection inputs, clears
// and resets come at any time. What a row does is not told here, but by the bench of routers.
//
// Plusargs: +rounds=N, times that all is played (1); +seed=N. Prints "PASS" and how much was seen; exit code 1: what was wrong.

`timescale 1ns / 1ns

module crl_node_case #(
  parameter int SharedTable = 1,
  parameter int Words = 1,
  parameter int Banks = 2,
  parameter int WriteXbar = 0,
  parameter int Combine = 0,
  localparam int Nodes = 3, Ports = 2, Lanes = 2, Delay = 1, WaddrField = WriteXbar, Streams = 0, Store = 1, DataW = 4, AddrW = 3,
  `include "crl_row.svh"
  localparam int TableDepth = 6, TA = 3, PW = (Words > 1) ? $clog2(Words) : 1, Tables = (SharedTable != 0) ? 1 : Nodes,
  localparam int TableW = (Tables > 1) ? $clog2(Tables) : 1, Links = Nodes * Ports, Longest = 4
) (
  input  int   rounds, seed,
  output logic done,
  output int   words, faults, cleared
);
  logic                   clk = 1'b0, rst_n = 1'b1, clear = 1'b0, start = 1'b0, we = 1'b0, busy;
  logic [TA-1:0]          last_row = '0, addr = '0;
  logic [PW-1:0]          last_page = '0;
  logic [TableW-1:0]      sel = '0;
  logic [RowW-1:0]        row = '0;
  logic [Links-1:0]       inj = '0, valid, fault_ports;
  logic [Links*DataW-1:0] inj_data = '0, data;
  logic [Nodes*3-1:0]     fault;
  logic [Nodes*TA-1:0]    fault_row;
  logic [Tables-1:0]      parity;
  logic [Tables*TA-1:0]   parity_row;
  always #5 clk = !clk;

  // Node v hears node v - 1 on port 0, v + 1 on port 1; the link to node v by port p takes 1 + (2 v + p) % Longest cycles.
  crl_fabric #(
    .Nodes(Nodes), .Ports(Ports), .Lanes(Lanes), .Banks(Banks), .WriteXbar(WriteXbar), .Delay(Delay), .WaddrField(WaddrField),
    .Combine(Combine), .DataW(DataW), .AddrW(AddrW), .TableDepth(TableDepth), .SharedTable(SharedTable), .Words(Words),
    .Neighbours(96'hFFFF_0001_0002_0000_0001_FFFF), .Latencies(96'h0002_0001_0004_0003_0002_0001)
  ) u_fabric (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(clear), .start_i(start), .last_row_i(last_row), .last_page_i(last_page), .busy_o(busy),
    .table_we_i(we), .table_sel_i(sel), .table_addr_i(addr), .table_data_i(row), .inj_valid_i(inj), .inj_data_i(inj_data),
    .link_valid_o(valid), .link_data_o(data), .fault_o(fault), .fault_ports_o(fault_ports), .fault_row_o(fault_row),
    .fault_parity_o(parity), .fault_parity_row_o(parity_row)
  );

  logic [Nodes-1:0]       node_busy, node_parity;
  logic [Links-1:0]       heard, node_valid, node_ports;
  logic [Links*DataW-1:0] heard_data, node_data;
  logic [Nodes*3-1:0]     node_fault;
  logic [Nodes*TA-1:0]    node_row, node_parity_row;

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    logic load;
    assign load = we && (SharedTable != 0 || 32'(sel) == v);
    crl_node #(
      .Ports(Ports), .Lanes(Lanes), .Banks(Banks), .WriteXbar(WriteXbar), .Delay(Delay), .WaddrField(WaddrField), .Combine(Combine),
      .DataW(DataW), .AddrW(AddrW), .TableDepth(TableDepth), .Words(Words)
    ) u_node (
      .clk_i(clk), .rst_ni(rst_n), .clear_i(clear), .start_i(start), .last_row_i(last_row), .last_page_i(last_page),
      .busy_o(node_busy[v]), .table_we_i(load), .table_addr_i(addr), .table_data_i(row),
      .link_valid_i(heard[v*Ports +: Ports]), .link_data_i(heard_data[v*Ports*DataW +: Ports*DataW]),
      .link_valid_o(node_valid[v*Ports +: Ports]), .link_data_o(node_data[v*Ports*DataW +: Ports*DataW]),
      .fault_o(node_fault[v*3 +: 3]), .fault_ports_o(node_ports[v*Ports +: Ports]), .fault_row_o(node_row[v*TA +: TA]),
      .fault_parity_o(node_parity[v]), .fault_parity_row_o(node_parity_row[v*TA +: TA])
    );
  end

  // What nodes sent, by age.
  logic [Links-1:0]       sent      [1:Longest];
  logic [Links*DataW-1:0] sent_what [1:Longest];
  initial for (int age = 1; age <= Longest; age++) {sent[age], sent_what[age]} = '0;

  for (genvar i = 0; i < Links; i++) begin : gen_link
    localparam int Direction = (i % Ports == 0) ? -Ports : Ports, Age = i % Longest; // that of the registers beyond the sender's own
    localparam int From = (i + Direction < 0 || i + Direction >= Links) ? -1 : i + Direction;
    logic             there;
    logic [DataW-1:0] word;
    if (From < 0) begin : gen_none
      assign {there, word} = '0;
    end else if (Age == 0) begin : gen_wire
      assign there = node_valid[From];
      assign word  = node_data[From*DataW +: DataW];
    end else begin : gen_late
      assign there = sent[Age][From];
      assign word  = sent_what[Age][From*DataW +: DataW];
    end
    assign heard[i] = there || inj[i];
    assign heard_data[i*DataW +: DataW] = inj[i] ? inj_data[i*DataW +: DataW] : word;
  end

  int known = 0;

  `include "random.svh"

  task automatic compare;
    if (busy !== |node_busy || valid !== node_valid || fault !== node_fault) $fatal(1, "%m: busy, valid or fault");
    for (int i = 0; i < Links; i++)
      if (valid[i] && data[i*DataW +: DataW] !== node_data[i*DataW +: DataW]) $fatal(1, "%m: another word on link %0d", i);
    for (int v = 0; v < Nodes; v++) begin
      if (fault[v*3 +: 3] != '0 && {fault_ports[v*Ports +: Ports], fault_row[v*TA +: TA]} !== {node_ports[v*Ports +: Ports], node_row[v*TA +: TA]})
        $fatal(1, "%m: another place of the fault of node %0d", v);
      if (parity[v % Tables] !== node_parity[v]) $fatal(1, "%m: parity of node %0d", v);
      if (node_parity[v] && parity_row[v%Tables*TA +: TA] !== node_parity_row[v*TA +: TA]) $fatal(1, "%m: row of odd parity of node %0d", v);
    end
    for (int i = 0; i < Links; i++) words = words + 32'(valid[i]);
    faults = faults + 32'(fault != '0) + 32'(|parity);
    cleared = cleared + 32'(clear && fault != '0) + 32'(clear && (|parity));
  endtask

  // The first rows are loaded in order, into every table; each later one while nothing plays.
  task automatic choose;
    logic first;
    random = shuffled((known == 1) ? 32'(seed * 7919 + Words * 31 + Banks) : random);
    first = known >= 2 && known < 2 + Nodes * TableDepth;
    rst_n <= known > 1 && (first || random[6:0] != 7'd3);
    clear <= random[9:7] == 3'd0;
    start <= !first && random[12:11] == 2'd0;
    we <= first || (busy === 1'b0 && !start && random[14:13] == 2'd0);
    addr <= TA'(first ? (known - 2) % TableDepth : below(TableDepth));
    sel <= TableW'((first ? (known - 2) / TableDepth : below(Nodes)) % ((SharedTable != 0) ? 2 : Nodes)); // one table is all of them
    if (busy === 1'b0 && !start) begin
      last_row <= TA'(below(TableDepth));
      last_page <= PW'(below(Words));
    end
    for (int i = 0; i < RowW; i++) begin
      if (i % 24 == 0) random = shuffled(random);
      row[i] <= i > 0 && random[4+i%24];
    end
    for (int i = 0; i < Links; i++) begin
      inj[i] <= below(4) == 0;
      inj_data[i*DataW +: DataW] <= DataW'(below(1 << DataW));
    end
  endtask

  // Half a cycle later, when the row is chosen.
  task automatic even;
    row[0] <= (below(16) == 0) ^ (^row[RowW-1:1]);
  endtask

  always @(negedge clk) if (!done) choose;
  always @(negedge clk) #2 if (!done) even;
  always @(posedge clk) if (!done) begin
    if (known > 2 + Nodes * TableDepth) compare;
    for (int age = Longest; age > 1; age--) begin
      sent[age] <= rst_n ? sent[age-1] : '0;
      sent_what[age] <= sent_what[age-1];
    end
    sent[1] <= rst_n ? node_valid : '0;
    sent_what[1] <= node_data;
    known = known + 1;
    done = known == 800 * rounds;
  end

  initial {done, words, faults, cleared} = '0;
endmodule

module crl_node_tb;
  int         rounds, seed;
  logic [3:0] done;
  int         words [0:3], faults [0:3], cleared [0:3];

  crl_node_case u_shared (.rounds, .seed, .done(done[0]), .words(words[0]), .faults(faults[0]), .cleared(cleared[0]));
  crl_node_case #(.SharedTable(0), .Words(3)) u_own (.rounds, .seed, .done(done[1]), .words(words[1]), .faults(faults[1]), .cleared(cleared[1]));
  crl_node_case #(.SharedTable(0), .Banks(3), .WriteXbar(1)) u_banks (.rounds, .seed, .done(done[2]), .words(words[2]), .faults(faults[2]), .cleared(cleared[2]));
  crl_node_case #(.Words(2), .WriteXbar(1), .Combine(1)) u_sums (.rounds, .seed, .done(done[3]), .words(words[3]), .faults(faults[3]), .cleared(cleared[3]));

  initial begin
    if (!$value$plusargs("rounds=%d", rounds)) rounds = 1;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    wait (done === '1);
    for (int i = 0; i < 4; i++)
      if (words[i] < 200 * rounds || faults[i] < 100 * rounds || cleared[i] < 10 * rounds)
        $fatal(1, "case %0d: only %0d words, %0d cycles with faults, %0d clears", i, words[i], faults[i], cleared[i]);
    $display("PASS: %0d words, %0d cycles with faults, %0d clears in the first fabric", words[0], faults[0], cleared[0]);
    $finish(0);
  end
endmodule
