// SPDX-License-Identifier: Apache-2.0
//
// Runs the eight cores and compares what each one ends with with what program.c says it must. Draws a waveform.
`timescale 1ns / 1ps

module bench;
  logic clk = 1'b0, rst_n = 1'b0;
  wire  [7:0] done;
  wire  [255:0] result;
  wire  fault;
  reg   [31:0] word [0:7];
  reg   [31:0] x;
  integer cycles = 0, wrong = 0;

  soc u_soc (.clk_i(clk), .rst_ni(rst_n), .done_o(done), .result_o(result), .fault_o(fault));

  always #5 clk = !clk;

  initial begin
    $dumpfile("soc.fst");
    $dumpvars(0, bench);
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
    while (done != '1 && cycles < 100000) begin
      @(posedge clk);
      cycles = cycles + 1;
    end
    for (int v = 0; v < 8; v++) word[v] = v;
    for (int turn = 0; turn < 8; turn++) begin
      x = 1;
      for (int v = 0; v < 8; v++) begin
        x = x ^ word[v];
        x = x ^ (x << 13);
        x = x ^ (x >> 17);
        x = x ^ (x << 5);
      end
      for (int v = 0; v < 8; v++) word[v] = x + v;
    end
    for (int v = 0; v < 8; v++) if (result[v*32 +: 32] !== word[v]) wrong = wrong + 1;
    if (done == '1 && wrong == 0 && fault === 1'b0) $display("PASS 8 turns of 8 cores, %0d cycles", cycles);
    else $display("FAIL %0d results are wrong, done %b, fault %b", wrong, done, fault);
    $finish;
  end
endmodule
