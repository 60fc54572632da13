// SPDX-License-Identifier: Apache-2.0
//
// Partial multinode broadcast: a node of a torus or an array that learns by itself who is active (Varvarigos & Bertsekas
// 1994, Sec. 3). One engine a class of packets; that of class c uses dimension c + k (mod d) where that of class 0 uses
// dimension k, so that no two use a link at the same time.
//
// Timing: start_i is sampled at edge 0; what leaves in slot s is on the links after edge s. All nodes start together and
// end each phase together, since its length follows from the sides and from sums that every node knows.
//
// Registers (load port, while idle): 0 {split, active} in bits 1 and 0; 1 the node's number; 2 + k {ring, digit, size} of
// dimension k in bits 31, 27 to 16 and 11 to 0; 16 + p the payload of its part p. Without splitting, part 0 is sent.

module crl_online_broadcast #(
  /// Dimensions, 1 to 8.
  parameter int Dims = 2,
  /// Packets each memory of an engine holds.
  parameter int Depth = 64,
  /// Bits of a place in a memory.
  localparam int AddrW = (Depth > 1) ? $clog2(Depth) : 1,
  /// Bits of a step.
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                start_i,      // pulse; forgets the run before
  output logic                busy_o,

  input  logic                load_we_i,
  input  logic [15:0]         load_addr_i,
  input  logic [31:0]         load_data_i,

  input  logic [2*Dims-1:0]   link_valid_i, // port 2k: travelling up along dimension k, 2k + 1: down
  input  logic [2*Dims*64-1:0] link_data_i,
  output logic [2*Dims-1:0]   link_valid_o,
  output logic [2*Dims*64-1:0] link_data_o,

  input  logic [15:0]         read_sel_i,   // while idle: 4 · engine + memory (crl_online_engine)
  input  logic [15:0]         read_addr_i,
  output logic                read_valid_o,
  output logic [43:0]         read_data_o,
  output logic                fault_o       // sticky until the next start
);

  localparam logic [1:0] Idle = 2'd0, Count = 2'd1, Pack = 2'd2, Broadcast = 2'd3;

  if (Dims < 1 || Dims > 8) begin : gen_bad_dims
    crl_error_dims_must_be_1_to_8 u_error ();
  end

  // ---- what the node knows

  logic                 active_q, split_q;
  logic [11:0]          node_q;
  logic [Dims*12-1:0]   size_q, digit_q;
  logic [Dims-1:0]      ring_q;
  logic [2*Dims*32-1:0] payload_q;
  logic                 halves;
  logic [11:0]          longest;
  assign halves = split_q && (&ring_q);
  always_ff @(posedge clk_i) begin
    if (load_we_i && load_addr_i == 16'd0) {split_q, active_q} <= load_data_i[1:0];
    if (load_we_i && load_addr_i == 16'd1) node_q <= load_data_i[11:0];
    for (int k = 0; k < Dims; k++)
      if (load_we_i && load_addr_i == 16'(2 + k)) begin
        ring_q[k]           <= load_data_i[31];
        digit_q[k*12 +: 12] <= load_data_i[27:16];
        size_q[k*12 +: 12]  <= load_data_i[11:0];
      end
    for (int p = 0; p < 2 * Dims; p++)
      if (load_we_i && load_addr_i == 16'(16 + p)) payload_q[p*32 +: 32] <= load_data_i;
  end
  always_comb begin
    longest = '0;
    for (int k = 0; k < Dims; k++) if (size_q[k*12 +: 12] > longest) longest = size_q[k*12 +: 12];
  end

  // ---- phases

  logic [1:0]       phase_q, prev_phase_q;
  logic             class_q, prev_class_q;   // counting to find this packet's class, by engine 0 alone
  logic [StepW-1:0] step_q, prev_step_q;
  logic [11:0]      slot_q, line;
  logic             half_q, prev_half_q, first_q, open_q, ends;
  logic [Dims-1:0]  ready;
  logic [12:0]      sum_q, most_q, most;
  /* verilator lint_off UNUSEDSIGNAL */ // engine 0's say it for all
  logic [Dims*13-1:0] below, total;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [12:0]      rank_class; // of this node's packet
  logic             up; // the last step of a phase
  assign line = class_q ? size_q[32'(step_q)*12 +: 12] : longest;
  always_comb begin
    case (phase_q)
      Count:     ends = slot_q + 12'd2 >= line;
      Pack:      ends = slot_q + 12'd2 >= line && half_q == halves;
      Broadcast: ends = &ready;
      default:   ends = 1'b0;
    endcase
  end
  assign up     = phase_q == Broadcast ? step_q == '0 : step_q == StepW'(Dims - 1);
  assign most   = !(phase_q == Pack && open_q) ? most_q : split_q ? total[12:0] : (sum_q + 13'(Dims - 1)) / 13'(Dims);
  assign busy_o = phase_q != Idle || prev_phase_q != Idle;

  always_ff @(posedge clk_i) begin
    prev_phase_q <= phase_q;
    prev_class_q <= class_q;
    prev_step_q  <= step_q;
    prev_half_q  <= half_q;
    most_q       <= most;
    if (phase_q == Count && !class_q && open_q) sum_q <= total[12:0];
    if (!rst_ni || start_i) begin
      phase_q      <= rst_ni ? Count : Idle;
      prev_phase_q <= Idle;
      class_q      <= !split_q;
      step_q       <= '0;
      slot_q       <= '0;
      half_q       <= 1'b0;
      first_q      <= 1'b1;
      open_q       <= 1'b1;
    end else if (phase_q == Pack && open_q && most == '0) begin
      phase_q <= Idle; // nobody is active
    end else if (phase_q != Idle) begin
      first_q <= ends;
      open_q  <= ends && up;
      half_q  <= phase_q == Pack && halves && !half_q;
      if (ends) slot_q <= '0;
      else if (phase_q != Pack || half_q == halves) slot_q <= slot_q + 12'd1;
      if (ends && !up) step_q <= phase_q == Broadcast ? step_q - 1'b1 : step_q + 1'b1;
      if (ends && up) begin
        class_q <= 1'b0;
        step_q  <= phase_q == Pack ? StepW'(Dims - 1) : '0;
        case (phase_q)
          Count:   phase_q <= class_q ? Count : Pack;
          Pack:    phase_q <= Broadcast;
          default: phase_q <= Idle;
        endcase
      end
    end
  end

  // ---- who has a packet of which class

  logic [Dims-1:0] member_q, member;
  assign rank_class = below[12:0] % 13'(Dims);
  for (genvar e = 0; e < Dims; e++) begin : gen_member
    assign member[e] = !(phase_q == Count && open_q) ? member_q[e]
                     : active_q && (split_q || (class_q ? e == 0 : rank_class == 13'(e)));
  end
  always_ff @(posedge clk_i) member_q <= member;

  // ---- engines, and the links they use in this step and used in the one before

  logic [2*Dims-1:0]      in_valid, send, out_valid;
  logic [2*Dims*64-1:0]   in_data, word, out_data;
  logic [Dims-1:0]        read_valid, fault;
  logic [Dims*44-1:0]     read_data;

  always_comb begin
    in_valid  = '0;
    in_data   = '0;
    out_valid = '0;
    out_data  = '0;
    for (int e = 0; e < Dims; e++)
      for (int k = 0; k < Dims; k++) begin
        if ((e + 32'(prev_step_q)) % Dims == k) begin
          in_valid[e*2 +: 2]    = link_valid_i[k*2 +: 2];
          in_data[e*128 +: 128] = link_data_i[k*128 +: 128];
        end
        if ((e + 32'(step_q)) % Dims == k) begin
          out_valid[k*2 +: 2]    = send[e*2 +: 2];
          out_data[k*128 +: 128] = word[e*128 +: 128];
        end
      end
  end

  for (genvar e = 0; e < Dims; e++) begin : gen_engine
    logic [Dims*12-1:0] size, digit;
    logic [Dims-1:0]    ring;
    logic               aside, prev_aside; // engine 0 counts alone
    for (genvar k = 0; k < Dims; k++) begin : gen_order
      assign size[k*12 +: 12]  = size_q[((e + k) % Dims)*12 +: 12];
      assign digit[k*12 +: 12] = digit_q[((e + k) % Dims)*12 +: 12];
      assign ring[k]           = ring_q[(e + k) % Dims];
    end
    assign aside      = class_q && e != 0;
    assign prev_aside = prev_class_q && e != 0;
    crl_online_engine #(
      .Dims (Dims),
      .Depth(Depth)
    ) u_engine (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .start_i     (start_i),
      .size_i      (size),
      .digit_i     (digit),
      .ring_i      (ring),
      .node_i      (node_q),
      .payload_i   (!split_q ? {32'd0, payload_q[31:0]}
                             : halves ? payload_q[e*64 +: 64] : {32'd0, payload_q[e*32 +: 32]}),
      .halves_i    (halves),
      .phase_i     (aside ? Idle : phase_q),
      .step_i      (step_q),
      .slot_i      (slot_q),
      .half_i      (half_q),
      .open_i      (open_q),
      .first_i     (first_q),
      .last_i      (ends),
      .member_i    (member[e]),
      .most_i      (most_q),
      .prev_phase_i(prev_aside ? Idle : prev_phase_q),
      .prev_step_i (prev_step_q),
      .prev_half_i (prev_half_q),
      .below_o     (below[e*13 +: 13]),
      .total_o     (total[e*13 +: 13]),
      .ready_o     (ready[e]),
      .link_valid_i(in_valid[e*2 +: 2]),
      .link_data_i (in_data[e*128 +: 128]),
      .send_o      (send[e*2 +: 2]),
      .word_o      (word[e*128 +: 128]),
      .read_sel_i  (read_sel_i[1:0]),
      .read_addr_i (read_addr_i[AddrW-1:0]),
      .read_valid_o(read_valid[e]),
      .read_data_o (read_data[e*44 +: 44]),
      .fault_o     (fault[e])
    );
  end

  always_ff @(posedge clk_i) begin
    link_valid_o <= rst_ni && phase_q != Idle ? out_valid : '0;
    link_data_o  <= out_data;
  end

  logic [13:0] read_engine;
  assign read_engine = read_sel_i[15:2];
  always_comb begin
    read_valid_o = 1'b0;
    read_data_o  = '0;
    for (int e = 0; e < Dims; e++)
      if (read_engine == 14'(e)) begin
        read_valid_o = read_valid[e] && 32'(read_addr_i) < Depth;
        read_data_o  = read_data[e*44 +: 44];
      end
  end
  assign fault_o = |fault;

endmodule
