# SPDX-License-Identifier: Apache-2.0
"""Sums of MSCCL++ whose operations do several things at once. Each takes the number of a move to leave out, or None."""
from mscclpp_plan import Plan, others


def start(leave_out, n, chunks, scratch):
    return Plan("allreduce", n, (chunks, 0, scratch), True, leave_out)


def three_ways(leave_out, size):
    """Of two, two chunks each: one reads, adds and sends, or gets, then adds and sends; the other reads and adds, and puts what it
    copied. By a block or a group of blocks."""
    p = start(leave_out, 2, 4, 4)
    group = list(range(size)) if size > 1 else None
    cell = lambda a, buffer, at: [(a, buffer, at)]

    def meet(*names):
        for name in names:
            for a in range(2):
                for block in range(size):
                    p.sync(a, name, [1 - a], block, nth=block)

    for a in range(2):
        p.op(a, "copy", cell(a, "i", 2 - 2 * a), cell(a, "s", 2 - 2 * a), 2, group=group)
    meet("signal", "wait")
    p.op(0, "rres", cell(0, "i", 0) + cell(1, "s", 0), cell(0, "i", 0) + cell(1, "i", 0), group=group)
    p.op(0, "get", cell(1, "s", 1), cell(0, "s", 1), group=group)
    p.op(0, "res", cell(0, "i", 1) + cell(0, "s", 1), cell(0, "i", 1) + cell(1, "i", 1), group=group)
    p.op(1, "rre", cell(1, "i", 2) + cell(0, "i", 2), cell(1, "i", 2), 2, group=group)
    p.op(1, "copy", cell(1, "i", 2), cell(1, "s", 2), 2, group=group)
    p.op(1, "put", cell(1, "s", 2), cell(0, "i", 2), 2, group=group)
    meet("signal", "wait")
    return p


def put_and_send(leave_out, n, instances):
    """Each block puts its chunk of all others' into their scratch at once, adds what came and sends the sum at once."""
    blocks = (n - 1) * instances
    p = start(leave_out, n, n * blocks, n * blocks)
    for a in range(n):
        far = others(n, a)
        for k in range(blocks):
            here = (a, "i", a * blocks + k)
            p.op(a, "put", [(a, "i", b * blocks + k) for b in far], [(b, "s", a * blocks + k) for b in far], block=k, nth=k)
            for name in ("signal", "wait"):
                p.sync(a, name, far, k, nth=k)
            p.op(a, "res", [here, *((a, "s", b * blocks + k) for b in far)], [here, *((b, *here[1:]) for b in far)], block=k, nth=k)
            for name in ("signal", "wait"):
                p.sync(a, name, far, k, nth=k)
    return p


def all_packets(leave_out, n):
    """One block: all values are packets, a rank's own too, and so are all sums."""
    p = start(leave_out, n, n, 2 * n)
    for a in range(n):
        far = others(n, a)
        p.op(a, "cpkt", [(a, "i", a)], [(a, "s", a)])
        p.op(a, "ppkt", [(a, "i", b) for b in far], [(b, "s", a) for b in far])
        sums = (a, "s", n + a)
        p.op(a, "respkt", [(a, "s", a), *((a, "s", b) for b in far)], [sums, *((b, *sums[1:]) for b in far)])
        for b in range(n):
            p.op(a, "upkt", [(a, "s", n + b)], [(a, "i", b)])
    return p


def switch_group(leave_out, n, size):
    """By a group of blocks: a switch adds, then stores."""
    p = start(leave_out, n, n, 0)
    ranks, group = tuple(range(n)), list(range(size))
    for a in range(n):
        for block in group:
            for name in ("signal", "wait"):
                p.sync(a, name, others(n, a), block, nth=block)
        p.op(a, "glre", [("switch", ranks, "i", a)], [(a, "i", a)], kind="switch", group=group)
        p.op(a, "gstore", [(a, "i", a)], [("switch", ranks, "i", a)], kind="switch", group=group)
    return p


def two_nodes(leave_out, local, size):
    """In each node, between the nodes, in each node, by a group of blocks. What goes over is copied as packets, which tells the block
    that sends it; sums are put back from where they are."""
    n = 2 * local
    p = start(leave_out, n, n, 3 * n)
    group = list(range(1, 1 + size))
    for a in range(n):
        mine = a % local
        near = [b for b in range(a - mine, a - mine + local) if b != a]
        far, own, kept = (a + local) % n, (a, "i", 2 * mine), (a, "s", 2 * mine)
        for b in near:
            p.op(a, "ppkt", [(a, "i", b % local * 2)], [(b, "s", 2 * mine)], 2, group=group)
        came = [(a, "s", b % local * 2) for b in near]
        p.op(a, "repkt", [own, *came], [own], 2, group=group)
        p.op(a, "cpkt", [own], [kept], 2, group=group)
        p.op(a, "rppkt", [kept], [(far, "s", n + 2 * mine)], 2, kind="port")
        p.op(a, "repkt", [own, (a, "s", n + 2 * mine)], [own], 2, group=group)
        for b in near:
            p.op(a, "ppkt", [own], [(b, "s", n + 2 * mine)], 2, group=group)
        for b in near:
            p.op(a, "upkt", [(a, "s", n + b % local * 2)], [(a, "i", b % local * 2)], 2, group=group)
    return p


EXAMPLES = [
    ("two ranks add in three ways", 2, lambda x: three_ways(x, 1), []),
    ("groups of blocks add in three ways", 2, lambda x: three_ways(x, 2), []),
    ("blocks put, add and send", 4, lambda x: put_and_send(x, 4, 2), []),
    ("packets are added, one's own too", 8, lambda x: all_packets(x, 8), []),
    ("groups of blocks at a switch", 4, lambda x: switch_group(x, 4, 4), []),
    ("two nodes add packets and put them back", 8, lambda x: two_nodes(x, 4, 3), []),
]
