// SPDX-License-Identifier: Apache-2.0
//
// Node: one sequencer and one router.
//
// Timing: with the edge that samples start_i = 1 called edge 0, row r acts on words that are on the input links in time
// r+2 (between edges r+2 and r+3), and its departures are on the output links in time r+3.

module crl_node #(
  `include "crl_router_form.svh"
  /// Words of a packet; a bank has as many pages.
  parameter int Words = 1,
  /// File for $readmemh with exactly TableDepth rows; empty: the table is loaded through its port.
  parameter InitFile = "",
  /// Own words lie in the banks.
  localparam int Streams = 0,
  localparam int Store = 1,
  `include "crl_row.svh"
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

  logic [RowW-1:0] row;
  logic            fetched, active;
  logic [PW-1:0]   fetched_page, page;
  logic [TA-1:0]   number;

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
    .busy_o            (busy_o),
    .table_we_i        (table_we_i),
    .table_addr_i      (table_addr_i),
    .table_data_i      (table_data_i),
    .row_o             (row),
    .fetched_o         (fetched),
    .fetched_page_o    (fetched_page),
    .active_o          (active),
    .number_o          (number),
    .page_o            (page),
    .fault_parity_o    (fault_parity_o),
    .fault_parity_row_o(fault_parity_row_o)
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
    .row_i         (row),
    .fetched_i     (fetched),
    .skip_departs_i(1'b0),
    .skip_arrives_i(1'b0),
    .fetched_page_i(fetched_page),
    .active_i      (active),
    .number_i      (number),
    .page_i        (page),
    .link_valid_i  (link_valid_i),
    .link_data_i   (link_data_i),
    .link_valid_o  (link_valid_o),
    .link_data_o   (link_data_o),
    .own_valid_i   ({Banks{1'b0}}),
    .own_data_i    ({Banks*DataW{1'b0}}),
    .own_ready_o   (own_ready),
    .show_valid_o  (show_valid),
    .show_data_o   (show_data),
    .fault_starved_o(starved),
    .fault_o       (fault_o),
    .fault_ports_o (fault_ports_o),
    .fault_row_o   (fault_row_o)
  );

`ifdef FORMAL
  // For any contents of the table and the banks: proved with their memories taken out.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if (!$past(rst_ni)) a_reset: assert (link_valid_o == '0 && fault_o == '0 && !fault_parity_o && !busy_o);

    c_send: cover (link_valid_o != '0 && fault_o == '0 && !busy_o);
    c_unexpected: cover (fault_o == 3'b010 && $past(rst_ni));
  end
`endif

endmodule
