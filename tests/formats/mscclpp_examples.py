# SPDX-License-Identifier: Apache-2.0
"""Plans of the shapes that the public examples of MSCCL++ have, rebuilt: EXAMPLES is a table of them.

Each takes the number of a move to leave out, or None.
"""
from mscclpp_plan import Plan, others


def meet_all(p, n, block=0, relaxed=True):
    """Everybody says that it is ready, and waits for all."""
    names = ("rlxsignal", "rlxwait") if relaxed else ("signal", "wait")
    for name in names:
        for a in range(n):
            p.sync(a, name, others(n, a), block)


# ---------------------------------------------------------------- all-gathers


def gather_put(leave_out, n):
    p = Plan("allgather", n, (1, n, 0), True, leave_out)
    meet_all(p, n)
    for a in range(n):
        for b in others(n, a):
            p.op(a, "put", [(a, "o", a)], [(b, "o", a)])
        p.nop(a)
    meet_all(p, n, relaxed=False)
    return p


def gather_copied(leave_out):
    """Of two: into scratch, over, and out of it."""
    p = Plan("allgather", 2, (1, 2, 2), True, leave_out)
    for a in range(2):
        b = 1 - a
        p.op(a, "copy", [(a, "o", a)], [(a, "s", 0)])
        for name in ("signal", "wait"):
            p.sync(a, name, [b])
        p.op(a, "put", [(a, "s", 0)], [(b, "s", 1)])
        for name in ("signal", "wait"):
            p.sync(a, name, [b])
        p.op(a, "copy", [(a, "s", 1)], [(a, "o", b)])
    return p


def gather_packets(leave_out, n, reread):
    """Packets into the others' scratch; `reread`: from packets in scratch of its own."""
    p = Plan("allgather", n, (1, n, 2 * n), True, leave_out)
    for a in range(n):
        if reread:
            p.op(a, "cpkt", [(a, "i", 0)], [(a, "s", n + a)])
        for b in others(n, a):
            p.op(a, "rppkt" if reread else "ppkt", [(a, "s", n + a) if reread else (a, "i", 0)], [(b, "s", a)])
        for b in others(n, a):
            p.op(a, "upkt", [(a, "s", b)], [(a, "o", b)], block=1 + b)
    return p


def gather_switch(leave_out, n, packets, barrier):
    p = Plan("allgather", n, (1, n, n if packets else 0), True, leave_out)
    ranks = tuple(range(n))
    if not packets:
        meet_all(p, n)
    for a in range(n):
        if packets:
            p.op(a, "cpkt", [(a, "o", a)], [(a, "s", a)])
            p.op(a, "gstorepkt", [(a, "s", a)], [("switch", ranks, "s", a)], kind="switch")
            for b in range(n):
                p.op(a, "upkt", [(a, "s", b)], [(a, "o", b)], block=b + 1)
            continue
        if barrier:
            p.meet(a, "barrier", 0, [0, 1])
        p.op(a, "gstore", [(a, "o", a)], [("switch", ranks, "o", a)], block=1 if barrier else 0, kind="switch")
    if not packets:
        meet_all(p, n, 1 if barrier else 0, False)
    return p


def gather_ring(leave_out, n, kind):
    p = Plan("allgather", n, (1, n, 0), True, leave_out)
    for a in range(n):
        after, before = (a + 1) % n, (a - 1) % n
        p.sync(a, "signal", [before], kind=kind)
        p.sync(a, "wait", [after], kind=kind)
        for step in range(n - 1):
            at = (a - step) % n
            p.op(a, "put", [(a, "o", at)], [(after, "o", at)], kind=kind)
            p.sync(a, "signal", [after], kind=kind)
            p.sync(a, "wait", [before], kind=kind)
    return p


def gather_group(leave_out, n, blocks):
    """Thread blocks in groups put, and copy what came out of scratch."""
    p = Plan("allgather", n, (1, n, n), False, leave_out)
    group = lambda k: list(range(k * blocks, (k + 1) * blocks))
    for a in range(n):
        p.op(a, "copy", [(a, "i", 0)], [(a, "o", a)], group=group(n - 1))
        for k, b in enumerate(others(n, a)):
            p.op(a, "put", [(a, "i", 0)], [(b, "s", a)], group=group(k))
            for nth, block in enumerate(group(k)):
                p.sync(a, "signal", [b], block, nth=nth)
                p.sync(a, "wait", [b], block, nth=nth)
            p.op(a, "copy", [(a, "s", b)], [(a, "o", b)], group=group(k))
    return p


def gather_nodes(leave_out, nodes, local, packets):
    """Over to the other nodes by ports, step by step, and on to the own node's others from there."""
    n = nodes * local
    p = Plan("allgather", n, (1, n, n), True, leave_out)
    for a in range(n):
        after, before = (a + local) % n, (a - local) % n
        near = [b for b in range(a // local * local, a // local * local + local) if b != a]
        put = "ppkt" if packets else "put"
        for step in range(nodes):
            at = (a - step * local) % n
            if packets:
                if step == 0:
                    p.op(a, "cpkt", [(a, "o", a)], [(a, "s", a)])
                if step < nodes - 1:
                    p.op(a, "rppkt", [(a, "s", at)], [(after, "s", at)], kind="port")
                if step > 0:
                    p.op(a, "upkt", [(a, "s", at)], [(a, "o", at)])
                for b in near:
                    p.op(a, "rppkt", [(a, "s", at)], [(b, "s", at)])
                for b in near:
                    from_b = (b - step * local) % n
                    p.op(a, "upkt", [(a, "s", from_b)], [(a, "o", from_b)], block=1)
                continue
            if step > 0:
                p.sync(a, "wait", [before], kind="port")
            if step < nodes - 1:
                p.op(a, "pwsf", [(a, "o", at)], [(after, "o", at)], kind="port")
                p.sync(a, "signal", [after], kind="port")
                p.sync(a, "flush", [after], kind="port")
            for b in near:
                p.op(a, put, [(a, "o", at)], [(b, "o", at)])
                p.sync(a, "signal", [b])
            for b in near:
                p.sync(a, "wait", [b])
    for gpu in p.gpus: # what puts with a signal says it itself
        for block in gpu["blocks"].values():
            ops = block["ops"]
            block["ops"] = [op for i, op in enumerate(ops) if not (op["name"] == "signal" and i and ops[i - 1]["name"] == "pwsf")]
    return p


# ---------------------------------------------------------------- sums


def reduce_read(leave_out, n, blocks, fused):
    """Each block reads its chunk at all others, adds, and puts the sum back."""
    p = Plan("allreduce", n, (n * blocks, 0, 0), True, leave_out)
    for block in range(blocks):
        for a in range(n):
            p.sync(a, "rlxsignal", others(n, a), block, nth=block)
    for a in range(n):
        for block in range(blocks):
            at = a * blocks + block
            here = (a, "i", at)
            p.sync(a, "rlxwait", others(n, a), block, nth=block)
            if fused:
                far = [(b, "i", at) for b in others(n, a)]
                p.op(a, "rres", [here, *far], [here, *far], block=block)
            else:
                for b in others(n, a):
                    p.op(a, "rre", [here, (b, "i", at)], [here], block=block)
            for b in others(n, a) if not fused else ():
                p.op(a, "put", [here], [(b, "i", at)], block=block)
            p.sync(a, "signal", others(n, a), block, nth=block)
    for block in range(blocks):
        for a in range(n):
            p.sync(a, "wait", others(n, a), block, nth=block)
    return p


def reduce_packets(leave_out, n, size, fused):
    """Packets into scratch, added by a block a chunk, and back as packets."""
    p = Plan("allreduce", n, (n * size, 0, 2 * n * size), True, leave_out)
    for a in range(n):
        for b in others(n, a):
            p.op(a, "ppkt", [(a, "i", b * size)], [(b, "s", a * size)], size, block=b)
    for a in range(n):
        for k in range(size):
            here, far = (a, "i", a * size + k), [(b, "s", (n + a) * size + k) for b in others(n, a)]
            came = [(a, "s", b * size + k) for b in others(n, a)]
            if fused:
                p.op(a, "respkt", [here, *came], [here, *far], block=n + k)
            else:
                p.op(a, "repkt", [here, *came], [here], block=n + k)
                for end in far:
                    p.op(a, "ppkt", [here], [end], block=n + k)
    for a in range(n):
        for b in others(n, a):
            p.op(a, "upkt", [(a, "s", (n + b) * size)], [(a, "i", b * size)], size, block=n + size + b)
    return p


def reduce_group(leave_out, size):
    """Of two, by a thread block or a group of them; one keeps a copy of its sum in scratch."""
    p = Plan("allreduce", 2, (2, 0, 3), True, leave_out)
    of = lambda k: {"block": k} if size == 1 else {"group": list(range(k * size, (k + 1) * size))}
    for a in range(2):
        b = 1 - a
        p.op(a, "ppkt", [(a, "i", b)], [(b, "s", b)], **of(0))
        sums = [(a, "i", a)] + ([(a, "s", 2)] if a else []) + [(b, "s", a)]
        p.op(a, "recspkt" if a else "respkt", [(a, "i", a), (a, "s", a)], sums, **of(1))
        p.op(a, "upkt", [(a, "s", b)], [(a, "i", b)], **of(2))
    return p


def reduce_switch(leave_out, n, fused, pipelined):
    p = Plan("allreduce", n, (n, n, 0), True, leave_out)
    ranks = tuple(range(n))
    meet_all(p, n)
    for a in range(n):
        if pipelined:
            p.pipeline(a, 0, True)
        cell = ("switch", ranks, "i", a)
        if fused:
            p.op(a, "glres", [cell], [cell], kind="switch")
        else:
            p.op(a, "glre", [cell], [(a, "i", a)], kind="switch")
            p.op(a, "gstore", [(a, "i", a)], [cell], kind="switch")
        if pipelined:
            p.pipeline(a, 0, False)
    meet_all(p, n)
    return p


def reduce_pipeline(leave_out, n, again):
    """Copied into scratch, added and handed out by the switch there, and copied out, by three blocks and semaphores; `again`: at once,
    and the last block tells the first when scratch is free again."""
    p = Plan("allreduce", n, (n, n, n), True, leave_out)
    ranks = tuple(range(n))
    for block in range(3):
        for a in range(n):
            p.pipeline(a, block, True)
    for a in range(n):
        if again:
            p.meet(a, "sem_acquire", 2, [0], again)
        p.op(a, "copy", [(a, "i", 0)], [(a, "s", 0)], n)
        p.sync(a, "signal", others(n, a))
        p.sync(a, "wait", others(n, a))
        p.meet(a, "sem_release", 0, [0])
        p.meet(a, "sem_acquire", 0, [1])
        cell = ("switch", ranks, "s", a)
        if again:
            p.op(a, "glres", [cell], [cell], block=1, kind="switch")
        else:
            p.op(a, "glre", [cell], [(a, "s", a)], block=1, kind="switch")
            p.op(a, "gstore", [(a, "s", a)], [cell], block=1, kind="switch")
            p.sync(a, "signal", others(n, a), 1, nth=1)
        p.meet(a, "sem_release", 1, [1])
        p.meet(a, "sem_acquire", 1, [2])
        if again:
            p.sync(a, "signal", others(n, a), 2, nth=1)
        p.sync(a, "wait", others(n, a), 2, nth=1)
        p.op(a, "copy", [(a, "s", 0)], [(a, "i", 0)], n, block=2)
        if again:
            p.meet(a, "sem_release", 2, [2])
    for block in range(3):
        for a in range(n):
            p.pipeline(a, block, False)
    return p


def reduce_ring(leave_out, n):
    """Sums are read from the one before; results are put to the one after."""
    p = Plan("allreduce", n, (n, 0, 0), True, leave_out)
    for a in range(n):
        after, before = (a + 1) % n, (a - 1) % n
        for step in range(1, n):
            p.sync(a, "signal", [after])
            p.sync(a, "wait", [before])
            at = (a - step) % n
            p.op(a, "rre", [(a, "i", at), (before, "i", at)], [(a, "i", at)])
            p.nop(a)
        for step in range(n - 1):
            at = (a + 1 - step) % n
            p.op(a, "put", [(a, "i", at)], [(after, "i", at)])
            p.sync(a, "signal", [after])
            p.sync(a, "wait", [before])
    return p


def reduce_nodes(leave_out, nodes, local, blocks, apart=False, over="port"):
    """In each node, between the nodes, in each node; packets, by a group of blocks. `apart`: by a group a peer, all of which add.
    Without ports sums are copied as they are added."""
    n, size = nodes * local, nodes
    there, back = n, n + nodes * size
    p = Plan("allreduce", n, (n, 0, back + n), True, leave_out)
    group = list(range(1, 1 + blocks * (local - 1 if apart else 1)))

    def add(a, own, came, copied):
        if over == "memory":
            p.op(a, "recpkt", [own, *came], [own, copied], size, group=group)
            return
        p.op(a, "repkt", [own, *came], [own], size, group=group)
        p.op(a, "cpkt", [own], [copied], size, group=group)

    for a in range(n):
        node, mine = divmod(a, local)
        near = [node * local + k for k in range(local) if k != mine]
        own = (a, "i", mine * size)
        to = lambda b: group[near.index(b) * blocks:(near.index(b) + 1) * blocks] if apart else group
        for b in near:
            p.op(a, "ppkt", [(a, "i", b % local * size)], [(b, "s", mine * size)], size, group=to(b))
        add(a, own, [(a, "s", b % local * size) for b in near], (a, "s", mine * size))
        p.meet(a, "barrier", 0, [0, *group])
        far = [k for k in range(nodes) if k != node]
        for k in far:
            p.op(a, "rppkt", [(a, "s", mine * size)], [(k * local + mine, "s", there + node * size)], size, kind=over)
        add(a, own, [(a, "s", there + k * size) for k in far], (a, "s", there + node * size))
        for b in near:
            p.op(a, "rppkt", [(a, "s", there + node * size)], [(b, "s", back + mine * size)], size, group=to(b))
        for b in near:
            p.op(a, "upkt", [(a, "s", back + b % local * size)], [(a, "i", b % local * size)], size, group=to(b))
    return p


def scatter_nodes(leave_out, local, packets):
    """A reduce-scatter of two nodes: what is for the other node is added in this one first, and goes over by ports."""
    n = 2 * local
    p = Plan("reducescatter", n, (n, 1, 2 * local + 1), True, leave_out)
    for a in range(n):
        node, mine = divmod(a, local)
        near = [node * local + k for k in range(local) if k != mine]
        far = (a + local) % n
        over = lambda b: (b + local) % n
        if packets:
            for b in near:
                p.op(a, "ppkt", [(a, "i", b)], [(b, "s", mine)])
                p.op(a, "ppkt", [(a, "i", over(b))], [(b, "s", local + mine)])
            p.op(a, "repkt", [(a, "i", far), *((a, "s", local + b % local) for b in near)], [(a, "i", far)])
            p.op(a, "cpkt", [(a, "i", far)], [(a, "s", local + mine)])
            p.op(a, "rppkt", [(a, "s", local + mine)], [(far, "s", 2 * local)], kind="port")
            p.op(a, "repkt", [(a, "i", a), (a, "s", 2 * local), *((a, "s", b % local) for b in near)], [(a, "i", a)])
            continue
        p.sync(a, "rlxsignal", near)
        p.sync(a, "rlxwait", near)
        for at in (a, far):
            for b in near:
                p.op(a, "rre", [(a, "i", at), (b, "i", at)], [(a, "i", at)])
        for name in ("signal", "wait"):
            p.sync(a, name, [far], kind="port")
        p.op(a, "pws", [(a, "i", far)], [(far, "s", 0)], kind="port")
        p.sync(a, "wait", [far], kind="port")
        p.op(a, "re", [(a, "i", a), (a, "s", 0)], [(a, "i", a)])
        for name in ("rlxsignal", "rlxwait"):
            p.sync(a, name, near)
    return p


# ---------------------------------------------------------------- exchanges and others


def exchange(leave_out, n, name, through):
    """Puts, gets or packets; `through`: from or to scratch, all ready after a signal."""
    p = Plan("alltoall", n, (n, n, n), False, leave_out)
    for a in range(n):
        for b in others(n, a) if through else ():
            p.op(a, "copy", [(a, "i", b)], [(a, "s", b)])
        p.sync(a, "signal", others(n, a))
        p.op(a, "copy", [(a, "i", a)], [(a, "o", a)], block=1)
    for a in range(n):
        for step in range(1, n):
            b = (a + step) % n if name != "get" else (a - step) % n
            p.sync(a, "wait", [b])
            if name == "get":
                p.op(a, "get", [(b, "s" if through else "i", a)], [(a, "o", b)])
            else:
                p.op(a, name, [(a, "s" if through else "i", b)], [(b, "o", a)])
    meet_all(p, n, relaxed=False)
    return p


def swap(leave_out, packets):
    """Of two: each sends what it has. Called sendrecv there; for two ranks an all-gather without what stays."""
    p = Plan("sendrecv", 2, (1, 1, 2), False, leave_out)
    for a in range(2):
        b = 1 - a
        if packets:
            p.op(a, "cpkt", [(a, "i", 0)], [(a, "s", 0)])
            p.op(a, "ppkt", [(a, "s", 0)], [(b, "s", 1)], kind="port")
            p.op(a, "upkt", [(a, "s", 1)], [(a, "o", 0)])
            continue
        p.sync(a, "signal", [b], kind="port")
        p.sync(a, "wait", [b], kind="port")
        p.op(a, "pws", [(a, "i", 0)], [(b, "o", 0)], kind="port")
        p.sync(a, "wait", [b], kind="port")
    return p


SWAP = ["-a", "multinode-broadcast"]
# (what it is called in the documentation, ranks, plan, what import is told besides the network)
EXAMPLES = [
    ("two ranks put", 2, lambda x: gather_put(x, 2), []),
    ("all put", 8, lambda x: gather_put(x, 8), []),
    ("two ranks put through scratch", 2, gather_copied, []),
    ("all put packets", 8, lambda x: gather_packets(x, 8, False), []),
    ("all put packets again", 8, lambda x: gather_packets(x, 8, True), []),
    ("switch stores", 8, lambda x: gather_switch(x, 8, False, False), []),
    ("switch stores after a barrier", 8, lambda x: gather_switch(x, 8, False, True), []),
    ("switch stores packets", 4, lambda x: gather_switch(x, 4, True, False), []),
    ("ring puts", 8, lambda x: gather_ring(x, 8, "memory"), []),
    ("ring puts by ports", 8, lambda x: gather_ring(x, 8, "port"), []),
    ("groups of blocks put", 4, lambda x: gather_group(x, 4, 2), []),
    ("nodes put by ports", 8, lambda x: gather_nodes(x, 2, 4, False), []),
    ("three nodes put by ports", 6, lambda x: gather_nodes(x, 3, 2, False), []),
    ("nodes put packets by ports", 8, lambda x: gather_nodes(x, 2, 4, True), []),
    ("blocks read, add and put", 4, lambda x: reduce_read(x, 4, 4, False), []),
    ("blocks read, add and send", 4, lambda x: reduce_read(x, 4, 2, True), []),
    ("packets are added", 4, lambda x: reduce_packets(x, 4, 4, False), []),
    ("packets are added, a chunk each", 8, lambda x: reduce_packets(x, 8, 1, False), []),
    ("packets are added and sent", 8, lambda x: reduce_packets(x, 8, 2, True), []),
    ("two ranks add packets in two ways", 2, lambda x: reduce_group(x, 1), []),
    ("groups of blocks add packets", 2, lambda x: reduce_group(x, 2), []),
    ("switch adds and stores", 8, lambda x: reduce_switch(x, 8, True, False), []),
    ("switch adds, then stores", 4, lambda x: reduce_switch(x, 4, False, False), []),
    ("switch adds in a pipeline", 2, lambda x: reduce_switch(x, 2, True, True), []),
    ("pipeline of three blocks", 2, lambda x: reduce_pipeline(x, 2, 0), []),
    ("pipeline of three blocks, again and again", 4, lambda x: reduce_pipeline(x, 4, 32), []),
    ("ring reads and puts", 4, lambda x: reduce_ring(x, 4), []),
    ("two nodes add packets", 8, lambda x: reduce_nodes(x, 2, 4, 2), []),
    ("two nodes add packets, a group a peer", 8, lambda x: reduce_nodes(x, 2, 4, 2, True), []),
    ("two nodes add packets, by memory alone", 8, lambda x: reduce_nodes(x, 2, 4, 2, True, "memory"), []),
    ("two nodes reduce and scatter", 8, lambda x: scatter_nodes(x, 4, False), []),
    ("two nodes reduce and scatter packets", 8, lambda x: scatter_nodes(x, 4, True), []),
    ("exchange by puts", 4, lambda x: exchange(x, 4, "put", False), []),
    ("exchange by gets", 4, lambda x: exchange(x, 4, "get", False), []),
    ("exchange by gets from scratch", 4, lambda x: exchange(x, 4, "get", True), []),
    ("two ranks send and receive", 2, lambda x: swap(x, False), SWAP),
    ("two ranks send and receive packets", 2, lambda x: swap(x, True), SWAP),
]
