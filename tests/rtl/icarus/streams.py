#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapters of stream nodes in Icarus, with random maps and stalls: every word comes out once, in order, with its peer.

usage: streams.py [ROUNDS]"""
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
PEER_W = 5
MAP_DEPTH = 64


def memory(entries, depth):
    return "\n".join(f"{e:x}" for e in entries + [entries[0]] * (depth - len(entries))) + "\n"


def in_entry(end, go, use, take, lanes, row, peer, k, row_w):
    return end | go << 1 | use << 2 | take << 3 | lanes << 4 | row << (4 + k) | peer << (4 + k + row_w)


def out_entry(end, none, last, lane, row, peer, k, row_w):
    lane_w = (k - 1).bit_length()
    return end | none << 1 | last << 2 | lane << 3 | row << (3 + lane_w) | peer << (3 + lane_w + row_w)


def case(seed, ways, lanes, rows, pages, stall, rounds, folder):
    rng = random.Random(seed)
    row_w = max(1, (rows - 1).bit_length())
    # Which of a stream's words each lane has at each row, if any; words of several lanes and rows are taken once.
    inputs, cell = [[] for _ in range(ways)], {}
    for row in range(rows):
        free = [j for j in range(lanes) if rng.random() < 0.7]
        rng.shuffle(free)
        while free:
            count = rng.randint(1, len(free))
            inputs[rng.randrange(ways)].append((row, free[:count]))
            free = free[count:]
    peers = [[] for _ in range(ways)]
    for i in range(ways):
        entries, number = [], 0
        for at, (row, which) in enumerate(inputs[i]):
            take = at + 1 == len(inputs[i]) or rng.random() < 0.7
            peer = rng.randrange(1 << PEER_W)
            for j in which:
                cell[row, j] = (i, number)
            entries.append((1, take, sum(1 << j for j in which), row, peer))
            if take:
                peers[i].append(peer)
                number += 1
            if rng.random() < 0.1:
                entries.append((0, 0, 0, 0, 0))
        entries = entries or [(0, 0, 0, 0, 0)]
        bits = [in_entry(n + 1 == len(entries), n + 1 == len(entries), *e, lanes, row_w) for n, e in enumerate(entries)]
        (folder / f"in{i:02}.hex").write_text(memory(bits, MAP_DEPTH))
    # Row 0 shows what arrives last.
    outputs = [[] for _ in range(ways)]
    for row in [*range(1, rows), 0]:
        for j in range(lanes):
            if ((row - 1) % rows, j) in cell:
                outputs[rng.randrange(ways)].append((j, row, rng.random() < 0.5, rng.randrange(1 << PEER_W)))
    # Streams go on while the last words of others leave.
    offered = rounds + 2 * pages + 2
    words = max(1, offered * max(len(o) for o in [*outputs, *peers]))
    expected, expected_peers, total = [], [], 0
    for i in range(ways):
        entries = [out_entry(n + 1 == len(outputs[i]), 0, *o[2:3], *o[:2], o[3], lanes, row_w) for n, o in enumerate(outputs[i])]
        (folder / f"out{i:02}.hex").write_text(memory(entries or [3], MAP_DEPTH))
        lines = [last << (16 + PEER_W) | peer << 16 | cell[(row - 1) % rows, j][0] << 14 |
                 (r * len(peers[cell[(row - 1) % rows, j][0]]) + cell[(row - 1) % rows, j][1]) & 0x3FFF
                 for r in range(offered) for j, row, last, peer in outputs[i]]
        total += rounds * len(outputs[i])
        expected += lines + [0] * (words - len(lines))
        expected_peers += (peers[i] * offered + [0] * words)[:words]
    (folder / "expected.hex").write_text("\n".join(f"{e:x}" for e in expected) + "\n")
    (folder / "peers.hex").write_text("\n".join(f"{e:x}" for e in expected_peers) + "\n")
    values = {"Ways": ways, "Lanes": lanes, "T": rows, "Pages": pages, "MapDepth": MAP_DEPTH, "Rounds": rounds, "Seed": seed, "Words": words}
    sources = [str(p) for f in ("common", "slot", "stream") for p in sorted((ROOT / "rtl" / f).glob("crl_*.sv"))]
    subprocess.run(["iverilog", "-g2012", "-o", str(folder / "tb"), f"-I{ROOT}/rtl/common",
                    *(f"-Pcrl_streams_tb.{k}={v}" for k, v in values.items()), str(ROOT / "tests/rtl/icarus/crl_streams_tb.sv"), *sources,
                    "-s", "crl_streams_tb"], check=True)
    done = subprocess.run(["vvp", "-n", str(folder / "tb"), f"+stall={stall}", f"+words={total}"], cwd=folder, capture_output=True, text=True)
    print(f"{ways} streams, {lanes} lanes, {rows} rows, {pages} pages, stalls {stall}%: {(done.stdout.splitlines() or ['nothing'])[-1]}")
    if done.returncode or not total:
        sys.stdout.write(done.stdout + done.stderr)
    return done.returncode != 0 or not total


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        for seed, (ways, lanes, rows, pages, stall) in enumerate([(1, 4, 8, 2, 0), (1, 4, 8, 2, 50), (2, 4, 5, 4, 30), (3, 3, 6, 2, 70),
                                                                  (1, 1, 7, 2, 20), (2, 2, 1, 2, 30), (2, 3, 2, 2, 0), (2, 5, 16, 2, 40)]):
            folder = pathlib.Path(name) / str(seed)
            folder.mkdir()
            failed += case(seed, ways, lanes, rows, pages, stall, rounds, folder)
    sys.exit(failed > 0)


main()
