// SPDX-License-Identifier: Apache-2.0
//
// Node: one sequencer and one router.
//
// Timing: with the edge that samples start_i = 1 called edge 0, row r acts on words that are on the input links in time
// r+2 (between edges r+2 and r+3), and its departures are on the output links in time r+3.

module crl_node #(
  /// Link ports of the router, 1 to 32.
  parameter int Ports = 4,
  /// Sends, and receives, per cycle: 1 to Ports.
  parameter int Lanes = 4,
  /// Memories of one read and one write port: Lanes without WriteXbar; fewer only without Delay.
  parameter int Banks = 4,
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
  input  logic [TA-1:0]          table_addr_i,
  input  logic [RowW-1:0]        table_data_i,

  input  logic [Ports-1:0]       link_valid_i,      // in[p]: from the neighbour behind direction p
  input  logic [Ports*DataW-1:0] link_data_i,
  output logic [Ports-1:0]       link_valid_o,
  output logic [Ports*DataW-1:0] link_data_o,

  output logic [3-1:0]           fault_o,           // sticky: 0 missing, 1 unexpected, 2 overrun
  output logic [Ports-1:0]       fault_ports_o,     // of the first of these
  output logic [TA-1:0]          fault_row_o,       // of the first of these
  output logic                   fault_parity_o,    // sticky
  output logic [TA-1:0]          fault_parity_row_o // first row of bad parity
);

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
    .link_valid_i (link_valid_i),
    .link_data_i  (link_data_i),
    .link_valid_o (link_valid_o),
    .link_data_o  (link_data_o),
    .fault_o      (fault_o),
    .fault_ports_o(fault_ports_o),
    .fault_row_o  (fault_row_o)
  );

`ifdef FORMAL
  // For any contents of the table and the banks: proved with their memories taken out.
  localparam int GV = (GW > 0) ? GW : 1;

  logic             f_past_valid;
  logic [Ports-1:0] f_asked, f_wanted;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb begin
    for (int p = 0; p < Ports; p++) begin
      f_asked[p]  = active && ov[p % Lanes] && (GW == 0 || 32'(oport[(p % Lanes) * GV +: GV]) == p / Lanes);
      f_wanted[p] = active && exp[p % Lanes] && (GW == 0 || 32'(iport[(p % Lanes) * GV +: GV]) == p / Lanes);
    end
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if ($past(rst_ni)) begin
      a_links_by_row: assert (link_valid_o == $past(f_asked));
      a_no_word_missed: assert (fault_o != '0 || $past(link_valid_i == f_wanted));
      if ($past(!clear_i)) a_fault_sticky: assert (($past(fault_o) & ~fault_o) == '0);
      a_no_write_idle: assert (busy_o || wen == '0);
    end else begin
      a_reset: assert (link_valid_o == '0 && fault_o == '0 && !fault_parity_o && !busy_o);
    end

    c_send: cover (link_valid_o != '0 && fault_o == '0 && !busy_o);
    c_unexpected: cover (fault_o == 3'b010 && $past(rst_ni));
  end
`endif

endmodule
