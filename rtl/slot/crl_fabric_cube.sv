// SPDX-License-Identifier: Apache-2.0
//
// Hypercube: 2^Dim routers wired to each other, with one shared sequencer or one each.
//
// Timing: that of crl_node. Node v hears on port p what node v ^ (1 << p) sends on its port p. A word put on the
// injection input takes the place of the neighbour's word in the same cycle.

module crl_fabric_cube #(
  /// Dimension of the cube: 2^Dim routers of Dim ports, 1 to 10.
  parameter int Dim = 3,
  /// 1: one sequencer for all routers; 0: one each.
  parameter int SharedTable = 1,
  /// Sends, and receives, per cycle of a router: 1 to Dim.
  parameter int Lanes = Dim,
  /// Memories of a router: Lanes without WriteXbar; fewer only without Delay.
  parameter int Banks = Lanes,
  /// 0: bank b stores what arrives on input lane b; 1: each bank selects its input lane.
  parameter int WriteXbar = 0,
  /// 1: each lane can replay the word that arrived one cycle earlier.
  parameter int Delay = 1,
  /// 0: the write address is the row number; 1: each row carries a write address per bank.
  parameter int WaddrField = 0,
  /// Bits of a word.
  parameter int DataW = 16,
  /// Bits of a bank address within a page.
  parameter int AddrW = 8,
  /// Rows of the table memory.
  parameter int TableDepth = 256,
  /// Words of a packet; a bank has as many pages.
  parameter int Words = 1,
  /// File for $readmemh with exactly TableDepth rows; empty: the table is loaded through its port.
  parameter InitFile = "",
  /// Routers.
  localparam int Nodes = 1 << Dim,
  /// Link ports of a router.
  localparam int Ports = Dim,
  /// Sequencers.
  localparam int Tables = (SharedTable != 0) ? 1 : Nodes,
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  /// Bits of a page number.
  localparam int PW = (Words > 1) ? $clog2(Words) : 1,
  /// Bits that name a member of a lane's port group of ceil(Ports / Lanes).
  localparam int GW = $clog2((Ports + Lanes - 1) / Lanes),
  /// Bits that select a lane for an output; with fewer banks than lanes, a live input or a bank.
  localparam int SW = $clog2((Banks < Lanes) ? Lanes + Banks : Banks),
  /// Bits that choose the live input for a lane: with fewer banks than lanes the outputs do that.
  localparam int BypW = (Banks < Lanes) ? 0 : 1,
  /// Bits that select an input lane for a bank.
  localparam int XW = (WriteXbar != 0) ? $clog2(Lanes) : 0,
  /// Bits of a row.
  localparam int RowW = 1 + Banks * (AddrW + 1 + BypW + Delay + XW + WaddrField * AddrW) + Lanes * (2 + SW + 2 * GW)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,           // clears sticky faults

  input  logic                   start_i,           // pulse; ignored while busy
  input  logic [TA-1:0]          last_row_i,        // holds while busy
  input  logic [PW-1:0]          last_page_i,       // rounds - 1; holds while busy
  output logic                   busy_o,

  input  logic                   table_we_i,        // load port; only while not busy
  input  logic [Dim-1:0]         table_sel_i,       // node whose table is loaded; not used when shared
  input  logic [TA-1:0]          table_addr_i,
  input  logic [RowW-1:0]        table_data_i,

  input  logic [Nodes*Ports-1:0] inj_valid_i,       // node v, port p at v * Dim + p
  input  logic [Nodes*Ports*DataW-1:0] inj_data_i,
  output logic [Nodes*Ports-1:0] link_valid_o,      // what node v sends on port p
  output logic [Nodes*Ports*DataW-1:0] link_data_o,

  output logic [Nodes*3-1:0]     fault_o,
  output logic [Nodes*Ports-1:0] fault_ports_o,
  output logic [Nodes*TA-1:0]    fault_row_o,
  output logic [Tables-1:0]      fault_parity_o,
  output logic [Tables*TA-1:0]   fault_parity_row_o
);

  if (Dim < 1 || Dim > 10) begin : gen_bad_dim
    crl_error_dim_must_be_1_to_10 u_error ();
  end

  logic [Nodes*Ports-1:0]       in_valid;
  logic [Nodes*Ports*DataW-1:0] in_data;

  for (genvar v = 0; v < Nodes; v++) begin : gen_wire
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      localparam int To   = v * Ports + p;
      localparam int From = (v ^ (1 << p)) * Ports + p;

      assign in_valid[To] = inj_valid_i[To] || link_valid_o[From];
      assign in_data[To*DataW +: DataW] = inj_valid_i[To] ? inj_data_i[To*DataW +: DataW]
                                                          : link_data_o[From*DataW +: DataW];
    end
  end

  if (SharedTable != 0) begin : gen_shared
    logic [Banks*AddrW-1:0]                raddr;
    logic [PW-1:0]                         rpage;
    logic [Banks-1:0]                      byp;
    logic [Banks-1:0]                      dly;
    logic [Banks-1:0]                      wen;
    logic [Banks*((XW > 0) ? XW : 1)-1:0]  wsel;
    logic [Banks*AddrW-1:0]                waddr;
    logic [PW-1:0]                         wpage;
    logic [Lanes-1:0]                      ov;
    logic [Lanes*((SW > 0) ? SW : 1)-1:0]  osel;
    logic [Lanes*((GW > 0) ? GW : 1)-1:0]  oport;
    logic [Lanes-1:0]                      exp;
    logic [Lanes*((GW > 0) ? GW : 1)-1:0]  iport;
    logic                                  active;
    logic [TA-1:0]                         row;

    logic unused_sel;
    assign unused_sel = &{1'b0, table_sel_i};

    crl_sequencer #(
      .Ports     (Ports),
      .Lanes     (Lanes),
      .Banks     (Banks),
      .WriteXbar (WriteXbar),
      .Delay     (Delay),
      .WaddrField(WaddrField),
      .AddrW     (AddrW),
      .TableDepth(TableDepth),
      .Words     (Words),
      .InitFile  (InitFile)
    ) u_sequencer (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .start_i       (start_i),
      .last_row_i    (last_row_i),
      .last_page_i   (last_page_i),
      .busy_o        (busy_o),
      .table_we_i    (table_we_i),
      .table_addr_i  (table_addr_i),
      .table_data_i  (table_data_i),
      .raddr_o       (raddr),
      .rpage_o       (rpage),
      .byp_o         (byp),
      .dly_o         (dly),
      .wen_o         (wen),
      .wsel_o        (wsel),
      .waddr_o       (waddr),
      .wpage_o       (wpage),
      .ov_o          (ov),
      .osel_o        (osel),
      .oport_o       (oport),
      .exp_o         (exp),
      .iport_o       (iport),
      .active_o      (active),
      .row_o         (row),
      .fault_parity_o(fault_parity_o),
      .fault_row_o   (fault_parity_row_o)
    );

    for (genvar v = 0; v < Nodes; v++) begin : gen_node
      crl_router #(
        .Ports     (Ports),
        .Lanes     (Lanes),
        .Banks     (Banks),
        .WriteXbar (WriteXbar),
        .Delay     (Delay),
        .DataW     (DataW),
        .AddrW     (AddrW),
        .TableDepth(TableDepth),
        .Words     (Words)
      ) u_router (
        .clk_i        (clk_i),
        .rst_ni       (rst_ni),
        .clear_i      (clear_i),
        .raddr_i      (raddr),
        .rpage_i      (rpage),
        .byp_i        (byp),
        .dly_i        (dly),
        .wen_i        (wen),
        .wsel_i       (wsel),
        .waddr_i      (waddr),
        .wpage_i      (wpage),
        .ov_i         (ov),
        .osel_i       (osel),
        .oport_i      (oport),
        .exp_i        (exp),
        .iport_i      (iport),
        .active_i     (active),
        .row_i        (row),
        .link_valid_i (in_valid[v*Ports +: Ports]),
        .link_data_i  (in_data[v*Ports*DataW +: Ports*DataW]),
        .link_valid_o (link_valid_o[v*Ports +: Ports]),
        .link_data_o  (link_data_o[v*Ports*DataW +: Ports*DataW]),
        .fault_o      (fault_o[v*3 +: 3]),
        .fault_ports_o(fault_ports_o[v*Ports +: Ports]),
        .fault_row_o  (fault_row_o[v*TA +: TA])
      );
    end
  end else begin : gen_own
    logic [Nodes-1:0] busy;

    // All tables have the same length, so the sequencers run in step.
    assign busy_o = |busy;

    for (genvar v = 0; v < Nodes; v++) begin : gen_node
      crl_node #(
        .Ports     (Ports),
        .Lanes     (Lanes),
        .Banks     (Banks),
        .WriteXbar (WriteXbar),
        .Delay     (Delay),
        .WaddrField(WaddrField),
        .DataW     (DataW),
        .AddrW     (AddrW),
        .TableDepth(TableDepth),
        .Words     (Words),
        .InitFile  (InitFile)
      ) u_node (
        .clk_i             (clk_i),
        .rst_ni            (rst_ni),
        .clear_i           (clear_i),
        .start_i           (start_i),
        .last_row_i        (last_row_i),
        .last_page_i       (last_page_i),
        .busy_o            (busy[v]),
        .table_we_i        (table_we_i && table_sel_i == Dim'(v)),
        .table_addr_i      (table_addr_i),
        .table_data_i      (table_data_i),
        .link_valid_i      (in_valid[v*Ports +: Ports]),
        .link_data_i       (in_data[v*Ports*DataW +: Ports*DataW]),
        .link_valid_o      (link_valid_o[v*Ports +: Ports]),
        .link_data_o       (link_data_o[v*Ports*DataW +: Ports*DataW]),
        .fault_o           (fault_o[v*3 +: 3]),
        .fault_ports_o     (fault_ports_o[v*Ports +: Ports]),
        .fault_row_o       (fault_row_o[v*TA +: TA]),
        .fault_parity_o    (fault_parity_o[v]),
        .fault_parity_row_o(fault_parity_row_o[v*TA +: TA])
      );
    end
  end

endmodule
