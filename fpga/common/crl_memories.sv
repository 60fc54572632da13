// SPDX-License-Identifier: Apache-2.0
//
// The board's memories behind one port of 16-bit words: tables, packet memories (which belong to the routers and are
// reached through service_*), trace. Address map: docs/formats/board.md.
//
// Timing: the caller holds req_i, we_i, addr_i and wdata_i until done_o, a pulse with rdata_o, and drops req_i with it. Not to
// be used while the tables play.

module crl_memories #(
  /// 16-bit words of a line of the tables, and of the trace.
  parameter int TableWords = 13,
  parameter int TraceWords = 9,
  /// Initial contents of the tables, see crl_line_memory.
  parameter InitFile = "",
  localparam int TableWordW = $clog2(TableWords),
  localparam int TraceWordW = $clog2(TraceWords)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     req_i,
  input  logic                     we_i,
  input  logic [15:0]              addr_i,
  input  logic [15:0]              wdata_i,
  output logic                     done_o,
  output logic [15:0]              rdata_o,

  output logic                     table_changes_o,  // pulse

  input  logic                     playing_i,
  input  logic [7:0]               play_line_i,
  output logic [16*TableWords-1:0] line_o,

  input  logic                     trace_we_i,
  input  logic [7:0]               trace_line_i,
  input  logic [16*TraceWords-1:0] trace_data_i,

  output logic                     service_req_o,    // a word of a packet memory, see crl_board_fabric
  input  logic                     service_ack_i,
  input  logic [15:0]              service_rdata_i
);

  localparam logic [3:0] Tables = 4'h1, Packets = 4'h2, Trace = 4'h3;

  typedef enum logic [2:0] {Idle, Fetch, Service, Release, Done} state_t;

  state_t                   state_q;
  logic [15:0]              rdata_q;
  logic [7:0]               table_line;
  logic [16*TraceWords-1:0] trace_line;
  logic [15:0]              table_word [0:(1<<TableWordW)-1];
  logic [15:0]              trace_word [0:(1<<TraceWordW)-1];

  logic unused_addr;
  assign unused_addr = addr_i[11];

  assign table_line      = addr_i[TableWordW +: 8];
  assign table_changes_o = state_q == Idle && req_i && we_i && addr_i[15:12] == Tables;
  assign service_req_o   = state_q == Service;
  assign done_o          = state_q == Done;
  assign rdata_o         = rdata_q;

  crl_line_memory #(
    .Words   (TableWords),
    .InitFile(InitFile)
  ) u_tables (
    .clk_i       (clk_i),
    .we_i        (table_changes_o),
    .write_line_i(table_line),
    .write_word_i(addr_i[TableWordW-1:0]),
    .data_i      (wdata_i),
    .line_addr_i (playing_i ? play_line_i : table_line),
    .line_o      (line_o)
  );

  crl_ram #(
    .DataW(16 * TraceWords),
    .Depth(256)
  ) u_trace (
    .clk_i  (clk_i),
    .we_i   (trace_we_i),
    .waddr_i(trace_line_i),
    .wdata_i(trace_data_i),
    .re_i   (1'b1),
    .raddr_i(addr_i[TraceWordW +: 8]),
    .rdata_o(trace_line)
  );

  for (genvar c = 0; c < (1 << TableWordW); c++) begin : gen_table_word
    if (c < TableWords) begin : gen_there
      assign table_word[c] = line_o[16*c +: 16];
    end else begin : gen_none
      assign table_word[c] = '0;
    end
  end

  for (genvar c = 0; c < (1 << TraceWordW); c++) begin : gen_trace_word
    if (c < TraceWords) begin : gen_there
      assign trace_word[c] = trace_line[16*c +: 16];
    end else begin : gen_none
      assign trace_word[c] = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      case (state_q)
        Idle:
          if (req_i) begin
            if (addr_i[15:12] == Packets) state_q <= Service;
            else state_q <= we_i ? Done : Fetch;
          end
        Fetch:   state_q <= Done;
        Service: if (service_ack_i) state_q <= Release;
        Release: if (!service_ack_i) state_q <= Done;
        default: state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Service) rdata_q <= service_rdata_i;
    else if (state_q == Fetch)
      rdata_q <= (addr_i[15:12] == Trace) ? trace_word[addr_i[TraceWordW-1:0]] : table_word[addr_i[TableWordW-1:0]];
  end

endmodule
