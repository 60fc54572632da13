// SPDX-License-Identifier: Apache-2.0
//
// Loads the newest whole bank of the SPI flash, else the older one, else leaves what the bitstream brought; then has it
// adopted. Layout and codes: docs/formats/board.md.
//
// Timing: works after reset and after reload_i, a pulse; busy_o covers it. The flash's pins are driven while oe_o is 1.

module crl_loader #(
  parameter int BoardId = 1,
  /// Nodes whose packet memories a payload may fill.
  parameter int Nodes = 8
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        reload_i,
  output logic        busy_o,
  output logic [3:0]  code0_o,       // what became of the banks
  output logic [3:0]  code1_o,
  output logic [1:0]  source_o,      // 0 none, 1 baked in, 2 bank 0, 3 bank 1
  output logic [31:0] sequence_o,

  output logic        req_o,         // writes to crl_memories
  output logic [15:0] addr_o,
  output logic [15:0] wdata_o,
  input  logic        done_i,

  output logic        adopt_o,       // pulse
  input  logic        adopt_busy_i,
  input  logic        adopted_i,

  output logic        oe_o,
  output logic        csn_o,
  output logic        sck_o,
  output logic        mosi_o,
  input  logic        miso_i
);

  localparam logic [31:0] Magic = 32'h424C5243;
  localparam logic [3:0]  NotSeen = 4'd0, Used = 4'd1, Older = 4'd2, Empty = 4'd3, NoMagic = 4'd4, BadHeader = 4'd5,
                          BadVersion = 4'd6, OtherBoard = 4'd7, BadLength = 4'd8, BadPayload = 4'd9, BadRecord = 4'd10,
                          NotAdopted = 4'd11, Good = 4'd15;

  // Wake sends the wake-up; Rest waits for the flash; Command sends a read and its address; Header and Payload take bytes;
  // HeaderEnd and PayloadEnd judge; Write hands a word to the memories.
  typedef enum logic [3:0] {Wake, Rest, Command, Header, HeaderEnd, Payload, Write, PayloadEnd, Pick, Adopt, Adopting,
                            Idle} state_t;
  // What is being read: both headers, then of the bank that is taken the header again, its payload for the CRC, its payload.
  typedef enum logic [2:0] {Look0, Look1, Again, Check, Load} pass_t;
  typedef enum logic [1:0] {RecordAddr, RecordCount, RecordData, RecordPad} record_t;

  state_t      state_q;
  pass_t       pass_q;
  record_t     record_q;
  logic        bank_q, tried_q, ended_q, odd_q;
  logic [6:0]  rest_q;
  logic [2:0]  sent_q;
  logic [15:0] left_q, length_q, addr_q, count_q;
  logic [31:0] word_q, sequence0_q, sequence_q, want_q;
  logic [3:0]  code_q [0:1];
  logic [3:0]  verdict_q;
  logic [1:0]  source_q;
  logic        csn_q;

  logic        spi_start, spi_busy, spi_done;
  logic [7:0]  spi_out, spi_in;
  logic        crc_clear, crc_we, crc_busy, payload_pass, header_bytes, writable;
  logic [31:0] crc, word;
  logic [15:0] half;

  assign busy_o     = state_q != Idle;
  assign code0_o    = code_q[0];
  assign code1_o    = code_q[1];
  assign source_o   = source_q;
  assign sequence_o = source_q[1] ? sequence_q : '0;
  assign oe_o       = rst_ni && busy_o;
  assign csn_o      = csn_q;
  assign req_o      = state_q == Write;
  assign addr_o     = addr_q;
  assign wdata_o    = word_q[31:16];
  assign adopt_o    = state_q == Adopt;

  assign payload_pass = pass_q == Check || pass_q == Load;
  assign header_bytes = state_q == Header && left_q > 16'd4;
  assign word         = {spi_in, word_q[31:8]};
  assign half         = {spi_in, word_q[31:24]};
  assign writable     = addr_q[15:12] == 4'h1 || addr_q[15:12] == 4'hF ||
                        (addr_q[15:12] == 4'h2 && 32'(addr_q[11:8]) < Nodes);

  // ---- bytes

  always_comb begin
    case (state_q)
      Wake:    spi_out = 8'hAB;
      Command:
        case (sent_q)
          3'd0:    spi_out = 8'h03;
          3'd1:    spi_out = {7'b0001000, bank_q};
          3'd2:    spi_out = {7'b0, payload_pass};
          default: spi_out = 8'h00;
        endcase
      default: spi_out = 8'h00;
    endcase
  end

  assign crc_clear = state_q == Command;
  assign crc_we    = spi_done && (header_bytes || state_q == Payload);

  // A byte is asked for when the last one and its CRC are done with.
  assign spi_start = !csn_q && !spi_busy && !spi_done && !crc_busy &&
                     (state_q == Wake || state_q == Command || ((state_q == Header || state_q == Payload) && left_q != '0));

  crl_spi_byte u_spi (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .start_i(spi_start),
    .data_i (spi_out),
    .busy_o (spi_busy),
    .done_o (spi_done),
    .data_o (spi_in),
    .sck_o  (sck_o),
    .mosi_o (mosi_o),
    .miso_i (miso_i)
  );

  crl_crc32 u_crc (
    .clk_i  (clk_i),
    .clear_i(crc_clear),
    .we_i   (crc_we),
    .data_i (spi_in),
    .shift_i(1'b0),
    .busy_o (crc_busy),
    .crc_o  (crc)
  );

  // ---- what to do

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= Wake;
      csn_q     <= 1'b1;
      code_q[0] <= NotSeen;
      code_q[1] <= NotSeen;
      source_q  <= '0;
    end else begin
      case (state_q)
        Idle:
          if (reload_i) begin
            state_q   <= Wake;
            code_q[0] <= NotSeen;
            code_q[1] <= NotSeen;
            source_q  <= '0;
          end

        Wake: begin
          csn_q  <= spi_done;
          rest_q <= '1;
          pass_q <= Look0;
          bank_q <= 1'b0;
          tried_q <= 1'b0;
          if (spi_done) state_q <= Rest;
        end

        // Also the pause between two commands.
        Rest: begin
          csn_q  <= 1'b1;
          sent_q <= '0;
          rest_q <= rest_q - 1'b1;
          if (rest_q == '0) state_q <= Command;
        end

        Command: begin
          csn_q     <= 1'b0;
          left_q    <= payload_pass ? length_q : 16'd32;
          verdict_q <= Good;
          record_q  <= RecordAddr;
          ended_q   <= 1'b0;
          odd_q     <= 1'b0;
          if (spi_done) begin
            sent_q <= sent_q + 1'b1;
            if (sent_q == 3'd3) state_q <= payload_pass ? Payload : Header;
          end
        end

        Header: begin
          if (spi_done) begin
            word_q <= word;
            left_q <= left_q - 1'b1;
            // The first thing that is wrong is reported, but with a wrong CRC nothing else is believed.
            case (left_q)
              16'd29: if (word != Magic) verdict_q <= (&word) ? Empty : NoMagic;
              16'd25: if (verdict_q == Good && word != 32'd1) verdict_q <= BadVersion;
              16'd21: if (verdict_q == Good && word != 32'(BoardId)) verdict_q <= OtherBoard;
              16'd17: sequence_q <= word;
              16'd13: begin
                length_q <= word[15:0];
                if (verdict_q == Good && (word[31:16] != '0 || word[1:0] != '0 || word[15:3] == '0 || word[15:0] > 16'hFF00))
                  verdict_q <= BadLength;
              end
              16'd9:  want_q <= word;
              16'd5:  if (verdict_q == Good && word != '0) verdict_q <= BadVersion;
              default: ;
            endcase
          end
          if (left_q == '0) state_q <= HeaderEnd;
        end

        HeaderEnd: begin
          csn_q   <= 1'b1;
          rest_q  <= 7'd7;
          state_q <= Rest;
          if (verdict_q != Empty && verdict_q != NoMagic && word_q != crc) code_q[bank_q] <= BadHeader;
          else code_q[bank_q] <= verdict_q;
          if (pass_q == Look0) begin
            sequence0_q <= sequence_q;
            pass_q      <= Look1;
            bank_q      <= 1'b1;
          end else if (pass_q == Look1) begin
            state_q <= Pick;
          end else if (verdict_q == Good && word_q == crc) begin
            pass_q <= Check;
          end else begin
            state_q <= Pick;
          end
        end

        // A first choice, or the other bank after the first has failed, or neither.
        Pick: begin
          rest_q  <= 7'd7;
          pass_q  <= Again;
          state_q <= Rest;
          if (code_q[0] == Good && code_q[1] == Good) begin
            bank_q <= sequence_q > sequence0_q;
            code_q[sequence_q > sequence0_q ? 0 : 1] <= Older;
          end else if (code_q[0] == Good || (code_q[0] == Older && tried_q)) begin
            bank_q <= 1'b0;
          end else if (code_q[1] == Good || (code_q[1] == Older && tried_q)) begin
            bank_q <= 1'b1;
          end else begin
            pass_q  <= Look0;
            state_q <= Adopt;
          end
          tried_q <= 1'b1;
        end

        Payload: begin
          if (spi_done) begin
            word_q <= word;
            left_q <= left_q - 1'b1;
            odd_q  <= !odd_q;
            if (odd_q && pass_q == Load && verdict_q == Good) begin
              if (ended_q) verdict_q <= BadRecord;
              case (record_q)
                RecordAddr: begin
                  addr_q   <= half;
                  record_q <= RecordCount;
                end
                RecordCount: begin
                  count_q  <= half;
                  ended_q  <= half == '0 && addr_q == '0;
                  record_q <= (half == '0) ? RecordAddr : RecordData;
                  odd_q    <= 1'b0;
                end
                RecordData: begin
                  if (writable) state_q <= Write;
                  else verdict_q <= BadRecord;
                end
                default: record_q <= RecordAddr;
              endcase
            end
          end else if (left_q == '0) begin
            state_q <= PayloadEnd;
          end
        end

        Write:
          if (done_i) begin
            addr_q  <= addr_q + 1'b1;
            count_q <= count_q - 1'b1;
            state_q <= Payload;
            // Words come in pairs from the record's start, which is where left_q is a multiple of 4.
            if (count_q == 16'd1) record_q <= left_q[1] ? RecordPad : RecordAddr;
          end

        PayloadEnd:
          if (!crc_busy) begin
            csn_q   <= 1'b1;
            rest_q  <= 7'd7;
            state_q <= Pick;
            if (crc != want_q) code_q[bank_q] <= BadPayload;
            else if (pass_q == Check) begin
              pass_q  <= Load;
              state_q <= Rest;
            end else if (verdict_q != Good || !ended_q) code_q[bank_q] <= BadRecord;
            else state_q <= Adopt;
          end

        Adopt: state_q <= Adopting;

        default:
          if (!adopt_busy_i) begin
            state_q <= Idle;
            if (pass_q == Load) begin
              if (adopted_i) begin
                source_q       <= {1'b1, bank_q};
                code_q[bank_q] <= Used;
              end else begin
                code_q[bank_q] <= NotAdopted;
                state_q        <= Pick;
              end
            end else if (adopted_i) begin
              source_q <= 2'd1;
            end
          end
      endcase
    end
  end

endmodule
