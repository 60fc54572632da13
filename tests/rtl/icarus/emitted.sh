#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Emitted fabrics under Icarus, each with its own test bench: a quick look at what stands around adapters and routers. tests/emit
# looks at what is emitted, with other benches, too. To some, emitted.sv does something on the way: links that carry nothing, and an entry of a
# map that is not loaded, must be faults; stray words must be faults of active rows; tables may be loaded in any order.
# usage: emitted.sh CASE...; $CARILLON: the program (default build/carillon), $CARILLON_DATA: where rtl/ is

set -u
here=$(cd "$(dirname "$0")" && pwd)
carillon=${CARILLON:-$here/../../../build/carillon}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

failed=0
while read -r name root options; do
    case " $* " in *" $name "*) ;; *) continue ;; esac
    case $root in
    cut*) wanted='^FAIL fault_o is 1' ;;
    stray) wanted='^STRAY \(0010\)*$' ;;
    *) wanted=^PASS ;;
    esac
    beside=''
    [ "$root" = - ] || beside="-s $root $here/emitted.sv"
    # shellcheck disable=SC2086  # words on purpose
    if "$carillon" emit $options --width 16 -o "$work/$name" -q >"$work/log" 2>&1 && cd "$work/$name" &&
        case $root in
        turned) sed -i 's/^\( *\)fill_load;/\1fill_load; turned.turn;/' carillon_fabric_tb.sv ;;
        held) sed -i "s/^\( *\)write_register(5'h04, 32'd0);/\1held.order;\n&/" carillon_fabric_tb.sv ;;
        esac &&
        iverilog -g2012 -Irtl -s carillon_fabric_tb $beside -o tb.vvp $(grep -v '^+' files.f) carillon_fabric_tb.sv >"$work/log" 2>&1 &&
        for seed in 1 2; do (ulimit -t 60 && exec vvp -n tb.vvp +seed=$seed); done >"$work/log" 2>&1 &&
        [ "$(grep -c "$wanted" "$work/log")" -eq 2 ]; then
        echo "$name: $(grep -m 1 "$wanted" "$work/log")"
    else
        echo "FAILED $name"
        head -10 "$work/log"
        failed=$((failed + 1))
    fi
done <<'CASES'
streams   -       total-exchange -t torus:3x3 --protocol axis --streams 2
kinds     -       total-exchange broadcast gather -t hypercube:3 --protocol axis --streams 1
lanes     -       multinode-broadcast -t mesh:3x3 --lanes 1 --words 5 --link-latency 3 --protocol axis
own       -       scatter -t path:3 --link-latency 2 --protocol stream
sums      -       all-reduce reduce-scatter -t ring:4 --protocol axis --streams 1
loaded    -       gather -t hypercube:2 --protocol axis --tables axi-lite
two       -       gather -t path:2 --protocol axis --streams 1 --tables axi-lite
staged    -       total-exchange broadcast -t ring:4 --words 2 --protocol axis --streams 1 --tables axi-lite --row-stages 2
early     -       total-exchange -t hypercube:4 --protocol axis --streams 1 --row-stages 1
cut       cut     broadcast -t path:2 --protocol axis
cut-sums  cut     all-reduce -t ring:4 --protocol axis --streams 1
late      -       all-reduce -t ring:4 --link-latency 5 --protocol axis --streams 1
shown     -       all-reduce -t ring:4 --link-latency 5 --protocol stream
packets   -       total-exchange -t ring:4 --words 5 --row-stages 1 --protocol axis --streams 1
cut-map   cut_map gather -t path:2 --protocol axis --streams 1 --table-files hex
filed     -       scatter gather -t path:3 --protocol axis --streams 2 --table-files hex --lanes 2
stray     stray   all-reduce -t ring:4 --protocol axis --streams 1
turned    turned  gather -t hypercube:2 --protocol axis --tables axi-lite
held      held    total-exchange broadcast -t ring:4 --protocol axis --streams 1 --tables axi-lite
rest      -       total-exchange -t mesh:3x3 --words 3 --row-stages 2 --protocol axis --streams 1
wraps     -       total-exchange -t ring:4 --words 7 --row-stages 1 --protocol axis --streams 1
CASES
[ "$failed" -eq 0 ]
