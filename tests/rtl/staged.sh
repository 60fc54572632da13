#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A router that adds up in stages sends what one without does, later; and one that is altered is told.

set -u
here=$(cd "$(dirname "$0")" && pwd)
rtl=$here/../../rtl
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$rtl"/slot/*.sv "$work"

# compare PORTS LANES BANKS COMBINE STREAMS SINGLE ALIGNED: leaves what the bench says in $work/log.
compare()
{
    {
        iverilog -g2012 -I "$rtl/common" -o "$work/bench" -s staged -P staged.Ports="$1" -P staged.Lanes="$2" \
            -P staged.Banks="$3" -P staged.Combine="$4" -P staged.Streams="$5" \
            -P staged.Single="$6" -P staged.Aligned="${7-0}" "$here/staged.sv" "$work"/crl_*.sv "$rtl"/common/*.sv &&
            vvp -n "$work/bench"
    } >"$work/log" 2>&1
}

for set in "4 4 4 1 0 0" "3 3 2 2 0 1" "3 2 3 5 0 0" "4 1 1 1 0 0" "2 2 3 4 0 1" "4 4 5 1 1 0" "3 3 3 2 1 1" "4 1 2 1 1 0" \
    "3 3 3 7 0 1" "4 1 1 7 0 1" "3 2 3 8 1 1" "2 2 2 9 1 1" "4 4 4 1 1 1 1" "3 3 7 2 1 0 1" "2 2 5 9 1 1 1" "4 1 3 4 1 0 1"; do
    # shellcheck disable=SC2086
    compare $set
    if ! grep -q '^[1-9][0-9]* words, 0 wrong' "$work/log"; then
        echo "ports, lanes, banks, operator, streams, single, aligned $set:"
        tail -5 "$work/log"
        exit 1
    fi
done

# alter PORTS LANES BANKS COMBINE STREAMS SINGLE ALIGNED: reads files, and what to alter in them.
alter()
{
    while read -r file from to; do
        sed "s/$from/$to/" "$rtl/slot/$file" >"$work/$file"
        if cmp -s "$rtl/slot/$file" "$work/$file"; then
            echo "$file has no $from"
            return 1
        fi
        compare "$@"
        if ! grep -q ' words, [1-9][0-9]* wrong' "$work/log"; then
            echo "the bench does not tell $from from $to"
            tail -5 "$work/log"
            exit 1
        fi
        cp "$rtl/slot/$file" "$work/$file"
    done
}

alter 3 3 3 1 1 0 <<'ALTERATIONS' || exit 1
crl_sum_staged.sv fwd_q.?.made_q (!fwd_q)?made_q
crl_sum_staged.sv if.(near_q.||.set) if(set)
crl_sum_staged.sv if.(!near_q.||.set) if(set)
crl_sum_staged.sv if.(!near_q.||.set) if(!near_q)
crl_sum_staged.sv wen.&&.waddr.==.saddr waddr==saddr
crl_sum_staged.sv if.(!mask_i\[i\]) if(1'b0)
crl_sum_staged.sv .Stages(3.+.Wait) .Stages(2+Wait)
crl_sum_staged.sv if.(en_i).total_q total_q
ALTERATIONS

alter 3 3 3 7 0 1 <<'ALTERATIONS' || exit 1
crl_sum_floats.sv .Stages(Adder.+.1) .Stages(Adder)
crl_sum_floats.sv .Stages(Adder.+.3) .Stages(Adder+2)
crl_sum_floats.sv .alone_i(set) .alone_i(1'b0)
crl_sum_floats.sv set.?.NegativeZero.: 
crl_sum_floats.sv Adder.=.6 Adder=5
crl_sum_floats.sv if.(!mask_i\[i\]) if(1'b0)
crl_sum_float.sv .Stages(Stages) .Stages(0)
ALTERATIONS

alter 3 3 7 2 1 0 1 <<'ALTERATIONS' || exit 1
crl_router.sv wsel\[b\*XV+Lanes+b%Lanes\] wsel[b*XV+Lanes]
crl_router.sv terms\[(b%Lanes)\*DataW terms[0*DataW
crl_router.sv ==.j.+.m.\*.Lanes ==j
crl_router.sv value\[(j+m\*Lanes) value[(j)
ALTERATIONS
