// SPDX-License-Identifier: Apache-2.0
//
// iCE40-HX8K breakout board: pins and tri-states around crl_board. The flash's pins are the FPGA's only while it loads.

module top #(
  parameter int BoardId = 2,
  parameter int Build = 0,
  parameter int Dim = 4,
  parameter int Steps = 4,
  parameter int Combine = 0,
  parameter InitFile = ""
) (
  input  logic clk,
  input  logic uart_rx,
  output logic uart_tx,
  inout  wire  flash_csn,
  inout  wire  flash_sck,
  inout  wire  flash_mosi,
  input  logic flash_miso,
  output logic led_use,
  output logic led_play,
  output logic led_fault
);

  logic oe, csn, sck, mosi;

  crl_board #(
    .BoardId (BoardId),
    .Build   (Build),
    .Dim     (Dim),
    .Steps   (Steps),
    .Combine (Combine),
    .InitFile(InitFile)
  ) u_board (
    .clk_i       (clk),
    .uart_rx_i   (uart_rx),
    .uart_tx_o   (uart_tx),
    .flash_oe_o  (oe),
    .flash_csn_o (csn),
    .flash_sck_o (sck),
    .flash_mosi_o(mosi),
    .flash_miso_i(flash_miso),
    .led_use_o   (led_use),
    .led_play_o  (led_play),
    .led_fault_o (led_fault)
  );

  assign flash_csn  = oe ? csn : 1'bz;
  assign flash_sck  = oe ? sck : 1'bz;
  assign flash_mosi = oe ? mosi : 1'bz;

endmodule
