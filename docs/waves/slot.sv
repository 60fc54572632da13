// SPDX-License-Identifier: Apache-2.0
//
// Slot node of one port plays four rows: a word goes on at once, another is stored, then both leave from the bank.
//
// wave: start_i       | start
// wave: row acting    | u_node.number | u_node.active
// wave: link_valid_i  | in_valid
// wave: link_data_i   | in_data | in_valid
// wave: link_valid_o  | out_valid
// wave: link_data_o   | out_data | out_valid
// wave: busy_o        | busy

`timescale 1ns / 1ns

module wave;
  logic clk = 1'b0, rst_n = 1'b0, show = 1'b0, start = 1'b0, we = 1'b0, in_valid = 1'b0, busy, out_valid, parity;
  logic [1:0] addr = '0, fault_row, parity_row;
  logic [6:0] row = '0;
  logic [7:0] in_data = '0, out_data;
  logic [2:0] fault;
  logic       fault_port;
  always #5 clk = !clk;

  crl_node #(
    .Ports(1), .Lanes(1), .Banks(1), .Delay(0), .DataW(8), .AddrW(2), .TableDepth(4)
  ) u_node (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(1'b0), .start_i(start), .last_row_i(2'd3), .last_page_i(1'b0), .busy_o(busy),
    .table_we_i(we), .table_addr_i(addr), .table_data_i(row), .link_valid_i(in_valid), .link_data_i(in_data),
    .link_valid_o(out_valid), .link_data_o(out_data), .fault_o(fault), .fault_ports_o(fault_port), .fault_row_o(fault_row),
    .fault_parity_o(parity), .fault_parity_row_o(parity_row)
  );

  // A row: what leaves, then what comes in (docs/formats/row.md).
  task load(input logic [1:0] number, input logic send, input logic bypass, input logic [1:0] from, input logic expect_word);
    begin
      we   = 1'b1;
      addr = number;
      row  = {expect_word, send, expect_word, bypass, from, 1'b0};
      row[0] = ^row;
      @(negedge clk);
      we   = 1'b0;
    end
  endtask

  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    load(2'd0, 1'b1, 1'b1, 2'd0, 1'b1);
    load(2'd1, 1'b0, 1'b0, 2'd0, 1'b1);
    load(2'd2, 1'b1, 1'b0, 2'd0, 1'b0);
    load(2'd3, 1'b1, 1'b0, 2'd1, 1'b0);
    show  = 1'b1;
    start = 1'b1;
    @(negedge clk);
    start = 1'b0;
    repeat (2) @(negedge clk);
    {in_valid, in_data} = 9'h1A0;
    @(negedge clk);
    {in_valid, in_data} = 9'h1A1;
    @(negedge clk);
    in_valid = 1'b0;
    repeat (5) @(negedge clk);
    if (fault != '0 || parity) $fatal(1, "fault");
    $finish;
  end
endmodule
