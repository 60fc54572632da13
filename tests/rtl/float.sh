#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The adder of floating-point numbers, and what makes 32 bits of 16 and back, do with all numbers what the compiler's
# operators do; and a module that is altered is told.
# Argument: the program of float_vectors.c. $CARILLON_DATA: where rtl/ is, of which nothing else is altered then

set -u
here=$(cd "$(dirname "$0")" && pwd)
rtl=${CARILLON_DATA:-$here/../..}/rtl/slot
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$1" >"$work/vectors" || exit 1
cp "$rtl/crl_sum_float.sv" "$rtl/crl_float_widen.sv" "$rtl/crl_float_narrow.sv" "$work" || exit 1

# compare [+first]: leaves what the bench says, up to the first that is wrong, in $work/log.
compare()
{
    (cd "$work" && iverilog -g2012 -o bench -s float "$here/float.sv" crl_*.sv "$rtl/../common/crl_delay.sv" && vvp -n bench "$@") >"$work/log" 2>&1
}

compare
if ! grep -q "^$(wc -l <"$work/vectors") results, 0 wrong" "$work/log"; then
    cat "$work/log"
    exit 1
fi
tail -1 "$work/log"

[ -z "${CARILLON_DATA-}" ] || exit 0

# One sticky bit less, ties that go up, subnormal numbers without a place to end, and infinity that is not one.
while read -r file from to; do
    sed "s/$from/$to/" "$rtl/$file" >"$work/$file"
    if cmp -s "$rtl/$file" "$work/$file"; then
        echo "$file has no $from"
        exit 1
    fi
    compare +first
    if ! grep -q "results, [1-9][0-9]* wrong" "$work/log"; then
        echo "the vectors do not tell $from from $to in $file"
        exit 1
    fi
    cp "$rtl/$file" "$work/$file"
done <<'ALTERATIONS'
crl_sum_float.sv shifted\[24:0\].!=.'0 shifted[24]
crl_sum_float.sv sum\[1\].|.sum\[0\] sum[1]
crl_sum_float.sv (normal_q\[3\].|| (1'b1||
crl_sum_float.sv 1'b1}.|.stop 1'b1}
crl_sum_float.sv exponent_q.==.8'hff 1'b0
crl_sum_float.sv !(total_subtract.\&\&.total.==.'0) 1'b1
crl_float_narrow.sv (float_i\[16\].|| (1'b1||
crl_float_narrow.sv float_i\[14:0\].!=.'0 float_i[14]
crl_float_narrow.sv (shifted\[25\].|| (1'b1||
crl_float_narrow.sv shifted\[23:0\].!=.'0 shifted[23]
crl_float_narrow.sv 8'd101 8'd102
crl_float_narrow.sv 8'd142 8'd143
crl_float_narrow.sv nan.?.16'h7e00 (1'b0)?16'h7e00
crl_float_widen.sv zero.?.8'd0 (1'b0)?8'd0
crl_float_widen.sv 4'(10.-.i) 4'(9-i)
ALTERATIONS
