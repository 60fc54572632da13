// SPDX-License-Identifier: Apache-2.0
//
// A router of any form plays random rows beside a reference that is written from docs/formats/row.md: every output in every
// cycle, with gaps, restarts, resets, words that nobody expects and own words that are missing. From power-up nothing is known.
// Rows keep to what the format asks: nothing is read in the row after the one that writes it, and behind a delayed or an own
// word lies zero.
module router #(
  parameter int Ports = 4,
  parameter int Lanes = 4,
  parameter int Banks = 4,
  parameter int WriteXbar = 0,
  parameter int Delay = 1,
  parameter int WaddrField = 0,
  parameter int Streams = 0,
  parameter int Store = 1,
  parameter int Combine = 0,
  parameter int Words = 1,
  parameter int TableDepth = 8,
  parameter int AddrW = 3,
  parameter int DataW = (Combine == 7) ? 32 : 8,
  parameter int Cycles = 600,
  `include "crl_row.svh"
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1,
  localparam int PW = (Words > 1) ? $clog2(Words) : 1,
  localparam int Page = 1 << AddrW,
  localparam int Direct = (Banks < Lanes && Combine == 0) ? Lanes : 0,
  // Where word 0 of each bank is zero and stays so.
  localparam int HasZero = (Combine == 0 && (Delay != 0 || Streams != 0)) ? 1 : 0,
  localparam int Fresh = Words * TableDepth
);

  logic                   clk, rst_n, clear, fetched, skip_departs, skip_arrives, active;
  logic [RowW-1:0]        row;
  logic [PW-1:0]          fetched_page, page;
  logic [TA-1:0]          number;
  logic [Ports-1:0]       valid_in;
  logic [Ports*DataW-1:0] data_in;
  logic [Banks-1:0]       own_valid;
  logic [Banks*DataW-1:0] own_data;
  wire  [Ports-1:0]       valid_out, fault_ports;
  wire  [Ports*DataW-1:0] data_out;
  wire  [Banks-1:0]       own_ready;
  wire  [Lanes-1:0]       show_valid;
  wire  [Lanes*DataW-1:0] show_data;
  wire                    starved;
  wire  [2:0]             fault;
  wire  [TA-1:0]          fault_row;

  crl_router #(
    .Ports(Ports), .Lanes(Lanes), .Banks(Banks), .WriteXbar(WriteXbar), .Delay(Delay), .WaddrField(WaddrField), .Streams(Streams),
    .Store(Store), .Combine(Combine), .DataW(DataW), .AddrW(AddrW), .TableDepth(TableDepth), .Words(Words)
  ) u_router (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(clear), .en_i(1'b1), .row_i(row), .fetched_i(fetched), .skip_departs_i(skip_departs),
    .skip_arrives_i(skip_arrives), .fetched_page_i(fetched_page), .active_i(active), .number_i(number), .page_i(page),
    .link_valid_i(valid_in), .link_data_i(data_in), .link_valid_o(valid_out), .link_data_o(data_out), .own_valid_i(own_valid),
    .own_data_i(own_data), .own_ready_o(own_ready), .show_valid_o(show_valid), .show_data_o(show_data), .fault_starved_o(starved),
    .fault_o(fault), .fault_ports_o(fault_ports), .fault_row_o(fault_row)
  );

  // The reference: what a bank holds and what of it is known, what it wrote and kept in the row before.
  reg [DataW-1:0] mem[0:Banks*Words*Page-1];
  reg             known[0:Banks*Words*Page-1];
  reg             wrote[0:Banks-1], kept[0:Banks-1], holds[0:Banks-1];
  integer         wrote_at[0:Banks-1];
  reg [DataW-1:0] last_sum[0:Banks-1], word_kept[0:Banks-1], value[0:Banks-1], in[0:Lanes-1];
  // The row that acts: what of it plays, and the words that come.
  reg [RowW-1:0]        acts;
  reg                   departs, arrives;
  reg [Banks*DataW-1:0] own_taken;
  reg [Ports-1:0]       comes, wanted, came;
  // What is due.
  reg [Ports-1:0]       due_valid[0:15];
  reg [Ports*DataW-1:0] due_data[0:15];
  reg [2:0]             due_fault, sees;
  reg [Ports-1:0]       due_ports;
  reg [TA-1:0]          due_row;
  reg                   due_starved, missed;
  reg [Banks-1:0]       takes;

  integer t, age, next_number, next_page, fetched_number, b, c, j, p, i, at, addr, words, wrong, first;
  reg     ok;
  reg [DataW-1:0] sum;

  // Whole numbers as floating-point ones, so that every sum is exact.
  function [31:0] single(input real x);
    reg [63:0] bits;
    begin
      bits   = $realtobits(x);
      single = (x == 0.0) ? 32'd0 : {bits[63], 8'(int'(bits[62:52]) - 896), bits[51:29]};
    end
  endfunction

  function real number_of(input [31:0] x);
    number_of = (x[30:0] == 0) ? 0.0 : $bitstoreal({x[31], 11'(int'(x[30:23]) + 896), x[22:0], 29'd0});
  endfunction

  function [DataW-1:0] lots(input integer unused);
    lots = (Combine == 7) ? DataW'(single(int'($random) % 400)) : DataW'($random);
  endfunction

  function [DataW-1:0] both(input [DataW-1:0] x, input [DataW-1:0] y);
    case (Combine)
      1:       both = x + y;
      2:       both = (x > y) ? y : x;
      3:       both = (x > y) ? x : y;
      4:       both = (x | y) & ~(x & y);
      5:       both = ~(~x | ~y);
      6:       both = ~(~x & ~y);
      default: both = DataW'(single(number_of(32'(x)) + number_of(32'(y))));
    endcase
  endfunction

  function integer place(input integer bank, input integer pg, input integer a);
    place = (bank * Words + pg) * Page + a;
  endfunction

  // A word of a page that may be read, or -1.
  function integer readable(input integer bank, input integer pg);
    integer k, a, from;
    begin
      readable = -1;
      from     = $unsigned($random) % Page;
      for (k = 0; k < Page; k = k + 1) begin
        a = (from + k) % Page;
        if (readable < 0 && known[place(bank, pg, a)] && !(wrote[bank] && wrote_at[bank] == place(bank, pg, a))) readable = a;
      end
    end
  endfunction

  task make_bank(input reg fresh);
    integer a, waddr;
    reg     own;
    begin
      at    = BankAt + b * BankFieldsW;
      own   = Streams != 0 && Combine == 0 && !kept[b] && !fresh && ($random & 1);
      waddr = (WaddrField != 0 && !fresh) ? $unsigned($random) % Page : fetched_number % Page;
      a     = readable(b, fetched_page);
      holds[b] = a >= 0;
      // Of a bank of sums: what it adds to.
      if (Combine != 0) begin
        row[at + WselAt +: XW] = $random;
        if (fresh) row[at + WselAt] = 1'b1;
        row[at + FwdAt] = wrote[b] && !fresh && ($random & 1);
        row[at + FlipAt] = !row[at + FwdAt] && ($random & 1);
        addr = waddr ^ (row[at + FlipAt] ? 1 : 0);
        ok = known[place(b, fetched_page, addr)] && !(wrote[b] && wrote_at[b] == place(b, fetched_page, addr));
        row[at + SetAt] = fresh || (!row[at + FwdAt] && (!ok || ($random & 3) == 0));
        if (row[at + SetAt]) begin
          row[at + FlipAt] = 1'b0;
          if (row[at + WselAt +: XW] == 0) row[at + WselAt + $unsigned($random) % XW] = 1'b1;
        end
        row[at + WaddrAt +: AddrW] = waddr;
        row[at + WenAt] = fresh || ($random & 1);
        row[at + DlyAt] = wrote[b] && (a < 0 || ($random & 1));
        row[at + BypAt] = $random;
        row[at +: AddrW] = (a < 0) ? $random : a;
        holds[b] = row[at + BypAt] || row[at + DlyAt] || a >= 0;
      end else begin
        if (HasZero != 0 && (kept[b] || own)) begin
          a        = 0;
          holds[b] = known[place(b, fetched_page, 0)] || Store == 0;
        end
        if (Store != 0) row[at +: AddrW] = (a < 0) ? 0 : a;
        else holds[b] = own;
        if (BypW != 0) row[at + BypAt] = $random;
        holds[b] = holds[b] || (BypW != 0 && row[at + BypAt]);
        if (Delay != 0) row[at + DlyAt] = !fresh && ($random & 1);
        if (Store != 0) row[at + WenAt] = (fresh && fetched_number < Page && (Streams == 0 || waddr != 0)) ||
            (!fresh && (HasZero == 0 || waddr != 0) && ($random & 1));
        if (XW > 0) row[at + WselAt +: XV] = $unsigned($random) % Lanes;
        if (Store != 0 && WaddrField != 0) row[at + WaddrAt +: AddrW] = waddr;
        if (OwnW > 0) row[at + OwnAt] = own;
      end
    end
  endtask

  // The row that is fetched, and the words that will come when it acts.
  task make_row(input reg fresh);
    begin
      row   = {RowW{1'b0}};
      row[0] = $random;
      comes = 0;
      for (b = 0; b < Banks; b = b + 1) make_bank(fresh);
      for (j = 0; j < Lanes; j = j + 1) begin
        at = InAt + j * InFieldsW;
        i  = $unsigned($random) % ((Ports - j + Lanes - 1) / Lanes);
        if (GW > 0) row[at + IportAt +: GV] = i;
        row[at] = $random;
        comes[i * Lanes + j] = row[at];
        if (Streams != 0) row[at + ShowAt] = $random;
        i = $unsigned($random) % Banks;
        if (SselW > 0) row[at + SselAt +: SV] = i;
        if (Combine != 0 && Streams != 0 && !holds[i]) row[at + ShowAt] = 1'b0;
        at = OutAt + j * OutFieldsW;
        i  = $unsigned($random) % (Direct + Banks);
        row[at] = ((i < Direct) ? 1'b1 : holds[i - Direct]) && ($random & 3) != 0;
        if (SW > 0) row[at + OselAt +: SV] = i;
        if (GW > 0) row[at + OportAt +: GV] = $unsigned($random) % ((Ports - j + Lanes - 1) / Lanes);
      end
      if (($random & 63) == 0) comes[$unsigned($random) % Ports] = $random;
    end
  endtask

  // What the row that acts does, before the edge.
  task act;
    integer n, sent;
    begin
      for (j = 0; j < Lanes; j = j + 1) begin
        at = InAt + j * InFieldsW;
        n  = (GW > 0) ? 32'(acts[at + IportAt +: GV]) * Lanes + j : j;
        in[j] = data_in[n*DataW +: DataW];
        if (arrives && acts[at]) wanted[n] = 1'b1;
      end
      for (b = 0; b < Banks; b = b + 1) begin
        at = BankAt + b * BankFieldsW;
        if (Combine != 0) begin
          addr = 32'(acts[at + WaddrAt +: AddrW]) ^ (acts[at + FlipAt] ? 1 : 0);
          ok   = !acts[at + SetAt];
          sum  = acts[at + FwdAt] ? last_sum[b] : mem[place(b, page, addr)];
          for (j = 0; j < XW; j = j + 1) begin
            // Own words come first.
            i = (Streams != 0) ? ((j < Lanes) ? Lanes + j : j - Lanes) : j;
            if (acts[at + WselAt + i]) begin
              sum = !ok ? ((i < Lanes) ? in[i] : own_taken[(i-Lanes)*DataW +: DataW])
                        : both(sum, (i < Lanes) ? in[i] : own_taken[(i-Lanes)*DataW +: DataW]);
              ok  = 1'b1;
            end
          end
          value[b] = acts[at + BypAt] ? sum : acts[at + DlyAt] ? last_sum[b] : mem[place(b, page, 32'(acts[at +: AddrW]))];
        end else begin
          sum = in[(XW > 0) ? 32'(acts[at + WselAt +: XV]) : (WriteXbar != 0) ? 0 : b];
          value[b] = (BypW != 0 && acts[at + BypAt]) ? sum :
              (OwnW > 0 && acts[at + OwnAt]) ? own_taken[b*DataW +: DataW] :
              kept[b] ? word_kept[b] : (Store != 0) ? mem[place(b, page, 32'(acts[at +: AddrW]))] : {DataW{1'bx}};
        end
        in_kept(b);
      end
      sent = 0;
      due_valid[t & 15] = 0;
      for (j = 0; j < Lanes; j = j + 1) begin
        at = OutAt + j * OutFieldsW;
        i  = (SW > 0) ? 32'(acts[at + OselAt +: SV]) : 0;
        n  = (GW > 0) ? 32'(acts[at + OportAt +: GV]) * Lanes + j : j;
        due_valid[t & 15][n] = departs && acts[at];
        due_data[t & 15][n*DataW +: DataW] = (i < Direct) ? in[i % Lanes] : value[i - Direct];
      end
    end
  endtask

  // What bank k keeps and stores of the row that acts; kept[k] was of the row before until now.
  reg next_kept[0:Banks-1];
  task in_kept(input integer k);
    begin
      next_kept[k] = 1'b0;
      if (Combine == 0) begin
        next_kept[k] = Delay != 0 && arrives && acts[at + DlyAt];
        word_kept[k] = sum;
      end
      wrote[k] = 1'b0;
      if (Store != 0) wrote[k] = arrives && acts[at + WenAt];
      if (wrote[k]) begin
        wrote_at[k] = place(k, page, (WaddrField != 0) ? 32'(acts[at + WaddrAt +: AddrW]) : 32'(number) % Page);
        mem[wrote_at[k]] = sum;
        known[wrote_at[k]] = 1'b1;
        last_sum[k] = sum;
      end
    end
  endtask

  // What the outputs must be in this cycle, before its edge.
  task expect_outputs;
    begin
      first = (t - 1) & 15;
      for (p = 0; p < Ports; p = p + 1) begin
        words = words + (valid_out[p] === 1'b1);
        if (valid_out[p] !== due_valid[first][p] ||
            (due_valid[first][p] && data_out[p*DataW +: DataW] !== due_data[first][p*DataW +: DataW])) wrong = wrong + 1;
      end
      for (j = 0; j < Lanes; j = j + 1) begin
        at = InAt + j * InFieldsW;
        ok = Streams != 0 && arrives && acts[at + ShowAt];
        i  = (SselW > 0) ? 32'(acts[at + SselAt +: SV]) : 0;
        if (show_valid[j] !== ok || (ok && show_data[j*DataW +: DataW] !== ((Combine != 0) ? value[i] : in[j]))) wrong = wrong + 1;
      end
      takes = 0;
      for (b = 0; b < Banks; b = b + 1)
        for (c = 0; c < Banks; c = c + 1)
          if (Streams != 0 && fetched && !skip_departs && ((Combine == 0) ? b == c && row[BankAt + b * BankFieldsW + OwnAt] :
              b < Lanes && row[BankAt + c * BankFieldsW + WselAt + Lanes + b % Lanes])) takes[b] = 1'b1;
      if (own_ready !== takes) wrong = wrong + 1;
      if (fault !== due_fault || starved !== due_starved) wrong = wrong + 1;
      if (due_fault != 0 && (fault_ports !== due_ports || fault_row !== due_row)) wrong = wrong + 1;
      if (wrong != 0 && wrong < 4) $display("form wrong in cycle %0d: %b %h, due %b %h, fault %b, due %b, own %b, due %b, show %b", t,
          valid_out, data_out, due_valid[first], due_data[first], fault, due_fault, own_ready, takes, show_valid);
    end
  endtask

  // What the edge makes of it.
  task after_edge;
    begin
      sees = {(valid_in & ~wanted) != 0 && !active, (valid_in & ~wanted) != 0 && active, (wanted & ~valid_in) != 0};
      if (clear || due_fault == 0) begin
        due_ports = wanted ^ valid_in;
        due_row   = number;
      end
      due_fault   = (clear ? 3'd0 : due_fault) | sees;
      due_starved = (due_starved && !clear) || missed;
      missed      = (takes & ~own_valid) != 0;
      if (!rst_n) begin
        due_fault   = 0;
        due_starved = 1'b0;
        missed      = 1'b0;
        for (i = 0; i < 16; i = i + 1) due_valid[i] = 0;
      end
      for (b = 0; b < Banks; b = b + 1) kept[b] = next_kept[b];
    end
  endtask

  initial begin
    {clk, rst_n, clear, fetched, skip_departs, skip_arrives, active, departs, arrives} = 0;
    {row, acts, fetched_page, page, number, valid_in, data_in, own_valid, own_data, own_taken} = 0;
    {due_fault, due_starved, missed, comes} = 0;
    next_number = 0;
    next_page = 0;
    fetched_number = 0;
    words = 0;
    wrong = 0;
    age = 0;
    for (b = 0; b < Banks; b = b + 1) begin
      wrote[b] = 1'b0;
      kept[b]  = 1'b0;
    end
    for (i = 0; i < Banks * Words * Page; i = i + 1) known[i] = Streams != 0 && Combine == 0 && i % Page == 0;
    for (i = 0; i < Banks * Words * Page; i = i + 1) mem[i] = known[i] ? 0 : {DataW{1'bx}};
    for (i = 0; i < 16; i = i + 1) due_valid[i] = 0;
    #1 clk = 1;
    #1 clk = 0;
    for (t = 0; t < Cycles; t = t + 1) begin
      // What was fetched acts now.
      acts      = row;
      departs   = rst_n && fetched && !skip_departs;
      arrives   = rst_n && fetched && !skip_arrives;
      active    = rst_n && fetched;
      page      = fetched_page;
      number    = fetched_number;
      own_taken = own_data;
      came      = comes;
      for (p = 0; p < Ports; p = p + 1) data_in[p*DataW +: DataW] = (age <= Fresh && fetched_number == 0) ? 0 : lots(p);
      valid_in  = active ? came : (($random & 63) == 0) ? $random : 0;
      wanted    = 0;
      act;
      // The next one. The first rows after power-up write every word.
      rst_n        = t > 2 && ($random & 127) != 0;
      fetched      = age < Fresh || ($random & 15) != 0;
      skip_departs = Streams != 0 && Combine == 0 && age >= Fresh && ($random & 15) == 0;
      skip_arrives = Streams != 0 && Combine == 0 && age >= Fresh && !skip_departs && ($random & 15) == 0;
      clear        = ($random & 15) == 0;
      if (age >= Fresh && !fetched && ($random & 1)) begin
        next_number = 0;
        next_page   = 0;
      end
      if (age == 0) {next_number, next_page} = 0;
      fetched_number = next_number;
      fetched_page   = next_page;
      for (b = 0; b < Banks; b = b + 1) kept[b] = next_kept[b];
      make_row(age < Fresh);
      own_valid = (($random & 31) == 0) ? $random : {Banks{1'b1}};
      for (b = 0; b < Banks; b = b + 1) own_data[b*DataW +: DataW] = lots(b);
      #1 expect_outputs;
      after_edge;
      clk = 1;
      #1 clk = 0;
      if (fetched && rst_n) begin
        age = age + 1;
        next_number = (next_number + 1) % TableDepth;
        if (next_number == 0) next_page = (next_page + 1) % Words;
      end
    end
    $display("%0d words, %0d wrong", words, wrong);
    $finish;
  end
endmodule
