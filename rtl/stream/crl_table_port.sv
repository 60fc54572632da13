// SPDX-License-Identifier: Apache-2.0
//
// Loads the tables and maps of a crl_axis_fabric by AXI4-Lite, and orders rounds. It has seven registers (decisions 0065, 0090). An entry goes to
// where SELECT and ENTRY say as words of 32 bits, the lowest first, and ENTRY counts on: so software sends a list of words and
// knows nothing of how wide an entry is.
//
// Timing: an address and its data are accepted together, in the cycle behind the one in which both are there, and answered in
// the next; the next one is accepted two cycles after that at the earliest. No output follows an input within a cycle. An entry is
// written in the cycle in which its last word is answered.

module crl_table_port #(
  /// Sequencers, and rows of a table's memory.
  parameter int Tables = 1,
  parameter int TableDepth = 256,
  /// Bits of a row.
  parameter int RowW = 61,
  /// Nodes, streams of a node each way, entries of a map's memory, and bits of an entry.
  parameter int Nodes = 16,
  parameter int Ways = 1,
  parameter int MapDepth = 256,
  parameter int EntryW = 20,
  /// Kinds of rounds.
  parameter int Ops = 1,
  /// What ID reads as: who loads tables compares it with that of the fabric which they were made for.
  parameter logic [31:0] Id = 32'd0,
  /// 1: memories start undefined, so the fabric is held from reset on.
  parameter int Held = 0,
  /// Bits of a row's number, of a map entry's, and that name a sequencer, a node, a stream, a kind of rounds.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  localparam int MapA = (MapDepth > 1) ? $clog2(MapDepth) : 1,
  localparam int TableW = (Tables > 1) ? $clog2(Tables) : 1,
  localparam int NodeW = (Nodes > 1) ? $clog2(Nodes) : 1,
  localparam int WayW = (Ways > 1) ? $clog2(Ways) : 1,
  localparam int OpW = (Ops > 1) ? $clog2(Ops) : 1,
  /// The numbers of each kind of rounds from reset on, as of crl_axis_fabric.
  parameter LastRows = {Ops{TA'(TableDepth - 1)}},
  parameter Bases = {Ops{TA'(0)}},
  parameter MapBases = {Ops{MapA'(0)}}
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                s_axil_awvalid_i,
  output logic                s_axil_awready_o,
  input  logic [4:0]          s_axil_awaddr_i,
  input  logic                s_axil_wvalid_i,
  output logic                s_axil_wready_o,
  input  logic [31:0]         s_axil_wdata_i,
  input  logic [3:0]          s_axil_wstrb_i,
  output logic                s_axil_bvalid_o,
  input  logic                s_axil_bready_i,
  output logic [1:0]          s_axil_bresp_o,   // OKAY, or SLVERR: nothing was written
  input  logic                s_axil_arvalid_i,
  output logic                s_axil_arready_o,
  input  logic [4:0]          s_axil_araddr_i,
  output logic                s_axil_rvalid_o,
  input  logic                s_axil_rready_i,
  output logic [31:0]         s_axil_rdata_o,
  output logic [1:0]          s_axil_rresp_o,

  output logic                hold_o,           // no round is to begin
  input  logic                held_i,           // nor does one play: memories may be written; until hold_o falls
  input  logic                busy_i,
  input  logic                fault_i,
  output logic                clear_o,          // clears sticky faults

  output logic                start_o,          // a round is to begin,
  output logic [OpW-1:0]      op_o,             //   of this kind
  input  logic                taken_i,          // and does, or waits for its words

  output logic                table_we_o,
  output logic [TableW-1:0]   table_sel_o,
  output logic [TA-1:0]       table_addr_o,
  output logic [RowW-1:0]     table_data_o,
  output logic                map_we_o,
  output logic                map_out_o,
  output logic [NodeW-1:0]    map_node_o,
  output logic [WayW-1:0]     map_way_o,
  output logic [MapA-1:0]     map_addr_o,
  output logic [EntryW-1:0]   map_data_o,

  output logic [Ops*TA-1:0]   last_row_o,       // these change only while held
  output logic [Ops*TA-1:0]   base_o,
  output logic [Ops*MapA-1:0] map_base_o
);

  // Registers, by bits 4 to 2 of the address; and what SELECT names.
  localparam logic [2:0] RegId = 3'd0, RegControl = 3'd1, RegStatus = 3'd2, RegSelect = 3'd3, RegEntry = 3'd4, RegData = 3'd5, RegRun = 3'd6;
  localparam logic [1:0] OfTables = 2'd0, OfMapsIn = 2'd1, OfMapsOut = 2'd2;

  // Words of an entry: a row, a map's entry, the three numbers of a kind of rounds.
  localparam int RowWords = (RowW + 31) / 32;
  localparam int EntryWords = (EntryW + 31) / 32;
  localparam int NumberWords = 3;
  localparam int MostOfMemories = (RowWords > EntryWords) ? RowWords : EntryWords;
  localparam int Most = (MostOfMemories > NumberWords) ? MostOfMemories : NumberWords;
  localparam int WordW = $clog2(Most);
  // Bits of any entry's number.
  localparam int OfOneW = (TA > MapA) ? TA : MapA;
  localparam int PlaceW = (OfOneW > OpW) ? OfOneW : OpW;

  logic             take_q, answer_q, refused_q;      // a write: accepted, answered, how
  logic             read_q, told_q, unknown_q;        // a read
  logic [31:0]      value_q;
  logic             hold_q, clear_q, commit_q;
  logic             start_q;                          // of RUN: a round is to begin,
  logic [15:0]      more_q;                           //   and so many behind it,
  logic [OpW-1:0]   op_q;                             //   of this kind
  logic [15:0]      part_q;                           // of SELECT: the sequencer, or the node
  logic [7:0]       way_q;
  logic [1:0]       kind_q;
  logic [23:0]      entry_q;
  logic [PlaceW-1:0] place_q;                         // of ENTRY: where what is written belongs
  logic [WordW-1:0] word_q, last_word;
  logic [Most*32-1:0] words_q;
  logic [2:0]       at;
  logic             to_tables, to_maps;
  logic             there_q, ends_q;                  // SELECT and ENTRY name something; the entry's last word comes
  logic             control_q, select_q, at_entry_q, data_q, run_q; // what is accepted now, if it may be written

`ifdef FORMAL
  logic             f_past_valid;
  logic [23:0]      f_entry_q;  // ENTRY of what was accepted last
  logic [25:0]      f_select_q; // what SELECT was written last
  logic [Ops-1:0]   f_numbers;
`endif

  if ($bits(LastRows) != Ops * TA || $bits(Bases) != Ops * TA || $bits(MapBases) != Ops * MapA) begin : gen_bad_length
    crl_error_numbers_of_rounds_must_be_as_wide_as_addresses u_error ();
  end

  // Of what SELECT names: words of an entry.
  assign to_tables = kind_q == OfTables;
  assign to_maps   = kind_q == OfMapsIn || kind_q == OfMapsOut;
  assign last_word = to_tables ? WordW'(RowWords - 1) : to_maps ? WordW'(EntryWords - 1) : WordW'(NumberWords - 1);

  // Judged in the cycle before a word is accepted, which is two behind the last one, so that nothing here is slow. Bits that a
  // register does not have must be 0.
  assign at = s_axil_awaddr_i[4:2];

  always_ff @(posedge clk_i) begin
    there_q    <= to_tables ? 32'(part_q) < Tables && way_q == '0 && 32'(entry_q) < TableDepth :
                  to_maps ? 32'(part_q) < Nodes && 32'(way_q) < Ways && 32'(entry_q) < MapDepth :
                  part_q == '0 && way_q == '0 && 32'(entry_q) < Ops;
    ends_q     <= word_q == last_word;
    control_q  <= (&s_axil_wstrb_i) && at == RegControl && s_axil_wdata_i[31:2] == '0;
    select_q   <= (&s_axil_wstrb_i) && at == RegSelect && s_axil_wdata_i[31:26] == '0;
    at_entry_q <= (&s_axil_wstrb_i) && at == RegEntry && s_axil_wdata_i[31:24] == '0;
    data_q     <= (&s_axil_wstrb_i) && at == RegData && there_q && hold_q && held_i;
    run_q      <= (&s_axil_wstrb_i) && at == RegRun && s_axil_wdata_i[31:24] == '0 && 32'(s_axil_wdata_i[23:16]) < Ops && !start_q && !hold_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      take_q   <= 1'b0;
      answer_q <= 1'b0;
      hold_q   <= Held != 0;
      clear_q  <= 1'b0;
      commit_q <= 1'b0;
      part_q   <= '0;
      way_q    <= '0;
      kind_q   <= '0;
      entry_q  <= '0;
      word_q   <= '0;
    end else begin
      take_q   <= s_axil_awvalid_i && s_axil_wvalid_i && !take_q && !answer_q;
      answer_q <= take_q || (answer_q && !s_axil_bready_i);
      clear_q  <= 1'b0;
      if (take_q && control_q) {clear_q, hold_q} <= s_axil_wdata_i[1:0];
      if (take_q && select_q) {kind_q, way_q, part_q} <= s_axil_wdata_i[25:0];
      if (take_q && at_entry_q) entry_q <= s_axil_wdata_i[23:0];
      else if (take_q && data_q && ends_q) entry_q <= entry_q + 1'b1;
      if (take_q && (select_q || at_entry_q || (data_q && ends_q))) word_q <= '0;
      else if (take_q && data_q) word_q <= word_q + 1'b1;
      commit_q <= take_q && data_q && ends_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_q) begin
      refused_q <= !control_q && !select_q && !at_entry_q && !data_q && !run_q;
      place_q   <= entry_q[PlaceW-1:0];
      if (data_q) words_q[32'(word_q)*32 +: 32] <= s_axil_wdata_i;
    end
  end

  // Rounds that are ordered here; a fabric that is to hold drops what waits.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || hold_q) start_q <= 1'b0;
    else if (take_q && run_q) start_q <= s_axil_wdata_i[15:0] != '0;
    else if (taken_i) start_q <= start_q && more_q != '0;
    if (take_q && run_q) begin
      more_q <= s_axil_wdata_i[15:0] - 1'b1;
      op_q   <= s_axil_wdata_i[16 +: OpW];
    end else if (taken_i) more_q <= more_q - 1'b1;
  end

  assign start_o = start_q;
  assign op_o    = op_q;

  // The numbers of each kind of rounds.
  for (genvar i = 0; i < Ops; i++) begin : gen_numbers
    logic [TA-1:0]   last_row_q, base_q;
    logic [MapA-1:0] map_base_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        last_row_q <= LastRows[i*TA +: TA];
        base_q     <= Bases[i*TA +: TA];
        map_base_q <= MapBases[i*MapA +: MapA];
      end else if (commit_q && !to_tables && !to_maps && place_q[OpW-1:0] == OpW'(i)) begin
        last_row_q <= words_q[0 +: TA];
        base_q     <= words_q[32 +: TA];
        map_base_q <= words_q[64 +: MapA];
      end
    end

    assign last_row_o[i*TA +: TA]       = last_row_q;
    assign base_o[i*TA +: TA]           = base_q;
    assign map_base_o[i*MapA +: MapA]   = map_base_q;

`ifdef FORMAL
    // Numbers are written to the kind of rounds that ENTRY named, and to no other.
    logic [2*TA+MapA-1:0] f_numbers_q;
    always_ff @(posedge clk_i) begin
      f_numbers_q <= !rst_ni ? {LastRows[i*TA +: TA], Bases[i*TA +: TA], MapBases[i*MapA +: MapA]} :
          (commit_q && f_select_q[25:24] == 2'd3 && f_entry_q == 24'(i)) ? {words_q[TA-1:0], words_q[32 +: TA], words_q[64 +: MapA]} :
          {last_row_q, base_q, map_base_q};
    end
    assign f_numbers[i] = {last_row_q, base_q, map_base_q} == f_numbers_q;
`endif
  end

  assign s_axil_awready_o = take_q;
  assign s_axil_wready_o  = take_q;
  assign s_axil_bvalid_o  = answer_q;
  assign s_axil_bresp_o   = {refused_q, 1'b0};

  assign hold_o  = hold_q;
  assign clear_o = clear_q;

  assign table_we_o   = commit_q && to_tables;
  assign table_sel_o  = part_q[TableW-1:0];
  assign table_addr_o = place_q[TA-1:0];
  assign table_data_o = words_q[RowW-1:0];
  assign map_we_o     = commit_q && to_maps;
  assign map_out_o    = kind_q == OfMapsOut;
  assign map_node_o   = part_q[NodeW-1:0];
  assign map_way_o    = way_q[WayW-1:0];
  assign map_addr_o   = place_q[MapA-1:0];
  assign map_data_o   = words_q[EntryW-1:0];

  // Reads: an address is accepted in the cycle behind that in which it is there, and answered in the next.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q <= 1'b0;
      told_q <= 1'b0;
    end else begin
      read_q <= s_axil_arvalid_i && !read_q && !told_q;
      told_q <= read_q || (told_q && !s_axil_rready_i);
    end
    if (read_q) begin
      unknown_q <= 1'b0;
      case (s_axil_araddr_i[4:2])
        RegId:      value_q <= Id;
        RegControl: value_q <= 32'(hold_q);
        RegStatus:  value_q <= {28'b0, start_q, fault_i, busy_i, held_i};
        RegSelect:  value_q <= {6'b0, kind_q, way_q, part_q};
        RegEntry:   value_q <= {8'b0, entry_q};
        default: begin
          value_q   <= '0;
          unknown_q <= 1'b1;
        end
      endcase
    end
  end

  assign s_axil_arready_o = read_q;
  assign s_axil_rvalid_o  = told_q;
  assign s_axil_rdata_o   = value_q;
  assign s_axil_rresp_o   = {unknown_q, 1'b0};

  // Registers are whole words.
  logic unused_bytes;
  assign unused_bytes = &{1'b0, s_axil_awaddr_i[1:0], s_axil_araddr_i[1:0], words_q};

`ifdef FORMAL
  logic [1:0] f_writes, f_reads; // accepted and not yet answered
  logic       f_aw_waits, f_w_waits, f_ar_waits, f_held_q;
  logic [4:0] f_awaddr, f_araddr;
  logic [35:0] f_wdata;
  logic [15:0] f_left; // rounds that RUN still wants, and their kind
  logic [7:0]  f_op;
  logic        f_free_q; // there was none in the cycle before
  initial f_past_valid = 1'b0;

  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    if (take_q) f_entry_q <= entry_q;
    if (!rst_ni) f_select_q <= '0;
    else if (take_q && s_axil_awaddr_i[4:2] == 3'd3 && s_axil_wstrb_i == 4'hf && s_axil_wdata_i[31:26] == '0) f_select_q <= s_axil_wdata_i[25:0];
    f_free_q <= f_left == '0;
    if (!rst_ni || hold_o) f_left <= '0;
    else if (take_q && s_axil_awaddr_i[4:2] == 3'd6 && s_axil_wstrb_i == 4'hf && s_axil_wdata_i[31:24] == '0 && 32'(s_axil_wdata_i[23:16]) < Ops && f_free_q)
      {f_op, f_left} <= s_axil_wdata_i[23:0];
    else if (taken_i && f_left != '0) f_left <= f_left - 1'b1;
    f_aw_waits   <= rst_ni && s_axil_awvalid_i && !s_axil_awready_o;
    f_w_waits    <= rst_ni && s_axil_wvalid_i && !s_axil_wready_o;
    f_ar_waits   <= rst_ni && s_axil_arvalid_i && !s_axil_arready_o;
    f_awaddr     <= s_axil_awaddr_i;
    f_araddr     <= s_axil_araddr_i;
    f_wdata      <= {s_axil_wstrb_i, s_axil_wdata_i};
    f_held_q     <= rst_ni && held_i && hold_o;
    f_writes     <= rst_ni ? f_writes + 2'(s_axil_awvalid_i && s_axil_awready_o) - 2'(s_axil_bvalid_o && s_axil_bready_i) : '0;
    f_reads      <= rst_ni ? f_reads + 2'(s_axil_arvalid_i && s_axil_arready_o) - 2'(s_axil_rvalid_o && s_axil_rready_i) : '0;
  end

  // What a manager promises: what it offers stays until it is taken. What the fabric promises: it stays held while it is asked to.
  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    if (f_past_valid) begin
      if (f_aw_waits) assume (s_axil_awvalid_i && s_axil_awaddr_i == f_awaddr);
      if (f_w_waits) assume (s_axil_wvalid_i && {s_axil_wstrb_i, s_axil_wdata_i} == f_wdata);
      if (f_ar_waits) assume (s_axil_arvalid_i && s_axil_araddr_i == f_araddr);
      if (f_held_q && rst_ni) assume (held_i);
    end
  end

  always_comb if (f_past_valid) begin
    // An address goes with its data; each is answered once, and nothing else is.
    a_together: assert (!s_axil_awready_o || (s_axil_awvalid_i && s_axil_wready_o && s_axil_wvalid_i) || !rst_ni);
    a_no_lone_word: assert (s_axil_awready_o == s_axil_wready_o);
    a_answers: assert (f_writes == 2'(s_axil_bvalid_o));
    a_tells: assert (f_reads == 2'(s_axil_rvalid_o));
    // Memories are written only while nothing plays, and where they have an entry.
    if (table_we_o && rst_ni) a_table: assert (held_i && !map_we_o && 32'(part_q) < Tables && 32'(f_entry_q) < TableDepth);
    if (map_we_o && rst_ni) a_map: assert (held_i && 32'(part_q) < Nodes && 32'(way_q) < Ways && 32'(f_entry_q) < MapDepth);
    if (commit_q) a_answered: assert (s_axil_bvalid_o && !refused_q && hold_o);
    a_in_entry: assert (word_q <= last_word);
    a_own_numbers: assert (&f_numbers);
    // What is written goes where SELECT and ENTRY say.
    if (rst_ni) a_selected: assert ({kind_q, way_q, part_q} == f_select_q);
    if (table_we_o) a_table_where: assert (f_select_q[25:24] == 2'd0 && 32'(table_sel_o) == 32'(f_select_q[15:0]) && 24'(table_addr_o) == f_entry_q);
    if (map_we_o) a_map_where: assert (f_select_q[25:24] == (map_out_o ? 2'd2 : 2'd1) && 32'(map_node_o) == 32'(f_select_q[15:0])
        && 32'(map_way_o) == 32'(f_select_q[23:16]) && 24'(map_addr_o) == f_entry_q);
    if (commit_q) a_somewhere: assert (table_we_o || map_we_o || f_select_q[25:24] == 2'd3);
    if (rst_ni) a_left: assert (17'(f_left) == (start_o ? 17'(more_q) + 17'd1 : 17'd0) && (!start_o || (32'(op_o) == 32'(f_op) && f_op < 8'(Ops))));
    c_last_round: cover (start_o && taken_i && f_left == 16'd1 && f_op == 8'(Ops - 1) && f_past_valid);
    c_row: cover (table_we_o && RowWords > 1 && 32'(table_addr_o) == TableDepth - 1);
    c_map: cover (map_we_o && map_out_o && 32'(map_way_o) == Ways - 1);
    c_refused: cover (s_axil_bvalid_o && s_axil_bresp_o[1]);
    c_waits: cover (s_axil_bvalid_o && !s_axil_bready_i && s_axil_awvalid_i && s_axil_wvalid_i);
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if (!$past(rst_ni)) a_reset: assert (!s_axil_bvalid_o && !s_axil_rvalid_o && !s_axil_awready_o && !s_axil_arready_o && entry_q == '0 && word_q == '0);
    else begin
      if ($past(s_axil_bvalid_o && !s_axil_bready_i)) a_answer_stays: assert (s_axil_bvalid_o && $stable(s_axil_bresp_o));
      if ($past(s_axil_rvalid_o && !s_axil_rready_i))
        a_value_stays: assert (s_axil_rvalid_o && $stable(s_axil_rresp_o) && $stable(s_axil_rdata_o));
      if ($past(take_q)) a_refused: assert (s_axil_bresp_o == ($past(control_q || select_q || at_entry_q || data_q || run_q) ? 2'b00 : 2'b10));
      // Numbers of rounds change only while held; a refused word changes nothing.
      if (!$stable({last_row_o, base_o, map_base_o})) a_numbers: assert ($past(held_i && commit_q));
      if ($past(take_q && !(control_q || select_q || at_entry_q || data_q || run_q))) a_nothing: assert ($stable({hold_o, word_q, kind_q, way_q, part_q, entry_q}) && !commit_q && (!start_o || $past(start_o)));
      // The last word of an entry is where it belongs, and the others stay.
      if (commit_q) a_last_word: assert (words_q[32'(last_word)*32 +: 32] == $past(s_axil_wdata_i));
      if ($past(take_q && data_q && word_q != '0)) a_kept: assert ($stable(words_q[31:0]));
      if ($past(take_q && data_q && word_q != last_word)) a_more: assert (word_q == $past(word_q) + 1'b1 && $stable(entry_q) && !commit_q);
      if (commit_q) a_counts_on: assert (entry_q == $past(entry_q) + 1'b1 && place_q == PlaceW'($past(entry_q)) && f_entry_q == $past(entry_q));
      // What is read is what was written.
      if ($past(read_q)) begin
        case ($past(s_axil_araddr_i[4:2]))
          3'd0:    a_id: assert (s_axil_rdata_o == Id);
          3'd1:    a_control: assert (s_axil_rdata_o == 32'($past(hold_o)));
          3'd2:    a_status: assert (s_axil_rdata_o == 32'($past({start_o, fault_i, busy_i, held_i})));
          3'd3:    a_select: assert (s_axil_rdata_o == 32'($past(f_select_q)));
          3'd4:    a_entry: assert (s_axil_rdata_o == 32'($past(entry_q)));
          default: a_no_register: assert (s_axil_rdata_o == '0);
        endcase
        a_known: assert (s_axil_rresp_o == ($past(s_axil_araddr_i[4:2]) > 3'd4 ? 2'b10 : 2'b00));
      end
    end
  end
`endif

endmodule
