#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The row's geometry in the RTL is that of the compiler, for many parameter sets and in the eyes of all three tools; and one that
# is not is told. Arguments: the program row_geometry; K: only every Kth line is altered.

set -u
rtl=$(cd "$(dirname "$0")/../../rtl" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$1" >"$work/geometry.sv" || exit 1

# elaborate DIRECTORY: of the include. Each tool that refuses leaves a line.
elaborate()
{
    {
        verilator --lint-only -I"$1" "$work/geometry.sv" --top-module geometry >/dev/null || echo "verilator: exit $?"
        yosys -q -p "read_verilog -sv -I $1 $work/geometry.sv; hierarchy -check -top geometry" || echo "yosys: exit $?"
        iverilog -g2012 -Wall -Wno-timescale -I "$1" -t null -s geometry "$work/geometry.sv" || echo "iverilog: exit $?"
    } >"$work/log" 2>&1
}

elaborate "$rtl/common"
if [ -s "$work/log" ]; then
    cat "$work/log"
    exit 1
fi

# Each line of the include that says where something is, moved by a bit, must be refused.
moved=0 at=0
for name in GW SW BypW XW BankFieldsW OutFieldsW InFieldsW BankAt OutAt InAt BypAt DlyAt WenAt WselAt WaddrAt OwnAt AddW SetAt FwdAt FlipAt OselAt OportAt IportAt ShowAt OwnW SselW SselAt RowW; do
    at=$((at + 1))
    [ $((at % ${2:-1})) -eq 0 ] || continue
    sed "s/localparam int $name = \(.*\),\$/localparam int $name = 1 + (\1),/" "$rtl/common/crl_row.svh" >"$work/crl_row.svh"
    if cmp -s "$rtl/common/crl_row.svh" "$work/crl_row.svh"; then
        echo "crl_row.svh has no $name"
        exit 1
    fi
    elaborate "$work"
    if [ "$(grep -c ': exit' "$work/log")" -ne 3 ]; then
        echo "not every tool refused $name moved by a bit"
        head -5 "$work/log"
        exit 1
    fi
    moved=$((moved + 1))
done
echo "$(grep -c '^module geometry_' "$work/geometry.sv") parameter sets agree, $moved alterations refused"
