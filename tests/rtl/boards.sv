// SPDX-License-Identifier: Apache-2.0
//
// Two boards, each with a clock of its own, play one plan over cables. Every word is judged, and how long rounds take. The plan's
// parameters, tables and lists of words are made by boards.py.
`timescale 1ps / 1ps

module boards #(
  parameter int PpmA = 0,
  parameter int PpmB = 0,
  // Of the cables from board 0, in cycles of 10 ns, of cable c it is c less: what a flit takes at most from the register that it leaves
  // to the one that hears it, of which up to one cycle is until that clock rises; of wires without that cycle.
  parameter int DelayA = 4,
  parameter int DelayB = 4,  // of those from board 1
  parameter int Errors = 0,  // flits in a million that are damaged, lost and doubled
  parameter int Rounds = 50,
  parameter int Late = 0,    // cycles by which board 1 begins later
  parameter int Wired = 0
);
`include "case.svh"
  localparam int Period = 10000;
  localparam int DataW = 16;
  localparam int A = $clog2(Depth);
  localparam int FieldW = (DataW > A + 4) ? DataW : A + 4;
  localparam int FlitW = 1 + 2 * A + FieldW + 16;
  localparam int TA = $clog2(TableDepth);
  localparam int All = Nodes * Lanes;

  // Packet of a node for another in a round.
  function automatic [DataW-1:0] packet(input [15:0] name, input int round);
    packet = DataW'(((32'(name) + 1) * 40503) ^ (round * 7919) ^ (round >>> 5));
  endfunction

  // Lists of packets, of stream s of board b from (b * All + s) * Most on; how many each has.
  logic [15:0] own_list [0:2*All*Most-1];
  logic [15:0] show_list [0:2*All*Most-1];
  logic [15:0] own_count [0:2*All-1];
  logic [15:0] show_count [0:2*All-1];
  initial begin
    $readmemh("own.hex", own_list);
    $readmemh("show.hex", show_list);
    $readmemh("own_count.hex", own_count);
    $readmemh("show_count.hex", show_count);
  end

  logic [1:0] clk, rst_n, step, busy, begins, starts;
  logic [2*Cables-1:0] up, put, take, room, there, room_ahead, there_ahead, waits, held, heard_valid, flit_valid, repeats, wires;
  logic [2*Cables*DataW-1:0] data, word;
  logic [2*Cables*FlitW-1:0] flit, heard;
  logic [1:0][31:0] begun, wrong, shown, stalls;
  time first_begin [0:1], last_begin [0:1];
  logic [31:0] repeated;

  initial begin
    clk = '0;
    rst_n = '0;
    repeated = 0;
  end

  for (genvar b = 0; b < 2; b++) begin : gen_board
    localparam int Half = (Period + 32'(64'(Period) * ((b == 0) ? PpmA : PpmB) / 1000000)) / 2;
    initial begin
      #(b * 3331);
      forever #(Half) clk[b] = !clk[b];
    end

    logic [All-1:0]       own_ready, show_valid;
    logic [All*DataW-1:0] own_data, show_data;
    logic [Nodes*4-1:0]   fault;
    logic [Nodes-1:0]     fault_parity;
    logic [Nodes*Ports-1:0] fault_ports;
    logic [Nodes*TA-1:0]  fault_row, parity_row;
    logic [TA-1:0]        number;
    localparam InitFile = (b == 0) ? "board0/" : "board1/";

    crl_cabled_fabric #(
      .Nodes(Nodes), .Ports(Ports), .Lanes(Lanes), .Banks(Banks), .WriteXbar(WriteXbar), .Delay(Delay), .WaddrField(WaddrField), .Store(Store),
      .DataW(DataW), .AddrW(AddrW), .TableDepth(TableDepth), .Neighbours((b == 0) ? Neighbours0 : Neighbours1),
      .Latencies((b == 0) ? Latencies0 : Latencies1),
      .Cables(Cables), .Senders((b == 0) ? Senders0 : Senders1), .Hearers((b == 0) ? Hearers0 : Hearers1), .InitFile(InitFile)
    ) u_fabric (
      .clk_i(clk[b]), .rst_ni(rst_n[b]), .clear_i(1'b0), .start_i(starts[b]), .last_row_i(TA'(LastRow)), .begin_o(begins[b]), .busy_o(busy[b]),
      .step_o(step[b]), .number_o(number), .waits_for_o(waits[b*Cables +: Cables]), .held_by_o(held[b*Cables +: Cables]),
      .table_we_i(1'b0), .table_sel_i('0), .table_addr_i('0), .table_data_i('0),
      .own_valid_i({All{1'b1}}), .own_data_i(own_data), .own_ready_o(own_ready), .show_valid_o(show_valid), .show_data_o(show_data),
      .put_o(put[b*Cables +: Cables]), .data_o(data[b*Cables*DataW +: Cables*DataW]), .room_ahead_i(room_ahead[b*Cables +: Cables]),
      .take_o(take[b*Cables +: Cables]), .word_i(word[b*Cables*DataW +: Cables*DataW]), .there_ahead_i(there_ahead[b*Cables +: Cables]),
      .fault_o(fault), .fault_ports_o(fault_ports), .fault_row_o(fault_row), .fault_parity_o(fault_parity), .fault_parity_row_o(parity_row)
    );

    assign starts[b] = rst_n[b] && begun[b] < Rounds && (&up[b*Cables +: Cables]);

    initial begin
      begun[b] = 0;
      wrong[b] = 0;
      stalls[b] = 0;
    end
    always @(posedge clk[b]) if (rst_n[b]) begin
      if (begins[b]) begin
        if (begun[b] == 1) first_begin[b] = $time;
        last_begin[b] = $time;
        begun[b] <= begun[b] + 1;
      end
      if (!step[b]) stalls[b] <= stalls[b] + 1;
    end

    // Each stream's words, in their order.
    logic [All-1:0] bad;
    logic [All*32-1:0] counts;
    for (genvar s = 0; s < All; s++) begin : gen_stream
      int own_at, own_round, show_at, show_round, came;
      assign own_data[s*DataW +: DataW] = packet(own_list[(b * All + s) * Most + own_at], own_round);
      assign counts[s*32 +: 32] = came;
      initial begin
        own_at = 0;
        own_round = 0;
        show_at = 0;
        show_round = 0;
        came = 0;
        bad[s] = 0;
      end
      always @(posedge clk[b]) if (rst_n[b]) begin
        if (own_ready[s]) begin
          own_at <= (own_at + 1 == 32'(own_count[b * All + s])) ? 0 : own_at + 1;
          if (own_at + 1 == 32'(own_count[b * All + s])) own_round <= own_round + 1;
        end
        if (show_valid[s] !== 1'b0) begin
          came <= came + 1;
          if (show_data[s*DataW +: DataW] !== packet(show_list[(b * All + s) * Most + show_at], show_round)) begin
            bad[s] <= 1;
            if (bad == '0) $display("%0t: board %0d stream %0d round %0d: %h", $time, b, s, show_round, show_data[s*DataW +: DataW]);
          end
          show_at <= (show_at + 1 == 32'(show_count[b * All + s])) ? 0 : show_at + 1;
          if (show_at + 1 == 32'(show_count[b * All + s])) show_round <= show_round + 1;
        end
      end
    end
    always @(posedge clk[b]) if (rst_n[b] && (bad != '0 || (|fault) !== 1'b0 || (|fault_parity) !== 1'b0)) wrong[b] <= 1;

    always_comb begin
      shown[b] = 0;
      for (int s = 0; s < All; s++) shown[b] += counts[s*32 +: 32];
    end

    for (genvar c = 0; c < Cables; c++) begin : gen_cable
      localparam int I = b * Cables + c;
      localparam int J = (1 - b) * Cables + c;
      localparam int Cable = ((b == 0) ? DelayA : DelayB) - ((((b == 0) ? DelayA : DelayB) >= c) ? c : 0);
      logic silent, other, was_reset, damaged;

      if (Wired != 0) begin : gen_wired
        logic plain;
        crl_wired_cable #(.DataW(DataW), .Depth(Depth), .Silence(5), .Identity(100 + c), .End(b)) u_end (
          .clk_i(clk[b]), .rst_ni(rst_n[b]), .put_i(put[I]), .data_i(data[I*DataW +: DataW]), .room_o(room[I]), .room_ahead_o(room_ahead[I]),
          .take_i(take[I]), .word_o(word[I*DataW +: DataW]), .there_o(there[I]), .there_ahead_o(there_ahead[I]), .wire_i(plain),
          .wire_o(wires[I]), .up_o(up[I]), .silent_o(silent), .fault_other_o(other), .fault_reset_o(was_reset), .repeats_o(repeats[I]),
          .damaged_o(damaged));
        wire other_wire = wires[J];
        always @(other_wire) plain <= #(Cable * Period) other_wire;
      end else begin : gen_port
        crl_cable_port #(.DataW(DataW), .Depth(Depth), .Silence(7), .Identity(100 + c), .End(b)) u_end (
          .clk_i(clk[b]), .rst_ni(rst_n[b]), .put_i(put[I]), .data_i(data[I*DataW +: DataW]), .room_o(room[I]), .room_ahead_o(room_ahead[I]),
          .take_i(take[I]), .word_o(word[I*DataW +: DataW]), .there_o(there[I]), .there_ahead_o(there_ahead[I]), .flit_take_i(1'b1),
          .flit_valid_o(flit_valid[I]), .flit_o(flit[I*FlitW +: FlitW]), .flit_valid_i(heard_valid[I]), .flit_i(heard[I*FlitW +: FlitW]),
          .up_o(up[I]), .silent_o(silent), .fault_other_o(other), .fault_reset_o(was_reset), .repeats_o(repeats[I]), .damaged_o(damaged));

        // The cable to the other board. Where the sender's clock is faster, flits without a word are left out, as transceivers do.
        logic [FlitW-1:0] under_way [0:1023];
        time              due [0:1023];
        int               first, last, copies;
        logic [FlitW-1:0] sent;
        initial begin
          first = 0;
          last = 0;
          heard_valid[J] = 1'b0;
        end
        always @(posedge clk[b]) if (flit_valid[I] && rst_n[b]) begin
          sent = flit[I*FlitW +: FlitW];
          if ($urandom_range(0, 999999) < Errors) sent[$urandom_range(0, FlitW - 1)] ^= 1'b1;
          copies = ($urandom_range(0, 999999) < Errors) ? 0 : ($urandom_range(0, 999999) < Errors) ? 2 : 1;
          for (int i = 0; i < copies; i++) begin
            under_way[last % 1024] = sent;
            due[last % 1024] = $time + (Cable - 3) * Period;
            last = last + 1;
          end
        end
        always @(posedge clk[1-b]) begin
          heard_valid[J] <= 1'b0;
          while (last - first > 1 && due[(first + 1) % 1024] <= $time && !under_way[first % 1024][FlitW-1]) first = first + 1;
          if (first != last && due[first % 1024] <= $time) begin
            heard_valid[J] <= 1'b1;
            heard[J*FlitW +: FlitW] <= under_way[first % 1024];
            first = first + 1;
          end
        end
      end
      always @(posedge clk[b]) if (repeats[I]) repeated <= repeated + 1;
    end
  end

  longint waited;
  real cycles, other_cycles;
  initial begin
    #(10 * Period);
    rst_n[0] = 1'b1;
    #((Late + 1) * Period);
    rst_n[1] = 1'b1;
    waited = 0;
    while (!(begun[0] == Rounds && begun[1] == Rounds && busy == '0) && waited < 64'(Rounds) * 100000) begin
      #(16 * Period);
      waited += 16;
    end
    #(100 * Period);
    cycles = $itor((last_begin[0] - first_begin[0]) / (Rounds - 2)) / (Period + 32'(64'(Period) * ((PpmA > PpmB) ? PpmA : PpmB) / 1000000));
    other_cycles = $itor((last_begin[1] - first_begin[1]) / (Rounds - 2)) / (Period + 32'(64'(Period) * ((PpmA > PpmB) ? PpmA : PpmB) / 1000000));
    $display("%0d words, %0d wrong, %0d missing, cycles a round %0.4f and %0.4f, %0d and %0d stalls, %0d repetitions", shown[0] + shown[1],
             wrong[0] + wrong[1], Rounds * Packets - shown[0] - shown[1], cycles, other_cycles, stalls[0], stalls[1], repeated);
    $finish;
  end
endmodule
