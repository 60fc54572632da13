  localparam int Nodes = @NODES@;
  localparam int Ports = @PORTS@;   // links of a node, each way, at most
  localparam int Streams = @STREAMS@; // of a node, each way
  localparam int All = Nodes * Streams;
  localparam int DataW = @WIDTH@;   // bits of a word
  localparam int PeerW = @PEER_BITS@;   // bits of what names @PEER_NOTE@
