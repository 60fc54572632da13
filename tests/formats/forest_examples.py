# SPDX-License-Identifier: Apache-2.0
"""ForestColl's trees on the networks of its public examples, rebuilt: EXAMPLES is a table of them; and its trees as
MSCCL plans, of which one link of each tree shares a thread block both ways."""
import collections
import itertools

from msccl_plan import Plan

# Who is linked to whom among the 16 of a node.
MI250 = {0: (1, 4, 8), 1: (5, 9, 10), 2: (3, 6, 9, 10), 3: (7, 11), 4: (5, 6), 5: (6, 7), 6: (7,), 7: (), 8: (9, 12), 9: (13,),
         10: (11, 14), 11: (15,), 12: (13, 14), 13: (14, 15), 14: (15,), 15: ()}


def gpu(node, k):
    return f"({node}, 'GPU', {k})"


def tree_from(root, links):
    """(from, to), as they are reached."""
    edges, seen, todo = [], {root}, collections.deque([root])
    while todo:
        a = todo.popleft()
        for b in links[a]:
            if b not in seen:
                seen.add(b)
                todo.append(b)
                edges.append((a, b))
    return edges


def forest(nodes, local, edges_of, over, within, chunks=(1,)):
    """Trees from each root, of so many chunks each: to the same place in the other nodes, and from there as edges_of says."""
    lines = [f'<Algo nchunkspernode="{sum(chunks)}">']
    for node in range(nodes):
        for root, (index, count) in itertools.product(range(local), enumerate(chunks)):
            lines.append(f'<tree root="{gpu(node, root)}" index="{index}" nchunks="{count}" height="{local}">')
            steps = [((node, root), (n, root), over(node, n, root)) for n in range(nodes) if n != node]
            steps += [((n, a), (n, b), within(n, a, b)) for n in range(nodes) for a, b in edges_of(root)]
            for a, b, between in steps:
                path = ",".join([gpu(*a), *between, gpu(*b)])
                lines.append(f'<send src="{gpu(*a)}" dst="{gpu(*b)}" path="{path}"/>')
            lines.append("</tree>")
    return lines + ["</Algo>"]


def mi250():
    """Two nodes of 16 with links of their own, and one switch between all 32."""
    links = {a: sorted([b for b in range(16) if b in MI250[a] or a in MI250[b]]) for a in range(16)}
    text = forest(2, 16, lambda root: tree_from(root, links), lambda *_: ["(-1, 'IB', 0)"], lambda *_: [])
    graph = [f"{16 * n + a} {16 * n + b}" for n in range(2) for a in range(16) for b in MI250[a]]
    return text, ["switches 32"] + graph + [f"{a} 32" for a in range(32)]


def a100(nodes, chunks=(1,)):
    """Nodes of eight round a switch, each with a card for one of two switches between the nodes."""
    chain = lambda root: [((root + k) % 8, (root + k + 1) % 8) for k in range(7)]
    over = lambda a, b, k: [f"({a}, 'mlx5', {k})", f"(-1, 'IB', {k % 2})", f"({b}, 'mlx5', {k})"]
    text = forest(nodes, 8, chain, over, lambda n, a, b: [f"({n}, 'NVSwitch', 0)"], chunks)
    first = 8 * nodes
    if nodes == 1:
        return text, [f"switches {first}"] + [f"{a} {first}" for a in range(8)]
    # In the order of their names: between the nodes, then of each node its switch and its cards.
    switch = lambda n: first + 2 + 9 * n
    graph = [f"{8 * n + a} {switch(n)}" for n in range(nodes) for a in range(8)]
    graph += [f"{8 * n + a} {switch(n) + 1 + a}" for n in range(nodes) for a in range(8)]
    graph += [f"{first + a % 2} {switch(n) + 1 + a}" for n in range(nodes) for a in range(8)]
    return text, [f"switches {first}-{first + 2 + 9 * nodes - 1}"] + graph


def as_msccl(coll, n, inplace=True):
    """A tree a rank; the first child of each node is served by the thread block of its parent. An all-reduce out of place makes
    its sums in the input, the last of them goes to the root's output."""
    at = "i" if coll == "reduce_scatter" or not inplace else "o"
    p = Plan(coll, n, (n, 0) if coll == "reduce_scatter" else (0 if inplace else n, n), inplace)
    for root in range(n):
        edges = tree_from(0, {v: [w for w in (2 * v + 1, 2 * v + 2) if w < n] for v in range(n)})
        name = lambda v: (v + root) % n
        block = lambda a, b, way: (way, root) if b == 2 * a + 1 else (way, root, b)
        for a, b in edges[::-1] if coll != "allgather" else ():
            last = not inplace and b == 1
            p.move((name(b), at, root), (name(a), "o" if last else at, root), add=(at, root) if last else True, chan=root,
                   block=block(a, b, "up"))
        for a, b in edges if coll != "reduce_scatter" else ():
            p.move((name(a), "o", root), (name(b), "o", root), chan=root, block=block(a, b, "down"))
    return p


PARTS = ["-a", "partial-multinode-broadcast", "--active", "0-7", "--parts", "3"]
EXAMPLES = [("trees on MI250", mi250(), []), ("trees on A100", a100(2), []), ("trees on one A100", a100(1), []),
            ("two trees a root on one A100", a100(1, (2, 1)), PARTS)]
MSCCL = [(f"trees as {what}", as_msccl(coll, 8, inplace), [])
         for what, coll, inplace in (("an all-gather", "allgather", True), ("an all-reduce", "allreduce", True),
                                     ("an all-reduce, out of place", "allreduce", False), ("a reduce-scatter", "reduce_scatter", True))]
