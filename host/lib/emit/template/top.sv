// @WHAT@. Made by carillon @VERSION@.
//
@if PACKED // Stream @STREAM_AT@ of each port; streams.csv has the packets in their order.
@if NAMED // Streams of node V are s_axis_@NAMED_STREAM@_… and m_axis_@NAMED_STREAM@_…; streams.csv has the packets in their order.
@if ONE // A round takes @PERIOD@ cycles.
@if SPARES // op@I@ says which plan a round plays: 0, or another one for when something has failed, in the order of README.md.
@if LISTED // op@I@ says which of @OPS@ schedules a round plays, in the order in which they are listed above, from 0.

@if BARE module @TOP@ (
@if PARAMETERS module @TOP@ #(
@if FILES_READ   parameter TablesDir = "tables"@COMMA@ // the folder of that name, as seen from where this is elaborated
@if LOADED_FPGA   parameter int Init = 1 // 0: tables start undefined, and nothing begins before they are loaded
@if PARAMETERS ) (
@if ASIC module @TOP@ (
  input  logic @CLK@,
  input  logic @RST@, // synchronous, active low

@if ONE   input  logic start@I@, // sampled while not busy, arms a round
@if SEVERAL   input  logic start@I@, // with op_ready@O@ orders a round
@if SEVERAL   input  logic [@OP_BITS@-1:0] op@I@, //   of this kind
@if AXIS_SEVERAL   output logic op_ready@O@, // 1 while not busy; one round may wait behind others
@if IS_STREAM_SPARES   output logic op_ready@O@, // it begins, and its first words are taken in the next cycle
@if SPARES   input  logic clear@I@, // clears fault@O@
  output logic busy@O@,

@if PACKED   input  logic [@DATA_HIGH@:0] s_axis_tdata_i, // @ALL@ streams of @WIDTH@ bits
@if PACKED   input  logic [@ALL_HIGH@:0] s_axis_tvalid_i,
@if PACKED   output logic [@ALL_HIGH@:0] s_axis_tready_o,
@if PACKED_ABSENT   input  logic [@ALL_HIGH@:0] s_axis_tuser_i, // 1: there is no word this time
@if PACKED   output logic [@PEER_HIGH@:0] s_axis_tdest_o, // of the word that is taken next, @PEER_BITS@ bits: @DEST_NOTE@
@if PACKED 
@if PACKED   output logic [@DATA_HIGH@:0] m_axis_tdata_o,
@if PACKED   output logic [@ALL_HIGH@:0] m_axis_tvalid_o,
@if PACKED   input  logic [@ALL_HIGH@:0] m_axis_tready_i,
@if PACKED   output logic [@ALL_HIGH@:0] m_axis_tlast_o,
@if PACKED   output logic [@PEER_HIGH@:0] m_axis_tid_o, // of the word that is shown: @ORIGIN_NOTE@
@if NAMED @NAMED_PORTS@

@if LOADED   // AXI4-Lite, to load tables: registers as README.md says.
@if LOADED   input  logic        s_axil_awvalid@I@,
@if LOADED   output logic        s_axil_awready@O@,
@if LOADED   input  logic [4:0]  s_axil_awaddr@I@,
@if LOADED   input  logic [2:0]  s_axil_awprot@I@, // whoever may write may load
@if LOADED   input  logic        s_axil_wvalid@I@,
@if LOADED   output logic        s_axil_wready@O@,
@if LOADED   input  logic [31:0] s_axil_wdata@I@,
@if LOADED   input  logic [3:0]  s_axil_wstrb@I@,
@if LOADED   output logic        s_axil_bvalid@O@,
@if LOADED   input  logic        s_axil_bready@I@,
@if LOADED   output logic [1:0]  s_axil_bresp@O@,
@if LOADED   input  logic        s_axil_arvalid@I@,
@if LOADED   output logic        s_axil_arready@O@,
@if LOADED   input  logic [4:0]  s_axil_araddr@I@,
@if LOADED   input  logic [2:0]  s_axil_arprot@I@,
@if LOADED   output logic        s_axil_rvalid@O@,
@if LOADED   input  logic        s_axil_rready@I@,
@if LOADED   output logic [31:0] s_axil_rdata@O@,
@if LOADED   output logic [1:0]  s_axil_rresp@O@,
@if LOADED 
  output logic fault@O@ // sticky
);

@if ASIC   localparam int Init = 0; // tables start undefined, and nothing begins before they are loaded
@include shape.sv

  // Whom a node hears on each port: the neighbours behind its directions.
@if NONE   localparam logic [15:0] None = 16'hffff; // nobody
  localparam logic [16*Nodes*Ports-1:0] Neighbours = @NEIGHBOURS@;

@if WORD   // Cycles that a word takes from there.
@if PACKETS   // Slots of @WORDS@ cycles that a packet takes from there.
  localparam logic [16*Nodes*Ports-1:0] Latencies = @LATENCIES@;

@if PACKETS   localparam int Words = @WORDS@;   // of a packet
@include uses.sv
  // All streams, that of node v and number j at v * Streams + j: own words that are offered, and words that are shown.
  logic [All*DataW-1:0] own_word, show_word;
  logic [All-1:0]       own_valid, own_ready, show_valid, show_ready, show_last;
  logic [All*PeerW-1:0] own_dest, show_from;
@if ABSENT   logic [All-1:0]       own_absent;

@if PACKED   assign own_word        = s_axis_tdata_i;
@if PACKED   assign own_valid       = s_axis_tvalid_i;
@if PACKED   assign s_axis_tready_o = own_ready;
@if PACKED_ABSENT   assign own_absent      = s_axis_tuser_i;
@if PACKED   assign s_axis_tdest_o  = own_dest;
@if PACKED   assign m_axis_tdata_o  = show_word;
@if PACKED   assign m_axis_tvalid_o = show_valid;
@if PACKED   assign show_ready      = m_axis_tready_i;
@if PACKED   assign m_axis_tlast_o  = show_last;
@if PACKED   assign m_axis_tid_o    = show_from;
@if NAMED @NAMED_WIRES@

@if ABSENT   // The highest bit of a word inside says that there is none in its place.
@if ABSENT   localparam int FabricW = DataW + 1;
@if ABSENT   logic [All*FabricW-1:0] own_data, show_data;
@if ABSENT   logic [All-1:0]         data_valid, data_ready, absent;
@if ABSENT 
@if ABSENT   for (genvar i = 0; i < All; i++) begin : gen_absent
@if ABSENT     assign own_data[i*FabricW +: FabricW] = {own_absent[i], own_word[i*DataW +: DataW]};
@if ABSENT     assign absent[i] = data_valid[i] && show_data[i*FabricW + DataW];
@if ABSENT     assign show_word[i*DataW +: DataW] = show_data[i*FabricW +: DataW];
@if ABSENT   end
@if ABSENT 
@if ABSENT   assign show_valid = data_valid & ~absent;
@if ABSENT   assign data_ready = show_ready | absent;
@if PRESENT   localparam int FabricW = DataW;
@if PRESENT   logic [All*FabricW-1:0] own_data, show_data;
@if PRESENT   logic [All-1:0]         data_valid, data_ready;
@if PRESENT 
@if PRESENT   assign own_data   = own_word;
@if PRESENT   assign show_word  = show_data;
@if PRESENT   assign show_valid = data_valid;
@if PRESENT   assign data_ready = show_ready;

@if LOADED   logic                hold, held, clear, table_we, map_we, map_out, run;
@if LOADED   logic [@OP_BITS@-1:0] run_op;
@if LOADED   logic [@TABLE_BITS@-1:0] table_sel;
@if LOADED   logic [@ROW_BITS@-1:0] table_addr;
@if LOADED   logic [@ROW_WIDTH@-1:0] table_data;
@if LOADED   logic [@NODE_BITS@-1:0] map_node;
@if LOADED   logic [@WAY_BITS@-1:0] map_way;
@if LOADED   logic [@MAP_BITS@-1:0] map_addr;
@if LOADED   logic [@ENTRY_WIDTH@-1:0] map_data;
@if LOADED   logic [@OPS@*@ROW_BITS@-1:0] last_rows, bases;
@if LOADED   logic [@OPS@*@MAP_BITS@-1:0] map_bases;
@if LOADED   logic                order_ready, unused_prot;
@if LOADED_ONE   logic                unused_op;
@if LOADED 
@if LOADED   assign unused_prot = &{1'b0, s_axil_awprot@I@, s_axil_arprot@I@};
@if LOADED 
@if LOADED   crl_table_port #(
@if LOADED     .Tables    (@TABLES@),
@if LOADED     .TableDepth(@TABLE_ROWS@),
@if LOADED     .RowW      (@ROW_WIDTH@),
@if LOADED     .Nodes     (Nodes),
@if LOADED     .Ways      (Streams),
@if LOADED     .MapDepth  (@MAP_DEPTH@),
@if LOADED     .EntryW    (@ENTRY_WIDTH@),
@if LOADED     .Ops       (@OPS@),
@if LOADED     .Id        (32'h@ID@),
@if LOADED     .Held      ((Init != 0) ? 0 : 1),
@if LOADED     .LastRows  (@LAST_ROWS@),
@if LOADED     .Bases     (@BASES@),
@if LOADED     .MapBases  (@MAP_BASES@)
@if LOADED   ) u_tables (
@if LOADED     .clk_i           (@CLK@),
@if LOADED     .rst_ni          (@RST@),
@if LOADED     .s_axil_awvalid_i(s_axil_awvalid@I@),
@if LOADED     .s_axil_awready_o(s_axil_awready@O@),
@if LOADED     .s_axil_awaddr_i (s_axil_awaddr@I@),
@if LOADED     .s_axil_wvalid_i (s_axil_wvalid@I@),
@if LOADED     .s_axil_wready_o (s_axil_wready@O@),
@if LOADED     .s_axil_wdata_i  (s_axil_wdata@I@),
@if LOADED     .s_axil_wstrb_i  (s_axil_wstrb@I@),
@if LOADED     .s_axil_bvalid_o (s_axil_bvalid@O@),
@if LOADED     .s_axil_bready_i (s_axil_bready@I@),
@if LOADED     .s_axil_bresp_o  (s_axil_bresp@O@),
@if LOADED     .s_axil_arvalid_i(s_axil_arvalid@I@),
@if LOADED     .s_axil_arready_o(s_axil_arready@O@),
@if LOADED     .s_axil_araddr_i (s_axil_araddr@I@),
@if LOADED     .s_axil_rvalid_o (s_axil_rvalid@O@),
@if LOADED     .s_axil_rready_i (s_axil_rready@I@),
@if LOADED     .s_axil_rdata_o  (s_axil_rdata@O@),
@if LOADED     .s_axil_rresp_o  (s_axil_rresp@O@),
@if LOADED     .hold_o          (hold),
@if LOADED     .held_i          (held),
@if LOADED     .busy_i          (busy@O@),
@if LOADED     .fault_i         (fault@O@),
@if LOADED     .clear_o         (clear),
@if LOADED     .start_o         (run),
@if LOADED     .op_o            (run_op),
@if LOADED     .taken_i         (order_ready),
@if LOADED     .table_we_o      (table_we),
@if LOADED     .table_sel_o     (table_sel),
@if LOADED     .table_addr_o    (table_addr),
@if LOADED     .table_data_o    (table_data),
@if LOADED     .map_we_o        (map_we),
@if LOADED     .map_out_o       (map_out),
@if LOADED     .map_node_o      (map_node),
@if LOADED     .map_way_o       (map_way),
@if LOADED     .map_addr_o      (map_addr),
@if LOADED     .map_data_o      (map_data),
@if LOADED     .last_row_o      (last_rows),
@if LOADED     .base_o          (bases),
@if LOADED     .map_base_o      (map_bases)
@if LOADED   );
@if LOADED 
  logic [@TABLES@-1:0] fault_parity;
@if IS_AXIS   logic [Nodes-1:0] fault_map; // 0 where maps are constants
  logic [Nodes*4-1:0] faults;
@if IS_AXIS_FIXED_ONE   logic unused_order;
@if IS_AXIS_FIXED   logic unused_held;
@if IS_STREAM_ONE   logic unused_begin, unused_playing, unused_last, unused_arrives, lost_q;
@if IS_STREAM_SPARES   logic unused_playing, unused_last, unused_arrives, lost_q;
@if IS_STREAM_SPARES   logic begins;
@if IS_STREAM   logic [@AT_BITS@-1:0] unused_row, unused_ahead, unused_arrival;
@if IS_STREAM   logic [All-1:0] unused_last_own;
@if IS_STREAM   logic [Nodes*Ports-1:0] unused_fault_ports;
@if IS_STREAM   logic [Nodes*@ROW_BITS@-1:0] unused_fault_row;
@if IS_STREAM   logic [@TABLES@*@ROW_BITS@-1:0] unused_parity_row;

@if IS_STREAM_SPARES   // The plan that rounds play: another one where nothing plays, two cycles before its first round, since tables are read ahead.
@if IS_STREAM_SPARES   localparam logic [@OPS@*@ROW_BITS@-1:0] LastRows = @LAST_ROWS@;
@if IS_STREAM_SPARES   localparam logic [@OPS@*@ROW_BITS@-1:0] Bases = @BASES@;
@if IS_STREAM_SPARES   logic [@OP_BITS@-1:0] op_q;
@if IS_STREAM_SPARES   logic settled_q;
@if IS_STREAM_SPARES 
@if IS_STREAM_SPARES   always_ff @(posedge @CLK@) begin
@if IS_STREAM_SPARES     if (!@RST@) begin
@if IS_STREAM_SPARES       op_q      <= '0;
@if IS_STREAM_SPARES       settled_q <= 1'b1;
@if IS_STREAM_SPARES     end else begin
@if IS_STREAM_SPARES       if (start@I@ && !busy@O@) op_q <= op@I@;
@if IS_STREAM_SPARES       settled_q <= busy@O@ || !start@I@ || op@I@ == op_q;
@if IS_STREAM_SPARES     end
@if IS_STREAM_SPARES   end
@if IS_STREAM_SPARES 
@if IS_STREAM_SPARES   assign op_ready@O@ = begins;
@if IS_STREAM_SPARES 
@if IS_AXIS   crl_axis_fabric #(
@if IS_STREAM   crl_stream_fabric #(
@include routers.sv
@if STAGED     .Staged     (1),
@if STAGED     .Single     (@SINGLE@),
@if ALIGNED     .Aligned    (1),
    .DataW      (FabricW),
@if IS_AXIS     .Ways       (Streams),
@if IS_AXIS     .PeerW      (PeerW),
@if IS_AXIS     .InUses     (InUses),
@if IS_AXIS     .OutUses    (OutUses),
@if PACKETS     .Words      (Words),
@if AXIS_PACKETS     .Keeps      (Keeps),
@if IS_AXIS     .Ops        (@OPS@),
@if IS_AXIS     .Rows       (@ROWS@),
@if IS_AXIS     .MapDepth   (@MAP_DEPTH@),
@if IS_AXIS     .Waits      (@WAITS@),
@if IS_AXIS     .Pages      (@PAGES@),
@if AXIS_INLINED     .InMapInit  (AllInMaps),
@if AXIS_INLINED     .OutMapInit (AllOutMaps),
@if INLINED     .Inline     (@IF_INIT@1@ELSE_ZERO@),
@if AXIS_FILES     .MapFile    (@IF_INIT@{TablesDir, "/"}@ELSE_NONE@),
@if FILES_READ     .InitFile   (@IF_INIT@{TablesDir, "/"}@ELSE_NONE@),
@if IS_STREAM_SPARES     .Based      (1),
    .RowStages  (@STAGES@)
  ) u_fabric (
    .clk_i             (@CLK@),
    .rst_ni            (@RST@),
@if LOADED     .clear_i           (clear),
@if SPARES     .clear_i           (clear@I@),
@if UNCLEARED     .clear_i           (1'b0),
@if IS_STREAM     .en_i              (1'b1),
@if IS_STREAM_SPARES     .start_i           (start@I@ && op@I@ == op_q && settled_q),
@if FIXED_START     .start_i           (start@I@),
@if LOADED     .start_i           (start@I@ || run),
@if IS_AXIS_ONE     .op_i              (1'b0),
@if FIXED_SEVERAL     .op_i              (op@I@),
@if LOADED_SEVERAL     .op_i              (run ? run_op : op@I@),
@if IS_AXIS_FIXED_ONE     .order_ready_o     (unused_order),
@if FIXED_SEVERAL     .order_ready_o     (op_ready@O@),
@if LOADED     .order_ready_o     (order_ready),
    .busy_o            (busy@O@),
@if LOADED     .last_row_i        (last_rows),
@if LOADED     .base_i            (bases),
@if LOADED     .map_base_i        (map_bases),
@if LOADED     .hold_i            (hold),
@if LOADED     .held_o            (held),
@if LOADED     .table_we_i        (table_we),
@if LOADED     .table_sel_i       (table_sel),
@if LOADED     .table_addr_i      (table_addr),
@if LOADED     .table_data_i      (table_data),
@if LOADED     .map_we_i          (map_we),
@if LOADED     .map_out_i         (map_out),
@if LOADED     .map_node_i        (map_node),
@if LOADED     .map_way_i         (map_way),
@if LOADED     .map_addr_i        (map_addr),
@if LOADED     .map_data_i        (map_data),
@if IS_STREAM_SPARES     .last_row_i        (LastRows[32'(op_q)*@ROW_BITS@ +: @ROW_BITS@]),
@if IS_STREAM_SPARES     .base_i            (Bases[32'(op_q)*@ROW_BITS@ +: @ROW_BITS@]),
@if FIXED_START     .last_row_i        (@LAST_ROWS@),
@if FIXED_START     .base_i            (@BASES@),
@if FIXED     .table_we_i        (1'b0),
@if FIXED     .table_sel_i       (@TABLE_BITS@'d0),
@if FIXED     .table_addr_i      (@ROW_BITS@'d0),
@if FIXED     .table_data_i      ({@ROW_WIDTH@{1'b0}}),
@if IS_AXIS_FIXED     .map_base_i        (@MAP_BASES@),
@if IS_AXIS_FIXED     .hold_i            (1'b0),
@if IS_AXIS_FIXED     .held_o            (unused_held),
@if IS_AXIS_FIXED     .map_we_i          (1'b0),
@if IS_AXIS_FIXED     .map_out_i         (1'b0),
@if IS_AXIS_FIXED     .map_node_i        (@NODE_BITS@'d0),
@if IS_AXIS_FIXED     .map_way_i         (@WAY_BITS@'d0),
@if IS_AXIS_FIXED     .map_addr_i        (@MAP_BITS@'d0),
@if IS_AXIS_FIXED     .map_data_i        ({@ENTRY_WIDTH@{1'b0}}),
@if IS_AXIS     .s_axis_tdata_i    (own_data),
@if IS_AXIS     .s_axis_tvalid_i   (own_valid),
@if IS_AXIS     .s_axis_tready_o   (own_ready),
@if IS_AXIS     .s_axis_tdest_o    (own_dest),
@if IS_AXIS     .m_axis_tdata_o    (show_data),
@if IS_AXIS     .m_axis_tvalid_o   (data_valid),
@if IS_AXIS     .m_axis_tready_i   (data_ready),
@if IS_AXIS     .m_axis_tlast_o    (show_last),
@if IS_AXIS     .m_axis_tid_o      (show_from),
@if IS_STREAM_SPARES     .begin_o           (begins),
@if IS_STREAM_ONE     .begin_o           (unused_begin),
@if IS_STREAM     .playing_o         (unused_playing),
@if IS_STREAM     .row_o             (unused_row),
@if IS_STREAM     .ahead_o           (unused_ahead),
@if IS_STREAM     .last_o            (unused_last),
@if IS_STREAM     .arrives_o         (unused_arrives),
@if IS_STREAM     .arrival_o         (unused_arrival),
@if IS_STREAM     .own_valid_i       (own_valid),
@if IS_STREAM     .own_data_i        (own_data),
@if IS_STREAM     .own_ready_o       (own_ready),
@if IS_STREAM     .show_valid_o      (data_valid),
@if IS_STREAM     .show_data_o       (show_data),
@if IS_STREAM     .fault_ports_o     (unused_fault_ports),
@if IS_STREAM     .fault_row_o       (unused_fault_row),
@if IS_STREAM     .fault_parity_row_o(unused_parity_row),
@if IS_AXIS     .fault_map_o       (fault_map),
    .fault_o           (faults),
    .fault_parity_o    (fault_parity)
  );

@if LOADED_ONE   assign unused_op = run_op;
@if LOADED_SEVERAL   assign op_ready@O@ = order_ready && !run; // an order that came by the port is first
@if IS_AXIS   assign fault@O@ = |faults || |fault_parity || |fault_map;
@if IS_STREAM   // Words come and leave in their cycles, so nobody can hold one back: one that is not taken is lost, which is a fault.
@if IS_STREAM   always_ff @(posedge @CLK@) begin
@if IS_STREAM     if (!@RST@) lost_q <= 1'b0;
@if IS_STREAM_SPARES     else lost_q <= (lost_q && !clear@I@) || (data_valid & ~data_ready) != '0;
@if IS_STREAM_ONE     else lost_q <= lost_q || (data_valid & ~data_ready) != '0;
@if IS_STREAM   end
@if IS_STREAM 
@if IS_STREAM   assign fault@O@ = |faults || |fault_parity || lost_q;
@if IS_STREAM 
@include names.sv
@if IS_STREAM 
endmodule
