// SPDX-License-Identifier: Apache-2.0
//
// Eight PicoRV32 with a memory of 1 KiB each, and an emitted fabric, gather, behind a bus address of every one.
//
// Bus, words from 32'h8000_0000 on: 0 written: a word for all others; read: a word from another one; 1 read: whose word that
// will be; 2 read: which core this is; 3 written: the result. Who writes while the fabric has no room, or reads 0 or 1 while
// nothing came, waits.

module core #(
  parameter int Core = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  output logic [31:0] own_data_o,
  output logic        own_valid_o,
  input  logic        own_ready_i,

  input  logic [31:0] come_data_i,
  input  logic        come_valid_i,
  output logic        come_ready_o,
  input  logic [2:0]  come_id_i,

  output logic        done_o,
  output logic [31:0] result_o
);

  logic        valid, unused_instr, ready, done_q, read_q, trap;
  logic [31:0] addr, wdata, rdata, mem_q, result_q;
  logic [3:0]  wstrb;
  logic        bus, memory, writes;
  logic [31:0] mem [0:255];

  initial $readmemh("program.hex", mem);

  picorv32 #(
    .ENABLE_COUNTERS(0),
    .CATCH_MISALIGN (0),
    .CATCH_ILLINSN  (1)
  ) u_cpu (
    .clk      (clk_i),
    .resetn   (rst_ni),
    .trap     (trap),
    .mem_valid(valid),
    .mem_instr(unused_instr),
    .mem_ready(ready),
    .mem_addr (addr),
    .mem_wdata(wdata),
    .mem_wstrb(wstrb),
    .mem_rdata(rdata),
    .pcpi_wr  (1'b0),
    .pcpi_rd  (32'd0),
    .pcpi_wait(1'b0),
    .pcpi_ready(1'b0),
    .irq      (32'd0)
  );

  assign bus    = valid && addr[31];
  assign memory = valid && !addr[31];
  assign writes = wstrb != '0;

  assign own_data_o   = wdata;
  assign own_valid_o  = bus && writes && addr[3:2] == 2'd0;
  assign come_ready_o = bus && !writes && addr[3:2] == 2'd0;

  always_comb begin
    ready = memory && (writes || read_q);
    rdata = mem_q;
    if (bus) unique case (addr[3:2])
      2'd0: begin
        ready = writes ? own_ready_i : come_valid_i;
        rdata = come_data_i;
      end
      2'd1: begin
        ready = come_valid_i;
        rdata = 32'(come_id_i);
      end
      default: begin
        ready = 1'b1;
        rdata = 32'(Core);
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    read_q <= memory && !writes && !read_q;
    mem_q  <= mem[addr[9:2]];
    for (int b = 0; b < 4; b++) if (memory && wstrb[b]) mem[addr[9:2]][8*b +: 8] <= wdata[8*b +: 8];
    if (bus && writes && addr[3:2] == 2'd3) begin
      result_q <= wdata;
      done_q   <= 1'b1;
    end
    if (!rst_ni) done_q <= 1'b0;
  end

  assign done_o   = done_q && !trap;
  assign result_o = result_q;

endmodule

module soc (
  input  logic         clk_i,
  input  logic         rst_ni,

  output logic [7:0]   done_o,    // of each core: its result is there
  output logic [8*32-1:0] result_o,
  output logic         fault_o
);

  logic [7:0]      own_valid, own_ready, come_valid, come_ready, unused_last;
  logic [8*32-1:0] own_data, come_data;
  logic [8*3-1:0]  come_id, unused_dest;
  logic            unused_busy;

  gather u_gather (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .start_i        (1'b1),      // a round begins as soon as all have given a word
    .busy_o         (unused_busy),
    .s_axis_tdata_i (own_data),
    .s_axis_tvalid_i(own_valid),
    .s_axis_tready_o(own_ready),
    .s_axis_tdest_o (unused_dest),
    .m_axis_tdata_o (come_data),
    .m_axis_tvalid_o(come_valid),
    .m_axis_tready_i(come_ready),
    .m_axis_tlast_o (unused_last),
    .m_axis_tid_o   (come_id),
    .fault_o        (fault_o)
  );

  for (genvar v = 0; v < 8; v++) begin : gen_core
    core #(
      .Core(v)
    ) u_core (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .own_data_o  (own_data[v*32 +: 32]),
      .own_valid_o (own_valid[v]),
      .own_ready_i (own_ready[v]),
      .come_data_i (come_data[v*32 +: 32]),
      .come_valid_i(come_valid[v]),
      .come_ready_o(come_ready[v]),
      .come_id_i   (come_id[v*3 +: 3]),
      .done_o      (done_o[v]),
      .result_o    (result_o[v*32 +: 32])
    );
  end

endmodule
