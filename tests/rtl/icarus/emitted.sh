#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Emitted fabrics under Icarus, each with its own test bench: a quick look at what stands around adapters and routers. tests/emit
# looks at what is emitted, with other benches, too. A case that is called cut... has links that carry nothing, and cut-map an entry of a
# map that is not loaded; each must be a fault.
# usage: emitted.sh CASE...; $CARILLON: the program (default build/carillon), $CARILLON_DATA: where rtl/ is

set -u
here=$(cd "$(dirname "$0")" && pwd)
carillon=${CARILLON:-$here/../../../build/carillon}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

failed=0
while read -r name options; do
    case " $* " in *" $name "*) ;; *) continue ;; esac
    # shellcheck disable=SC2086  # words on purpose
    case $name in cut*) wanted='^FAIL fault_o is 1' cut='-s cut cut.sv' ;; *) wanted=^PASS cut='' ;; esac
    case $name in cut-map) forced='@(posedge carillon_fabric_tb.rst_n) force carillon_fabric_tb.dut.u_fabric.gen_node[1].in_unloaded = 1' ;; *) forced='force carillon_fabric_tb.dut.u_fabric.u_fabric.link_valid = 0' ;; esac
    # shellcheck disable=SC2086  # words on purpose
    if "$carillon" emit $options --width 16 -o "$work/$name" -q >"$work/log" 2>&1 && cd "$work/$name" &&
        echo "module cut; initial $forced; endmodule" >cut.sv &&
        iverilog -g2012 -Irtl -s carillon_fabric_tb $cut -o tb.vvp $(grep -v '^+' files.f) carillon_fabric_tb.sv >"$work/log" 2>&1 &&
        for seed in 1 2; do (ulimit -t 60 && exec vvp -n tb.vvp +seed=$seed); done >"$work/log" 2>&1 &&
        [ "$(grep -c "$wanted" "$work/log")" -eq 2 ]; then
        echo "$name: $(grep -m 1 "$wanted" "$work/log")"
    else
        echo "FAILED $name"
        head -10 "$work/log"
        failed=$((failed + 1))
    fi
done <<'CASES'
streams   total-exchange -t torus:3x3 --protocol axis --streams 2
kinds     total-exchange broadcast gather -t hypercube:3 --protocol axis --streams 1
lanes     multinode-broadcast -t mesh:3x3 --lanes 1 --words 5 --link-latency 3 --protocol axis
own       scatter -t path:3 --link-latency 2 --protocol stream
sums      all-reduce reduce-scatter -t ring:4 --protocol axis --streams 1
loaded    gather -t hypercube:2 --protocol axis --tables axi-lite
two       gather -t path:2 --protocol axis --streams 1 --tables axi-lite
staged    total-exchange broadcast -t ring:4 --words 2 --protocol axis --streams 1 --tables axi-lite --row-stages 2
early     total-exchange -t hypercube:4 --protocol axis --streams 1 --row-stages 1
cut       broadcast -t path:2 --protocol axis
cut-sums  all-reduce -t ring:4 --protocol axis --streams 1
late      all-reduce -t ring:4 --link-latency 5 --protocol axis --streams 1
shown     all-reduce -t ring:4 --link-latency 5 --protocol stream
packets   total-exchange -t ring:4 --words 5 --row-stages 1 --protocol axis --streams 1
cut-map   gather -t path:2 --protocol axis --streams 1 --table-files hex
filed     scatter gather -t path:3 --protocol axis --streams 2 --table-files hex --lanes 2
CASES
[ "$failed" -eq 0 ]
