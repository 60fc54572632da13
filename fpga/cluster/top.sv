// SPDX-License-Identifier: Apache-2.0
//
// iCE40-HX8K breakout board: pins around crl_cluster_board. The flash's pins stay the host's.

module top #(
  parameter int BoardId = 6,
  parameter int Build = 0,
  parameter int Torus = 0,
  localparam int Cables = (Torus != 0) ? 2 : 1
) (
  input  logic clk,
  input  logic uart_rx,
  output logic uart_tx,
  input  logic [Cables-1:0] wire_in,
  output logic [Cables-1:0] wire_out,
  output logic led_use,
  output logic led_play,
  output logic led_fault
);

  logic unused_oe, unused_csn, unused_sck, unused_mosi;

  crl_cluster_board #(
    .BoardId(BoardId),
    .Build  (Build),
    .Torus  (Torus)
  ) u_board (
    .clk_i       (clk),
    .uart_rx_i   (uart_rx),
    .uart_tx_o   (uart_tx),
    .flash_oe_o  (unused_oe),
    .flash_csn_o (unused_csn),
    .flash_sck_o (unused_sck),
    .flash_mosi_o(unused_mosi),
    .flash_miso_i(1'b1),
    .wire_i      (wire_in),
    .wire_o      (wire_out),
    .led_use_o   (led_use),
    .led_play_o  (led_play),
    .led_fault_o (led_fault)
  );

endmodule
