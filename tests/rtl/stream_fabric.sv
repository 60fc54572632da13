// SPDX-License-Identifier: Apache-2.0
//
// Two routers with streams that send each other a word a round, of crl_stream_fabric: what they show, each kind of fault, that faults
// stay until they are cleared, a reset in the middle of a round, and cycles in which time stands still.

module stream_fabric #(
  parameter int SharedTable = 0,
  parameter int RowStages = 0,
  /// Rounds of words of all kinds.
  parameter int Cycles = 20
);
  localparam int Tables = (SharedTable != 0) ? 1 : 2;
  localparam logic [5:0] Sends = 6'b001100, Takes = 6'b110000, None = 6'b000000, Odd = 6'b001101;

  logic clk = 1'b0, rst_n = 1'b0, clear = 1'b0, en = 1'b1, start = 1'b0, we = 1'b0, table_sel = 1'b0, addr = 1'b0;
  logic        begins, busy, playing, row, ahead, last, arrives, arrival;
  logic [5:0]  data = '0;
  logic [15:0] own = 16'h5AA5, show;
  logic [1:0]  ready, shown, fault_ports, fault_row;
  logic [7:0]  fault;
  logic [Tables-1:0] parity, parity_row;
  integer checks = 0, wrong = 0, shows = 0, takes = 0, seed;
  logic   missed = 1'b0; // a word is not there, by the table

  crl_stream_fabric #(
    .Nodes(2), .Ports(1), .Lanes(1), .Banks(1), .Delay(0), .Store(0), .DataW(8), .AddrW(1), .TableDepth(2), .Neighbours(32'h00000001),
    .SharedTable(SharedTable), .RowStages(RowStages)
  ) u_fabric (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(clear), .en_i(en), .start_i(start), .last_row_i(1'b1), .base_i(1'b0), .begin_o(begins), .busy_o(busy),
    .playing_o(playing), .row_o(row), .ahead_o(ahead), .last_o(last), .arrives_o(arrives), .arrival_o(arrival), .table_we_i(we),
    .table_sel_i(table_sel), .table_addr_i(addr), .table_data_i(data), .own_valid_i(2'b11), .own_data_i(own), .own_ready_o(ready),
    .show_valid_o(shown), .show_data_o(show), .fault_o(fault), .fault_ports_o(fault_ports), .fault_row_o(fault_row), .fault_parity_o(parity),
    .fault_parity_row_o(parity_row)
  );

  always #5 clk = !clk;

  task check(input [31:0] is, input [31:0] wanted);
    checks = checks + 1;
    if (is !== wanted) begin
      wrong = wrong + 1;
      $display("check %0d: %0h, not %0h", checks, is, wanted);
    end
  endtask

  // A cycle, in which what is shown is looked at before the edge.
  task tick;
    begin
      #1;
      for (int v = 0; v < 2; v++) if (shown[v]) begin
        shows = shows + 1;
        if (!missed) check(show[8*v +: 8], own[8*(1-v) +: 8]);
      end
      takes = takes + $countones(ready);
      @(negedge clk);
    end
  endtask

  task load(input which, input [5:0] first);
    for (int r = 0; r < 2; r++) begin
      we        = 1'b1;
      table_sel = which;
      addr      = 1'(r);
      data      = (r == 0) ? first : Takes;
      tick;
      we        = 1'b0;
      table_sel = !which;
      addr      = !addr;
      data      = '1; // what is not written
      tick;
    end
  endtask

  task let_go; // until what was begun has come to all
    repeat (2 * RowStages + 5) tick;
  endtask

  // A round of both nodes, in which time stands still at random.
  task play(input stalls, input integer words);
    integer cycles;
    begin
      shows = 0;
      takes = 0;
      cycles = 0;
      start = 1'b1;
      #1 check(begins, 1);
      tick;
      start = 1'b0;
      while (busy && cycles < 100) begin
        en     = !stalls || ($random(seed) & 1) != 0;
        cycles = cycles + 1;
        tick;
      end
      en = 1'b1;
      check(cycles > 2 && cycles < 100, 1);
      if (!stalls) check(shows, 2); // busy until all have shown
      let_go;
      check(shows, 2);
      check(takes, words);
      check(busy, 0);
    end
  endtask

  // What stands, until it is cleared or a reset comes.
  task faults(input [7:0] of_routers, input [1:0] of_tables, input by_reset);
    begin
      check(fault, of_routers);
      check(parity, 32'(Tables'(of_tables)));
      clear = !by_reset;
      rst_n = !by_reset;
      tick;
      clear = 1'b0;
      rst_n = 1'b1;
      let_go;
      check(fault, 0);
      check(parity, 0);
    end
  endtask

  initial begin
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    @(negedge clk);
    let_go;
    rst_n = 1'b1;
    missed = 1'b1; // there are no tables yet
    let_go;
    check(busy, 0);
    check(fault, 0);
    check(parity, 0);
    check(shows, 0);
    check(playing, 0);
    missed = 1'b0;
    for (int t = 0; t < Tables; t++) load(1'(t), Sends);
    for (int i = 0; i < Cycles; i++) begin
      own = 16'($random(seed));
      play(1'(i), 2);
      check(fault, 0);
      check(parity, 0);
    end

    for (int i = 0; i < 2; i++) begin
      missed = 1'b1; // node 1 sends nothing, or nobody does
      load(Tables == 2, None);
      play(1'b0, (Tables == 2) ? 1 : 0);
      check(32'(fault_ports[0]), 1);
      check(32'(fault_row[0]), 1);
      faults((Tables == 2) ? 8'h01 : 8'h11, 2'b00, 1'(i));
      missed = 1'b0;
      load(Tables == 2, Odd);
      play(1'b0, 2);
      faults(8'h00, (Tables == 2) ? 2'b10 : 2'b01, 1'(i));
      load(Tables == 2, Sends);
      play(1'b1, 2);
      faults(8'h00, 2'b00, 1'(i));
    end

    // A reset of one cycle, so many behind a round's begin: nothing is shown behind it, and the next round is whole.
    for (int n = 0; n < 8 + RowStages; n++) begin
      start = 1'b1;
      tick;
      start = 1'b0;
      repeat (n) tick;
      rst_n = 1'b0;
      tick;
      rst_n = 1'b1;
      shows = 0;
      check(busy, 0);
      let_go;
      check(shows, 0);
      check(fault, 0);
      play(1'b0, 2);
    end
    $display("%0d checks, %0d wrong", checks, wrong);
    $finish;
  end
endmodule
