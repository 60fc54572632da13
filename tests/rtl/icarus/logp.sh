#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Plays tables of LogP machines under Icarus, from power-up: nothing unknown may leave the machine, and its words must be
# those of the cycle model. And a machine one of whose registers is not reset must not
# get through.
# usage: logp.sh CARILLON; $CARILLON_DATA: where rtl/ is, of which nothing is altered then

set -u
here=$(cd "$(dirname "$0")" && pwd)
rtl=${CARILLON_DATA:-$(cd "$here/../../.." && pwd)}/rtl
carillon=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# Packet i is the i-th word, on every page, that a broadcast to one other processor sends.
packets=40
for n in 1 2; do
    "$carillon" run k-item-broadcast -t logp:P=2,L=3 --items $packets --words $n --engine model --trace "$work/packets.$n" \
        >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
done

# prepare NAME WORDS COMMAND...: NAME.tables, .words, .trace, and .params, of a machine of four processors.
prepare()
{
    name=$1 words=$2
    shift 2
    "$carillon" build "$@" --words "$words" -o "$work/image" >"$work/log" 2>&1 &&
        "$carillon" dump "$work/image" >"$work/dump" &&
        for v in 0 1 2 3; do "$carillon" dump "$work/image" --format readmemh --table $v; done >"$work/$name.tables" &&
        "$carillon" run "$@" --words "$words" --engine model --trace "$work/$name.trace" >"$work/log" 2>&1 || {
        cat "$work/log"
        return 1
    }
    # Where packets lie before: a processor a line, then its places.
    awk -v words="$words" -v packets=$packets '
        FNR == NR { word[FNR - 1] = $4; next }
        $1 == "before" || $1 == "after" { before = $1 == "before"; v = $3 + 0; next }
        before { split($2, place, "@"); at[v, place[2]] = $1; if (place[2] >= places) places = place[2] + 1 }
        END {
            print "Places=" places >PARAMS
            for (w = 0; w < words; w++)
                for (v = 0; v < 4; v++)
                    for (a = 0; a < places; a++) print (v, a) in at ? word[w * packets + at[v, a]] : "x"
        }' PARAMS="$work/$name.params" "$work/packets.$words" "$work/dump" >"$work/$name.words"
    echo "Rows=$(($(wc -l <"$work/$name.tables") / 4)) Words=$words" >>"$work/$name.params"
}

# play NAME PARAMETER...: exit code 0 if the words are those of the model and nothing was unknown.
play()
{
    case_name=$1 set_params=''
    shift
    # shellcheck disable=SC2013  # words on purpose
    for p in "$@" $(cat "$work/$case_name.params"); do set_params="$set_params -Pcrl_logp_tb.$p"; done
    # Icarus says that it takes a unique case for a case.
    # shellcheck disable=SC2086  # words on purpose
    iverilog -g2012 -DCRL_CONTRACTS -Wall -Wno-timescale -I "$work/rtl" $set_params -s crl_logp_tb -o "$work/tb" "$here/crl_logp_tb.sv" "$work/rtl"/*.sv 2>&1 |
        grep -v 'Case unique' >"$work/log"
    [ ! -s "$work/log" ] &&
        vvp -n "$work/tb" "+tables=$work/$case_name.tables" "+words=$work/$case_name.words" >"$work/trace" 2>"$work/log" &&
        diff "$work/$case_name.trace" "$work/trace" >"$work/log"
}

mkdir "$work/rtl"
cp "$rtl"/logp/*.sv "$rtl"/common/*.sv* "$work/rtl"
while read -r name words latency_min latency command; do
    # shellcheck disable=SC2086  # words on purpose
    if prepare "$name" "$words" $command && play "$name" "LatencyMin=$latency_min" "Latency=$latency"; then
        echo "$name: same trace, $(wc -l <"$work/trace") words"
    else
        echo "FAILED $name"
        head -10 "$work/log"
        tail -2 "$work/trace"
        failed=$((failed + 1))
    fi
done <<'CASES'
tree      1 4 4 broadcast -t logp:P=4,L=4,o=1,g=2
holding   2 4 4 k-item-broadcast -t logp:P=4,L=4 --items 3 --scheme buffered
at_once   1 1 1 k-item-broadcast -t logp:P=4,L=1 --items 3 --scheme buffered
delayed   1 1 5 k-item-broadcast -t logp:P=4,L=5 --items 3 --scheme buffered
combining 2 3 3 combining-broadcast -t logp:P=4,L=3
operands  1 1 2 summation -t logp:P=4,L=2,o=0,g=1 --time 8
CASES

if [ -n "${CARILLON_DATA-}" ]; then
    [ "$failed" -eq 0 ]
    exit
fi

# A caller that breaks the contract is told (CRL_CONTRACTS).
play tree LatencyMin=4 Latency=4 Wrong=1
grep -q contract: "$work/trace" || {
    echo "NOT SEEN: a load while busy"
    failed=$((failed + 1))
}

# A machine without a reset is seen, whichever of its own parts it is in; of the shared parts, the first reset (other registers follow
# by themselves, or say nothing while there is no fault).
seen=0
for file in "$rtl"/logp/*.sv "$rtl"/common/crl_slot_counter.sv "$rtl"/common/crl_guard.sv "$rtl"/common/crl_parity.sv; do
    resets=$(sed '/^`ifdef FORMAL/q' "$file" | grep -n 'if (!rst_ni' | cut -d: -f1)
    case $file in */common/*) resets=${resets%%[!0-9]*} ;; esac
    for line in $resets; do
        name=$(basename "$file")
        sed "${line}s/!rst_ni/1'b0/" "$file" >"$work/rtl/$name"
        if play holding LatencyMin=4 Latency=4 && play delayed LatencyMin=1 Latency=5; then
            echo "NOT SEEN: $name:$line without its reset"
            failed=$((failed + 1))
        else
            seen=$((seen + 1))
        fi
        cp "$file" "$work/rtl/$name"
    done
done
echo "$seen machines that lack a reset are seen"
[ "$failed" -eq 0 ] && [ "$seen" -gt 0 ]
