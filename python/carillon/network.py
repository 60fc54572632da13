# SPDX-License-Identifier: Apache-2.0
"""Networks: by their names, from files, and from networkx."""
from __future__ import annotations

import functools
import hashlib
import json
import os
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from carillon._library import Path, Scratch, Watch, encoded, write_text
from carillon._native import lib
from carillon.errors import ArgumentError

if TYPE_CHECKING:
    import networkx

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_./:-]{0,31}")
_WORDS = {"n", "nodes", "h", "hosts", "switches", "names"}  # that begin lines of graph files


def _named(nodes: list[Hashable]) -> bool:
    """Whether the nodes' texts can be names in a graph file."""
    names = [str(node) for node in nodes]
    return len(set(names)) == len(names) and all(_NAME.fullmatch(name) and name not in _WORDS for name in names)


class Network:
    """A network or machine: nodes 0 to N-1, their links, and which of them are hosts.

    `Network("torus:4x4")` takes what `carillon.networks()` lists, products such as "ring:4*path:3", and
    "logp:P=8,L=6,o=2,g=4"; or a networkx graph, as from_networkx does. `spec` is the spelling. It may be pickled.

    Raises ParseError with the place in the spelling or in its file once it is looked at.
    """

    spec: str

    def __init__(self, spec: str | Network | networkx.Graph[Any]) -> None:
        self._index: dict[Hashable, int] = {}  # of nodes that are not called by their number
        self._file: Scratch | None = None
        if isinstance(spec, Network):
            self.spec, self._index, self._file = spec.spec, spec._index, spec._file
        elif isinstance(spec, str):
            self.spec = spec
        elif hasattr(spec, "is_directed") and not isinstance(spec, type):
            self._from_graph(spec)
        else:
            raise ArgumentError(f"a network is a text such as 'torus:4x4', or a networkx graph, not {type(spec).__name__}")

    @classmethod
    def from_file(cls, path: Path) -> Network:
        """A network from an edge list or a JSON topology: docs/formats/graph.md."""
        return cls("graph:" + os.fspath(path))

    @classmethod
    def from_networkx(cls, graph: networkx.Graph[Any]) -> Network:
        """A network of a graph's nodes, in its order, and of its edges: both ways, or of a directed graph one way.

        Edges: `latency` (slots, 1 if left out) and `width` (packets a slot, 1); parallel edges add up. Nodes: `switch` (True: it only
        forwards). The nodes keep their names: `index` and `nodes`; where all are words, files and findings have them, too. Certificates,
        files and pages call the network by a name that begins with networkx- and is the same for the same graph.

        Raises ArgumentError on loops and on attributes that are no whole numbers.
        """
        network = cls.__new__(cls)
        network._index, network._file = {}, None
        network._from_graph(graph)
        return network

    def _from_graph(self, graph: Any) -> None:
        nodes = list(graph.nodes)
        self._index = {node: i for i, node in enumerate(nodes)}
        lines = [f"nodes {len(nodes)}"]
        if _named(nodes):
            lines += [f"names {node}" for node in nodes]
        hosts = [str(i) for i, node in enumerate(nodes) if not _is_switch(graph.nodes[node].get("switch"), node)]
        if len(hosts) < len(nodes):
            lines.append("hosts " + " ".join(hosts))
        links: dict[tuple[int, int], tuple[int, int]] = {}
        for a, b, data in graph.edges(data=True):
            ends = self._index[a], self._index[b]
            key = ends if graph.is_directed() or ends[0] < ends[1] else (ends[1], ends[0])
            width, latency = (_whole(data.get(name, 1), name, a, b) for name in ("width", "latency"))
            before = links.get(key, (0, latency))
            if a == b:
                raise ArgumentError(f"node {a!r} has a link to itself")
            if before[1] != latency:
                raise ArgumentError(f"links from {a!r} to {b!r} have latencies {before[1]} and {latency}")
            links[key] = before[0] + width, latency
        way = " >" if graph.is_directed() else ""
        lines += [f"{a}{way} {b} {width} {latency}" for (a, b), (width, latency) in links.items()]
        content = "\n".join(lines) + "\n"
        name = "networkx-" + hashlib.sha256(content.encode()).hexdigest()[:8]
        self._file = Scratch(content, name, name)
        self.spec = "graph:" + self._file.path

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: of a graph the text of its file."""
        return {"spec": self.spec, "_index": self._index, "_file": self._file}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Makes that file again."""
        self.__dict__.update(state)
        if self._file is not None:
            self.spec = "graph:" + self._file.path

    def save(self, path: Path) -> Network:
        """Writes what from_networkx made as an edge list, and returns the network of that file: images, fabrics and certificates of it
        name the file, and so can be judged elsewhere. Raises ArgumentError where the network is not from networkx.
        """
        if self._file is None:
            raise ArgumentError(f"{self!r} has a name or a file already")
        write_text(path, self._file.read().encode())
        saved = Network.from_file(path)
        saved._index = self._index
        return saved

    @functools.cached_property
    def _said(self) -> dict[str, Any]:
        return dict(json.loads(Watch().told(lib.carillon_topology_describe, encoded(self.spec, "a network"))))

    @functools.cached_property
    def nodes(self) -> list[Hashable]:
        """The nodes in the order of their numbers, by the names they were given; else their numbers."""
        if self._index:
            return list(self._index)
        return list(self._said["names"] or range(self._said["nodes"]))

    @property
    def hosts(self) -> list[int]:
        """Numbers of the nodes that have and want packets, ascending; the others are switches."""
        return list(self._said["hosts"])

    @property
    def links(self) -> list[tuple[int, int, int, int]]:
        """(from, to, width, latency) of every link, one each way: packets a slot, and slots."""
        return [tuple(link) for link in self._said["links"]]

    def index(self, node: Hashable) -> int:
        """The number of a node that is called so. Raises ArgumentError where none is."""
        names = self._index or {name: i for i, name in enumerate(self.nodes)}
        if not isinstance(node, Hashable) or node not in names:
            raise ArgumentError(f"no node of the network is called {node!r}")
        return names[node]

    def called(self, node: Any) -> Any:
        """What networkx calls a node as its number; all else as it is."""
        return self._index.get(node, node) if isinstance(node, Hashable) else node

    def option(self, value: Any, nodes: bool = False) -> str:
        """A value of an option as the library reads it, lists with commas; of `nodes`, those that are called so."""
        if nodes and isinstance(value, Hashable) and value in self._index:
            return str(self._index[value])
        if isinstance(value, str | os.PathLike):
            return os.fsdecode(value)
        if isinstance(value, Iterable) and not isinstance(value, bytes | Mapping):
            return ",".join(self.option(one, nodes) for one in value)
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        return str(value)

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """A directed graph with the attributes that from_networkx takes."""
        import networkx

        graph: networkx.DiGraph[Any] = networkx.DiGraph()
        hosts = set(self.hosts)
        for i, node in enumerate(self.nodes):
            graph.add_node(node, **({} if i in hosts else {"switch": True}))
        for a, b, width, latency in self.links:
            graph.add_edge(self.nodes[a], self.nodes[b], width=width, latency=latency)
        return graph

    def __repr__(self) -> str:
        """How it is made."""
        return f"Network({Scratch.untold(self.spec)!r})"


def _whole(value: Any, name: str, a: Any, b: Any) -> int:
    try:
        whole = int(value)
    except (TypeError, ValueError, OverflowError):
        whole = -1
    if isinstance(value, bool) or whole != value or whole < 0:
        raise ArgumentError(f"{name} of the link from {a!r} to {b!r} is no whole number: {value!r}")
    return whole


def _is_switch(value: Any, node: Any) -> bool:
    if value is not None and value not in (False, True):  # a text "False" would be true
        raise ArgumentError(f"switch of node {node!r} is True or False, not {value!r}")
    return bool(value)
