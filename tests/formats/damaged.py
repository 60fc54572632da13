#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damages plans of other tools where no packet is lost on a link: what came and is never added, added twice, or put over
another value; what is never copied to the output; what is copied from a wrong place. All of it must be refused with
exit 1, a position and the reason. And plans that are right in some orders only: without a dependency, or with one on another
step. What is accepted of those must be right in twenty random orders.

usage: damaged.py CARILLON
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from msccl import play_msccl
import msccl_examples
import mscclpp_examples

folder = tempfile.TemporaryDirectory()
LACKS, TWICE, EMPTY = "lacks what rank '\\d+' has", "has twice what rank '\\d+' has", "ends with nothing in place '\\d+' of its output"
STUCK = "this waits for ever"
WRONG = f"ends with .* in place '\\d+' of its output, where .* must be|this adds chunk|keeps for itself|{STUCK}|{LACKS}"


def read(text, ranks):
    path = os.path.join(folder.name, "plan")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path, subprocess.run([sys.argv[1], "import", path, "-t", f"complete:{ranks}", "-o", path + ".csv", "-q"],
                                capture_output=True, text=True)


def refuse(what, text, ranks, reason):
    path, run = read(text, ranks)
    match = re.match(re.escape(path) + r":(\d+):(\d+): error: (.*)\n", run.stderr)
    if run.returncode != 1 or not match or not re.search(reason, match[3]) or int(match[1]) <= 1:
        sys.exit(f"damaged: {what}: exit {run.returncode}: {run.stderr[:500]}, not {reason}")


def msccl(name, plan):
    """Each move within a rank: left out, made twice, or put over what it should be added to."""
    moves, count = list(plan.moves), 0
    for i, move in enumerate(moves):
        if move[0][0] != move[1][0]:
            continue
        adds = move[3]
        damaged = [("left out", [], LACKS if adds else f"{EMPTY}|{STUCK}")]
        if adds:
            damaged += [("made twice", [move, move], TWICE), ("not added", [move[:3] + (False,) + move[4:]], LACKS)]
        for what, instead, reason in damaged:
            plan.moves = moves[:i] + instead + moves[i + 1:]
            refuse(f"{name}: move {i} {what}", plan.text(), plan.ranks, reason)
            count += 1
    plan.moves = moves
    return count


def operations(plan):
    for gpu in plan["gpus"]:
        for block in gpu["threadblocks"]:
            yield from ((block["ops"], i) for i, op in enumerate(block["ops"]) if "src_buff" in op)


def mscclpp(name, plan, ranks):
    """Each operation within a rank: left out; without one of the cells that it adds, or with one twice; from another place."""
    count = 0
    for ops, i in operations(plan):
        op, src = ops[i], ops[i]["src_buff"]
        if "channel_ids" in op:
            continue
        shifted = [src[0] | {"index": abs(src[0]["index"] - 1)}, *src[1:]]
        damaged = [("left out", {"name": "nop"}, f"{LACKS}|{EMPTY}|{STUCK}|not all of the|the first thread block")]
        if len(src) > 1:
            damaged += [("without its last", op | {"src_buff": src[:-1]}, LACKS), ("without its first", op | {"src_buff": src[1:]}, LACKS),
                        ("with its last twice", op | {"src_buff": src + src[-1:]}, TWICE)]
        elif "tbg_info" not in op and (op["name"] == "upkt" or op["dst_buff"][0]["type"] == "o"):
            damaged += [("from elsewhere", op | {"src_buff": shifted}, WRONG)]
        for what, instead, reason in damaged:
            ops[i] = instead
            refuse(f"{name}: {op['name']} {what}", json.dumps(plan, indent=1), ranks, reason)
            count += 1
        ops[i] = op
    return count


def turn_round(name, plan, ranks):
    """What is added, in the other order: no damage, though the sum goes to the cell that is read last."""
    for ops, i in operations(plan):
        if len(ops[i]["src_buff"]) > 1:
            ops[i]["src_buff"].reverse()
    run = read(json.dumps(plan), ranks)[1]
    if run.returncode:
        sys.exit(f"damaged: {name}, turned round: {run.stderr[:500]}")


def unordered(words):
    """Each dependency of a plan of ours left out: how many there are, and how many of them are refused."""
    path = os.path.join(folder.name, "whole")
    subprocess.run([sys.argv[1], "plan", *words.split(), "--format", "msccl-xml", "-o", path, "-q"], check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    whole, topology, refused = open(path, encoding="utf-8").read(), words.split()[2], 0
    ranks, last = int(re.search(r'ngpus="(\d+)"', whole)[1]), whole.rindex('o_chunks="')
    empty = whole[:last] + re.sub(r'o_chunks="\d+"', 'o_chunks="0"', whole[last:])
    refuse(f"{words}, a rank without output", empty, ranks, "chunks of buffer 'o', which has 0")
    places = [m.span() for m in re.finditer(r'depid="\d+" deps="\d+"', whole)]
    for begin, end in places:
        text = whole[:begin] + 'depid="-1" deps="-1"' + whole[end:]
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        run = subprocess.run([sys.argv[1], "import", path, "-t", topology, "-o", path + ".csv", "-q"], capture_output=True, text=True)
        refused += run.returncode != 0
        try:
            for seed in range(20 if run.returncode == 0 else 0):
                play_msccl(text, seed)
        except ValueError as error:
            if "a chain of dependencies" not in str(error):
                sys.exit(f"damaged: {words} without the dependency in line {whole[:begin].count(chr(10)) + 1} is accepted: {error}")
    return len(places), refused


def main():
    m, p = msccl_examples, mscclpp_examples
    plans = [("ring all-gather, out of place", m.gather_ring_copied(4)), ("all-pairs all-reduce", m.reduce_pairs(3, range(3), 1)),
             ("all-pairs reduce-scatter", m.scatter_pairs(3, 1)), ("all-pairs exchange", m.exchange_pairs(3)),
             ("all-pairs all-reduce, added in a tree", m.reduce_local_tree(4)), ("one-chunk all-reduce", m.reduce_one_step(3, 1))]
    count = sum(msccl(*plan) for plan in plans)
    plans = [("packets are added", p.reduce_packets(None, 3, 1, False), 3), ("groups of blocks put", p.gather_group(None, 3, 2), 3),
             ("exchange by puts", p.exchange(None, 3, "put", False), 3), ("exchange by gets from scratch", p.exchange(None, 3, "get", True), 3)]
    count += sum(mscclpp(name, json.loads(plan.text()), ranks) for name, plan, ranks in plans)
    turn_round("packets are added", json.loads(p.reduce_packets(None, 3, 1, False).text()), 3)
    left_out = [unordered(words) for words in ("all-gather -t hypercube:3", "all-reduce -t ring:4", "scan -t path:4", "total-exchange -t mesh:2x3")]
    places, refused = (sum(column) for column in zip(*left_out))
    if not places or refused < places / 2:
        sys.exit(f"damaged: of {places} plans without a dependency only {refused} are refused")
    print(f"{count} damaged plans, {places} without a dependency of which {refused} are refused, 0 failed")


main()
