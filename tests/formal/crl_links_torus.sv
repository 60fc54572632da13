// SPDX-License-Identifier: Apache-2.0
//
// crl_links with the list of a 3 by 3 torus, ports +x -x +y -y: what each node hears, and what it is told by who
// hears it, worked out from coordinates.

module crl_links_torus #(
  parameter int DataW = 2
) (
  input logic [35:0] valid_i,
  input logic [36*DataW-1:0] data_i,
  input logic [35:0] back_i
);

  logic [35:0] valid, wanted_valid, back, wanted_back;
  logic [36*DataW-1:0] data, wanted;

  crl_links #(
    .Nodes     (9),
    .Ports     (4),
    .DataW     (DataW),
    .Neighbours(
      576'h000200050006000700010004000800060000000300070008000800020003000400070001000500030006000000040005000500080000000100040007000200000003000600010002
    )
  ) u_links (
    .valid_i(valid_i),
    .data_i (data_i),
    .valid_o(valid),
    .data_o (data),
    .back_i (back_i),
    .back_o (back)
  );

  // Behind a direction is the neighbour in the opposite one.
  for (genvar y = 0; y < 3; y++) begin : gen_y
    for (genvar x = 0; x < 3; x++) begin : gen_x
      localparam int At = 4 * (3 * y + x);

      assign wanted_valid[At +: 4] = {
        valid_i[4 * (3 * ((y + 1) % 3) + x) + 3], valid_i[4 * (3 * ((y + 2) % 3) + x) + 2],
        valid_i[4 * (3 * y + (x + 1) % 3) + 1], valid_i[4 * (3 * y + (x + 2) % 3)]
      };
      // Who hears a direction is the neighbour in it.
      assign wanted_back[At +: 4] = {
        back_i[4 * (3 * ((y + 2) % 3) + x) + 3], back_i[4 * (3 * ((y + 1) % 3) + x) + 2],
        back_i[4 * (3 * y + (x + 2) % 3) + 1], back_i[4 * (3 * y + (x + 1) % 3)]
      };
      assign wanted[DataW*At +: 4*DataW] = {
        data_i[DataW * (4 * (3 * ((y + 1) % 3) + x) + 3) +: DataW], data_i[DataW * (4 * (3 * ((y + 2) % 3) + x) + 2) +: DataW],
        data_i[DataW * (4 * (3 * y + (x + 1) % 3) + 1) +: DataW], data_i[DataW * (4 * (3 * y + (x + 2) % 3)) +: DataW]
      };
    end
  end

  always_comb begin
    a_valid: assert (valid == wanted_valid);
    a_data: assert (data == wanted);
    a_back: assert (back == wanted_back);
    c_word: cover (valid == 36'h800000001 && data[DataW-1:0] == '1);
  end

endmodule
