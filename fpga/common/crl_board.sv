// SPDX-License-Identifier: Apache-2.0
//
// A board without its pins: network, memories, link, loader and registers. docs/formats/board.md is its manual.
//
// Timing: reset is its own, 255 clocks after configuration, because block RAMs read 0 for the first 36.

module crl_board #(
  /// Identification: registers of the same names.
  parameter int BoardId = 1,
  parameter int Build = 0,
  parameter int ClockKhz = 12000,
  /// Dimension of the cube, clocks a row: see crl_board_fabric.
  parameter int Dim = 3,
  parameter int Steps = 1,
  /// Of its routers: see crl_router.
  parameter int Combine = 0,
  /// Clocks a bit of the link.
  parameter int ClocksPerBit = 12,
  /// Initial contents of the tables, see crl_line_memory.
  parameter InitFile = "",
  `include "crl_board_form.svh"
  localparam logic [15:0] Gateware = 16'h0100
) (
  input  logic clk_i,

  input  logic uart_rx_i,
  output logic uart_tx_o,

  output logic flash_oe_o,      // drive the next three
  output logic flash_csn_o,
  output logic flash_sck_o,
  output logic flash_mosi_o,
  input  logic flash_miso_i,

  output logic led_use_o,       // a schedule is in use
  output logic led_play_o,      // something plays
  output logic led_fault_o      // a node has a fault
);


  logic [7:0] reset_count_q = '0;
  logic       rst_n;
  assign rst_n = &reset_count_q;
  always_ff @(posedge clk_i) if (!rst_n) reset_count_q <= reset_count_q + 1'b1;

  // ---- link

  logic        rx_valid, tx_valid, tx_ready;
  logic [7:0]  rx_data, tx_data;
  logic [5:0]  reg_addr;
  logic [15:0] reg_data, reg_wdata, link_addr, link_wdata, link_errors;
  logic        rounds_we, control_we, link_req, link_we;
  logic        playing, loading, in_use;
  logic        mem_done;
  logic [15:0] mem_rdata;

  crl_uart_rx #(
    .ClocksPerBit(ClocksPerBit)
  ) u_rx (
    .clk_i  (clk_i),
    .rst_ni (rst_n),
    .rx_i   (uart_rx_i),
    .valid_o(rx_valid),
    .data_o (rx_data)
  );

  crl_uart_tx #(
    .ClocksPerBit(ClocksPerBit)
  ) u_tx (
    .clk_i  (clk_i),
    .rst_ni (rst_n),
    .valid_i(tx_valid),
    .data_i (tx_data),
    .ready_o(tx_ready),
    .tx_o   (uart_tx_o)
  );

  crl_link #(
    .Nodes(Nodes)
  ) u_link (
    .clk_i           (clk_i),
    .rst_ni          (rst_n),
    .rx_valid_i      (rx_valid),
    .rx_data_i       (rx_data),
    .tx_valid_o      (tx_valid),
    .tx_data_o       (tx_data),
    .tx_ready_i      (tx_ready),
    .register_o      (reg_addr),
    .register_data_i (reg_data),
    .rounds_we_o     (rounds_we),
    .control_we_o    (control_we),
    .register_wdata_o(reg_wdata),
    .playing_i       (playing),
    .loading_i       (loading),
    .in_use_i        (in_use),
    .req_o           (link_req),
    .we_o            (link_we),
    .addr_o          (link_addr),
    .wdata_o         (link_wdata),
    .done_i          (mem_done && !loading),
    .rdata_i         (mem_rdata),
    .errors_o        (link_errors)
  );

  // ---- loader and adoption

  logic        load_req, adopt_req, load_adopt, adopt_busy, loader_busy, link_source_q, table_changes;
  logic [15:0] load_addr, load_wdata, adopt_addr;
  logic [3:0]  code0, code1, adopt_result;
  logic [1:0]  load_source;
  logic [31:0] sequence_number, identity;
  logic [7:0]  rows;

  crl_loader #(
    .BoardId(BoardId),
    .Nodes  (Nodes)
  ) u_loader (
    .clk_i       (clk_i),
    .rst_ni      (rst_n),
    .reload_i    (control_we && reg_wdata[4]),
    .busy_o      (loader_busy),
    .code0_o     (code0),
    .code1_o     (code1),
    .source_o    (load_source),
    .sequence_o  (sequence_number),
    .req_o       (load_req),
    .addr_o      (load_addr),
    .wdata_o     (load_wdata),
    .done_i      (mem_done),
    .adopt_o     (load_adopt),
    .adopt_busy_i(adopt_busy),
    .adopted_i   (in_use),
    .oe_o        (flash_oe_o),
    .csn_o       (flash_csn_o),
    .sck_o       (flash_sck_o),
    .mosi_o      (flash_mosi_o),
    .miso_i      (flash_miso_i)
  );

  crl_adopt #(
    .TableWords(TableWords),
    .Steps     (Steps)
  ) u_adopt (
    .clk_i     (clk_i),
    .rst_ni    (rst_n),
    .start_i   (load_adopt || (control_we && reg_wdata[3])),
    .revoke_i  (table_changes),
    .busy_o    (adopt_busy),
    .in_use_o  (in_use),
    .result_o  (adopt_result),
    .rows_o    (rows),
    .identity_o(identity),
    .req_o     (adopt_req),
    .addr_o    (adopt_addr),
    .done_i    (mem_done),
    .rdata_i   (mem_rdata)
  );

  assign loading = loader_busy || adopt_busy;

  // What the host adopts is its own until the loader works again.
  always_ff @(posedge clk_i) begin
    if (!rst_n || load_adopt) link_source_q <= 1'b0;
    else if (control_we && reg_wdata[3]) link_source_q <= 1'b1;
  end

  // ---- network, memories, play

  logic                     tick, fabric_start, fabric_clear, fabric_reset_n, fabric_busy, first, ended, unrecorded;
  logic [31:0]              rounds_played;
  logic [15:0]              rounds_q;
  logic [7:0]               play_line, trace_line;
  logic [TA-1:0]            last_row;
  logic [16*TableWords-1:0] line;
  logic                     trace_we, service_req, service_ack, mem_we;
  logic [16*TraceWords-1:0] trace_data;
  logic [15:0]              service_rdata, mem_addr, mem_wdata;
  logic [Nodes*3-1:0]       fault;
  logic [Nodes*Ports-1:0]   fault_ports;
  logic [Nodes*TA-1:0]      fault_row, parity_row;
  logic [Nodes-1:0]         parity;

  // One of the three asks: memory requests over the link are refused while the others work.
  assign mem_we    = load_req || (!loading && link_we);
  assign mem_addr  = adopt_busy ? adopt_addr : loading ? load_addr : link_addr;
  assign mem_wdata = loading ? load_wdata : link_wdata;

  crl_memories #(
    .TableWords(TableWords),
    .TraceWords(TraceWords),
    .InitFile  (InitFile)
  ) u_memories (
    .clk_i          (clk_i),
    .rst_ni         (rst_n),
    .req_i          (adopt_req || load_req || link_req),
    .we_i           (mem_we),
    .addr_i         (mem_addr),
    .wdata_i        (mem_wdata),
    .done_o         (mem_done),
    .rdata_o        (mem_rdata),
    .table_changes_o(table_changes),
    .playing_i      (playing),
    .play_line_i    (play_line),
    .line_o         (line),
    .trace_we_i     (trace_we),
    .trace_line_i   (trace_line),
    .trace_data_i   (trace_data),
    .service_req_o  (service_req),
    .service_ack_i  (service_ack),
    .service_rdata_i(service_rdata)
  );

  crl_play u_play (
    .clk_i          (clk_i),
    .rst_ni         (rst_n),
    .tick_i         (tick),
    .start_i        (control_we && reg_wdata[0]),
    .stop_i         (control_we && reg_wdata[1]),
    .clear_i        (control_we && reg_wdata[2]),
    .reset_i        (control_we && reg_wdata[5]),
    .rounds_i       (rounds_q),
    .start_o        (fabric_start),
    .clear_o        (fabric_clear),
    .reset_no       (fabric_reset_n),
    .busy_i         (fabric_busy),
    .playing_o      (playing),
    .ended_o        (ended),
    .first_o        (first),
    .unrecorded_o   (unrecorded),
    .rounds_played_o(rounds_played)
  );

  assign last_row = TA'(rows - 1'b1);

  crl_board_fabric #(
    .Dim    (Dim),
    .Steps  (Steps),
    .Combine(Combine)
  ) u_fabric (
    .clk_i             (clk_i),
    .tick_o            (tick),
    .rst_ni            (fabric_reset_n),
    .clear_i           (fabric_clear),
    .start_i           (fabric_start),
    .last_row_i        (last_row),
    .busy_o            (fabric_busy),
    .line_addr_o       (play_line),
    .line_i            (line),
    .record_i          (first),
    .trace_we_o        (trace_we),
    .trace_line_o      (trace_line),
    .trace_data_o      (trace_data),
    .service_req_i     (service_req),
    .service_we_i      (mem_we),
    .service_node_i    (mem_addr[8 +: Dim]),
    .service_addr_i    (mem_addr[7:0]),
    .service_wdata_i   (mem_wdata),
    .service_ack_o     (service_ack),
    .service_rdata_o   (service_rdata),
    .fault_o           (fault),
    .fault_ports_o     (fault_ports),
    .fault_row_o       (fault_row),
    .fault_parity_o    (parity),
    .fault_parity_row_o(parity_row)
  );

  // ---- registers

  logic [15:0]      trace_cycles_q, fault_words [0:15], fault_rows [0:15], status;
  logic [Nodes-1:0] node_fault;

  always_ff @(posedge clk_i) begin
    if (!rst_n || (control_we && reg_wdata[0])) trace_cycles_q <= '0;
    else if (trace_we) trace_cycles_q <= 16'(32'(trace_line) / Steps) + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_n) rounds_q <= 16'd1;
    else if (rounds_we) rounds_q <= reg_wdata;
  end

  for (genvar v = 0; v < 16; v++) begin : gen_fault
    if (v < Nodes) begin : gen_node
      assign node_fault[v]  = parity[v] || fault[3*v +: 3] != '0;
      assign fault_words[v] = {8'(fault_ports[v*Ports +: Ports]), 4'b0, parity[v], fault[3*v +: 3]};
      assign fault_rows[v]  = {8'(parity_row[v*TA +: TA]), 8'(fault_row[v*TA +: TA])};
    end else begin : gen_none
      assign fault_words[v] = '0;
      assign fault_rows[v]  = '0;
    end
  end

  assign status = {10'b0, unrecorded, ended, |node_fault, in_use, loading, playing};

  always_comb begin
    reg_data = '0;
    casez (reg_addr)
      6'h00: reg_data = 16'hCA11;
      6'h01: reg_data = 16'd1;
      6'h02: reg_data = 16'(BoardId);
      6'h03: reg_data = Gateware;
      6'h04: reg_data = 16'(Build);
      6'h05: reg_data = 16'(Build >> 16);
      6'h06: reg_data = 16'(Nodes);
      6'h07: reg_data = 16'(Ports);
      6'h08: reg_data = 16'(RowW);
      6'h09: reg_data = 16'd16;
      6'h0A: reg_data = 16'd8;
      6'h0B: reg_data = 16'(Steps);
      6'h0C: reg_data = 16'(256 / Steps - 1);
      6'h0D: reg_data = 16'(TableWords);
      6'h0E: reg_data = 16'(TraceWords);
      6'h0F: reg_data = 16'(ClockKhz);
      6'h10: reg_data = status;
      6'h11: reg_data = {adopt_result, (in_use && link_source_q) ? 4'd4 : {2'b0, load_source & {2{in_use}}}, code1, code0};
      6'h12: reg_data = (in_use && !link_source_q) ? sequence_number[15:0] : '0;
      6'h13: reg_data = (in_use && !link_source_q) ? sequence_number[31:16] : '0;
      6'h14: reg_data = in_use ? identity[15:0] : '0;
      6'h15: reg_data = in_use ? identity[31:16] : '0;
      6'h16: reg_data = in_use ? 16'(rows) : '0;
      6'h17: reg_data = trace_cycles_q;
      6'h18: reg_data = rounds_played[15:0];
      6'h19: reg_data = rounds_played[31:16];
      6'h1A: reg_data = link_errors;
      6'h1B: reg_data = 16'(node_fault);
      6'h1C: reg_data = rounds_q;
      6'b10????: reg_data = fault_words[reg_addr[3:0]];
      6'b11????: reg_data = fault_rows[reg_addr[3:0]];
      default: ;
    endcase
  end

  assign led_use_o   = in_use;
  assign led_play_o  = playing;
  assign led_fault_o = |node_fault;

endmodule
