// SPDX-License-Identifier: Apache-2.0
//
// One line of a matrix: adds it up from left to right, turns the corner with all others, adds up the column it then has.
//
// Timing: start_i takes line_i; done_o is 1 from when line_o has the result until the next start_i.

module accelerator #(
  /// Which line this is, of how many, and bits of a word.
  parameter int Line = 0,
  parameter int Lines = 16,
  parameter int DataW = 16,
  localparam int LineW = $clog2(Lines)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   start_i,
  input  logic [Lines*DataW-1:0] line_i,
  output logic                   done_o,
  output logic [Lines*DataW-1:0] line_o,

  output logic [DataW-1:0]       own_data_o,    // to the fabric
  output logic                   own_valid_o,
  input  logic                   own_ready_i,
  input  logic [LineW-1:0]       own_dest_i,    // whose word it wants

  input  logic [DataW-1:0]       come_data_i,   // from the fabric
  input  logic                   come_valid_i,
  output logic                   come_ready_o,
  input  logic [LineW-1:0]       come_id_i      // whose word it is
);

  typedef enum logic [1:0] {Done, AddRow, Turn, AddColumn} state_e;

  state_e                 state_q;
  logic [Lines*DataW-1:0] line_q, turned_q;
  logic [DataW-1:0]       sum_q, sum_d;
  logic [LineW-1:0]       at_q, sent_q, come_q; // one's own word stays, so a line sends and gets Lines - 1

  assign own_data_o   = line_q[own_dest_i*DataW +: DataW];
  assign own_valid_o  = state_q == Turn && 32'(sent_q) != Lines - 1;
  assign come_ready_o = state_q == Turn && 32'(come_q) != Lines - 1; // a word for the next matrix waits
  assign done_o       = state_q == Done;
  assign line_o       = line_q;
  assign sum_d        = sum_q + line_q[at_q*DataW +: DataW];

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      AddRow, AddColumn: begin
        line_q[at_q*DataW +: DataW] <= sum_d;
        sum_q <= sum_d;
        at_q  <= at_q + 1'b1;
        if (32'(at_q) == Lines - 1) state_q <= (state_q == AddRow) ? Turn : Done;
      end
      Turn: begin
        if (own_valid_o && own_ready_i) sent_q <= sent_q + 1'b1;
        if (come_valid_i && come_ready_o) begin
          turned_q[come_id_i*DataW +: DataW] <= come_data_i;
          come_q <= come_q + 1'b1;
        end
        if (32'(sent_q) == Lines - 1 && 32'(come_q) == Lines - 1) begin
          line_q <= turned_q;
          line_q[Line*DataW +: DataW] <= line_q[Line*DataW +: DataW];
          sum_q   <= '0;
          state_q <= AddColumn;
        end
      end
      Done: if (start_i) begin
        line_q  <= line_i;
        sum_q   <= '0;
        at_q    <= '0;
        sent_q  <= '0;
        come_q  <= '0;
        state_q <= AddRow;
      end
    endcase
    if (!rst_ni) state_q <= Done;
  end

endmodule
