#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Plays on-line nodes with real wires under Icarus, from power-up: random runs, after which every node must hold what the
# problem says (crl_online_tb).
# No exchange of two dimensions here has a ring of an even side: Icarus plays those for minutes; tests/cosim does it instead.
# usage: online.sh [NAME...] (of cases; default those that take a second or two); $CARILLON_DATA: where rtl/ is

set -u
ulimit -t 600 # of what never ends nothing stays behind
here=$(cd "$(dirname "$0")" && pwd)
rtl=${CARILLON_DATA:-$(cd "$here/../../.." && pwd)}/rtl
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

[ $# -gt 0 ] || set -- line mixed torus cube exchange-ring exchange-mixed exchange-tight exchange-full
failed=0
while read -r name params; do
    case " $* " in *" $name "*) ;; *) continue ;; esac
    set_params=''
    for p in $params; do set_params="$set_params -Pcrl_online_tb.$p"; done
    # shellcheck disable=SC2046,SC2086  # words on purpose
    if iverilog -g2012 -DCRL_CONTRACTS -Wall -Wno-timescale -I "$rtl/common" $set_params -s crl_online_tb -o "$work/tb" "$here/crl_online_tb.sv" \
            $(find "$rtl" -name 'crl_online_*.sv' -o -name crl_digit_adder.sv -o -name crl_ram.sv) >"$work/log" 2>&1 &&
        [ ! -s "$work/log" ] && vvp -n "$work/tb" >"$work/log" 2>&1; then
        echo "$name: $(cat "$work/log")"
    else
        echo "FAILED $name"
        head -10 "$work/log"
        failed=$((failed + 1))
    fi
done <<'CASES'
line           Dims=1 SideX=4 SideY=1 Rings=1 Runs=9
mixed          SideX=2 SideY=3 Rings=2 Runs=9
torus          SideX=3 SideY=3 Kinds=256 Runs=1
cube           Dims=3 SideX=2 SideY=2 SideZ=3 Rings=4 Kinds=17 Runs=2
exchange-ring  Dims=1 SideX=4 SideY=1 Rings=1 Exchange=1
exchange-mixed SideX=3 SideY=3 Rings=2 Exchange=1 Runs=2
exchange-tight SideX=2 SideY=2 Rings=0 Exchange=1 DigitW=1 Tight=1 Runs=3
exchange-full  SideX=2 SideY=3 Rings=0 Exchange=1 Depth=2 Tight=1 Runs=2
exchange-cube  Dims=3 SideX=3 SideY=2 SideZ=2 Rings=1 Exchange=1 Depth=32 Runs=1
exchange-torus SideX=3 SideY=3 Rings=3 Exchange=1 SideBits=34 Runs=6
exchange-one   Dims=1 SideX=8 SideY=1 Rings=0 Exchange=1 DigitW=3 Runs=20
path           Dims=1 SideX=8 SideY=1 Rings=0 DigitW=3 Runs=40
CASES
[ "$failed" -eq 0 ]
