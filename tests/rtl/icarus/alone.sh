#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Plays the benches that hold one module, in several forms, against a model in the bench, under Icarus, from power-up: crossbars and
# processors of LogP machines, nodes of tables and of queues; what is random each time, illegal and in between stands there.
# usage: alone.sh [NAME...] (crossbar, logp_node, node, queue_node; default all); $ROUNDS of each (1), $SEEDS (1 2), $CARILLON_DATA: where rtl/ is

set -u
here=$(cd "$(dirname "$0")" && pwd)
rtl=${CARILLON_DATA:-$(cd "$here/../../.." && pwd)}/rtl
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ulimit -t $((20 * ${ROUNDS-1})) # what never ends leaves nothing behind

[ $# -gt 0 ] || set -- crossbar logp_node node queue_node
failed=0
for name; do
    top=crl_${name}_tb
    # Icarus says that it takes a unique case for a case.
    iverilog -g2012 -DCRL_CONTRACTS -Wall -Wno-timescale -I "$here" -I "$rtl/common" -y "$rtl/common" -y "$rtl/slot" -y "$rtl/logp" -y "$rtl/queue" -Y .sv -s "$top" \
        -o "$work/tb" "$here/$top.sv" 2>&1 | grep -v 'Case unique' >"$work/log"
    for seed in ${SEEDS-1 2}; do
        if [ ! -s "$work/log" ] && vvp -n "$work/tb" "+rounds=${ROUNDS-1}" "+seed=$seed" >"$work/said" 2>&1 && grep -q '^PASS' "$work/said"; then
            echo "$name, seed $seed: $(cat "$work/said")"
        else
            echo "FAILED $name, seed $seed"
            cat "$work/log" "$work/said" 2>&1 | head -10
            failed=$((failed + 1))
            break
        fi
    done
done
[ "$failed" -eq 0 ]
