// SPDX-License-Identifier: Apache-2.0
//
// A sequencer plays random tables of rows, some with odd parity, beside a reference that is written from docs/formats/row.md: every
// output in every cycle, with starts at any time, of which those while busy count for nothing, resets at any time, and loads
// whenever it is not busy. From power-up nothing is known.
module sequencer #(
  parameter int RowW = 17,
  parameter int TableDepth = 5,
  parameter int Words = 1,
  parameter int Cycles = 4000,
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  localparam int PW = (Words > 1) ? $clog2(Words) : 1
);

  logic            clk, rst_n, clear, start, we;
  logic [TA-1:0]   last_row, addr;
  logic [PW-1:0]   last_page;
  logic [RowW-1:0] data;
  wire             busy, fetched, active, fault;
  wire  [RowW-1:0] row;
  wire  [PW-1:0]   fetched_page, page;
  wire  [TA-1:0]   number, fault_row;

  crl_sequencer #(.RowW(RowW), .TableDepth(TableDepth), .Words(Words)) u_sequencer (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(clear), .start_i(start), .last_row_i(last_row), .last_page_i(last_page), .busy_o(busy),
    .table_we_i(we), .table_addr_i(addr), .table_data_i(data), .row_o(row), .fetched_o(fetched), .fetched_page_o(fetched_page),
    .active_o(active), .number_o(number), .page_o(page), .fault_parity_o(fault), .fault_parity_row_o(fault_row)
  );

  // The reference: the row at the table's address, at its output, and that acts, -1: none, counted through all pages.
  reg [RowW-1:0] rows[0:TableDepth-1];
  integer addressed, comes_out, acts, t, rounds, length, wrong, played, pick;
  reg     due_fault, is_busy;
  integer due_row;

  task compare;
    begin
      is_busy = addressed >= 0 || comes_out >= 0 || acts >= 0;
      if (busy !== is_busy || fetched !== (comes_out >= 0) || active !== (acts >= 0)) wrong = wrong + 1;
      if (comes_out >= 0)
        if (row !== rows[comes_out % length] || 32'(fetched_page) !== comes_out / length) wrong = wrong + 1;
      if (acts >= 0) begin
        played = played + 1;
        if (32'(number) !== acts % length || 32'(page) !== acts / length) wrong = wrong + 1;
      end
      if (fault !== due_fault || (due_fault && 32'(fault_row) !== due_row)) wrong = wrong + 1;
    end
  endtask

  initial begin
    {clk, rst_n, clear, start, we, last_row, last_page, addr, data} = 0;
    {addressed, comes_out, acts} = {3{32'hFFFFFFFF}};
    due_fault = 0;
    due_row = 0;
    length = 1;
    rounds = 1;
    wrong = 0;
    played = 0;
    for (t = 0; t < TableDepth; t = t + 1) rows[t] = 0;
    #1 clk = 1;
    #1 clk = 0;
    for (t = 0; t < Cycles; t = t + 1) begin
      is_busy = addressed >= 0 || comes_out >= 0 || acts >= 0;
      rst_n   = t > 2 && ($random & 63) != 0;
      clear   = ($random & 7) == 0;
      start   = t > TableDepth + 4 && ($random & 3) == 0;
      // The first rows are loaded in order; each later one while nothing plays.
      we   = !is_busy && (t <= TableDepth + 4 || ($random & 3) == 0);
      addr = (t <= TableDepth + 4) ? t % TableDepth : $unsigned($random) % TableDepth;
      data = $random;
      data[0] = ^data[RowW-1:1] ^ (($random & 15) == 0);
      if (!is_busy) begin
        length    = 1 + $unsigned($random) % TableDepth;
        rounds    = 1 + $unsigned($random) % Words;
        last_row  = length - 1;
        last_page = rounds - 1;
      end
      #1 if (t > 0) compare;
      // The edge.
      if (we) rows[addr] = data;
      if (!(due_fault && !clear)) begin
        due_fault = acts >= 0 && ^rows[acts % length];
        due_row   = acts % length;
      end
      acts      = comes_out;
      comes_out = addressed;
      if (addressed >= 0) addressed = (addressed + 1 < length * rounds) ? addressed + 1 : -1;
      else if (start && !is_busy) addressed = 0;
      if (!rst_n) begin
        {addressed, comes_out, acts} = {3{32'hFFFFFFFF}};
        due_fault = 0;
      end
      clk = 1;
      #1 clk = 0;
    end
    $display("%0d rows, %0d wrong", played, wrong);
    $finish;
  end
endmodule
