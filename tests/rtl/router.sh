#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Routers of the forms that users get play random rows beside a reference; and ones that are altered are told.
# usage: router.sh [CYCLES | forms] (forms: those alone, nothing altered); $CARILLON_DATA: where rtl/ is

set -u
here=$(cd "$(dirname "$0")" && pwd)
rtl=${CARILLON_DATA:-$here/../..}/rtl
only=''
[ "${1-}" != forms ] || { only=forms; shift; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for name in slot/crl_router slot/crl_row_decoder slot/crl_lane slot/crl_sum slot/crl_sum_lane slot/crl_sum_delay slot/crl_sum_staged \
    slot/crl_sum_float slot/crl_output common/crl_ram common/crl_mux common/crl_guard common/crl_port_select; do
    cp "$rtl/$name.sv" "$work" || exit 1
done

# Sums of floating-point numbers take a simulator long.
cat >"$work/forms" <<'FORMS'
Lanes=4
Ports=4 Lanes=3 Banks=2 WriteXbar=1 WaddrField=1 Combine=1 Staged=1 Words=2
Ports=3 Lanes=2 Banks=3 WriteXbar=1 WaddrField=1 Combine=1 Streams=1
Ports=3 Lanes=2 Banks=3 WriteXbar=1 WaddrField=1 Words=2
Ports=5 Lanes=2 Banks=3 WriteXbar=1 WaddrField=1 Streams=1
Ports=5 Lanes=3 Banks=2 WriteXbar=1 Delay=0 WaddrField=1 Words=2 TableDepth=11
Ports=3 Lanes=3 Banks=3 Delay=0 Streams=1 Store=0
Ports=1 Lanes=1 Banks=1 AddrW=1 TableDepth=1
Ports=5 Lanes=2 Banks=2 Words=3 TableDepth=5
Ports=5 Lanes=1 Banks=1 Delay=0 Words=2
Ports=4 Lanes=4 Banks=1 WriteXbar=1 Delay=0
Ports=1 Lanes=1 Banks=2 WriteXbar=1 WaddrField=1
Delay=0 Streams=1
Ports=4 Lanes=4 Banks=2 WriteXbar=1 Delay=0 Streams=1
WriteXbar=1 WaddrField=1 Combine=1
Ports=5 Lanes=2 Banks=3 WriteXbar=1 WaddrField=1 Combine=2 Words=2 TableDepth=5
Ports=3 Lanes=3 Banks=2 WriteXbar=1 WaddrField=1 Combine=3
Ports=2 Lanes=1 Banks=1 WriteXbar=1 WaddrField=1 Combine=4
Ports=3 Lanes=3 Banks=3 WriteXbar=1 WaddrField=1 Combine=5
Ports=2 Lanes=2 Banks=2 WriteXbar=1 WaddrField=1 Combine=6
Ports=2 Lanes=2 Banks=2 WriteXbar=1 WaddrField=1 Combine=7 Cycles=200
Ports=1 Lanes=1 Banks=2 WriteXbar=1 WaddrField=1 Combine=7 Streams=1 Cycles=200
Ports=2 Lanes=2 Banks=3 WriteXbar=1 WaddrField=1 Combine=5 Staged=1
FORMS

# play NAME=VALUE...: leaves what the bench says in $work/log.
play()
{
    set_params=''
    for p; do set_params="$set_params -P router.$p"; done
    # shellcheck disable=SC2086  # words on purpose
    iverilog -g2012 -I "$rtl/common" $set_params -o "$work/bench" -s router "$here/router.sv" "$work"/crl_*.sv >"$work/log" 2>&1 || return 2
    timeout 60 vvp -n "$work/bench" >"$work/log" 2>&1
    grep -q '^[1-9][0-9]* words, 0 wrong' "$work/log"
}

while read -r form; do
    # shellcheck disable=SC2086
    if ! play $form ${1:+Cycles=$1}; then
        echo "router $form:"
        tail -5 "$work/log"
        exit 1
    fi
done <"$work/forms"

[ -z "$only" ] || exit 0
while read -r file from to form; do
    cp "$work/$file" "$work/whole"
    sed "s/$from/$to/" "$work/whole" >"$work/$file"
    if cmp -s "$work/whole" "$work/$file"; then
        echo "$file has no $from"
        exit 1
    fi
    # shellcheck disable=SC2086
    play $form
    if ! grep -q ' words, [1-9][0-9]* wrong' "$work/log"; then
        echo "the bench does not tell $from from $to"
        tail -5 "$work/log"
        exit 1
    fi
    cp "$work/whole" "$work/$file"
done <<'ALTERATIONS'
crl_router.sv {page_i,.waddr {fetched_page_i,waddr Lanes=4 Words=3
crl_router.sv (Banks.+.1) Banks Ports=3 Lanes=3 Banks=3 Delay=0 Streams=1 Store=0
crl_router.sv missed_q.!=..0 missed_q[0] Streams=1
crl_row_decoder.sv Arrivals\[i\].&&.(!rst_ni.|| Arrivals[i]\&\&( Lanes=4
crl_ram.sv Zero.!=.0 Zero==2 Streams=1
crl_sum.sv any.||.mask_i\[i-1\] any Ports=2 Lanes=2 Banks=2 WriteXbar=1 WaddrField=1 Combine=7 Cycles=200
crl_sum.sv a.<.b).?.b a>b)?b Ports=3 Lanes=3 Banks=2 WriteXbar=1 WaddrField=1 Combine=3
ALTERATIONS
