// SPDX-License-Identifier: Apache-2.0
//
// Links of a network, by a list of neighbours: what each node sends becomes what another hears, and what it says back to
// those it hears becomes what they are told. Wires only.
//
// A list that names a node there is not, a node as its own neighbour, or one neighbour's port twice, stops elaboration.

module crl_links #(
  /// Nodes of the network, 1 to 65535.
  parameter int Nodes = 2,
  /// Link ports of a node.
  parameter int Ports = 1,
  /// Bits of a word.
  parameter int DataW = 16,
  /// 16 bits a link, that of node v and port p at 16 * (v * Ports + p): the neighbour behind direction p of node v, whose
  /// words on port p node v hears on port p. All ones: there is no link.
  parameter Neighbours = 32'h0000_0001
) (
  input  logic [Nodes*Ports-1:0]       valid_i,   // what node v sends on port p, at v * Ports + p
  input  logic [Nodes*Ports*DataW-1:0] data_i,
  output logic [Nodes*Ports-1:0]       valid_o,   // what node v hears on port p
  output logic [Nodes*Ports*DataW-1:0] data_o,

  input  logic [Nodes*Ports-1:0]       back_i,    // what node v says to the one it hears on port p
  output logic [Nodes*Ports-1:0]       back_o     // what node v is told by the one that hears its port p; 0: there is none
);

  localparam int ListW = 16 * Nodes * Ports;
  localparam logic [ListW-1:0] List = ListW'(Neighbours);

  // Which ports somebody hears; above them, whether two hear the same.
  function automatic logic [Nodes*Ports:0] heard_ports(input logic [ListW-1:0] list);
    heard_ports = '0;
    for (int v = 0; v < Nodes; v++)
      for (int p = 0; p < Ports; p++)
        if (32'(list[16*(v*Ports + p) +: 16]) < Nodes) begin
          heard_ports[Nodes*Ports] = heard_ports[Nodes*Ports] || heard_ports[32'(list[16*(v*Ports + p) +: 16]) * Ports + p];
          heard_ports[32'(list[16*(v*Ports + p) +: 16]) * Ports + p] = 1'b1;
        end
  endfunction

  localparam logic [Nodes*Ports:0] Heard = heard_ports(List);

  if (Nodes < 1 || Nodes > 65535 || Ports < 1 || DataW < 1) begin : gen_bad_size
    crl_error_nodes_must_be_1_to_65535_and_ports_and_data_w_1_or_more u_error ();
  end
  if ($bits(Neighbours) != ListW) begin : gen_bad_length
    crl_error_neighbours_must_have_16_bits_a_link u_error ();
  end
  if (Heard[Nodes*Ports]) begin : gen_heard_twice
    crl_error_neighbours_must_name_each_port_of_a_node_once u_error ();
  end

  for (genvar v = 0; v < Nodes; v++) begin : gen_node
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      localparam int To        = v * Ports + p;
      localparam int Neighbour = 32'(List[16*To +: 16]);

      if (Neighbour == 32'hFFFF) begin : gen_none
        assign valid_o[To] = 1'b0;
        assign data_o[To*DataW +: DataW] = '0;
      end else if (Neighbour >= Nodes || Neighbour == v) begin : gen_bad_neighbour
        crl_error_neighbours_must_be_other_nodes_or_all_ones u_error ();
      end else begin : gen_link
        localparam int From = Neighbour * Ports + p;

        assign valid_o[To] = valid_i[From];
        assign data_o[To*DataW +: DataW] = data_i[From*DataW +: DataW];
        assign back_o[From] = back_i[To];
      end
      if (!Heard[To]) begin : gen_unheard
        assign back_o[To] = 1'b0;
      end
    end
  end

  // Ports that nobody hears.
  logic unused_ports;
  assign unused_ports = &{1'b0, valid_i, data_i, back_i};

`ifdef FORMAL
  // From where there is no link nothing comes, and who is heard by nobody is told nothing.
  logic [Nodes*Ports-1:0] f_comes, f_told;
  for (genvar i = 0; i < Nodes * Ports; i++) begin : gen_f_nobody
    assign f_comes[i] = List[16*i +: 16] == 16'hFFFF && (valid_o[i] || data_o[i*DataW +: DataW] != '0);
    assign f_told[i]  = !Heard[i] && back_o[i];
  end
  always_comb begin
    a_nothing_comes: assert (f_comes == '0);
    a_nothing_told: assert (f_told == '0);
    c_all: cover (&valid_i && |valid_o && |back_o);
  end
`endif

endmodule
