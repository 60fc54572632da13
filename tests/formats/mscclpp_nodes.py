# SPDX-License-Identifier: Apache-2.0
"""Plans of MSCCL++ of several nodes, or of several thread blocks that meet. Each takes the number of a move to leave out, or None."""
from mscclpp_plan import Plan, others


def node_of(local, a):
    """The other ranks of a's node."""
    first = a // local * local
    return [b for b in range(first, first + local) if b != a]


def over(n, local, a):
    """The ranks of its place in other nodes, the next node's first."""
    return [(a + k) % n for k in range(local, n, local)]


# ---------------------------------------------------------------- all-gathers


def gather_through_scratch(leave_out, nodes, local, group):
    """Over the ring of nodes by ports into scratch, to the own node's others' scratch, and out of it, by blocks or groups a peer."""
    n = nodes * local
    p = Plan("allgather", n, (1, n, n), False, leave_out)
    blocks = lambda k: list(range(1 + k * group, 1 + (k + 1) * group))
    whole = {"block": local} if group == 1 else {"group": blocks(local - 1)}
    of = lambda k: {"block": 1 + k} if group == 1 else {"group": blocks(k)}
    for a in range(n):
        after, before = (a + local) % n, (a - local) % n
        for name in ("rlxsignal", "rlxwait"):
            for k, b in enumerate(node_of(local, a)):
                for nth, block in enumerate(blocks(k)):
                    p.sync(a, name, [b], block, nth=nth)
        p.sync(a, "signal", [before], kind="port")
        p.sync(a, "wait", [after], kind="port")
        for step in range(nodes):
            at = (a - step * local) % n
            here = (a, "s", at) if step else (a, "i", 0)
            if step:
                p.sync(a, "wait", [before], kind="port")
                p.meet(a, "barrier", 0, list(range(1 + local * group)))
            if step < nodes - 1:
                p.op(a, "pwsf", [here], [(after, "s", at)], kind="port")
            for k, b in enumerate(node_of(local, a)):
                came = (b - step * local) % n
                p.op(a, "put", [here], [(b, "s", at)], **of(k))
                for nth, block in enumerate(blocks(k)):
                    p.sync(a, "signal", [b], block, nth=nth)
                    p.sync(a, "wait", [b], block, nth=nth)
                p.op(a, "copy", [(a, "s", came)], [(a, "o", came)], **of(k))
            p.op(a, "copy", [here], [(a, "o", at)], **whole)
    return p


def gather_packets_to_all(leave_out, nodes, local):
    """Packets in each node, from each node to all others by ports, and what came so in each node; a block each."""
    n = nodes * local
    p = Plan("allgather", n, (1, n, 3 * n), False, leave_out)
    for a in range(n):
        p.op(a, "copy", [(a, "i", 0)], [(a, "o", a)])
        block = 1
        for b in node_of(local, a):
            p.op(a, "ppkt", [(a, "i", 0)], [(b, "s", a)], block=block)
            p.op(a, "upkt", [(a, "s", b)], [(a, "o", b)], block=block + 1)
            block += 2
        for b in over(n, local, a):
            p.op(a, "cpkt", [(a, "i", 0)], [(a, "s", n + b)], block=block)
            p.op(a, "rppkt", [(a, "s", n + b)], [(b, "s", a)], block=block, kind="port")
            p.op(a, "upkt", [(a, "s", b)], [(a, "o", b)], block=block + 1)
            block += 2
        for far in over(n, local, a):
            for b in node_of(local, a):
                came = far // local * local + b % local
                p.op(a, "rppkt", [(a, "s", far)], [(b, "s", 2 * n + far)], block=block)
                p.op(a, "upkt", [(a, "s", 2 * n + came)], [(a, "o", came)], block=block + 1)
                block += 2
    return p


def gather_packets_direct(leave_out, nodes, local):
    """Packets from everybody to everybody, to other nodes by ports; a block a peer."""
    n = nodes * local
    p = Plan("allgather", n, (1, n, n), True, leave_out)
    for a in range(n):
        for b in others(n, a):
            block = b - (b > a)
            near = b in node_of(local, a)
            if not near:
                p.op(a, "cpkt", [(a, "i", 0)], [(a, "s", a)], block=block)
            p.op(a, "ppkt" if near else "rppkt", [(a, "i", 0) if near else (a, "s", a)], [(b, "s", a)], block=block,
                 kind="memory" if near else "port")
        for b in others(n, a):
            p.op(a, "upkt", [(a, "s", b)], [(a, "o", b)], block=n - 1 + b - (b > a))
    return p


def gather_met(leave_out, n):
    """A block a peer puts; all blocks meet before they tell."""
    p = Plan("allgather", n, (1, n, 0), False, leave_out)
    for a in range(n):
        p.op(a, "copy", [(a, "i", 0)], [(a, "o", a)], block=a)
        for b in others(n, a):
            p.op(a, "put", [(a, "i", 0)], [(b, "o", a)], block=b)
        p.meet(a, "barrier", 0, list(range(n)))
        for name in ("signal", "wait"):
            for b in others(n, a):
                p.sync(a, name, [b], b)
    return p


def gather_by_group(leave_out, n, size):
    """One block asks and tells, a group of blocks puts between two barriers."""
    p = Plan("allgather", n, (1, n, 0), True, leave_out)
    group = list(range(size))
    for a in range(n):
        for b in others(n, a):
            p.sync(a, "rlxsignal", [b])
            p.sync(a, "rlxwait", [b])
            p.meet(a, "barrier", 0, group)
            p.op(a, "put", [(a, "o", a)], [(b, "o", a)], group=group)
            p.meet(a, "barrier", 0, group)
            p.sync(a, "signal", [b])
            p.sync(a, "wait", [b])
    return p


def packets_two_ways(leave_out, size):
    """Of two: one makes packets as it puts, the other before; a block or a group of blocks for each step."""
    p = Plan("allgather", 2, (1, 2, 2), True, leave_out)
    of = lambda k: {"block": k} if size == 1 else {"group": list(range(k * size, (k + 1) * size))}
    p.op(0, "ppkt", [(0, "o", 0)], [(1, "s", 0)], **of(0))
    p.op(0, "upkt", [(0, "s", 1)], [(0, "o", 1)], **of(1))
    p.op(1, "cpkt", [(1, "o", 1)], [(1, "s", 1)], **of(0))
    p.op(1, "rppkt", [(1, "s", 1)], [(0, "s", 1)], **of(1))
    p.op(1, "upkt", [(1, "s", 0)], [(1, "o", 0)], **of(2))
    return p


def packets_by_ports(leave_out):
    """Of two: packets go over as they are, which a port does under both names."""
    p = Plan("allgather", 2, (1, 2, 2), True, leave_out)
    for a, name in enumerate(("ppkt", "rppkt")):
        b = 1 - a
        p.op(a, "cpkt", [(a, "o", a)], [(a, "s", a)])
        p.op(a, name, [(a, "s", a)], [(b, "s", a)], block=a, kind="port")
        p.op(a, "upkt", [(a, "s", b)], [(a, "o", b)], block=1 + a)
    return p


def ports_three_ways(leave_out):
    """Of two, two chunks: put, put with its signal, put both with signal and flush; two channels to each other."""
    p = Plan("allgather", 2, (2, 4, 0), True, leave_out)
    for block in range(2):
        for name in ("signal", "wait"):
            for a in range(2):
                p.sync(a, name, [1 - a], block, kind="port", nth=block)
    p.op(0, "put", [(0, "o", 0)], [(1, "o", 0)], kind="port")
    for name in ("signal", "flush"):
        p.sync(0, name, [1], kind="port")
    p.op(0, "pws", [(0, "o", 1)], [(1, "o", 1)], block=1, kind="port", nth=1)
    p.sync(0, "flush", [1], 1, kind="port", nth=1)
    p.op(1, "pwsf", [(1, "o", 2)], [(0, "o", 2)], 2, kind="port")
    p.sync(0, "wait", [1], kind="port")
    for block in range(2):
        p.sync(1, "wait", [0], block, kind="port", nth=block)
    return p


def gather_ring_gets(leave_out, n):
    p = Plan("allgather", n, (1, n, 0), True, leave_out)
    for a in range(n):
        after, before = (a + 1) % n, (a - 1) % n
        for step in range(1, n):
            at = (a - step) % n
            p.sync(a, "signal", [after])
            p.sync(a, "wait", [before])
            p.op(a, "get", [(before, "o", at)], [(a, "o", at)])
    return p


# ---------------------------------------------------------------- sums


def reduce_put(leave_out, n, blocks):
    """Each block puts its chunk of all others' into their scratch, adds what came, and puts the sum back."""
    p = Plan("allreduce", n, (n * blocks, 0, n * blocks), True, leave_out)
    for a in range(n):
        for k in range(blocks):
            here = (a, "i", a * blocks + k)
            turn = [(a + k + 1 + i) % n for i in range(n) if (k + 1 + i) % n]
            for b in turn:
                p.op(a, "put", [(a, "i", b * blocks + k)], [(b, "s", a * blocks + k)], block=k)
            for name in ("signal", "wait"):
                for b in turn:
                    p.sync(a, name, [b], k, nth=k)
            for b in others(n, a):
                p.op(a, "re", [here, (a, "s", b * blocks + k)], [here], block=k)
            for b in others(n, a):
                p.op(a, "put", [here], [(b, "i", a * blocks + k)], block=k)
    return p


def reduce_met(leave_out, n, blocks):
    """One block asks who is ready, all meet, each reads its chunk and puts the sum, all meet, one block tells."""
    p = Plan("allreduce", n, (n * blocks, 0, 0), True, leave_out)
    for a in range(n):
        for name in ("rlxsignal", "rlxwait"):
            p.sync(a, name, others(n, a))
        p.meet(a, "barrier", 0, list(range(blocks)))
        for k in range(blocks):
            here = (a, "i", a * blocks + k)
            for b in others(n, a):
                p.op(a, "rre", [here, (b, *here[1:])], [here], block=k)
            for b in others(n, a):
                p.op(a, "put", [here], [(b, *here[1:])], block=k)
        p.meet(a, "barrier", 0, list(range(blocks)))
        for name in ("signal", "wait"):
            p.sync(a, name, others(n, a))
    return p


def reduce_then_get(leave_out, n, blocks):
    """Each block reads its chunk of all others and adds; the others get the sum."""
    p = Plan("allreduce", n, (n * blocks, 0, 0), True, leave_out)
    for a in range(n):
        turn = [(a + i) % n for i in range(1, n)]
        for k in range(blocks):
            for name in ("signal", "wait"):
                for b in others(n, a):
                    p.sync(a, name, [b], k, nth=k)
            here = (a, "i", a * blocks + k)
            for b in turn:
                p.op(a, "rre", [here, (b, *here[1:])], [here], block=k)
            for name in ("signal", "wait"):
                for b in others(n, a):
                    p.sync(a, name, [b], k, nth=k)
            for b in turn:
                there = ("i", b * blocks + k)
                p.op(a, "get", [(b, *there)], [(a, *there)], block=k)
    return p


def scatter_to_owners(leave_out, nodes, local, size):
    """A reduce-scatter: each node's sums for all nodes, by groups of blocks, go to their owners by ports; a group a node."""
    n = nodes * local
    mine, came = (local - 1) * nodes, local * nodes # where in scratch a rank's own sums and those of others lie
    p = Plan("reducescatter", n, (n, 1, came + nodes - 1), True, leave_out)
    group = lambda k: list(range((local - 1 + k) * size, (local + k) * size))
    slot = lambda a, b: a % local - (a % local > b % local)
    for a in range(n):
        for b in node_of(local, a):
            for k in range(nodes):
                p.op(a, "ppkt", [(a, "i", b % local + k * local)], [(b, "s", slot(a, b) * nodes + k)], block=slot(b, a) * size + k % size)
        for k in range(nodes):
            owner = a % local + k * local
            sum_at = (a, "i", owner)
            p.op(a, "repkt", [sum_at, *((a, "s", slot(b, a) * nodes + k) for b in node_of(local, a))], [sum_at], group=group(k))
            p.op(a, "cpkt", [sum_at], [(a, "s", mine + k)], group=group(k))
            if owner != a:
                node = a // local
                p.op(a, "rppkt", [(a, "s", mine + k)], [(owner, "s", came + node - (node > k))], group=group(k), kind="port")
    for a in range(n):
        k = a // local
        p.op(a, "upkt", [(a, "s", mine + k)], [(a, "i", a)], group=group(k))
        p.op(a, "repkt", [(a, "i", a), *((a, "s", came + j) for j in range(nodes - 1))], [(a, "i", a)], group=group(k))
    return p


# ---------------------------------------------------------------- others


def swap_through_scratch(leave_out):
    """Of two, by ports: into the other's scratch, and out of it."""
    p = Plan("sendrecv", 2, (1, 1, 2), False, leave_out)
    for a in range(2):
        b = 1 - a
        p.op(a, "put", [(a, "i", 0)], [(b, "s", 1)], kind="port")
        for name in ("signal", "flush", "wait"):
            p.sync(a, name, [b], kind="port")
        p.op(a, "copy", [(a, "s", 1)], [(a, "o", 0)])
    return p


EXAMPLES = [
    ("two nodes put through scratch by ports", 8, lambda x: gather_through_scratch(x, 2, 4, 1), []),
    ("three nodes put through scratch, by groups of blocks", 6, lambda x: gather_through_scratch(x, 3, 2, 2), []),
    ("two nodes put packets to all", 8, lambda x: gather_packets_to_all(x, 2, 4), []),
    ("three nodes put packets to all", 6, lambda x: gather_packets_to_all(x, 3, 2), []),
    ("all put packets, by ports between nodes", 4, lambda x: gather_packets_direct(x, 2, 2), []),
    ("all put, blocks meet", 8, lambda x: gather_met(x, 8), []),
    ("a group of blocks puts", 2, lambda x: gather_by_group(x, 2, 4), []),
    ("two ranks put packets in two ways", 2, lambda x: packets_two_ways(x, 1), []),
    ("groups of blocks put packets", 2, lambda x: packets_two_ways(x, 2), []),
    ("two ranks put packets by ports", 2, packets_by_ports, []),
    ("two ranks put by ports in three ways", 2, ports_three_ways,
     ["-a", "partial-multinode-broadcast", "--active", "0-1", "--parts", "2"]),
    ("ring gets", 8, lambda x: gather_ring_gets(x, 8), []),
    ("blocks put, add and put", 4, lambda x: reduce_put(x, 4, 3), []),
    ("blocks meet, read, add and put", 4, lambda x: reduce_met(x, 4, 2), []),
    ("blocks read and add, others get", 4, lambda x: reduce_then_get(x, 4, 2), []),
    ("two nodes reduce and scatter to owners", 8, lambda x: scatter_to_owners(x, 2, 4, 1), []),
    ("three nodes reduce and scatter to owners", 6, lambda x: scatter_to_owners(x, 3, 2, 2), []),
    ("two ranks send and receive through scratch", 2, swap_through_scratch, ["-a", "multinode-broadcast"]),
]
