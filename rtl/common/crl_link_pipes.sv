// SPDX-License-Identifier: Apache-2.0
//
// Registers on links: each input is handed on as many clock cycles later as a list says.
//
// Timing: a word of link i comes out Beats * Latencies[i] - 1 - Less cycles after it went in; with 0 it is wires only. Where slots have
// many cycles it goes through a memory.

module crl_link_pipes #(
  /// Links.
  parameter int Links = 2,
  /// Bits of a word.
  parameter int DataW = 16,
  /// 16 bits a link, that of link i at 16 * i: cycles from the register that sends to the node that hears, 1 or more.
  parameter Latencies = {Links{16'h0001}},
  /// What they count: so many cycles.
  parameter int Beats = 1,
  /// Cycles that are taken off: what sends has them.
  parameter int Less = 0
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   en_i,    // 0: all stays for a cycle more; 1 while in reset
  input  logic [Links-1:0]       valid_i,
  input  logic [Links*DataW-1:0] data_i,
  output logic [Links-1:0]       valid_o,
  output logic [Links*DataW-1:0] data_o
);

  localparam logic [16*Links-1:0] List = (16 * Links)'(Latencies);

  if ($bits(Latencies) != 16 * Links) begin : gen_bad_length
    crl_error_latencies_must_have_16_bits_a_link u_error ();
  end

`ifdef FORMAL
  // How long ago the last reset, or the beginning, was.
  logic [7:0]       f_age;
  logic [Links-1:0] f_valid, f_data, f_stages; // what comes out, and what each stage has, is as it must be
`endif

  for (genvar i = 0; i < Links; i++) begin : gen_link
    localparam int Stages = Beats * 32'(List[16*i +: 16]) - 1 - Less;

    if (Stages < 0) begin : gen_bad_latency
      crl_error_latencies_must_be_1_or_more_and_more_than_less u_error ();
    end else if (Stages == 0) begin : gen_wires
      assign valid_o[i] = valid_i[i];
      assign data_o[i*DataW +: DataW] = data_i[i*DataW +: DataW];
`ifdef FORMAL
      assign {f_valid[i], f_data[i], f_stages[i]} = {valid_o[i] == valid_i[i], data_o[i*DataW +: DataW] == data_i[i*DataW +: DataW], 1'b1};
`endif
    end else if (Beats > 4 && Stages > 1) begin : gen_ring
      logic full, valid;
      crl_ring #(
        .DataW (DataW + 1),
        .Cycles(Stages)
      ) u_ring (
        .clk_i (clk_i),
        .rst_ni(rst_ni),
        .en_i  (en_i),
        .d_i   ({valid_i[i], data_i[i*DataW +: DataW]}),
        .q_o   ({valid, data_o[i*DataW +: DataW]}),
        .full_o(full)
      );
      assign valid_o[i] = valid && full;
`ifdef FORMAL
      assign {f_valid[i], f_data[i], f_stages[i]} = 3'b111; // proved in crl_ring
`endif
    end else begin : gen_stages
      logic [Stages-1:0]       valid_q;
      logic [Stages*DataW-1:0] data_q;

      always_ff @(posedge clk_i) if (en_i) begin
        if (!rst_ni) valid_q <= '0;
        else valid_q <= Stages'({valid_q, valid_i[i]});
      end

      always_ff @(posedge clk_i) if (en_i) data_q <= (Stages * DataW)'({data_q, data_i[i*DataW +: DataW]});

      assign valid_o[i] = valid_q[Stages-1];
      assign data_o[i*DataW +: DataW] = data_q[(Stages-1)*DataW +: DataW];

`ifdef FORMAL
      // What went in: k + 1 cycles ago at k.
      logic [Stages-1:0]       f_valid_was, f_same;
      logic [Stages*DataW-1:0] f_data_was;
      always_ff @(posedge clk_i) if (en_i) f_valid_was <= Stages'({f_valid_was, valid_i[i]});
      always_ff @(posedge clk_i) if (en_i) f_data_was <= (Stages * DataW)'({f_data_was, data_i[i*DataW +: DataW]});
      assign f_valid[i] = valid_o[i] == (f_valid_was[Stages-1] && 32'(f_age) > Stages);
      assign f_data[i] = 32'(f_age) <= Stages || data_o[i*DataW +: DataW] == f_data_was[(Stages-1)*DataW +: DataW];
      for (genvar k = 0; k < Stages; k++) begin : gen_f_stage
        assign f_same[k] = valid_q[k] == (f_valid_was[k] && 32'(f_age) > k + 1)
            && (32'(f_age) <= k + 1 || data_q[k*DataW +: DataW] == f_data_was[k*DataW +: DataW]);
      end
      assign f_stages[i] = &f_same;
`endif
    end
  end

  // Where there are wires only.
  logic unused_clock;
  assign unused_clock = &{1'b0, clk_i, rst_ni, en_i};

`ifdef FORMAL
  initial f_age = '0;
  always_ff @(posedge clk_i) if (en_i) begin
    if (!rst_ni) f_age <= 8'd1;
    else if (f_age != '0 && f_age != '1) f_age <= f_age + 1'b1;
  end
`ifdef FORMAL_TOP_crl_link_pipes
  always_comb if (f_age == '0 || !rst_ni) assume (!rst_ni && en_i);
`endif

  // Nothing that went in before or during a reset comes out after it.
  always_comb if (f_age != '0) begin
    a_valid: assert (&f_valid);
    a_data: assert (&f_data);
    a_stages: assert (&f_stages); // however long all stays
  end
`ifdef FORMAL_TOP_crl_link_pipes
  always_comb c_last: cover (valid_o[Links-1] && data_o[(Links-1)*DataW +: DataW] != '0);
  always_ff @(posedge clk_i) c_reset: cover (f_age == 8'd1 && $past(valid_o[Links-1]));
`endif
`endif

endmodule
