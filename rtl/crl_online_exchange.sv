// SPDX-License-Identifier: Apache-2.0
//
// Partial exchange: a node of a two-dimensional torus or array that learns by itself in which dimension its line has
// fewer active nodes, and sends its packets along that one first (Varvarigos & Bertsekas 1994, Sec. 4). On a link, packets
// in their first dimension go before those in their second; of one such level, those on their way before its own.
//
// Timing and ports: those of crl_online_broadcast. A word is {class, destination, origin, payload} in bits 56 to 0, or a
// count: bit 63, and bits 12 to 0. Packets end when no node is busy any more, which no node knows.
//
// Registers (load port, while idle): 0 active in bit 0; 1 the node's number; 2 + k {ring, digit, size} of dimension k in
// bits 31, 27 to 16 and 11 to 0; 4 entries a queue may hold; 5 + k the stride of dimension k; 16 + v the payload for
// node v.

module crl_online_exchange #(
  /// Room of each queue, of packets: a power of two, 2 or more.
  parameter int Depth = 64,
  /// Nodes there may be: a power of two.
  parameter int Nodes = 64,
  /// Bits of a place in a queue.
  localparam int AddrW = $clog2(Depth),
  /// Bits of a node's number.
  localparam int NodeW = $clog2(Nodes)
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         start_i,      // pulse; forgets the run before
  output logic         busy_o,       // counts, or has packets to send

  input  logic         load_we_i,
  input  logic [15:0]  load_addr_i,
  input  logic [31:0]  load_data_i,

  input  logic [3:0]   link_valid_i, // port 2k: travelling up along dimension k, 2k + 1: down
  /* verilator lint_off UNUSEDSIGNAL */ // a packet's upper bits are idle
  input  logic [255:0] link_data_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [3:0]   link_valid_o,
  output logic [255:0] link_data_o,

  input  logic [15:0]  read_sel_i,   // what came to stay, by port of arrival
  input  logic [15:0]  read_addr_i,
  output logic         read_valid_o,
  output logic [43:0]  read_data_o,  // {origin, payload}
  output logic         fault_o       // sticky until the next start: a packet was lost
);

  localparam int WordW = 57;
  localparam logic [1:0] Idle = 2'd0, Count = 2'd1, Send = 2'd2;

  // ---- what the node knows

  logic           active_q;
  logic [11:0]    node_q;
  logic [23:0]    size_q, digit_q, stride_q;
  logic [1:0]     ring_q;
  logic [AddrW:0] limit_q;
  logic [31:0]    payload_mem [0:Nodes-1];
  logic [NodeW-1:0] payload_at;
  assign payload_at = NodeW'(load_addr_i - 16'd16);
  always_ff @(posedge clk_i) begin
    if (load_we_i && load_addr_i == 16'd0) active_q <= load_data_i[0];
    if (load_we_i && load_addr_i == 16'd1) node_q <= load_data_i[11:0];
    for (int k = 0; k < 2; k++) begin
      if (load_we_i && load_addr_i == 16'(2 + k)) begin
        ring_q[k]           <= load_data_i[31];
        digit_q[k*12 +: 12] <= load_data_i[27:16];
        size_q[k*12 +: 12]  <= load_data_i[11:0];
      end
      if (load_we_i && load_addr_i == 16'(5 + k)) stride_q[k*12 +: 12] <= load_data_i[11:0];
    end
    if (load_we_i && load_addr_i == 16'd4) limit_q <= load_data_i[AddrW:0];
    if (load_we_i && load_addr_i >= 16'd16) payload_mem[payload_at] <= load_data_i;
  end

  // ---- phases

  logic [1:0]  phase_q, prev_phase_q;
  logic [11:0] slot_q, longest;
  logic        open_q;
  logic        waiting; // a queue or a supply has something
  assign longest = size_q[11:0] > size_q[23:12] ? size_q[11:0] : size_q[23:12];
  assign busy_o  = phase_q == Count || waiting || link_valid_o != 4'd0;
  always_ff @(posedge clk_i) begin
    prev_phase_q <= phase_q;
    if (!rst_ni || start_i) begin
      phase_q      <= rst_ni ? Count : Idle;
      prev_phase_q <= Idle;
      slot_q       <= '0;
      open_q       <= 1'b0;
    end else begin
      slot_q <= slot_q + 12'd1;
      open_q <= 1'b0;
      if (phase_q == Count && slot_q + 12'd2 >= longest) begin
        phase_q <= Send;
        open_q  <= 1'b1;
      end
    end
  end

  // ---- counting: every line by itself, both dimensions at once

  logic [25:0] sum_q, sum;
  logic [3:0]  counted, count_send;
  logic [51:0] count_word;
  logic        class_q, own_class;
  assign counted = prev_phase_q == Count ? link_valid_i : 4'd0;
  for (genvar k = 0; k < 2; k++) begin : gen_count
    logic [11:0] last, to_top, digit;
    assign digit  = digit_q[k*12 +: 12];
    assign last   = size_q[k*12 +: 12] - 12'd1;
    assign to_top = last - digit;
    assign sum[k*13 +: 13] = sum_q[k*13 +: 13] + (counted[2*k] ? link_data_i[k*128 +: 13] : 13'd0) +
                             (counted[2*k+1] ? link_data_i[k*128+64 +: 13] : 13'd0);
    assign count_send[2*k]   = phase_q == Count && slot_q == digit && to_top != 12'd0;
    assign count_send[2*k+1] = phase_q == Count && slot_q == to_top && digit != 12'd0;
    assign count_word[2*k*13 +: 13]     = 13'(active_q) + (digit != 12'd0 ? link_data_i[k*128 +: 13] : 13'd0);
    assign count_word[(2*k+1)*13 +: 13] = 13'(active_q) + (to_top != 12'd0 ? link_data_i[k*128+64 +: 13] : 13'd0);
  end
  assign own_class = open_q ? sum[25:13] < sum[12:0] : class_q;
  always_ff @(posedge clk_i) begin
    sum_q   <= !rst_ni || start_i ? '0 : sum;
    class_q <= own_class;
  end

  // ---- what comes in: to stay, straight on, or into the other dimension

  logic [3:0]   came, stays, level;      // level: 1 in its second dimension
  logic [15:0]  wants;                   // [in][out]
  logic [227:0] in_word;
  assign came = prev_phase_q == Send ? link_valid_i : 4'd0;
  for (genvar i = 0; i < 4; i++) begin : gen_arrival
    localparam int K = i / 2;
    localparam int O = 1 - K;
    logic [11:0] dest, to, other, forward;
    logic        here, there, goes_up;
    assign in_word[i*WordW +: WordW] = link_data_i[i*64 +: WordW];
    assign dest     = link_data_i[i*64+44 +: 12];
    assign level[i] = link_data_i[i*64+56] != 1'(K);
    assign to       = dest / stride_q[K*12 +: 12] % size_q[K*12 +: 12];
    assign other    = dest / stride_q[O*12 +: 12] % size_q[O*12 +: 12];
    assign here     = to == digit_q[K*12 +: 12];
    assign there    = level[i] || other == digit_q[O*12 +: 12];
    assign stays[i] = came[i] && here && there;
    assign forward  = other >= digit_q[O*12 +: 12] ? other - digit_q[O*12 +: 12]
                                                   : other + size_q[O*12 +: 12] - digit_q[O*12 +: 12];
    assign goes_up  = !ring_q[O] ? other > digit_q[O*12 +: 12]
                                 : {forward, 1'b0} < {1'b0, size_q[O*12 +: 12]} ||
                                   ({forward, 1'b0} == {1'b0, size_q[O*12 +: 12]} &&
                                    dest[0] == link_data_i[i*64+32]);
    assign wants[i*4+i]       = came[i] && !here;
    assign wants[i*4+(i^1)]   = 1'b0; // nothing turns back
    assign wants[i*4+2*O]     = came[i] && here && !there && goes_up;
    assign wants[i*4+2*O+1]   = came[i] && here && !there && !goes_up;
  end

  // ---- what has come to stay

  logic [3:0]   full, read_valid;
  logic [175:0] read_data;
  for (genvar i = 0; i < 4; i++) begin : gen_store
    logic [43:0]    mem [0:Nodes-1];
    logic [NodeW:0] held_q;
    assign full[i] = held_q == (NodeW+1)'(Nodes);
    always_ff @(posedge clk_i) begin
      if (stays[i] && !full[i]) mem[held_q[NodeW-1:0]] <= in_word[i*WordW +: 44];
      if (!rst_ni || start_i) held_q <= '0;
      else held_q <= held_q + (NodeW+1)'(stays[i] && !full[i]);
    end
    assign read_valid[i]         = read_addr_i < 16'(held_q);
    assign read_data[i*44 +: 44] = mem[read_addr_i[NodeW-1:0]];
  end
  assign read_valid_o = read_sel_i < 16'd4 && read_valid[read_sel_i[1:0]];
  assign read_data_o  = read_data[32'(read_sel_i[1:0])*44 +: 44];

  // ---- queues, 4 a port o: of packets in their first dimension, which go straight on; of packets in their second, one
  // a port of arrival in ascending order (o itself, and both of the other dimension)

  logic [15:0]         push, valid, pop, over;
  logic [16*WordW-1:0] head;
  for (genvar n = 0; n < 16; n++) begin : gen_queue
    localparam int Out = n / 4;
    localparam int Q = n % 4;
    localparam int In = Q == 0 ? Out : Out < 2 ? (Q == 1 ? Out : Q) : (Q == 3 ? Out : Q - 1);
    if (Q == 0) begin : gen_first
      assign push[n] = wants[In*4+Out] && !level[In];
    end else begin : gen_second
      assign push[n] = wants[In*4+Out] && (In != Out || level[In]);
    end
    crl_online_queue #(
      .Width(WordW),
      .Depth(Depth)
    ) u_queue (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(start_i),
      .limit_i(limit_q),
      .push_i (push[n]),
      .data_i (in_word[In*WordW +: WordW]),
      .pop_i  (pop[n]),
      .valid_o(valid[n]),
      .data_o (head[n*WordW +: WordW]),
      .lost_o (over[n])
    );
  end

  // ---- what leaves by each port

  logic [3:0]   own_valid, own_first, own_pop, leaves;
  logic [47:0]  own_dest;
  logic [227:0] out_word;
  for (genvar o = 0; o < 4; o++) begin : gen_out
    localparam int K = o / 2;
    localparam int O = 1 - K;
    assign own_first[o] = own_class == 1'(K);
    crl_online_supply #(
      .Down(o % 2)
    ) u_supply (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni && !start_i),
      .open_i        (open_q),
      .active_i      (active_q),
      .both_i        (own_first[o]),
      .pop_i         (own_pop[o]),
      .node_i        (node_q),
      .size_i        (size_q[K*12 +: 12]),
      .digit_i       (digit_q[K*12 +: 12]),
      .ring_i        (ring_q[K]),
      .stride_i      (stride_q[K*12 +: 12]),
      .other_size_i  (size_q[O*12 +: 12]),
      .other_digit_i (digit_q[O*12 +: 12]),
      .other_stride_i(stride_q[O*12 +: 12]),
      .valid_o       (own_valid[o]),
      .dest_o        (own_dest[o*12 +: 12])
    );

    // In this order: first dimension on its way, own; second dimension on its way, own.
    logic sends, no_own;
    logic [WordW-1:0] own_word;
    assign sends         = phase_q == Send;
    assign no_own        = sends && !valid[o*4] && !(own_valid[o] && own_first[o]);
    assign pop[o*4]      = sends && valid[o*4];
    assign pop[o*4+1]    = no_own && valid[o*4+1];
    assign pop[o*4+2]    = no_own && valid[o*4+2] && !valid[o*4+1];
    assign pop[o*4+3]    = no_own && valid[o*4+3] && !valid[o*4+1] && !valid[o*4+2];
    assign leaves[o]     = sends && (valid[o*4 +: 4] != 4'd0 || own_valid[o]);
    assign own_pop[o]    = leaves[o] && pop[o*4 +: 4] == 4'd0;
    assign own_word      = {own_class, own_dest[o*12 +: 12], node_q, payload_mem[own_dest[o*12 +: NodeW]]};
    assign out_word[o*WordW +: WordW] = pop[o*4]   ? head[o*4*WordW +: WordW]
                                      : pop[o*4+1] ? head[(o*4+1)*WordW +: WordW]
                                      : pop[o*4+2] ? head[(o*4+2)*WordW +: WordW]
                                      : pop[o*4+3] ? head[(o*4+3)*WordW +: WordW] : own_word;
  end
  assign waiting = leaves != 4'd0;

  always_ff @(posedge clk_i) begin
    link_valid_o <= !rst_ni || start_i ? 4'd0 : count_send | leaves;
    for (int o = 0; o < 4; o++)
      link_data_o[o*64 +: 64] <= phase_q == Count ? {1'b1, 50'd0, count_word[o*13 +: 13]}
                                                  : {7'd0, out_word[o*WordW +: WordW]};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) fault_o <= 1'b0;
    else fault_o <= fault_o || over != 16'd0 || (stays & full) != 4'd0;
  end

endmodule
