// SPDX-License-Identifier: Apache-2.0
//
// Steps through the entries of a round's map, over and over. Bit 0 of an entry says that it is the round's last one.
//
// Timing: there_o from two edges after reset on; then step_i at an edge brings the next entry after it. The entries are read
// two steps ahead, so behind a round's last entry the memory holds the first one once more.

module crl_stream_map #(
  /// Bits of an entry.
  parameter int Width = 11,
  /// Entries of the memory, 2 or more: one more than the longest round has; with Based, two more than all rounds have.
  parameter int Depth = 256,
  /// File for $readmemh with exactly Depth entries; empty: the map is loaded through its port.
  parameter InitFile = "",
  /// 1: the entries are Init, the first one in its lowest bits, as of crl_ram.
  parameter int Inline = 0,
  parameter Init = 1'b0,
  /// 1: in memory a 1 stands above each entry, in the file, too, so that a memory that nobody has loaded shows.
  parameter int Marked = 0,
  /// 1: a round's entries are those from base_i on, and reset comes between rounds; 0: base_i counts as 0.
  parameter int Based = 0,
  /// Steps of an entry, which are numbered.
  parameter int Words = 1,
  localparam int BeatV = (Words > 1) ? $clog2(Words) : 1,
  /// Bits of an entry's number.
  localparam int AddrW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [AddrW-1:0] base_i,    // with the last edge of reset

  input  logic             we_i,      // load port; only in reset
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,

  input  logic             step_i,    // only while there_o
  output logic             there_o,   // entry_o counts
  output logic [Width-1:0] entry_o,
  output logic [BeatV-1:0] beat_o,    // the step,
  output logic             whole_o,   //   and it is the entry's last one
  output logic             turn_o,    // the next entry comes
  output logic             next_there_o, // it counts then,
  output logic [Width-1:0] next_o,    //   this one
  output logic             unloaded_o // with Marked: the memory's entry is none
);

  logic             read_q, there_q, step;
  logic [AddrW-1:0] next_q;
  logic [AddrW-1:0] first;
  logic [Width-1:0] read, entry_q;

  if (Depth < 2) begin : gen_bad_depth
    crl_error_depth_must_be_2_or_more u_error ();
  end

  if (Based != 0) begin : gen_based
    assign first = base_i;
  end else begin : gen_from_0
    logic unused_base;
    assign unused_base = &{1'b0, base_i};
    assign first = '0;
  end

  if (Words > 1) begin : gen_beats
    logic [BeatV-1:0] beat_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) beat_q <= '0;
      else if (step_i) beat_q <= whole_o ? '0 : beat_q + 1'b1;
    end
    assign beat_o  = beat_q;
    assign whole_o = beat_q == BeatV'(Words - 1);
  end else begin : gen_one_beat
    assign beat_o  = '0;
    assign whole_o = 1'b1;
  end

  assign step = (step_i && whole_o) || !there_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q  <= 1'b0;
      there_q <= 1'b0;
      next_q  <= first;
    end else begin
      read_q  <= 1'b1;
      there_q <= read_q;
      // What is being read is entry 0, where the last one has been read.
      if (step) next_q <= (read[0] && Based == 0) ? AddrW'(1) : next_q + 1'b1;
    end
    if (step) entry_q <= read;
  end

  assign there_o = there_q;
  assign entry_o = entry_q;
  assign turn_o  = step;
  assign next_there_o = read_q;
  assign next_o  = read;

  localparam int MemW = Width + Marked;
  logic [MemW-1:0] word;
  assign read       = word[Width-1:0];
  assign unloaded_o = Marked != 0 && read_q && word[MemW-1] !== 1'b1; // an undefined mark is none

  crl_ram #(
    .DataW   (MemW),
    .Depth   (Depth),
    .InitFile(InitFile),
    .Inline  (Inline),
    .Init    (Init)
  ) u_entries (
    .clk_i  (clk_i),
    .we_i   (we_i),
    .waddr_i(waddr_i),
    .wdata_i(MemW'({1'b1, wdata_i})),
    .re_i   (step),
    .raddr_i(next_q),
    .rdata_o(word)
  );

`ifdef FORMAL
  // For any contents: proved with the memory taken out. Which entry it is, of a round of any length.
  logic             f_past_valid, f_first;
  logic [AddrW-1:0] f_at, f_read_at, f_base;
  initial f_past_valid = 1'b0;

  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    f_first      <= !rst_ni || (f_first && !step_i);
    if (!rst_ni) f_base <= (Based != 0) ? base_i : '0;
    if (step) begin
      f_read_at <= (read_q && read[0] && Based == 0) ? '0 : next_q;
      f_at      <= f_read_at;
    end
  end

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
`ifdef FORMAL_TOP_crl_stream_map
    if (!there_q) assume (!step_i);
`else
    // Proved where the map is used: crl_stream_in, crl_stream_out.
    if (f_past_valid && !there_q) a_no_step: assert (!step_i);
`endif
    if (we_i) assume (32'(waddr_i) < Depth);
    if (Based != 0) begin
      assume (32'(base_i) < Depth - 2);
      if (there_q && entry_o[0] && step_i) assume (!rst_ni);
      if (there_q && f_at == AddrW'(Depth - 3)) assume (entry_o[0]);
    end
    // There are as many entries as the memory has, less one.
    if (Based == 0 && read_q && f_read_at == AddrW'(Depth - 2)) assume (read[0]);
  end

  always_comb if (f_past_valid) begin
    a_loaded: assert (unloaded_o == (Marked != 0 && read_q && !word[MemW-1]));
    if (read_q) a_in_memory: assert (32'(next_q) < Depth && next_q == f_read_at + 1'b1);
    if (there_q) a_ahead: assert (f_read_at == ((entry_o[0] && Based == 0) ? '0 : f_at + 1'b1));
    if (f_first) a_base: assert (f_base == (there_q ? f_at : read_q ? f_read_at : next_q));
    c_again: cover (there_q && f_first && (f_at != '0 || Based == 0));
    c_wrapped: cover (there_q && f_at == AddrW'(Depth - 2 - Based) && (f_read_at == '0 || Based != 0));
  end

  always_ff @(posedge clk_i) if (f_past_valid && $past(rst_ni && there_q) && (Based == 0 || there_q)) begin
    if ($past(turn_o)) a_turns: assert (entry_o == $past(next_o));
    if (!$past(turn_o)) a_stays: assert (entry_o == $past(entry_o) && f_at == $past(f_at));
    else a_order: assert (f_at == ($past(entry_o[0]) ? '0 : $past(f_at) + 1'b1));
  end
`endif

endmodule
