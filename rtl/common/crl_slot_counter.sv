// SPDX-License-Identifier: Apache-2.0
//
// Counts the rows of a table and the rounds, and follows each row through the pipeline.
//
// Timing: with the edge that samples start_i = 1 called edge 0, row r of the first round is at addr_o in time r (between
// edges r and r+1), fetched_o covers it in time r+1 (the table's output), active_o and row_o in time r+2 (the row acts).
// Row 0 of the next round follows the last row without a gap. last_row_i and last_page_i must hold while busy_o.

module crl_slot_counter #(
  /// Rows of the table memory.
  parameter int TableDepth = 256,
  /// Words of a packet: the most rounds the table can be played, each on its own page.
  parameter int Words = 1,
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  /// Bits of a page number.
  localparam int PW = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic          clk_i,
  input  logic          rst_ni,

  input  logic          start_i,         // pulse; ignored while busy
  input  logic [TA-1:0] last_row_i,      // below TableDepth
  input  logic [PW-1:0] last_page_i,     // below Words
  output logic          busy_o,          // a row is in one of the three stages

  output logic [TA-1:0] addr_o,          // row at the table's address
  output logic          fetched_o,       // a row is at the table's output
  output logic [PW-1:0] fetched_page_o,
  output logic          active_o,        // a row acts
  output logic [TA-1:0] row_o,
  output logic [PW-1:0] page_o
);

  logic          run_q, fetched_q, active_q;
  logic [TA-1:0] addr_q, fetched_row_q, row_q;
  logic          last_row, last_page;

  assign last_row = addr_q == last_row_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q     <= 1'b0;
      fetched_q <= 1'b0;
      active_q  <= 1'b0;
    end else begin
      run_q     <= run_q ? !(last_row && last_page) : (start_i && !busy_o);
      fetched_q <= run_q;
      active_q  <= fetched_q;
    end
  end

  // The row rests at 0 while nothing runs, so that start needs no cycle of its own.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !run_q || last_row) addr_q <= '0;
    else addr_q <= addr_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    fetched_row_q <= addr_q;
    row_q         <= fetched_row_q;
  end

  if (Words > 1) begin : gen_pages
    logic [PW-1:0] page_q, fetched_page_q, acting_page_q;

    assign last_page = page_q == last_page_i;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || !run_q) page_q <= '0;
      else if (last_row) page_q <= last_page ? '0 : page_q + 1'b1;
    end

    // Reset, because the banks' read address must be in range also when nothing plays.
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        fetched_page_q <= '0;
        acting_page_q  <= '0;
      end else begin
        fetched_page_q <= page_q;
        acting_page_q  <= fetched_page_q;
      end
    end

    assign fetched_page_o = fetched_page_q;
    assign page_o         = acting_page_q;
  end else begin : gen_one_page
    logic unused_last_page;
    assign unused_last_page = last_page_i;

    assign last_page      = 1'b1;
    assign fetched_page_o = '0;
    assign page_o         = '0;
  end

  assign busy_o    = run_q || fetched_q || active_q;
  assign addr_o    = addr_q;
  assign fetched_o = fetched_q;
  assign active_o  = active_q;
  assign row_o     = row_q;

`ifdef FORMAL
  // Rounds and rows are as long as the caller says, and the caller does not change its mind while they play.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  logic          f_busy_q;
  logic [TA-1:0] f_last_row_q;
  logic [PW-1:0] f_last_page_q;
  always_ff @(posedge clk_i) begin
    f_busy_q      <= busy_o;
    f_last_row_q  <= last_row_i;
    f_last_page_q <= last_page_i;
  end

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    assume (32'(last_row_i) < TableDepth);
    assume (32'(last_page_i) < Words);
    if (f_past_valid && busy_o && f_busy_q) assume (last_row_i == f_last_row_q && last_page_i == f_last_page_q);
  end

  always_comb if (f_past_valid) begin
    a_row_range: assert (run_q ? addr_o <= last_row_i : addr_o == '0);
    a_address_range: assert (32'(addr_o) < TableDepth);
    a_page_range: assert (32'(fetched_page_o) < Words && 32'(page_o) < Words);
    if (fetched_q) a_fetched_range: assert (fetched_row_q <= last_row_i && fetched_page_o <= last_page_i);
    if (active_q) a_active_range: assert (row_o <= last_row_i && page_o <= last_page_i);
    a_busy: assert (busy_o == (run_q || fetched_o || active_o));
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if ($past(rst_ni)) begin
      a_start: assert (run_q || !$past(start_i && !busy_o));
      a_start_ignored: assert (!run_q || $past(run_q) || $past(start_i && !busy_o));
      if ($past(run_q && addr_q != last_row_i)) a_next_row: assert (run_q && addr_q == $past(addr_q) + 1'b1);
      if ($past(run_q && addr_q == last_row_i)) a_wrap: assert (addr_q == '0);
      a_stages: assert (fetched_o == $past(run_q) && active_o == $past(fetched_o));
      a_row_follows: assert (row_o == $past(fetched_row_q) && fetched_row_q == $past(addr_q));
      a_page_follows: assert (page_o == $past(fetched_page_o));
    end else begin
      a_reset: assert (!busy_o && addr_o == '0);
    end

    // Two full plays: the counter can be started again.
    c_play: cover (active_o && row_o == last_row_i && page_o == last_page_i && last_row_i == TA'(2));
    c_again: cover (!busy_o && $past(busy_o) && start_i && rst_ni && $past(rst_ni));
  end

  if (Words > 1) begin : gen_f_pages
    always_comb if (f_past_valid) a_page: assert (gen_pages.page_q <= (run_q ? last_page_i : '0));

    always_ff @(posedge clk_i) if (f_past_valid && $past(rst_ni) && $past(run_q)) begin
      a_page_follows_page: assert (fetched_page_o == $past(gen_pages.page_q));
      if ($past(addr_q != last_row_i)) a_same_round: assert (gen_pages.page_q == $past(gen_pages.page_q));
      else if ($past(gen_pages.page_q != last_page_i))
        a_next_round: assert (run_q && gen_pages.page_q == $past(gen_pages.page_q) + 1'b1);
      else a_stop: assert (!run_q);
      c_second_round: cover (gen_pages.page_q == PW'(1) && addr_q == last_row_i && last_row_i == TA'(2));
    end
  end else begin : gen_f_one_page
    always_ff @(posedge clk_i) if (f_past_valid && $past(run_q && addr_q == last_row_i)) a_stop: assert (!run_q);
  end
`endif

endmodule
