// SPDX-License-Identifier: Apache-2.0
//
// A 2 by 2 array of on-line nodes from reset to the end of a run, for any set of active nodes and any payloads: every node
// ends with what the problem says, each packet once and unchanged, nothing is lost, and all are done after so many slots.

module online_runs #(
  /// 0: partial multinode broadcast; 1: partial exchange.
  parameter int Exchange = 1,
  /// Exchange: balanced classes.
  parameter int Balanced = 0,
  /// Slots that are given.
  parameter int Slots = 6
) (
  input logic clk_i
);

  localparam int Dims = 2, Nodes = 4, Ports = 4, NodeW = 2, DataW = 1, PacketW = NodeW + DataW;
  localparam int Loads = 19;
  localparam int SlotCycles = 4 * Dims + ((Exchange != 0) ? 5 : 3);
  // When slots begin, when no more do, when what was received is read, two cycles a place, and when all of it was.
  localparam int Plays = Loads + 1;
  localparam int Stops = Plays + Slots * SlotCycles;
  localparam int Reads = Stops + SlotCycles + 1;
  localparam int Places = (Exchange != 0) ? Nodes : 8 * Dims;
  localparam int Ends = Reads + 2 * Places;

  // Payloads for the node with that address; a broadcast has one for all.
  (* anyconst *) logic [Nodes-1:0]       active;
  (* anyconst *) logic [Nodes*Nodes-1:0] payloads;

  logic       f_past_valid;
  logic [8:0] time_q;
  initial f_past_valid = 1'b0;
  initial time_q = '0;
  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    if (32'(time_q) <= Ends) time_q <= time_q + 1'b1;
  end

  // ---- what is loaded: each value into the nodes that have it, cycle by cycle

  logic [Nodes-1:0] load_we, has;
  logic [15:0]      load_addr;
  logic [31:0]      load_data;
  logic [4:0]       at;
  assign at = 5'(time_q - 9'd1);
  always_comb begin
    has       = '1;
    load_addr = '0;
    load_data = '0;
    // First those in which bit 0 is 0, then those in which it is 1.
    unique case (at[4:1])
      4'd0: begin
        load_addr = 16'd1;
        load_data = 32'd1;
      end
      4'd1: begin
        load_addr = (Exchange != 0) ? 16'd10 : 16'd13;
        load_data = 32'd4;
      end
      4'd2: begin
        load_addr = 16'd2;
        load_data = {15'd0, at[0], 16'd1};
        has       = at[0] ? 4'b1010 : 4'b0101;
      end
      4'd3: begin
        load_addr = 16'd3;
        load_data = {15'd0, at[0], 16'd1};
        has       = at[0] ? 4'b1100 : 4'b0011;
      end
      4'd4: begin
        load_addr = 16'd0;
        load_data = {30'd0, Balanced != 0, at[0]};
        has       = at[0] ? active : ~active;
      end
      default: begin // 5 to 8
        load_addr = 16'd16 + 16'(at[4:1]) - 16'd5;
        load_data = {31'd0, at[0]};
        for (int v = 0; v < Nodes; v++)
          has[v] = payloads[v*Nodes + ((Exchange != 0) ? 32'(at[4:1]) - 5 : 0)] == at[0];
      end
    endcase
    load_we = (32'(time_q) >= 1 && 32'(time_q) <= 18) ? has : '0;
  end

  // ---- the array

  logic                     ready, busy, slot;
  logic [Nodes-1:0]         held, fault, unused_begins;
  logic [Nodes*2-1:0]       unused_phase;
  logic [Nodes-1:0]         unused_step;
  logic [Nodes*Ports-1:0]   valid;
  logic [Nodes*PacketW-1:0] packets;
  logic [15:0]              sel, place;
  logic [8:0]               read;

  // The lists of a broadcast have at most two entries here, of which more would be missing.
  assign slot  = 32'(time_q) >= Plays && 32'(time_q) < Stops;
  assign read  = time_q - 9'(Reads);
  assign sel   = (Exchange != 0) ? '0 : 16'(read[8:2]);
  assign place = (Exchange != 0) ? 16'(read[8:1]) : 16'(read[1]);

  crl_online_fabric #(
    .Nodes     (Nodes),
    .Dims      (Dims),
    .Neighbours(256'hFFFF_0001_FFFF_0002_FFFF_0000_0003_FFFF_0003_FFFF_FFFF_0000_0002_FFFF_0001_FFFF),
    .Exchange  (Exchange),
    .DigitW    (1),
    .DataW     (DataW),
    .Depth     (4),
    .Waiting   (0)
  ) u_fabric (
    .clk_i       (clk_i),
    .rst_ni      (f_past_valid),
    .start_i     (32'(time_q) == Loads),
    .slot_i      (slot),
    .ready_o     (ready),
    .busy_o      (busy),
    .load_we_i   (load_we),
    .load_addr_i (load_addr),
    .load_data_i (load_data),
    .give_valid_i({Nodes{1'b0}}),
    .give_data_i ({Nodes*DataW{1'b0}}),
    .begins_o    (unused_begins),
    .phase_o     (unused_phase),
    .step_o      (unused_step),
    .link_valid_o(valid),
    .link_data_o (),
    .read_sel_i  (sel),
    .read_addr_i (place),
    .read_valid_o(held),
    .read_data_o (packets),
    .fault_o     (fault)
  );

  // ---- what it must be

  logic [Nodes*Nodes-1:0] seen_q, wanted, finds, right;
  logic                   reads, one;
  // The second cycle of a place; of what a node packed there is one.
  assign one   = Exchange == 0 && sel[1] && place != '0;
  assign reads = 32'(time_q) >= Reads && 32'(time_q) < Ends && read[0] && !one;

  always_comb begin
    for (int v = 0; v < Nodes; v++)
      for (int o = 0; o < Nodes; o++) begin
        // Digits of an origin are in the order of the engine.
        finds[v*Nodes + o]  = reads && held[v] && packets[v*PacketW + DataW + (Exchange != 0 ? 0 : 32'(sel[2]))] == o[0]
                              && packets[v*PacketW + DataW + (Exchange != 0 ? 1 : 32'(!sel[2]))] == o[1];
        right[v*Nodes + o]  = packets[v*PacketW] == payloads[o*Nodes + ((Exchange != 0) ? v : 0)];
        wanted[v*Nodes + o] = active[o] && (Exchange == 0 || o != v);
      end
  end
  always_ff @(posedge clk_i) seen_q <= f_past_valid ? seen_q | finds : '0;

  always_comb if (f_past_valid) begin
    a_fault: assert (fault == '0);
    a_wanted: assert ((finds & ~wanted) == '0);
    a_once: assert ((finds & seen_q) == '0);
    a_unchanged: assert ((finds & ~right) == '0);
    if (32'(time_q) == Reads) a_done: assert (ready && !busy);
    if (32'(time_q) == Ends) begin
      a_all: assert (seen_q == wanted);
      c_all: cover (active == '1 && payloads == 16'h5a0f);
      c_some: cover (active == 4'b0110);
    end
  end

  logic unused;
  assign unused = &{1'b0, valid};

endmodule
