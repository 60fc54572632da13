# SPDX-License-Identifier: Apache-2.0
"""Networks of networkx and of files, and traffic of one's own."""
import re

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import carillon


def test_a_graph_keeps_its_names_latencies_widths_and_switches():
    g = nx.Graph()
    g.add_nodes_from(["a", "b", "c"])
    g.add_node("hub", switch=True)
    for end in "abc":
        g.add_edge(end, "hub", latency=2, width=1 + (end == "a"))
    n = carillon.Network.from_networkx(g)
    assert n.nodes == ["a", "b", "c", "hub"] and n.hosts == [0, 1, 2] and n.index("c") == 2
    assert sorted(n.links) == sorted([(i, 3, w, 2) for i, w in enumerate((2, 1, 1))] + [(3, i, w, 2) for i, w in enumerate((2, 1, 1))])
    s = carillon.plan("broadcast", n, root="b")
    assert s.slots == 4 and set(s.to_pandas(names=True)["src"]) == {"b", "hub"}
    assert "(hub)" in s.draw(view="network").svg or "hub" in s.draw(view="network").svg
    back = n.to_networkx()
    assert nx.utils.graphs_equal(carillon.Network(back).to_networkx(), back)
    with pytest.raises(carillon.ArgumentError):
        n.index("d")


def test_nodes_may_be_anything():
    s = carillon.plan("broadcast", nx.grid_2d_graph(3, 3), root=(1, 1))
    assert s.slots == 2 and s.to_pandas(names=True)["src"].iloc[0] == (1, 1)
    assert carillon.plan("all-gather", nx.petersen_graph()).optimal
    d = nx.DiGraph([(0, 1), (1, 2), (2, 0)])
    assert carillon.plan("all-gather", d).slots == 2
    m = nx.MultiGraph([(0, 1), (0, 1)])
    assert carillon.Network(m).links == [(0, 1, 2, 1), (1, 0, 2, 1)]


def test_graphs_that_make_no_network():
    loop = nx.Graph([(0, 1), (1, 1)])
    half = nx.Graph()
    half.add_edge(0, 1, latency=1.5)
    two = nx.MultiGraph()
    two.add_edge(0, 1, latency=1)
    two.add_edge(0, 1, latency=2)
    for graph in (loop, half, two, 5):
        with pytest.raises(carillon.ArgumentError):
            carillon.plan("broadcast", graph)
    with pytest.raises(carillon.ParseError) as error:
        carillon.plan("broadcast", nx.Graph([(0, 1), (2, 3)]))
    assert re.fullmatch("networkx-[0-9a-f]{8}", error.value.file)  # and not where it lies for a while


def named(*names):
    return nx.relabel_nodes(nx.path_graph(len(names)), dict(enumerate(names)))


def test_nodes_are_what_the_graph_calls_them_whatever_that_is():
    """Numbers that are names are names; and only where an option is of nodes."""
    for names in ((2, 0, 1), ("2", "0", "1"), ("c,d", "a b", ""), ((0, 1), (), frozenset()), (True, 2.5, 1.5)):
        g = named(*names)
        s = carillon.plan("broadcast", g, root=names[0], words=2)
        assert s.problem.options["words"] == 2 and s.run(engine="model").summary["words"] == 2
        assert [tuple(row) for row in s.to_numpy()] == [(1, 0, 1, 0), (2, 1, 2, 0)]
        t = carillon.Traffic.from_demands([{"id": "x", "src": names[2], "dst": [names[0], names[1]]}])
        assert [tuple(row)[:3] for row in carillon.plan(t, g).to_numpy()] == [(1, 2, 1), (2, 1, 0)]
    assert carillon.plan("broadcast", named("bfs", "all"), scheme="bfs", ports="all").scheme == "bfs"


def test_a_graph_has_a_name_of_its_own_wherever_it_is_written():
    g = nx.petersen_graph()
    s, again = carillon.plan("broadcast", g), carillon.plan("broadcast", g)
    for text in (s.certificate, s.export(format="json"), s.draw().html, s.topology, repr(s)):
        assert "networkx-" in text and "/tmp" not in text
    assert carillon.certify(s.certificate, "broadcast", g)["proved"] and again.certificate == s.certificate
    with pytest.raises(carillon.RuleError):
        carillon.certify(s.certificate, "broadcast", nx.cycle_graph(10))


@pytest.mark.parametrize("wrong", [0, -1, 10**12, "2", None, float("nan"), float("inf"), True, [1]])
def test_attributes_that_make_no_sense(wrong):
    for name in ("latency", "width"):
        g = nx.Graph()
        g.add_edge(0, 1, **{name: wrong})
        with pytest.raises((carillon.ArgumentError, carillon.ParseError)):
            carillon.plan("broadcast", g)


def test_a_graph_is_saved(tmp_path):
    n = carillon.Network.from_networkx(nx.petersen_graph())
    saved = n.save(tmp_path / "petersen")
    assert saved.links == n.links and saved.nodes == n.nodes
    proof = carillon.bound("all-gather", saved).certificate
    assert carillon.certify(proof, "all-gather", carillon.Network.from_file(tmp_path / "petersen"))["proved"]
    with pytest.raises(carillon.ArgumentError):
        saved.save(tmp_path / "again")


def test_networks_from_files(tmp_path):
    (tmp_path / "net").write_text("hosts x y\nx s 2\ny s 2\n")
    n = carillon.Network.from_file(tmp_path / "net")
    assert n.nodes == ["x", "y", "s"] and n.hosts == [0, 1]
    (tmp_path / "net").write_text("0 1\n1 zwei!\n")
    with pytest.raises(carillon.ParseError) as error:
        carillon.plan("broadcast", carillon.Network.from_file(tmp_path / "net"))
    assert (error.value.file, error.value.line) == (str(tmp_path / "net"), 2)
    with pytest.raises(carillon.UnsupportedError):
        _ = carillon.Network("logp:P=4,L=2").nodes


def test_traffic(tmp_path):
    demands = [{"id": "a", "src": 0, "dst": [2, 3], "packets": 3}, {"id": "b", "src": 1, "dst": 3, "deadline": 9}]
    (tmp_path / "d.csv").write_text("id,src,dst,packets,release,deadline\na,0,2 3,3,,\nb,1,3,,,9\n")
    traffics = [carillon.Traffic.from_demands(demands), carillon.Traffic.from_demands(pd.DataFrame(demands)),
                carillon.Traffic.from_csv(tmp_path / "d.csv")]
    plans = [carillon.plan(traffic, "ring:4") for traffic in traffics]
    for s in plans:
        assert s.demands() == plans[0].demands() and s.rows == plans[0].rows and s.slots >= s.bound
        assert set(s.to_pandas()["packet"]) == {"a.0", "a.1", "a.2", "b.0"}
        assert carillon.certify(s.certificate, s.problem)["proved"]
    matrix = np.arange(16).reshape(4, 4) % 3
    np.fill_diagonal(matrix, 0)
    s = carillon.plan(carillon.Traffic.from_matrix(matrix), "ring:4")
    assert len(set(s.to_pandas()["packet"])) == matrix.sum()


def test_traffic_that_makes_no_sense():
    for wrong in (np.ones(4), np.ones((2, 3)), [[0, -1], [1, 0]], [[0, 0.5], [1, 0]], [[0, np.inf], [1, 0]], [[0, np.nan], [1, 0]],
                  np.ones((2, 2), complex), np.array([[0, None], [1, 0]]), "x"):
        with pytest.raises(carillon.ArgumentError):
            carillon.Traffic.from_matrix(wrong)
    for wrong in ([{"id": "a", "source": 0}], "x", [1, 2], None):
        with pytest.raises(carillon.ArgumentError):
            carillon.Traffic.from_demands(wrong)
    with pytest.raises(carillon.ParseError) as error:
        carillon.plan(carillon.Traffic.from_demands([{"id": "a", "src": 0, "dst": 9}]), "ring:4")
    assert (error.value.file, error.value.line) == ("<demands>", 2)
    with pytest.raises(carillon.RuleError):
        carillon.plan(carillon.Traffic.from_demands([{"id": "a", "src": 0, "dst": 2, "deadline": 1}]), "ring:4")
    with pytest.raises(carillon.FileError):
        carillon.plan(carillon.Traffic.from_csv("/none"), "ring:4")
