// SPDX-License-Identifier: Apache-2.0
//
// What lies on one board of several: its part of the network, and its ends of cables, of two wires each or for transceivers.
//
// Timing: that of crl_cabled_fabric and of crl_wired_cable or crl_cable_port.

`include "crl_networks.svh"

module crl_cabled_board #(
  /// As of crl_cabled_fabric.
  parameter int Nodes = 4,
  `include "crl_router_form.svh"
  parameter Neighbours = {(Nodes * Ports){16'hFFFF}},
  parameter Latencies = {(Nodes * Ports){16'h0001}},
  parameter int Cables = 1,
  parameter Senders = {(Nodes * Ports){16'hFFFF}} << 16,
  parameter Hearers = {(Nodes * Ports){16'hFFFF}} << 16,
  parameter int SharedTable = 0,
  parameter int Store = 1,
  parameter int ResetBanks = 0,
  parameter InitFile = "",
  parameter int Inline = 0,
  parameter TableInit = 1'b0,
  /// 1: cables are two wires each; 0: ports for flits.
  parameter int Wired = 0,
  /// As of crl_cable.
  parameter int Depth = 256,
  parameter int Silence = 10,
  /// Of each cable 32 bits that both its ends know, and no other cable's; and one bit, which end this is.
  parameter Identities = 32'h0000_0000,
  parameter Ends = 1'b0,
  localparam int Streams = 1,
  `include "crl_row.svh"
  localparam int Tables = (SharedTable != 0) ? 1 : Nodes,
  localparam int TableW = (Tables > 1) ? $clog2(Tables) : 1,
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  localparam int A = $clog2(Depth),
  /// Bits of a cable's line: a flit, or a wire.
  localparam int LineW = (Wired != 0) ? 1 : 1 + 2 * A + ((DataW > A + 4) ? DataW : A + 4) + 16
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,

  input  logic                   start_i,           // as of crl_cabled_fabric
  input  logic [TA-1:0]          last_row_i,
  output logic                   begin_o,
  output logic                   busy_o,
  output logic                   step_o,
  output logic [TA-1:0]          number_o,
  output logic [Cables-1:0]      waits_for_o,
  output logic [Cables-1:0]      held_by_o,

  input  logic                   table_we_i,
  input  logic [TableW-1:0]      table_sel_i,
  input  logic [TA-1:0]          table_addr_i,
  input  logic [RowW-1:0]        table_data_i,

  input  logic [Nodes*Lanes-1:0] own_valid_i,
  input  logic [Nodes*Lanes*DataW-1:0] own_data_i,
  output logic [Nodes*Lanes-1:0] own_ready_o,
  output logic [Nodes*Lanes-1:0] show_valid_o,
  output logic [Nodes*Lanes*DataW-1:0] show_data_o,

  input  logic [Cables-1:0]      line_valid_i,      // as flits of crl_cable_port; of wires it is not looked at,
  input  logic [Cables*LineW-1:0] line_i,
  input  logic [Cables-1:0]      line_take_i,       //   nor is this
  output logic [Cables-1:0]      line_valid_o,
  output logic [Cables*LineW-1:0] line_o,

  output logic [Cables-1:0]      up_o,              // of each cable, as of crl_cable
  output logic [Cables-1:0]      silent_o,
  output logic [Cables-1:0]      fault_other_o,
  output logic [Cables-1:0]      fault_reset_o,
  output logic [Cables-1:0]      repeats_o,
  output logic [Cables-1:0]      damaged_o,

  output logic [Nodes*4-1:0]     fault_o,           // as of crl_stream_fabric
  output logic [Nodes*Ports-1:0] fault_ports_o,
  output logic [Nodes*TA-1:0]    fault_row_o,
  output logic [Tables-1:0]      fault_parity_o,
  output logic [Tables*TA-1:0]   fault_parity_row_o
);

  localparam logic [32*Cables-1:0] IdentityList = (32 * Cables)'(Identities);
  localparam logic [Cables-1:0]    EndList      = Cables'(Ends);

  if ($bits(Identities) != 32 * Cables || $bits(Ends) != Cables) begin : gen_bad_identities
    crl_error_identities_ends_must_have_32_bits_and_1_bit_a_cable u_error ();
  end

  logic [Cables-1:0]       put, room, room_ahead, take, there, there_ahead;
  logic [Cables*DataW-1:0] data, word;
  logic unused_now;
  assign unused_now = &{1'b0, room, there};

  crl_cabled_fabric #(
    .Nodes      (Nodes),
    .Ports      (Ports),
    .Lanes      (Lanes),
    .Banks      (Banks),
    .WriteXbar  (WriteXbar),
    .Delay      (Delay),
    .WaddrField (WaddrField),
    .Combine    (Combine),
    .DataW      (DataW),
    .AddrW      (AddrW),
    .TableDepth (TableDepth),
    .Neighbours (Neighbours),
    .Latencies  (Latencies),
    .Cables     (Cables),
    .Senders    (Senders),
    .Hearers    (Hearers),
    .SharedTable(SharedTable),
    .Store      (Store),
    .ResetBanks (ResetBanks),
    .InitFile   (InitFile),
    .Inline     (Inline),
    .TableInit  (TableInit)
  ) u_fabric (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .clear_i           (clear_i),
    .start_i           (start_i),
    .last_row_i        (last_row_i),
    .begin_o           (begin_o),
    .busy_o            (busy_o),
    .step_o            (step_o),
    .number_o          (number_o),
    .waits_for_o       (waits_for_o),
    .held_by_o         (held_by_o),
    .table_we_i        (table_we_i),
    .table_sel_i       (table_sel_i),
    .table_addr_i      (table_addr_i),
    .table_data_i      (table_data_i),
    .own_valid_i       (own_valid_i),
    .own_data_i        (own_data_i),
    .own_ready_o       (own_ready_o),
    .show_valid_o      (show_valid_o),
    .show_data_o       (show_data_o),
    .put_o             (put),
    .data_o            (data),
    .room_ahead_i      (room_ahead),
    .take_o            (take),
    .word_i            (word),
    .there_ahead_i     (there_ahead),
    .fault_o           (fault_o),
    .fault_ports_o     (fault_ports_o),
    .fault_row_o       (fault_row_o),
    .fault_parity_o    (fault_parity_o),
    .fault_parity_row_o(fault_parity_row_o)
  );

  for (genvar c = 0; c < Cables; c++) begin : gen_cable
    if (Wired != 0) begin : gen_wires
      logic unused_flow;
      assign unused_flow = &{1'b0, line_valid_i[c], line_take_i[c]};
      assign line_valid_o[c] = 1'b1;

      crl_wired_cable #(
        .DataW   (DataW),
        .Depth   (Depth),
        .Silence (Silence),
        .Identity(IdentityList[32*c +: 32]),
        .End     (32'(EndList[c]))
      ) u_cable (
        .clk_i        (clk_i),
        .rst_ni       (rst_ni),
        .put_i        (put[c]),
        .data_i       (data[c*DataW +: DataW]),
        .room_o       (room[c]),
        .room_ahead_o (room_ahead[c]),
        .take_i       (take[c]),
        .word_o       (word[c*DataW +: DataW]),
        .there_o      (there[c]),
        .there_ahead_o(there_ahead[c]),
        .wire_i       (line_i[c*LineW]),
        .wire_o       (line_o[c*LineW]),
        .up_o         (up_o[c]),
        .silent_o     (silent_o[c]),
        .fault_other_o(fault_other_o[c]),
        .fault_reset_o(fault_reset_o[c]),
        .repeats_o    (repeats_o[c]),
        .damaged_o    (damaged_o[c])
      );
    end else begin : gen_flits
      crl_cable_port #(
        .DataW   (DataW),
        .Depth   (Depth),
        .Silence (Silence),
        .Identity(IdentityList[32*c +: 32]),
        .End     (32'(EndList[c]))
      ) u_cable (
        .clk_i        (clk_i),
        .rst_ni       (rst_ni),
        .put_i        (put[c]),
        .data_i       (data[c*DataW +: DataW]),
        .room_o       (room[c]),
        .room_ahead_o (room_ahead[c]),
        .take_i       (take[c]),
        .word_o       (word[c*DataW +: DataW]),
        .there_o      (there[c]),
        .there_ahead_o(there_ahead[c]),
        .flit_take_i  (line_take_i[c]),
        .flit_valid_o (line_valid_o[c]),
        .flit_o       (line_o[c*LineW +: LineW]),
        .flit_valid_i (line_valid_i[c]),
        .flit_i       (line_i[c*LineW +: LineW]),
        .up_o         (up_o[c]),
        .silent_o     (silent_o[c]),
        .fault_other_o(fault_other_o[c]),
        .fault_reset_o(fault_reset_o[c]),
        .repeats_o    (repeats_o[c]),
        .damaged_o    (damaged_o[c])
      );
    end
  end

endmodule
