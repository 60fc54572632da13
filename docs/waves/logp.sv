// SPDX-License-Identifier: Apache-2.0
//
// LogP processor with Stages = 2: takes a word in, adds the next, sends the sum and then the first word from its bank.
//
// wave: start_i       | start
// wave: row acting    | u_node.row_number | u_node.active
// wave: link_valid_i  | in_valid
// wave: link_data_i   | in_data | in_valid
// wave: link_valid_o  | out_valid
// wave: link_dest_o   | out_dest | out_valid
// wave: link_data_o   | out_data | out_valid
// wave: busy_o        | busy

`timescale 1ns / 1ns

module wave;
  logic clk = 1'b0, rst_n = 1'b0, show = 1'b0, start = 1'b0, we = 1'b0, in_valid = 1'b0, busy, out_valid, out_dest, parity;
  logic [1:0]  addr = '0, fault_row, parity_row;
  logic [21:0] row = '0;
  logic [7:0]  in_data = '0, out_data;
  logic [3:0]  fault;
  always #5 clk = !clk;

  crl_logp_node #(
    .DataW(8), .AddrW(2), .NodeW(1), .TableDepth(4)
  ) u_node (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(1'b0), .start_i(start), .last_row_i(2'd2), .last_page_i(1'b0), .busy_o(busy),
    .op_i(2'd0), .table_we_i(we), .table_addr_i(addr), .table_data_i(row), .link_valid_i({1'b0, in_valid}),
    .link_data_i({8'h00, in_data}), .link_valid_o(out_valid), .link_dest_o(out_dest), .link_data_o(out_data),
    .fault_o(fault), .fault_row_o(fault_row), .fault_parity_o(parity), .fault_parity_row_o(parity_row)
  );

  // A row (docs/formats/logp.md): accumulator, store, expect, what leaves; to processor 1, bank address 0.
  task load(input logic [1:0] number, input logic [1:0] part, input logic store, input logic expect_word,
            input logic [2:0] what, input logic send);
    begin
      we   = 1'b1;
      addr = number;
      row  = {4'b0, 1'b1, 2'b0, part, 2'b0, store, 4'b0, expect_word, what, send, 1'b0};
      row[0] = ^row;
      @(negedge clk);
      we   = 1'b0;
    end
  endtask

  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    load(2'd0, 2'b01, 1'b1, 1'b1, 3'b000, 1'b0);
    load(2'd1, 2'b11, 1'b0, 1'b1, 3'b100, 1'b1);
    load(2'd2, 2'b00, 1'b0, 1'b0, 3'b000, 1'b1);
    show  = 1'b1;
    start = 1'b1;
    @(negedge clk);
    start = 1'b0;
    repeat (2) @(negedge clk);
    {in_valid, in_data} = 9'h105;
    @(negedge clk);
    {in_valid, in_data} = 9'h107;
    @(negedge clk);
    in_valid = 1'b0;
    repeat (6) @(negedge clk);
    if (fault != '0 || parity) $fatal(1, "fault");
    $finish;
  end
endmodule
