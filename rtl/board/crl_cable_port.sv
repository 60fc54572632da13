// SPDX-License-Identifier: Apache-2.0
//
// An end of a cable with its check, for a transceiver that carries flits.
//
// Timing: that of crl_cable and crl_flit_check. Flits may come and go in every cycle; a word that is put in at an edge can be taken eight
// edges after the one at which the fabric stepped that sent it, and as many more as flits take through the transceivers.

module crl_cable_port #(
  /// As of crl_cable.
  parameter int DataW = 16,
  parameter int Depth = 256,
  parameter int Silence = 10,
  /// Identity of the plan and the cable, and which end this is.
  parameter Identity = 29'h0,
  parameter int End = 0,
  localparam int A = $clog2(Depth),
  localparam int FieldW = (DataW > A + 4) ? DataW : A + 4,
  localparam int FlitW = 1 + 2 * A + FieldW,
  localparam int IdentityW = 2 * A + FieldW - 3
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                put_i,
  input  logic [DataW-1:0]    data_i,
  output logic                room_o,
  output logic                room_ahead_o,

  input  logic                take_i,
  output logic [DataW-1:0]    word_o,
  output logic                there_o,
  output logic                there_ahead_o,

  input  logic                flit_take_i,   // the flit shown, if any, is sent
  output logic                flit_valid_o,
  output logic [FlitW+16-1:0] flit_o,
  input  logic                flit_valid_i,
  input  logic [FlitW+16-1:0] flit_i,

  output logic                up_o,
  output logic                silent_o,
  output logic                fault_other_o,
  output logic                fault_reset_o,
  output logic                repeats_o,
  output logic                damaged_o
);

  logic [FlitW-1:0] says, hears;
  logic             hears_valid, hears_good;

  crl_cable #(
    .DataW  (DataW),
    .Depth  (Depth),
    .Silence(Silence)
  ) u_cable (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .identity_i   (IdentityW'(Identity)),
    .end_i        (1'(End)),
    .put_i        (put_i),
    .data_i       (data_i),
    .room_o       (room_o),
    .room_ahead_o (room_ahead_o),
    .take_i       (take_i),
    .word_o       (word_o),
    .there_o      (there_o),
    .there_ahead_o(there_ahead_o),
    .flit_take_i  (flit_take_i),
    .flit_o       (says),
    .flit_valid_i (hears_valid),
    .flit_good_i  (hears_good),
    .flit_i       (hears),
    .up_o         (up_o),
    .silent_o     (silent_o),
    .fault_other_o(fault_other_o),
    .fault_reset_o(fault_reset_o),
    .repeats_o    (repeats_o),
    .damaged_o    (damaged_o)
  );

  crl_flit_check #(
    .FlitW(FlitW)
  ) u_check (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .flit_i        (says),
    .flit_take_i   (flit_take_i),
    .sealed_valid_o(flit_valid_o),
    .sealed_o      (flit_o),
    .sealed_valid_i(flit_valid_i),
    .sealed_i      (flit_i),
    .flit_valid_o  (hears_valid),
    .flit_good_o   (hears_good),
    .flit_o        (hears)
  );

endmodule
