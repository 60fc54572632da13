// SPDX-License-Identifier: Apache-2.0
//
// What emitted.sh does to a fabric beside its own bench: each a root of its own.

`timescale 1ns / 1ps

// The links carry nothing.
module cut;
  initial force carillon_fabric_tb.dut.u_fabric.u_fabric.link_valid = 0;
endmodule

// An entry of a map is not loaded.
module cut_map;
  initial @(posedge carillon_fabric_tb.rst_n) force carillon_fabric_tb.dut.u_fabric.gen_node[1].in_unloaded = 1;
endmodule

// All links carry words in the middle of a round: of an active row that is told apart from what comes where none plays.
module stray;
  initial begin
    @(posedge carillon_fabric_tb.dut.busy_o);
    #60 force carillon_fabric_tb.dut.u_fabric.u_fabric.link_valid = '1;
    wait ((|carillon_fabric_tb.dut.u_fabric.fault_o) === 1'b1);
    $display("STRAY %b", carillon_fabric_tb.dut.u_fabric.fault_o);
    $finish(0);
  end
endmodule

// Tables and maps are loaded in another order, the last first: a block is what follows one write of SELECT (0c).
module turned;
  reg [39:0] was [0:4095];
  integer k, at, to, last;
  task turn;
    begin
      to = 0;
      last = $size(carillon_fabric_tb.load);
      for (k = 0; k < last; k = k + 1) was[k] = carillon_fabric_tb.load[k];
      for (k = last - 1; k >= 0; k = k - 1)
        if (was[k][39:32] == 8'h0c) begin
          for (at = k; at < last; at = at + 1) begin
            carillon_fabric_tb.load[to] = was[at];
            to = to + 1;
          end
          last = k;
        end
    end
  endtask
endmodule

// While the fabric is asked to hold it takes no orders, and RUN is refused.
module held;
  always @(posedge carillon_fabric_tb.clk)
    if (carillon_fabric_tb.dut.u_fabric.hold_i === 1'b1 && carillon_fabric_tb.dut.u_fabric.order_ready_o !== 1'b0) begin
      $display("WRONG orders are taken while the fabric is held");
      $finish(0);
    end
  task order; // the bench says that RUN is not taken, which is no error here
    begin
      force carillon_fabric_tb.errors = 0;
      carillon_fabric_tb.write_register(5'h18, 32'd1);
      if (carillon_fabric_tb.bresp === 2'b00) begin
        $display("WRONG RUN is taken while the fabric is held");
        $finish(0);
      end
      release carillon_fabric_tb.errors;
    end
  endtask
endmodule
