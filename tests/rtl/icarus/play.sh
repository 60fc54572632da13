#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Plays case directories on the flat hypercube under Icarus and compares the trace with the expected one.
#
# A case holds params (NAME=VALUE lines for crl_fabric_tb), table.hex, expected.trace, and where needed
# preload.hex with words.hex, and readout.hex. Without arguments every case beside this script is played.
# usage: play.sh [CASE...] (a folder, or the name of one beside this script); $CARILLON_DATA: where rtl/ is

set -u
here=$(cd "$(dirname "$0")" && pwd)
rtl=${CARILLON_DATA:-$(cd "$here/../../.." && pwd)}/rtl
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

[ $# -gt 0 ] || set -- "$here"/*/
failed=0
for dir; do
    [ -d "$dir" ] || dir=$here/$dir
    dir=${dir%/}
    set_params='' args=''
    while read -r p; do
        set_params="$set_params -Pcrl_fabric_tb.$p"
        case $p in Words=*) args="$args +last_page=$((${p#*=} - 1))" ;; esac
    done <"$dir/params"
    for f in preload table readout; do
        [ -f "$dir/$f.hex" ] && args="$args +$f=$dir/$f.hex +${f}_last=$(($(wc -l <"$dir/$f.hex") - 1))"
    done
    [ -f "$dir/words.hex" ] && args="$args +words=$dir/words.hex"
    # shellcheck disable=SC2086  # words on purpose
    if iverilog -g2012 -Wall -Wno-timescale -I "$rtl/common" $set_params -s crl_fabric_tb -o "$work/tb" \
            "$here/crl_fabric_tb.sv" "$rtl"/*/*.sv >"$work/log" 2>&1 && [ ! -s "$work/log" ] &&
        vvp -n "$work/tb" $args >"$work/trace" 2>"$work/log" &&
        diff "$dir/expected.trace" "$work/trace" >"$work/log"; then
        echo "same trace: $(basename "$dir"), $(wc -l <"$work/trace") words"
    else
        echo "FAILED $(basename "$dir")"
        head -10 "$work/log"
        [ -f "$work/trace" ] && grep -e fault -e FATAL "$work/trace"
        failed=$((failed + 1))
    fi
done
[ "$failed" -eq 0 ]
