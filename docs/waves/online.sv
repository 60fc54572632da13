// SPDX-License-Identifier: Apache-2.0
//
// On-line nodes for a partial all-gather: two active ones in an array, of which the lower is shown. They count, then pack,
// then broadcast; a slot takes 4 Dims + 3 cycles.
//
// wave: start_i          | start
// wave: slot_i           | slot
// wave: ready_o          | ready[0]
// wave: phase_o          | phase
// wave: link_valid_o[0]  | valid[0]
// wave: link_data_o[0]   | up | valid[0] | held
// wave: link_valid_i[1]  | valid[3]
// wave: link_data_i[1]   | down | valid[3] | held
// wave: busy_o           | busy[0]

`timescale 1ns / 1ns

module wave;
  logic clk = 1'b0, rst_n = 1'b0, show = 1'b0, start = 1'b0, slot = 1'b0, we = 1'b0;
  logic [15:0] addr = '0;
  logic [63:0] rows = '0;
  logic [1:0]  ready, busy, begins, step, held, fault;
  logic [3:0]  valid, in_valid, phases;
  logic [39:0] data, in_data;
  logic [17:0] packets;
  wire [9:0] up = data[0 +: 10], down = data[30 +: 10];
  wire [1:0] phase = phases[1:0];
  always #5 clk = !clk;

  // Port 0 of the lower node leads to the upper one, port 1 of that back.
  assign in_valid = {1'b0, valid[0], valid[3], 1'b0};
  assign in_data  = {10'b0, up, down, 10'b0};
  for (genvar v = 0; v < 2; v++) begin : gen_node
    crl_online_node #(
      .Dims(1), .DigitW(1), .DataW(8), .Depth(2), .Waiting(0)
    ) u_node (
      .clk_i(clk), .rst_ni(rst_n), .start_i(start), .slot_i(slot), .ready_o(ready[v]), .busy_o(busy[v]), .load_we_i(we),
      .load_addr_i(addr), .load_data_i(rows[32*v +: 32]), .give_valid_i(1'b0), .give_data_i(8'h00), .begins_o(begins[v]),
      .phase_o(phases[2*v +: 2]), .step_o(step[v]), .link_valid_i(in_valid[2*v +: 2]),
      .link_data_i(in_data[20*v +: 20]), .link_valid_o(valid[2*v +: 2]), .link_data_o(data[20*v +: 20]),
      .read_sel_i(16'd0), .read_addr_i(16'd0), .read_valid_o(held[v]),
      .read_data_o(packets[9*v +: 9]), .fault_o(fault[v])
    );
  end

  task load(input logic [15:0] to, input logic [31:0] lower, input logic [31:0] upper);
    begin
      {we, addr, rows} = {1'b1, to, upper, lower};
      @(negedge clk);
      we = 1'b0;
    end
  endtask

  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    load(16'd0, 1, 1);
    load(16'd1, 1, 1);
    load(16'd2, 32'h00000001, 32'h00010001);
    load(16'd13, 2, 2);
    load(16'd16, 32'hA0, 32'hA1);
    load(16'd17, 32'hA0, 32'hA1);
    show  = 1'b1;
    start = 1'b1;
    @(negedge clk);
    start = 1'b0;
    slot  = 1'b1;
    while (busy[0]) @(negedge clk);
    slot  = 1'b0;
    repeat (2) @(negedge clk);
    if (fault != '0) $fatal(1, "fault");
    $finish;
  end
endmodule
