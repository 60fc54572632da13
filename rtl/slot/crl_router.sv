// SPDX-License-Identifier: Apache-2.0
//
// Router: wires row decoder, input lanes, banks, multiplexers, output registers and the guard.
//
// Timing: with row r at row_i in time r+1 and the words of its arrivals on the input links in time r+2, the words of its
// departures are on the output links in time r+3; with Staged Late cycles later, and so is what is shown. In a cycle in which en_i is 0 time
// stands still: all inputs but clear_i must stay, and all outputs do but faults, own_ready_o, which is 0, and show_valid_o, which is 0 from the
// next cycle on.

module crl_router #(
  `include "crl_router_form.svh"
  /// 1: own words come from streams, one a bank's lane, and words for the node leave on streams, one an input lane.
  parameter int Streams = 0,
  /// 1: lanes have banks; 0, with Streams and without Delay: no word waits.
  parameter int Store = 1,
  /// 1: reset writes the zero that a stream's word finds in word 0 of its bank, in one cycle; 0: it is there at power-up.
  parameter int ResetBanks = 0,
  /// Words of a packet; a bank has as many pages.
  parameter int Words = 1,
  /// Cycles of a row: 1, or Words: then it plays once, and not once a page.
  parameter int Beats = 1,
  `include "crl_row.svh"
  `include "crl_late.svh"
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  /// Bits of a page number.
  localparam int PW = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,           // clears sticky faults
  input  logic                   en_i,              // 1 while in reset

  input  logic [RowW-1:0]        row_i,             // time r+1, as of crl_sequencer
  input  logic                   fetched_i,         // time r+1
  input  logic                   skip_departs_i,    // time r+1: of that row only the arrivals play; 0 without Streams
  input  logic                   skip_arrives_i,    // time r+1: only the departures; 0 without Streams
  input  logic [PW-1:0]          fetched_page_i,    // time r+1
  input  logic                   active_i,          // time r+2: fetched_i one edge later
  input  logic [TA-1:0]          number_i,          // time r+2
  input  logic [PW-1:0]          page_i,            // time r+2

  input  logic [Ports-1:0]       link_valid_i,      // in[p]: from the neighbour behind direction p
  input  logic [Ports*DataW-1:0] link_data_i,
  output logic [Ports-1:0]       link_valid_o,
  output logic [Ports*DataW-1:0] link_data_o,

  input  logic [Banks-1:0]       own_valid_i,       // time r+1: there is an own word for bank b's lane
  input  logic [Banks*DataW-1:0] own_data_i,
  output logic [Banks-1:0]       own_ready_o,       // time r+1: it is taken
  output logic [Lanes-1:0]       show_valid_o,      // time r+2: input lane j's word is for this node
  output logic [Lanes*DataW-1:0] show_data_o,       // that word; with Combine a sum
  output logic                   fault_starved_o,   // sticky: an own word was not there

  output logic [3-1:0]           fault_o,           // 0 missing, 1 unexpected, 2 overrun
  output logic [Ports-1:0]       fault_ports_o,     // of the first fault
  output logic [TA-1:0]          fault_row_o        // of the first fault
);

  // What a bank that adds up can take in: the input lanes, and with streams the own words before them.
  localparam int OwnTerms = (Streams != 0 && Combine != 0) ? 1 : 0;
  localparam int Terms    = Lanes * (1 + OwnTerms);

  // What an output selects among: the banks' lanes; with fewer banks than lanes, the live inputs and then the banks.
  localparam int Direct  = (Banks < Lanes && Combine == 0) ? Lanes : 0;
  localparam int Sources = Direct + Banks;

  // The selects of a row.
  logic [Banks*AddrW-1:0] raddr, waddr, saddr;
  logic [Banks-1:0]       own, byp, dly, wen, set, fwd;
  logic [Banks*XV-1:0]    wsel;
  logic [Lanes-1:0]       ov, exp, show;
  logic [Lanes*SV-1:0]    osel;
  logic [Lanes*GV-1:0]    oport, iport;
  logic [Lanes*SV-1:0]    ssel;

  logic [Lanes*DataW-1:0]   lane_in;
  logic [Terms*DataW-1:0]   terms;
  logic [Sources*DataW-1:0] value;
  logic [Lanes*DataW-1:0] lane_out;

  if (Ports < 1 || Ports > 32) begin : gen_bad_ports
    crl_error_ports_must_be_1_to_32 u_error ();
  end
  if (Lanes < 1 || Lanes > Ports) begin : gen_bad_lanes
    crl_error_lanes_must_be_1_to_ports u_error ();
  end
  if (Banks < 1 || (WriteXbar == 0 && Banks != Lanes) || (Delay != 0 && Banks < Lanes && Combine == 0)) begin : gen_bad_banks
    crl_error_banks_must_be_lanes_or_with_write_xbar_more_or_without_delay_fewer u_error ();
  end
  if (WriteXbar < 0 || WriteXbar > 1 || Delay < 0 || Delay > 1 || WaddrField < 0 || WaddrField > 1 || Aligned < 0 || Aligned > 1) begin : gen_bad_flag
    crl_error_write_xbar_delay_waddr_field_aligned_must_be_0_or_1 u_error ();
  end
  if (Streams < 0 || Streams > 1 || Store < 0 || Store > 1 || (Store == 0 && (Streams == 0 || Delay != 0))) begin : gen_bad_streams
    crl_error_streams_store_must_be_0_or_1_and_no_store_needs_streams_without_delay u_error ();
  end
  if (Combine < 0 || Combine > 9 || (Combine != 0 && (WriteXbar == 0 || Delay == 0 || WaddrField == 0))) begin : gen_bad_combine
    crl_error_combine_must_be_0_to_9_and_needs_write_xbar_delay_waddr_field u_error ();
  end
  if (Staged < 0 || Staged > 1 || (Staged != 0 && (Combine == 0 || (Combine >= 7 && Single == 0))) || Single < 0 || Single > Staged) begin : gen_bad_staged
    crl_error_staged_single_must_be_0_or_1_and_staged_needs_combine_and_from_7_on_single_and_single_staged u_error ();
  end
  if (Combine != 0 && Streams != 0 && (Banks < Lanes || Store == 0)) begin : gen_bad_streams_of_sums
    crl_error_streams_with_combine_need_store_and_as_many_banks_as_lanes u_error ();
  end
  if (AddrW < 1 || DataW < 1 || TableDepth < 1 || Words < 1) begin : gen_bad_size
    crl_error_addr_w_data_w_table_depth_words_must_be_1_or_more u_error ();
  end

  crl_row_decoder #(
    .Ports     (Ports),
    .Lanes     (Lanes),
    .Banks     (Banks),
    .WriteXbar (WriteXbar),
    .Delay     (Delay),
    .WaddrField(WaddrField),
    .Streams   (Streams),
    .Store     (Store),
    .Combine   (Combine),
    .Staged    (Staged),
    .AddrW     (AddrW),
    .TableDepth(TableDepth)
  ) u_decoder (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .en_i     (en_i),
    .departs_i(fetched_i && !skip_departs_i),
    .arrives_i(fetched_i && !skip_arrives_i),
    .row_i    (row_i),
    .raddr_o  (raddr),
    .own_o    (own),
    .take_o   (own_ready_o),
    .number_i (number_i),
    .byp_o    (byp),
    .dly_o    (dly),
    .wen_o    (wen),
    .wsel_o   (wsel),
    .waddr_o  (waddr),
    .saddr_o  (saddr),
    .set_o    (set),
    .fwd_o    (fwd),
    .ov_o     (ov),
    .osel_o   (osel),
    .oport_o  (oport),
    .exp_o    (exp),
    .iport_o  (iport),
    .show_o   (show),
    .ssel_o   (ssel)
  );

  // Numbers that streams have in 16 bits, the low ones of a word, are added in 32.
  localparam int HalfExp = (OwnTerms == 0 || Combine < 8) ? 0 : (Combine == 8) ? 8 : 5;
  logic [Banks*DataW-1:0] own_wide;
  logic [Lanes*DataW-1:0] shown;

  if (HalfExp != 0) begin : gen_half
    for (genvar b = 0; b < Banks; b++) begin : gen_own
      crl_float_widen #(
        .Exp(HalfExp)
      ) u_widen (
        .half_i (own_data_i[b*DataW +: 16]),
        .float_o(own_wide[b*DataW +: DataW])
      );
    end
    for (genvar j = 0; j < Lanes; j++) begin : gen_show
      assign show_data_o[j*DataW+16 +: DataW-16] = '0;
      crl_float_narrow #(
        .Exp(HalfExp)
      ) u_narrow (
        .float_i(shown[j*DataW +: DataW]),
        .half_o (show_data_o[j*DataW +: 16])
      );
    end
  end else begin : gen_whole
    assign own_wide    = own_data_i;
    assign show_data_o = shown;
  end

  crl_input #(
    .Ports   (Ports),
    .Lanes   (Lanes),
    .Banks   (Banks),
    .DataW   (DataW),
    .OwnTerms(OwnTerms)
  ) u_input (
    .clk_i      (clk_i),
    .en_i       (en_i),
    .link_data_i(link_data_i),
    .iport_i    (iport),
    .own_data_i (own_wide),
    .lane_o     (lane_in),
    .terms_o    (terms)
  );

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    // A bank that adds up takes in all words, and a mask that has own words first; another one the word of its lane.
    localparam int Owns   = (OwnTerms == 0) ? 0 : (Aligned != 0) ? 1 : Lanes;
    localparam int Inputs = (Combine != 0) ? Owns + Lanes : 1;
    logic [Inputs*DataW-1:0] in;
    logic [Inputs-1:0]       mask;

    if (OwnTerms != 0 && Aligned != 0) begin : gen_own_stream
      assign in   = {terms[Lanes*DataW +: Lanes*DataW], terms[(b%Lanes)*DataW +: DataW]};
      assign mask = {wsel[b*XV +: Lanes], wsel[b*XV+Lanes+b%Lanes]};
    end else if (OwnTerms != 0) begin : gen_own_first
      assign in   = terms;
      assign mask = {wsel[b*XV +: Lanes], wsel[b*XV+Lanes +: Lanes]};
    end else if (Combine != 0) begin : gen_terms
      assign in   = terms;
      assign mask = wsel[b*XV +: XV];
    end else if (WriteXbar != 0) begin : gen_xbar
      crl_mux #(
        .N    (Lanes),
        .DataW(DataW)
      ) u_mux (
        .data_i(lane_in),
        .sel_i (wsel[b*XV +: XV]),
        .data_o(in)
      );
      assign mask = 1'b0;
    end else begin : gen_direct
      assign in   = lane_in[b*DataW +: DataW];
      assign mask = 1'b0;
    end

    crl_bank #(
      .Form      ((Combine == 0) ? 0 : (Combine >= 7) ? 1 + 2 * Staged : 1 + Staged),
      .Inputs    (Inputs),
      .Own       (Owns),
      .Single    (Single),
      .Op        (Combine - 1),
      .DataW     (DataW),
      .AddrW     (AddrW),
      .Words     (Words),
      .Beats     (Beats),
      .Delay     (Delay),
      .Bypass    ((Direct != 0) ? 0 : 1),
      .Streams   (Streams),
      .Store     (Store),
      .ResetBanks(ResetBanks)
    ) u_bank (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .en_i      (en_i),
      .fetched_page_i(fetched_page_i),
      .page_i    (page_i),
      .data_i    (in),
      .mask_i    (mask),
      .set_i     (set[b]),
      .fwd_i     (fwd[b]),
      .saddr_i   (saddr[b*AddrW +: AddrW]),
      .wen_i     (wen[b]),
      .waddr_i   (waddr[b*AddrW +: AddrW]),
      .byp_i     (byp[b]),
      .dly_i     (dly[b]),
      .raddr_i   (raddr[b*AddrW +: AddrW]),
      .own_i     (own[b]),
      .own_data_i(own_data_i[b*DataW +: DataW]),
      .value_o   (value[(Direct + b)*DataW +: DataW])
    );
  end

  // The departures of a row, and what it shows, when its sums are made.
  logic [Lanes-1:0]    ov_late;
  logic [Lanes*SV-1:0] osel_late, ssel_late;
  logic [Lanes*GV-1:0] oport_late;

  crl_delay #(
    .Width (Lanes * (1 + 2 * SV + GV)),
    .Stages(Late)
  ) u_departures (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .en_i  (en_i),
    .d_i   ({ov, osel, oport, ssel}),
    .q_o   ({ov_late, osel_late, oport_late, ssel_late})
  );

  // That counts once, however long time stands still.
  if (Late > 0) begin : gen_show_late
    logic [Lanes-1:0] show_before, show_q;

    crl_delay #(
      .Width (Lanes),
      .Stages(Late - 1)
    ) u_show (
      .clk_i (clk_i),
      .rst_ni(rst_ni),
      .en_i  (en_i),
      .d_i   (show),
      .q_o   (show_before)
    );

    always_ff @(posedge clk_i) show_q <= (rst_ni && en_i) ? show_before : '0;

    assign show_valid_o = show_q;
  end else begin : gen_show_now
    assign show_valid_o = show;
  end

  if (OwnTerms != 0 && Aligned != 0) begin : gen_show_own_banks
    for (genvar j = 0; j < Lanes; j++) begin : gen_lane_show
      // Of its banks the one that is named, or the first.
      localparam int Members = (Banks - j + Lanes - 1) / Lanes;
      for (genvar m = 0; m < Members; m++) begin : gen_member
        logic [DataW-1:0] word;
        if (m == 0) begin : gen_first
          assign word = value[j*DataW +: DataW];
        end else begin : gen_other
          assign word = (32'(ssel_late[j*SV +: SV]) == j + m * Lanes) ? value[(j+m*Lanes)*DataW +: DataW] : gen_member[m-1].word;
        end
      end
      assign shown[j*DataW +: DataW] = gen_member[Members-1].word;
    end
  end else if (OwnTerms != 0) begin : gen_show_sum
    for (genvar j = 0; j < Lanes; j++) begin : gen_lane_show
      crl_mux #(
        .N    (Sources),
        .DataW(DataW)
      ) u_mux (
        .data_i(value),
        .sel_i (ssel_late[j*SV +: SV]),
        .data_o(shown[j*DataW +: DataW])
      );
    end
  end else begin : gen_show_live
    assign shown = lane_in;
  end

  if (Streams != 0) begin : gen_starved
    crl_starved #(
      .Streams(Banks)
    ) u_starved (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .valid_i(own_valid_i),
      .ready_i(own_ready_o),
      .fault_o(fault_starved_o)
    );
  end else begin : gen_not_starved
    assign fault_starved_o = 1'b0;
  end

  if (Direct != 0) begin : gen_live
    assign value[Lanes*DataW-1:0] = lane_in;
  end

  for (genvar j = 0; j < Lanes; j++) begin : gen_lane_out
    crl_mux #(
      .N    (Sources),
      .DataW(DataW)
    ) u_mux (
      .data_i(value),
      .sel_i (osel_late[j*SV +: SV]),
      .data_o(lane_out[j*DataW +: DataW])
    );
  end

  crl_output #(
    .Ports(Ports),
    .Lanes(Lanes),
    .DataW(DataW)
  ) u_output (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .en_i        (en_i),
    .ov_i        (ov_late),
    .oport_i     (oport_late),
    .data_i      (lane_out),
    .link_valid_o(link_valid_o),
    .link_data_o (link_data_o)
  );

  crl_guard #(
    .Ports     (Ports),
    .Lanes     (Lanes),
    .TableDepth(TableDepth)
  ) u_guard (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .clear_i      (clear_i),
    .exp_i        (exp),
    .iport_i      (iport),
    .active_i     (active_i),
    .row_i        (number_i),
    .link_valid_i (link_valid_i),
    .fault_o      (fault_o),
    .fault_ports_o(fault_ports_o),
    .fault_row_o  (fault_row_o)
  );

  // What these parameters leave out.
  logic unused_fields;
  assign unused_fields = &{1'b0, wsel, ssel_late, lane_in, terms, own_valid_i, own_data_i};

`ifdef FORMAL
  // For any row, and any contents of the banks: proved with their memories taken out.
  logic             f_past_valid;
  logic [Ports-1:0] f_asked, f_wanted;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb begin
    for (int p = 0; p < Ports; p++) begin
      f_asked[p]  = ov[p % Lanes] && (GW == 0 || 32'(oport[(p % Lanes) * GV +: GV]) == p / Lanes);
      f_wanted[p] = exp[p % Lanes] && (GW == 0 || 32'(iport[(p % Lanes) * GV +: GV]) == p / Lanes);
    end
  end

  always_comb if (f_past_valid && !active_i) begin
    a_no_write: assert (wen == '0);
    a_no_send: assert (ov == '0);
    a_no_wait: assert (exp == '0);
    a_no_delay: assert (dly == '0);
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    a_acts_after_fetch: assert (active_i == ($past(en_i) ? $past(rst_ni && fetched_i) : $past(active_i)));
    if ($past(rst_ni)) begin
      if ($past(en_i)) a_links_by_row: assert (link_valid_o == $past(f_asked));
      else a_links_stay: assert (link_valid_o == $past(link_valid_o) && link_data_o == $past(link_data_o));
      a_no_word_missed: assert (fault_o != '0 || $past(link_valid_i == f_wanted));
      if ($past(!clear_i)) a_fault_sticky: assert (($past(fault_o) & ~fault_o) == '0);
      if ($past(clear_i || fault_o == '0)) begin
        // A row may wait at a port that there is not: then a word is missing.
        a_fault_kind: assert (fault_o[2:1] == {$past(!active_i && (link_valid_i & ~f_wanted) != '0),
            $past(active_i && (link_valid_i & ~f_wanted) != '0)} && (fault_o[0] || $past((f_wanted & ~link_valid_i) == '0)));
        a_fault_where: assert (fault_row_o == $past(number_i) && fault_ports_o == $past(f_wanted ^ link_valid_i));
      end
    end else begin
      a_reset: assert (link_valid_o == '0 && fault_o == '0);
    end
  end

  if (Streams != 0) begin : gen_f_starved
    logic f_hungry_q;
    always_ff @(posedge clk_i) begin
      f_hungry_q <= rst_ni && (own_ready_o & ~own_valid_i) != '0;
      if (f_past_valid && $past(rst_ni)) a_starved: assert (fault_starved_o == $past((fault_starved_o && !clear_i) || f_hungry_q));
    end
  end
  always_comb if (Streams == 0) a_never_starved: assert (!fault_starved_o);

  // A router with fewer banks than lanes: what a row names is what goes out, and what is written.
  if (Direct != 0 && GW == 0) begin : gen_f_direct
    logic [Sources*DataW-1:0] f_sources;
    logic [Lanes*DataW-1:0]   f_named;
    logic [Lanes-1:0]         f_sends;

    always_comb begin
      f_sources = {value[Sources*DataW-1:Lanes*DataW], link_data_i};
      f_named   = link_data_o;
      f_sends   = '0;
      for (int j = 0; j < Lanes; j++)
        for (int i = 0; i < Sources; i++)
          if (ov[j] && 32'(osel[j*SV +: SV]) == i) begin
            f_sends[j]                = 1'b1;
            f_named[j*DataW +: DataW] = f_sources[i*DataW +: DataW];
          end
    end

    logic [Lanes-1:0]       f_sends_q;
    logic [Lanes*DataW-1:0] f_named_q;
    logic [Lanes-1:0]       f_same;
    always_ff @(posedge clk_i) if (en_i) begin
      f_sends_q <= f_sends;
      f_named_q <= f_named;
    end

    always_comb begin
      for (int j = 0; j < Lanes; j++)
        f_same[j] = !f_sends_q[j] || link_data_o[j*DataW +: DataW] == f_named_q[j*DataW +: DataW];
      if (f_past_valid) a_named_word_sent: assert (&f_same);
    end

    // What the banks are asked to write.
    logic [Banks-1:0] f_taken;
    for (genvar b = 0; b < Banks; b++) begin : gen_f_bank
      always_comb begin
        f_taken[b] = 1'b1;
        for (int i = 0; i < Lanes; i++)
          if (wen[b] && 32'(wsel[b*XV +: XV]) == i)
            f_taken[b] = gen_bank[b].in == link_data_i[i*DataW +: DataW];
      end
    end
    always_comb a_named_word_kept: assert (&f_taken);
  end
`endif

endmodule
