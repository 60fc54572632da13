# SPDX-License-Identifier: Apache-2.0
"""Playing, emitting, drawing."""
import html.parser
import shutil

import numpy as np
import pytest

import carillon


def test_a_run_by_the_model():
    s = carillon.plan("total-exchange", "hypercube:3", words=2)
    run = s.run(engine="model", trace=True)
    assert run.ok and run.result == "ok" and run.words == len(run.trace) == 192 and not run.mismatches and not run.faults
    assert run.summary["result"] == "ok" and run.summary["slots"] == 4
    assert (np.diff(run.trace["cycle"].astype(int)) >= 0).all() and run.trace["node"].max() == 7
    other = s.run(engine="model", seed=2, trace=True)
    assert (other.trace["cycle"] == run.trace["cycle"]).all() and (other.trace["data"] != run.trace["data"]).any()
    assert (s.run(engine="model", trace=True).trace == run.trace).all()  # a run says nothing of the next
    with pytest.raises(carillon.ArgumentError):
        s.run(engine="model", wave="w.fst")
    assert s.run(engine="model").ok
    with pytest.raises(carillon.ArgumentError):
        _ = s.run(engine="model").trace
    with pytest.raises(carillon.ArgumentError):
        s.run(engine="engine")


@pytest.mark.long  # compiling takes longer than all others together
@pytest.mark.skipif(not shutil.which("verilator"), reason="Verilator compiles the simulator")
def test_a_run_in_rtl():
    assert carillon.run("total-exchange", "hypercube:3", engine="both").ok


def test_every_kind_of_machine_is_played():
    for name, network, options in (("broadcast", "logp:P=8,L=6,o=2,g=4", {}), ("all-reduce", "hypercube:3", {}),
                                   ("partial-multinode-broadcast", "torus:4x4", {"active": "random:5"}),
                                   ("partial-exchange", "hypercube:3", {"scheme": "balanced", "active": "0,3,5"})):
        assert carillon.run(name, network, engine="model", **options).ok


def test_traces_are_compared():
    carillon.diff(b"0 0 0 1\n", b"0 0 0 1\n")
    with pytest.raises(carillon.MismatchError, match="2"):
        carillon.diff(b"0 0 0 1\n", b"0 0 0 2\n")


def test_a_fabric_plays_the_rows_of_its_schedule(tmp_path):
    s = carillon.plan("total-exchange", "torus:4x4")
    told = s.emit(tmp_path / "fabric", top="mine", protocol="axis")
    assert told["slots"] == s.slots and (tmp_path / "fabric" / "mine.sv").exists()
    assert carillon.emit("total-exchange", tmp_path / "other", "torus:4x4", width=16)["slots"] >= 8
    with pytest.raises(carillon.FileError):
        s.emit(tmp_path / "fabric")
    s.emit(tmp_path / "fabric", top="mine", protocol="axis", force=True)
    with pytest.raises(carillon.ArgumentError, match="protocol"):
        s.emit(tmp_path / "third", protocl="axis")
    for wrong in ({"width": "x"}, {"width": -1}, {"width": 2**40}, {"top": "a\0b"}, {"network": "ring:4"}):
        with pytest.raises(carillon.ArgumentError):
            s.emit(tmp_path / "third", **wrong) if "network" not in wrong else carillon.emit(s, tmp_path / "third", **wrong)
    assert not (tmp_path / "third").exists()


def test_an_image_is_written(tmp_path):
    assert carillon.build(carillon.plan("total-exchange", "hypercube:3"), tmp_path / "image")["rows"]
    assert (tmp_path / "image").stat().st_size > 100


class Tags(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        self.seen = tag, dict(attributes)


def test_pictures_in_a_notebook(tmp_path):
    s = carillon.plan("total-exchange", "hypercube:3")
    drawing = s.draw()
    tags = Tags()
    tags.feed(drawing._repr_html_())
    assert tags.seen[0] == "iframe" and tags.seen[1]["sandbox"] == "allow-scripts" and tags.seen[1]["srcdoc"] == drawing.html
    assert drawing.html.startswith("<!DOCTYPE html>") and drawing._repr_svg_().startswith("<svg")
    for view in ("table", "network", "space-time", "tree", "heat"):
        still = s.draw(view=view, slot=1 if view == "network" else 0)
        assert "<svg" in still._repr_svg_() and still._repr_html_() is None
    drawing.save(tmp_path / "te.html")
    drawing.save(tmp_path / "te.svg")
    assert (tmp_path / "te.html").read_text() == drawing.html
    with pytest.raises(carillon.ArgumentError):
        drawing.save(tmp_path / "te.gif")
    still = s.draw(view="heat", caption="Fig. <1>", columns=1).svg
    assert 'width="252pt"' in still and "Fig. &lt;1&gt;" in still and "how often" not in still
    assert "how often" not in s.draw(view="heat", caption="").svg
    for wrong in ({"view": "nothing"}, {"view": "heat", "columns": 3}, {"view": "heat", "caption": 5}, {"view": 3},
                  {"view": "network", "slot": -1}, {"slot": 2**40}, {"slot": 1.5}):
        with pytest.raises(carillon.ArgumentError):
            s.draw(**wrong)
    with pytest.raises(carillon.ArgumentError, match="the same problem"):
        carillon.draw_beside(s, carillon.plan("total-exchange", "ring:4"))
    assert "<html" in carillon.draw_beside(s, carillon.plan("total-exchange", "hypercube:3", scheme="one-bank"))


def test_random_broadcasts():
    frame = carillon.dynamic(["direct", "indirect"], ["hypercube:3", "hypercube:4"], [0.1, 0.2], slots=200)
    assert list(frame["scheme"]) == ["direct"] * 4 + ["indirect"] * 4 and (frame["result"] == "ok").all()
    assert (frame["delay"] > 0).all() and list(frame["rho"][:2]) == [0.1, 0.2]
    one = carillon.dynamic("indirect", "hypercube:4", 0.2, slots=200, workers=1)
    assert one.iloc[0].to_dict() == frame.iloc[7].to_dict()
    assert len(carillon.dynamic("indirect", "hypercube:3", blocking=True, slots=100)) == 1
    for wrong in (-1, 0, float("nan"), float("inf"), "x", None):
        with pytest.raises(carillon.ArgumentError):
            carillon.dynamic("direct", "hypercube:3", wrong, slots=100)
