// SPDX-License-Identifier: Apache-2.0
//
// Stages A, B and R of crl_queue_node: a word comes, from a link port or the processor; its forwarding row is read while it
// is in B, and is there in R, too.

module crl_queue_arrivals #(
  parameter int Ports = 4,
  parameter int Trees = 4,
  parameter int DataW = 32,
  localparam int TW = (Trees > 1) ? $clog2(Trees) : 1,
  localparam int PW = (Ports > 1) ? $clog2(Ports) : 1,
  localparam int AW = $clog2(Ports + 2)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   link_i,         // A is at a link port,
  input  logic [AW-1:0]          port_i,         // this one; else at the processor's
  input  logic [Ports-1:0]       accept_i,       // ports by which words may come
  input  logic [Ports-1:0]       link_valid_i,
  input  logic [Ports*DataW-1:0] link_data_i,
  input  logic                   inject_valid_i, // and it is taken
  input  logic [DataW-1:0]       inject_data_i,

  output logic [TW-1:0]          tree_o,         // address of the forwarding row, in A
  output logic [AW-1:0]          arrival_o,
  output logic                   stray_o,        // in A: a word came while it is another port's turn

  output logic                   valid_o,        // in R: a word
  output logic                   known_o,        // and one that may come, of a tree that there is
  output logic [DataW-1:0]       word_o,
  output logic [AW-1:0]          port_o          // Ports: the node's own
);

  logic [DataW-1:0] word, word_q;
  logic             valid, accepted, valid_q, known_q;
  logic [Ports-1:0] port;
  logic [AW-1:0]    arrival_q;

  assign port     = link_i ? Ports'(1) << port_i : '0;
  assign word     = link_i ? link_data_i[PW'(port_i)*DataW +: DataW] : inject_data_i;
  assign valid    = link_i ? (link_valid_i & port) != '0 : inject_valid_i;
  assign accepted = !link_i || (accept_i & port) != '0;
  assign stray_o  = (link_valid_i & ~port) != '0;

  assign tree_o    = word[28 +: TW];
  assign arrival_o = link_i ? port_i : AW'(Ports);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      valid_o <= 1'b0;
      known_o <= 1'b0;
    end else begin
      valid_q <= valid;
      valid_o <= valid_q;
      known_o <= valid_q && known_q;
    end
  end
  always_ff @(posedge clk_i) begin
    word_q    <= word;
    arrival_q <= arrival_o;
    known_q   <= 32'(word[31:28]) < Trees && accepted;
    word_o    <= word_q;
    port_o    <= arrival_q;
  end

endmodule
