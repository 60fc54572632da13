# SPDX-License-Identifier: Apache-2.0
"""Plays plans of MSCCL and MSCCL++ as their runtimes do, thread block by thread block, with sets instead of numbers.

Knows nothing of slots. A chunk is (origin, place in the input) with the ranks whose values are in it; what each
collective must leave in the output is in expected().
"""
import collections
import json
import random
import xml.etree.ElementTree as ElementTree

STEPS, CHANNELS, BLOCKS = 64, 32, 128


def need(condition, text):
    if not condition:
        raise ValueError(text)


def add(a, b):
    """The sum of two values: the same chunk, of ranks that are not in both."""
    need(a is not None and b is not None, "adds a cell that is empty")
    need(a[0] == b[0] and not a[1] & b[1], f"adds {a} and {b}")
    return a[0], a[1] | b[1]


demands = []  # of traffic: (source, destinations, packets) in the order of their ids


def expected_traffic(rank):
    """Packets lie side by side, in the order of demands, at the node that has them and at each that gets them."""
    given, out = collections.Counter(), []
    for src, dsts, packets in demands:
        places = range(given[src], given[src] + packets)
        given[src] += packets
        out += [((src, place), frozenset([src])) for place in places if rank in dsts]
    return dict(enumerate(out))


def expected(coll, ranks, rank, chunks, root):
    """{place in the output: value} that a rank must end with; chunks: of its input."""
    if coll == "traffic":
        return expected_traffic(rank)
    one = lambda origin, place: ((origin, place), frozenset([origin]))
    whole = lambda place, upto=ranks: (("sum", place), frozenset(range(upto)))
    if coll == "multinode-broadcast":
        return {v: one(v, 0) for v in range(ranks)}
    if coll == "broadcast":
        return {0: one(root, 0)}
    if coll == "total-exchange":
        return {v: one(v, rank) for v in range(ranks)}
    if coll == "scatter":
        return {0: one(root, rank)}
    if coll == "gather":
        return {v: one(v, 0) for v in range(ranks)} if rank == root else {}
    if coll == "reduce":
        return {0: whole(0)} if rank == root else {}
    if coll == "reduce-scatter":
        each = chunks // ranks
        return {k: whole(rank * each + k) for k in range(each)}
    if coll == "all-reduce":
        return {c: whole(c) for c in range(chunks)}
    if coll == "scan":
        return {c: whole(c, rank + 1) for c in range(chunks)}
    raise ValueError(f"no such collective: {coll}")


def is_sum(coll):
    return coll in ("reduce", "reduce-scatter", "all-reduce", "scan")


def buffers(coll, rank, i, o, s):
    name = (lambda k: ("sum", k)) if is_sum(coll) else (lambda k: (rank, k))
    return {"i": [(name(k), frozenset([rank])) for k in range(i)], "o": [None] * o, "s": [None] * s}


def judge_outputs(coll, memory, chunks, root):
    for rank, cells in enumerate(memory):
        for place, value in expected(coll, len(memory), rank, chunks, root).items():
            need(cells["o"][place] == value, f"rank {rank} ends with {cells['o'][place]} at {place}, not {value}")


def play(threads, ready, step, seed):
    """Runs threads (lists of operations) in a random order; ready(thread, op) says whether its next one may go."""
    rng = random.Random(seed)
    at = [0] * len(threads)
    left = [t for t in range(len(threads)) if threads[t]]
    while left:
        rng.shuffle(left)
        stuck = True
        for t in left:
            while at[t] < len(threads[t]) and ready(t, threads[t][at[t]]):
                step(t, threads[t][at[t]])
                at[t] += 1
                stuck = False
                if rng.random() < 0.5:
                    break
        need(not stuck, f"{len(left)} thread blocks wait for ever")
        left = [t for t in left if at[t] < len(threads[t])]


# ---------------------------------------------------------------- MSCCL


def check_block(gpu, block, seen):
    """What the runtime refuses."""
    rank, peers = int(gpu.get("id")), (int(block.get("send")), int(block.get("recv")))
    channel, number = int(block.get("chan")), int(block.get("id"))
    need(number == seen["blocks"], f"thread blocks of rank {rank} are not in order")
    seen["blocks"] += 1
    need(number < BLOCKS and 0 <= channel < CHANNELS and rank not in peers and min(peers) >= -1, "a bad thread block")
    for which, peer in zip("sr", peers):
        need(peer < 0 or (which, peer, channel) not in seen, "two thread blocks for a channel to a peer")
        seen[which, peer, channel] = True
    waits = False
    for index, step in enumerate(block):
        kind, dep = step.get("type"), int(step.get("depid"))
        need(int(step.get("s")) == index < STEPS, f"step {index} of rank {rank}")
        need(kind in ("s", "r", "rrc", "re", "cpy", "nop"), f"a step of type {kind}")
        need(kind != "s" or peers[0] >= 0, "a send without a peer")
        need(kind not in ("r", "rrc") or peers[1] >= 0, "a reception without a peer")
        # The runtime hangs a chain of dependencies on the first instruction that follows, which must have one itself.
        need(kind == "nop" or not waits or dep >= 0, "a chain of dependencies ends in a step without one")
        waits = kind == "nop"
    need(not waits, "a thread block ends with a nop")


def play_msccl(text, seed=1):
    """Returns {(slot, src, dst)} of the sends after playing the plan and judging what it left."""
    algo = ElementTree.fromstring(text)
    coll, root = algo.get("collective"), int(algo.get("root", 0))
    gpus = algo.findall("gpu")
    need(len(gpus) == int(algo.get("ngpus")) and algo.get("proto") == "Simple", "a bad head")
    memory, threads, where, marked = [], [], {}, set()
    for rank, gpu in enumerate(gpus):
        need(int(gpu.get("id")) == rank, "ranks are not in order")
        memory.append(buffers(coll, rank, *(int(gpu.get(k + "_chunks")) for k in "ios")))
        seen = {"blocks": 0}
        for block in gpu:
            check_block(gpu, block, seen)
            where[len(threads)] = (rank, block)
            threads.append(list(block))
            marked |= {(rank, int(block.get("id")), int(s.get("s"))) for s in block if s.get("hasdep") == "1"}
    need(max(int(b.get("chan")) for b in algo.iter("tb")) + 1 == int(algo.get("nchannels")), "a bad number of channels")
    mailbox, over, sends = collections.defaultdict(collections.deque), set(), set()
    chunks = int(gpus[0].get("i_chunks"))

    def ready(thread, step):
        rank, block = where[thread]
        dep = (rank, int(step.get("depid")), int(step.get("deps")))
        if dep[1] >= 0:
            need(dep in marked, f"nobody marks the step that {dep} waits for")
            if dep not in over:
                return False
        return step.get("type") not in ("r", "rrc") or bool(mailbox[int(block.get("recv")), rank, block.get("chan")])

    def run(thread, step):
        rank, block = where[thread]
        src, dst = (step.get(k + "buf") for k in ("src", "dst"))
        at, to = int(step.get("srcoff")), int(step.get("dstoff"))
        cells, kind = memory[rank], step.get("type")
        if kind == "s":
            need(cells[src][at] is not None, f"rank {rank} sends an empty cell")
            mailbox[rank, int(block.get("send")), block.get("chan")].append((cells[src][at], src, at, dst, to))
            sends.add((int(step.get("slot")), rank, int(block.get("send"))))
        elif kind in ("r", "rrc"):
            value, *ends = mailbox[int(block.get("recv")), rank, block.get("chan")].popleft()
            need(kind == "rrc" or ends == [src, at, dst, to], "the two ends name different cells")
            need(dst != "i", "writes the input")
            cells[dst][to] = add(cells[src][at], value) if kind == "rrc" else value
        elif kind == "cpy":
            cells[dst][to] = cells[src][at]
        elif kind == "re":
            cells[dst][to] = add(cells[dst][to], cells[src][at])
        over.add((rank, int(block.get("id")), int(step.get("s"))))

    play(threads, ready, run, seed)
    need(not any(mailbox.values()), "something was sent that nobody takes")
    judge_outputs(coll, memory, chunks, root)
    return sends


# ---------------------------------------------------------------- MSCCL++


def play_mscclpp(text, seed=1):
    """The same for an execution plan."""
    plan = json.loads(text)
    coll, root = plan["carillon_collective"], plan.get("root", 0)
    memory, threads, where, sends = [], [], {}, set()
    signals = collections.Counter()
    for rank, gpu in enumerate(plan["gpus"]):
        need(gpu["id"] == rank, "ranks are not in order")
        memory.append(buffers(coll, rank, gpu["input_chunks"], gpu["output_chunks"], gpu["scratch_chunks"]))
        for number, block in enumerate(gpu["threadblocks"]):
            need(block["id"] == number, "thread blocks are not in order")
            where[len(threads)] = (rank, gpu, block)
            threads.append(block["ops"])

    def peer(thread, op):
        rank, gpu, block = where[thread]
        return gpu["channels"][0]["connected_to"][block["channels"][0]["channel_ids"][op["channel_ids"][0]]]

    def ready(thread, op):
        return op["name"] != "wait" or signals[peer(thread, op), where[thread][0]] > 0

    def run(thread, op):
        rank, gpu, block = where[thread]
        read = lambda cell: memory[rank][cell["type"]][cell["index"]]
        if op["name"] == "signal":
            signals[rank, peer(thread, op)] += 1
        elif op["name"] == "wait":
            signals[peer(thread, op), rank] -= 1
        elif op["name"] == "put":
            cell = op["dst_buff"][0]
            remote = gpu["remote_buffers"][block["remote_buffer_refs"][0]["remote_buffer_ids"][cell["buffer_id"]]]
            need(remote["rank"] == peer(thread, op), "a buffer of another peer")
            need(remote["type"] != "i" and read(op["src_buff"][0]) is not None, f"rank {rank} puts an empty cell")
            memory[remote["rank"]][remote["type"]][cell["index"]] = read(op["src_buff"][0])
            sends.add((op["slot"], rank, remote["rank"]))
        elif op["name"] in ("copy", "re"):
            value = read(op["src_buff"][0])
            for other in op["src_buff"][1:]:
                value = add(value, read(other))
            memory[rank][op["dst_buff"][0]["type"]][op["dst_buff"][0]["index"]] = value
        else:
            raise ValueError(f"an operation {op['name']}")

    play(threads, ready, run, seed)
    need(not any(signals.values()), "a signal that nobody waits for")
    judge_outputs(coll, memory, plan["gpus"][0]["input_chunks"], root)
    return sends
