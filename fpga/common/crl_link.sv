// SPDX-License-Identifier: Apache-2.0
//
// The host's side of a board: takes requests and answers them. Frames, codes: docs/formats/board.md.
//
// Timing: rx_valid_i is a pulse per byte, tx as in crl_uart_tx. Bytes come and go far slower than the CRC and the memories
// work, so only the search for a reply's words waits for them.

module crl_link #(
  /// Nodes whose packet memories there are.
  parameter int Nodes = 8,
  /// Clocks of silence that end a frame: 2^SilenceW.
  parameter int SilenceW = 18
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        rx_valid_i,
  input  logic [7:0]  rx_data_i,
  output logic        tx_valid_o,
  output logic [7:0]  tx_data_o,
  input  logic        tx_ready_i,

  output logic [5:0]  register_o,        // read at once
  input  logic [15:0] register_data_i,
  output logic        rounds_we_o,       // pulses, with register_wdata_o
  output logic        control_we_o,
  output logic [15:0] register_wdata_o,

  input  logic        playing_i,
  input  logic        loading_i,
  input  logic        in_use_i,

  output logic        req_o,             // crl_memories
  output logic        we_o,
  output logic [15:0] addr_o,
  output logic [15:0] wdata_o,
  input  logic        done_i,
  input  logic [15:0] rdata_i,

  output logic [15:0] errors_o
);

  localparam logic [7:0] RequestSync = 8'hC5, ReplySync = 8'h5C, OpRead = 8'd1, OpWrite = 8'd2;
  localparam logic [3:0] Fine = 4'd0, HeaderCrc = 4'd1, PayloadCrc = 4'd2, BadRequest = 4'd3, BadAddress = 4'd4, Busy = 4'd5,
                         NoSchedule = 4'd6;
  localparam logic [15:0] Rounds = 16'h001C, Control = 16'h001D;

  typedef enum logic [3:0] {Header, Judge, Data, DataCrc, Act, Reply, Fetch, SendLow, SendHigh, SendCrc} state_t;

  state_t              state_q;
  logic [3:0]          at_q;             // byte of a header or of a CRC
  logic [7:0]          op_q, tag_q, zero_q;
  logic [15:0]         base_q, count_q, addr_q, left_q, data_q, errors_q;
  logic [3:0]          status_q;
  logic                bad_q, high_q, req_q;
  logic [SilenceW-1:0] silence_q;
  logic                receiving, in_frame, silent;
  logic                crc_clear, crc_we, crc_shift, crc_busy, sent;
  logic [7:0]          crc_data;
  logic [31:0]         crc;
  logic [16:0]         end_addr;
  logic                is_register, is_memory, is_writable, refused, acts;

  logic unused_bits;
  assign unused_bits = &{1'b0, crc[31:8], end_addr[5:0]};

  assign receiving = state_q == Header || state_q == Data || state_q == DataCrc;
  assign in_frame  = receiving && !(state_q == Header && at_q == '0);
  assign silent    = &silence_q;
  assign errors_o  = errors_q;

  assign register_o       = addr_q[5:0];
  assign register_wdata_o = data_q;
  assign req_o            = req_q;
  assign we_o             = op_q == OpWrite;
  assign addr_o           = addr_q;
  assign wdata_o          = data_q;

  // ---- what is allowed

  assign end_addr    = {1'b0, base_q} + {1'b0, count_q} - 1'b1;
  assign is_register = base_q[15:6] == '0 && end_addr[16:6] == '0;
  assign is_memory   = end_addr[16:12] == {1'b0, base_q[15:12]} &&
                       (base_q[15:12] == 4'h1 || (base_q[15:12] == 4'h2 && 32'(end_addr[11:8]) < Nodes) ||
                        (base_q[15:12] == 4'h3 && op_q == OpRead));
  assign is_writable = count_q == 16'd1 && (base_q == Rounds || base_q == Control);

  // A control write: what is not stop, clear or reset must wait; start needs tables.
  assign refused = base_q == Control && ((loading_i && (data_q[0] || data_q[3] || data_q[4])) ||
                                         (playing_i && (data_q[0] || data_q[3] || data_q[4])));

  assign acts         = state_q == Act && op_q == OpWrite && status_q == Fine;
  assign rounds_we_o  = acts && base_q == Rounds;
  assign control_we_o = acts && base_q == Control && !refused && (in_use_i || !data_q[0]);

  // ---- the bytes of a reply

  always_comb begin
    tx_data_o = crc[7:0];
    if (state_q == Reply) begin
      case (at_q)
        4'd0:    tx_data_o = ReplySync;
        4'd1:    tx_data_o = op_q;
        4'd2:    tx_data_o = tag_q;
        4'd3:    tx_data_o = {4'b0, status_q};
        4'd4:    tx_data_o = base_q[7:0];
        4'd5:    tx_data_o = base_q[15:8];
        4'd6:    tx_data_o = left_q[7:0];
        4'd7:    tx_data_o = left_q[15:8];
        default: tx_data_o = crc[7:0];
      endcase
    end else if (state_q == SendLow) begin
      tx_data_o = data_q[7:0];
    end else if (state_q == SendHigh) begin
      tx_data_o = data_q[15:8];
    end
  end

  assign tx_valid_o = !crc_busy && (state_q == Reply || state_q == SendLow || state_q == SendHigh || state_q == SendCrc);
  assign sent       = tx_valid_o && tx_ready_i;

  assign crc_clear = (state_q == Header && at_q == '0 && !rx_valid_i) || state_q == Judge || state_q == Act ||
                     (state_q == Reply && at_q == 4'd12);
  assign crc_we    = (rx_valid_i && ((state_q == Header && at_q < 4'd8) || state_q == Data)) ||
                     (sent && ((state_q == Reply && at_q < 4'd8) || state_q == SendLow || state_q == SendHigh));
  assign crc_shift = (rx_valid_i && ((state_q == Header && at_q >= 4'd8) || state_q == DataCrc)) ||
                     (sent && ((state_q == Reply && at_q >= 4'd8) || state_q == SendCrc));
  assign crc_data  = receiving ? rx_data_i : tx_data_o;

  crl_crc32 u_crc (
    .clk_i  (clk_i),
    .clear_i(crc_clear),
    .we_i   (crc_we),
    .data_i (crc_data),
    .shift_i(crc_shift),
    .busy_o (crc_busy),
    .crc_o  (crc)
  );

  always_ff @(posedge clk_i) silence_q <= (!rst_ni || rx_valid_i || !in_frame) ? '0 : silence_q + 1'b1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= Header;
      at_q     <= '0;
      req_q    <= 1'b0;
      errors_q <= '0;
    end else begin
      if (done_i) req_q <= 1'b0;

      case (state_q)
        Header:
          if (rx_valid_i && (at_q != '0 || rx_data_i == RequestSync)) begin
            at_q <= at_q + 1'b1;
            case (at_q)
              4'd0:    bad_q <= 1'b0;
              4'd1:    op_q <= rx_data_i;
              4'd2:    tag_q <= rx_data_i;
              4'd3:    zero_q <= rx_data_i;
              4'd4:    base_q[7:0] <= rx_data_i;
              4'd5:    base_q[15:8] <= rx_data_i;
              4'd6:    count_q[7:0] <= rx_data_i;
              4'd7:    count_q[15:8] <= rx_data_i;
              default: if (rx_data_i != crc[7:0]) bad_q <= 1'b1;
            endcase
            if (at_q == 4'd11) state_q <= Judge;
          end

        Judge: begin
          at_q   <= '0;
          addr_q <= base_q;
          left_q <= count_q;
          high_q <= 1'b0;
          if (bad_q) status_q <= HeaderCrc;
          else if ((op_q != OpRead && op_q != OpWrite) || zero_q != '0 || count_q == '0 || count_q > 16'd4096)
            status_q <= BadRequest;
          else if (!(is_memory || (is_register && (op_q == OpRead || is_writable)))) status_q <= BadAddress;
          else if (is_memory && (playing_i || loading_i)) status_q <= Busy;
          else status_q <= Fine;
          bad_q   <= 1'b0;
          state_q <= (op_q == OpWrite && !bad_q && count_q != '0 && count_q <= 16'd4096) ? Data : Act;
        end

        Data:
          if (rx_valid_i) begin
            high_q <= !high_q;
            if (!high_q) begin
              data_q[7:0] <= rx_data_i;
              // The word before went out while this byte came.
              if (left_q != count_q) addr_q <= addr_q + 1'b1;
            end else begin
              data_q[15:8] <= rx_data_i;
              left_q       <= left_q - 1'b1;
              req_q        <= status_q == Fine && is_memory;
              if (left_q == 16'd1) state_q <= DataCrc;
            end
          end

        DataCrc:
          if (rx_valid_i) begin
            at_q <= at_q + 1'b1;
            if (rx_data_i != crc[7:0]) bad_q <= 1'b1;
            if (at_q == 4'd3) begin
              at_q    <= '0;
              state_q <= Act;
              if (status_q == Fine && (bad_q || rx_data_i != crc[7:0])) status_q <= PayloadCrc;
            end
          end

        Act: begin
          if (status_q == Fine && op_q == OpWrite && base_q == Control) begin
            if (refused) status_q <= Busy;
            else if (data_q[0] && !in_use_i) status_q <= NoSchedule;
          end
          if (op_q != OpRead || status_q != Fine) left_q <= '0;
          if ((status_q == HeaderCrc || status_q == PayloadCrc) && !(&errors_q)) errors_q <= errors_q + 1'b1;
          state_q <= Reply;
        end

        Reply:
          if (sent) begin
            at_q <= at_q + 1'b1;
          end else if (at_q == 4'd12) begin
            at_q    <= '0;
            state_q <= (left_q == '0) ? Header : Fetch;
            req_q   <= left_q != '0 && is_memory;
          end

        Fetch:
          if (!is_memory || done_i) begin
            data_q  <= is_memory ? rdata_i : register_data_i;
            state_q <= SendLow;
          end

        SendLow: if (sent) state_q <= SendHigh;

        SendHigh:
          if (sent) begin
            addr_q  <= addr_q + 1'b1;
            left_q  <= left_q - 1'b1;
            state_q <= (left_q == 16'd1) ? SendCrc : Fetch;
            req_q   <= left_q != 16'd1 && is_memory;
          end

        default:
          if (sent) begin
            at_q <= at_q + 1'b1;
            if (at_q == 4'd3) begin
              at_q    <= '0;
              state_q <= Header;
            end
          end
      endcase

      if (silent && in_frame) begin
        state_q <= Header;
        at_q    <= '0;
        if (!(&errors_q)) errors_q <= errors_q + 1'b1;
      end
    end
  end

endmodule
