# SPDX-License-Identifier: Apache-2.0
"""Plans of the shapes that the public examples of MSCCL have, rebuilt: EXAMPLES is a table of them."""
import math

from msccl_plan import Plan

# ---------------------------------------------------------------- all-gathers


def gather_ring(n, channels):
    p = Plan("allgather", n, (1, n), True)
    for step in range(n - 1):
        for origin in range(n):
            a = (origin + step) % n
            p.move((a, "o", origin), ((a + 1) % n, "o", origin), chan=origin % channels, block=origin % channels)
    return p


def gather_ring_copied(n):
    """What a rank has is copied to its output first."""
    p = Plan("allgather", n, (1, n), False)
    for origin in range(n):
        end = p.move((origin, "i", 0), (origin, "o", origin))
        for step in range(1, n):
            end = p.move(end, ((origin + step) % n, "o", origin))
    return p


def gather_pairs(n, chunks=0):
    """`chunks`: so many a rank, each on a channel of its sender, and an input that is said to have none."""
    p = Plan("allgather", n, (0, n * chunks) if chunks else (1, n), True)
    for a in range(n):
        for b in range(n):
            for k in range(chunks or 1):
                at = a * (chunks or 1) + k
                if a != b:
                    p.move((a, "o", at), (b, "o", at), chan=a + k * n if chunks else 0)
    return p


def double(p, n, buffer):
    """An all-gather of a chunk a rank: blocks are exchanged and so become twice as long, until they are whole."""
    size = 1
    while size < n:
        for a in range(n):
            at = a // size * size
            p.move((a, buffer, at), (a ^ size, buffer, at), size)
        size *= 2


def gather_doubling(n):
    p = Plan("allgather", n, (1, n), True)
    double(p, n, "o")
    return p


def gather_neighbours(n, inplace=True):
    """Of four: to the neighbour, to the one across, and what came from there to the neighbour."""
    p = Plan("allgather", n, (1, n), inplace)
    for a in () if inplace else range(n):
        p.move((a, "i", 0), (a, "o", a))
    for odd in range(2):
        for a in range(odd, n, 2):
            p.move((a, "i", 0), (a + 1 - 2 * odd, "o", a))
        for a in range(odd, n, 2):
            p.move((a, "i", 0), ((a + 2) % n, "o", a))
        for a in range(odd, n, 2):
            p.move((a, "o", (a + 2) % n), (a + 1 - 2 * odd, "o", (a + 2) % n))
    return p


def gather_rows_columns(n):
    """In pairs, and then in columns, a chunk a step."""
    p = Plan("allgather", n, (1, n), True)
    for row in range(0, n, 2):
        for a, b in ((row, row + 1), (row + 1, row)):
            p.move((a, "o", a), (b, "o", a))
    for column in range(2):
        members = range(column, n, 2)
        for a in members:
            for b in members:
                if a != b:
                    for k in range(2):
                        p.move((a, "o", a - column + k), (b, "o", a - column + k))
    return p


def gather_hierarchical(local, nodes):
    n = local * nodes
    p = Plan("allgather", n, (1, n), True)
    for g in range(local):
        for k in range(nodes):
            for step in range(nodes - 1):
                a, b = ((step + j + k) % nodes * local + g for j in (0, 1))
                p.move((a, "o", k * local + g), (b, "o", k * local + g), chan=g % 2 + nodes)
    for node in range(nodes):
        for other in range(nodes):
            for k in range(local):
                for step in range(local - 1):
                    a, b = (node * local + (step + j + k) % local for j in (0, 1))
                    p.move((a, "o", other * local + k), (b, "o", other * local + k), chan=other)
    return p


# ---------------------------------------------------------------- all-reduces


def reduce_ring(n, channels):
    p = Plan("allreduce", n, (n, 0), True)
    for step in range(2 * n - 2):
        for c in range(n):
            a = (c + step) % n
            p.move((a, "i", c), ((a + 1) % n, "i", c), add=step < n - 1, chan=c % channels, block=c % channels)
    return p


def reduce_pairs(n, owners, size, block=None):
    """Chunks go to their owners' scratch, are added there by several blocks, and come back. block="peer": a block sends to a
    rank, receives from it and adds the chunks of its number."""
    p = Plan("allreduce", n, (size * len(owners), 0), True)
    for a in range(n):
        for k, owner in enumerate(owners):
            if a != owner:
                p.move((a, "i", k * size), (owner, "s", (a - (a > owner)) * size), size, block=block)
    for k, owner in enumerate(owners):
        for at in range(size * (n - 1)):
            p.move((owner, "s", at), (owner, "i", k * size + at % size), add=True, block=(block or "add", at % size, 0))
    for k, owner in enumerate(owners):
        for b in range(n):
            if b != owner:
                p.move((owner, "i", k * size), (b, "i", k * size), size, block=block)
    return p


def reduce_one_step(n, size, block=None):
    """Everybody sends all of its input to everybody, and adds."""
    p = Plan("allreduce", n, (size, 0), True)
    for a in range(n):
        for b in range(n):
            if a != b:
                p.move((a, "i", 0), (b, "s", (a - (a > b)) * size), size, block=block)
    for b in range(n):
        for at in range((n - 1) * size):
            p.move((b, "s", at), (b, "i", at % size), add=True, block=(block or "add", at % size, 0))
    return p


def reduce_in_place(n, opposites):
    """Chunks are added where they arrive, at their owners; `opposites`: from half of the ranks by way of who is across."""
    p, half = Plan("allreduce", n, (n, 0), True), n // 2
    direct = half if opposites else n - 1
    for add in (True, False):
        for c in range(n):
            near = [((c + k) % n, c) for k in range(1, direct + 1)]
            far = [((c + k + half) % n, (c + k) % n) for k in range(1, half)] if opposites else []
            for a, b in far + near if add else near + far:
                src, dst = (a, b) if add else (b, a)
                p.move((src, "i", c), (dst, "i", c), add=add, chan=c + (0 if add else n))
    return p


def scatter_pairs(n, size):
    """The first half of reduce_pairs: sums stay with their owners."""
    p = Plan("reducescatter", n, (n * size, size), True)
    for a in range(n):
        for b in range(n):
            if a != b:
                p.move((a, "i", b * size), (b, "s", (a - (a > b)) * size), size)
    for b in range(n):
        for at in range(size * (n - 1)):
            p.move((b, "s", at), (b, "i", b * size + at % size), add=True, block=("add", at % size))
    return p


def reduce_local_tree(n):
    """As reduce_pairs, added up in a tree."""
    p = Plan("allreduce", n, (n, 0), True)
    for a in range(n):
        for b in range(n):
            if a != b:
                p.move((a, "i", b), (b, "s", a - (a > b)))
    for b in range(n):
        half = n // 2
        while half:
            for k in range(half):
                p.move((b, "s", k + half - 1), (b, "i", b) if not k else (b, "s", k - 1), add=True, block=("add", k))
            half //= 2
    for a in range(n):
        for b in range(n):
            if a != b:
                p.move((a, "i", a), (b, "i", a))
    return p


def reduce_two_nodes(n, size):
    """All pairs in each of two nodes, the sums over to the other node, and back."""
    p = Plan("allreduce", 2 * n, (n * size, 0), True)
    for node in (0, n):
        for a in range(n):
            for b in range(n):
                if a != b:
                    p.move((node + a, "i", b * size), (node + b, "s", (a - (a > b)) * size), size)
        for b in range(n):
            for at in range(size * (n - 1)):
                p.move((node + b, "s", at), (node + b, "i", b * size + at % size), add=True, block=("add", at % size))
    scratch = size * (n - 1)
    for a in range(n):
        for here, there in ((a, a + n), (a + n, a)):
            p.move((here, "i", a * size), (there, "s", scratch), size, chan=1)
        for here in (a, a + n):
            p.move((here, "s", scratch), (here, "i", a * size), size, add=True, block="over")
    for node in (0, n):
        for a in range(n):
            for b in range(n):
                if a != b:
                    p.move((node + a, "i", a * size), (node + b, "i", a * size), size)
    return p


def reduce_columns_rows(n):
    """Two columns: reduced and scattered along each, then across, then gathered the other way round."""
    rows = n // 2
    p = Plan("allreduce", n, (n, 0), True)
    columns = [[c * rows + r for r in range(rows)] for c in range(2)]
    across = [[r, r + rows] for r in range(rows)]

    def scatter(group, size, offset, scratch):
        for i, a in enumerate(group):
            for j, b in enumerate(group):
                if i != j:
                    p.move((a, "i", offset + j * size), (b, "s", scratch + (i - (i > j)) * size), size)
        for j, b in enumerate(group):
            for at in range(size * (len(group) - 1)):
                p.move((b, "s", scratch + at), (b, "i", offset + j * size + at % size), add=True, block=("add", at % size))

    def gather(group, size, offset):
        for i, a in enumerate(group):
            for b in group:
                if a != b:
                    p.move((a, "i", offset + i * size), (b, "i", offset + i * size), size)

    for group in columns:
        scatter(group, 2, 0, 0)
    for r, group in enumerate(across):
        scatter(group, 1, 2 * r, 2 * rows)
    for r, group in enumerate(across):
        gather(group, 1, 2 * r)
    for group in columns:
        gather(group, 2, 0)
    return p


def reduce_neighbours(n):
    """Of four, two chunks: from the neighbour, with the one across by way of scratch, to the neighbour."""
    p = Plan("allreduce", n, (2, 0), True)
    for c in range(2):
        ranks = range(c, n, 2)
        for a in ranks:
            p.move((a + 1 - 2 * c, "i", c), (a, "i", c), add=True)
        for a in ranks:
            p.move((a, "i", c), ((a + 2) % n, "s", c))
        for a in ranks:
            p.move((a, "s", c), (a, "i", c), add=True, block="add")
        for a in ranks:
            p.move((a, "i", c), (a + 1 - 2 * c, "i", c))
    return p


def reduce_chains(chains):
    """A chain a chunk, there with sums and back with the result."""
    p = Plan("allreduce", len(chains[0]), (len(chains), 0), True)
    for c, chain in enumerate(chains):
        for a, b in zip(chain, chain[1:]):
            p.move((a, "i", c), (b, "i", c), add=True, chan=2 * c, block=2 * c)
        back = chain[::-1]
        for a, b in zip(back, back[1:]):
            p.move((a, "i", c), (b, "i", c), chan=2 * c + 1, block=2 * c + 1)
    return p


def reduce_halving(n):
    p, size = Plan("allreduce", n, (n, 0), True), n // 2
    while size:
        for a in range(n):
            at = (a ^ size) // size * size
            p.move((a, "i", at), (a ^ size, "i", at), size, add=True)
        size //= 2
    double(p, n, "i")
    return p


def reduce_halving_ways(orders):
    """The same with the dimensions in another order for each eighth of the chunks."""
    n = 8
    p = Plan("allreduce", n, (n * len(orders), 0), True)
    for way, order in enumerate(orders):
        first, steps = [0] * n, []
        size = n // 2
        for bit in order:
            now = first.copy()
            for a in range(n):
                upper = size if a < a ^ bit else 0 # who is above keeps the upper half
                first[a ^ bit] = now[a] + upper
                steps.append((a, bit, now[a] + upper, size))
            size //= 2
        for a, bit, at, size in steps:
            for k in range(size):
                p.move((a, "i", way * n + at + k), (a ^ bit, "i", way * n + at + k), add=True, chan=way)
        size = 1
        for bit in order[::-1]:
            now = first.copy()
            for a in range(n):
                p.move((a, "i", way * n + now[a]), (a ^ bit, "i", way * n + now[a]), size, chan=way)
                first[a] = min(now[a], now[a ^ bit])
            size *= 2
    return p


def reduce_binomial(n, trees):
    p = Plan("allreduce", n, (trees, 0), True)
    for tree in range(trees):
        name = lambda v: n - 1 - v if tree else v
        distances = [2 ** k for k in range(int(math.log2(n)))]
        for d in distances:
            for v in range(0, n, 2 * d):
                p.move((name(v + d), "i", tree), (name(v), "i", tree), add=True)
        for d in distances[::-1]:
            for v in range(0, n, 2 * d):
                p.move((name(v), "i", tree), (name(v + d), "i", tree))
    return p


def reduce_hierarchical(local, nodes):
    """Rings in each node, rings across, and all of it back."""
    n = local * nodes
    p = Plan("allreduce", n, (n, 0), True)

    def ring(size, rank, step_of, at, add, chan):
        for k in range(size):
            for step in range(size - 1):
                shift = 1 if add else 0
                a, b = (rank + (step + j + shift + k) % size * step_of for j in (0, 1))
                p.move((a, "i", at(k)), (b, "i", at(k)), add=add, chan=chan)

    for add in (True, False):
        phases = [lambda: [ring(local, node * local, 1, lambda k, o=o: k * nodes + o, add, o)
                           for node in range(nodes) for o in range(nodes)],
                  lambda: [ring(nodes, g, local, lambda k, g=g: g * nodes + k, add, nodes + g % 2) for g in range(local)]]
        for phase in phases if add else phases[::-1]:
            phase()
    return p


def reduce_pairs_then_ring(n):
    """All pairs in each of two nodes, in place, the sums swapped, and rings back."""
    p = Plan("allreduce", 2 * n, (n, 0), True)
    for node in (0, n):
        for a in range(n):
            for c in range(n):
                if c != a:
                    p.move((node + a, "i", c), (node + c, "i", c), add=True)
    for c in range(n):
        p.move((c, "i", c), (n + c, "s", 0))
        p.move((n + c, "i", c), (c, "s", 0))
        for a in (c, n + c):
            p.move((a, "s", 0), (a, "i", c), add=True)
    for node in (0, n):
        for c in range(n):
            for step in range(n - 1):
                p.move((node + (c + step) % n, "i", c), (node + (c + step + 1) % n, "i", c))
    return p


def reduce_cube_mesh(n):
    """Two sockets of four: reduced in each, swapped by halves, gathered in each."""
    p, half = Plan("allreduce", n, (n, 0), True), n // 2
    for k in range(half):
        for a in range(n):
            if a % half != k:
                p.move((a, "i", 2 * k), (a // half * half + k, "i", 2 * k), 2, add=True)
    for a in range(n):
        at = a % half * 2 + (a >= half)
        p.move((a, "i", at), ((a + half) % n, "i", at), add=True)
        p.move(((a + half) % n, "i", at), (a, "i", at), chan=1)
    for a in range(n):
        for b in range(half):
            other = a // half * half + b
            if other != a:
                p.move((a, "i", a % half * 2), (other, "i", a % half * 2), 2)
    return p


# ---------------------------------------------------------------- exchanges


def exchange_pairs(n, chunks=1):
    p = Plan("alltoall", n, (n * chunks, n * chunks), False)
    for a in range(n):
        for b in range(n):
            for k in range(chunks):
                p.move((a, "i", b * chunks + k), (b, "o", a * chunks + k), chan=k)
    return p


def exchange_two_steps(nodes, local):
    """What is for another node's place is gathered at this node's place, and goes over in one message."""
    n = nodes * local
    p = Plan("alltoall", n, (n, n), False)
    others = lambda node: [(node + r) % nodes for r in range(1, nodes)]
    for node in range(nodes):
        for i, other in enumerate(others(node)):
            for a in range(local):
                for b in range(local):
                    p.move((node * local + a, "i", other * local + b), (node * local + b, "s", i * local + a))
        for i, other in enumerate(others(node)):
            for a in range(local):
                p.move((node * local + a, "s", i * local), (other * local + a, "o", node * local), local, chan=2 + a % 2)
    for a in range(n):
        for b in range(a // local * local, a // local * local + local):
            p.move((a, "i", b), (b, "o", a))
    return p


def exchange_three_steps(nodes, local):
    """Between each two nodes one rank of each carries all: gathered there, sent over, scattered."""
    n = nodes * local
    p = Plan("alltoall", n, (n, n), False)
    gate = lambda here, there: here * local + (there if here > there else there - 1) % local
    used = [0] * n
    for here in range(nodes):
        for a in range(local):
            for b in range(local):
                p.move((here * local + a, "i", here * local + b), (here * local + b, "o", here * local + a))
    for here in range(nodes):
        for there in range(nodes):
            if here == there:
                continue
            out, into, block = gate(here, there), gate(there, here), local * local
            at, to = used[out], used[into] + (block if out == into else 0)
            used[out] += block
            used[into] += block
            for a in range(local):
                p.move((here * local + a, "i", there * local), (out, "s", at + a * local), local)
            p.move((out, "s", at), (into, "s", to), block, chan=out % 2)
            for a in range(local):
                for b in range(local):
                    p.move((into, "s", to + a * local + b), (there * local + b, "o", here * local + a), chan=1)
    return p


def exchange_mesh(nodes, local):
    """Four phases: laid in order, exchanged in each node, laid in order, exchanged across."""
    n = nodes * local
    p = Plan("alltoall", n, (n, n), False)
    for a in range(n):
        for b in range(n):
            p.move((a, "i", b), (a, "s", b % local * nodes + b // local))
    for a in range(n):
        for g in range(local):
            p.move((a, "s", g * nodes), (a // local * local + g, "s", n + a % local * nodes), nodes)
    for a in range(n):
        for k in range(n):
            p.move((a, "s", n + k), (a, "s", 2 * n + k % nodes * local + k // nodes))
    for a in range(n):
        for node in range(nodes):
            p.move((a, "s", 2 * n + node * local), (node * local + a % local, "o", a // local * local), local)
    return p


# ---------------------------------------------------------------- others


def to_next(nodes, local, back):
    """Everybody's chunks to the next rank; between two nodes by way of all ranks of both."""
    n = nodes * local
    p = Plan("custom", n, (local, local), not back)
    name = lambda v: n - 1 - v if back else v
    for v in range(n - 1):
        if v % local < local - 1:
            p.move((name(v), "i", 0), (name(v + 1), "o", 0), local, chan=v % 2)
            continue
        for k in range(local):
            end = at = (name(v), "i", k)
            for by in (v - local + 1 + k, v + 1 + k):
                if name(by) not in (name(v), name(v + 1)):
                    end = p.move(end, (name(by), "s", 0), chan=k % 2)
            p.move(end, (name(v + 1), "o", k), chan=k % 2)
    return p


def to_two(chained):
    p = Plan("custom", 3, (1, 1), False)
    p.move((0, "i", 0), (1, "o", 0), block=("a", 1))
    p.move((1, "o", 0) if chained else (0, "i", 0), (2, "o", 0), chan=1, block=("a", 2))
    return p


NEXT = lambda n, back: ["-a", "monotone-routing", "--active", f"{int(back)}-{n - 2 + back}", "--to", f"{1 - back}-{n - 1 - back}"]
# (what it is called in the documentation, plan, what import is told besides the network)
EXAMPLES = [
    ("ring all-gather, 1 channel", gather_ring(8, 1), []),
    ("ring all-gather, 4 channels", gather_ring(8, 4), []),
    ("ring all-gather, out of place", gather_ring_copied(8), []),
    ("all-pairs all-gather", gather_pairs(8), []),
    ("all-pairs all-gather, 2 chunks", gather_pairs(8, 2), ["-a", "partial-multinode-broadcast", "--active", "0-7", "--parts", "2"]),
    ("recursive-doubling all-gather", gather_doubling(8), []),
    ("neighbours' all-gather", gather_neighbours(4), []),
    ("neighbours' all-gather, out of place", gather_neighbours(4, False), []),
    ("rows and columns all-gather", gather_rows_columns(8), []),
    ("hierarchical all-gather", gather_hierarchical(4, 2), []),
    ("ring all-reduce, 1 channel", reduce_ring(8, 1), []),
    ("ring all-reduce, 8 channels", reduce_ring(8, 8), []),
    ("all-pairs all-reduce", reduce_pairs(8, range(8), 8), []),
    ("all-pairs all-reduce in blocks of peers", reduce_pairs(8, range(8), 8, "peer"), []),
    ("all-pairs all-reduce by few", reduce_pairs(16, [1, 2, 9, 10], 4), []),
    ("all-pairs all-reduce, added in a tree", reduce_local_tree(8), []),
    ("all-pairs all-reduce, added in place", reduce_in_place(8, False), []),
    ("opposites' all-reduce", reduce_in_place(8, True), []),
    ("all-pairs reduce-scatter", scatter_pairs(8, 1), []),
    ("one-step all-reduce", reduce_one_step(8, 8), []),
    ("one-step all-reduce in blocks of peers", reduce_one_step(8, 8, "peer"), []),
    ("one-chunk all-reduce", reduce_one_step(8, 1), []),
    ("two-node all-pairs all-reduce", reduce_two_nodes(4, 4), []),
    ("two-node swap all-reduce", reduce_pairs_then_ring(8), []),
    ("columns and rows all-reduce", reduce_columns_rows(8), []),
    ("neighbours' all-reduce", reduce_neighbours(4), []),
    ("chains all-reduce", reduce_chains([[3, 2, 1, 0], [2, 3, 0, 1]]), []),
    ("recursive halving and doubling", reduce_halving(8), []),
    ("halving and doubling, 3 ways", reduce_halving_ways([[1, 2, 4], [4, 2, 1], [2, 1, 4]]), []),
    ("binomial tree", reduce_binomial(8, 1), []),
    ("double binomial tree", reduce_binomial(8, 2), []),
    ("hierarchical ring all-reduce", reduce_hierarchical(4, 2), []),
    ("cube-mesh all-reduce", reduce_cube_mesh(8), []),
    ("all-pairs exchange", exchange_pairs(8), []),
    ("all-pairs exchange, 2 instances", exchange_pairs(4, 2), []),
    ("two-step exchange", exchange_two_steps(3, 4), []),
    ("three-step exchange", exchange_three_steps(4, 3), []),
    ("mesh exchange", exchange_mesh(2, 4), []),
    ("to the next, forwards", to_next(2, 8, False), NEXT(16, 0)),
    ("to the next, backwards", to_next(2, 8, True), NEXT(16, 1)),
    ("one to two", to_two(False), ["-a", "broadcast", "--root", "0"]),
    ("one to two in a chain", to_two(True), ["-a", "broadcast", "--root", "0"]),
]
