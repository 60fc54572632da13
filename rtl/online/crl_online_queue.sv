// SPDX-License-Identifier: Apache-2.0
//
// First in, first out, with a limit set for the run. What comes in at an empty queue can leave in the same cycle.

module crl_online_queue #(
  /// Bits of an entry.
  parameter int Width = 8,
  /// Entries it has room for: a power of two, 2 or more.
  parameter int Depth = 16,
  /// Bits of an entry's place.
  localparam int AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,  // forgets all
  input  logic [AddrW:0]   limit_i,  // entries it may hold, at most Depth; holds while in use

  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  input  logic             pop_i,    // only while valid_o
  output logic             valid_o,  // there is an entry
  output logic [Width-1:0] data_o,   // the oldest
  output logic             lost_o    // what is pushed finds no room
);

  /* verilator no_inline_module */ // there are hundreds: compiled once

  logic [Width-1:0] mem [0:Depth-1];
  logic [AddrW-1:0] read_q, write_q;
  logic [AddrW:0]   count_q;
  logic             empty, enters;

  if (Depth < 2 || (1 << AddrW) != Depth) begin : gen_bad_depth
    crl_error_depth_must_be_a_power_of_two u_error ();
  end

  assign empty   = count_q == '0;
  assign lost_o  = push_i && count_q == limit_i;
  assign enters  = push_i && !lost_o;
  assign valid_o = !empty || enters;
  assign data_o  = empty ? data_i : mem[read_q];

  always_ff @(posedge clk_i) if (enters) mem[write_q] <= data_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      read_q  <= '0;
      write_q <= '0;
      count_q <= '0;
    end else begin
      read_q  <= read_q + AddrW'(pop_i);
      write_q <= write_q + AddrW'(enters);
      count_q <= count_q + (AddrW+1)'(enters) - (AddrW+1)'(pop_i);
    end
  end

endmodule
