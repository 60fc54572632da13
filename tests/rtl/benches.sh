#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Benches that play modules in the forms that users get beside a reference; and modules that are altered are told.
# usage: benches.sh [--every K] [CYCLES | BENCH] (BENCH: its forms alone, nothing altered; K: every Kth form and alteration); $CARILLON_DATA: where rtl/ is

set -u
here=$(cd "$(dirname "$0")" && pwd)
rtl=${CARILLON_DATA:-$here/../..}/rtl
every=1
[ "${1-}" != --every ] || { every=$2 && shift 2; }
only=''
case ${1-} in [a-z]*) only=$1 && shift ;; esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# What a bench is about.
sources_of()
{
    case $1 in
    router) echo slot/crl_router slot/crl_row_decoder slot/crl_lane slot/crl_bank slot/crl_input slot/crl_starved slot/crl_sum slot/crl_sum_lane slot/crl_sum_staged slot/crl_sum_floats slot/crl_sum_tree slot/crl_sum_any common/crl_delay \
        slot/crl_sum_float slot/crl_float_widen slot/crl_float_narrow slot/crl_output common/crl_ram common/crl_ring common/crl_mux common/crl_guard common/crl_port_select ;;
    stream_fabric) echo stream/crl_stream_fabric slot/crl_round_sequencer common/crl_links common/crl_link_pipes common/crl_linger common/crl_stages common/crl_stage common/crl_parity "$(sources_of router)" ;;
    sequencer) echo common/crl_sequencer common/crl_slot_counter common/crl_parity common/crl_ram ;;
    cable) echo board/crl_cable board/crl_cable_port board/crl_flit_check board/crl_wire_tx board/crl_wire_rx common/crl_ram ;;
    esac
}
for bench in router stream_fabric sequencer cable; do
    mkdir "$work/$bench"
    for name in $(sources_of $bench); do cp "$rtl/$name.sv" "$work/$bench" || exit 1; done
done

# Sums of floating-point numbers take a simulator long.
cat >"$work/forms" <<'FORMS'
router Lanes=4
router Ports=3 Lanes=2 Banks=3 WriteXbar=1 WaddrField=1 Combine=1 Streams=1
router Ports=3 Lanes=2 Banks=3 WriteXbar=1 WaddrField=1 Words=2
router Ports=5 Lanes=2 Banks=3 WriteXbar=1 WaddrField=1 Streams=1
router Ports=5 Lanes=3 Banks=2 WriteXbar=1 Delay=0 WaddrField=1 Words=2 TableDepth=11
router Ports=3 Lanes=3 Banks=3 Delay=0 Streams=1 Store=0
router Ports=1 Lanes=1 Banks=1 AddrW=1 TableDepth=1
router Ports=5 Lanes=2 Banks=2 Words=3 TableDepth=5
router Ports=5 Lanes=1 Banks=1 Delay=0 Words=2
router Ports=4 Lanes=4 Banks=1 WriteXbar=1 Delay=0
router Ports=1 Lanes=1 Banks=2 WriteXbar=1 WaddrField=1
router Delay=0 Streams=1
router Ports=4 Lanes=4 Banks=2 WriteXbar=1 Delay=0 Streams=1
router WriteXbar=1 WaddrField=1 Combine=1
router Ports=5 Lanes=2 Banks=3 WriteXbar=1 WaddrField=1 Combine=2 Words=2 TableDepth=5
router Ports=3 Lanes=3 Banks=2 WriteXbar=1 WaddrField=1 Combine=3
router Ports=2 Lanes=1 Banks=1 WriteXbar=1 WaddrField=1 Combine=4
router Ports=3 Lanes=3 Banks=3 WriteXbar=1 WaddrField=1 Combine=5
router Ports=2 Lanes=2 Banks=2 WriteXbar=1 WaddrField=1 Combine=6
router Ports=2 Lanes=2 Banks=2 WriteXbar=1 WaddrField=1 Combine=7 Cycles=200
router Ports=1 Lanes=1 Banks=2 WriteXbar=1 WaddrField=1 Combine=7 Streams=1 Cycles=200
stream_fabric
stream_fabric SharedTable=1
stream_fabric SharedTable=1 RowStages=2
sequencer Words=3
sequencer Words=2 TableDepth=8
sequencer RowW=33
sequencer TableDepth=1 Words=2
cable Errors=8000 Words=1000 Gaps=2
cable Errors=30000 Words=300 Depth=2 DataW=3
cable Errors=8000 Words=2000 Twice=1 Depth=64 Gaps=2
cable Errors=20000 Words=600 Depth=4 DataW=3 Twice=1 Gaps=2
cable Event=2 Words=300 Twice=1
cable Event=5 Words=300 Twice=1
cable PpmA=10000 PpmB=-10000 Delay=60 Depth=256 Words=600
cable OneWay=1 Depth=64 Gaps=3 Words=400
cable Event=1 Words=300
cable Event=2 Words=300
cable Event=3
cable Event=4
cable Event=5 Words=300
cable Event=6 Words=300
cable Event=7 Words=300
cable Wired=1 Words=60 PpmA=1000 PpmB=-1000 Jitter=300 Depth=256 Delay=5
cable Wired=1 Words=60 PpmA=-1000 PpmB=1000 Jitter=300 Delay=5
cable Wired=1 Event=1 Words=40
cable Wired=1 Event=2 Words=40 Depth=256
cable Wired=1 Event=5 Words=40
FORMS
[ -z "$only" ] || sed -i "/^$only /!d" "$work/forms"
sed -i -n "1~${every}p" "$work/forms"

# play BENCH NAME=VALUE...: leaves what the bench says in $work/log.
play()
{
    bench=$1 set_params=''
    shift
    for p; do set_params="$set_params -P $bench.$p"; done
    # shellcheck disable=SC2086  # words on purpose
    iverilog -g2012 -I "$rtl/common" $set_params -o "$work/play" -s "$bench" "$here/$bench.sv" "$work/$bench"/crl_*.sv >"$work/log" 2>&1 || return 2
    timeout 300 vvp -n "$work/play" >"$work/log" 2>&1
    grep -q '^[1-9][0-9]* [a-z]*, 0 wrong' "$work/log"
}

while read -r form; do
    # shellcheck disable=SC2086
    if ! play $form ${1:+Cycles=$1}; then
        echo "$form:"
        tail -5 "$work/log"
        exit 1
    fi
done <"$work/forms"

[ -z "$only" ] || exit 0
sed -n "1~${every}p" >"$work/alterations" <<'ALTERATIONS'
crl_bank.sv {page_i,.waddr {fetched_page_i,waddr router Lanes=4 Words=3
crl_starved.sv (Streams.+.1) Streams router Ports=3 Lanes=3 Banks=3 Delay=0 Streams=1 Store=0
crl_starved.sv missed_q.!=..0 missed_q[0] router Streams=1
crl_row_decoder.sv Arrivals\[i\].&&.(!rst_ni.|| Arrivals[i]\&\&( router Lanes=4
crl_ram.sv Zero.!=.0 Zero==2 router Streams=1
crl_sum.sv any.||.mask_i\[i-1\] any router Ports=2 Lanes=2 Banks=2 WriteXbar=1 WaddrField=1 Combine=7 Cycles=200
crl_sum.sv a.<.b).?.b a>b)?b router Ports=3 Lanes=3 Banks=2 WriteXbar=1 WaddrField=1 Combine=3
crl_stream_fabric.sv (clear_i) (1'b0) stream_fabric
crl_stream_fabric.sv table_sel_i.== table_sel_i!= stream_fabric
crl_slot_counter.sv Words.>.1).begin Words>2)begin sequencer Words=2 TableDepth=8
crl_slot_counter.sv start_i.&&.!busy_o start_i sequencer Words=3
crl_sequencer.sv row_number_i(number_o) row_number_i(addr) sequencer Words=3
crl_flit_check.sv good_q.*'0; good_q<=1'b1; cable Errors=20000 Words=200
crl_cable.sv has_q.&&.!urgent_q; has_q; cable Wired=1 Event=1 Words=40
ALTERATIONS
while read -r file from to form; do
    altered=$work/${form%% *}/$file
    cp "$altered" "$work/whole"
    sed "s/$from/$to/" "$work/whole" >"$altered"
    if cmp -s "$work/whole" "$altered"; then
        echo "$file has no $from"
        exit 1
    fi
    # shellcheck disable=SC2086
    play $form
    if ! grep -q ', [1-9][0-9]* wrong' "$work/log"; then
        echo "the bench does not tell $from from $to"
        tail -5 "$work/log"
        exit 1
    fi
    cp "$work/whole" "$altered"
done <"$work/alterations"
