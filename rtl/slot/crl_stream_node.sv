// SPDX-License-Identifier: Apache-2.0
//
// Stream node: one round sequencer and one router whose own words come from streams, one a bank's lane, and which shows the
// words for this node on streams, one an input lane.
//
// Timing: with the edge that samples start_i = 1 called edge 0, the own words of link cycle c are taken in time c, are on the
// output links in time c+2, and what arrives in link cycle c is shown in time c+2; with Staged both are 4 later. A round of T rows takes
// T cycles, with packets of several words as many times more, and with
// start_i held high the next one follows without a gap. In a cycle in which en_i is 0 time stands still: words on links and own words
// must stay and count once, and what is shown is told once. With Combine what is shown are sums; row 0 of a table has no arrivals then, and is not played for them behind
// the last round.

module crl_stream_node #(
  `include "crl_router_form.svh"
  /// 1: lanes have banks; 0, without Delay: no word waits.
  parameter int Store = 1,
  /// 1: reset writes the zero that a stream's word finds in word 0 of its bank, in one cycle; 0: it is there at power-up.
  parameter int ResetBanks = 0,
  /// File for $readmemh with exactly TableDepth rows; empty: the table is loaded through its port.
  parameter InitFile = "",
  /// Words of a packet, which follow each other: rows have as many cycles, a bank as many pages.
  parameter int Words = 1,
  /// 1: rounds begin at row base_i of the table, which holds several; 0: at row 0.
  parameter int Based = 0,
  /// 1: says which words rows expect, to who makes a board wait for them (expects_o; else 0).
  parameter int Expects = 0,
  /// Own words come from streams.
  localparam int Streams = 1,
  `include "crl_row.svh"
  `include "crl_late.svh"
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,           // clears sticky faults
  input  logic                   en_i,              // 1 while in reset

  input  logic                   start_i,           // a round begins where nothing plays or another one ends
  input  logic [TA-1:0]          last_row_i,        // of a round, from 0; holds while busy
  input  logic [TA-1:0]          base_i,            // with Based: holds while busy, and from a cycle before start_i on
  output logic                   begin_o,           // start_i begins a round at the next edge
  output logic                   busy_o,

  input  logic                   table_we_i,        // load port; only while not busy
  input  logic [TA-1:0]          table_addr_i,
  input  logic [RowW-1:0]        table_data_i,

  input  logic [Banks-1:0]       own_valid_i,       // there is a word
  input  logic [Banks*DataW-1:0] own_data_i,
  output logic [Banks-1:0]       own_ready_o,       // it is taken; does not wait for own_valid_i
  output logic [Lanes-1:0]       show_valid_o,      // this input lane's word is for this node
  output logic [Lanes*DataW-1:0] show_data_o,

  input  logic [Ports-1:0]       link_valid_i,      // in[p]: from the neighbour behind direction p
  input  logic [Ports*DataW-1:0] link_data_i,
  output logic [Ports-1:0]       link_valid_o,
  output logic [Ports*DataW-1:0] link_data_o,
  output logic [Ports-1:0]       expects_o,         // the ports on which words must come before this cycle ends

  output logic [4-1:0]           fault_o,           // sticky: 0 missing, 1 unexpected, 2 overrun, 3 starved
  output logic [Ports-1:0]       fault_ports_o,     // of the first of 0 to 2
  output logic [TA-1:0]          fault_row_o,       // of the first of 0 to 2
  output logic                   fault_parity_o,    // sticky
  output logic [TA-1:0]          fault_parity_row_o // first row of bad parity
);

  logic [RowW-1:0] row;
  logic            departs, arrives, active;
  logic [TA-1:0]   number;

  // For adapters, which this is without.
  logic          playing, last, unused_ahead;
  logic [TA-1:0] addr, ahead, row_number;
  localparam int BeatW = (Words > 1) ? $clog2(Words) : 1;
  logic [BeatW-1:0] beat, beat_ahead, row_beat, number_beat;
  assign unused_ahead = &{1'b0, playing, last, addr, ahead, row_number, beat, beat_ahead};

  // Until what is shown late is.
  logic busy;
  crl_linger #(
    .Stages(Late)
  ) u_busy (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .en_i  (en_i),
    .d_i   (busy),
    .q_o   (busy_o)
  );

  crl_round_sequencer #(
    .RowW      (RowW),
    .TableDepth(TableDepth),
    .InitFile  (InitFile),
    .Based     (Based),
    .Beats     (Words)
  ) u_sequencer (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .clear_i           (clear_i),
    .en_i              (en_i),
    .start_i           (start_i),
    .last_row_i        (last_row_i),
    .base_i            (base_i),
    .begin_o           (begin_o),
    .busy_o            (busy),
    .table_we_i        (table_we_i),
    .table_addr_i      (table_addr_i),
    .table_data_i      (table_data_i),
    .addr_o            (addr),
    .ahead_o           (ahead),
    .playing_o         (playing),
    .last_o            (last),
    .row_o             (row),
    .departs_o         (departs),
    .arrives_o         (arrives),
    .active_o          (active),
    .row_number_o      (row_number),
    .number_o          (number),
    .beat_o            (beat),
    .beat_ahead_o      (beat_ahead),
    .row_beat_o        (row_beat),
    .number_beat_o     (number_beat),
    .fault_parity_o    (fault_parity_o),
    .fault_parity_row_o(fault_parity_row_o)
  );

  if (Expects != 0) begin : gen_expects
    logic [Ports-1:0] expects, unused_sends;
    crl_row_ports #(
      .Ports     (Ports),
      .Lanes     (Lanes),
      .Banks     (Banks),
      .WriteXbar (WriteXbar),
      .Delay     (Delay),
      .WaddrField(WaddrField),
      .Streams   (Streams),
      .Store     (Store),
      .Combine   (Combine),
      .DataW     (DataW),
      .AddrW     (AddrW),
      .TableDepth(TableDepth)
    ) u_ports (
      .row_i    (row),
      .arrives_i((Combine != 0) ? departs : arrives),
      .departs_i(departs),
      .expects_o(expects),
      .sends_o  (unused_sends)
    );
    always_ff @(posedge clk_i) if (en_i) expects_o <= expects & {Ports{rst_ni}};
  end else begin : gen_expects_none
    assign expects_o = '0;
  end

  // Row 0 is not active where it is not played.
  logic acts;
  if (Combine != 0) begin : gen_acts
    logic departed_q;
    always_ff @(posedge clk_i) if (en_i) departed_q <= departs;
    assign acts = active && departed_q;
  end else begin : gen_active
    assign acts = active;
  end

  crl_router #(
    .Ports     (Ports),
    .Lanes     (Lanes),
    .Banks     (Banks),
    .WriteXbar (WriteXbar),
    .Delay     (Delay),
    .WaddrField(WaddrField),
    .Streams   (Streams),
    .Store     (Store),
    .ResetBanks(ResetBanks),
    .Combine   (Combine),
    .Staged    (Staged),
    .Single    (Single),
    .Aligned   (Aligned),
    .DataW     (DataW),
    .AddrW     (AddrW),
    .TableDepth(TableDepth),
    .Words     (Words),
    .Beats     (Words)
  ) u_router (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear_i),
    .en_i           (en_i),
    .row_i          (row),
    .fetched_i      (departs || (arrives && Combine == 0)),
    .skip_departs_i (!departs),
    .skip_arrives_i (!arrives && Combine == 0),
    .fetched_page_i (row_beat),
    .active_i       (acts),
    .number_i       (number),
    .page_i         (number_beat),
    .link_valid_i   (link_valid_i),
    .link_data_i    (link_data_i),
    .link_valid_o   (link_valid_o),
    .link_data_o    (link_data_o),
    .own_valid_i    (own_valid_i),
    .own_data_i     (own_data_i),
    .own_ready_o    (own_ready_o),
    .show_valid_o   (show_valid_o),
    .show_data_o    (show_data_o),
    .fault_starved_o(fault_o[3]),
    .fault_o        (fault_o[2:0]),
    .fault_ports_o  (fault_ports_o),
    .fault_row_o    (fault_row_o)
  );

`ifdef FORMAL
  // For any contents of the table and the banks: proved with their memories taken out.
  logic f_past_valid, f_missed_q;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    f_missed_q   <= rst_ni && (own_ready_o & ~own_valid_i) != '0;
  end

  always_comb if (f_past_valid) begin
    // Words are taken and shown only while a round plays or its last words arrive.
    if (!busy_o) a_quiet: assert (own_ready_o == '0 && show_valid_o == '0);
    // What is shown was on a link in this cycle, or is reported as missing.
    c_take: cover (own_ready_o == '1 && own_valid_i == '1);
    c_show: cover (show_valid_o == '1 && fault_o == '0);
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if (!$past(rst_ni)) a_reset: assert (link_valid_o == '0 && fault_o == '0 && !fault_parity_o && !busy_o);
    else begin
      a_starved: assert (fault_o[3] == (($past(fault_o[3]) && !$past(clear_i)) || $past(f_missed_q)));
      // A round that begins while the last one's words arrive loses none of them.
      c_gapless: cover (fault_o == '0 && $past(begin_o && show_valid_o != '0));
      c_stands: cover (fault_o == '0 && show_valid_o != '0 && $past(!en_i, 2));
      if ($past(!en_i)) a_told_once: assert (show_valid_o == '0);
    end
  end
`endif

endmodule
