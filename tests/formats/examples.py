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

import forest_examples
import msccl_examples
import mscclpp_examples
import mscclpp_exchanges
import mscclpp_nodes
import mscclpp_sums

TABLE = pathlib.Path(__file__).resolve().parents[2] / "docs/formats/examples.md"
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def run(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True)


def read(text, network, more):
    with open(path("plan"), "w", encoding="utf-8") as file:
        file.write(text)
    return run("import", path("plan"), "-t", network, *more, "-o", path("rows.csv"), "-q")


def draw(network, algorithm, more):
    """Draws the rows as the collective that import found them to be."""
    with open(path("rows.csv"), encoding="utf-8") as file:
        packets = [row.split(",")[3] for row in file.read().split()[1:]]
    if algorithm == "all-reduce":
        more = ["--chunks", str(1 + max(map(int, packets)))]
    if any("." in packet for packet in packets):
        more = [*more, "--parts", str(1 + max(int(packet.split(".")[1]) for packet in packets))]
    return run("draw", algorithm, *more, "--from", path("rows.csv"), "-t", network, "-o", path("plan.svg"))


def look_at(name, network, make, last, more):
    done = read(make(None), network, more)
    match = re.match(r"valid: (\S+) on \S+ in (\d+) slots?", done.stdout)
    if done.returncode or not match:
        sys.exit(f"examples: {name}: {done.stdout}{done.stderr[:1000]}")
    drawn = draw(network, match[1], more[2:])
    if drawn.returncode or os.path.getsize(path("plan.svg")) < 1000:
        sys.exit(f"examples: {name}: is not drawn: {drawn.stderr[:1000]}")
    if not read(make(last), network, more).returncode:
        sys.exit(f"examples: {name}: is accepted without its last move")
    return match[1], int(match[2])


def main():
    examples = [(name, f"complete:{p.ranks}", p.text, max(i for i, move in enumerate(p.moves) if move[0][0] != move[1][0]), more)
                for name, p, more in msccl_examples.EXAMPLES + forest_examples.MSCCL]
    examples += [(name, f"complete:{ranks}", lambda x, make=make: make(x).text(), make(None).moved, more)
                 for name, ranks, make, more in mscclpp_examples.EXAMPLES + mscclpp_nodes.EXAMPLES + mscclpp_exchanges.EXAMPLES +
                 mscclpp_sums.EXAMPLES]
    for name, (tree, graph), more in forest_examples.EXAMPLES:
        with open(path(f"{len(examples)}.graph"), "w", encoding="utf-8") as file:
            file.write("\n".join(graph) + "\n")
        sends = [i for i, line in enumerate(tree) if "<send" in line]
        text = lambda x, tree=tree: "\n".join(line for i, line in enumerate(tree) if i != x) + "\n"
        examples.append((name, f"graph:{path(f'{len(examples)}.graph')}", text, sends[-1], more))
    names = {name for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")
             for name in re.findall(r"`([^`]+)`", line.split("|")[-2])}
    if names != {example[0] for example in examples}:
        sys.exit(f"examples: the table and the plans differ: {names ^ {example[0] for example in examples}}")
    for example in examples:
        print(f"{example[0]}: {'%s, %d slots' % look_at(*example)}", flush=True)
    print(f"{len(examples)} plans, 0 failed")


main()
