// SPDX-License-Identifier: Apache-2.0
//
// What lies on one board of several: stream routers, some ports of which are cables to other boards, under one enable, and the board's
// ends of these cables, of two wires each or for transceivers. All nodes
// step to their next row together, when the words that the acting rows expect from cables are there, those of streams, too, and there is
// room for those that the rows before have sent. Rows, their words and the words' order are those of one machine, whatever the clocks of the boards and the
// cables' delays are. Several ports may share a cable: it carries the word of the one that sends in a row to the one that
// expects it in its row, which both ends' tables know.
//
// Timing: that of crl_stream_fabric, counted in cycles with step_o. own_ready_o is 0 in other cycles, and a shown word counts where
// step_o is 1. Tables send at most one word a row into each cable. Lines are those of crl_cable_port. For streams that wait, or several
// kinds of rounds, there is crl_board_streams.

`include "crl_networks.svh"

module crl_cabled_board #(
  /// Nodes on the board.
  parameter int Nodes = 4,
  `include "crl_router_form.svh"
  /// As of crl_stream_fabric, of the links on the board; all ones where there is none, or a cable.
  parameter Neighbours = {(Nodes * Ports){16'hFFFF}},
  parameter Latencies = {(Nodes * Ports){16'h0001}},
  /// Cables.
  parameter int Cables = 1,
  /// 16 bits a port, in the order of Neighbours: the cable that its words go into, and the one that it hears; all ones for none.
  parameter Senders = {(Nodes * Ports){16'hFFFF}} << 16,
  parameter Hearers = {(Nodes * Ports){16'hFFFF}} << 16,
  /// As of crl_stream_fabric; each node has a table of its own unless SharedTable is 1.
  parameter int SharedTable = 0,
  parameter int Store = 1,
  parameter int ResetBanks = 0,
  parameter InitFile = "",
  parameter int Inline = 0,
  parameter TableInit = 1'b0,
  /// 1: tables hold several kinds of rounds, as of crl_stream_fabric.
  parameter int Based = 0,
  /// Equal rows are stored once, as of crl_stream_fabric.
  parameter int Stored = 0,
  parameter ListInit = 1'b0,
  /// Words of a packet, as of crl_stream_fabric.
  parameter int Words = 1,
  /// 1: cables are two wires each; 0: ports for flits.
  parameter int Wired = 0,
  /// As of crl_cable.
  parameter int Depth = 256,
  parameter int Silence = 10,
  parameter int Twice = 0,
  /// Of each cable 32 bits that both its ends know, and no other cable's; and one bit, which end this is.
  parameter Identities = 32'h0000_0000,
  parameter Ends = 1'b0,
  /// 1: identities_i and ends_i say these, and do not change but in reset.
  parameter int Told = 0,
  localparam int Streams = 1,
  `include "crl_row.svh"
  localparam int Tables = (SharedTable != 0) ? 1 : Nodes,
  localparam int TableW = (Tables > 1) ? $clog2(Tables) : 1,
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  localparam int BeatW = (Words > 1) ? $clog2(Words) : 1,
  localparam int AtW = TA + $clog2(Words),
  localparam int A = $clog2(Depth),
  /// Bits of a cable's line: a flit, or a wire.
  localparam int LineW = (Wired != 0) ? 1 : 1 + 2 * A + ((DataW > A + 4) ? DataW : A + 4) + ((Twice != 0) ? DataW : 0) + 16
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,

  input  logic                   start_i,           // as of crl_stream_fabric, in cycles with step_o
  input  logic [TA-1:0]          last_row_i,
  input  logic [TA-1:0]          base_i,
  output logic                   begin_o,
  output logic                   busy_o,
  input  logic                   fed_i,             // 0: in the next cycle an own word is not there that is read then
  output logic                   step_o,
  output logic [TA-1:0]          number_o,          // the row that acts, or waits,
  output logic [Cables-1:0]      waits_for_o,       //   for a word of these cables
  output logic [Cables-1:0]      held_by_o,         //   or for room in these

  output logic                   playing_o,         // for streams that wait, as of crl_stream_fabric
  output logic [AtW-1:0]         row_o,
  output logic [AtW-1:0]         ahead_o,
  output logic                   last_o,
  output logic                   arrives_o,
  output logic [AtW-1:0]         arrival_o,

  input  logic                   table_we_i,        // load port; only while not busy
  input  logic [TableW-1:0]      table_sel_i,
  input  logic [TA-1:0]          table_addr_i,
  input  logic [RowW-1:0]        table_data_i,

  input  logic [Nodes*Lanes-1:0] own_valid_i,
  input  logic [Nodes*Lanes*DataW-1:0] own_data_i,
  output logic [Nodes*Lanes-1:0] own_ready_o,
  output logic [Nodes*Lanes-1:0] show_valid_o,      // only with step_o
  output logic [Nodes*Lanes*DataW-1:0] show_data_o,

  input  logic [32*Cables-1:0]   identities_i,      // with Told
  input  logic [Cables-1:0]      ends_i,

  input  logic [Cables-1:0]      line_valid_i,      // of each cable, as of crl_cable_port
  input  logic [Cables*LineW-1:0] line_i,
  input  logic [Cables-1:0]      line_take_i, 
  output logic [Cables-1:0]      line_valid_o,
  output logic [Cables*LineW-1:0] line_o,

  output logic [Cables-1:0]      up_o,              // of each cable, as of crl_cable
  output logic [Cables-1:0]      silent_o,
  output logic [Cables-1:0]      fault_other_o,
  output logic [Cables-1:0]      fault_reset_o,
  output logic [Cables-1:0]      repeats_o,
  output logic [Cables-1:0]      damaged_o,

  output logic [Nodes*4-1:0]     fault_o,           // as of crl_stream_fabric
  output logic [Nodes*Ports-1:0] fault_ports_o,
  output logic [Nodes*TA-1:0]    fault_row_o,
  output logic [Tables-1:0]      fault_parity_o,
  output logic [Tables*TA-1:0]   fault_parity_row_o
);

  localparam int Links = Nodes * Ports;
  localparam int None  = 65535;
  localparam logic [16*Links-1:0]  Cycles   = (16 * Links)'(Latencies);
  localparam logic [16*Links-1:0]  SendList = (16 * Links)'(Senders);
  localparam logic [16*Links-1:0]  HearList = (16 * Links)'(Hearers);
  localparam int MemDepth = (Stored != 0) ? Stored : TableDepth;
  localparam int ListW = (Stored != 0) ? TableDepth * ((Stored > 1) ? $clog2(Stored) : 1) : 1; // of a table
  localparam logic [Tables*MemDepth*RowW-1:0] Init = (Tables * MemDepth * RowW)'(TableInit);
  localparam logic [Tables*ListW-1:0] Lists = (Tables * ListW)'(ListInit);
  localparam logic [32*Cables-1:0] IdentityList = (32 * Cables)'(Identities);
  localparam logic [Cables-1:0]    EndList      = Cables'(Ends);

  if (Staged != 0) begin : gen_bad_sums
    crl_error_staged_must_be_0_on_boards_with_cables u_error ();
  end
  if ($bits(Identities) != 32 * Cables || $bits(Ends) != Cables) begin : gen_bad_identities
    crl_error_identities_ends_must_have_32_bits_and_1_bit_a_cable u_error ();
  end
  if ($bits(Senders) != 16 * Links || $bits(Hearers) != 16 * Links) begin : gen_bad_cables
    crl_error_senders_hearers_must_have_16_bits_a_port u_error ();
  end
  if (Inline != 0 && ($bits(TableInit) != Tables * MemDepth * RowW || (Stored != 0 && $bits(ListInit) != Tables * ListW))) begin : gen_bad_tables
    crl_error_table_init_must_have_all_rows u_error ();
  end

  logic en;
  assign step_o = en;

  logic [Links-1:0]       link_valid, led_valid, piped_valid, in_valid, unused_back;
  logic [Links*DataW-1:0] link_data, led_data, piped_data, in_data;

  crl_links #(
    .Nodes     (Nodes),
    .Ports     (Ports),
    .DataW     (DataW),
    .Neighbours(Neighbours)
  ) u_links (
    .valid_i(link_valid),
    .data_i (link_data),
    .valid_o(led_valid),
    .data_o (led_data),
    .back_i ({Links{1'b0}}),
    .back_o (unused_back)
  );

  crl_link_pipes #(
    .Links    (Links),
    .DataW    (DataW),
    .Latencies(Cycles),
    .Beats    (Words)
  ) u_pipes (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .en_i   (en),
    .valid_i(led_valid),
    .data_i (led_data),
    .valid_o(piped_valid),
    .data_o (piped_data)
  );

  // What the sequencers hand to the routers, all at the same row.
  logic [Tables-1:0]      begins, busy, playing, last, departs, arrives, active;
  logic [Tables*RowW-1:0] rows;
  logic [Tables*TA-1:0]   addr, ahead, number, row_number;
  logic [Tables*BeatW-1:0] beat, beat_ahead, row_beat, number_beat;
  assign begin_o   = &begins;
  assign busy_o    = |busy;
  assign number_o  = number[TA-1:0];
  assign playing_o = playing[0];
  assign last_o    = last[0];
  assign arrives_o = arrives[0];

  if (Words > 1) begin : gen_at_beats
    assign row_o     = {addr[TA-1:0], beat[BeatW-1:0]};
    assign ahead_o   = {ahead[TA-1:0], beat_ahead[BeatW-1:0]};
    assign arrival_o = {row_number[TA-1:0], row_beat[BeatW-1:0]};
  end else begin : gen_at_rows
    assign row_o     = addr[TA-1:0];
    assign ahead_o   = ahead[TA-1:0];
    assign arrival_o = row_number[TA-1:0];
  end

  // All say the same.
  logic unused_others;
  assign unused_others = &{1'b0, playing, last, addr, ahead, number, row_number, beat, beat_ahead, row_beat, number_beat};

  for (genvar t = 0; t < Tables; t++) begin : gen_table
    localparam File = (InitFile != "") ? {InitFile, 8'(48 + t / 10000 % 10), 8'(48 + t / 1000 % 10), 8'(48 + t / 100 % 10),
                                          8'(48 + t / 10 % 10), 8'(48 + t % 10), ".hex"} : "";
    localparam ListFile = (InitFile != "" && Stored != 0) ? {InitFile, "list", 8'(48 + t / 10000 % 10), 8'(48 + t / 1000 % 10),
                                                             8'(48 + t / 100 % 10), 8'(48 + t / 10 % 10), 8'(48 + t % 10), ".hex"} : "";
    logic load;
    assign load = table_we_i && (Tables == 1 || table_sel_i == TableW'(t));

    crl_round_sequencer #(
      .RowW      (RowW),
      .TableDepth(TableDepth),
      .InitFile  (File),
      .Inline    (Inline),
      .Init      (Init[t*MemDepth*RowW +: MemDepth*RowW]),
      .Stored    (Stored),
      .ListFile  (ListFile),
      .ListInit  (Lists[t*ListW +: ListW]),
      .Marked    ((InitFile != "") ? 1 : 0),
      .Based     (Based),
      .Beats     (Words)
    ) u_sequencer (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .clear_i           (clear_i),
      .en_i              (en),
      .start_i           (start_i),
      .last_row_i        (last_row_i),
      .base_i            (base_i),
      .begin_o           (begins[t]),
      .busy_o            (busy[t]),
      .table_we_i        (load),
      .table_addr_i      (table_addr_i),
      .table_data_i      (table_data_i),
      .addr_o            (addr[t*TA +: TA]),
      .ahead_o           (ahead[t*TA +: TA]),
      .playing_o         (playing[t]),
      .last_o            (last[t]),
      .row_o             (rows[t*RowW +: RowW]),
      .departs_o         (departs[t]),
      .arrives_o         (arrives[t]),
      .active_o          (active[t]),
      .number_o          (number[t*TA +: TA]),
      .row_number_o      (row_number[t*TA +: TA]),
      .beat_o            (beat[t*BeatW +: BeatW]),
      .beat_ahead_o      (beat_ahead[t*BeatW +: BeatW]),
      .row_beat_o        (row_beat[t*BeatW +: BeatW]),
      .number_beat_o     (number_beat[t*BeatW +: BeatW]),
      .fault_parity_o    (fault_parity_o[t]),
      .fault_parity_row_o(fault_parity_row_o[t*TA +: TA])
    );
  end

  // Which ports expect a word in the row at the table's output, and which send one in it: that row acts next.
  logic [Links-1:0]       expects, sends;
  logic [Nodes*Lanes-1:0] shows_q; // routers show a word at once, when one of a cable may not be there yet
  assign show_valid_o = shows_q & {Nodes*Lanes{en}};

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    localparam int T = (SharedTable != 0) ? 0 : v;
    logic [RowW-1:0] row;
    assign row = rows[T*RowW +: RowW];

    // With sums row 0 has no arrivals of the round before, and does not act where it is not played.
    logic arrives_here, acts;
    if (Combine != 0) begin : gen_sums
      logic departed_q, unused_arrives;
      assign unused_arrives = arrives[T];
      always_ff @(posedge clk_i) if (en) departed_q <= departs[T];
      assign arrives_here = departs[T];
      assign acts         = active[T] && departed_q;
    end else begin : gen_words
      assign arrives_here = arrives[T];
      assign acts         = active[T];
    end

    for (genvar j = 0; j < Lanes; j++) begin : gen_lane
      always_ff @(posedge clk_i) if (en) shows_q[v*Lanes + j] <= rst_ni && arrives_here && row[InAt + j * InFieldsW + ShowAt];
    end

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
      .arrives_i(arrives_here),
      .departs_i(departs[T]),
      .expects_o(expects[v*Ports +: Ports]),
      .sends_o  (sends[v*Ports +: Ports])
    );

    logic [Banks-1:0]       own_valid, own_ready;
    logic [Banks*DataW-1:0] own_data;
    logic [Lanes-1:0]       shows;
    logic unused_ready;
    assign unused_ready = &{1'b0, own_ready, shows}; // of banks beyond the streams

    for (genvar b = 0; b < Banks; b++) begin : gen_own
      if (b < Lanes) begin : gen_stream
        assign own_valid[b] = own_valid_i[v*Lanes + b];
        assign own_data[b*DataW +: DataW] = own_data_i[(v*Lanes + b)*DataW +: DataW];
        assign own_ready_o[v*Lanes + b] = own_ready[b];
      end else begin : gen_none
        assign own_valid[b] = 1'b0;
        assign own_data[b*DataW +: DataW] = '0;
      end
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
      .DataW     (DataW),
      .AddrW     (AddrW),
      .TableDepth(TableDepth),
      .Words     (Words),
      .Beats     (Words)
    ) u_router (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear_i),
      .en_i           (en),
      .row_i          (row),
      .fetched_i      (departs[T] || arrives_here),
      .skip_departs_i (!departs[T]),
      .skip_arrives_i (!arrives_here),
      .fetched_page_i (row_beat[T*BeatW +: BeatW]),
      .active_i       (acts),
      .number_i       (number[T*TA +: TA]),
      .page_i         (number_beat[T*BeatW +: BeatW]),
      .link_valid_i   (in_valid[v*Ports +: Ports]),
      .link_data_i    (in_data[v*Ports*DataW +: Ports*DataW]),
      .link_valid_o   (link_valid[v*Ports +: Ports]),
      .link_data_o    (link_data[v*Ports*DataW +: Ports*DataW]),
      .own_valid_i    (own_valid),
      .own_data_i     (own_data),
      .own_ready_o    (own_ready),
      .show_valid_o   (shows),
      .show_data_o    (show_data_o[v*Lanes*DataW +: Lanes*DataW]),
      .fault_starved_o(fault_o[v*4 + 3]),
      .fault_o        (fault_o[v*4 +: 3]),
      .fault_ports_o  (fault_ports_o[v*Ports +: Ports]),
      .fault_row_o    (fault_row_o[v*TA +: TA])
    );
  end

  logic [Cables-1:0]       put, room, room_ahead, take, there, there_ahead;
  logic [Cables*DataW-1:0] word;
  logic unused_now;
  assign unused_now = &{1'b0, room, there};

  // What the acting row needs from cables, port by port, and sends into them when it ends, until it does.
  logic [Links-1:0]  needs_q, next_sends_q;
  logic [Cables-1:0] needs_ahead, sends_ahead;

  always_ff @(posedge clk_i) if (en) begin
    needs_q      <= expects & {Links{rst_ni}};
    next_sends_q <= sends & {Links{rst_ni}};
  end

  for (genvar c = 0; c < Cables; c++) begin : gen_cable
    logic [Links-1:0] sender, hearer; // ports of this cable
    logic [DataW-1:0] data;

    for (genvar i = 0; i < Links; i++) begin : gen_port
      assign sender[i] = SendList[16*i +: 16] == 16'(c);
      assign hearer[i] = HearList[16*i +: 16] == 16'(c);
    end

    always_comb begin
      data = '0;
      for (int i = 0; i < Links; i++) begin
        if (sender[i] && (link_valid[i] || $countones(sender) == 1)) data |= link_data[i*DataW +: DataW];
      end
    end

    assign needs_ahead[c] = ((en ? expects : needs_q) & hearer) != '0;
    assign sends_ahead[c] = ((en ? next_sends_q : link_valid) & sender) != '0;
    assign put[c]         = en && (link_valid & sender) != '0;
    assign take[c]        = en && (needs_q & hearer) != '0;

    crl_cable_port #(
      .DataW   (DataW),
      .Depth   (Depth),
      .Silence (Silence),
      .Twice   (Twice),
      .Identity(IdentityList[32*c +: 32]),
      .End     (32'(EndList[c])),
      .Told    (Told),
      .Wired   (Wired)
    ) u_cable (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .identity_i   (identities_i[32*c +: 32]),
      .end_i        (ends_i[c]),
      .put_i        (put[c]),
      .data_i       (data),
      .room_o       (room[c]),
      .room_ahead_o (room_ahead[c]),
      .take_i       (take[c]),
      .word_o       (word[c*DataW +: DataW]),
      .there_o      (there[c]),
      .there_ahead_o(there_ahead[c]),
      .line_take_i  (line_take_i[c]),
      .line_valid_o (line_valid_o[c]),
      .line_o       (line_o[c*LineW +: LineW]),
      .line_valid_i (line_valid_i[c]),
      .line_i       (line_i[c*LineW +: LineW]),
      .up_o         (up_o[c]),
      .silent_o     (silent_o[c]),
      .fault_other_o(fault_other_o[c]),
      .fault_reset_o(fault_reset_o[c]),
      .repeats_o    (repeats_o[c]),
      .damaged_o    (damaged_o[c])
    );
  end

  // A word that is needed is there when the row ends, so that is what routers are told.
  for (genvar i = 0; i < Links; i++) begin : gen_in
    localparam int From = 32'(HearList[16*i +: 16]);
    localparam int Into = 32'(SendList[16*i +: 16]);

    if (From < Cables) begin : gen_cabled
      logic unused_piped;
      assign unused_piped = &{1'b0, piped_valid[i], piped_data[i*DataW +: DataW]};
      assign in_valid[i] = needs_q[i];
      assign in_data[i*DataW +: DataW] = word[From*DataW +: DataW];
    end else begin : gen_link
      assign in_valid[i] = piped_valid[i];
      assign in_data[i*DataW +: DataW] = piped_data[i*DataW +: DataW];
    end

    if ((From >= Cables && From != None) || (Into >= Cables && Into != None)) begin : gen_bad_cable
      crl_error_senders_hearers_must_be_cables u_error ();
    end
  end

  crl_cable_gate #(
    .Cables(Cables)
  ) u_gate (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .fed_i        (fed_i),
    .needs_ahead_i(needs_ahead),
    .there_ahead_i(there_ahead),
    .sends_ahead_i(sends_ahead),
    .room_ahead_i (room_ahead),
    .en_o         (en),
    .waits_for_o  (waits_for_o),
    .held_by_o    (held_by_o)
  );

endmodule
