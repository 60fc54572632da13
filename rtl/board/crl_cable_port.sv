// SPDX-License-Identifier: Apache-2.0
//
// An end of a cable: with a check for a transceiver that carries flits, or on two wires, one each way, that go to pins.
//
// Timing: that of crl_cable and crl_flit_check. Flits may come and go in every cycle; a word that is put in at an edge can be taken eight
// edges after the one at which the fabric stepped that sent it, and as many more as flits take through the transceivers. On wires a word
// goes out every 4 * (1 + the bits of a line of flits) cycles, 200 as the parameters are, and the other end has its own clock.

module crl_cable_port #(
  /// As of crl_cable.
  parameter int DataW = 16,
  parameter int Depth = 256,
  parameter int Silence = 10,
  parameter int Twice = 0,
  /// Identity of the plan and the cable, and which end this is.
  parameter Identity = 29'h0,
  parameter int End = 0,
  /// 1: identity_i and end_i say these, and do not change but in reset.
  parameter int Told = 0,
  /// 1: the line is a wire each way; 0: flits.
  parameter int Wired = 0,
  localparam int A = $clog2(Depth),
  localparam int FieldW = (DataW > A + 4) ? DataW : A + 4,
  localparam int FlitW = 1 + 2 * A + FieldW + ((Twice != 0) ? DataW : 0),
  localparam int IdentityW = 2 * A + FieldW - 3,
  /// Bits of the line.
  localparam int LineW = (Wired != 0) ? 1 : FlitW + 16
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [31:0]         identity_i,    // with Told
  input  logic                end_i,

  input  logic                put_i,
  input  logic [DataW-1:0]    data_i,
  output logic                room_o,
  output logic                room_ahead_o,

  input  logic                take_i,
  output logic [DataW-1:0]    word_o,
  output logic                there_o,
  output logic                there_ahead_o,

  input  logic                line_take_i,   // the flit shown, if any, is sent; of wires neither this counts
  output logic                line_valid_o,
  output logic [LineW-1:0]    line_o,
  input  logic                line_valid_i,  //   nor this
  input  logic [LineW-1:0]    line_i,

  output logic                up_o,
  output logic                silent_o,
  output logic                fault_other_o,
  output logic                fault_reset_o,
  output logic                repeats_o,
  output logic                damaged_o
);

  logic [FlitW-1:0] says, hears;
  logic             says_take, hears_valid, hears_good;

  logic unused_told;
  assign unused_told = &{1'b0, identity_i, end_i};

  crl_cable #(
    .DataW  (DataW),
    .Depth  (Depth),
    .Silence(Silence),
    .Twice  (Twice)
  ) u_cable (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .identity_i   ((Told != 0) ? IdentityW'(identity_i) : IdentityW'(Identity)),
    .end_i        ((Told != 0) ? end_i : 1'(End)),
    .put_i        (put_i),
    .data_i       (data_i),
    .room_o       (room_o),
    .room_ahead_o (room_ahead_o),
    .take_i       (take_i),
    .word_o       (word_o),
    .there_o      (there_o),
    .there_ahead_o(there_ahead_o),
    .flit_take_i  (says_take),
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

  if (Wired != 0) begin : gen_wires
    logic unused_line;
    assign unused_line  = &{1'b0, line_take_i, line_valid_i};
    assign line_valid_o = 1'b1;

    crl_wire_tx #(
      .FlitW(FlitW)
    ) u_tx (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .flit_i     (says),
      .flit_take_o(says_take),
      .wire_o     (line_o)
    );

    crl_wire_rx #(
      .FlitW(FlitW)
    ) u_rx (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .wire_i      (line_i),
      .flit_valid_o(hears_valid),
      .flit_good_o (hears_good),
      .flit_o      (hears)
    );
  end else begin : gen_flits
    assign says_take = line_take_i;

    crl_flit_check #(
      .FlitW(FlitW)
    ) u_check (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .flit_i        (says),
      .flit_take_i   (line_take_i),
      .sealed_valid_o(line_valid_o),
      .sealed_o      (line_o),
      .sealed_valid_i(line_valid_i),
      .sealed_i      (line_i),
      .flit_valid_o  (hears_valid),
      .flit_good_o   (hears_good),
      .flit_o        (hears)
    );
  end

endmodule
