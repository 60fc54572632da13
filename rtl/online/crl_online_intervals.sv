// SPDX-License-Identifier: Apache-2.0
//
// Broadcasts that arrive at random: partial multinode broadcasts one after the other (Varvarigos & Bertsekas 1994,
// Sec. 5). A packet that is given waits; each interval carries the oldest one of every node that has one when it begins.
//
// Timing, ports, and registers: those of crl_online_broadcast; and register 14, how many packets may wait. While an interval
// counts, what the node received in the one before can be read.

module crl_online_intervals #(
  /// Dimensions, 1 to 8.
  parameter int Dims = 2,
  /// Packets each memory of an engine holds: as many as there are nodes.
  parameter int Depth = 64,
  /// Room for packets that wait: a power of two, 2 or more.
  parameter int Waiting = 64,
  /// Bits of a place of one.
  localparam int WaitW = $clog2(Waiting)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 start_i,
  output logic                 busy_o,

  input  logic                 load_we_i,
  input  logic [15:0]          load_addr_i,
  input  logic [31:0]          load_data_i,

  input  logic                 give_valid_i, // a packet of the node's own, its parts in ascending order
  input  logic [2*Dims*32-1:0] give_data_i,
  output logic                 begins_o,     // what is on the links is of the first slot of an interval
  output logic                 counts_o,     // of counting

  input  logic [2*Dims-1:0]    link_valid_i,
  input  logic [2*Dims*64-1:0] link_data_i,
  output logic [2*Dims-1:0]    link_valid_o,
  output logic [2*Dims*64-1:0] link_data_o,

  input  logic [15:0]          read_sel_i,
  input  logic [15:0]          read_addr_i,
  output logic                 read_valid_o,
  output logic [43:0]          read_data_o,
  output logic                 fault_o       // sticky: a packet was lost, also one that was given
);

  logic [WaitW:0]         limit_q;
  logic                   begins, counts, offered, lost, lost_q, fault;
  logic [2*Dims*32-1:0]   packet;

  always_ff @(posedge clk_i) if (load_we_i && load_addr_i == 16'd14) limit_q <= load_data_i[WaitW:0];

  crl_online_queue #(
    .Width(2 * Dims * 32),
    .Depth(Waiting)
  ) u_waiting (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .clear_i(start_i),
    .limit_i(limit_q),
    .push_i (give_valid_i),
    .data_i (give_data_i),
    .pop_i  (begins && offered),
    .valid_o(offered),
    .data_o (packet),
    .lost_o (lost)
  );

  crl_online_broadcast #(
    .Dims  (Dims),
    .Depth (Depth),
    .Repeat(1)
  ) u_broadcast (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .start_i      (start_i),
    .busy_o       (busy_o),
    .load_we_i    (load_we_i),
    .load_addr_i  (load_addr_i),
    .load_data_i  (load_data_i),
    .offer_valid_i(offered),
    .offer_data_i (packet),
    .begins_o     (begins),
    .counts_o     (counts),
    .link_valid_i (link_valid_i),
    .link_data_i  (link_data_i),
    .link_valid_o (link_valid_o),
    .link_data_o  (link_data_o),
    .read_sel_i   (read_sel_i),
    .read_addr_i  (read_addr_i),
    .read_valid_o (read_valid_o),
    .read_data_o  (read_data_o),
    .fault_o      (fault)
  );

  always_ff @(posedge clk_i) begin
    begins_o <= rst_ni && !start_i && begins;
    counts_o <= rst_ni && !start_i && counts;
    lost_q   <= rst_ni && !start_i && (lost_q || lost);
  end
  assign fault_o = fault || lost_q;

endmodule
