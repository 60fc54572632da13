// SPDX-License-Identifier: Apache-2.0
//
// Random matrices through area, each word of the result compared with the sum that it should be. Draws a waveform.
`timescale 1ns / 1ps

module bench;
  localparam int Lines = 16, DataW = 16, Matrices = 20;

  logic clk = 1'b0, rst_n = 1'b0, start = 1'b0;
  wire  done, fault;
  logic [Lines*Lines*DataW-1:0] rows;
  wire  [Lines*Lines*DataW-1:0] columns;
  logic [DataW-1:0] sum [0:Lines*Lines-1];
  integer seed = 1, wrong = 0, cycles = 0, begun = 0;

  area u_area (.clk_i(clk), .rst_ni(rst_n), .start_i(start), .rows_i(rows), .done_o(done), .columns_o(columns), .fault_o(fault));

  always #5 clk = !clk;
  always @(posedge clk) cycles <= cycles + 1;

  function automatic [DataW-1:0] at(input integer i, input integer j);
    at = (i < 0 || j < 0) ? '0 : sum[i * Lines + j];
  endfunction

  initial begin
    $dumpfile("transpose.fst");
    $dumpvars(0, bench);
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
    @(posedge clk);
    for (int m = 0; m < Matrices; m++) begin
      for (int i = 0; i < Lines; i++)
        for (int j = 0; j < Lines; j++) begin
          rows[(i * Lines + j) * DataW +: DataW] = DataW'($random(seed));
          sum[i * Lines + j] = rows[(i * Lines + j) * DataW +: DataW] + at(i - 1, j) + at(i, j - 1) - at(i - 1, j - 1);
        end
      start <= 1'b1;
      begun = cycles;
      @(posedge clk);
      start <= 1'b0;
      @(posedge clk);
      while (!done && cycles - begun < 1000) @(posedge clk);
      for (int i = 0; i < Lines; i++)
        for (int j = 0; j < Lines; j++)
          if (columns[(j * Lines + i) * DataW +: DataW] !== at(i, j)) wrong = wrong + 1;
    end
    if (wrong == 0 && fault === 1'b0)
      $display("PASS %0d matrices, %0d cycles each", Matrices, cycles - begun);
    else $display("FAIL %0d words are wrong, fault %b", wrong, fault);
    $finish;
  end
endmodule
