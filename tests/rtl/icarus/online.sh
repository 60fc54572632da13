#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Plays on-line nodes with real wires under Icarus, from power-up: nothing unknown may leave a node, and every node must
# end with what the problem says (crl_online_tb).
# usage: online.sh [NAME...] (of cases; default all but exchange-torus, which takes minutes)

set -u
here=$(cd "$(dirname "$0")" && pwd)
rtl=$(cd "$here/../../../rtl" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

[ $# -gt 0 ] || set -- torus-split torus-whole array-split array-whole nobody exchange-array exchange-cross
failed=0
while read -r name params; do
    case " $* " in *" $name "*) ;; *) continue ;; esac
    set_params=''
    for p in $params; do set_params="$set_params -Pcrl_online_tb.$p"; done
    # shellcheck disable=SC2046,SC2086  # words on purpose
    if iverilog -g2012 -DCRL_CONTRACTS -Wall -Wno-timescale $set_params -s crl_online_tb -o "$work/tb" "$here/crl_online_tb.sv" \
            $(find "$rtl" -name 'crl_online_*.sv' -o -name crl_digit_adder.sv -o -name crl_ram.sv) >"$work/log" 2>&1 &&
        [ ! -s "$work/log" ] && vvp -n "$work/tb" >"$work/log" 2>&1; then
        echo "$name: $(cat "$work/log")"
    else
        echo "FAILED $name"
        head -10 "$work/log"
        failed=$((failed + 1))
    fi
done <<'CASES'
torus-split    SideX=3 SideY=3
torus-whole    SideX=4 SideY=3 Split=0 Active=2469
array-split    SideX=3 SideY=4 Ring=0 Active=3003
array-whole    SideX=3 SideY=3 Ring=0 Split=0 Active=511
nobody         SideX=3 SideY=3 Active=0
exchange-torus SideX=3 SideY=4 Split=0 Exchange=1 Active=1365
exchange-array SideX=3 SideY=3 Ring=0 Split=0 Exchange=1 Active=511
exchange-cross SideX=3 SideY=3 Ring=0 Split=0 Exchange=1 Balanced=1 Active=186
CASES
[ "$failed" -eq 0 ]
