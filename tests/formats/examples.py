#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads plans of the shapes that public examples of other tools have, judges and draws them; and each once more without
one of its moves, which must break rules or wait for ever. The table of docs/formats/examples.md says which those are.

usage: examples.py CARILLON
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import msccl_examples
import mscclpp_examples

TABLE = pathlib.Path(__file__).resolve().parents[2] / "docs/formats/examples.md"
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def run(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True)


def read(text, ranks, more):
    with open(path("plan"), "w", encoding="utf-8") as file:
        file.write(text)
    return run("import", path("plan"), "-t", f"complete:{ranks}", *more, "-o", path("rows.csv"), "-q")


def draw(ranks, said):
    """Draws the rows as the collective that import found them to be."""
    with open(path("rows.csv"), encoding="utf-8") as file:
        rows = file.read().split()[1:]
    algorithm, *more = said
    if algorithm in ("all-reduce", "reduce-scatter"):
        more += ["--chunks", str(1 + max(int(row.split(",")[3]) for row in rows))] if algorithm == "all-reduce" else []
    return run("draw", algorithm, *more, "--from", path("rows.csv"), "-t", f"complete:{ranks}", "-o", path("plan.svg"))


def look_at(name, ranks, make, last, more):
    done = read(make(None), ranks, more)
    match = re.match(r"valid: (\S+) on complete:\d+ in (\d+) slots?", done.stdout)
    if done.returncode or not match:
        sys.exit(f"examples: {name}: {done.stdout}{done.stderr[:1000]}")
    drawn = draw(ranks, [match[1], *(more[2:] if more else [])])
    if drawn.returncode or os.path.getsize(path("plan.svg")) < 1000:
        sys.exit(f"examples: {name}: is not drawn: {drawn.stderr[:1000]}")
    if not read(make(last), ranks, more).returncode:
        sys.exit(f"examples: {name}: is accepted without its last move")
    return match[1], int(match[2])


def main():
    named = set(re.findall(r"`([^`]+)` \|", TABLE.read_text()))
    count = 0
    for name, plan, more in msccl_examples.EXAMPLES:
        last = max(i for i, move in enumerate(plan.moves) if move[0][0] != move[1][0])
        print(f"{name}: {'%s, %d slots' % look_at(name, plan.ranks, plan.text, last, more)}")
        named.discard(name)
        count += 1
    for name, ranks, make, more in mscclpp_examples.EXAMPLES:
        last = make(None).moved
        print(f"{name}: {'%s, %d slots' % look_at(name, ranks, lambda x: make(x).text(), last, more)}")
        named.discard(name)
        count += 1
    print(f"{count} plans, 0 failed")


main()
