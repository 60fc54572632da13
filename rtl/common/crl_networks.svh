// SPDX-License-Identifier: Apache-2.0
//
// Small networks as parameters `Neighbours` of fabrics: those that the fabrics have unless they are told others. 16 bits a link: the
// neighbour behind direction p of node v at 16 * (v * Ports + p), all ones for none. A line below is a node or more, the
// last node first.

`ifndef CRL_NETWORKS_SVH
`define CRL_NETWORKS_SVH

`define CRL_CUBE_3 { \
    48'h0003_0005_0006, 48'h0002_0004_0007, 48'h0001_0007_0004, 48'h0000_0006_0005, \
    48'h0007_0001_0002, 48'h0006_0000_0003, 48'h0005_0003_0000, 48'h0004_0002_0001}

`define CRL_CUBE_4 { \
    64'h0007_000B_000D_000E, 64'h0006_000A_000C_000F, 64'h0005_0009_000F_000C, 64'h0004_0008_000E_000D, \
    64'h0003_000F_0009_000A, 64'h0002_000E_0008_000B, 64'h0001_000D_000B_0008, 64'h0000_000C_000A_0009, \
    64'h000F_0003_0005_0006, 64'h000E_0002_0004_0007, 64'h000D_0001_0007_0004, 64'h000C_0000_0006_0005, \
    64'h000B_0007_0001_0002, 64'h000A_0006_0000_0003, 64'h0009_0005_0003_0000, 64'h0008_0004_0002_0001}

// Ports in the order up and down along dimension 0, then along dimension 1.
`define CRL_TORUS_3X3 { \
    64'h0002_0005_0006_0007, 64'h0001_0004_0008_0006, 64'h0000_0003_0007_0008, \
    64'h0008_0002_0003_0004, 64'h0007_0001_0005_0003, 64'h0006_0000_0004_0005, \
    64'h0005_0008_0000_0001, 64'h0004_0007_0002_0000, 64'h0003_0006_0001_0002}

`endif
