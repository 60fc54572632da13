// SPDX-License-Identifier: Apache-2.0
//
// Processor of a LogP machine: a router with one port whose rows also name the destination, with a combine unit.
//
// A cycle of the clock is a unit of time of the machine, a row a cycle. Row r puts a word on the link in time unit r and
// takes in the words that have been under way until the beginning of time unit r. One can wait in the holding register:
// for an addition, or for a word that is received first.
//
// Timing: with the edge that samples start_i = 1 called edge 0, row r acts on the words that are at the input link in
// time r+2 (between edges r+2 and r+3), and its departure is on the output link in time r+3+Stages. With Stages = 2 what a row
// takes in (A, time r+2), its combination (B) and the choice of what leaves (C) are a cycle each: much faster, and for
// machines whose latency is at least 3, which absorbs it (crl_crossbar).

module crl_logp_node #(
  /// Bits of a word.
  parameter int DataW = 16,
  /// Bits of a bank address within a page.
  parameter int AddrW = 8,
  /// Bits that name a processor.
  parameter int NodeW = 6,
  /// Rows of the table memory.
  parameter int TableDepth = 256,
  /// Words of an item; the bank has as many pages.
  parameter int Words = 1,
  /// Cycles later that a departure is on the link, 0 or 2: a part of the machine's latency.
  parameter int Stages = 2,
  /// File for $readmemh with exactly TableDepth rows; empty: the table is loaded through its port.
  parameter InitFile = "",
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  /// Bits of a page number.
  localparam int PW = (Words > 1) ? $clog2(Words) : 1,
  /// Bits of a row.
  localparam int RowW = 17 + NodeW + 2 * AddrW
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,            // clears sticky faults and empties the holding register

  input  logic             start_i,            // pulse; ignored while busy
  input  logic [TA-1:0]    last_row_i,         // holds while busy
  input  logic [PW-1:0]    last_page_i,        // rounds - 1; holds while busy
  output logic             busy_o,

  input  logic [1:0]       op_i,               // as in crl_operator; holds while busy

  input  logic             table_we_i,         // load port; only while not busy
  input  logic [TA-1:0]    table_addr_i,
  input  logic [RowW-1:0]  table_data_i,

  input  logic [1:0]       link_valid_i,       // first and second word of this cycle
  input  logic [2*DataW-1:0] link_data_i,
  output logic             link_valid_o,
  output logic [NodeW-1:0] link_dest_o,
  output logic [DataW-1:0] link_data_o,

  output logic [3:0]       fault_o,            // sticky: 0 missing, 1 unexpected, 2 overrun, 3 holding register
  output logic [TA-1:0]    fault_row_o,        // of the first of the former three
  output logic             fault_parity_o,     // sticky
  output logic [TA-1:0]    fault_parity_row_o  // first row of bad parity
);

  // A page a word, each of 2^AddrW words.
  localparam int BankAW = AddrW + ((Words > 1) ? PW : 0);
  localparam int Depth  = Words << AddrW;

  logic [TA-1:0]     row_number;
  logic [RowW-1:0]   row;
  logic              fetched, active;
  logic [PW-1:0]     rpage, wpage;

  logic              send, hold, held, swap, store, store_total, operand_is_stored;
  logic [1:0]        exp;
  logic              part_en, part_combine, total_en, total_combine;
  logic [2:0]        what;
  logic [NodeW-1:0]  dest;
  logic [AddrW-1:0]  raddr, waddr;
  logic [BankAW-1:0] read_at, write_at;

  logic [DataW-1:0]  first, second, stored, waiting, taken, operand, part, total, part_q, total_q, value;
  logic [DataW-1:0]  hold_q, data_q;
  logic              busy, still_going, leaves, hold_valid_q, valid_q, fault_hold_q;
  logic [NodeW-1:0]  leaves_for;
  logic [NodeW-1:0]  dest_q;

  if (Stages != 0 && Stages != 2) begin : gen_bad_stages
    crl_error_stages_must_be_0_or_2 u_error ();
  end
  if (AddrW < 1 || NodeW < 1 || DataW < 1 || TableDepth < 1 || Words < 1) begin : gen_bad_size
    crl_error_addr_w_node_w_data_w_table_depth_words_must_be_1_or_more u_error ();
  end

  crl_sequencer #(
    .RowW      (RowW),
    .TableDepth(TableDepth),
    .Words     (Words),
    .InitFile  (InitFile)
  ) u_sequencer (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .clear_i           (clear_i),
    .start_i           (start_i && !busy_o),
    .last_row_i        (last_row_i),
    .last_page_i       (last_page_i),
    .busy_o            (busy),
    .table_we_i        (table_we_i),
    .table_addr_i      (table_addr_i),
    .table_data_i      (table_data_i),
    .row_o             (row),
    .fetched_o         (fetched),
    .fetched_page_o    (rpage),
    .active_o          (active),
    .number_o          (row_number),
    .page_o            (wpage),
    .fault_parity_o    (fault_parity_o),
    .fault_parity_row_o(fault_parity_row_o)
  );

  crl_logp_decoder #(
    .AddrW(AddrW),
    .NodeW(NodeW)
  ) u_decoder (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .fetched_i      (fetched),
    .row_i          (row),
    .raddr_o        (raddr),
    .send_o         (send),
    .what_o         (what),
    .dest_o         (dest),
    .exp_o          (exp),
    .hold_o         (hold),
    .held_o         (held),
    .swap_o         (swap),
    .store_o        (store),
    .store_total_o  (store_total),
    .waddr_o        (waddr),
    .operand_o      (operand_is_stored),
    .part_en_o      (part_en),
    .part_combine_o (part_combine),
    .total_en_o     (total_en),
    .total_combine_o(total_combine)
  );

  if (Words > 1) begin : gen_pages
    assign read_at  = {rpage, raddr};
    assign write_at = {wpage, waddr};
  end else begin : gen_one_page
    logic unused_page;
    assign unused_page = &{1'b0, rpage, wpage};

    assign read_at  = raddr;
    assign write_at = waddr;
  end

  // ---- A: of two words one is taken and the other waits
  assign first   = link_data_i[DataW-1:0];
  assign second  = link_data_i[2*DataW-1:DataW];
  assign waiting = (exp[1] && !swap) ? second : first;
  assign taken   = held ? hold_q : swap ? second : first;
  assign operand = operand_is_stored ? stored : taken;

  always_ff @(posedge clk_i) if (hold) hold_q <= waiting;

  // A word that is not there is not taken, and none is written over.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      hold_valid_q <= 1'b0;
      fault_hold_q <= 1'b0;
    end else begin
      hold_valid_q <= !clear_i && (hold || (hold_valid_q && !held));
      fault_hold_q <= (fault_hold_q && !clear_i) || (held && !hold_valid_q) || (hold && hold_valid_q && !held);
    end
  end

  // ---- bank and accumulators

  logic              bank_we, b_part_en, b_part_combine, b_total_en, b_total_combine;
  logic [BankAW-1:0] bank_waddr;
  logic [DataW-1:0]  bank, bank_wdata, addend, b_operand, b_addend;

  crl_ram #(
    .DataW(DataW),
    .Depth(Depth)
  ) u_bank (
    .clk_i  (clk_i),
    .we_i   (bank_we),
    .waddr_i(bank_waddr),
    .wdata_i(bank_wdata),
    .re_i   (1'b1),
    .raddr_i(read_at),
    .rdata_o(bank)
  );

  assign addend = operand ^ {DataW{op_i[0] ^ op_i[1]}};

  crl_combine #(
    .DataW(DataW)
  ) u_combine (
    .clk_i          (clk_i),
    .op_i           (op_i),
    .operand_i      (b_operand),
    .addend_i       (b_addend),
    .part_en_i      (b_part_en),
    .part_combine_i (b_part_combine),
    .total_en_i     (b_total_en),
    .total_combine_i(b_total_combine),
    .part_o         (part),
    .total_o        (total),
    .part_q_o       (part_q),
    .total_q_o      (total_q)
  );

  if (Stages == 0) begin : gen_at_once
    // The word taken in the cycle before is kept, because the bank cannot return it yet.
    logic [DataW-1:0] last_q;
    always_ff @(posedge clk_i) last_q <= taken;

    assign stored          = bank;
    assign b_operand       = operand;
    assign b_addend        = addend;
    assign b_part_en       = part_en;
    assign b_part_combine  = part_combine;
    assign b_total_en      = total_en;
    assign b_total_combine = total_combine;

    assign bank_we    = store;
    assign bank_waddr = write_at;
    assign bank_wdata = store_total ? total : taken;

    assign leaves      = send;
    assign leaves_for  = dest;
    assign still_going = 1'b0;

    always_comb begin
      casez (what)
        3'b000:  value = stored;
        3'b001:  value = taken;
        3'b01?:  value = last_q;
        3'b1?0:  value = part;
        default: value = total;
      endcase
    end

    logic unused_accumulators;
    assign unused_accumulators = &{1'b0, part_q, total_q};
  end else begin : gen_stages
    logic              b_acts_q, b_send_q, b_store_q, b_store_total_q;
    logic              c_acts_q, c_send_q, c_store_q, c_store_total_q;
    logic [2:0]        b_what_q;
    logic [1:0]        c_how_q;
    logic [NodeW-1:0]  b_dest_q, c_dest_q;
    logic [BankAW-1:0] b_write_at_q, c_write_at_q;
    logic [DataW-1:0]  b_operand_q, b_addend_q, b_taken_q, b_stored_q, c_word_q, c_taken_q;
    logic              b_part_en_q, b_part_combine_q, b_total_en_q, b_total_combine_q;
    logic              two_before_q, three_before_q;
    logic [DataW-1:0]  written_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        {b_acts_q, b_send_q, b_store_q, b_part_en_q, b_total_en_q} <= '0;
        {c_acts_q, c_send_q, c_store_q}                            <= '0;
      end else begin
        {b_acts_q, b_send_q, b_store_q, b_part_en_q, b_total_en_q} <= {active, send, store, part_en, total_en};
        {c_acts_q, c_send_q, c_store_q}                            <= {b_acts_q, b_send_q, b_store_q};
      end
    end

    always_ff @(posedge clk_i) begin
      b_operand_q       <= operand;
      b_addend_q        <= addend;
      b_part_combine_q  <= part_combine;
      b_total_combine_q <= total_combine;
      b_taken_q         <= taken;
      b_stored_q        <= stored;
      b_what_q          <= what;
      b_dest_q          <= dest;
      b_store_total_q   <= store_total;
      b_write_at_q      <= write_at;
      // Of the row before in c_taken_q, because the bank cannot return it yet.
      c_word_q          <= b_what_q[1] ? c_taken_q : b_what_q[0] ? b_taken_q : b_stored_q;
      c_how_q           <= {b_what_q[2], b_what_q[0]};
      c_taken_q         <= b_taken_q;
      c_dest_q          <= b_dest_q;
      c_store_total_q   <= b_store_total_q;
      c_write_at_q      <= b_write_at_q;
    end

    assign b_operand       = b_operand_q;
    assign b_addend        = b_addend_q;
    assign b_part_en       = b_part_en_q;
    assign b_part_combine  = b_part_combine_q;
    assign b_total_en      = b_total_en_q;
    assign b_total_combine = b_total_combine_q;

    // In C the accumulators are what this row made them.
    assign bank_we    = c_store_q;
    assign bank_waddr = c_write_at_q;
    assign bank_wdata = c_store_total_q ? total_q : c_taken_q;
    assign value      = !c_how_q[1] ? c_word_q : c_how_q[0] ? total_q : part_q;

    // What a row stores is in the bank from the second row after it on. That one has read before the write, and the next
    // one at the same edge, at which a memory does not return it.
    always_ff @(posedge clk_i) begin
      two_before_q   <= b_store_q && b_write_at_q == read_at;
      three_before_q <= c_store_q && c_write_at_q == read_at;
      written_q      <= bank_wdata;
    end
    assign stored = two_before_q ? bank_wdata : three_before_q ? written_q : bank;

    assign leaves      = c_send_q;
    assign leaves_for  = c_dest_q;
    assign still_going = b_acts_q || c_acts_q;

    logic unused_at_once;
    assign unused_at_once = &{1'b0, part, total};
  end

  // ---- what leaves

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= leaves;
  end

  // These count only with the valid bit.
  always_ff @(posedge clk_i) begin
    dest_q <= leaves_for;
    data_q <= value;
  end

  assign link_valid_o = valid_q;
  assign link_dest_o  = dest_q;
  assign link_data_o  = data_q;
  assign busy_o       = busy || still_going;

  logic [1:0] unused_ports;

  crl_guard #(
    .Ports     (2),
    .Lanes     (2),
    .TableDepth(TableDepth)
  ) u_guard (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .clear_i      (clear_i),
    .exp_i        (exp),
    .iport_i      (2'b0),
    .active_i     (active),
    .row_i        (row_number),
    .link_valid_i (link_valid_i),
    .fault_o      (fault_o[2:0]),
    .fault_ports_o(unused_ports),
    .fault_row_o  (fault_row_o)
  );

  assign fault_o[3] = fault_hold_q;

`ifdef CRL_CONTRACTS
  // What the caller owes, for simulation. Here busy_o lasts longer than in crl_sequencer.
  always @(posedge clk_i) if (rst_ni) begin
    if (table_we_i) assert (!busy_o) else $fatal(1, "contract: a load while busy");
    if (start_i || busy_o)
      assert (32'(last_row_i) < TableDepth && 32'(last_page_i) < Words) else $fatal(1, "contract: last_row_i, last_page_i");
  end
`endif

`ifdef FORMAL
  // For any contents of the table and the bank: proved with their memories taken out.
  logic f_past_valid, f_past2_valid;
  initial f_past_valid = 1'b0;
  initial f_past2_valid = 1'b0;
  always_ff @(posedge clk_i) begin
    f_past_valid  <= 1'b1;
    f_past2_valid <= f_past_valid && rst_ni;
  end

  // The fields stand where the format says, and act for rows that play only.
  logic [RowW-1:0] f_row_q;
  logic            f_acts_q;
  always_ff @(posedge clk_i) begin
    f_row_q  <= row;
    f_acts_q <= rst_ni && fetched;
  end

  always_comb if (f_past_valid) begin
    a_send: assert (send == (f_acts_q && f_row_q[1]));
    a_exp: assert (exp == (f_acts_q ? f_row_q[6:5] : '0));
    a_hold: assert (hold == (f_acts_q && f_row_q[7]));
    a_held: assert (held == (f_acts_q && f_row_q[8]));
    a_store: assert (store == (f_acts_q && f_row_q[10]));
    a_part: assert (part_en == (f_acts_q && f_row_q[13]));
    a_total: assert (total_en == (f_acts_q && f_row_q[15]));
    if (f_acts_q) a_swap: assert (swap == f_row_q[9]);
    if (send) a_what: assert ({what, dest} == {f_row_q[4:2], f_row_q[17 +: NodeW]});
    if (store) a_where: assert ({store_total, waddr} == {f_row_q[11], f_row_q[17 + NodeW + AddrW +: AddrW]});
    if (part_en) a_part_how: assert ({operand_is_stored, part_combine} == {f_row_q[12], f_row_q[14]});
    if (total_en) a_total_how: assert ({operand_is_stored, total_combine} == {f_row_q[12], f_row_q[16]});
    a_read: assert (raddr == row[17 + NodeW +: AddrW]);
  end

  // What leaves is what the row says: the word of now, of the row before, of the bank, or an accumulator.
  logic [DataW-1:0] f_taken_q;
  always_ff @(posedge clk_i) f_taken_q <= taken;

  always_ff @(posedge clk_i) if (f_past_valid && $past(rst_ni)) begin
    // With stages a node does the same later, which crl_logp_stages proves.
    if (Stages == 0) a_link_by_row: assert (link_valid_o == $past(send));
    if (Stages == 0 && link_valid_o) begin
      a_dest: assert (link_dest_o == $past(dest));
      if ($past(what == 3'd0)) a_from_bank: assert (link_data_o == $past(stored));
      if ($past(what == 3'd1 && !held && !swap)) a_from_first: assert (link_data_o == $past(first));
      if ($past(what == 3'd1 && !held && swap)) a_from_second: assert (link_data_o == $past(second));
      if ($past(what == 3'd1 && held)) a_from_hold: assert (link_data_o == $past(hold_q));
      if ($past(what == 3'd2)) a_from_last: assert (link_data_o == $past(f_taken_q));
      if ($past(what == 3'd4)) a_from_part: assert (link_data_o == $past(part));
      if ($past(what == 3'd5)) a_from_total: assert (link_data_o == $past(total));
    end
    // Of two words the one that is not taken waits; a word that comes alone is the first.
    if ($past(hold && exp == 2'd3)) a_other_waits: assert (hold_q == $past(swap ? first : second));
    if ($past(hold && exp == 2'd1)) a_alone_waits: assert (hold_q == $past(first));
    if ($past(!hold)) a_held_stays: assert (hold_q == $past(hold_q));
    a_no_word_missed: assert (fault_o[2:0] != '0 || $past(link_valid_i == exp));
    if ($past(!clear_i)) a_fault_sticky: assert (($past(fault_o) & ~fault_o) == '0);
    if ($past(held && !hold_valid_q)) a_empty_told: assert (fault_o[3]);
    if ($past(hold && hold_valid_q && !held)) a_full_told: assert (fault_o[3]);
    if (f_past2_valid && $past(held && !hold, 2) && $past(held)) a_twice_told: assert (fault_o[3]);
    if (!busy_o) a_idle: assert (!store && !send && !part_en && !total_en);
    c_forward: cover (link_valid_o && fault_o == '0 && $past(what == 3'd1 && held) && $past(hold, 2));
    c_hold_fault: cover (fault_o == 4'b1000);
  end
`endif

endmodule
