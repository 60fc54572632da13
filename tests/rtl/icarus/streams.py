#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapters of stream nodes in Icarus, with random maps and stalls: every word comes out once, in order, with its peer.

usage: streams.py [ROUNDS]; $CARILLON_DATA: where rtl/ is"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
RTL = pathlib.Path(os.environ.get("CARILLON_DATA", ROOT)) / "rtl"
MAP_DEPTH = 64
SOURCES = [str(p) for f in ("common", "slot", "stream") for p in sorted((RTL / f).glob("crl_*.sv"))]

# Streams, lanes, rows of each kind of rounds, pages, stalls; bits of a peer; whether maps are loaded through their ports, and one
# start orders one round.
FORMS = [
    (1, 4, [8], 2, 0, dict()),
    (1, 4, [8], 2, 50, dict()),
    (2, 4, [5], 4, 30, dict(loads=1)),
    (3, 3, [6], 2, 70, dict()),
    (1, 1, [7], 2, 20, dict(peer_w=0, loads=1)),
    (2, 2, [1], 2, 30, dict(single=1)),
    (2, 3, [2], 2, 0, dict(single=1)),
    (2, 5, [16], 2, 40, dict()),
    (2, 3, [5, 3], 4, 30, dict()),
    (1, 2, [2, 4, 3], 2, 20, dict(loads=1)),
    (1, 3, [12], 2, 60, dict()),
    (1, 3, [9, 4], 2, 0, dict()),
]


def memory(entries, depth):
    if len(entries) > depth:
        raise ValueError("a map is too long")
    return "\n".join(f"{e:x}" for e in entries + [entries[0]] * (depth - len(entries))) + "\n"


def fields(*parts):
    """Values and their bits, least significant first."""
    value = at = 0
    for part, width in parts:
        value |= part << at
        at += width
    return value


class Kind:
    """Random maps of one kind of rounds."""

    def __init__(self, rng, ways, lanes, rows, row_w, peer_w):
        # Which of a stream's words each lane has at each row, if any; words of several lanes and rows are taken once, for the first.
        inputs, cell = [[] for _ in range(ways)], {}
        for row in range(rows):
            free = [j for j in range(lanes) if rng.random() < 0.7]
            rng.shuffle(free)
            while free:
                count = rng.randint(1, len(free))
                inputs[rng.randrange(ways)].append((row, free[:count]))
                free = free[count:]
        self.peers, self.inputs, self.outputs = [[] for _ in range(ways)], [], []
        for i in range(ways):
            entries = []
            for at, (row, which) in enumerate(inputs[i]):
                take = at == 0 or rng.random() < 0.7
                peer = rng.randrange(1 << peer_w)
                if take:
                    self.peers[i].append(peer)
                for j in which:
                    cell[row, j] = (i, len(self.peers[i]) - 1)
                entries.append((take, sum(1 << j for j in which), row, peer))
                if rng.random() < 0.1:
                    entries.append((0, 0, row, 0))
            entries = entries or [(0, 0, 0, 0)]
            # One entry a cycle, and row 0 comes behind the one with which the round may begin.
            go = max(n - row for n, (_, _, row, _) in enumerate(entries))
            go = max([0, go] + [n for n, (_, _, row, _) in enumerate(entries) if row == 0])
            self.inputs.append([fields((n + 1 == len(entries), 1), (n == go, 1), (take, 1), (which, lanes), (row, row_w), (peer, peer_w))
                                for n, (take, which, row, peer) in enumerate(entries)])
        # Row 0 shows what arrives last, and is written as all ones, others as the row before them. What leaves: stream and number of
        # the word, whether it is the last one, and its peer.
        leaving = [[] for _ in range(ways)]
        for row in [*range(1, rows), 0]:
            for j in range(lanes):
                if ((row - 1) % rows, j) in cell:
                    leaving[rng.randrange(ways)].append((j, row, rng.random() < 0.5, rng.randrange(1 << peer_w)))
        lane_w = (lanes - 1).bit_length()
        for words in leaving:
            self.outputs.append([fields((n + 1 == len(words), 1), (0, 1), (last, 1), (lane, lane_w), (row - 1 & (1 << row_w) - 1, row_w), (peer, peer_w))
                                 for n, (lane, row, last, peer) in enumerate(words)] or [3])
        self.leaving = [[(*cell[(row - 1) % rows, lane], last, peer) for lane, row, last, peer in words] for words in leaving]


def write_case(folder, seed, ways, lanes, rows, pages, rounds, peer_w):
    """The files of a bench; words of all rounds, and of streams at most."""
    rng = random.Random(seed)
    row_w = max(1, (max(rows) - 1).bit_length())
    kinds = [Kind(rng, ways, lanes, count, row_w, peer_w) for count in rows]
    bases = [0]
    for kind in kinds:
        bases.append(bases[-1] + max(map(len, kind.inputs + kind.outputs)))
    for i in range(ways):
        for name, lists in ("in", [k.inputs[i] for k in kinds]), ("out", [k.outputs[i] for k in kinds]):
            entries = [e for k, part in enumerate(lists) for e in part + [0] * (bases[k + 1] - bases[k] - len(part) if len(kinds) > 1 else 0)]
            (folder / f"{name}{i:02}.hex").write_text(memory(entries, MAP_DEPTH))
    # Streams go on while the last words of others leave.
    ops = [rng.randrange(len(kinds)) for _ in range(rounds + 2 * pages + 2)]
    expected, peers, begun = [[] for _ in range(ways)], [[] for _ in range(ways)], [0] * ways
    for op in ops:
        for i in range(ways):
            expected[i] += [fields(((begun[stream] + number) & 0x3FFF, 14), (stream, 2), (peer, peer_w), (last, 1))
                            for stream, number, last, peer in kinds[op].leaving[i]]
            peers[i] += kinds[op].peers[i]
        begun = [b + len(p) for b, p in zip(begun, kinds[op].peers)]
    words = max(1, *map(len, expected), *map(len, peers))
    for name, lists in ("expected", expected), ("peers", peers):
        (folder / f"{name}.hex").write_text("\n".join(f"{e:x}" for part in lists for e in part + [0] * (words - len(part))) + "\n")
    # A line a kind: its last row, and where its rows and its entries begin; then the kind of each round.
    (folder / "kinds.hex").write_text("".join(f"{count - 1:x}\n{sum(rows[:k]):x}\n{bases[k]:x}\n" for k, count in enumerate(rows)))
    (folder / "ops.hex").write_text("".join(f"{op:x}\n" for op in ops))
    return sum(len(kinds[op].leaving[i]) for op in ops[:rounds] for i in range(ways)), words


def case(number, form, rounds):
    """Whether it fails, and what it says."""
    ways, lanes, rows, pages, stall, more = form
    peer_w = more.get("peer_w", 5)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        total, words = write_case(folder, number, ways, lanes, rows, pages, rounds, peer_w)
        values = {"Ways": ways, "Lanes": lanes, "T": max(rows), "Kinds": len(rows), "Depth": sum(rows), "Pages": pages, "PeerW": peer_w,
                  "MapDepth": MAP_DEPTH, "Rounds": rounds, "Seed": number, "Words": words, "Load": more.get("loads", 0),
                  "Single": more.get("single", 0)}
        built = subprocess.run(["iverilog", "-g2012", "-o", str(folder / "tb"), f"-I{RTL}/common",
                                *(f"-Pcrl_streams_tb.{k}={v}" for k, v in values.items()),
                                str(ROOT / "tests/rtl/icarus/crl_streams_tb.sv"), *SOURCES, "-s", "crl_streams_tb"],
                               capture_output=True, text=True, check=False)
        if built.returncode:
            return True, built.stdout + built.stderr
        done = subprocess.run(["timeout", "60", "vvp", "-n", str(folder / "tb"), f"+stall={stall}", f"+words={total}"], cwd=folder,
                              capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        return done.returncode != 0 or not total, said


def main():
    wrong = 0
    for number, form in enumerate(FORMS):
        failed, said = case(number, form, int(sys.argv[1]) if len(sys.argv) > 1 else 40)
        print(*form, (said.splitlines() or ["nothing"])[-1])
        if failed:
            sys.stdout.write(said)
        wrong += failed
    sys.exit(wrong > 0)


main()
