// SPDX-License-Identifier: Apache-2.0
//
// Stream routers wired to each other as a list of neighbours says, with one shared round sequencer or one each.
//
// Timing: that of crl_stream_node, which is this for one router.

`include "crl_networks.svh"

module crl_stream_fabric #(
  /// Nodes of the network.
  parameter int Nodes = 16,
  `include "crl_router_form.svh"
  /// 16 bits a link, as of crl_links: the neighbour behind direction p of node v at 16 * (v * Ports + p), all ones for none.
  /// The default is the 4-cube.
  parameter Neighbours = `CRL_CUBE_4,
  /// 16 bits a link, as of crl_link_pipes, in the order of Neighbours: rows that a word takes to node v by port p.
  parameter Latencies = {(Nodes * Ports){16'h0001}},
  /// 1: one sequencer for all routers; 0: one each.
  parameter int SharedTable = 1,
  /// 1: lanes have banks; 0, without Delay: no word waits.
  parameter int Store = 1,
  /// 1: reset writes the zero that a stream's word finds in word 0 of its bank, in one cycle; 0: it is there at power-up.
  parameter int ResetBanks = 0,
  /// Table t is in the file of this name with five digits and .hex behind it, exactly its rows for $readmemh, each with
  /// a 1 above it, as of crl_round_sequencer; empty: the tables are loaded through their port, or constants.
  parameter InitFile = "",
  /// 1: the tables are TableInit, row 0 of table 0 in its lowest bits.
  parameter int Inline = 0,
  parameter TableInit = 1'b0,
  /// 1: tables hold several kinds of rounds, each from a base on, as of crl_round_sequencer.
  parameter int Based = 0,
  /// As of crl_round_sequencer: equal rows are stored once, so many a table. Files and TableInit are of these then; the lists are in
  /// files with "list" before their digits, or ListInit, that of table 0 in its lowest bits.
  parameter int Stored = 0,
  parameter ListInit = 1'b0,
  /// Registers between the sequencers and each router: all nodes act so many cycles later than the timing says.
  parameter int RowStages = 0,
  /// Words of a packet: a row stands so many cycles, and a packet's words follow each other. At links and in routers they come as many
  /// cycles later as they would rows.
  parameter int Words = 1,
  localparam int BeatW = (Words > 1) ? $clog2(Words) : 1,
  /// Own words come from streams.
  localparam int Streams = 1,
  `include "crl_row.svh"
  `include "crl_late.svh"
  /// Sequencers.
  localparam int Tables = (SharedTable != 0) ? 1 : Nodes,
  /// Bits that name a sequencer.
  localparam int TableW = (Tables > 1) ? $clog2(Tables) : 1,
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  localparam int AtW = TA + $clog2(Words)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,           // clears sticky faults
  input  logic                   en_i,              // 0: time stands still for a cycle, at all nodes; 1 while in reset

  input  logic                   start_i,           // a round begins where nothing plays or another one ends
  input  logic [TA-1:0]          last_row_i,        // holds from start_i on, while busy; with Based: as base_i
  input  logic [TA-1:0]          base_i,            // of the next round
  output logic                   begin_o,           // start_i begins a round at the next edge
  output logic                   busy_o,

  output logic                   playing_o,         // for adapters, time r: a row plays,
  output logic [AtW-1:0]         row_o,             //   which, above the number of its cycle, as the next two,
  output logic [AtW-1:0]         ahead_o,           //   which one does in the next cycle, 0 behind the last one,
  output logic                   last_o,            //   and it is the last one of the round
  output logic                   arrives_o,         // for adapters, time r+1: the words of a row are shown in the next cycle,
  output logic [AtW-1:0]         arrival_o,         //   which row, 0 where none is

  input  logic                   table_we_i,        // load port; only while not busy
  input  logic [TableW-1:0]      table_sel_i,       // whose table, where each has one
  input  logic [TA-1:0]          table_addr_i,
  input  logic [RowW-1:0]        table_data_i,

  input  logic [Nodes*Lanes-1:0] own_valid_i,       // node v, lane j at v * Lanes + j: there is a word
  input  logic [Nodes*Lanes*DataW-1:0] own_data_i,
  output logic [Nodes*Lanes-1:0] own_ready_o,       // it is taken; does not wait for own_valid_i
  output logic [Nodes*Lanes-1:0] show_valid_o,      // this input lane's word is for this node
  output logic [Nodes*Lanes*DataW-1:0] show_data_o,

  output logic [Nodes*4-1:0]     fault_o,           // sticky, of each node: 0 missing, 1 unexpected, 2 overrun, 3 starved
  output logic [Nodes*Ports-1:0] fault_ports_o,
  output logic [Nodes*TA-1:0]    fault_row_o,
  output logic [Tables-1:0]      fault_parity_o,    // of each table, or it is not loaded
  output logic [Tables*TA-1:0]   fault_parity_row_o
);

  logic [Nodes*Ports-1:0]       link_valid, led_valid, in_valid, unused_back;
  logic [Nodes*Ports*DataW-1:0] link_data, led_data, in_data;

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
    .back_i ({Nodes*Ports{1'b0}}),
    .back_o (unused_back)
  );

  // What the sequencers hand to the routers. All tables have the same length, so they run in step.
  logic [Tables-1:0]      begins, busy, playing, last, departs, arrives, active;
  logic [Tables*RowW-1:0] rows;
  logic [Tables*TA-1:0]   addr, ahead, row_number, number;
  logic [Tables*BeatW-1:0] beat, beat_ahead, row_beat, number_beat;

  // As it reaches each router.
  localparam int ToldBeatsW = (Words > 1) ? 2 * BeatW : 1;
  localparam int ToldW = 4 + RowW + TA + ToldBeatsW;
  localparam int Readers = Nodes / Tables;
  logic [Nodes*ToldW-1:0] told;

  localparam logic [16*Nodes*Ports-1:0] Cycles = (16*Nodes*Ports)'(Latencies);
  if ($bits(Latencies) != 16 * Nodes * Ports) begin : gen_bad_length
    crl_error_latencies_must_have_16_bits_a_link u_error ();
  end

  assign begin_o = &begins;

  // Until all nodes have shown what rows say, and sent it; and until it has come to all.
  logic acting;
  crl_linger #(
    .Stages(Late)
  ) u_acting (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .en_i  (en_i),
    .d_i   (|busy),
    .q_o   (acting)
  );

  crl_linger #(
    .Stages(RowStages)
  ) u_busy (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .en_i  (1'b1),
    .d_i   (acting),
    .q_o   (busy_o)
  );

  assign playing_o = playing[0];
  assign last_o    = last[0];

  logic [AtW-1:0] arrival;

  if (Words > 1) begin : gen_at_beats
    assign row_o    = {addr[TA-1:0], beat[BeatW-1:0]};
    assign ahead_o  = {ahead[TA-1:0], beat_ahead[BeatW-1:0]};
    assign arrival  = {row_number[TA-1:0], row_beat[BeatW-1:0]};
  end else begin : gen_at_rows
    assign row_o    = addr[TA-1:0];
    assign ahead_o  = ahead[TA-1:0];
    assign arrival  = row_number[TA-1:0];
  end

  crl_delay #(
    .Width (AtW + 1),
    .Stages(Late)
  ) u_arrival (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .en_i  (en_i),
    .d_i   ({arrives[0], arrival}),
    .q_o   ({arrives_o, arrival_o})
  );

  // All say the same.
  logic unused_others;
  assign unused_others = &{1'b0, playing, last, addr, ahead, row_number, beat, beat_ahead, row_beat};

  localparam int MemDepth = (Stored != 0) ? Stored : TableDepth;
  localparam int ListW = (Stored != 0) ? TableDepth * ((Stored > 1) ? $clog2(Stored) : 1) : 1; // of a table
  localparam logic [Tables*MemDepth*RowW-1:0] Init = (Tables * MemDepth * RowW)'(TableInit);
  localparam logic [Tables*ListW-1:0] Lists = (Tables * ListW)'(ListInit);

  if (Inline != 0 && ($bits(TableInit) != Tables * MemDepth * RowW || (Stored != 0 && $bits(ListInit) != Tables * ListW))) begin : gen_bad_tables
    crl_error_table_init_must_have_all_rows u_error ();
  end

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
      .en_i              (en_i),
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
      .row_number_o      (row_number[t*TA +: TA]),
      .number_o          (number[t*TA +: TA]),
      .beat_o            (beat[t*BeatW +: BeatW]),
      .beat_ahead_o      (beat_ahead[t*BeatW +: BeatW]),
      .row_beat_o        (row_beat[t*BeatW +: BeatW]),
      .number_beat_o     (number_beat[t*BeatW +: BeatW]),
      .fault_parity_o    (fault_parity_o[t]),
      .fault_parity_row_o(fault_parity_row_o[t*TA +: TA])
    );

    logic [ToldBeatsW-1:0] told_beats;
    assign told_beats = ToldBeatsW'({row_beat[t*BeatW +: BeatW], number_beat[t*BeatW +: BeatW]});

    // Zeros where nothing goes on.
    crl_stages #(
      .Width (ToldW),
      .Leaves(Readers),
      .Stages(RowStages)
    ) u_stages (
      .clk_i (clk_i),
      .rst_ni(rst_ni),
      .d_i   ({!en_i, departs[t], arrives[t], active[t], rows[t*RowW +: RowW], number[t*TA +: TA], told_beats}),
      .q_o   (told[t*Readers*ToldW +: Readers*ToldW])
    );
  end

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    logic            stands, departs_here, arrives_here, active_here;
    logic [RowW-1:0] row;
    logic [TA-1:0]   number_here;
    logic [ToldBeatsW-1:0] beats_here;
    logic [BeatW-1:0] row_beat_here, number_beat_here;
    assign {stands, departs_here, arrives_here, active_here, row, number_here, beats_here} = told[v*ToldW +: ToldW];
    assign {row_beat_here, number_beat_here} = (2 * BeatW)'(beats_here);

    crl_link_pipes #(
      .Links    (Ports),
      .DataW    (DataW),
      .Latencies(Cycles[16*v*Ports +: 16*Ports]),
      .Beats    (Words),
      .Less     (Late)
    ) u_pipes (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .en_i   (!stands),
      .valid_i(led_valid[v*Ports +: Ports]),
      .data_i (led_data[v*Ports*DataW +: Ports*DataW]),
      .valid_o(in_valid[v*Ports +: Ports]),
      .data_o (in_data[v*Ports*DataW +: Ports*DataW])
    );

    logic [Banks-1:0]       own_valid;
    logic [Banks-1:0]       own_ready;
    logic [Banks*DataW-1:0] own_data;

    // Banks beyond the streams have no own words.
    logic unused_ready;
    assign unused_ready = &{1'b0, own_ready};

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

    // Row 0 is not active where it is not played.
    logic acts;
    if (Combine != 0) begin : gen_acts
      logic departed_q;
      always_ff @(posedge clk_i) if (!stands) departed_q <= departs_here;
      assign acts = active_here && departed_q;
    end else begin : gen_active
      assign acts = active_here;
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
      .en_i           (!stands),
      .row_i          (row),
      .fetched_i      (departs_here || (arrives_here && Combine == 0)),
      .skip_departs_i (!departs_here),
      .skip_arrives_i (!arrives_here && Combine == 0),
      .fetched_page_i (row_beat_here),
      .active_i       (acts),
      .number_i       (number_here),
      .page_i         (number_beat_here),
      .link_valid_i   (in_valid[v*Ports +: Ports]),
      .link_data_i    (in_data[v*Ports*DataW +: Ports*DataW]),
      .link_valid_o   (link_valid[v*Ports +: Ports]),
      .link_data_o    (link_data[v*Ports*DataW +: Ports*DataW]),
      .own_valid_i    (own_valid),
      .own_data_i     (own_data),
      .own_ready_o    (own_ready),
      .show_valid_o   (show_valid_o[v*Lanes +: Lanes]),
      .show_data_o    (show_data_o[v*Lanes*DataW +: Lanes*DataW]),
      .fault_starved_o(fault_o[v*4 + 3]),
      .fault_o        (fault_o[v*4 +: 3]),
      .fault_ports_o  (fault_ports_o[v*Ports +: Ports]),
      .fault_row_o    (fault_row_o[v*TA +: TA])
    );
  end

endmodule
