// SPDX-License-Identifier: Apache-2.0
//
// Queue node of two ports: in its first slot it takes an own packet (1), in the second it sends it on both ports while one from a
// neighbour (80) comes in through port 0, which is delivered and leaves on port 1 in the third. Data: the low byte.
//
// wave: slot_i           | slot
// wave: inject_ready_o   | ready
// wave: inject_valid_i   | inject
// wave: inject_data_i    | own | inject
// wave: link_valid_o[1]  | sent[1]
// wave: link_data_o[1]   | sent1 | sent[1]
// wave: link_valid_o[0]  | sent[0]
// wave: link_data_o[0]   | sent0 | sent[0]
// wave: link_valid_i[0]  | in_valid
// wave: link_data_i[0]   | heard | in_valid
// wave: deliver_valid_o  | deliver
// wave: deliver_data_o   | kept | deliver

`timescale 1ns / 1ns

module wave;
  logic clk = 1'b0, rst_n = 1'b0, show = 1'b0, up, we = 1'b0, gate = 1'b0, slot = 1'b0, inject = 1'b0, ready, in_valid = 1'b0;
  logic [2:0]  addr = '0, fault, stored;
  logic [12:0] row = '0;
  logic [1:0]  sent, accept, deliver_port;
  logic [63:0] sent_data;
  logic [31:0] kept_data, dropped, strange;
  logic        deliver, taken;
  logic [7:0]  own = '0, heard = '0;
  wire [7:0] sent0 = sent_data[7:0], sent1 = sent_data[39:32], kept = kept_data[7:0];
  always #5 clk = !clk;

  crl_queue_node #(
    .Ports(2), .Trees(1), .Depth(4), .Period(1)
  ) u_node (
    .clk_i(clk), .rst_ni(rst_n), .ready_o(up), .node_i(10'd0), .limit_i(3'd4), .last_row_i(1'b0), .load_we_i(we),
    .load_gate_i(gate), .load_addr_i(addr), .load_data_i(row), .slot_i(slot), .stalled_i(1'b0), .inject_valid_i(inject),
    .inject_data_i({24'b0, own}), .inject_ready_o(ready), .inject_taken_o(taken), .link_valid_i({1'b0, in_valid}),
    .link_data_i({56'b0, heard}), .link_valid_o(sent), .link_data_o(sent_data), .link_accept_o(accept), .link_accept_i(2'b11),
    .deliver_valid_o(deliver), .deliver_data_o(kept_data), .deliver_port_o(deliver_port), .stored_o(stored), .fault_o(fault),
    .dropped_o(dropped), .strange_o(strange)
  );

  task load(input logic into_gate, input logic [2:0] number, input logic [12:0] data);
    begin
      {we, gate, addr, row} = {1'b1, into_gate, number, data};
      @(negedge clk);
      we = 1'b0;
    end
  endtask

  // A slot begins; its caller goes on in the cycle after.
  task begin_slot;
    begin
      slot = 1'b1;
      @(negedge clk);
      slot = 1'b0;
    end
  endtask

  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    while (!up) @(negedge clk);
    // Forwarding {take, deliver, loop, class, ports}: from port 0 on by port 1; from port 1 nothing more; own by both.
    load(1'b0, 3'd0, 13'b1_1_0_0000_10);
    load(1'b0, 3'd1, 13'b1_1_0_0000_00);
    load(1'b0, 3'd2, 13'b1_0_0_0000_11);
    // Gates {position, b, a, mode}: in the order of arrival.
    load(1'b1, 3'd0, {2'b0, 4'd15, 4'd0, 3'd1});
    load(1'b1, 3'd1, {2'b0, 4'd15, 4'd0, 3'd1});
    repeat (2) @(negedge clk);
    begin_slot;
    while (!ready) @(negedge clk);
    {inject, own} = 9'h101;
    show = 1'b1;
    @(negedge clk);
    inject = 1'b0;
    repeat (3) @(negedge clk);
    begin_slot;
    // What comes in through port 0 comes while the node's own word is on the link of that port.
    while (!sent[0]) @(negedge clk);
    {in_valid, heard} = 9'h180;
    @(negedge clk);
    in_valid = 1'b0;
    while (!ready) @(negedge clk);
    repeat (3) @(negedge clk);
    begin_slot;
    repeat (7) @(negedge clk);
    if (fault != '0) $fatal(1, "fault");
    $finish;
  end
endmodule
