#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Plays the benches that hold one module, in several forms, against a model in the bench, under Icarus, from power-up: crossbars and
# processors of LogP machines, nodes under queue control; what is random each time, illegal and in between stands there.
# usage: alone.sh [ROUNDS [SEED]]    default 1 1

set -u
here=$(cd "$(dirname "$0")" && pwd)
rtl=$(cd "$here/../../../rtl" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

failed=0
for top in crl_crossbar_tb crl_logp_node_tb crl_queue_node_tb; do
    # Icarus says that it takes a unique case for a case.
    iverilog -g2012 -DCRL_CONTRACTS -Wall -Wno-timescale -y "$rtl/common" -y "$rtl/logp" -y "$rtl/queue" -Y .sv -s $top \
        -o "$work/tb" "$here/$top.sv" 2>&1 | grep -v 'Case unique' >"$work/log"
    if [ ! -s "$work/log" ] && vvp -n "$work/tb" "+rounds=${1-1}" "+seed=${2-1}" >"$work/log" 2>&1 && grep -q '^PASS' "$work/log"; then
        echo "$top: $(cat "$work/log")"
    else
        echo "FAILED $top"
        head -10 "$work/log"
        failed=$((failed + 1))
    fi
done
[ "$failed" -eq 0 ]
