// SPDX-License-Identifier: Apache-2.0
//
// A board without its pins whose nodes decide for themselves: network, memories, link and registers. The host loads what the
// nodes know, gives own packets and has slots played, some at a time; what they did is in the trace. docs/formats/board.md is
// its manual. It has the pins of crl_board and leaves the flash alone.
//
// Timing: reset is its own, 255 clocks after configuration, because block RAMs read 0 for the first 36.

module crl_live_board #(
  /// Identification: registers of the same names.
  parameter int BoardId = 3,
  parameter int Build = 0,
  parameter int ClockKhz = 12000,
  /// Clocks a bit of the link.
  parameter int ClocksPerBit = 12,
  /// 0: queues on a 3-cube. 1: on-line routers on a ring.
  parameter int Online = 0,
  localparam logic [15:0] Gateware = 16'h0100,
  localparam int Nodes = 8,
  localparam int Ports = (Online != 0) ? 2 : 3
) (
  input  logic clk_i,

  input  logic uart_rx_i,
  output logic uart_tx_o,

  output logic flash_oe_o,      // drive the next three: never
  output logic flash_csn_o,
  output logic flash_sck_o,
  output logic flash_mosi_o,
  input  logic flash_miso_i,

  output logic led_use_o,       // the nodes have been put to use
  output logic led_play_o,      // slots are played
  output logic led_fault_o      // a node has a fault
);

  localparam int TraceW = 10, RecordW = 5, ListW = 8;
  localparam int SlotW = TraceW - RecordW;
  localparam logic [3:0] Tables = 4'h1, Own = 4'h2, Trace = 4'h3;

  logic [7:0] reset_count_q = '0;
  logic       rst_n;
  assign rst_n = &reset_count_q;
  always_ff @(posedge clk_i) if (!rst_n) reset_count_q <= reset_count_q + 1'b1;

  assign flash_oe_o   = 1'b0;
  assign flash_csn_o  = 1'b1;
  assign flash_sck_o  = 1'b0;
  assign flash_mosi_o = 1'b0;

  // ---- link

  logic        rx_valid, tx_valid, tx_ready;
  logic [7:0]  rx_data, tx_data;
  logic [5:0]  reg_addr;
  logic [15:0] reg_data, reg_wdata, addr, wdata, link_errors;
  logic        rounds_we, control_we, req, we;
  logic        playing, ended, in_use_q;
  logic [1:0]  fetch_q;
  logic        done_q;
  logic [15:0] rdata_q;

  logic unused;
  assign unused = &{1'b0, flash_miso_i, addr[11:10]};

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
    .loading_i       (1'b0),
    .in_use_i        (in_use_q),
    .req_o           (req),
    .we_o            (we),
    .addr_o          (addr),
    .wdata_o         (wdata),
    .done_i          (done_q),
    .rdata_i         (rdata_q),
    .errors_o        (link_errors)
  );

  // ---- the nodes

  logic               network_rst_n, reset_q, adopt;
  logic               ready, slot, own_ready, own_valid, fault, trace_we, load_we;
  logic [15:0]        own_word, own_data, record_data, held, trace_word, slots_q;
  logic [ListW-1:0]   own_addr;
  logic [RecordW-1:0] record;
  logic [TraceW-1:0]  trace_addr;
  logic [SlotW:0]     played;

  // A second time it would start what is running: only a reset takes nodes out of use.
  assign adopt         = control_we && reg_wdata[3] && !in_use_q;
  assign network_rst_n = rst_n && !reset_q;
  always_ff @(posedge clk_i) reset_q <= control_we && reg_wdata[5];

  always_ff @(posedge clk_i) begin
    if (!network_rst_n) in_use_q <= 1'b0;
    else if (adopt) in_use_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_n) slots_q <= 16'd1;
    else if (rounds_we) slots_q <= reg_wdata;
  end

  crl_live_play #(
    .AddrW  (TraceW),
    .RecordW(RecordW),
    .ListW  (ListW)
  ) u_play (
    .clk_i       (clk_i),
    .rst_ni      (network_rst_n),
    .start_i     (control_we && reg_wdata[0]),
    .clear_i     (control_we && reg_wdata[2]),
    .slots_i     (slots_q),
    .playing_o   (playing),
    .ended_o     (ended),
    .played_o    (played),
    .own_addr_o  (own_addr),
    .own_i       (own_word),
    .ready_i     (ready),
    .slot_o      (slot),
    .own_ready_i (own_ready),
    .own_valid_o (own_valid),
    .own_data_o  (own_data),
    .record_o    (record),
    .trace_we_o  (trace_we),
    .trace_addr_o(trace_addr)
  );

  if (Online != 0) begin : gen_online
    crl_live_online #(
      .Nodes(Nodes)
    ) u_network (
      .clk_i      (clk_i),
      .rst_ni     (network_rst_n),
      .ready_o    (ready),
      .load_we_i  (load_we),
      .load_addr_i(addr[9:0]),
      .load_data_i(wdata),
      .start_i    (adopt),
      .slot_i     (slot),
      .record_i   (record),
      .record_o   (record_data),
      .held_i     (addr[8:0]),
      .held_o     (held),
      .fault_o    (fault)
    );

    assign own_ready = 1'b1;
    assign own_word  = '1;
    logic unused_own;
    assign unused_own = &{1'b0, own_addr, own_valid, own_data};
  end else begin : gen_queue
    crl_live_queue u_network (
      .clk_i      (clk_i),
      .rst_ni     (network_rst_n),
      .ready_o    (ready),
      .load_we_i  (load_we),
      .load_addr_i(addr[4:0]),
      .load_data_i(wdata),
      .slot_i     (slot),
      .own_valid_i(own_valid),
      .own_data_i (own_data),
      .own_ready_o(own_ready),
      .record_i   (record),
      .record_o   (record_data),
      .fault_o    (fault)
    );

    crl_ram #(
      .DataW(16),
      .Depth(1 << ListW)
    ) u_own (
      .clk_i  (clk_i),
      .we_i   (req && we && !done_q && addr[15:12] == Own),
      .waddr_i(addr[ListW-1:0]),
      .wdata_i(wdata),
      .re_i   (1'b1),
      .raddr_i(own_addr),
      .rdata_o(own_word)
    );

    assign held = '0;
  end

  // ---- memories

  crl_ram #(
    .DataW(16),
    .Depth(1 << TraceW)
  ) u_trace (
    .clk_i  (clk_i),
    .we_i   (trace_we),
    .waddr_i(trace_addr),
    .wdata_i(record_data),
    .re_i   (1'b1),
    .raddr_i(addr[TraceW-1:0]),
    .rdata_o(trace_word)
  );

  assign load_we = req && we && fetch_q == '0 && !done_q && addr[15:12] == Tables;

  // A request takes a few clocks, a read as long as the slowest memory.
  always_ff @(posedge clk_i) begin
    fetch_q <= (rst_n && req && !done_q) ? fetch_q + 1'b1 : '0;
    done_q  <= rst_n && req && !done_q && &fetch_q;
    rdata_q <= (addr[15:12] == Trace) ? trace_word : (addr[15:12] == Own) ? held : '0;
  end

  // ---- registers

  always_comb begin
    reg_data = '0;
    case (reg_addr)
      6'h00: reg_data = 16'hCA11;
      6'h01: reg_data = 16'd1;
      6'h02: reg_data = 16'(BoardId);
      6'h03: reg_data = Gateware;
      6'h04: reg_data = 16'(Build);
      6'h05: reg_data = 16'(Build >> 16);
      6'h06: reg_data = 16'(Nodes);
      6'h07: reg_data = 16'(Ports);
      6'h0B: reg_data = 16'd1;
      6'h0C: reg_data = 16'(1 << SlotW);
      6'h0E: reg_data = 16'(1 << RecordW);
      6'h0F: reg_data = 16'(ClockKhz);
      6'h10: reg_data = {11'b0, ended, fault, in_use_q, 1'b0, playing};
      6'h17: reg_data = 16'(played);
      6'h1A: reg_data = link_errors;
      6'h1C: reg_data = slots_q;
      default: ;
    endcase
  end

  assign led_use_o   = in_use_q;
  assign led_play_o  = playing;
  assign led_fault_o = fault;

endmodule
