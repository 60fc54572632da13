// SPDX-License-Identifier: Apache-2.0
//
// Partial multinode broadcast: a node of a torus or an array that learns by itself who is active (Varvarigos & Bertsekas
// 1994, Sec. 3). One engine a class of packets; that of class c uses dimension c + k (mod d) where that of class 0 uses
// dimension k, so that no two use a link at the same time.
//
// Timing: start_i is sampled at edge 0; what leaves in slot s is on the links after edge s. All nodes start together and
// end each phase together, since its length follows from the sides and from sums that every node knows.
//
// A mode other than 0 is a part of it, which engine 0 does by itself: 1 the sum of the values (payload 0) over the nodes
// up to this one, and over all; 2 packing; 3 packing and from there to destinations; 4 broadcasts along the lines of one
// dimension, in halves if split, which end when nobody has anything left to send.
//
// Repeated, a run follows the other at once, as every node knows when one ends: its first slot is that of counting for
// the next, or that after counting if nobody was active. What each has to say then is what it is offered in that slot.
//
// Registers (load port, while idle): 0 {mode, split, active} in bits 4 to 2, 1 and 0; 1 the node's number; 2 + k {ring,
// digit, size} of dimension k in bits 31, 27 to 16 and 11 to 0; 10 the destination of its packet; 11 the dimension of
// lines; 12 how many packets it has for its line; 13 how many each memory may hold, at most Depth; 16 + p the payload of its part p; 32 + p that of part p of those for
// its line. Without splitting, part 0 is sent.

module crl_online_broadcast #(
  /// Dimensions, 1 to 8.
  parameter int Dims = 2,
  /// Packets each memory of an engine holds.
  parameter int Depth = 64,
  /// 1: repeated, in mode 0; 0: one run a start, of the packet in the registers.
  parameter int Repeat = 0,
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

  /* verilator lint_off UNUSEDSIGNAL */ // not repeated
  input  logic                offer_valid_i, // repeated: a packet, its parts in ascending order
  input  logic [2*Dims*32-1:0] offer_data_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                begins_o,     // the first slot of a run: the offer is taken
  output logic                counts_o,     // a slot of counting

  input  logic [2*Dims-1:0]   link_valid_i, // port 2k: travelling up along dimension k, 2k + 1: down
  input  logic [2*Dims*64-1:0] link_data_i,
  output logic [2*Dims-1:0]   link_valid_o,
  output logic [2*Dims*64-1:0] link_data_o,

  input  logic [15:0]         read_sel_i,   // while idle: 4 · engine + memory (crl_online_engine); mode 1: sum, total
  input  logic [15:0]         read_addr_i,
  output logic                read_valid_o,
  output logic [43:0]         read_data_o,
  output logic                fault_o       // sticky until the next start
);

  localparam logic [1:0] Idle = 2'd0, Count = 2'd1, Pack = 2'd2, Broadcast = 2'd3;
  localparam logic [2:0] All = 3'd0, Prefix = 3'd1, Routing = 3'd3, Lines = 3'd4; // modes; 2 needs no name

  if (Dims < 1 || Dims > 8) begin : gen_bad_dims
    crl_error_dims_must_be_1_to_8 u_error ();
  end

  // ---- what the node knows

  logic                 active_q, active, split_q;
  logic [2:0]           mode_q;
  logic [11:0]          node_q, dest_q;
  logic [StepW-1:0]     line_q; // dimension of lines
  logic [AddrW:0]       items_q, limit_q;
  logic [Dims*12-1:0]   size_q, digit_q;
  logic [Dims-1:0]      ring_q;
  logic [2*Dims*32-1:0] payload_q;
  logic                 halves;
  logic [11:0]          longest;
  assign halves = split_q && ((&ring_q) || mode_q == Lines);
  always_ff @(posedge clk_i) begin
    if (load_we_i && load_addr_i == 16'd0) {mode_q, split_q, active_q} <= load_data_i[4:0];
    if (load_we_i && load_addr_i == 16'd1) node_q <= load_data_i[11:0];
    for (int k = 0; k < Dims; k++)
      if (load_we_i && load_addr_i == 16'(2 + k)) begin
        ring_q[k]           <= load_data_i[31];
        digit_q[k*12 +: 12] <= load_data_i[27:16];
        size_q[k*12 +: 12]  <= load_data_i[11:0];
      end
    if (load_we_i && load_addr_i == 16'd10) dest_q <= load_data_i[11:0];
    if (load_we_i && load_addr_i == 16'd11) line_q <= load_data_i[StepW-1:0];
    if (load_we_i && load_addr_i == 16'd12) items_q <= load_data_i[AddrW:0];
    if (load_we_i && load_addr_i == 16'd13) limit_q <= load_data_i[AddrW:0];
    for (int p = 0; p < 2 * Dims; p++)
      if (load_we_i && load_addr_i == 16'(16 + p)) payload_q[p*32 +: 32] <= load_data_i;
    if (begins_o && Repeat != 0) begin
      active_q  <= offer_valid_i;
      payload_q <= offer_data_i;
    end
  end
  always_comb begin
    longest = '0;
    for (int k = 0; k < Dims; k++) if (size_q[k*12 +: 12] > longest) longest = size_q[k*12 +: 12];
  end

  // ---- phases

  logic [1:0]       phase_q, prev_phase_q, phase;
  logic             class_q, prev_class_q, alone; // engine 0 alone: in a mode, or counting to find this packet's class
  logic             back_q, prev_back_q;     // from packed places to destinations
  logic [StepW-1:0] step_q, prev_step_q;
  logic [11:0]      slot_q, line;
  logic             half_q, prev_half_q, first_q, open_q, ends;
  logic [Dims-1:0]  ready;
  logic [12:0]      sum_q, most_q, most;
  /* verilator lint_off UNUSEDSIGNAL */ // engine 0's say it for all
  logic [Dims*32-1:0] below, total;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [12:0]      rank_class; // of this node's packet
  logic             up, nobody; // the last step of a phase; nobody is active
  assign nobody   = phase_q == Pack && open_q && most == '0 && mode_q == All;
  assign phase    = nobody && Repeat != 0 ? Count : phase_q;
  assign alone    = nobody && Repeat != 0 ? !split_q : class_q;
  assign begins_o = phase == Count && open_q && (alone || split_q);
  assign counts_o = phase == Count;
  assign active   = begins_o && Repeat != 0 ? offer_valid_i : active_q;
  assign line = alone ? size_q[32'(step_q)*12 +: 12] : longest;
  always_comb begin
    case (phase)
      Count:     ends = slot_q + 12'd2 >= line;
      Pack:      ends = slot_q + 12'd2 >= line && half_q == halves;
      Broadcast: ends = (&ready) && mode_q != Lines;
      default:   ends = 1'b0;
    endcase
  end
  assign up     = phase == Broadcast || back_q ? step_q == '0 : step_q == StepW'(Dims - 1);
  assign most   = !(phase_q == Pack && open_q) ? most_q : split_q ? total[12:0] : (sum_q + 13'(Dims - 1)) / 13'(Dims);
  assign busy_o = phase_q == Broadcast && mode_q == Lines ? out_valid != '0 || link_valid_o != '0
                                                         : phase_q != Idle || prev_phase_q != Idle;

  always_ff @(posedge clk_i) begin
    prev_phase_q <= phase;
    prev_class_q <= alone;
    prev_step_q  <= step_q;
    prev_half_q  <= half_q;
    prev_back_q  <= back_q;
    most_q       <= most;
    if (phase == Count && !alone && open_q) sum_q <= total[12:0];
    if (!rst_ni || start_i) begin
      phase_q      <= !rst_ni ? Idle : mode_q == Lines ? Broadcast : Count;
      prev_phase_q <= Idle;
      class_q      <= !split_q || mode_q != All;
      back_q       <= 1'b0;
      step_q       <= mode_q == Lines ? line_q : '0;
      slot_q       <= '0;
      half_q       <= 1'b0;
      first_q      <= 1'b1;
      open_q       <= 1'b1;
    end else if (nobody && Repeat == 0) begin
      phase_q <= Idle;
    end else if (phase != Idle) begin
      phase_q <= phase;
      class_q <= alone;
      first_q <= ends;
      open_q  <= ends && up;
      half_q  <= phase == Pack && halves && !half_q;
      if (ends) slot_q <= '0;
      else if (phase != Pack || half_q == halves) slot_q <= slot_q + 12'd1;
      if (ends && !up) step_q <= phase == Broadcast || back_q ? step_q - 1'b1 : step_q + 1'b1;
      if (ends && up) begin
        class_q <= mode_q != All || (Repeat != 0 && phase == Broadcast && !split_q);
        back_q  <= phase == Pack && mode_q == Routing && !back_q;
        step_q  <= phase == Pack ? StepW'(Dims - 1) : '0;
        case (phase)
          Count:   phase_q <= mode_q == Prefix ? Idle : mode_q == All && alone ? Count : Pack;
          Pack:    phase_q <= mode_q == All ? Broadcast : mode_q == Routing && !back_q ? Pack : Idle;
          default: phase_q <= Repeat != 0 ? Count : Idle;
        endcase
      end
    end
  end

  // ---- who has a packet of which class

  logic [Dims-1:0] member_q, member;
  assign rank_class = below[12:0] % 13'(Dims);
  for (genvar e = 0; e < Dims; e++) begin : gen_member
    assign member[e] = !(phase == Count && open_q) ? member_q[e]
                     : active && (split_q || (alone ? e == 0 : rank_class == 13'(e)));
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
    logic [15:0]        load_at;    // of this node's packets for its line, all parts counted
    logic [1:0]         load_we;
    logic [AddrW:0]     items;
    assign load_at    = load_addr_i - 16'd32;
    assign load_we    = !load_we_i || load_addr_i < 16'd32 || e != 0 ? 2'b00 : halves && load_at[0] ? 2'b10 : 2'b01;
    assign items      = mode_q == Lines && e == 0 ? items_q : '0;
    assign aside      = alone && e != 0;
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
      .node_i      (mode_q == Routing ? dest_q : node_q),
      .payload_i   (!split_q ? {32'd0, payload_q[31:0]}
                             : halves ? payload_q[e*64 +: 64] : {32'd0, payload_q[e*32 +: 32]}),
      .halves_i    (halves),
      .phase_i     (aside ? Idle : phase),
      .step_i      (step_q),
      .slot_i      (slot_q),
      .half_i      (half_q),
      .open_i      (open_q),
      .first_i     (first_q),
      .last_i      (ends),
      .member_i    (member[e]),
      .value_i     (mode_q == Prefix ? payload_q[31:0] : 32'(member[e])),
      .back_i      (back_q),
      .most_i      (most_q),
      .prev_phase_i(prev_aside ? Idle : prev_phase_q),
      .prev_step_i (prev_step_q),
      .prev_half_i (prev_half_q),
      .prev_back_i (prev_back_q),
      .limit_i     (limit_q),
      .items_i     (items),
      .load_we_i   (load_we),
      .load_addr_i (AddrW'(halves ? load_at >> 1 : load_at)),
      .load_data_i ({node_q, load_data_i}),
      .below_o     (below[e*32 +: 32]),
      .total_o     (total[e*32 +: 32]),
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
    link_valid_o <= rst_ni && !start_i && phase != Idle ? out_valid : '0;
    link_data_o  <= out_data;
  end

  logic [13:0] read_engine;
  logic [31:0] read_sum;
  assign read_engine = read_sel_i[15:2];
  assign read_sum    = read_sel_i[0] ? total[31:0] : below[31:0] + payload_q[31:0];
  always_comb begin
    read_valid_o = 1'b0;
    read_data_o  = '0;
    for (int e = 0; e < Dims; e++)
      if (read_engine == 14'(e)) begin
        read_valid_o = read_valid[e] && 32'(read_addr_i) < Depth;
        read_data_o  = read_data[e*44 +: 44];
      end
    if (mode_q == Prefix) begin
      read_valid_o = read_sel_i < 16'd2 && read_addr_i == 16'd0;
      read_data_o  = {node_q, read_sum};
    end
  end
  assign fault_o = |fault;

endmodule
