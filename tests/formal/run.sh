#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Proves the assertions in rtl/ (proofs.txt), most by induction after a bounded check, reaches their covers, and shows that the
# proofs can fail: each mutant of mutants.txt must break the proof it names. Names as arguments: only those proofs.
# With --sample K first: not the proofs that are marked 'long', and every Kth mutant; with --every K next, every Kth of those proofs.
# --model FOLDER PROOF OUT, --broken FILE PROOF: see below.

set -u
cd "$(dirname "$0")" || exit 1
here=$(pwd)
depth=20
quick='' # whether every mutant is left to abc
work=$(mktemp -d) || exit 1
# The RTL, and the networks and tables that some proofs put around it.
rtl=$work/sources
mkdir "$rtl" && cp ../../rtl/*/*.sv* ./*.sv ../golden/formal/*.svh "$rtl" || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

surprises=0
surprise() {
    echo "SURPRISE $*"
    surprises=$((surprises + 1))
}

# Fields of a table line, blanks trimmed; comments and empty lines dropped.
rows() { grep -v -e '^#' -e '^ *$' "$1"; }
field() { printf '%s\n' "$1" | awk -F' [|] ' -v n="$2" '{ gsub(/^ +| +$/, "", $n); print $n }'; }

# yosys_model LINE SOURCES FLOPS: the commands that make one flat module of the top.
yosys_model() {
    top=$(field "$1" 2)
    set=''
    for p in $(field "$1" 3); do set="$set -set ${p%%=*} ${p#*=}"; done
    # A crossbar of the default size takes longer to read than to prove; -defer leaves that out, but not every top can take it.
    read="read_verilog $2/$top.sv; chparam $set $top; hierarchy -check -top $top -libdir $2"
    [ "$(field "$1" 4)" != reached ] ||
        read="read_verilog -defer $2/$top.sv; hierarchy -check -top $top $(echo "$set" | sed 's/-set/-chparam/g') -libdir $2"
    define="-DFORMAL_TOP_$top" memories=''
    case $(field "$1" 4) in
        # Without the memory cell what it would have read is free in every cycle.
        out)
            # shellcheck disable=SC2016  # the cell names are for yosys
            memories='select -assert-min 1 t:$memrd t:$memrd_v2; delete t:$memrd t:$memrd_v2 t:$memwr t:$memwr_v2;'
            ;;
        rows | rows_bounded | rows_alike)
            # shellcheck disable=SC2016
            memories='flatten; select -set rows r:MEMID=*_table.mem; select -assert-min 1 t:$memrd* @rows %i; delete @rows;'
            ;;
        contents) define="$define -DFORMAL_CONTENTS" ;;
    esac
    # -libdir reads the modules below as they are met: all of rtl/ would take longer than most proofs.
    echo "verilog_defaults -add -formal -sv $define; $read; proc;
        $memories $whole flatten; setundef -undriven -anyseq; opt -full; memory -nordff -nomap; opt -full; $3 async2sync;"
}

# model LINE SOURCES: writes $work/model.smt2.
model() {
    flops='' whole=''
    [ "$(field "$1" 4)" != flops ] || flops='memory_map; opt -full;'
    yosys -q -p "$(yosys_model "$1" "$2" "$flops") dffunmap; opt_clean; write_smt2 -wires $work/model.smt2" >"$work/log" 2>&1
}

# gates LINE SOURCES assert|cover: writes $work/model.aig, with flip-flops for memories, and the names of what it asserts;
# covers are asserted never to be seen. For assertions also $work/map, which input is what.
gates() {
    begins='' map='' whole='setattr -mod -unset keep_hierarchy *;'
    [ "$3" != assert ] || map="-vmap $work/map"
    keep='chformal -cover -remove;'
    [ "$3" = assert ] || keep="chformal -assert -remove; techmap -map $here/cover.sv;"
    [ "$(field "$1" 4)" != rows_alike ] || begins='setundef -init -zero;'
    # shellcheck disable=SC2016  # the cell name is for yosys
    yosys -q -p "$(yosys_model "$1" "$2" 'memory_map; opt -full;') $keep"' formalff -clk2ff; opt_clean; setundef -anyseq; '"$begins"'
        opt -fast; techmap; opt -fast; abc -g AND -fast; delete -output; opt_clean;
        tee -q -o '"$work/names"' select -list t:$assert; write_aiger -I -B -zinit '"$map $work/model.aig" >"$work/log" 2>&1
}

# bounded STEPS [COMMANDS]: whether nothing that is asserted (or the one that COMMANDS pick) fails within the steps.
bounded() {
    yosys-abc -c "read_aiger $work/model.aig; fold; strash; ${2:-} bmc3 -F $1" >"$work/log" 2>&1
    grep -q '^No output asserted in' "$work/log"
}

# Whether nothing that is asserted fails in any state that can be reached (property-directed reachability).
reachable_states() {
    timeout 3600 yosys-abc -c "read_aiger $work/model.aig; fold; strash; pdr" >"$work/log" 2>&1
    grep -q '^Property proved' "$work/log"
}

# seen LINE STEPS: reaches every cover of the top itself.
seen() {
    gates "$1" "$rtl" cover || return 1
    number=0
    while read -r cover; do
        case ${cover%.seen} in *.*) ;; *)
            if bounded "$2" "&get; &cone -O $number -R 1; &put;" || ! grep -q 'was asserted in frame' "$work/log"; then
                echo "not reached: $cover"
                return 1
            fi
            ;;
        esac
        number=$((number + 1))
    done <"$work/names"
    [ "$number" -gt 0 ]
}

# by_gates MODE: whether abc checks it; solvers of words take minutes for what is little more than flip-flops.
by_gates() { case $1 in reached | anywhere | rows | rows_bounded | rows_alike | bounded | flops) ;; *) return 1 ;; esac; }

# How many steps a bounded check looks at.
steps_of() { if by_gates "$(field "$1" 4)"; then field "$1" 5; else echo "$depth"; fi; }

# Unrolled, because nested definitions of a whole node keep the solver busy for minutes.
smtbmc() { yosys-smtbmc -s z3 --unroll --noprogress "$@" "$work/model.smt2" >"$work/log" 2>&1; }

# states LINE SOURCES: the solver of yosys, which takes a second for what takes z3 minutes. -verify exits 1 at a counterexample.
states() {
    set=''
    for p in $(field "$1" 3); do set="$set -set ${p%%=*} ${p#*=}"; done
    top=$(field "$1" 2)
    yosys -p "verilog_defaults -add -formal -sv; read_verilog $2/$top.sv; chparam $set $top;
        hierarchy -check -top $top -libdir $2; proc; flatten; opt -full; async2sync; dffunmap; opt_clean;
        select -assert-min 1 t:\$assert; delete t:\$cover;
        sat -verify -prove-asserts -set-assumes -seq $(field "$1" 5)" >"$work/log" 2>&1
}

# one_write_port LINE SOURCES
one_write_port() {
    yosys -q -p "read_verilog -sv $2/$(field "$1" 2).sv; proc; memory_collect; opt_clean;
        select -assert-count 1 t:\$mem_v2 r:WR_PORTS=1 %i" >"$work/log" 2>&1
}

prove() {
    name=$(field "$1" 1)
    case $(field "$1" 4) in
        ports) if one_write_port "$1" "$rtl"; then echo "proved $name"; else
            surprise "$name: more than one write port"
            cat "$work/log"
        fi
        return ;;
        states) if states "$1" "$rtl"; then echo "proved $name"; else
            surprise "$name: not proved"
            tail -40 "$work/log"
        fi
        return ;;
    esac
    mode=$(field "$1" 4) steps=$(field "$1" 5)
    if by_gates "$mode"; then
        check=bounded
        case $mode in reached | rows) check=reachable_states ;; esac
        if ! gates "$1" "$rtl" assert || ! $check "$steps" || ! seen "$1" "$steps"; then
            surprise "$name: $check"
            tail -5 "$work/log"
            return
        fi
        case $mode in
        reached | anywhere | rows)
            echo "proved $name"
            return
            ;;
        rows_bounded | rows_alike | bounded)
            echo "checked $name: $steps steps"
            return
            ;;
        esac
    fi
    if ! model "$1" "$rtl"; then
        surprise "$name: no model"
        cat "$work/log"
        return
    fi
    for step in "-t $depth" "-i -t $depth" "-c -t $steps"; do
        # Both are done.
        case "$mode $step" in "flops -t"* | "flops -c"*) continue ;; esac
        # shellcheck disable=SC2086  # words on purpose
        if ! smtbmc $step; then
            surprise "$name: smtbmc $step"
            tail -20 "$work/log"
            return
        fi
    done
    echo "proved $name"
}

# broken LINE SOURCES: whether the proof fails in the bounded check; an assertion, not a tool, must say no. In $said, which or why not.
broken() {
    said='no model'
    case $(field "$1" 4) in
        ports)
            said='another write port'
            ! one_write_port "$1" "$2" && grep -q 'Assertion failed: selection' "$work/log"
            return ;;
        states)
            said='a counterexample'
            ! states "$1" "$2" && grep -q 'proof did fail' "$work/log"
            return ;;
    esac
    if [ "$quick" ] || by_gates "$(field "$1" 4)"; then
        gates "$1" "$2" assert || return
        said='survived'
        ! bounded "$(steps_of "$1")" || return
        if grep -q 'Does not work for combinational networks' "$work/log"; then
            quick=''
            broken "$@"
            return
        fi
        number=$(sed -n 's/^Output \([0-9]*\) of miter.*was asserted in frame.*/\1/p' "$work/log")
        said='no verdict'
        [ -n "$number" ] && said=$(sed -n "$((number + 1))s:.*/::p" "$work/names")
    else
        model "$1" "$2" || return
        said='survived'
        ! smtbmc -t "$depth" || return
        said='no verdict'
        grep -q 'Status: FAILED' "$work/log" && said=$(sed -n 's/.*Assert failed in [^:]*: *//p' "$work/log" | head -1)
    fi
}

line_of() { rows "$here/proofs.txt" | awk -F' *[|]' -v n="$1" '$1 == n'; }

kill_mutant() {
    name=$(field "$1" 1) file=$(field "$1" 2) text=$(field "$1" 3) new=$(field "$1" 4)
    line=$(line_of "$name")
    [ -n "$line" ] || { surprise "mutant of unknown proof $name"; return; }
    rm -rf "$work/rtl"
    cp -r "$rtl" "$work/rtl"
    TEXT=$text NEW=$new awk '
        BEGIN { text = ENVIRON["TEXT"]; new = ENVIRON["NEW"] }
        { n = index($0, text)
          if (n) { found++; rest = substr($0, n + length(text)); if (index(rest, text)) found++
                   $0 = substr($0, 1, n - 1) new rest }
          print }
        END { exit found != 1 }' "$rtl/$file" >"$work/rtl/$file" || { surprise "$file does not have once: $text"; return; }
    if broken "$line" "$work/rtl"; then
        killed=$((killed + 1))
        echo "killed $name: $said"
    else
        surprise "$name: $said in $file: $text -> $new"
        tail -5 "$work/log"
    fi
}

# --model FOLDER PROOF OUT: for scripts/mutate: the model of a proof with the sources of the folder, its map and the names of what
# it asserts; prints how many steps to look at.
if [ "${1-}" = --model ]; then
    cp "$2"/*.sv "$rtl" || exit 2
    line=$(line_of "$3")
    case $(field "$line" 4) in ports | states) exit 1 ;; esac # no such model
    if ! gates "$line" "$rtl" assert; then
        cat "$work/log"
        exit 1
    fi
    cp "$work/model.aig" "$work/map" "$work/names" "$4"
    steps_of "$line"
    exit
fi

# --broken FILE PROOF: for scripts/mutate: whether the proof fails with this file in the place of the one of its name.
if [ "${1-}" = --broken ]; then
    cp "$2" "$rtl" || exit 2
    quick=yes
    broken "$(line_of "$3")" "$rtl"
    result=$?
    echo "$said"
    exit $result
fi

wanted() {
    [ $# -gt 1 ] || return 0
    n=$1
    shift
    for w; do [ "$w" = "$n" ] && return 0; done
    return 1
}

sample=1
[ "${1-}" != --sample ] || { sample=$2; shift 2; }
every=1
[ "${1-}" != --every ] || { every=$2; shift 2; }
seen_proofs=0 proofs=0 killed=0 line_number=0
rows proofs.txt >"$work/proofs"
while read -r line; do
    wanted "$(field "$line" 1)" "$@" || continue
    [ "$sample" -eq 1 ] || [ "$(field "$line" 6)" != long ] || continue
    seen_proofs=$((seen_proofs + 1))
    [ $((seen_proofs % every)) -eq 0 ] || continue
    proofs=$((proofs + 1))
    prove "$line"
done <"$work/proofs"

rows mutants.txt >"$work/mutants"
while read -r line; do
    wanted "$(field "$line" 1)" "$@" || continue
    line_number=$((line_number + 1))
    [ $((line_number % sample)) -eq 0 ] || continue
    kill_mutant "$line"
done <"$work/mutants"

echo "$proofs proofs, $killed mutants killed"
[ "$surprises" -eq 0 ]
