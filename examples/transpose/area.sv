// SPDX-License-Identifier: Apache-2.0
//
// Summed areas of a 16 by 16 matrix: word (i, j) becomes the sum of all (k, l) with k ≤ i, l ≤ j. Sixteen accelerators with a
// row each, and an emitted fabric, exchange, that turns rows into columns.
//
// Timing: start_i while done_o is 1 takes rows_i; done_o is 0 until the columns are at columns_o.

module area #(
  /// Bits of a word.
  parameter int DataW = 16,
  localparam int Lines = 16,
  localparam int LineW = 4
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  input  logic                         start_i,
  input  logic [Lines*Lines*DataW-1:0] rows_i,    // word (i, j) at i * Lines + j
  output logic                         done_o,
  output logic [Lines*Lines*DataW-1:0] columns_o, // word (i, j) at j * Lines + i

  output logic                         fault_o
);

  logic [Lines-1:0]       done, own_valid, own_ready, come_valid, come_ready, unused_last;
  logic [Lines*DataW-1:0] own_data, come_data;
  logic [Lines*LineW-1:0] own_dest, come_id;
  logic                   unused_busy;

  assign done_o = &done;

  exchange u_exchange (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .start_i        (1'b1),     // a round begins as soon as all have their words there
    .busy_o         (unused_busy),
    .s_axis_tdata_i (own_data),
    .s_axis_tvalid_i(own_valid),
    .s_axis_tready_o(own_ready),
    .s_axis_tdest_o (own_dest),
    .m_axis_tdata_o (come_data),
    .m_axis_tvalid_o(come_valid),
    .m_axis_tready_i(come_ready),
    .m_axis_tlast_o (unused_last),
    .m_axis_tid_o   (come_id),
    .fault_o        (fault_o)
  );

  for (genvar v = 0; v < Lines; v++) begin : gen_line
    accelerator #(
      .Line (v),
      .Lines(Lines),
      .DataW(DataW)
    ) u_accelerator (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .start_i     (start_i && done_o),
      .line_i      (rows_i[v*Lines*DataW +: Lines*DataW]),
      .done_o      (done[v]),
      .line_o      (columns_o[v*Lines*DataW +: Lines*DataW]),
      .own_data_o  (own_data[v*DataW +: DataW]),
      .own_valid_o (own_valid[v]),
      .own_ready_i (own_ready[v]),
      .own_dest_i  (own_dest[v*LineW +: LineW]),
      .come_data_i (come_data[v*DataW +: DataW]),
      .come_valid_i(come_valid[v]),
      .come_ready_o(come_ready[v]),
      .come_id_i   (come_id[v*LineW +: LineW])
    );
  end

endmodule
