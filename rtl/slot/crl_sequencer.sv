// SPDX-License-Identifier: Apache-2.0
//
// Sequencer: reads one schedule row a cycle and hands its fields to one router, or to many that play the same table.
//
// Timing: with the edge that samples start_i = 1 called edge 0, raddr_o and rpage_o of row r are there in time r+1
// (between edges r+1 and r+2) and everything else of row r in time r+2.

module crl_sequencer #(
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
  /// The last three on a port list, where a field of no bits is one bit at 0.
  localparam int GV = (GW > 0) ? GW : 1,
  localparam int SV = (SW > 0) ? SW : 1,
  localparam int XV = (XW > 0) ? XW : 1,
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

  output logic [Banks*AddrW-1:0] raddr_o,           // time r+1
  output logic [PW-1:0]          rpage_o,           // time r+1
  output logic [Banks-1:0]       byp_o,             // time r+2, like all below
  output logic [Banks-1:0]       dly_o,
  output logic [Banks-1:0]       wen_o,
  output logic [Banks*XV-1:0]    wsel_o,
  output logic [Banks*AddrW-1:0] waddr_o,
  output logic [PW-1:0]          wpage_o,
  output logic [Lanes-1:0]       ov_o,
  output logic [Lanes*SV-1:0]    osel_o,
  output logic [Lanes*GV-1:0]    oport_o,
  output logic [Lanes-1:0]       exp_o,
  output logic [Lanes*GV-1:0]    iport_o,
  output logic                   active_o,          // a row acts
  output logic [TA-1:0]          row_o,

  output logic                   fault_parity_o,    // sticky
  output logic [TA-1:0]          fault_row_o        // first row of bad parity
);

  logic [TA-1:0]   addr;
  logic [RowW-1:0] row;
  logic            fetched;

  if (Ports < 1 || Ports > 32) begin : gen_bad_ports
    crl_error_ports_must_be_1_to_32 u_error ();
  end
  if (Lanes < 1 || Lanes > Ports) begin : gen_bad_lanes
    crl_error_lanes_must_be_1_to_ports u_error ();
  end
  if (Banks < 1 || (WriteXbar == 0 && Banks != Lanes) || (Delay != 0 && Banks < Lanes)) begin : gen_bad_banks
    crl_error_banks_must_be_lanes_or_with_write_xbar_more_or_without_delay_fewer u_error ();
  end
  if (WriteXbar < 0 || WriteXbar > 1 || Delay < 0 || Delay > 1 || WaddrField < 0 || WaddrField > 1) begin : gen_bad_flag
    crl_error_write_xbar_delay_waddr_field_must_be_0_or_1 u_error ();
  end
  if (AddrW < 1 || TableDepth < 1 || Words < 1) begin : gen_bad_size
    crl_error_addr_w_table_depth_words_must_be_1_or_more u_error ();
  end

  crl_slot_counter #(
    .TableDepth(TableDepth),
    .Words     (Words)
  ) u_slot_counter (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .start_i       (start_i),
    .last_row_i    (last_row_i),
    .last_page_i   (last_page_i),
    .busy_o        (busy_o),
    .addr_o        (addr),
    .fetched_o     (fetched),
    .fetched_page_o(rpage_o),
    .active_o      (active_o),
    .row_o         (row_o),
    .page_o        (wpage_o)
  );

  crl_table #(
    .TableDepth(TableDepth),
    .RowW      (RowW),
    .InitFile  (InitFile)
  ) u_table (
    .clk_i  (clk_i),
    .we_i   (table_we_i),
    .waddr_i(table_addr_i),
    .wdata_i(table_data_i),
    .raddr_i(addr),
    .rdata_o(row)
  );

  crl_row_decoder #(
    .Lanes     (Lanes),
    .Banks     (Banks),
    .Delay     (Delay),
    .WaddrField(WaddrField),
    .AddrW     (AddrW),
    .XW        (XW),
    .SW        (SW),
    .GW        (GW),
    .TA        (TA)
  ) u_decoder (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (clear_i),
    .fetched_i     (fetched),
    .row_i         (row),
    .raddr_o       (raddr_o),
    .active_i      (active_o),
    .row_number_i  (row_o),
    .byp_o         (byp_o),
    .dly_o         (dly_o),
    .wen_o         (wen_o),
    .wsel_o        (wsel_o),
    .waddr_o       (waddr_o),
    .ov_o          (ov_o),
    .osel_o        (osel_o),
    .oport_o       (oport_o),
    .exp_o         (exp_o),
    .iport_o       (iport_o),
    .fault_parity_o(fault_parity_o),
    .fault_row_o   (fault_row_o)
  );

`ifdef FORMAL
  // For any contents of the table: proved with its memory taken out.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb if (f_past_valid && !active_o) begin
    a_no_write: assert (wen_o == '0);
    a_no_send: assert (ov_o == '0);
    a_no_wait: assert (exp_o == '0);
    a_no_delay: assert (dly_o == '0);
  end

  always_comb if (f_past_valid) begin
    if (!busy_o) a_idle: assert (!active_o && !fetched);
    c_acts: cover (active_o && wen_o != '0 && ov_o != '0 && exp_o != '0);
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if ($past(rst_ni && fault_parity_o && !clear_i)) a_parity_sticky: assert (fault_parity_o);
    if (fault_parity_o) a_parity_cause: assert ($past(fault_parity_o || active_o));
    c_parity: cover (fault_parity_o);
  end
`endif

endmodule
