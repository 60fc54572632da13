# SPDX-License-Identifier: Apache-2.0
"""The networks of certificates (docs/formats/graph.md), for the second checker; shares nothing with the program."""
import itertools, json, math, re


class Names(dict):
    """The numbers of nodes that have names; a new name gets the next number."""

    def node(self, word):
        return int(word) if word.isdigit() else self.setdefault(word, len(self))

    def known(self, word):
        return word.isdigit() or word in self

    def nodes(self, words):
        """Of a list as in 0-3 7, or of names, which may have a '-' as well."""
        found = set()
        for word in words:
            cuts = [i for i, letter in enumerate(word) if letter == "-" and self.known(word[:i]) and self.known(word[i + 1:])]
            first, last = (word[:cuts[0]], word[cuts[0] + 1:]) if cuts and word not in self else (word, word)
            found |= set(range(self.node(first), self.node(last) + 1))
        return found


def numbers(words):
    return Names().nodes(words)


def read_graph(path):
    """Number of nodes, links as (from, to, latency, gap), the nodes that are hosts, and names."""
    text, links, count, either, hosts, switches, names = open(path, encoding="utf-8").read(), [], 0, True, set(), set(), Names()
    if text.lstrip().startswith(("{", "[")):
        said = json.loads(text)
        matrix = said["links"]
        links = [(a, b, 1, 1) for b, row in enumerate(matrix) for a, width in enumerate(row) for _ in range(width)]
        return len(matrix), links, set(range(len(matrix))), Names((name, i) for i, name in enumerate(said.get("names", ())))
    for line in text.splitlines():
        words = line.partition("#")[0].replace(">", " > ").replace(",", " ").split()
        if words and words[0] in ("nodes", "n"):
            count, either = int(words[1]), words[0] == "nodes"
        elif words and words[0] in ("hosts", "h"):
            hosts = names.nodes(words[1:])
        elif words and words[0] == "switches":
            switches = names.nodes(words[1:])
        elif words and words[0] == "names":
            for name in words[1:]:
                names.node(name)
        elif words:
            ends = [x for x in words if x != ">"]
            a, b, more = names.node(ends[0]), names.node(ends[1]), [int(x) for x in ends[2:]]
            wide, slots, gap = (more + [1, 1, 1][len(more):])[:3]
            links += ([(a, b, slots, gap)] + [(b, a, slots, gap)] * (either and words[1] != ">")) * wide
    count = count or max(len(names), 1 + max(max(link[:2]) for link in links))
    return count, links, (hosts or set(range(count))) - switches, names


def graph(path):
    return read_graph(path)[:3]


def names_of(text):
    """Of the nodes of a network from a file."""
    return read_graph(re.split(" (?:without|members|switches|boards) ", text)[0][6:])[3] if text.startswith("graph:") and "*" not in text else Names()


def fat_tree(ports):
    half, edge = ports // 2, ports**3 // 4
    upper, core = edge + ports * half, edge + 2 * ports * half
    pairs = [(v, edge + v // half) for v in range(edge)]
    for s in range(ports * half):
        pairs += [(edge + s, upper + s // half * half + k) for k in range(half)]
        pairs += [(upper + s, core + s % half * half + k) for k in range(half)]
    return pairs, set(range(edge))


def dragonfly(nodes, out=1):
    groups = nodes * out + 1
    pairs = [(g * nodes + a, g * nodes + b) for g in range(groups) for a in range(nodes) for b in range(a)]
    return pairs + [(g * nodes + k // out, (g + k + 1) % groups * nodes + (nodes * out - 1 - k) // out)
                    for g in range(groups) for k in range(nodes * out) if g < (g + k + 1) % groups]


def twisted_torus(columns, rows, twist=0):
    pairs = [(x + columns * y, (x + 1) % columns + columns * y) for x in range(columns) for y in range(rows)]
    return pairs + [(x + columns * y, (x + (y + 1 == rows) * (twist or rows)) % columns + columns * ((y + 1) % rows))
                    for x in range(columns) for y in range(rows)]


def cayley(generators):
    """Elements in the order of their permutations; a link from each h to h∘g."""
    letters = "0123456789abcdefghijklmnopqrstuvwxyz"
    generators = [tuple(letters.index(c) for c in g) for g in generators]
    order = [tuple(range(len(generators[0])))]
    number = {order[0]: 0}
    links = []
    for h in order:  # which grows
        for g in generators:
            product = tuple(h[i] for i in g)
            if product not in number:
                number[product] = len(order)
                order.append(product)
            links.append((number[h], number[product]))
    return links


def family(name, rest):
    """As graph does; None where it is no family."""
    sizes = [int(x) for x in rest.split("x")] if name in ("fat-tree", "star", "dragonfly", "twisted-torus", "gen-kautz") else []
    hosts, links = None, []
    if name == "fat-tree":
        pairs, hosts = fat_tree(*sizes)
    elif name == "star":
        pairs, hosts = [(v, sizes[0]) for v in range(sizes[0])], set(range(sizes[0]))
    elif name == "dragonfly":
        pairs = dragonfly(*sizes)
    elif name == "twisted-torus":
        pairs = twisted_torus(*sizes)
    elif name == "gen-kautz":
        degree, count = sizes
        pairs, links = [], [(u, (-degree * u - k) % count) for u in range(count) for k in range(1, degree + 1)]
    elif name == "cayley":
        pairs, links = [], cayley(rest.split(","))
    else:
        return None
    links = [(a, b, 1, 1) for a, b in links + pairs + [(b, a) for a, b in pairs] if a != b]
    count = 1 + max(itertools.chain(*(link[:2] for link in links)))
    return count, links, hosts or set(range(count))


def factors(text):
    """Of a part of a product: size, and links as (from, to), for each dimension."""
    name, _, rest = text.partition(":")
    if name == "graph":
        return [(count, {(a, b): gap for a, b, _, gap in links}) for count, links, _ in [graph(rest)]]
    sizes = [2] * int(rest) if name == "hypercube" else [int(x) for x in rest.split("x")]
    if name in ("hypercube", "complete", "ghc"):
        return [(n, {(a, b) for a in range(n) for b in range(n) if a != b}) for n in sizes]
    if name in ("torus", "ring"):
        return [(n, {(a, (a + s) % n) for a in range(n) for s in (1, n - 1) if n > 1}) for n in sizes]
    if name not in ("mesh", "path"):
        raise ValueError(f"unknown topology '{text}'")
    return [(n, {(a, a + s) for a in range(n) for s in (1, -1) if 0 <= a + s < n}) for n in sizes]


def whole(text, latency):
    if "*" not in text:
        name, _, rest = text.partition(":")
        count, links, hosts = graph(rest) if name == "graph" else family(name, rest) or (0, [], set())
        if count:
            return count, [(a, b, int(latency or slots), gap) for a, b, slots, gap in links], hosts
    shapes = [f for part in text.split("*") for f in factors(part)]
    slots = [int(x) for x in (latency or "1").split(",")]
    count, links, stride = math.prod(size for size, _ in shapes), [], 1
    for (size, pairs), wait in zip(shapes, slots * len(shapes) if len(slots) == 1 else slots, strict=True):
        gaps = pairs if isinstance(pairs, dict) else dict.fromkeys(pairs, 1)
        links += [(v, v + (b - a) * stride, wait, gaps[a, b]) for v in range(count) for a, b in pairs if v // stride % size == a]
        stride *= size
    return count, links, set(range(count))


def boards_of(text, where, count):
    """The board of each node: a grid of blocks of a product, or lines 'NAME: NODES' of a file."""
    if where.replace("x", "").isdigit():
        sizes, boards, stride = [size for part in text.split("*") for size, _ in factors(part)], [0] * count, 1
        for size, cuts in zip(sizes, map(int, where.split("x"))):
            boards = [board * cuts + v // stride % size // (size // cuts) for v, board in enumerate(boards)]
            stride *= size
        return boards
    lines = [line.partition("#")[0].partition(":") for line in open(where, encoding="utf-8")]
    on = {v: name for name, _, nodes in lines if name.strip() for v in names_of(text).nodes(nodes.replace(",", " ").split())}
    return [on[v] for v in range(count)]


def cabled(text, said, count, links):
    """Links as (from, to, latency, gap, cable): the cable that they share with others, or None."""
    if not said:
        return [(*link, None) for link in links]
    where, _, cable = said.partition(" cable ")
    boards, (slots, gap, *_) = boards_of(text, where, count), [int(x) if x.isdigit() else 0 for x in cable.split(",")] + [0, 0]
    found = []
    for a, b, own, every in links:
        between = boards[a] != boards[b]
        found.append((a, b, between and slots or own, between and gap or every, (boards[a], boards[b]) if between and not cable.endswith(",each") else None))
    return found


def network(text, latency):
    """Number of nodes, links as (from, to, latency, gap, cable), and hosts of a topology as certificates name it."""
    parts = re.split(" (without|members|switches|boards) ", text)
    text, said = parts[0], dict(zip(parts[1::2], parts[2::2]))
    members, dead = said.get("members"), said.get("without")
    try:
        count, links, hosts = whole(text, latency)
    except (ValueError, TypeError, IndexError) as error:
        raise ValueError(f"error: no topology '{text}': {error}") from None
    links = cabled(text, said.get("boards"), count, links)
    there = {link[:2] for link in links}
    for pair in dead.split(",") if dead else ():
        ends = tuple(int(x) if x.isdigit() else -1 for x in pair.split("-"))
        gone = {ends, ends[::-1]} & there if len(ends) == 2 else {link for link in there if ends[0] in link}
        if not gone:
            raise ValueError(f"error: no link or node '{pair}' in '{text}'")
        there -= gone
        hosts = set(hosts) - set(ends) if len(ends) == 1 else hosts
    links = [link for link in links if link[:2] in there]
    hosts = numbers(members.split(",")) if members else hosts
    if not hosts <= set(range(count)):
        raise ValueError(f"error: '{text}' has no such members")
    return count, links, hosts
