// SPDX-License-Identifier: Apache-2.0
//
// The network of a board: a hypercube of routers of one lane that play lines of a shared table memory; a recorder of
// what is on the links; and a service port that reads and writes the routers' packet memories a word at a time.
//
// Timing: the network makes a step every Steps clocks, and everything that crosses between it and clk_i counts once a step. A
// line memory of Words a line could not feed and record that many routers in one clock, so a row takes Steps lines. With
// Steps = 1 the network runs on clk_i. Else its clock is a register that rises on the falling edge in the
// last clock of a step: what crosses has half a clock on both sides of that edge. tick_o is 1 in that clock, and what the
// network takes from the caller changes at its end only. Row r is at line_addr_o one step after it is at the slot counter if
// Steps > 1, at once if Steps = 1; everything else is as in crl_node.

module crl_board_fabric #(
  /// Dimension of the cube: 2^Dim routers of Dim ports.
  parameter int Dim = 3,
  /// Clocks a row: 1, 2 or 4, a divisor of the nodes.
  parameter int Steps = 1,
  /// 0: routers keep what arrives; else they add it up: see crl_router.
  parameter int Combine = 0,
  `include "crl_board_form.svh"
  localparam int StepW = (Steps > 1) ? $clog2(Steps) : 1
) (
  input  logic                     clk_i,
  output logic                     tick_o,

  input  logic                     rst_ni,
  input  logic                     clear_i,          // clears sticky faults
  input  logic                     start_i,          // for one step
  input  logic [TA-1:0]            last_row_i,       // holds while busy
  output logic                     busy_o,

  output logic [7:0]               line_addr_o,
  input  logic [16*TableWords-1:0] line_i,           // one clock after line_addr_o

  input  logic                     record_i,         // holds while busy
  output logic                     trace_we_o,
  output logic [7:0]               trace_line_o,
  output logic [16*TraceWords-1:0] trace_data_o,

  input  logic                     service_req_i,    // until service_ack_o, which falls after it; only while not busy
  input  logic                     service_we_i,
  input  logic [Dim-1:0]           service_node_i,
  input  logic [AddrW-1:0]         service_addr_i,
  input  logic [DataW-1:0]         service_wdata_i,
  output logic                     service_ack_o,
  output logic [DataW-1:0]         service_rdata_o,

  output logic [Nodes*3-1:0]       fault_o,
  output logic [Nodes*Ports-1:0]   fault_ports_o,
  output logic [Nodes*TA-1:0]      fault_row_o,
  output logic [Nodes-1:0]         fault_parity_o,
  output logic [Nodes*TA-1:0]      fault_parity_row_o
);

  logic                         fabric_clk;
  logic [Nodes*RowW-1:0]        rows;
  logic [TA-1:0]                addr, row;
  logic                         fetched, active;
  logic [Nodes*Ports-1:0]       in_valid, link_valid;
  logic [Nodes*Ports*DataW-1:0] in_data, link_data;
  logic [StepW-1:0]             group;             // nodes whose row is asked for and whose words are recorded

  // ---- the clock of the network, and the rows

  if (Steps > 1) begin : gen_divided
    logic [StepW-1:0] phase_q = '0;
    logic             fabric_clk_q = 1'b0;
    logic [TA-1:0]    fetched_row_q;

    always_ff @(posedge clk_i) phase_q <= phase_q + 1'b1;
    always_ff @(negedge clk_i) fabric_clk_q <= 32'(phase_q) == Steps - 1 || 32'(phase_q) + 1 < Steps / 2;

    always_ff @(posedge fabric_clk) fetched_row_q <= addr;

    assign fabric_clk  = fabric_clk_q;
    assign tick_o      = 32'(phase_q) == Steps - 1;
    assign group       = phase_q + 1'b1;
    assign line_addr_o = {fetched_row_q, group};

    // The lines of a row come one a clock; the last is there when the network's clock rises.
    for (genvar g = 0; g < Steps; g++) begin : gen_group
      if (g == Steps - 1) begin : gen_last
        assign rows[g*Group*RowW +: Group*RowW] = line_i[0 +: Group*RowW];
      end else begin : gen_kept
        logic [Group*RowW-1:0] rows_q;
        always_ff @(posedge clk_i) if (32'(phase_q) == g) rows_q <= line_i[0 +: Group*RowW];
        assign rows[g*Group*RowW +: Group*RowW] = rows_q;
      end
    end
  end else begin : gen_direct
    assign fabric_clk  = clk_i;
    assign tick_o      = 1'b1;
    assign group       = '0;
    assign line_addr_o = addr;
    assign rows        = line_i[0 +: Nodes*RowW];
  end

  if (Group * RowW < 16 * TableWords) begin : gen_rest
    logic unused_rest;
    assign unused_rest = &{1'b0, line_i[16*TableWords-1 : Group*RowW]};
  end

  logic [0:0] unused_page, unused_fetched_page;

  crl_slot_counter #(
    .TableDepth(Lines / Steps)
  ) u_slot_counter (
    .clk_i         (fabric_clk),
    .rst_ni        (rst_ni),
    .start_i       (start_i),
    .last_row_i    (last_row_i),
    .last_page_i   (1'b0),
    .busy_o        (busy_o),
    .addr_o        (addr),
    .fetched_o     (fetched),
    .fetched_page_o(unused_fetched_page),
    .active_o      (active),
    .row_o         (row),
    .page_o        (unused_page)
  );

  // ---- the service port: one row that writes or sends one word of one node, then an answer

  logic                service_fetched_q, service_active_q, service_out_q, service_ack_q;
  logic [DataW-1:0]    service_rdata_q;
  logic [Nodes*DataW-1:0] service_out;

  always_ff @(posedge fabric_clk) begin
    if (!rst_ni) begin
      service_fetched_q <= 1'b0;
      service_active_q  <= 1'b0;
      service_out_q     <= 1'b0;
      service_ack_q     <= 1'b0;
    end else begin
      service_fetched_q <= service_req_i && !service_fetched_q && !service_active_q && !service_out_q && !service_ack_q;
      service_active_q  <= service_fetched_q;
      service_out_q     <= service_active_q;
      service_ack_q     <= service_req_i && (service_out_q || service_ack_q);
    end
  end

  always_ff @(posedge fabric_clk) if (service_out_q) service_rdata_q <= service_out[service_node_i*DataW +: DataW];

  assign service_ack_o   = service_ack_q;
  assign service_rdata_o = service_rdata_q;

  // ---- the routers

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    logic             chosen;
    logic [RowW-1:0]  service_row, node_row;

    for (genvar p = 0; p < Ports; p++) begin : gen_in
      localparam int To   = v * Ports + p;
      localparam int From = (v ^ (1 << p)) * Ports + p;

      // A word that is read by service goes to a neighbour, too, which must not take it; one that is written comes in
      // on port 0.
      if (p == 0) begin : gen_service
        assign in_valid[To] = service_active_q ? chosen && service_we_i : link_valid[From] && !service_out_q;
        assign in_data[To*DataW +: DataW] = service_active_q ? service_wdata_i : link_data[From*DataW +: DataW];
      end else begin : gen_link
        assign in_valid[To] = link_valid[From] && !service_out_q;
        assign in_data[To*DataW +: DataW] = link_data[From*DataW +: DataW];
      end
    end

    // Both addresses are in the row, so its parity is even when it writes (wen and exp; a sum of the one word that arrives is
    // set and wsel, too) and odd when it sends (ov).
    assign chosen      = service_node_i == Dim'(v);
    always_comb begin
      service_row = '0;
      service_row[0]                         = chosen && !service_we_i;
      service_row[BankAt +: AddrW]           = service_addr_i;
      service_row[BankAt + WenAt]            = chosen && service_we_i;
      service_row[BankAt + WaddrAt +: AddrW] = service_addr_i;
      service_row[OutAt]                     = chosen && !service_we_i;
      service_row[InAt]                      = chosen && service_we_i;
      if (Combine != 0) begin
        service_row[BankAt + SetAt]  = chosen && service_we_i;
        service_row[BankAt + WselAt] = chosen && service_we_i;
      end
    end
    assign node_row    = service_fetched_q ? service_row : rows[v*RowW +: RowW];
    assign service_out[v*DataW +: DataW] = link_data[v*Ports*DataW +: DataW];

    crl_parity #(
      .RowW(RowW),
      .TA  (TA)
    ) u_parity (
      .clk_i       (fabric_clk),
      .rst_ni      (rst_ni),
      .clear_i     (clear_i),
      .en_i        (1'b1),
      .row_i       (node_row),
      .active_i    (active || service_active_q),
      .row_number_i(row),
      .fault_o     (fault_parity_o[v]),
      .fault_row_o (fault_parity_row_o[v*TA +: TA])
    );

    // Of a router with streams, which this is not.
    logic [Banks-1:0]       own_ready;
    logic [Lanes-1:0]       show_valid;
    logic [Lanes*DataW-1:0] show_data;
    logic                   starved, unused_streams;
    assign unused_streams = &{1'b0, own_ready, show_valid, show_data, starved};

    crl_router #(
      .Ports     (Ports),
      .Lanes     (Lanes),
      .Banks     (Banks),
      .WriteXbar (WriteXbar),
      .Delay     (Delay),
      .WaddrField(WaddrField),
      .Combine   (Combine),
      .DataW     (DataW),
      .AddrW     (AddrW),
      .TableDepth(Lines / Steps)
    ) u_router (
      .clk_i         (fabric_clk),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .en_i          (1'b1),
      .row_i         (node_row),
      .fetched_i     (fetched || service_fetched_q),
      .skip_departs_i(1'b0),
      .skip_arrives_i(1'b0),
      .fetched_page_i(1'b0),
      .active_i      (active || service_active_q),
      .number_i      (row),
      .page_i        (1'b0),
      .link_valid_i  (in_valid[v*Ports +: Ports]),
      .link_data_i   (in_data[v*Ports*DataW +: Ports*DataW]),
      .link_valid_o  (link_valid[v*Ports +: Ports]),
      .link_data_o   (link_data[v*Ports*DataW +: Ports*DataW]),
      .own_valid_i   ({Banks{1'b0}}),
      .own_data_i    ({Banks*DataW{1'b0}}),
      .own_ready_o   (own_ready),
      .show_valid_o  (show_valid),
      .show_data_o   (show_data),
      .fault_starved_o(starved),
      .fault_o       (fault_o[v*3 +: 3]),
      .fault_ports_o (fault_ports_o[v*Ports +: Ports]),
      .fault_row_o   (fault_row_o[v*TA +: TA])
    );
  end

  // ---- the recorder: the words of row r are on the links in the step after it acts

  logic          record_q;
  logic [TA-1:0] record_row_q;
  logic [Nodes*TraceW-1:0] words;

  always_ff @(posedge fabric_clk) begin
    record_q     <= rst_ni && active && record_i;
    record_row_q <= row;
  end

  for (genvar v = 0; v < Nodes; v++) begin : gen_word
    logic [PortW-1:0] port;

    // One lane sends on one port; all ones: on none.
    always_comb begin
      port = '1;
      for (int p = 0; p < Ports; p++) if (link_valid[v*Ports + p]) port = PortW'(p);
    end
    assign words[v*TraceW +: TraceW] = {port, link_data[v*Ports*DataW +: DataW]};
  end

  assign trace_we_o = record_q;

  if (Steps > 1) begin : gen_trace_groups
    assign trace_line_o = {record_row_q, group};
    assign trace_data_o = (16 * TraceWords)'(words[group*Group*TraceW +: Group*TraceW]);
  end else begin : gen_trace_line
    logic unused_group;
    assign unused_group = group[0];
    assign trace_line_o = record_row_q;
    assign trace_data_o = (16 * TraceWords)'(words);
  end

endmodule
