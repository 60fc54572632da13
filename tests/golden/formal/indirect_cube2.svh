// SPDX-License-Identifier: Apache-2.0
// Scheme indirect on hypercube:2 with finite buffers. Written by tests/unit/test_formal_tables.c --update.

// {take, deliver, loop, class, ports}
function automatic logic [8:0] forward_row(input logic [1:0] node, input logic tree, input logic [1:0] arrival);
  case ({node, tree, arrival})
    {2'd0, 1'd0, 2'd0}: forward_row = {1'b1, 1'b1, 1'b0, 4'd0, 2'd0};
    {2'd0, 1'd0, 2'd2}: forward_row = {1'b1, 1'b0, 1'b0, 4'd0, 2'd1};
    {2'd0, 1'd1, 2'd1}: forward_row = {1'b1, 1'b1, 1'b0, 4'd0, 2'd0};
    {2'd0, 1'd1, 2'd2}: forward_row = {1'b1, 1'b0, 1'b0, 4'd0, 2'd2};
    {2'd1, 1'd0, 2'd0}: forward_row = {1'b1, 1'b1, 1'b0, 4'd2, 2'd3};
    {2'd1, 1'd0, 2'd1}: forward_row = {1'b1, 1'b1, 1'b0, 4'd1, 2'd3};
    {2'd1, 1'd0, 2'd2}: forward_row = {1'b1, 1'b0, 1'b0, 4'd2, 2'd3};
    {2'd1, 1'd1, 2'd1}: forward_row = {1'b1, 1'b1, 1'b0, 4'd0, 2'd0};
    {2'd1, 1'd1, 2'd2}: forward_row = {1'b1, 1'b0, 1'b0, 4'd0, 2'd2};
    {2'd2, 1'd0, 2'd0}: forward_row = {1'b1, 1'b1, 1'b0, 4'd0, 2'd0};
    {2'd2, 1'd0, 2'd2}: forward_row = {1'b1, 1'b0, 1'b0, 4'd0, 2'd1};
    {2'd2, 1'd1, 2'd0}: forward_row = {1'b1, 1'b1, 1'b0, 4'd1, 2'd3};
    {2'd2, 1'd1, 2'd1}: forward_row = {1'b1, 1'b1, 1'b0, 4'd2, 2'd3};
    {2'd2, 1'd1, 2'd2}: forward_row = {1'b1, 1'b0, 1'b0, 4'd2, 2'd3};
    {2'd3, 1'd0, 2'd0}: forward_row = {1'b1, 1'b0, 1'b0, 4'd0, 2'd2};
    {2'd3, 1'd0, 2'd1}: forward_row = {1'b1, 1'b1, 1'b0, 4'd1, 2'd1};
    {2'd3, 1'd0, 2'd2}: forward_row = {1'b1, 1'b0, 1'b0, 4'd0, 2'd2};
    {2'd3, 1'd1, 2'd0}: forward_row = {1'b1, 1'b1, 1'b0, 4'd1, 2'd2};
    {2'd3, 1'd1, 2'd1}: forward_row = {1'b1, 1'b0, 1'b0, 4'd0, 2'd1};
    {2'd3, 1'd1, 2'd2}: forward_row = {1'b1, 1'b0, 1'b0, 4'd0, 2'd1};
    default: forward_row = '0;
  endcase
endfunction

// {accept, position, b, a, mode}
function automatic logic [16:0] gate_row(input logic [1:0] node, input logic [1:0] row, input logic port);
  case ({node, row, port})
    {2'd0, 2'd0, 1'd0}: gate_row = {4'd15, 2'd0, 4'd15, 4'd0, 3'd1};
    {2'd0, 2'd0, 1'd1}: gate_row = {4'd15, 2'd0, 4'd15, 4'd0, 3'd1};
    {2'd0, 2'd1, 1'd0}: gate_row = {4'd0, 2'd0, 4'd15, 4'd1, 3'd1};
    {2'd0, 2'd1, 1'd1}: gate_row = {4'd1, 2'd0, 4'd15, 4'd1, 3'd1};
    {2'd0, 2'd2, 1'd0}: gate_row = {4'd0, 2'd0, 4'd15, 4'd1, 3'd1};
    {2'd0, 2'd2, 1'd1}: gate_row = {4'd1, 2'd0, 4'd15, 4'd1, 3'd1};
    {2'd1, 2'd0, 1'd0}: gate_row = {4'd0, 2'd0, 4'd15, 4'd0, 3'd1};
    {2'd1, 2'd0, 1'd1}: gate_row = {4'd0, 2'd0, 4'd15, 4'd0, 3'd1};
    {2'd1, 2'd1, 1'd0}: gate_row = {4'd15, 2'd0, 4'd2, 4'd1, 3'd1};
    {2'd1, 2'd1, 1'd1}: gate_row = {4'd1, 2'd0, 4'd2, 4'd1, 3'd1};
    {2'd1, 2'd2, 1'd0}: gate_row = {4'd15, 2'd0, 4'd1, 4'd2, 3'd1};
    {2'd1, 2'd2, 1'd1}: gate_row = {4'd1, 2'd0, 4'd1, 4'd2, 3'd1};
    {2'd2, 2'd0, 1'd0}: gate_row = {4'd1, 2'd0, 4'd15, 4'd0, 3'd1};
    {2'd2, 2'd0, 1'd1}: gate_row = {4'd1, 2'd0, 4'd15, 4'd0, 3'd1};
    {2'd2, 2'd1, 1'd0}: gate_row = {4'd0, 2'd0, 4'd2, 4'd1, 3'd1};
    {2'd2, 2'd1, 1'd1}: gate_row = {4'd15, 2'd0, 4'd2, 4'd1, 3'd1};
    {2'd2, 2'd2, 1'd0}: gate_row = {4'd0, 2'd0, 4'd1, 4'd2, 3'd1};
    {2'd2, 2'd2, 1'd1}: gate_row = {4'd15, 2'd0, 4'd1, 4'd2, 3'd1};
    {2'd3, 2'd0, 1'd0}: gate_row = {4'd0, 2'd0, 4'd15, 4'd0, 3'd1};
    {2'd3, 2'd0, 1'd1}: gate_row = {4'd1, 2'd0, 4'd15, 4'd0, 3'd1};
    {2'd3, 2'd1, 1'd0}: gate_row = {4'd1, 2'd0, 4'd15, 4'd1, 3'd1};
    {2'd3, 2'd1, 1'd1}: gate_row = {4'd0, 2'd0, 4'd15, 4'd1, 3'd1};
    {2'd3, 2'd2, 1'd0}: gate_row = {4'd1, 2'd0, 4'd15, 4'd1, 3'd1};
    {2'd3, 2'd2, 1'd1}: gate_row = {4'd0, 2'd0, 4'd15, 4'd1, 3'd1};
    default: gate_row = '0;
  endcase
endfunction
