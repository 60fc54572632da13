// SPDX-License-Identifier: Apache-2.0
//
// The accept bits of crl_admission are those of docs/formats/queue.md, whatever the tables say and the buffers hold, and
// what is accepted finds room, whichever of it comes.
//
// A slot takes ten cycles: 0 begins it, 1 to 5 admission, 6 to 8 words through ports 2 to 0, 9 an own packet. Proved of
// every consistent state.

module crl_admission_order #(
  parameter int Units = 2,
  localparam int UW = $clog2(Units + 1)
) (
  input logic          clk_i,
  input logic          rst_ni,
  input logic          period_i,
  input logic          stalled_i,
  input logic          word_i,       // a word comes
  input logic [1:0]    leave_tree_i, // tree and class; a packet leaves its last queue
  input logic          free_i,
  input logic [UW-1:0] limit_i,      // these three: any, and always the same
  input logic [5:0]    tree_i,       // [port] that may come in; 2 and 3: none
  input logic [5:0]    row_i         // [port] {stores, class} of it
);

  localparam int Ports = 3, Buffers = 4;

  logic             past_q, start, run, ask, full, put, serve, stalled;
  logic [3:0]       cycle_q, admit_tree_q;
  logic [1:0]       first_q, first_there, port, ask_port, came, row_q, leave_q;
  logic             ask_tree;
  logic [Ports-1:0] accept, wanted_q, wanted;
  logic [Buffers*UW-1:0] held, left;
  logic [UW-1:0]    limit_q;
  logic [5:0]       tree_q, table_q;

  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    limit_q <= limit_i;
    tree_q  <= tree_i;
    table_q <= row_i;
    cycle_q <= (!rst_ni || cycle_q == 4'd9) ? '0 : cycle_q + 1'b1;
  end

  assign start = rst_ni && cycle_q == '0;
  assign came  = 2'(4'd8 - cycle_q);   // port of the word of this cycle

  crl_admission #(
    .Ports  (Ports),
    .Trees  (2),
    .Classes(2),
    .Units  (Units)
  ) u_admission (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .limit_i      (limit_i),
    .start_i      (start),
    .period_i     (period_i),
    .stalled_i    (stalled_i),
    .serve_o      (serve),
    .stalled_o    (stalled),
    .accept_o     (accept),
    .run_o        (run),
    .port_o       (port),
    .accept_tree_i(admit_tree_q),
    .ask_o        (ask),
    .ask_port_o   (ask_port),
    .ask_tree_o   (ask_tree),
    .class_i      (row_q[0]),
    .stores_i     (row_q[1]),
    .put_i        (put),
    .put_tree_i   (put_tree),
    .put_class_i  (put_class),
    .full_o       (full),
    .leave_tree_i (leave_tree_i[1]),
    .leave_class_i(leave_tree_i[0]),
    .free_i       (free_i),
    .f_held_o     (held),
    .f_left_o     (left),
    .f_first_o    (first_there)
  );

  always_ff @(posedge clk_i) begin
    admit_tree_q <= 4'(tree_i[port*2 +: 2]);
    row_q        <= row_i[ask_port*2 +: 2];
    leave_q      <= leave_tree_i;
  end

  // ---- what comes: of accepted ports, and at last an own packet of the tree and class that leave_tree_i says

  logic put_tree, put_class, own;
  assign own       = cycle_q == 4'd9;
  assign put_tree  = own ? leave_tree_i[1] : tree_i[came*2];
  assign put_class = own ? leave_tree_i[0] : row_i[came*2];
  assign put       = word_i && (own ? !full && !stalled : cycle_q >= 4'd6 && accept[came] && row_i[came*2 + 1]);

  // ---- the bits as the format defines them, from the state when the slot begins

  logic [Buffers*UW-1:0] entries;
  logic [1:0]            first, at;

  assign first = (period_i && first_q == 2'd2) ? '0 : period_i ? first_q + 1'b1 : first_q;

  for (genvar b = 0; b < Buffers; b++) begin : gen_entries
    assign entries[b*UW +: UW] = held[b*UW +: UW] - left[b*UW +: UW];
  end

  always_comb begin
    logic [Buffers*(UW+2)-1:0] granted;
    logic [1:0]                buffer;
    granted = '0;
    wanted  = '0;
    for (int i = 0; i < Ports; i++) begin
      at     = (3'(first) + 3'(i) >= 3'd3) ? 2'(3'(first) + 3'(i) - 3'd3) : first + 2'(i);
      buffer = {tree_i[at*2], row_i[at*2]};
      if (!tree_i[at*2 + 1] && !stalled_i) begin
        if (!row_i[at*2 + 1]) begin
          wanted[at] = 1'b1;
        end else if ((UW+2)'(entries[buffer*UW +: UW]) + granted[buffer*(UW+2) +: UW+2] < (UW+2)'(limit_i)) begin
          wanted[at] = 1'b1;
          granted[buffer*(UW+2) +: UW+2] = granted[buffer*(UW+2) +: UW+2] + 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i)
    if (!rst_ni) first_q <= '0;
    else if (start) begin
      first_q  <= first;
      wanted_q <= wanted;
    end

  // ---- from every consistent state

  logic consistent;
  always_comb begin
    consistent = first_q != 2'd3 && first_there == first_q && !run && !ask;
    for (int b = 0; b < Buffers; b++)
      if (held[b*UW +: UW] > limit_i || left[b*UW +: UW] > held[b*UW +: UW]) consistent = 1'b0;
  end

  always_comb begin
    assume (limit_i != '0 && 32'(limit_i) <= Units);
    // Nothing leaves while admission looks, nor more than is there.
    if (free_i) assume (cycle_q >= 4'd5 && left[leave_q*UW +: UW] < held[leave_q*UW +: UW]);
    if (past_q) assume (rst_ni && limit_i == limit_q && tree_i == tree_q && row_i == table_q);
    else assume (!rst_ni || (cycle_q == '0 && consistent));
  end

  always_comb if (past_q && rst_ni) begin
    if (cycle_q == '0) a_consistent: assert (consistent);
    if (cycle_q == 4'd1) a_first: assert (run && port == first_q);
    if (cycle_q >= 4'd6) a_accept: assert (accept == wanted_q);
    if (put) a_room: assert (!full);
    a_serve: assert (serve == (cycle_q == 4'd4));
  end

endmodule
