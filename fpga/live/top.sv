// SPDX-License-Identifier: Apache-2.0
//
// iCE40-HX8K breakout board: pins around crl_live_board. The flash's pins stay the host's.

module top #(
  parameter int BoardId = 3,
  parameter int Build = 0,
  parameter int Online = 0
) (
  input  logic clk,
  input  logic uart_rx,
  output logic uart_tx,
  output logic led_use,
  output logic led_play,
  output logic led_fault
);

  logic unused_oe, unused_csn, unused_sck, unused_mosi;

  crl_live_board #(
    .BoardId(BoardId),
    .Build  (Build),
    .Online (Online)
  ) u_board (
    .clk_i       (clk),
    .uart_rx_i   (uart_rx),
    .uart_tx_o   (uart_tx),
    .flash_oe_o  (unused_oe),
    .flash_csn_o (unused_csn),
    .flash_sck_o (unused_sck),
    .flash_mosi_o(unused_mosi),
    .flash_miso_i(1'b1),
    .led_use_o   (led_use),
    .led_play_o  (led_play),
    .led_fault_o (led_fault)
  );

endmodule
