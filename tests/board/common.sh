# SPDX-License-Identifier: Apache-2.0
# What the tests on the virtual board share; sourced with the program and virtual-board as arguments. A call of virtual-board
# is one time between plugging in and unplugging: another one with the same flash is a power cycle.
carillon=$(realpath "$1") virtual=$(realpath "$2")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
export TMPDIR=$tmp # what is left of testbeds goes with it
export CARILLON_CACHE=${CARILLON_CACHE:-$tmp/cache} carillon

fail()
{
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# expect CODES TEXT ARGUMENT...: virtual-board with these arguments ends with one of the codes (as in '0 2') in bounded
# time, prints the text somewhere, says what went wrong if anything did, and leaves the board's pins alone. A signal may also
# come before anything was begun: the program then ends with 130 or 143, and like any other has nothing to say.
expect()
{
    local wanted=$1 text=$2
    shift 2
    code=0
    timeout "${LIMIT:-60}" "$virtual" --report report "$@" >out 2>err || code=$?
    [[ " $wanted " == *" $code "* ]] || fail "exit $code, not one of '$wanted': $*: $(cat out err)"
    [ -z "$text" ] || grep -qE -- "$text" out err || fail "no '$text' from: $*: $(cat out err)"
    if [ "$code" -ne 0 ] && { [[ $code != 1[34][03] ]] || [ -s err ]; } && ! grep -qE '^([^ ]+): error: .{10}' err; then fail "exit $code without a message: $*"; fi
    if grep -q '"present": true' report && grep -q '"released": false' report; then fail "pins not given back: $*"; fi
    if grep -qE '"contentions": [1-9]' report; then fail "two drove one pin: $*: $(cat report)"; fi
}

# A number of the report on the first board.
reported()
{
    grep -o "\"$1\": [0-9]*" report | head -1 | grep -o '[0-9]*$'
}

expect_driver_put_back()
{
    [ "$(reported drivers_detached)" = "$(reported drivers_attached)" ] || fail "the serial driver was not put back: $*"
}
