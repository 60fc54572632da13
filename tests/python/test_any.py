# SPDX-License-Identifier: Apache-2.0
"""Networks and traffic that nobody thought of: what is planned is right by the checker, and bounds hold."""
import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import carillon

FEW, MANY = 25, 2000
RELAXED = {"deadline": None, "database": None, "derandomize": True, "suppress_health_check": list(HealthCheck)}


@st.composite
def graphs(draw):
    """Connected graphs of 2 to 8 nodes, some of them switches, with latencies and widths."""
    n = draw(st.integers(2, 8))
    g = nx.Graph() if draw(st.booleans()) else nx.DiGraph()
    for v in range(1, n):  # a tree, and more
        g.add_edge(draw(st.integers(0, v - 1)), v)
    for a, b in draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=2 * n)):
        if a != b:
            g.add_edge(a, b)
    if g.is_directed():
        g.add_edges_from([(b, a) for a, b in g.edges])
    plain = draw(st.booleans())
    for a, b in g.edges:
        g.edges[a, b]["latency"] = 1 if plain else draw(st.integers(1, 3))
        g.edges[a, b]["width"] = 1 if plain else draw(st.integers(1, 2))
    for v in g.nodes:  # a switch has two neighbours or more, and two hosts are left
        if v > 1 and g.degree(v) >= (4 if g.is_directed() else 2) and draw(st.integers(0, 3)) == 0:
            g.nodes[v]["switch"] = True
    return g


@st.composite
def problems(draw):
    """A collective or a traffic for a graph."""
    g = draw(graphs())
    hosts = [i for i, v in enumerate(g.nodes) if not g.nodes[v].get("switch")]
    kind = draw(st.sampled_from(["collective", "matrix", "demands"]))
    if kind == "collective":
        return g, draw(st.sampled_from(["broadcast", "scatter", "gather", "all-gather", "total-exchange", "all-reduce", "reduce-scatter"]))
    if kind == "matrix":
        cells = draw(st.lists(st.integers(0, 3), min_size=len(hosts) ** 2, max_size=len(hosts) ** 2))
        m = np.array(cells).reshape(len(hosts), -1)
        np.fill_diagonal(m, 0)
        assume(m.any())
        return g, carillon.Traffic.from_matrix(m)
    demands = []
    for i in range(draw(st.integers(1, 4))):
        src = draw(st.sampled_from(hosts))
        dst = draw(st.lists(st.sampled_from([v for v in hosts if v != src]), min_size=1, max_size=3, unique=True))
        demands.append({"id": f"d{i}", "src": src, "dst": dst, "packets": draw(st.integers(1, 4)), "release": draw(st.integers(1, 5))})
    return g, carillon.Traffic.from_demands(demands)


def judge(given_problem):
    g, what = given_problem
    p = carillon.Problem(what, carillon.Network.from_networkx(g))
    s = carillon.plan(p)
    assert s.ok and s.slots >= carillon.bound(p).slots
    again = carillon.Schedule.from_numpy(s.to_numpy()[::-1], p)
    assert again.ok and again.slots == s.slots and (again.to_numpy() == s.to_numpy()).all()
    names = carillon.Network(g).nodes
    for row in s.to_pandas(names=True).itertuples():
        assert g.has_edge(row.src, row.dst) and row.src in names


@settings(max_examples=FEW, **RELAXED)
@given(problems())
def test_what_is_planned_is_right(given_problem):
    judge(given_problem)


@pytest.mark.long
@settings(max_examples=MANY, **RELAXED)
@given(problems())
def test_what_is_planned_is_right_of_many(given_problem):
    judge(given_problem)
