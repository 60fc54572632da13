// SPDX-License-Identifier: Apache-2.0
//
// A processor with stages does what one without does, and puts it on the link two cycles later: the same rows, words and
// operator for both. Its faults are the same in the same cycle, and it is busy until its last word has left.

module crl_logp_stages #(
  parameter int DataW = 1,
  parameter int AddrW = 1,
  localparam int NodeW = 1,
  localparam int RowW = 17 + NodeW + 2 * AddrW
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               clear_i,
  input logic               start_i,
  input logic [1:0]         last_row_i,
  input logic [1:0]         link_valid_i,
  input logic [2*DataW-1:0] link_data_i
);

  logic [1:0]         busy, valid, dest, parity;
  logic [2*DataW-1:0] data;
  logic [7:0]         fault;
  logic               start;

  // Who starts waits until both are done.
  assign start = start_i && busy == '0;

  for (genvar i = 0; i < 2; i++) begin : gen_node
    crl_logp_node #(
      .DataW     (DataW),
      .AddrW     (AddrW),
      .NodeW     (NodeW),
      .TableDepth(4),
      .Stages    (2 * i)
    ) u_node (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .clear_i           (clear_i),
      .start_i           (start),
      .last_row_i        (last_row_i),
      .last_page_i       (1'b0),
      .busy_o            (busy[i]),
      .op_i              (2'd0),
      .table_we_i        (1'b0),
      .table_addr_i      ('0),
      .table_data_i      ('0),
      .link_valid_i      (link_valid_i),
      .link_data_i       (link_data_i),
      .link_valid_o      (valid[i]),
      .link_dest_o       (dest[i]),
      .link_data_o       (data[i*DataW +: DataW]),
      .fault_o           (fault[4*i +: 4]),
      .fault_row_o       (),
      .fault_parity_o    (parity[i]),
      .fault_parity_row_o()
    );
  end

  // A row is anything, the same for both.
  (* hierconn *) logic [RowW-1:0] \gen_node[0].u_node.row ;
  (* hierconn *) logic [RowW-1:0] \gen_node[1].u_node.row ;
  always_comb assume (\gen_node[0].u_node.row == \gen_node[1].u_node.row );

  logic             past_valid;
  logic [1:0]       valid_q, dest_q;    // of the one without, a cycle ago and two
  logic [2*DataW-1:0] data_q;
  logic [2:0]       went_q;             // it was reset so long ago; a bank that was never written says nothing
  initial past_valid = 1'b0;
  always_ff @(posedge clk_i) begin
    past_valid <= 1'b1;
    valid_q    <= rst_ni ? {valid_q[0], valid[0]} : '0;
    dest_q     <= {dest_q[0], dest[0]};
    data_q     <= {data_q[DataW-1:0], data[DataW-1:0]};
    went_q     <= rst_ni ? {went_q[1:0], 1'b1} : '0;
  end

  always_comb begin
    // A reset while rows are under way stops a word on its way to one bank that is in the other already.
    assume (rst_ni == past_valid);
  end

  always_comb if (past_valid) begin
    a_faults: assert (fault[7:4] == fault[3:0] && parity[1] == parity[0]);
    a_sends: assert (went_q[2] == 1'b0 || valid[1] == valid_q[1]);
    if (valid[1] && went_q[2]) a_same: assert (dest[1] == dest_q[1] && data[DataW +: DataW] == data_q[DataW +: DataW]);
    a_busy: assert (!busy[0] || busy[1]);
    if (valid_q[1]) c_sends: cover (valid[1] && data[DataW] && !dest[1]);
  end

  always_ff @(posedge clk_i) if (past_valid && $past(past_valid && valid[1])) a_busy_to_the_end: assert ($past(busy[1]) || !$past(valid_q[0]));
endmodule
