#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The adder of floating-point numbers makes of all pairs what the compiler's operator does; and one that is altered is told.
# Argument: the program of float.c. $CARILLON_DATA: where rtl/ is, of which nothing else is altered then

set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$1" >"$work/vectors" || exit 1

# compare ADDER: leaves what the bench says in $work/log.
compare()
{
    (cd "$work" && iverilog -g2012 -o bench -s float "$here/float.sv" "$1" && vvp -n bench) >"$work/log" 2>&1
}

adder=${CARILLON_DATA:-$here/../..}/rtl/slot/crl_sum_float.sv
compare "$adder"
if ! grep -q "^$(wc -l <"$work/vectors") sums, 0 wrong" "$work/log"; then
    cat "$work/log"
    exit 1
fi
tail -1 "$work/log"

[ -z "${CARILLON_DATA-}" ] || exit 0

# One sticky bit less, ties that go up, subnormal numbers without a place to end, and infinity that is not one.
while read -r from to; do
    sed "s/$from/$to/" "$adder" >"$work/altered.sv"
    if cmp -s "$adder" "$work/altered.sv"; then
        echo "crl_sum_float.sv has no $from"
        exit 1
    fi
    compare "$work/altered.sv"
    if ! grep -q "sums, [1-9][0-9]* wrong" "$work/log"; then
        echo "the vectors do not tell $from from $to"
        exit 1
    fi
done <<'ALTERATIONS'
shifted\[24:0\].!=.'0 shifted[24]
total\[1\].|.total\[0\] total[1]
(normal\[3\].|| (1'b1||
5'(larger_exp.-.8'd1) zeros
exponent.==.8'hff 1'b0
!(subtract.\&\&.total.==.'0) 1'b1
ALTERATIONS
