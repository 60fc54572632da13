// SPDX-License-Identifier: Apache-2.0
//
// A node's own packets that wait for their interval, in the order in which they are given.
//
// Timing: a packet is given in Parts cycles, a part each in which give_valid_i is high. After the edge that takes the last
// one it is offered, if it is the oldest; part part_i of that is at data_o after the edge that samples part_i. A packet
// that finds no room when its first part comes is lost, lost_o says so in that cycle.

module crl_online_waiting #(
  /// Parts of a packet.
  parameter int Parts = 4,
  /// Bits of a part.
  parameter int DataW = 16,
  /// Packets it has room for: a power of two, 2 or more.
  parameter int Depth = 64,
  /// Bits of a packet's place, of a part's number.
  localparam int AddrW = $clog2(Depth),
  localparam int PartW = (Parts > 1) ? $clog2(Parts) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,   // forgets all
  input  logic [AddrW:0]   limit_i,  // packets that may wait, at most Depth; holds while in use

  input  logic             give_valid_i,
  input  logic [DataW-1:0] give_data_i,
  output logic             lost_o,

  output logic             offered_o,
  input  logic [PartW-1:0] part_i,
  output logic [DataW-1:0] data_o,
  input  logic             take_i     // only while offered_o: the oldest is needed no more
);

  if (Depth < 2 || (1 << AddrW) != Depth) begin : gen_bad_depth
    crl_error_depth_must_be_a_power_of_two u_error ();
  end

  logic [AddrW-1:0] read_q, write_q;
  logic [AddrW:0]   count_q;
  logic [PartW-1:0] part_q;
  logic             skip_q, skip, ends, enters; // skip: the packet that is being given is lost

  assign lost_o    = give_valid_i && part_q == '0 && count_q == limit_i;
  assign skip      = part_q == '0 ? count_q == limit_i : skip_q;
  assign ends      = give_valid_i && part_q == PartW'(Parts - 1);
  assign enters    = ends && !skip;
  assign offered_o = count_q != '0;

  crl_ram #(
    .DataW(DataW),
    .Depth(Depth << PartW)
  ) u_memory (
    .clk_i  (clk_i),
    .we_i   (give_valid_i && !skip),
    .waddr_i({write_q, part_q}),
    .wdata_i(give_data_i),
    .re_i   (1'b1),
    .raddr_i({read_q, part_i}),
    .rdata_o(data_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q  <= '0;
      write_q <= '0;
      count_q <= '0;
      part_q  <= '0;
      skip_q  <= 1'b0;
    end else begin
      if (give_valid_i) part_q <= ends ? '0 : part_q + 1'b1;
      if (give_valid_i) skip_q <= skip;
      read_q  <= read_q + AddrW'(take_i);
      write_q <= write_q + AddrW'(enters);
      count_q <= count_q + (AddrW+1)'(enters) - (AddrW+1)'(take_i);
    end
  end

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

`ifdef FORMAL_TOP_crl_online_waiting
  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    assume (32'(limit_i) <= Depth && !(take_i && !offered_o));
    if (f_past_valid) assume (limit_i == f_limit_q);
  end
  logic [AddrW:0] f_limit_q;
  always_ff @(posedge clk_i) f_limit_q <= limit_i;

  // Parts that were given of packets that were not lost, and that were taken.
  logic [AddrW+PartW+1:0] f_given, f_taken;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_given <= '0;
      f_taken <= '0;
    end else begin
      if (enters) f_given <= f_given + 1'b1;
      if (take_i) f_taken <= f_taken + 1'b1;
    end
  end
  always_comb if (f_past_valid) begin
    a_count: assert ((AddrW+PartW+2)'(count_q) == f_given - f_taken);
  end
`endif

  always_comb if (f_past_valid) begin
    a_room: assert (count_q <= limit_i);
    a_kept: assert (skip_q || part_q == '0 || count_q < limit_i);
    a_places: assert (write_q == read_q + count_q[AddrW-1:0]);
    a_parts: assert (32'(part_q) < Parts);
    // What waits is not written over.
    if (rst_ni && give_valid_i && !skip && offered_o) a_apart: assert (write_q != read_q);
    a_lost: assert (!(enters && count_q == limit_i));
    c_full: cover (lost_o && 32'(count_q) == Depth);
    c_both: cover (enters && take_i);
  end
`endif

endmodule
