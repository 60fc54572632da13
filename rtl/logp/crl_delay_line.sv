// SPDX-License-Identifier: Apache-2.0
//
// Passes words on a number of cycles later that is set while nothing is under way.
//
// Timing: a word at valid_i, data_i in one cycle is at valid_o, data_o `delay_i` cycles later; with 0 it is there at
// once.

module crl_delay_line #(
  /// Bits of a word.
  parameter int DataW = 16,
  /// The longest delay, in cycles.
  parameter int DelayMax = 15,
  /// Bits of a delay.
  localparam int SW = (DelayMax > 0) ? $clog2(DelayMax + 1) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic [SW-1:0]    delay_i,   // 0 to DelayMax; holds while words are under way
  input  logic             valid_i,
  input  logic [DataW-1:0] data_i,
  output logic             valid_o,
  output logic [DataW-1:0] data_o
);

  if (DelayMax > 0) begin : gen_stages
    logic [DelayMax-1:0] valid_q;
    logic [DelayMax:0]   valid;    // by age
    logic [SW-1:0]       at_q, read_q;
    logic                wire_q;
    logic [DataW-1:0]    mem [0:(1<<SW)-1];

    assign valid = {valid_q, valid_i};

    always_ff @(posedge clk_i) begin
      if (!rst_ni) valid_q <= '0;
      else valid_q <= valid[DelayMax-1:0];
    end

    // The words stay where they are, in a ring; what moves is the place of the newest.
    always_ff @(posedge clk_i) begin
      if (!rst_ni) at_q <= '0;
      else at_q <= at_q + 1'b1;
    end
    // The delay holds, so what follows from it is known before it is needed.
    always_ff @(posedge clk_i) begin
      read_q <= at_q + 1'b1 - delay_i;
      wire_q <= delay_i == '0;
    end
    always_ff @(posedge clk_i) mem[at_q] <= data_i;

    assign valid_o = valid[delay_i];
    assign data_o  = wire_q ? data_i : mem[read_q];
  end else begin : gen_wire
    logic unused_clock;
    assign unused_clock = &{1'b0, clk_i, rst_ni, delay_i};

    assign valid_o = valid_i;
    assign data_o  = data_i;
  end

`ifdef FORMAL
  // Any one delay: what comes out is what went in so many cycles ago, by a list of what went in.
  (* anyconst *) logic [SW-1:0] f_delay;
  logic [DelayMax:0]            f_valid;
  logic [(DelayMax+1)*DataW-1:0] f_data;
  logic                         f_past_valid;
  initial f_past_valid = 1'b0;

  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    f_valid      <= rst_ni ? (DelayMax + 1)'({f_valid, valid_i}) : '0;
    f_data       <= ((DelayMax + 1) * DataW)'({f_data, data_i});
  end

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    assume (32'(f_delay) <= DelayMax);
    assume (delay_i == f_delay);
    if (f_past_valid && f_delay == '0) a_wire: assert (valid_o == valid_i && data_o == data_i);
    if (f_past_valid && f_delay != '0) begin
      a_valid: assert (valid_o == f_valid[f_delay - 1'b1]);
      if (valid_o) a_data: assert (data_o == f_data[(f_delay - 1'b1)*DataW +: DataW]);
    end
    c_out: cover (f_past_valid && valid_o && (DelayMax == 0 || !valid_i) && 32'(f_delay) == DelayMax);
  end
`endif

endmodule
