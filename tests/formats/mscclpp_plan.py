# SPDX-License-Identifier: Apache-2.0
"""Writes execution plans for MSCCL++, operation by operation; channels and remote buffers are numbered as they are used."""
import json


def others(n, a):
    return [b for b in range(n) if b != a]


class Plan:
    def __init__(self, coll, ranks, chunks, inplace, leave_out=None):
        """chunks: (input, output, scratch) of a rank. leave_out: the number of a move that is not written."""
        self.head = {"name": "plan", "collective": coll, "protocol": "Simple", "inplace": inplace}
        self.chunks = dict(zip(("input_chunks", "output_chunks", "scratch_chunks"), chunks))
        self.gpus = [{"blocks": {}, "peers": {}, "remote": [], "semaphores": [], "groups": []} for _ in range(ranks)]
        self.leave_out, self.moved = leave_out, 0

    def block(self, rank, number):
        return self.gpus[rank]["blocks"].setdefault(number, {"ops": [], "channels": {}, "refs": {}})

    def channel(self, rank, number, peer, kind, nth=0):
        """The number of a channel in the block's list; nth: of those to this peer."""
        peers = self.gpus[rank]["peers"].setdefault(kind, [])
        while peers.count(peer) <= nth:
            peers.append(peer)
        which = [i for i, p in enumerate(peers) if p == peer][nth]
        own = self.block(rank, number)["channels"].setdefault(kind, [])
        if which not in own:
            own.append(which)
        return own.index(which)

    def cell(self, rank, number, end, count, kind):
        """end: (rank, buffer, place), or ("switch", ranks, buffer, place)."""
        if end[0] == "switch":
            groups = self.gpus[rank]["groups"]
            if end[1:3] not in groups:
                groups.append(end[1:3])
            own = self.block(rank, number)["channels"].setdefault("switch", [])
            which = groups.index(end[1:3])
            if which not in own:
                own.append(which)
            return {"switch_channel_id": own.index(which), "index": end[3], "size": count}
        peer, buffer, at = end
        if peer == rank:
            return {"type": buffer, "index": at, "size": count}
        remote = self.gpus[rank]["remote"]
        if (peer, buffer, kind) not in remote:
            remote.append((peer, buffer, kind))
        refs = self.block(rank, number)["refs"].setdefault(kind, [])
        which = remote.index((peer, buffer, kind))
        if which not in refs:
            refs.append(which)
        return {"buffer_id": refs.index(which), "index": at, "size": count}

    def op(self, rank, name, src, dst, count=1, block=0, kind="memory", group=None, nth=0):
        """Moves chunks; src and dst are lists. group: the blocks that share it; nth: of the channels to this peer."""
        peers = [e[0] for e in src + dst if e[0] not in (rank, "switch")]
        moves = bool(peers) or any(e[0] == "switch" for e in src + dst)
        self.moved += moves
        if moves and self.moved == self.leave_out:
            return
        for number in group or [block]:
            op = {"name": name, "src_buff": [self.cell(rank, number, e, count, kind) for e in src],
                  "dst_buff": [self.cell(rank, number, e, count, kind) for e in dst]}
            if peers:
                op |= {"channel_ids": [self.channel(rank, number, p, kind, nth) for p in peers], "channel_type": kind}
            if group:
                op["tbg_info"] = {"tb_id": group.index(number), "tbg_size": len(group)}
            self.add(rank, number, op)

    def add(self, rank, number, op):
        ops = self.block(rank, number)["ops"]
        if ops and ops[-1].get("open"):
            ops[-1]["ops"].append(op)
        else:
            ops.append(op)

    def pipeline(self, rank, block, opens):
        ops = self.block(rank, block)["ops"]
        if opens:
            ops.append({"name": "pipeline", "iter_context": {"unit_size": 1 << 20, "num_chunks": 1}, "ops": [], "open": True})
        else:
            del ops[-1]["open"]

    def sync(self, rank, name, peers, block=0, kind="memory", nth=0):
        """signal, wait and their like."""
        self.add(rank, block, {"name": name, "channel_type": kind,
                               "channel_ids": [self.channel(rank, block, p, kind, nth) for p in peers]})

    def meet(self, rank, name, number, blocks, free=0):
        """A barrier of blocks, or a semaphore that one of them releases or acquires, which `free` may before any release."""
        for block in blocks:
            if name == "barrier":
                self.add(rank, block, {"name": name, "barrier_id": number, "num_threadblocks": len(blocks)})
            else:
                self.add(rank, block, {"name": name, "semaphore_ids": [number]})
                values = self.gpus[rank]["semaphores"]
                values.extend([0] * (number + 1 - len(values)))
                values[number] = max(values[number], free)

    def nop(self, rank, block=0):
        self.add(rank, block, {"name": "nop"})

    def text(self):
        return json.dumps(self.head | {"gpus": [self.gpu(i, gpu) for i, gpu in enumerate(self.gpus)],
                                       "num_threads_per_block": 1024, "use_double_scratch_buffer": False}, indent=1)

    def gpu(self, number, gpu):
        blocks = [gpu["blocks"].get(i, {"ops": [], "channels": {}, "refs": {}}) for i in range(1 + max(gpu["blocks"], default=-1))]
        return {"id": number, **self.chunks, "threadblocks": [
                    {"id": i, "ops": b["ops"],
                     "channels": [{"channel_type": k, "channel_ids": ids} for k, ids in b["channels"].items()],
                     "remote_buffer_refs": [{"access_channel_type": k, "remote_buffer_ids": ids} for k, ids in b["refs"].items()]}
                    for i, b in enumerate(blocks)],
                "channels": [{"channel_type": k, "connected_to": peers} for k, peers in gpu["peers"].items()] +
                            ([{"channel_type": "switch", "buffer_type": buffer, "rank_groups": [{"size": len(ranks), "ranks": list(ranks)}]}
                              for ranks, buffer in gpu["groups"]]),
                "remote_buffers": [{"rank": p, "type": b, "access_channel_types": [k]} for p, b, k in gpu["remote"]],
                "semaphores": [{"init_value": value} for value in gpu["semaphores"]]}
