#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Plays cubes of queue nodes under Icarus, from power-up: nothing unknown may leave a node, and every packet must come to
# every node (crl_queue_tb). A node one of whose registers is not reset must not get through, nor a caller that breaks the contract
# (CRL_CONTRACTS).

set -u
here=$(cd "$(dirname "$0")" && pwd)
rtl=$(cd "$here/../../../rtl" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/rtl"
cp "$rtl"/queue/*.sv "$rtl/common/crl_fifo.sv" "$rtl/common/crl_ram.sv" "$rtl/common/crl_mux.sv" "$work/rtl"

# play PARAMETER...
play()
{
    set_params=''
    for p in "$@"; do set_params="$set_params -Pcrl_queue_tb.$p"; done
    # Icarus says that it takes a unique case for a case.
    # shellcheck disable=SC2086  # words on purpose
    iverilog -g2012 -DCRL_CONTRACTS -Wall -Wno-timescale -I "$rtl/common" $set_params -s crl_queue_tb -o "$work/tb" "$here/crl_queue_tb.sv" "$work/rtl"/*.sv 2>&1 |
        grep -v 'Case unique' >"$work/log"
    [ ! -s "$work/log" ] && vvp -n "$work/tb" >"$work/log" 2>&1
}

failed=0
while read -r name params; do
    # shellcheck disable=SC2086  # words on purpose
    if play $params; then
        echo "$name: $(cat "$work/log")"
    else
        echo "FAILED $name"
        head -10 "$work/log"
        failed=$((failed + 1))
    fi
done <<'CASES'
order    Ports=3
loops    Ports=2 Loops=1
coins    Ports=2 Mode=2 Loops=1 Packets=2
position Ports=2 Mode=4
blocking Ports=2 Units=1 Packets=2
CASES

# A caller that breaks the contract is told (CRL_CONTRACTS).
for wrong in 1 2; do
    play Ports=2 Packets=2 Wrong=$wrong
    grep -q contract: "$work/log" || {
        echo "NOT SEEN: a caller that does not keep the contract, $wrong"
        failed=$((failed + 1))
    }
done

# A node without a reset, or with a part that has none, is seen, whichever it is, but for registers that the first slot or its absence sets.
seen=0
for file in "$rtl"/queue/*.sv "$rtl/common/crl_fifo.sv"; do
    name=$(basename "$file")
    [ "$name" != crl_queue_fabric.sv ] || continue # the bench wires the nodes itself
    for line in $(sed '/^`ifdef [FC]/,/^`endif/s/.*//' "$file" | grep -n 'if (!rst_ni\|(rst_ni' |
        grep -v '\$past\|waits_o <=\| full_o <=\|phase_q <=' | cut -d: -f1); do
        sed "${line}s/!rst_ni/1'b0/; ${line}s/(rst_ni/(1'b1/" "$file" >"$work/rtl/$name"
        if play Ports=2 Mode=2 Loops=1 Packets=2 && play Ports=2 Units=1 Packets=2; then
            echo "NOT SEEN: $name:$line without its reset"
            failed=$((failed + 1))
        else
            seen=$((seen + 1))
        fi
    done
    cp "$file" "$work/rtl/$name"
done
echo "$seen nodes that lack a reset are seen"
[ "$failed" -eq 0 ] && [ "$seen" -gt 0 ]
