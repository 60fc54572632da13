# SPDX-License-Identifier: Apache-2.0
"""Exchanges of MSCCL++ between chunks' own places: what a rank has for another is overwritten by what it has from it.

As in mscclpp_examples.py, each takes the number of a move to leave out, or None.
"""
from mscclpp_plan import Plan, others


def start(leave_out, n, size=1, inplace=True):
    return Plan("alltoall", n, (n * size, n * size, 2 * n * size), inplace, leave_out)


def place(a, b):
    """Scratch has no place for a rank's own chunk."""
    return b - (b > a)


def meet(p, n, block_of, relaxed=True):
    """Everybody tells everybody that it is ready, over channels of their own, and waits."""
    names = ("rlxsignal", "rlxwait") if relaxed else ("signal", "wait")
    for name in names:
        for a in range(n):
            for b in others(n, a):
                p.sync(a, name, [b], block_of(a, b), nth=1)


def around(n, a, step):
    """(to whom, from whom) in a step."""
    return (a + step) % n, (a - step) % n


def in_pairs(n, a, step):
    return a ^ step, a ^ step


def peer_blocks(leave_out, n, loop):
    """A block a peer puts into the peer's scratch and copies out of its own; `loop`: in pieces, one after the other."""
    p = start(leave_out, n)
    meet(p, n, place)
    for a in range(n):
        for b in others(n, a):
            block = place(a, b)
            if loop:
                p.pipeline(a, block, True)
            p.op(a, "put", [(a, "i", b)], [(b, "s", place(b, a))], block=block)
            if loop:
                p.meet(a, "sem_release", block, [block])
                p.meet(a, "sem_acquire", block, [block])
            p.sync(a, "signal", [b], block)
            p.sync(a, "wait", [b], block)
            p.op(a, "copy", [(a, "s", block)], [(a, "i", b)], block=block)
            if loop:
                p.pipeline(a, block, False)
    return p


def by_own_scratch(leave_out, n, last):
    """The same by way of the sender's scratch; `last`: all signals after all puts."""
    p = start(leave_out, n)
    block_of = (lambda a, b: 0) if last else place
    meet(p, n, block_of)
    signal = lambda a, b: p.sync(a, "signal", [b], block_of(a, b))
    for a in range(n):
        for b in others(n, a):
            block = block_of(a, b)
            p.op(a, "copy", [(a, "i", b)], [(a, "s", place(a, b))], block=block)
            p.op(a, "put", [(a, "s", place(a, b))], [(b, "s", n - 1 + place(b, a))], block=block)
            if not last:
                signal(a, b)
        for b in others(n, a) if last else ():
            signal(a, b)
        for b in others(n, a):
            p.sync(a, "wait", [b], block_of(a, b))
            p.op(a, "copy", [(a, "s", n - 1 + place(a, b))], [(a, "i", b)], block=block_of(a, b))
    return p


def handed_over(leave_out, n, turn, inplace=True):
    """One block puts, another copies what came; in place a semaphore for each says that the chunk has left."""
    p = start(leave_out, n, 1, inplace)
    meet(p, n, lambda a, b: 0)
    for a in range(n):
        for step in range(1, n):
            to = turn(n, a, step)[0]
            p.op(a, "put", [(a, "i", to)], [(to, "s", place(to, a))])
            p.sync(a, "signal", [to])
            if inplace:
                p.meet(a, "sem_release", to, [0])
        if not inplace:
            p.op(a, "copy", [(a, "i", a)], [(a, "o", a)])
        for step in range(1, n):
            by = turn(n, a, step)[1]
            if inplace:
                p.meet(a, "sem_acquire", by, [1])
            p.sync(a, "wait", [by], 1)
            p.op(a, "copy", [(a, "s", place(a, by))], [(a, "i" if inplace else "o", by)], block=1)
    return p


def piped(leave_out, n, inplace):
    """A block a peer puts, a second one copies, both in pieces."""
    p = start(leave_out, n, 1, inplace)
    meet(p, n, place)
    for a in range(n):
        for b in others(n, a):
            puts, copies = place(a, b), n - 1 + place(a, b)
            for block in (puts, copies):
                p.pipeline(a, block, True)
            p.op(a, "put", [(a, "i", b)], [(b, "s", place(b, a))], block=puts)
            p.sync(a, "signal", [b], puts)
            if inplace:
                p.meet(a, "sem_release", puts, [puts])
                p.meet(a, "sem_acquire", puts, [copies])
            p.sync(a, "wait", [b], copies)
            p.op(a, "copy", [(a, "s", puts)], [(a, "i" if inplace else "o", b)], block=copies)
            for block in (puts, copies):
                p.pipeline(a, block, False)
        if not inplace:
            p.op(a, "copy", [(a, "i", a)], [(a, "o", a)])
    return p


def gets(leave_out, n, turn, blocks):
    """Into the own scratch; the others get it from there into the places that it has left."""
    p = start(leave_out, n)
    getter = blocks - 1
    signal = lambda a, to: p.sync(a, "signal", [to])
    for a in range(n):
        for step in range(1, n):
            to = turn(n, a, step)[0]
            p.op(a, "copy", [(a, "i", to)], [(a, "s", place(a, to))])
            if getter:
                signal(a, to)
                p.meet(a, "sem_release", to, [0])
        for b in others(n, a) if not getter else ():
            signal(a, b)
        for b in others(n, a) if not getter else ():
            p.sync(a, "wait", [b])
        for step in range(1, n):
            by = turn(n, a, step)[1]
            if getter:
                p.meet(a, "sem_acquire", by, [1])
                p.sync(a, "wait", [by], 1)
            p.op(a, "get", [(by, "s", place(by, a))], [(a, "i", by)], block=getter)
    meet(p, n, lambda a, b: getter)
    return p


def halves(leave_out, n):
    """Two chunks a pair: of the first pair one goes by each block, of the others both by the first; the second copies."""
    p = start(leave_out, n, 2)
    meet(p, n, lambda a, b: 0)
    put = lambda a, b, k, count, block: p.op(a, "put", [(a, "i", 2 * b + k)], [(b, "s", 2 * place(b, a) + k)], count, block=block)
    copy = lambda a, b, k, count: p.op(a, "copy", [(a, "s", 2 * place(a, b) + k)], [(a, "i", 2 * b + k)], count, block=1)
    for a in range(n):
        for step in range(1, n):
            b, first = a ^ step, step == 1
            put(a, b, 0, 1 if first else 2, 0)
            p.sync(a, "signal", [b])
            p.meet(a, "sem_release", b, [0])
            if first:
                put(a, b, 1, 1, 1)
                p.sync(a, "signal", [b], 1, nth=2)
            p.meet(a, "sem_acquire", b, [1])
            p.sync(a, "wait", [b], 1)
            copy(a, b, 0, 1 if first else 2)
            if first:
                p.sync(a, "wait", [b], 1, nth=2)
                copy(a, b, 1, 1)
    return p


def packets(leave_out, n):
    p = start(leave_out, n)
    for a in range(n):
        for b in others(n, a):
            p.op(a, "ppkt", [(a, "i", b)], [(b, "s", place(b, a))], block=place(a, b))
        for b in others(n, a):
            p.op(a, "upkt", [(a, "s", place(a, b))], [(a, "i", b)], block=place(a, b))
    return p


EXAMPLES = [
    ("exchange in place by blocks of peers", 4, lambda x: peer_blocks(x, 4, False), []),
    ("exchange in place by blocks of peers, in pieces", 4, lambda x: peer_blocks(x, 4, True), []),
    ("exchange in place through scratch of both", 4, lambda x: by_own_scratch(x, 4, False), []),
    ("exchange in place through scratch of both, by one block", 4, lambda x: by_own_scratch(x, 4, True), []),
    ("exchange in place, handed over", 8, lambda x: handed_over(x, 8, around), []),
    ("exchange in place, handed over in pairs", 8, lambda x: handed_over(x, 8, in_pairs), []),
    ("exchange handed over", 4, lambda x: handed_over(x, 4, around, False), []),
    ("exchange in place by pipelines", 4, lambda x: piped(x, 4, True), []),
    ("exchange by pipelines without semaphores", 4, lambda x: piped(x, 4, False), []),
    ("exchange in place by gets", 4, lambda x: gets(x, 4, around, 1), []),
    ("exchange in place by gets, handed over", 4, lambda x: gets(x, 4, around, 2), []),
    ("exchange in place by gets in pairs", 4, lambda x: gets(x, 4, in_pairs, 2), []),
    ("exchange in place in halves", 4, lambda x: halves(x, 4), []),
    ("exchange in place by packets", 4, lambda x: packets(x, 4), []),
]
