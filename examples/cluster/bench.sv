// SPDX-License-Identifier: Apache-2.0
//
// Four boards in a ring of cables, each with a clock of its own, transpose three matrices. While they are at the second one, the cable between
// b0 and b2 is pulled out for three microseconds: all wait, and go on when it is back.
`timescale 1ns / 1ps
`include "board.svh"

`BOARD(b0, 0, 1, 4, 5)
`BOARD(b1, 8, 9, 12, 13)
`BOARD(b2, 2, 3, 6, 7)
`BOARD(b3, 10, 11, 14, 15)

module bench #(
  /// Bits of a flit, as the boards' READMEs say.
  parameter int FlitW = 45
);
  localparam int DataW = 16;
  localparam int Lines = 16;
  localparam realtime Cycle = 10ns;

  logic [3:0]              rst_n = '0, want = '0, begins, busy, fault, begun = '0;
  logic [1:0]              tx_valid [0:3], rx_valid [0:3], waits_for [0:3];
  logic [2*FlitW-1:0]      tx_flit [0:3], rx_flit [0:3];
  logic [5:0]              row [0:3];
  logic [256*DataW-1:0]    rows;
  logic [4*Lines*DataW-1:0] columns [0:3];
  logic                    out = 1'b0; // the cable between b0 and b2 is
  int                      errors = 0, waited;

  // Which lines a board has, in the order of its README.
  localparam int LinesOf [0:3][0:3] = '{'{0, 1, 4, 5}, '{8, 9, 12, 13}, '{2, 3, 6, 7}, '{10, 11, 14, 15}};

  for (genvar b = 0; b < 4; b++) begin : gen_clock
    logic tick = 1'b0;
    initial begin
      #((b + 1) * 2.3ns);
      forever #(Cycle / 2 * (1.0 + (b - 1.5) * 0.0001)) tick = !tick; // 100 ppm from one to the next
    end
    always @(posedge tick) if (begins[b]) begin
      want[b]  <= 1'b0;
      begun[b] <= 1'b1;
    end else if (want[b]) begun[b] <= 1'b0;
  end

`define PORTS(B) (.clk_i(gen_clock[B].tick), .rst_ni(rst_n[B]), .start_i(want[B]), .begins_o(begins[B]), .busy_o(busy[B]), .waits_for_o(waits_for[B]), \
  .row_o(row[B]), .rows_i(rows), .columns_o(columns[B]), .tx_valid_o(tx_valid[B]), .tx_flit_o(tx_flit[B]), .rx_valid_i(rx_valid[B]), \
  .rx_flit_i(rx_flit[B]), .fault_o(fault[B]))
  board_b0 #(.FlitW(FlitW)) u_b0 `PORTS(0);
  board_b1 #(.FlitW(FlitW)) u_b1 `PORTS(1);
  board_b2 #(.FlitW(FlitW)) u_b2 `PORTS(2);
  board_b3 #(.FlitW(FlitW)) u_b3 `PORTS(3);

  // Cables, as the boards' READMEs have them: of board A number I, of board B number J.
`define CABLE(NAME, A, I, B, J, OUT) \
  for (genvar w = 0; w < 2; w++) begin : gen_``NAME \
    localparam int From = (w == 0) ? A : B, To = (w == 0) ? B : A, F = (w == 0) ? I : J, T = (w == 0) ? J : I; \
    cable #(.FlitW(FlitW), .Delay(8.5 * Cycle)) u_cable (.from_clk_i(gen_clock[From].tick), .flit_valid_i(tx_valid[From][F]), \
      .flit_i(tx_flit[From][F*FlitW +: FlitW]), .out_i(OUT), .to_clk_i(gen_clock[To].tick), .flit_valid_o(rx_valid[To][T]), \
      .flit_o(rx_flit[To][T*FlitW +: FlitW])); \
  end
  `CABLE(cable0, 0, 0, 2, 0, out)
  `CABLE(cable1, 0, 1, 1, 0, 1'b0)
  `CABLE(cable2, 2, 1, 3, 0, 1'b0)
  `CABLE(cable3, 1, 1, 3, 1, 1'b0)

  task transpose(input int number);
    realtime began;
    for (int i = 0; i < 256; i++) rows[i*DataW +: DataW] = 16'($urandom);
    began = $realtime;
    want  = '1;
    @(posedge gen_clock[0].tick);
    if (number == 1) begin
      #(200ns);
      out = 1'b1;
      $display("the cable between b0 and b2 is pulled out");
      #(2900ns);
      for (int b = 0; b < 4; b++) $display("b%0d waits in row %0d for its cables %b", b, row[b], waits_for[b]);
      #(100ns);
      out = 1'b0;
      $display("and put back");
    end
    waited = 0;
    while (!(want == '0 && busy == '0) && waited < 10000) begin
      @(posedge gen_clock[0].tick);
      waited++;
    end
    for (int b = 0; b < 4; b++)
      for (int k = 0; k < 4; k++)
        for (int i = 0; i < Lines; i++)
          if (columns[b][(k*Lines + i)*DataW +: DataW] !== rows[(i*Lines + LinesOf[b][k])*DataW +: DataW]) errors++;
    $display("matrix %0d: transposed in %0.0f ns, %0d words wrong", number, $realtime - began, errors);
  endtask

  initial begin
    $dumpfile("cluster.fst");
    $dumpvars(1);
    #(50 * Cycle);
    rst_n = '1;
    #(3000 * Cycle); // cables come up
    for (int n = 0; n < 3; n++) transpose(n);
    if (errors == 0 && fault == '0) $display("PASS three matrices of 16 x 16, on four boards");
    else $display("FAIL %0d words, faults %b", errors, fault);
    $finish;
  end
endmodule
