// SPDX-License-Identifier: Apache-2.0
//
// What lies between two boards, in place of two transceivers and a cable: one direction, as a queue of flits from one clock to another. While
// it is pulled out, flits are lost.
`timescale 1ns / 1ps

module cable #(
  /// Bits of a flit, and how long one is under way.
  parameter int FlitW = 45,
  parameter realtime Delay = 100ns,
  localparam int Room = 1024
) (
  input  logic             from_clk_i,
  input  logic             flit_valid_i,
  input  logic [FlitW-1:0] flit_i,
  input  logic             out_i,        // it is pulled out

  input  logic             to_clk_i,
  output logic             flit_valid_o,
  output logic [FlitW-1:0] flit_o
);

  logic [FlitW-1:0] flits [0:Room-1];
  realtime          due [0:Room-1];
  int               sent = 0, heard = 0;

  always @(posedge from_clk_i) if (flit_valid_i && !out_i) begin
    flits[sent % Room] = flit_i;
    due[sent % Room]   = $realtime + Delay;
    sent               = sent + 1;
  end

  // Where the sender's clock is faster, flits without a word (their highest bit is 0) are left out.
  always @(posedge to_clk_i) begin
    while (sent - heard > 1 && due[(heard + 1) % Room] <= $realtime && !flits[heard % Room][FlitW-1]) heard = heard + 1;
    flit_valid_o <= heard != sent && due[heard % Room] <= $realtime;
    flit_o       <= flits[heard % Room];
    if (heard != sent && due[heard % Room] <= $realtime) heard = heard + 1;
  end

endmodule
