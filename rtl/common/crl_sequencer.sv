// SPDX-License-Identifier: Apache-2.0
//
// Sequencer: slot counter, table and parity check. It hands over rows and knows nothing of what is in them.
//
// Timing: with the edge that samples start_i = 1 called edge 0, row r is at row_o in time r+1 (between edges r+1 and
// r+2), and active_o covers it in time r+2, in which it acts.

module crl_sequencer #(
  /// Bits of a row, bit 0 of which makes the number of ones even.
  parameter int RowW = 61,
  /// Rows of the table memory.
  parameter int TableDepth = 256,
  /// Words of a packet: the most rounds that the table is played, each on its own page.
  parameter int Words = 1,
  /// File for $readmemh with exactly TableDepth rows; empty: the table is loaded through its port.
  parameter InitFile = "",
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  /// Bits of a page number.
  localparam int PW = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            clear_i,            // clears sticky faults

  input  logic            start_i,            // pulse; ignored while busy
  input  logic [TA-1:0]   last_row_i,         // holds while busy
  input  logic [PW-1:0]   last_page_i,        // rounds - 1; holds while busy
  output logic            busy_o,

  input  logic            table_we_i,         // load port; only while not busy
  input  logic [TA-1:0]   table_addr_i,
  input  logic [RowW-1:0] table_data_i,

  output logic [RowW-1:0] row_o,              // time r+1
  output logic            fetched_o,          // time r+1: it is a row that plays
  output logic [PW-1:0]   fetched_page_o,     // time r+1
  output logic            active_o,           // time r+2: a row acts
  output logic [TA-1:0]   number_o,           // time r+2: which
  output logic [PW-1:0]   page_o,             // time r+2

  output logic            fault_parity_o,     // sticky
  output logic [TA-1:0]   fault_parity_row_o  // first row of bad parity; says nothing while fault_parity_o is 0
);

  logic [TA-1:0] addr;

  if (TableDepth < 1 || Words < 1) begin : gen_bad_size
    crl_error_table_depth_words_must_be_1_or_more u_error ();
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
    .fetched_o     (fetched_o),
    .fetched_page_o(fetched_page_o),
    .active_o      (active_o),
    .row_o         (number_o),
    .page_o        (page_o)
  );

  crl_ram #(
    .Depth   (TableDepth),
    .DataW   (RowW),
    .InitFile(InitFile)
  ) u_table (
    .clk_i  (clk_i),
    .we_i   (table_we_i),
    .waddr_i(table_addr_i),
    .wdata_i(table_data_i),
    .re_i   (1'b1),
    .raddr_i(addr),
    .rdata_o(row_o)
  );

  crl_parity #(
    .RowW(RowW),
    .TA  (TA)
  ) u_parity (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear_i),
    .en_i        (1'b1),
    .row_i       (row_o),
    .active_i    (active_o),
    .row_number_i(number_o),
    .fault_o     (fault_parity_o),
    .fault_row_o (fault_parity_row_o)
  );

`ifdef FORMAL
  // For any contents of the table: proved with its memory taken out.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb assume (!table_we_i || 32'(table_addr_i) < TableDepth);

  always_comb if (f_past_valid) begin
    if (!busy_o) a_idle: assert (!active_o && !fetched_o);
    c_acts: cover (active_o && number_o == last_row_i);
  end

  // A row's parity is judged in the cycle in which it acts, and kept with its number.
  logic f_odd, f_past2_valid;
  initial f_past2_valid = 1'b0;
  always_ff @(posedge clk_i) begin
    f_odd         <= ^row_o;
    f_past2_valid <= f_past_valid;
    if (f_past_valid && !$past(rst_ni)) a_parity_reset: assert (!fault_parity_o && fault_parity_row_o == '0);
    if (f_past2_valid && $past(rst_ni)) begin
      a_parity: assert (fault_parity_o == $past((fault_parity_o && !clear_i) || (active_o && f_odd)));
      if (!$past(fault_parity_o && !clear_i)) a_parity_row: assert (fault_parity_row_o == $past(number_o));
    end
    if (f_past_valid) c_parity: cover (fault_parity_o);
  end
`endif

endmodule
