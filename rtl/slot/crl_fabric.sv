// SPDX-License-Identifier: Apache-2.0
//
// Slot routers wired to each other as a list of neighbours says, with one shared sequencer or one each.
//
// Timing: that of crl_node. A word put on the injection input takes the place of the neighbour's word in the same cycle.

`include "crl_networks.svh"

module crl_fabric #(
  /// Nodes of the network.
  parameter int Nodes = 16,
  `include "crl_router_form.svh"
  /// 16 bits a link, as of crl_links: the neighbour behind direction p of node v at 16 * (v * Ports + p), all ones for none.
  /// The default is the 4-cube.
  parameter Neighbours = `CRL_CUBE_4,
  /// 16 bits a link, as of crl_link_pipes, in the order of Neighbours: cycles that a word takes to node v by port p.
  parameter Latencies = {(Nodes * Ports){16'h0001}},
  /// 1: one sequencer for all routers; 0: one each.
  parameter int SharedTable = 1,
  /// Words of a packet; a bank has as many pages.
  parameter int Words = 1,
  /// File for $readmemh with exactly TableDepth rows; empty: the tables are loaded through their port.
  parameter InitFile = "",
  /// Own words lie in the banks.
  localparam int Streams = 0,
  localparam int Store = 1,
  `include "crl_row.svh"
  `include "crl_late.svh"
  /// Sequencers.
  localparam int Tables = (SharedTable != 0) ? 1 : Nodes,
  /// Bits that name a sequencer.
  localparam int TableW = (Tables > 1) ? $clog2(Tables) : 1,
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  /// Bits of a page number.
  localparam int PW = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,           // clears sticky faults

  input  logic                   start_i,           // pulse; ignored while busy
  input  logic [TA-1:0]          last_row_i,        // holds while busy
  input  logic [PW-1:0]          last_page_i,       // rounds - 1; holds while busy
  output logic                   busy_o,

  input  logic                   table_we_i,        // load port; only while not busy
  input  logic [TableW-1:0]      table_sel_i,       // whose table, where each has one
  input  logic [TA-1:0]          table_addr_i,
  input  logic [RowW-1:0]        table_data_i,

  input  logic [Nodes*Ports-1:0] inj_valid_i,       // node v, port p at v * Ports + p
  input  logic [Nodes*Ports*DataW-1:0] inj_data_i,
  output logic [Nodes*Ports-1:0] link_valid_o,      // what node v sends on port p
  output logic [Nodes*Ports*DataW-1:0] link_data_o,

  output logic [Nodes*3-1:0]     fault_o,
  output logic [Nodes*Ports-1:0] fault_ports_o,
  output logic [Nodes*TA-1:0]    fault_row_o,
  output logic [Tables-1:0]      fault_parity_o,
  output logic [Tables*TA-1:0]   fault_parity_row_o
);

  logic [Nodes*Ports-1:0]       led_valid, heard_valid, in_valid, unused_back;
  logic [Nodes*Ports*DataW-1:0] led_data, heard_data, in_data;

  crl_links #(
    .Nodes     (Nodes),
    .Ports     (Ports),
    .DataW     (DataW),
    .Neighbours(Neighbours)
  ) u_links (
    .valid_i(link_valid_o),
    .data_i (link_data_o),
    .valid_o(led_valid),
    .data_o (led_data),
    .back_i ({Nodes*Ports{1'b0}}),
    .back_o (unused_back)
  );

  crl_link_pipes #(
    .Links    (Nodes * Ports),
    .DataW    (DataW),
    .Latencies(Latencies),
    .Less     (Late)
  ) u_pipes (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .en_i   (1'b1),
    .valid_i(led_valid),
    .data_i (led_data),
    .valid_o(heard_valid),
    .data_o (heard_data)
  );

  assign in_valid = heard_valid | inj_valid_i;

  for (genvar i = 0; i < Nodes * Ports; i++) begin : gen_in
    assign in_data[i*DataW +: DataW] = inj_valid_i[i] ? inj_data_i[i*DataW +: DataW] : heard_data[i*DataW +: DataW];
  end

  // What the sequencers hand to the routers. All tables have the same length, so they run in step.
  logic [Tables-1:0]      busy, fetched, active;
  logic [Tables*RowW-1:0] rows;
  logic [Tables*PW-1:0]   fetched_page, page;
  logic [Tables*TA-1:0]   number;

  assign busy_o = |busy;
`ifdef FORMAL
  logic [Tables-1:0] f_loads;
`endif

  for (genvar t = 0; t < Tables; t++) begin : gen_table
    logic load;
    assign load = table_we_i && (Tables == 1 || table_sel_i == TableW'(t));
`ifdef FORMAL
    assign f_loads[t] = load;
`endif

    crl_sequencer #(
      .RowW      (RowW),
      .TableDepth(TableDepth),
      .Words     (Words),
      .InitFile  (InitFile)
    ) u_sequencer (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .clear_i           (clear_i),
      .start_i           (start_i),
      .last_row_i        (last_row_i),
      .last_page_i       (last_page_i),
      .busy_o            (busy[t]),
      .table_we_i        (load),
      .table_addr_i      (table_addr_i),
      .table_data_i      (table_data_i),
      .row_o             (rows[t*RowW +: RowW]),
      .fetched_o         (fetched[t]),
      .fetched_page_o    (fetched_page[t*PW +: PW]),
      .active_o          (active[t]),
      .number_o          (number[t*TA +: TA]),
      .page_o            (page[t*PW +: PW]),
      .fault_parity_o    (fault_parity_o[t]),
      .fault_parity_row_o(fault_parity_row_o[t*TA +: TA])
    );
  end

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    localparam int T = (SharedTable != 0) ? 0 : v;

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
      .Staged    (Staged),
      .Single    (Single),
      .DataW     (DataW),
      .AddrW     (AddrW),
      .TableDepth(TableDepth),
      .Words     (Words)
    ) u_router (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .en_i          (1'b1),
      .row_i         (rows[T*RowW +: RowW]),
      .fetched_i     (fetched[T]),
      .skip_departs_i(1'b0),
      .skip_arrives_i(1'b0),
      .fetched_page_i(fetched_page[T*PW +: PW]),
      .active_i      (active[T]),
      .number_i      (number[T*TA +: TA]),
      .page_i        (page[T*PW +: PW]),
      .link_valid_i  (in_valid[v*Ports +: Ports]),
      .link_data_i   (in_data[v*Ports*DataW +: Ports*DataW]),
      .link_valid_o  (link_valid_o[v*Ports +: Ports]),
      .link_data_o   (link_data_o[v*Ports*DataW +: Ports*DataW]),
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

`ifdef FORMAL
  // For any tables, and whatever lies in the banks.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    assume (32'(last_row_i) < TableDepth && 32'(last_page_i) < Words && (Tables == 1 || 32'(table_sel_i) < Tables));
    assume (!table_we_i || (!busy_o && 32'(table_addr_i) < TableDepth));
  end

  always_ff @(posedge clk_i) if (f_past_valid && rst_ni && $past(rst_ni && busy_o) && busy_o) assume ($stable(last_row_i) && $stable(last_page_i));

  always_comb if (f_past_valid) begin
    // One table is written, that of the number.
    if (table_we_i) a_table: assert (f_loads == ((Tables == 1) ? Tables'(1) : Tables'(1) << table_sel_i));
    else a_no_table: assert (f_loads == '0);
    c_plays: cover (link_valid_o != '0 && fault_o == '0);
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if (!$past(rst_ni)) a_reset: assert (!busy_o && link_valid_o == '0 && heard_valid == '0 && fault_o == '0 && fault_parity_o == '0);
    else if ($past(clear_i && !busy_o && in_valid == '0)) a_cleared: assert (fault_o == '0 && fault_parity_o == '0);
    c_cleared: cover ($past(rst_ni && clear_i && fault_o != '0 && fault_parity_o != '0) && fault_o == '0 && fault_parity_o == '0);
  end
`endif

endmodule
