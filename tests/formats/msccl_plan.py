# SPDX-License-Identifier: Apache-2.0
"""Writes plans in MSCCL's XML as its compiler would: moves of chunks between buffers of ranks, in the order of a program.

What a step waits for follows from the cells that it reads and writes. Thread blocks are one a link, direction and
channel, or those that the caller names; in these a reception and the send of the same chunk after it become one step.
"""


class Plan:
    def __init__(self, coll, ranks, chunks, inplace, scratch=0, **more):
        """chunks: (input, output) of a rank."""
        self.head = {"coll": coll, "ngpus": ranks, "inplace": int(inplace), "outofplace": int(not inplace), **more}
        self.ranks, self.chunks, self.inplace = ranks, list(chunks), inplace
        self.moves, self.scratch = [], [scratch] * ranks

    def move(self, src, dst, count=1, add=False, chan=0, block=None):
        """src and dst: (rank, buffer, first place); `add`: to what is there, or to what is at
        (buffer, place) of that rank; `block`: its name in both ranks, or "peer": at each
        the one for the other rank, ("peer", rank, chan). Returns dst."""
        self.moves.append((src, dst, count, add, chan, block))
        for rank, buffer, at in (src, dst):
            if buffer == "s":
                self.scratch[rank] = max(self.scratch[rank], at + count)
        return dst

    def cells(self, end, count):
        """What the places are, where some are the same."""
        rank, buffer, at = end
        sizes = dict(zip("io", self.chunks))
        if self.inplace and self.head["coll"] != "custom" and buffer != "s":
            small, large = min(sizes.values()), max(sizes.values())
            if small and small < large and sizes[buffer] == small:
                at += rank * small
            buffer = "b"
        return [(rank, buffer, at + k) for k in range(count)]

    def blocks(self, moves):
        """[rank] of {key: block}; a step is a dict, with the moves' cells."""
        gpus = [{} for _ in range(self.ranks)]

        def put(rank, key, send, recv, chan, step):
            block = gpus[rank].setdefault(key, {"send": -1, "recv": -1, "chan": chan, "steps": []})
            for name, peer in (("send", send), ("recv", recv)):
                if peer >= 0 and block[name] not in (-1, peer):
                    raise ValueError(f"two peers in block {key} of rank {rank}")
                block[name] = max(block[name], peer)
            block["steps"].append(step | {"block": block})

        for order, (src, dst, count, add, chan, block) in enumerate(self.in_order(moves)):
            step = {"src": src, "dst": dst, "count": count, "order": order}
            a, b = src[0], dst[0]
            reads, writes = self.cells(src, count), self.cells(dst, count)
            own = self.own(dst, add)
            if a == b:
                put(a, ("local", chan) if block is None else block, -1, -1, chan,
                    step | {"type": "re" if add else "cpy", "reads": reads, "writes": writes})
                continue
            keys = {None: (("s", b, chan), ("r", a, chan)), "peer": (("peer", b, chan), ("peer", a, chan))}
            at_a, at_b = keys.get(block, (block, block))
            put(a, at_a, b, -1, chan,
                step | {"type": "s", "reads": reads, "writes": []})
            put(b, at_b, -1, a, chan,
                step | {"type": "rrc" if add else "r", "src": own or dst if add else src, "reads": self.cells(own, count) if own else [],
                        "writes": writes})
        return gpus

    @staticmethod
    def own(dst, add):
        """Where the summand is, if not where the sum goes."""
        return (dst[0], *add) if isinstance(add, tuple) else None

    def in_order(self, moves):
        """As early as what they read and write allows, so that no block waits for another without need."""
        writer, readers, depths = {}, {}, []
        for move in moves:
            reads, writes = self.cells(move[0], move[2]), self.cells(move[1], move[2])
            own = self.own(move[1], move[3])
            reads += self.cells(own, move[2]) if own else []
            before = [writer.get(c, 0) for c in reads + writes] + [d for c in writes for d in readers.get(c, [])]
            depths.append(1 + max(before))
            for c in writes:
                writer[c], readers[c] = depths[-1], []
            for c in reads:
                readers.setdefault(c, []).append(depths[-1])
        self.depths = sorted(depths)
        return [move for _, move in sorted(zip(depths, moves), key=lambda pair: pair[0])]

    @staticmethod
    def fuse(steps):
        """A chunk that is received and then sent by the same block."""
        fused = []
        for step in steps:
            last = fused[-1] if fused else None
            if step["type"] == "s" and last and last["type"] in ("r", "rrc") and last["writes"] == step["reads"]:
                last["type"] = {"r": "rcs", "rrc": "rrcs"}[last["type"]]
                last["order"] = step["order"]
                last["reads"] = last["reads"] + step["reads"]
            else:
                fused.append(step)
        return fused

    @staticmethod
    def forget(steps):
        """A sum that is sent on and overwritten by the next who touches it need not be kept."""
        kept = {}
        for step in sorted(steps, key=lambda step: step["order"]):
            for c in step["writes"]:
                before = kept.pop(c, None)
                if before and step["type"] in ("r", "rcs") and len(before["writes"]) == 1:
                    before["type"] = "rrs"
                if step["type"] == "rrcs":
                    kept[c] = step
            for c in step["reads"]:
                if step["type"] not in ("rrcs", "rcs"):
                    kept.pop(c, None)

    def text(self, leave_out=None):
        """leave_out: the number of a move that is not made."""
        gpus = self.blocks([m for i, m in enumerate(self.moves) if i != leave_out])
        most = 1 + max(block["chan"] for gpu in gpus for block in gpu.values())
        out = ["<algo " + attributes({"name": "plan", "nchannels": most, "proto": "Simple", **self.head}) + ">"]
        for rank, gpu in enumerate(gpus):
            blocks = list(gpu.values())
            for number, block in enumerate(blocks):
                block["steps"].sort(key=lambda step: (self.depths[step["order"]], step["type"] in ("r", "rrc")))
                block["id"], block["steps"] = number, self.fuse(block["steps"])
            self.forget([step for block in blocks for step in block["steps"]])
            depend(step for block in blocks for step in block["steps"])
            sizes = {"i_chunks": self.chunks[0], "o_chunks": self.chunks[1], "s_chunks": max(self.scratch)}
            out.append(f'<gpu {attributes({"id": rank, **sizes})}>')
            for block in blocks:
                out.append(f'<tb {attributes({name: block[name] for name in ("id", "send", "recv", "chan")})}>')
                out += steps_of(block)
                out.append("</tb>")
            out.append("</gpu>")
        return "\n".join(out) + "\n</algo>\n"


def attributes(values):
    return " ".join(f'{name}="{value}"' for name, value in values.items())


def depend(steps):
    """Sets step["after"], steps of other blocks: of a cell that is read its last writer, of one that is written its last
    writer and who has read it since."""
    writer, readers = {}, {}
    for step in sorted(steps, key=lambda step: step["order"]):
        after = [writer[c] for c in step["reads"] + step["writes"] if c in writer]
        after += [r for c in step["writes"] for r in readers.get(c, [])]
        step["after"] = [s for s in {id(s): s for s in after}.values() if s["block"] is not step["block"]]
        for c in step["writes"]:
            writer[c], readers[c] = step, []
        for c in step["reads"]:
            readers.setdefault(c, []).append(step)


def place(steps):
    """How many steps come before each in its block: a step waits for one other, a nop a further one."""
    at, first = {}, 0
    for step in steps:
        first += max(0, len(step["after"]) - 1)
        at[id(step)] = first
        first += 1
    return at


def steps_of(block):
    lines = []

    def add(kind, src, dst, count, on):
        dep = (on["block"]["id"], place(on["block"]["steps"])[id(on)]) if on else (-1, -1)
        lines.append("<step " + attributes({
            "s": len(lines), "type": kind, "srcbuf": src[0], "srcoff": src[1], "dstbuf": dst[0], "dstoff": dst[1],
            "cnt": count, "depid": dep[0], "deps": dep[1], "hasdep": 1}) + "/>")

    for step in block["steps"]:
        *before, last = step["after"] or [None]
        for on in before:
            add("nop", ("i", -1), ("o", -1), 0, on)
        add(step["type"], step["src"][1:], step["dst"][1:], step["count"], last)
    return lines
