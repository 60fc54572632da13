#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a case directory for play.sh: a random table that breaks no rule, and the trace that it must give.

The trace comes from a model written from docs/formats/row.md alone: it shares nothing with the RTL, nor with the
project's cycle model. Python is needed to write a case, not to play it.

usage: random_case.py DIRECTORY SEED ROWS NAME=VALUE...   (parameters of crl_fabric_tb)
"""
import os
import random
import sys


def clog2(n):
    return (n - 1).bit_length()


class Geometry:
    def __init__(self, p):
        self.dim, self.k, self.b = p["Dim"], p["Lanes"], p["Banks"]
        self.xbar, self.delay, self.wf = p["WriteXbar"], p["Delay"], p["WaddrField"]
        self.dw, self.aw, self.words = p["DataW"], p["AddrW"], p["Words"]
        self.gw = clog2(-(-self.dim // self.k))
        self.direct = self.k if self.b < self.k else 0    # live inputs that an output selects among
        self.sw = clog2(self.direct + self.b)
        self.xw = clog2(self.k) if self.xbar else 0

    def encode(self, row):
        bits = []

        def put(value, width):
            bits.extend((value >> i) & 1 for i in range(width))

        for b in row["banks"]:
            put(b["raddr"], self.aw)
            put(b["byp"], 0 if self.direct else 1)
            put(b["dly"], self.delay)
            put(b["wen"], 1)
            put(b["wsel"], self.xw)
            put(b["waddr"], self.aw * self.wf)
        for o in row["out"]:
            put(o["ov"], 1)
            put(o["osel"], self.sw)
            put(o["oport"], self.gw)
        for i in row["in"]:
            put(i["exp"], 1)
            put(i["iport"], self.gw)
        bits.insert(0, sum(bits) % 2)
        return "%x" % sum(bit << i for i, bit in enumerate(bits))

    def feed(self, bank, b):
        """Input lane that feeds a bank's lane."""
        return (bank["wsel"] if self.xw else 0) if self.xbar else b


def preload(g):
    """Rows that write every word of every bank, and the addresses they write."""
    turns = -(-g.b // g.k)
    rows = []
    for r in range(turns << g.aw):
        addr, turn = (r // turns, r % turns) if g.wf else (r, 0)
        rows.append({
            "banks": [{"raddr": 0, "byp": 0, "dly": 0, "wen": int(b // g.k == turn), "wsel": b % g.k, "waddr": addr}
                      for b in range(g.b)],
            "out": [{"ov": 0, "osel": 0, "oport": 0}] * g.k,
            "in": [{"exp": 1, "iport": 0}] * g.k})
    return rows


def table(g, rng, length):
    """Random rows: what a row sends the next one expects; no read meets the write of the row before."""
    rows = []
    sent = {}                                    # input lane -> member, on the links in this row
    written = set()                              # (bank, address) of the row before
    for r in range(length):
        row = {"banks": [], "out": [], "in": []}
        for j in range(g.k):
            row["in"].append({"exp": int(j in sent), "iport": sent.get(j, rng.randrange(1 << g.gw))})
        writes = set()
        for b in range(g.b):
            bank = {"wsel": rng.randrange(g.k), "waddr": rng.randrange(1 << g.aw)}
            live = g.feed(bank, b) in sent       # else there is nothing to keep
            bank["byp"] = int(live and not g.direct and rng.random() < 0.4)
            bank["dly"] = int(live and not g.direct and rng.random() < 0.4)
            bank["wen"] = int(live and rng.random() < 0.6)
            free = [a for a in range(1 << g.aw) if (b, a) not in written]
            bank["raddr"] = rng.choice(free)
            if bank["wen"]:
                writes.add((b, bank["waddr"] if g.wf else r % (1 << g.aw)))
            row["banks"].append(bank)
        sources = sorted(sent) if g.direct else []
        sources += range(g.direct, g.direct + g.b)
        sent = {}
        for j in range(g.k):
            member = rng.randrange(-(-(g.dim - j) // g.k))
            ov = int(r + 1 < length and rng.random() < 0.8)
            row["out"].append({"ov": ov, "osel": rng.choice(sources), "oport": member})
            if ov:
                sent[j] = member
        written = writes
        rows.append(row)
    return rows


def play(g, rows, rounds, banks, words):
    """Yields (link cycle, node, port, data); the words of row i's arrivals are words[i] where given."""
    nodes = 1 << g.dim
    kept = [[0] * g.b for _ in range(nodes)]
    late = []                                    # writes of the row before: reads of this row do not see them
    links = {}                                   # (node, port) -> word on the node's output
    for i in range(len(rows) * rounds):
        page, r = divmod(i, len(rows))
        row = rows[r]
        arrived = dict(words[i]) if words else {}
        for v in range(nodes):
            for p in range(g.dim):
                if (v ^ (1 << p), p) in links:
                    arrived[v, p] = links[v ^ (1 << p), p]
        links, writes = {}, []
        for v in range(nodes):
            lane = [arrived.get((v, n["iport"] * g.k + j)) for j, n in enumerate(row["in"])]
            value = []
            for b, bank in enumerate(row["banks"]):
                word = lane[g.feed(bank, b)]
                stored = banks[v][b].get((page, bank["raddr"]), 0)
                value.append(word if bank["byp"] else stored | kept[v][b])
                kept[v][b] = word if bank["dly"] and g.delay else 0
                if bank["wen"]:
                    writes.append((v, b, (page, bank["waddr"] if g.wf else r % (1 << g.aw)), word))
            for j, o in enumerate(row["out"]):
                if o["ov"]:
                    links[v, o["oport"] * g.k + j] = (lane[:g.direct] + value)[o["osel"] if g.sw else 0]
        # Row i's read is sampled one edge before row i-1's write, so the write before last is the newest it sees.
        for v, b, at, word in late:
            banks[v][b][at] = word
        late = writes
        for (v, p), word in sorted(links.items()):
            yield i + 1, v, p, word
    for v, b, at, word in late:
        banks[v][b][at] = word


def main():
    out, seed, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    p = {"Dim": 3, "WriteXbar": 0, "Delay": 1, "WaddrField": 0, "DataW": 16, "AddrW": 3, "TableDepth": 64, "Words": 1}
    for arg in sys.argv[4:]:
        name, value = arg.split("=")
        p[name] = int(value)
    p.setdefault("Lanes", p["Dim"])
    p.setdefault("Banks", p["Lanes"])
    g = Geometry(p)
    rng = random.Random(seed)
    nodes = 1 << g.dim

    first, second = preload(g), table(g, rng, length)
    words = []
    for i in range(len(first) * g.words):
        # Member 0 of lane j is port j.
        words.append({(v, j): rng.randrange(1 << g.dw) for v in range(nodes) for j in range(g.k)})
    banks = [[{} for _ in range(g.b)] for _ in range(nodes)]
    assert not list(play(g, first, g.words, banks, words))
    trace = list(play(g, second, g.words, banks, None))

    os.makedirs(out, exist_ok=True)

    def write(name, lines):
        with open(os.path.join(out, name), "w", encoding="ascii") as f:
            f.writelines(line + "\n" for line in lines)

    links = nodes * g.dim
    packed = []
    for line in words:
        n = 0
        for (v, q), word in line.items():
            n |= 1 << (links * g.dw + v * g.dim + q) | word << ((v * g.dim + q) * g.dw)
        packed.append("%x" % n)
    write("preload.hex", map(g.encode, first))
    write("words.hex", packed)
    write("table.hex", map(g.encode, second))
    write("expected.trace", ("%d %d %d %x" % (c - trace[0][0], v, q, w) for c, v, q, w in trace))
    write("params", ("%s=%d" % item for item in p.items()))


if __name__ == "__main__":
    main()
