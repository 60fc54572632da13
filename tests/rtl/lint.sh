#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Lints the modules of the RTL in several parameter sets with Verilator, yosys, Icarus and slang. Any warning fails.
# Also checks that illegal parameters stop each tool with their text. With --every K: one set in K;
# with --module NAME: those of one module.

set -u
cd "$(dirname "$0")/../../rtl" || exit 1
search='' libraries=''
for folder in common stream slot logp queue online board; do
    search="$search -y $folder" libraries="$libraries -libdir $folder"
done

every=1
only=''
case ${1-} in --every) every=$2 ;; --module) only=$2 ;; esac
failed=0
runs=0
lines=0
out=$(mktemp) || exit 1
for_slang=$(mktemp) || exit 1 # which looks at all of them in the end: it starts slowly and reads fast
trap 'rm -f "$out" "$for_slang"' EXIT

# run_tools TEXT TOP NAME=VALUE...: leaves what the tools say in $out, empty if they are content; for slang, what it is to say.
run_tools() {
    text=$1
    top=$2
    shift 2
    ver=$search set='' icarus=''
    file=$(echo */"$top.sv")
    for p in "$@"; do
        ver="$ver -G$p"
        set="$set -set ${p%%=*} ${p#*=}"
        icarus="$icarus -P$top.$p"
    done
    [ -n "$set" ] && set="chparam $set $top;"
    {
        # What it finds goes to standard error; newer ones say how long it took on standard output.
        # shellcheck disable=SC2086  # lists of words on purpose
        verilator --lint-only -Wall $ver --top-module "$top" "$file" >/dev/null || echo "verilator: exit $?"
        yosys -q -p "verilog_defaults -add -sv -I common; read_verilog $file; $set hierarchy -check -top $top $libraries; proc; check -assert" ||
            echo "yosys: exit $?"
        # shellcheck disable=SC2086
        iverilog -g2012 -Wall -Wno-timescale -I common -t null $icarus -s "$top" ./*/*.sv || echo "iverilog: exit $?"
    } >"$out" 2>&1
    echo "$text -I common $ver --libext .sv --top $top $file" >>"$for_slang"
}

# drawn TOP: whether the next line is one of the sample.
drawn() {
    [ "${only:-$1}" = "$1" ] || return 1
    lines=$((lines + 1))
    [ $((lines % every)) -eq 0 ]
}

good() {
    drawn "$1" || return
    echo "lint $*"
    runs=$((runs + 1))
    run_tools - "$@"
    if [ -s "$out" ]; then
        cat "$out"
        failed=$((failed + 1))
    fi
}

# bad TEXT TOP NAME=VALUE...: each tool must stop and name TEXT.
bad() {
    wanted=$1
    shift
    drawn "$1" || return
    echo "refuse $*"
    runs=$((runs + 1))
    run_tools "$wanted" "$@"
    for tool in verilator yosys iverilog; do
        grep -q "^$tool: exit" "$out" || { echo "$tool accepted $*"; failed=$((failed + 1)); }
    done
    [ "$(grep -c "$wanted" "$out")" -ge 3 ] || { echo "no $wanted from each tool"; cat "$out"; failed=$((failed + 1)); }
}

while read -r top params; do
    case $top in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086
    good $top $params
done <<'SETS'
crl_mux              N=1
crl_mux              N=3 DataW=1
crl_slot_counter     TableDepth=1
crl_slot_counter     TableDepth=100 Words=3
crl_ram              Depth=1 DataW=7
crl_ram              Depth=96
crl_sram
crl_sram             Depth=1 DataW=7
crl_ram              Depth=4 DataW=4 Inline=1 Init=16'h1234
crl_lane             Delay=0
crl_lane             Delay=0 Bypass=0
crl_lane             Streams=1 ResetBanks=1
crl_port_select      Lanes=2 GW=2
crl_row_ports
crl_row_ports        Ports=5 Lanes=2 Banks=2 Streams=1
crl_guard            Ports=5 Lanes=2
crl_output           Ports=5 Lanes=2
crl_parity           RowW=16
crl_row_decoder
crl_node
crl_node             Ports=1 Lanes=1 Banks=1 TableDepth=1 AddrW=1 DataW=1
crl_node             Ports=1 Lanes=1 Banks=3 WriteXbar=1 Delay=0 WaddrField=1 Words=5
crl_node             Ports=4 Lanes=1 Banks=1 Delay=0
crl_node             Ports=5 Lanes=2 Banks=2 Delay=1 Words=2
crl_node             Ports=5 Lanes=2 Banks=5 WriteXbar=1 WaddrField=1 Words=3
crl_node             Ports=7 Lanes=3 Banks=3 WriteXbar=1 Delay=0 AddrW=10 TableDepth=100
crl_node             Ports=10 Lanes=10 Banks=10 DataW=32 TableDepth=700 AddrW=4
crl_node             Ports=32 Lanes=5 Banks=9 WriteXbar=1 WaddrField=1 DataW=24
crl_node             Ports=32 Lanes=32 Banks=32
crl_node             Ports=4 Lanes=4 Banks=1 WriteXbar=1 Delay=0
crl_node             Ports=2 Lanes=2 Banks=1 WriteXbar=1 Delay=0 AddrW=1 TableDepth=2 Words=3
crl_sum              Op=1
crl_sum              N=1 Op=5 DataW=1
crl_sum              N=3 Op=6 DataW=32
crl_float_widen
crl_float_widen      Exp=5
crl_float_narrow
crl_float_narrow     Exp=5
crl_sum_lane         Lanes=2 Op=2
crl_node             WriteXbar=1 WaddrField=1 Combine=1
crl_node             Ports=5 Lanes=1 Banks=2 WriteXbar=1 WaddrField=1 Combine=4 Words=3
crl_node             Ports=6 Lanes=4 Banks=3 WriteXbar=1 WaddrField=1 Combine=6 AddrW=1 TableDepth=20
crl_node             Ports=6 Lanes=3 Banks=4 WriteXbar=1 WaddrField=1 Combine=2 Staged=1 AddrW=1 TableDepth=20
crl_node             Ports=5 Lanes=1 Banks=1 WriteXbar=1 WaddrField=1 Combine=1 Staged=1 Words=3
crl_node             Ports=3 Lanes=1 Banks=2 WriteXbar=1 WaddrField=1 Combine=7 Staged=1 Single=1 DataW=32 Words=3
crl_stream_node      Ports=2 Lanes=2 Banks=2 WriteXbar=1 WaddrField=1 Combine=9 Staged=1 Single=1 DataW=32 AddrW=2 TableDepth=20
crl_stream_node      Ports=3 Lanes=3 Banks=4 WriteXbar=1 WaddrField=1 Combine=5 Staged=1 Single=1 AddrW=2 TableDepth=20
crl_stream_node      Ports=3 Lanes=3 Banks=7 WriteXbar=1 WaddrField=1 Combine=1 Staged=1 Aligned=1 AddrW=2 TableDepth=20
crl_stream_node      Ports=2 Lanes=1 Banks=1 WriteXbar=1 WaddrField=1 Combine=8 Aligned=1 DataW=32 AddrW=2 TableDepth=20
crl_node             Ports=2 Lanes=2 Banks=2 WriteXbar=1 WaddrField=1 Combine=7 DataW=32
crl_stream_node
crl_stream_node      Delay=0
crl_stream_node      Delay=0 ResetBanks=1
crl_stream_node      Delay=0 Store=0
crl_stream_node      Ports=1 Lanes=1 Banks=1 Delay=0 Store=0 TableDepth=1
crl_stream_node      Ports=5 Lanes=2 Banks=5 WriteXbar=1 WaddrField=1 TableDepth=1
crl_stream_node      Ports=4 Lanes=4 Banks=1 WriteXbar=1 Delay=0
crl_stream_node      Words=6
crl_stream_node      Ports=3 Lanes=2 Expects=1
crl_stream_node      Ports=3 Lanes=2 TableDepth=20 Based=1
crl_stream_node      Delay=0 Store=0 Words=4
crl_stream_node      Banks=5 WriteXbar=1 WaddrField=1 Combine=1
crl_stream_node      Ports=5 Lanes=1 Banks=1 WriteXbar=1 WaddrField=1 Combine=7 DataW=32
crl_stream_node      Ports=2 Lanes=2 Banks=2 WriteXbar=1 WaddrField=1 Combine=8 DataW=32
crl_stream_node      Ports=1 Lanes=1 Banks=2 WriteXbar=1 WaddrField=1 Combine=9 DataW=32
crl_node             Ports=7 Lanes=5 Banks=3 WriteXbar=1 Delay=0 WaddrField=1 Words=2
crl_fifo             Width=5 Depth=2
crl_fifo             Ahead=1
crl_packet_store     Depth=8 DataW=16 Queues=3
crl_class_select
crl_class_select             Ports=8 Classes=3
crl_queue_node
crl_queue_node       Ports=1 Trees=1 Depth=2 Period=1
crl_queue_node       Ports=3 Trees=3 Classes=3 Loops=1 Period=3
crl_queue_node       Counters=1
crl_queue_node       Coins=0 OriginW=3 SequenceW=8 OneGate=1921
crl_queue_node       Ports=3 Trees=3 Classes=3 Units=3 Period=3 Depth=64
crl_queue_node       Ports=1 Trees=1 Units=1 Period=1 Depth=2
crl_queue_node       Ports=10 Trees=10 Classes=3 Units=2 Period=3 Depth=64
crl_admission
crl_admission        Ports=1 Trees=1 Classes=1 Units=1
crl_admission        Ports=8 Trees=8 Classes=2 Units=7
crl_queue_node       Ports=4 Trees=4 Classes=4 Loops=1 Position=1 Period=15 Depth=64
crl_queue_node       Ports=10 Trees=10 Classes=2 Period=11 Depth=1024
crl_operator         DataW=1
crl_operator         DataW=32
crl_combine
crl_delay_line       DelayMax=0
crl_delay_line       DelayMax=6 DataW=3
crl_crossbar         Ports=5 LatencyMax=1
crl_crossbar         Ports=8 LatencyMax=6 Elsewhere=2 Registers=1
crl_crossbar         Ports=16 LatencyMax=16 DataW=32
crl_logp_decoder
crl_logp_node
crl_logp_node        Stages=0
crl_logp_node        DataW=1 AddrW=1 NodeW=1 TableDepth=1
crl_logp_node        DataW=32 AddrW=10 NodeW=8 TableDepth=700 Words=3
crl_digit_adder      Digits=1 DigitW=1
crl_digit_adder      Digits=3
crl_online_ring      Width=1 Count=1
crl_online_turns     Dims=1
crl_online_turns     Dims=3 Stages=2
crl_online_phases    Dims=1
crl_online_phases    Dims=3
crl_online_sums      Dims=1
crl_online_sums      Dims=3
crl_online_lists     Dims=1 Depth=2
crl_online_lists     Dims=3
crl_online_waiting   Parts=6 Depth=2
crl_online_supply    Dims=1
crl_online_supply    Dims=3
crl_online_queues    Dims=1 Depth=2
crl_online_queues    Dims=3
crl_online_node
crl_online_node      Dims=1 Depth=2 Waiting=2
crl_online_node      Dims=3 DigitW=10 DataW=32 Waiting=0
crl_online_exchange
crl_online_exchange  Dims=1 Depth=1024 DigitW=10
crl_online_exchange  Dims=3 DigitW=10 DataW=32 SideBits=1092
crl_logp_fabric
crl_logp_fabric      Nodes=2 LatencyMax=1 LatencyMin=1 Words=2
crl_logp_fabric      Nodes=4 LatencyMax=3 LatencyMin=3
crl_logp_fabric      Nodes=7 LatencyMax=9 DataW=32
crl_links
crl_links            Nodes=3 Ports=1 DataW=1 Neighbours=48'h0001FFFF0002
crl_link_pipes
crl_link_pipes       Links=3 DataW=1 Latencies=48'h000100030002
crl_stream_map
crl_stream_map       Depth=3 Width=5 Inline=1 Init=15'h1234
crl_stream_map       Depth=3 Marked=1
crl_stream_map       Depth=2 Width=4
crl_stream_map       Based=1
crl_stream_in
crl_stream_in        Marked=1
crl_stream_in        Ways=3 Lanes=2 Rows=1 Pages=4 PeerW=5 MapDepth=2
crl_stream_in        Lanes=1 DataW=1
crl_stream_in        Based=1 Ways=2
crl_stream_out
crl_stream_out       Marked=1
crl_stream_out       Lanes=1 DataW=1 Rows=1 PeerW=3 MapDepth=2
crl_stream_out       Based=1 Pages=4
crl_stream_rounds    Pages=4
crl_stream_rounds    Ops=3
crl_stream_fabric    Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 AddrW=4 TableDepth=64
crl_stream_fabric    Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 AddrW=4 TableDepth=4 SharedTable=0 Lanes=1 Banks=2 WriteXbar=1
crl_stream_fabric    Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 AddrW=4 TableDepth=4 WriteXbar=1 WaddrField=1 Combine=2
crl_stream_names
crl_stream_names     Count=0
crl_stream_names     Count=1
crl_stream_names     Count=0 Words=3
crl_stream_names     Count=3 Words=5
crl_stream_lists
crl_stream_lists     Kinds=1 Most=1 Counts=16'd0 Names=2'd0 Words=3
crl_axis_fabric
crl_axis_fabric      Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 Ways=2 Delay=0 Store=0 SharedTable=0 TableDepth=8 Pages=4
crl_axis_fabric      Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 Ways=2 TableDepth=20 Rows=6 Ops=4 Waits=0
crl_axis_fabric      Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 TableDepth=20 Rows=6 Ops=2 RowStages=2
crl_axis_fabric      Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 TableDepth=20 Rows=6 Ops=2 Stored=9 SharedTable=0
crl_axis_fabric      Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 Delay=0 Store=0 SharedTable=0 TableDepth=8 Waits=0 RowStages=1
crl_axis_fabric      Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 TableDepth=4 Words=6 RowStages=1
crl_axis_fabric      Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 Delay=0 Store=0 TableDepth=8 Words=2 Ways=2 Keeps=6'h5
crl_ring
crl_ring             Cycles=2 DataW=1
crl_link_pipes       Links=3 DataW=1 Latencies=48'h000100030002 Beats=3
crl_link_pipes       Links=3 DataW=1 Latencies=48'h000100030002 Beats=6
crl_lane             Streams=1 Depth=24 AddrW=5 Pages=3 Beats=3
crl_sum_lane         Beats=3
crl_round_sequencer  Beats=5
crl_round_sequencer  Based=1 Stored=3 TableDepth=5 RowW=3 Inline=1 Init=9'h0db ListInit=10'h1a4
crl_round_sequencer  Based=1 Stored=1 Beats=3
crl_stream_map       Words=3
crl_stream_in        Ways=2 Words=6 Keeps=2'b01 Early=1
crl_stream_out       Words=4
crl_stages
crl_stages           Stages=0 Leaves=3
crl_all
crl_all              Stages=3 Inputs=20
crl_all              Stages=0
crl_table_port
crl_table_port       Tables=9 TableDepth=20 RowW=3 Nodes=9 Ways=3 MapDepth=2 EntryW=33 Ops=3 Held=1
crl_fabric
crl_fabric           SharedTable=0 Words=2
crl_fabric           Nodes=2 Ports=1 Lanes=1 Banks=1 Neighbours=32'h00000001 Latencies=32'h00030001
crl_fabric           Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 Lanes=1 Banks=1
crl_fabric           Lanes=2 Banks=3 WriteXbar=1 WaddrField=1
crl_fabric           Banks=1 WriteXbar=1 Delay=0
crl_queue_fabric
crl_queue_fabric     Nodes=3 Ports=2 Trees=2 Period=2 Classes=2 Units=3 Neighbours=96'hFFFF00000002FFFF00010002
crl_online_fabric
crl_online_fabric    Exchange=1
crl_online_fabric    Nodes=2 Dims=1 Neighbours=64'hFFFF00000001FFFF Waiting=0
crl_cable
crl_cable            DataW=1 Depth=2 Silence=1
crl_cable            DataW=64 Depth=1024
crl_cable_gate
crl_cable_gate       Cables=3
crl_flit_check
crl_flit_check       FlitW=8
crl_cable_port
crl_cable_port       DataW=3 Depth=4 Identity=7 End=1
crl_wire_tx
crl_wire_tx          FlitW=8
crl_wire_rx
crl_wire_rx          FlitW=8
crl_cabled_board
crl_cabled_board     Nodes=3 Ports=2 Neighbours=96'hFFFFFFFFFFFFFFFFFFFFFFFF Cables=2 Senders=96'hFFFF0000FFFF0001FFFF0000 Hearers=96'h0001FFFF0000FFFF0000FFFF Identities=64'h0000000200000001 Ends=2'b01 Lanes=1 Banks=2 WriteXbar=1 AddrW=4 TableDepth=6
crl_cabled_board     Wired=1 Depth=4 Words=3
crl_cabled_board     Combine=1 Banks=4 WriteXbar=1 WaddrField=1
crl_cabled_board     Based=1
crl_cabled_board     Based=1 Stored=20
crl_board_streams
crl_board_streams    Ways=2 Lanes=2 Ops=3 Words=3 Rows=40 Waits=0 Pages=4
crl_cable_port       Twice=1 DataW=3 Depth=4 Identity=7
crl_cable_port       Wired=1 DataW=64 Depth=2 Identity=7 End=1
SETS

while read -r text top params; do
    case $text in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086
    bad $text $top $params
done <<'SETS'
ports_must_be        crl_node        Ports=33
lanes_must_be        crl_node        Ports=2 Lanes=3 Banks=3
banks_must_be        crl_node        Ports=2 Lanes=2 Banks=3
staged_single_must_be crl_node       Staged=1
staged_single_must_be crl_node       Single=1
staged_single_must_be crl_node       WriteXbar=1 WaddrField=1 Combine=7 DataW=32 Staged=1
data_w_must_be_32    crl_sum         Op=6
op_must_be_0_to_8    crl_sum         Op=9 DataW=32
exp_must_be_8_or_5   crl_float_widen Exp=4
exp_must_be_8_or_5   crl_float_narrow Exp=4
banks_must_be        crl_node        Ports=2 Lanes=2 Banks=1 WriteXbar=1
banks_must_be        crl_node        Ports=2 Lanes=2 Banks=1 Delay=0
banks_must_be        crl_node        Ports=2 Lanes=2 Banks=0 WriteXbar=1 Delay=0
must_be_0_or_1       crl_node        Delay=2
must_be_0_or_1       crl_stream_node Aligned=2
no_store_needs       crl_stream_node Store=0
streams_with_combine crl_stream_node Banks=3 WriteXbar=1 WaddrField=1 Combine=1
must_be_1_or_more    crl_node        AddrW=0
must_be_1_or_more    crl_node        DataW=0
neighbours_must_be   crl_links       Nodes=3 Neighbours=48'h000100000003
neighbours_must_be   crl_links       Nodes=3 Neighbours=48'h000200000001
must_name_each_port  crl_links       Nodes=3 Neighbours=48'h000100000001
must_have_16_bits    crl_links       Nodes=3 Neighbours=32'h00000001
must_have_16_bits    crl_links       Nodes=2 Neighbours=48'h000000000001
cycles_must_be       crl_ring        Cycles=1
latencies_must_be    crl_link_pipes  Links=2 Latencies=32'h00000001
latencies_must_have  crl_link_pipes  Links=2 Latencies=48'h000100010001
neighbours_must_be   crl_fabric      Nodes=2 Ports=1 Neighbours=32'h00000000
neighbours_must_be   crl_queue_fabric Nodes=2 Ports=1 Neighbours=32'h00000000
must_name_each_port  crl_online_fabric Nodes=3 Dims=1 Neighbours=96'hFFFF0001FFFF0000FFFF0001
ports_must_be        crl_queue_node  Ports=11
trees_must_be        crl_queue_node  Trees=16
classes_must_be      crl_queue_node  Classes=11
units_need           crl_queue_node  Units=65
units_need           crl_queue_node  Units=1 Loops=1
init_must_have_all   crl_ram         Depth=4 DataW=4 Inline=1
stored_rows_need     crl_round_sequencer Stored=4
table_init_must      crl_stream_fabric Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 AddrW=4 TableDepth=64 Inline=1
map_init_must        crl_axis_fabric Nodes=3 Ports=2 Neighbours=96'hFFFF00000002FFFF00010002 Inline=1
must_be_a_power      crl_fifo        Depth=6
must_be_a_power      crl_stream_in   Pages=3
must_be_a_power      crl_stream_out  Pages=1
must_be_1_or_more    crl_logp_node   NodeW=0
stages_must_be_0     crl_logp_node   Stages=1
latency_max_must_be  crl_crossbar    LatencyMax=2 Elsewhere=2
ports_must_be_2      crl_crossbar    LatencyMax=0
dims_must_be         crl_online_node Dims=9
digits_must_be       crl_online_node DigitW=13
depth_must_be        crl_online_node Depth=3
depth_must_be        crl_online_node Waiting=3
dims_must_be         crl_online_exchange Dims=9
digits_must_be       crl_online_exchange DigitW=13
depth_must_be        crl_online_exchange Depth=3
depth_must_be        crl_cable       Depth=3
depth_must_be        crl_cable_port Wired=1 Depth=1
depth_must_be        crl_cable_port Twice=1 Depth=2
senders_hearers_must crl_cabled_board Nodes=1 Ports=2 Lanes=2 Banks=2 Neighbours=32'hFFFFFFFF Senders=32'hFFFF0001
senders_hearers_must crl_cabled_board Hearers=16'h0000
uses_must_have       crl_board_streams InUses=1'b1
map_init_must        crl_board_streams Inline=1
identities_ends_must crl_cabled_board Cables=1 Identities=16'h0001
staged_must_be       crl_cabled_board Combine=1 Staged=1 Banks=4 WriteXbar=1 WaddrField=1
SETS

# The boards, if no module is asked for: slang alone, as the others need to be told of what an FPGA has.
[ "$only" ] || for top in ../fpga/*/top.sv; do
    echo "- -I common -I ../fpga/common $search -y ../fpga/common -y ../fpga/live -y ../fpga/cluster --libext .sv --ignore-unknown-modules --top top $top"
done >>"$for_slang"

[ ! -s "$for_slang" ] || ../tests/rtl/slang <"$for_slang" || failed=$((failed + 1))

echo "$runs runs, $failed failed"
[ "$failed" -eq 0 ]
