// SPDX-License-Identifier: Apache-2.0
//
// Partial exchange: a node of a torus or an array that learns by itself along which dimension its line has the fewest
// active nodes, and sends its packets along that one first, then along the others in cyclic order (Varvarigos & Bertsekas
// 1994, Sec. 4, which has two dimensions). On a link, packets for which it is the first dimension go before those for
// which it is the second, and so on; of one such level, those on their way before its own.
//
// Timing and ports: those of crl_online_broadcast. A word is {class, destination, origin, payload} in bits 58 to 0, or a
// count: bit 63, and bits 12 to 0. Packets end when no node is busy any more, which no node knows.
//
// Registers (load port, while idle): 0 active in bit 0; 1 the node's number; 2 + k {ring, digit, size} of dimension k in
// bits 31, 27 to 16 and 11 to 0; 10 entries a queue may hold; 16 + v the payload for node v.

module crl_online_exchange #(
  /// Dimensions, 1 to 8.
  parameter int Dims = 2,
  /// Room of each queue, of packets: a power of two, 2 or more.
  parameter int Depth = 64,
  /// Nodes there may be: a power of two.
  parameter int Nodes = 64,
  /// Bits of a place in a queue.
  localparam int AddrW = $clog2(Depth),
  /// Bits of a node's number.
  localparam int NodeW = $clog2(Nodes)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 start_i,      // pulse; forgets the run before
  output logic                 busy_o,       // counts, or has packets to send

  input  logic                 load_we_i,
  input  logic [15:0]          load_addr_i,
  input  logic [31:0]          load_data_i,

  input  logic [2*Dims-1:0]    link_valid_i, // port 2k: travelling up along dimension k, 2k + 1: down
  /* verilator lint_off UNUSEDSIGNAL */ // a packet's upper bits are idle
  input  logic [2*Dims*64-1:0] link_data_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [2*Dims-1:0]    link_valid_o,
  output logic [2*Dims*64-1:0] link_data_o,

  input  logic [15:0]          read_sel_i,   // what came to stay, by port of arrival
  input  logic [15:0]          read_addr_i,
  output logic                 read_valid_o,
  output logic [43:0]          read_data_o,  // {origin, payload}
  output logic                 fault_o       // sticky until the next start: a packet was lost
);

  localparam int Ports = 2 * Dims;
  localparam int WordW = 59;
  localparam int Queues = Dims * Ports; // a port: by level, then by port of arrival; not all are there
  localparam logic [1:0] Idle = 2'd0, Count = 2'd1, Send = 2'd2;

  if (Dims < 1 || Dims > 8) begin : gen_bad_dims
    crl_error_dims_must_be_1_to_8 u_error ();
  end

  // ---- what the node knows

  logic               active_q;
  logic [11:0]        node_q;
  logic [Dims*12-1:0] size_q, digit_q, stride;
  logic [Dims-1:0]    ring_q;
  logic [AddrW:0]     limit_q;
  logic [31:0]        payload_mem [0:Nodes-1];
  logic [NodeW-1:0]   payload_at;
  logic [11:0]        longest, product;
  assign payload_at = NodeW'(load_addr_i - 16'd16);
  always_ff @(posedge clk_i) begin
    if (load_we_i && load_addr_i == 16'd0) active_q <= load_data_i[0];
    if (load_we_i && load_addr_i == 16'd1) node_q <= load_data_i[11:0];
    for (int k = 0; k < Dims; k++)
      if (load_we_i && load_addr_i == 16'(2 + k)) begin
        ring_q[k]           <= load_data_i[31];
        digit_q[k*12 +: 12] <= load_data_i[27:16];
        size_q[k*12 +: 12]  <= load_data_i[11:0];
      end
    if (load_we_i && load_addr_i == 16'd10) limit_q <= load_data_i[AddrW:0];
    if (load_we_i && load_addr_i >= 16'd16) payload_mem[payload_at] <= load_data_i;
  end
  always_comb begin
    longest = '0;
    product = 12'd1;
    for (int k = 0; k < Dims; k++) begin
      if (size_q[k*12 +: 12] > longest) longest = size_q[k*12 +: 12];
      stride[k*12 +: 12] = product;
      product            = 12'(product * size_q[k*12 +: 12]);
    end
  end

  // ---- phases

  logic [1:0]  phase_q, prev_phase_q;
  logic [11:0] slot_q;
  logic        open_q;
  logic        waiting; // a queue or a supply has something
  assign busy_o = phase_q == Count || waiting || link_valid_o != '0;
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

  // ---- counting: every line by itself, all dimensions at once

  logic [Dims*13-1:0]  sum_q, sum;
  logic [Ports-1:0]    counted, count_send;
  logic [Ports*13-1:0] count_word;
  logic [2:0]          class_q, own_class;
  logic [12:0]         first_sum, fewest;
  assign counted = prev_phase_q == Count ? link_valid_i : '0;
  for (genvar k = 0; k < Dims; k++) begin : gen_count
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
  assign first_sum = sum[12:0];
  always_comb begin
    own_class = class_q;
    fewest    = first_sum;
    if (open_q) own_class = '0;
    for (int k = 1; k < Dims; k++)
      if (open_q && sum[k*13 +: 13] < fewest) begin
        own_class = 3'(k);
        fewest    = sum[k*13 +: 13];
      end
  end
  always_ff @(posedge clk_i) begin
    sum_q   <= !rst_ni || start_i ? '0 : sum;
    class_q <= own_class;
  end

  // ---- what comes in: to stay, straight on, or into a dimension that its class crosses later

  logic [Ports-1:0]       came, stays;
  logic [Ports*3-1:0]     kind;  // its class
  logic [Ports*Ports-1:0] wants; // [in][out]
  logic [Ports*WordW-1:0] in_word;
  assign came = prev_phase_q == Send ? link_valid_i : '0;
  for (genvar i = 0; i < Ports; i++) begin : gen_arrival
    localparam int K = i / 2;
    logic [11:0]      dest;
    logic [3:0]       later; // dimensions that it may still turn into
    logic [Dims-1:0]  here, up, odd;
    logic [Ports-1:0] ahead, goes;
    assign in_word[i*WordW +: WordW] = link_data_i[i*64 +: WordW];
    assign dest         = link_data_i[i*64+44 +: 12];
    assign kind[i*3 +: 3] = link_data_i[i*64+56 +: 3];
    assign later        = kind[i*3 +: 3] > 3'(K) ? {1'b0, kind[i*3 +: 3]} - 4'(K + 1)
                                                 : {1'b0, kind[i*3 +: 3]} + 4'(Dims - 1 - K);
    for (genvar k = 0; k < Dims; k++) begin : gen_way
      logic [11:0] size, to, forward;
      assign size    = size_q[k*12 +: 12];
      assign to      = dest / stride[k*12 +: 12] % size;
      assign here[k] = to == digit_q[k*12 +: 12];
      assign odd[k]  = to[0];
      assign forward = to >= digit_q[k*12 +: 12] ? to - digit_q[k*12 +: 12] : to + size - digit_q[k*12 +: 12];
      // Half way round a ring, up to where the digits have an even sum.
      assign up[k]   = !ring_q[k] ? to > digit_q[k*12 +: 12]
                                  : {forward, 1'b0} < {1'b0, size} || ({forward, 1'b0} == {1'b0, size} && !(^odd));
    end
    assign ahead = Ports'(!here[K]) << i;
    always_comb begin
      goes = ahead; // nothing turns back
      for (int j = 1; j < Dims; j++)
        if (goes == '0 && 4'(j) <= later && !here[(K + j) % Dims])
          goes[(K + j) % Dims * 2 +: 2] = up[(K + j) % Dims] ? 2'b01 : 2'b10;
    end
    assign stays[i]                = came[i] && goes == '0;
    assign wants[i*Ports +: Ports] = came[i] ? goes : '0;
  end

  // ---- what has come to stay

  logic [Ports-1:0]    full, read_valid;
  logic [Ports*44-1:0] read_data;
  for (genvar i = 0; i < Ports; i++) begin : gen_store
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
  always_comb begin
    read_valid_o = 1'b0;
    read_data_o  = '0;
    for (int i = 0; i < Ports; i++)
      if (read_sel_i == 16'(i)) begin
        read_valid_o = read_valid[i];
        read_data_o  = read_data[i*44 +: 44];
      end
  end

  // ---- queues of a port, by level and port of arrival: straight on, or out of a dimension that its class crossed before.
  // Level and dimension say which class that is.

  logic [Ports*Queues-1:0]       valid, pop, over;
  logic [Ports*Queues*WordW-1:0] head;
  for (genvar o = 0; o < Ports; o++) begin : gen_queue
    for (genvar l = 0; l < Dims; l++) begin : gen_level
      localparam int Kind = (o / 2 + Dims - l) % Dims;
      for (genvar i = 0; i < Ports; i++) begin : gen_in
        localparam int N = o * Queues + l * Ports + i;
        localparam int Before = (o / 2 + Dims - i / 2) % Dims;
        if (i == o || (Before != 0 && Before <= l)) begin : gen_there
          crl_online_queue #(
            .Width(WordW),
            .Depth(Depth)
          ) u_queue (
            .clk_i  (clk_i),
            .rst_ni (rst_ni),
            .clear_i(start_i),
            .limit_i(limit_q),
            .push_i (wants[i*Ports+o] && kind[i*3 +: 3] == 3'(Kind)),
            .data_i (in_word[i*WordW +: WordW]),
            .pop_i  (pop[N]),
            .valid_o(valid[N]),
            .data_o (head[N*WordW +: WordW]),
            .lost_o (over[N])
          );
        end else begin : gen_none
          assign valid[N]               = 1'b0;
          assign over[N]                = 1'b0;
          assign head[N*WordW +: WordW] = '0;
        end
      end
    end
  end

  // ---- what leaves by each port: level by level, what is on its way before what is the node's own

  logic [Ports-1:0]       leaves;
  logic [Ports*WordW-1:0] out_word;
  for (genvar o = 0; o < Ports; o++) begin : gen_out
    localparam int K = o / 2;
    logic              own_valid, own_pop, taken;
    logic [11:0]       own_dest;
    logic [2:0]        own_level;
    logic [Queues-1:0] ready, chosen;
    logic [WordW-1:0]  own_word, word;
    assign own_word  = {own_class, own_dest, node_q, payload_mem[own_dest[NodeW-1:0]]};
    assign own_level = own_class > 3'(K) ? 3'(Dims + K) - own_class : 3'(K) - own_class;
    assign ready     = valid[o*Queues +: Queues];
    crl_online_supply #(
      .Dims(Dims),
      .Dim (K),
      .Down(o % 2)
    ) u_supply (
      .clk_i   (clk_i),
      .rst_ni  (rst_ni && !start_i),
      .open_i  (open_q),
      .active_i(active_q),
      .later_i (3'(Dims - 1) - own_level),
      .pop_i   (own_pop),
      .node_i  (node_q),
      .size_i  (size_q),
      .digit_i (digit_q),
      .stride_i(stride),
      .ring_i  (ring_q[K]),
      .valid_o (own_valid),
      .dest_o  (own_dest)
    );
    always_comb begin
      taken   = phase_q != Send;
      chosen  = '0;
      own_pop = 1'b0;
      word    = own_word;
      for (int l = 0; l < Dims; l++) begin
        for (int i = 0; i < Ports; i++)
          if (!taken && ready[l*Ports+i]) begin
            taken             = 1'b1;
            chosen[l*Ports+i] = 1'b1;
            word              = head[(o*Queues+l*Ports+i)*WordW +: WordW];
          end
        if (!taken && own_valid && own_level == 3'(l)) begin
          taken   = 1'b1;
          own_pop = 1'b1;
        end
      end
    end
    assign pop[o*Queues +: Queues]    = chosen;
    assign leaves[o]                  = chosen != '0 || own_pop;
    assign out_word[o*WordW +: WordW] = word;
  end
  assign waiting = leaves != '0;

  always_ff @(posedge clk_i) begin
    link_valid_o <= !rst_ni || start_i ? '0 : count_send | leaves;
    for (int o = 0; o < Ports; o++)
      link_data_o[o*64 +: 64] <= phase_q == Count ? {1'b1, 50'd0, count_word[o*13 +: 13]}
                                                  : {5'd0, out_word[o*WordW +: WordW]};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) fault_o <= 1'b0;
    else fault_o <= fault_o || over != '0 || (stays & full) != '0;
  end

endmodule
