// SPDX-License-Identifier: Apache-2.0
//
// A board of several without its pins: four nodes of a network under one enable, the ends of their cables, of two wires each, memories for
// the nodes' own words and for those that came, link and registers. The host loads tables and the names of the cables, gives own words, has
// rounds played and reads what came. docs/formats/board.md is its manual. It leaves the flash alone.
//
// Timing: reset is its own, 255 clocks after configuration, because block RAMs read 0 for the first 36. Nodes and cables are in reset until
// the host adopts what it has loaded.

module crl_cluster_board #(
  /// Identification: registers of the same names.
  parameter int BoardId = 6,
  parameter int Build = 0,
  parameter int ClockKhz = 12000,
  /// Clocks a bit of the link.
  parameter int ClocksPerBit = 12,
  /// Which part of a network this is. 0: half of a 3-cube, whose first dimension is a cable. 1: a block of 2 x 2 of a torus of 4 x 4, with
  /// a cable for each dimension, which leads to the same board in both directions.
  parameter int Torus = 0,
  localparam int Nodes = 4,
  localparam int Ports = (Torus != 0) ? 4 : 3,
  localparam int Cables = (Torus != 0) ? 2 : 1,
  // Its routers.
  localparam int Lanes = 1,
  localparam int Banks = 1,
  localparam int WriteXbar = 0,
  localparam int Delay = 1,
  localparam int WaddrField = 1,
  localparam int Streams = 1,
  localparam int Store = 1,
  localparam int Combine = 0,
  localparam int AddrW = 8,
  `include "crl_row.svh"
  localparam logic [15:0] Gateware = 16'h0100
) (
  input  logic clk_i,

  input  logic uart_rx_i,
  output logic uart_tx_o,

  output logic flash_oe_o,      // drive the next three: never
  output logic flash_csn_o,
  output logic flash_sck_o,
  output logic flash_mosi_o,
  input  logic flash_miso_i,

  input  logic [Cables-1:0] wire_i, // of each cable what the other board sends,
  output logic [Cables-1:0] wire_o, //   and what this one sends

  output logic led_use_o,       // tables are in use
  output logic led_play_o,      // rounds are played
  output logic led_fault_o      // a node or a cable has a fault
);

  localparam int DataW = 16, TA = 8, TableDepth = 256, Depth = 64, Silence = 6;
  localparam int Links = Nodes * Ports;
  localparam logic [3:0] Tables = 4'h1, Packets = 4'h2, Wiring = 4'h3;

  logic [7:0] reset_count_q = '0;
  logic       rst_n;
  assign rst_n = &reset_count_q;
  always_ff @(posedge clk_i) if (!rst_n) reset_count_q <= reset_count_q + 1'b1;

  assign flash_oe_o   = 1'b0;
  assign flash_csn_o  = 1'b1;
  assign flash_sck_o  = 1'b0;
  assign flash_mosi_o = 1'b0;

  // ---- which port hears whom, and goes where

  // 16 bits a port: the node it hears, and the cable that it hears or sends into; all ones for none.
  function automatic logic [16*Links-1:0] heard_nodes();
    for (int v = 0; v < Nodes; v++)
      for (int p = 0; p < Ports; p++)
        heard_nodes[16*(v*Ports + p) +: 16] = crosses(v, p, 0) ? 16'hFFFF : 16'(v ^ (1 << ((Torus != 0) ? p / 2 : p - 1)));
  endfunction

  function automatic logic [16*Links-1:0] cables_of(input int sends);
    for (int v = 0; v < Nodes; v++)
      for (int p = 0; p < Ports; p++)
        cables_of[16*(v*Ports + p) +: 16] = !crosses(v, p, sends) ? 16'hFFFF : (Torus != 0) ? 16'(p / 2) : 16'd0;
  endfunction

  // Whether the port sends to another board, or hears one. On the torus ports lead upwards and downwards in turn.
  function automatic logic crosses(input int node, input int port, input int sends);
    crosses = (Torus == 0) ? port == 0 : ((((node >> (port / 2)) ^ port) & 1) != 0) == (sends != 0);
  endfunction

  localparam logic [16*Links-1:0] Neighbours = heard_nodes();
  localparam logic [16*Links-1:0] Senders    = cables_of(1);
  localparam logic [16*Links-1:0] Hearers    = cables_of(0);

  // ---- link

  logic        rx_valid, tx_valid, tx_ready;
  logic [7:0]  rx_data, tx_data;
  logic [5:0]  reg_addr;
  logic [15:0] reg_data, reg_wdata, addr, wdata, link_errors;
  logic        rounds_we, control_we, req, we;
  logic        playing, ended_q, in_use_q;
  logic [1:0]  fetch_q;
  logic        done_q;
  logic [15:0] rdata_q;

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

  // ---- what is loaded: rows, low half first, and behind them the number of rows, identities, and which end each cable is

  logic             writes, row_we;
  logic [15:0]      low_q;
  logic [TA-1:0]    last_row_q;
  logic [31:0]      identity_q;
  logic [32*Cables-1:0] identities_q;
  logic [Cables-1:0] ends_q;

  assign writes = req && we && fetch_q == '0 && !done_q;
  assign row_we = writes && addr[15:12] == Tables && !addr[11] && addr[0];

  always_ff @(posedge clk_i) begin
    if (writes && !addr[0]) low_q <= wdata;
    if (writes && addr[15:11] == {Tables, 1'b1}) begin
      if (addr[3:0] == 4'd0) last_row_q <= TA'(wdata - 1'b1);
      if (addr[3:0] == 4'd1) ends_q <= Cables'(wdata);
      if (addr[3:0] == 4'd2) identity_q[15:0] <= wdata;
      if (addr[3:0] == 4'd3) identity_q[31:16] <= wdata;
      for (int i = 0; i < 2 * Cables; i++) if (addr[3:0] == 4'(4 + i)) identities_q[16*i +: 16] <= wdata;
    end
  end

  // ---- rounds: one after the other, so that each finds the nodes' own words from the first one on

  typedef enum logic [1:0] {Idle, Begin, Begun, Play} state_t;

  state_t      state_q;
  logic        adopt, clear, start, stop_q, begins, acting, step, nodes_rst_n;
  logic [15:0] rounds_q;
  logic [31:0] played_q, cycles_q;

  assign adopt       = control_we && reg_wdata[3];
  assign clear       = control_we && reg_wdata[2];
  assign start       = control_we && reg_wdata[0];
  assign nodes_rst_n = rst_n && in_use_q;
  assign playing     = state_q != Idle;

  always_ff @(posedge clk_i) begin
    if (!rst_n || (control_we && reg_wdata[5])) in_use_q <= 1'b0;
    else if (adopt) in_use_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_n) rounds_q <= 16'd1;
    else if (rounds_we) rounds_q <= reg_wdata;
  end

  always_ff @(posedge clk_i) begin
    if (!nodes_rst_n) begin
      state_q  <= Idle;
      ended_q  <= 1'b0;
      stop_q   <= 1'b0;
      played_q <= '0;
      cycles_q <= '0;
    end else begin
      if (control_we && reg_wdata[1]) stop_q <= 1'b1;
      if (state_q == Begin) cycles_q <= '0;
      else if (playing) cycles_q <= cycles_q + 1'b1;
      case (state_q)
        Idle: begin
          stop_q <= 1'b0;
          if (start) begin
            state_q  <= Begin;
            ended_q  <= 1'b0;
            played_q <= '0;
          end
        end
        Begin: if (begins && step) state_q <= Begun;
        Begun: if (step) state_q <= Play;
        Play:
          if (!acting && step) begin
            played_q <= played_q + 1'b1;
            state_q  <= Begin;
            if (stop_q || (rounds_q != '0 && played_q[15:0] + 1'b1 == rounds_q)) begin
              state_q <= Idle;
              ended_q <= 1'b1;
            end
          end
      endcase
    end
  end

  // ---- the nodes

  logic [Nodes-1:0]       own_ready, show_valid, parity;
  logic [Nodes*DataW-1:0] own_data, show_data;
  logic [Nodes*4-1:0]     fault;
  logic [Nodes*Ports-1:0] fault_ports;
  logic [Nodes*TA-1:0]    fault_row, parity_row;
  logic [TA-1:0]          row;
  logic [Cables-1:0]      waits_for, held_by, up, silent, fault_other, fault_reset, repeats, damaged, unused_valid;
  logic                   unused_playing, unused_last, unused_arrives;
  logic [TA-1:0]          unused_row, unused_ahead, unused_arrival;

  crl_cabled_board #(
    .Nodes     (Nodes),
    .Ports     (Ports),
    .Lanes     (Lanes),
    .Banks     (Banks),
    .WriteXbar (WriteXbar),
    .Delay     (Delay),
    .WaddrField(WaddrField),
    .Combine   (Combine),
    .DataW     (DataW),
    .AddrW     (AddrW),
    .TableDepth(TableDepth),
    .Neighbours(Neighbours),
    .Latencies ({Links{16'h0001}}),
    .Cables    (Cables),
    .Senders   (Senders),
    .Hearers   (Hearers),
    .Store     (Store),
    .Wired     (1),
    .Depth     (Depth),
    .Silence   (Silence),
    .Told      (1),
    .Identities({Cables{32'h0}}),
    .Ends      ({Cables{1'b0}})
  ) u_nodes (
    .clk_i             (clk_i),
    .rst_ni            (nodes_rst_n),
    .clear_i           (clear),
    .start_i           (state_q == Begin),
    .last_row_i        (last_row_q),
    .base_i            (TA'(0)),
    .begin_o           (begins),
    .busy_o            (acting),
    .fed_i             (1'b1),
    .step_o            (step),
    .number_o          (row),
    .waits_for_o       (waits_for),
    .held_by_o         (held_by),
    .playing_o         (unused_playing),
    .row_o             (unused_row),
    .ahead_o           (unused_ahead),
    .last_o            (unused_last),
    .arrives_o         (unused_arrives),
    .arrival_o         (unused_arrival),
    .table_we_i        (row_we),
    .table_sel_i       (addr[10:9]),
    .table_addr_i      (addr[8:1]),
    .table_data_i      (RowW'({wdata, low_q})),
    .own_valid_i       ({Nodes{1'b1}}),
    .own_data_i        (own_data),
    .own_ready_o       (own_ready),
    .show_valid_o      (show_valid),
    .show_data_o       (show_data),
    .identities_i      (identities_q),
    .ends_i            (ends_q),
    .line_valid_i      ({Cables{1'b1}}),
    .line_i            (wire_i),
    .line_take_i       ({Cables{1'b1}}),
    .line_valid_o      (unused_valid),
    .line_o            (wire_o),
    .up_o              (up),
    .silent_o          (silent),
    .fault_other_o     (fault_other),
    .fault_reset_o     (fault_reset),
    .repeats_o         (repeats),
    .damaged_o         (damaged),
    .fault_o           (fault),
    .fault_ports_o     (fault_ports),
    .fault_row_o       (fault_row),
    .fault_parity_o    (parity),
    .fault_parity_row_o(parity_row)
  );

  // ---- own words, and words that came, in the order in which they are used and shown

  logic [Nodes*16-1:0] came;
  logic [Nodes*9-1:0]  shown; // words of the round

  for (genvar v = 0; v < Nodes; v++) begin : gen_words
    logic [7:0] own_q, own_next;
    logic [8:0] shown_q;

    assign own_next = (state_q == Begin) ? '0 : own_q + 8'(own_ready[v]);
    assign shown[v*9 +: 9] = shown_q;

    always_ff @(posedge clk_i) begin
      own_q <= own_next;
      if (state_q == Begin) shown_q <= '0;
      else if (show_valid[v] && !shown_q[8]) shown_q <= shown_q + 1'b1;
    end

    crl_ram #(
      .DataW(16),
      .Depth(256)
    ) u_own (
      .clk_i  (clk_i),
      .we_i   (writes && addr[15:12] == Packets && addr[9:8] == 2'(v)),
      .waddr_i(addr[7:0]),
      .wdata_i(wdata),
      .re_i   (1'b1),
      .raddr_i(own_next),
      .rdata_o(own_data[v*DataW +: DataW])
    );

    crl_ram #(
      .DataW(16),
      .Depth(256)
    ) u_came (
      .clk_i  (clk_i),
      .we_i   (show_valid[v]),
      .waddr_i(shown_q[7:0]),
      .wdata_i(show_data[v*DataW +: DataW]),
      .re_i   (1'b1),
      .raddr_i(addr[7:0]),
      .rdata_o(came[v*16 +: 16])
    );
  end

  // A request takes a few clocks, a read as long as a memory.
  logic [15:0] wires;
  assign wires = 16'({Hearers[16*addr[3:0] +: 4], Senders[16*addr[3:0] +: 4], Neighbours[16*addr[3:0] +: 8]});

  always_ff @(posedge clk_i) begin
    fetch_q <= (rst_n && req && !done_q) ? fetch_q + 1'b1 : '0;
    done_q  <= rst_n && req && !done_q && &fetch_q;
    rdata_q <= (addr[15:12] == Packets) ? came[16*addr[9:8] +: 16] : (addr[15:12] == Wiring) ? wires : '0;
  end

  // ---- registers

  logic [16*Cables-1:0] repeats_q, damaged_q;
  logic [Nodes-1:0]     node_fault;
  logic                 broken;

  for (genvar c = 0; c < Cables; c++) begin : gen_counts
    always_ff @(posedge clk_i) begin
      if (!nodes_rst_n) repeats_q[16*c +: 16] <= '0;
      else if (repeats[c] && !(&repeats_q[16*c +: 16])) repeats_q[16*c +: 16] <= repeats_q[16*c +: 16] + 1'b1;
      if (!nodes_rst_n) damaged_q[16*c +: 16] <= '0;
      else if (damaged[c] && !(&damaged_q[16*c +: 16])) damaged_q[16*c +: 16] <= damaged_q[16*c +: 16] + 1'b1;
    end
  end

  for (genvar v = 0; v < Nodes; v++) begin : gen_fault
    assign node_fault[v] = parity[v] || fault[4*v +: 4] != '0;
  end
  assign broken = node_fault != '0 || fault_other != '0 || fault_reset != '0;

  logic [1:0] which;
  assign which = reg_addr[1:0];

  // Of a cable that there is not: zeros.
  logic [15:0] cable_word, repeats_word, damaged_word;
  always_comb begin
    cable_word   = '0;
    repeats_word = '0;
    damaged_word = '0;
    for (int c = 0; c < Cables; c++) begin
      if (which == 2'(c)) begin
        cable_word   = {10'b0, held_by[c], waits_for[c], fault_reset[c], fault_other[c], silent[c], up[c]};
        repeats_word = repeats_q[16*c +: 16];
        damaged_word = damaged_q[16*c +: 16];
      end
    end
  end

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
      6'h09: reg_data = 16'(DataW);
      6'h0A: reg_data = 16'(AddrW);
      6'h0B: reg_data = 16'd1;
      6'h0C: reg_data = 16'(TableDepth);
      6'h0F: reg_data = 16'(ClockKhz);
      6'h10: reg_data = {11'b0, ended_q, broken, in_use_q, 1'b0, playing};
      6'h11: reg_data = {4'b0, in_use_q ? 4'd4 : 4'd0, 8'b0};
      6'h14: reg_data = in_use_q ? identity_q[15:0] : '0;
      6'h15: reg_data = in_use_q ? identity_q[31:16] : '0;
      6'h16: reg_data = in_use_q ? 16'(last_row_q) + 1'b1 : '0;
      6'h17: reg_data = 16'(row);
      6'h18: reg_data = played_q[15:0];
      6'h19: reg_data = played_q[31:16];
      6'h1A: reg_data = link_errors;
      6'h1B: reg_data = 16'(node_fault);
      6'h1C: reg_data = rounds_q;
      6'h1E: reg_data = cycles_q[15:0];
      6'h1F: reg_data = cycles_q[31:16];
      6'b1000??: reg_data = {8'(fault_ports[which*Ports +: Ports]), 3'b0, fault[4*which + 3], parity[which], fault[4*which +: 3]};
      6'b1001??: reg_data = cable_word;
      6'b1010??: reg_data = repeats_word;
      6'b1011??: reg_data = damaged_word;
      6'b1100??: reg_data = {parity_row[TA*which +: TA], fault_row[TA*which +: TA]};
      6'b1101??: reg_data = 16'(shown[9*which +: 9]);
      6'h38: reg_data = 16'(Cables);
      default: ;
    endcase
  end

  assign led_use_o   = in_use_q;
  assign led_play_o  = playing;
  assign led_fault_o = broken;

  logic unused;
  assign unused = &{1'b0, flash_miso_i, unused_playing, unused_last, unused_arrives, unused_row, unused_ahead, unused_arrival, unused_valid};

endmodule
