// SPDX-License-Identifier: Apache-2.0
//
// Puts the tables in memory to use if they are whole: reads their descriptor (docs/formats/board.md), and compares the CRC of
// all words of their rows with it.
//
// Timing: start_i is a pulse; busy_o follows it; result_o counts when busy_o falls, and good_o says that it is 0.

module crl_adopt #(
  /// 16-bit words of a line of the tables.
  parameter int TableWords = 13,
  /// Lines a row.
  parameter int Steps = 1,
  localparam int WordW = $clog2(TableWords)
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        start_i,
  input  logic        revoke_i,       // the tables change: they are in use no more
  output logic        busy_o,
  output logic        in_use_o,
  output logic [3:0]  result_o,       // 0 fine, 1 no descriptor, 2 impossible rows, 3 CRC
  output logic [7:0]  rows_o,         // these say nothing while in_use_o is 0
  output logic [31:0] identity_o,

  output logic        req_o,          // reads of crl_memories
  output logic [15:0] addr_o,
  input  logic        done_i,
  input  logic [15:0] rdata_i
);

  localparam logic [15:0] Magic = 16'h4C43;
  localparam int          RowsMax = 256 / Steps - 1;

  typedef enum logic [2:0] {Idle, Describe, Fetch, Low, High, Compare} state_t;

  state_t           state_q;
  logic [7:0]       line_q, rows_q;
  logic [WordW-1:0] word_q;
  logic [31:0]      want_q, identity_q;
  logic [15:0]      high_q;
  logic             in_use_q;
  logic [3:0]       result_q;
  logic             crc_clear, crc_we, crc_busy, last_word, last_line, beyond;
  logic [7:0]       crc_data;
  logic [31:0]      crc;

  assign busy_o     = state_q != Idle;
  assign in_use_o   = in_use_q;
  assign result_o   = result_q;
  assign rows_o     = rows_q;
  assign identity_o = identity_q;

  assign req_o     = state_q == Describe || state_q == Fetch;
  assign addr_o    = 16'h1000 | 16'({line_q, word_q});
  assign last_word = 32'(word_q) == TableWords - 1;
  assign last_line = 32'(line_q) == 32'(rows_q) * Steps - 1;

  assign crc_clear = state_q == Idle;
  assign crc_we    = !crc_busy && (state_q == Low || state_q == High);
  assign crc_data  = (state_q == Low) ? high_q[7:0] : high_q[15:8];

  if (RowsMax < 255) begin : gen_beyond
    assign beyond = rows_q > 8'(RowsMax);
  end else begin : gen_no_beyond
    assign beyond = 1'b0;
  end

  crl_crc32 u_crc (
    .clk_i  (clk_i),
    .clear_i(crc_clear),
    .we_i   (crc_we),
    .data_i (crc_data),
    .shift_i(1'b0),
    .busy_o (crc_busy),
    .crc_o  (crc)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      in_use_q <= 1'b0;
      result_q <= '0;
    end else begin
      if (revoke_i) in_use_q <= 1'b0;
      case (state_q)
        Idle: begin
          line_q <= 8'hFF;
          word_q <= '0;
          if (start_i) begin
            state_q  <= Describe;
            in_use_q <= 1'b0;
            result_q <= '0;
          end
        end
        Describe:
          if (done_i) begin
            word_q <= word_q + 1'b1;
            case (word_q[2:0])
              3'd0: if (rdata_i != Magic) result_q <= 4'd1;
              3'd1: rows_q <= rdata_i[7:0];
              3'd2: begin
                if (rdata_i != {8'hFF, ~rows_q}) result_q <= 4'd1;
                else if (result_q == '0 && (rows_q == '0 || beyond)) result_q <= 4'd2;
              end
              3'd3, 3'd4: want_q <= {rdata_i, want_q[31:16]};
              default:    identity_q <= {rdata_i, identity_q[31:16]};
            endcase
            if (word_q[2:0] == 3'd6) begin
              state_q <= (result_q == '0) ? Fetch : Idle;
              line_q  <= '0;
              word_q  <= '0;
            end
          end
        Fetch:
          if (done_i) begin
            high_q  <= rdata_i;
            state_q <= Low;
          end
        Low:  if (!crc_busy) state_q <= High;
        High:
          if (!crc_busy) begin
            word_q  <= last_word ? '0 : word_q + 1'b1;
            line_q  <= line_q + 8'(last_word);
            state_q <= (last_word && last_line) ? Compare : Fetch;
          end
        default:
          if (!crc_busy) begin
            state_q  <= Idle;
            in_use_q <= crc == want_q;
            result_q <= (crc == want_q) ? 4'd0 : 4'd3;
          end
      endcase
    end
  end

endmodule
