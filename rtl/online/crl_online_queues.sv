// SPDX-License-Identifier: Apache-2.0
//
// Partial exchange, packets on their way through a node: a queue a port, level and port of arrival, all in one memory.
// A queue is a list of places; places that were used and are free are a list, too. On a port go level by level, of a level
// the queues in the order of ports of arrival, then the node's own packet of that level.
//
// Timing: a packet comes in the cycle with push_i, and is counted two edges later. In a cycle with pick_i own_pop_o says
// whether the node's own packet leaves; two cycles later leaves_o, and what leaves of the queues. Pushes may
// follow each other without a gap, of ports of arrival that are all different, and so may picks, of ports that are; after
// pushes there is a cycle without either, and after picks there are two.

module crl_online_queues #(
  /// Dimensions, 1 to 8.
  parameter int Dims = 2,
  /// Bits of a packet.
  parameter int Width = 32,
  /// Packets there is room for: a power of two, 2 or more.
  parameter int Depth = 256,
  /// Bits of a place, of a dimension, of a port.
  localparam int AddrW = $clog2(Depth),
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1,
  localparam int PortW = StepW + 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,    // forgets all
  input  logic [AddrW:0]   limit_i,   // packets a queue may hold, at most Depth; holds while in use

  input  logic             push_i,
  input  logic [PortW-1:0] push_port_i,
  input  logic [StepW-1:0] push_level_i,
  input  logic [PortW-1:0] push_from_i,
  input  logic [Width-1:0] push_data_i,
  output logic             lost_o,    // no room for it

  input  logic             pick_i,
  input  logic [PortW-1:0] pick_port_i,
  input  logic             own_valid_i,
  input  logic [StepW-1:0] own_level_i,
  output logic             own_pop_o,
  output logic             leaves_o,
  output logic [StepW-1:0] level_o,
  output logic [Width-1:0] data_o,
  output logic             empty_o
);

  localparam int Ports = 2 * Dims;
  localparam int IdW = 2 * PortW + StepW;
  localparam int A = AddrW + 1;

  if (Depth < 2 || (1 << AddrW) != Depth) begin : gen_bad_depth
    crl_error_depth_must_be_a_power_of_two u_error ();
  end

  // The queues there are: a packet goes straight on, or out of a dimension that its class, which level and port say, crossed
  // before.
  function automatic logic [(1<<IdW)-1:0] those_there(input int dims);
    those_there = '0;
    for (int o = 0; o < 2 * dims; o++)
      for (int l = 0; l < dims; l++)
        for (int i = 0; i < 2 * dims; i++)
          those_there[(((o << StepW) + l) << PortW) + i] =
            i == o || (i / 2 != o / 2 && (o / 2 + dims - i / 2) % dims <= l);
  endfunction
  localparam logic [(1<<IdW)-1:0] There = those_there(Dims);

  // ---- which queues hold something. Turns that are not over have left or entered others.

  logic [(1<<IdW)-1:0] holds_q, holds;
  logic                push_q, pick_q, leaves_q, one_left;
  logic [IdW-1:0]      push_id, pick_id, id, id_q;
  logic                picked, some;
  assign push_id = {push_port_i, push_level_i, push_from_i};
  always_comb begin
    picked    = 1'b0;
    own_pop_o = 1'b0;
    pick_id   = {pick_port_i, {StepW+PortW{1'b0}}};
    for (int l = 0; l < Dims; l++) begin
      for (int i = 0; i < Ports; i++) begin
        some = 1'b0;
        for (int o = 0; o < Ports; o++)
          if (pick_port_i == PortW'(o)) some = holds[{PortW'(o), StepW'(l), PortW'(i)}];
        if (!picked && !own_pop_o && some) begin
          picked  = 1'b1;
          pick_id = {pick_port_i, StepW'(l), PortW'(i)};
        end
      end
      if (!picked && own_valid_i && own_level_i == StepW'(l)) own_pop_o = pick_i;
    end
  end
  assign id      = push_i ? push_id : pick_id;
  assign holds   = holds_q & There;
  assign empty_o = holds == '0;

  // ---- a queue's first and last place, and how many packets it holds: read in the first cycle, written in the last

  logic [AddrW-1:0] first, last, head_q, last_q, after, place;
  logic [A-1:0]     count, count_q, held;
  logic             enters, full, some_here_q;
  logic [IdW-1:0]   write_id, id_q2;
  logic [Width-1:0] push_data_q;
  crl_ram #(
    .DataW(2 * AddrW + A),
    .Depth(1 << IdW)
  ) u_queues (
    .clk_i  (clk_i),
    .we_i   (enters || leaves_q),
    .waddr_i(write_id),
    .wdata_i(leaves_q ? {after, last_q, count_q - 1'b1} : {held == '0 ? place : first, place, held + 1'b1}),
    .re_i   (1'b1),
    .raddr_i(id),
    .rdata_o({first, last, count})
  );
  always_ff @(posedge clk_i) begin
    push_q      <= rst_ni && push_i;
    pick_q      <= rst_ni && pick_i && picked;
    id_q        <= id;
    some_here_q <= holds[push_id];
    push_data_q <= push_data_i;
    // Of a packet that leaves, in the cycle after.
    leaves_q    <= rst_ni && pick_q;
    id_q2       <= id_q;
    head_q      <= first;
    last_q      <= last;
    count_q     <= count;
  end
  assign held     = some_here_q ? count : '0;
  assign enters   = push_q && held != limit_i && !full;
  assign lost_o   = push_q && (held == limit_i || full);
  assign write_id = leaves_q ? id_q2 : id_q;
  assign one_left = count_q == A'(1);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) holds_q <= '0;
    else if (enters) holds_q[id_q] <= 1'b1;
    else if (leaves_q && one_left) holds_q[id_q2] <= 1'b0;
  end

  // ---- places: those that are free, first those that were used; else the next one that never was

  logic [A-1:0]     fresh_q, freed_q; // places that were used; of them, free ones
  logic [AddrW-1:0] free_q, free_d;
  logic             recycles;
  assign recycles = freed_q != '0;
  assign full     = !recycles && fresh_q[AddrW];
  assign place    = recycles ? free_q : fresh_q[AddrW-1:0];
  assign free_d   = leaves_q ? head_q : enters && recycles ? after : free_q;
  crl_ram #(
    .DataW(AddrW),
    .Depth(Depth)
  ) u_after (
    .clk_i  (clk_i),
    .we_i   (leaves_q || (enters && held != '0)),
    .waddr_i(leaves_q ? head_q : last),
    .wdata_i(leaves_q ? free_q : place),
    .re_i   (1'b1),
    .raddr_i(pick_q ? first : free_d),
    .rdata_o(after)
  );
  crl_ram #(
    .DataW(Width),
    .Depth(Depth)
  ) u_packets (
    .clk_i  (clk_i),
    .we_i   (enters),
    .waddr_i(place),
    .wdata_i(push_data_q),
    .re_i   (1'b1),
    .raddr_i(first),
    .rdata_o(data_o)
  );
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fresh_q <= '0;
      freed_q <= '0;
    end else begin
      if (enters && !recycles) fresh_q <= fresh_q + 1'b1;
      if (leaves_q) freed_q <= freed_q + 1'b1;
      else if (enters && recycles) freed_q <= freed_q - 1'b1;
    end
    free_q <= free_d;
  end

  assign leaves_o = leaves_q;
  assign level_o  = id_q2[PortW +: StepW];

endmodule
