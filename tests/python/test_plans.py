# SPDX-License-Identifier: Apache-2.0
"""Planning, judging, proving: schedules as objects, arrays and frames."""
import numpy as np
import pytest

import carillon

CASES = [("total-exchange", "hypercube:3", {}), ("all-gather", "torus:3x3", {}), ("broadcast", "mesh:3x3", {"root": 4}),
         ("scatter", "ring:5", {}), ("all-reduce", "hypercube:2", {"chunks": 3}), ("scan", "ring:4", {}),
         ("total-exchange", "ring:4", {"parts": 2}), ("broadcast", "hypercube:3", {"parts": 4}),
         ("partial-exchange", "hypercube:3", {"active": [0, 3, 5]}), ("groups", "torus:3x3", {"group": ["all-gather@rows"]})]


@pytest.mark.parametrize("name,network,options", CASES)
def test_a_plan_is_the_same_in_every_form(name, network, options):
    s = carillon.plan(name, network, **options)
    assert s.ok and carillon.check(s) == [f for f in s.findings if not f.is_error]
    assert s.bound is None or s.slots >= s.bound
    array = s.to_numpy()
    assert len(array) == len(s) == len(s.rows) == s.export().count("\n") - 1
    assert [tuple(row)[:3] for row in s.rows] == [tuple(int(x) for x in row)[:3] for row in array[["slot", "src", "dst"]]]
    numbers = array["packet"].reshape(len(array), -1)
    assert [row.packet for row in s] == [s.problem.packet_name(*map(int, row)) for row in numbers]
    frame = s.to_pandas()
    assert list(frame["packet"].astype(str)) == [row.packet for row in s]
    assert list(frame["slot"]) == [row.slot for row in s]
    for again in (carillon.Schedule.from_numpy(array, name, network, **options),
                  carillon.Schedule.from_numpy(array[::-1], name, network, **options),
                  carillon.Schedule.read(s.export().encode(), name, network, **options),
                  carillon.Schedule(s.rows).bind(name, network, **options)):
        assert again.ok and again.scheme == "file" and again.slots == s.slots
        assert (again.to_numpy() == array).all()


def test_plain_arrays_of_any_integer_type_are_read():
    s = carillon.plan("total-exchange", "hypercube:3")
    a = s.to_numpy()
    plain = np.column_stack([a["slot"], a["src"], a["dst"], a["packet"]])
    other = np.zeros(len(a), [("packet", "<i8", 2), ("dst", "<i4"), ("src", "<u2"), ("slot", "<u8")])
    for name in a.dtype.names:
        other[name] = a[name]
    fixed = a.copy()
    fixed.setflags(write=False)
    odd = np.frombuffer(b"x" + a.tobytes(), a.dtype, offset=1)
    for rows in (other, fixed, odd, np.repeat(a, 2)[::2], np.asfortranarray(plain), plain.tolist()):
        assert carillon.Schedule.from_numpy(rows, "total-exchange", "hypercube:3").ok
    for kind in ("i8", "u2", ">u4"):
        assert carillon.Schedule.from_numpy(plain.astype(kind), "total-exchange", "hypercube:3").ok
    for wrong in (plain[:, :4], plain.astype(float), -plain.astype("i8"), plain.astype("i8") << 32, np.zeros((2, 2, 5), int),
                  np.zeros(3, [("slot", "u4"), ("a", "u4")]), np.full((3, 5), np.nan), [[1, 2], [3]], None, a[0]):
        with pytest.raises(carillon.ArgumentError):
            carillon.Schedule.from_numpy(wrong, "total-exchange", "hypercube:3")
    empty = carillon.Schedule.from_numpy(np.zeros((0, 5), int), "total-exchange", "hypercube:3")
    assert not empty.ok and len(empty) == 0


def test_findings_name_the_row_that_was_given():
    s = carillon.plan("total-exchange", "torus:4x4")
    for order in (slice(None), slice(None, None, -1)):
        rows = s.to_numpy()[order].copy()
        rows["dst"][17] = rows["src"][17]
        broken = carillon.Schedule.from_numpy(rows, "total-exchange", "torus:4x4")
        found = [f for f in carillon.check(broken) if f.id == "no-link"]
        assert [f.row for f in found] == [17] and found[0].is_error and found[0].advice
        assert not broken.ok
        with pytest.raises(carillon.RuleError) as error:
            broken.run(engine="model")
        assert error.value.findings == broken.findings
        assert "there is no such link" in broken.draw().html and broken.draw()._repr_svg_() is None
        with pytest.raises(carillon.RuleError):
            broken.draw(view="table")


def test_logp_schedules_have_times():
    s = carillon.plan("broadcast", "logp:P=8,L=6,o=2,g=4")
    assert s.to_numpy().dtype.names == ("time", "src", "dst", "item", "rtime")
    assert [tuple(row)[:4] for row in s.to_numpy()] == [row[:4] for row in s.rows] and len(s) == len(s.rows)
    assert list(s.to_pandas()["dst"]) == [row.dst for row in s]
    buffered = carillon.plan("k-item-broadcast", "logp:P=10,L=3", items=8, scheme="buffered")
    assert (buffered.to_numpy()["rtime"] >= buffered.to_numpy()["time"] + 3).all()
    assert carillon.Schedule(buffered.rows).bind("k-item-broadcast", "logp:P=10,L=3", items=8).ok
    for of, more in ((s, {}), (buffered, {"items": 8})):
        again = carillon.Schedule.from_numpy(of.to_numpy()[::-1], of.problem.name, of.problem.network, **more)
        assert again.ok and again.rows == of.rows and (again.to_numpy() == of.to_numpy()).all()
    early = carillon.Schedule.from_numpy(np.array([row[:4] for row in s.rows]), "broadcast", s.problem.network)
    assert early.ok and early.rows == s.rows
    with pytest.raises(carillon.LimitError):
        carillon.Schedule.from_numpy([[2**32 - 3, 0, 1, 0]], "broadcast", s.problem.network)


def test_bounds_and_certificates():
    b = carillon.bound("total-exchange", "hypercube:4")
    assert b.slots == 8 and b.why and b.transmissions == 512
    proved = carillon.certify(b.certificate, "total-exchange", "hypercube:4")
    assert proved["slots"] == 8 and proved["proved"]
    with pytest.raises(carillon.RuleError):
        carillon.certify(b.certificate.replace("slots 8", "slots 9"), "total-exchange", "hypercube:4")
    with pytest.raises(carillon.ParseError) as error:
        carillon.certify("nothing\n", "total-exchange", "hypercube:4")
    assert error.value.line == 1
    assert carillon.plan("total-exchange", "hypercube:4").certificate == b.certificate


def test_a_problem_is_used_again():
    p = carillon.Problem("total-exchange", "hypercube:3", words=2)
    assert carillon.plan(p).slots == carillon.bound(p).slots == 4
    assert p.schemes[0] == carillon.plan(p).scheme and p.packet_numbers == 2
    with pytest.raises(carillon.ArgumentError):
        carillon.plan(p, "hypercube:3")
    with pytest.raises(carillon.ArgumentError):
        carillon.plan("broadcast")


def test_several_side_by_side():
    other = carillon.plan("total-exchange", "hypercube:3", scheme="one-bank")
    rows = other.to_numpy().copy()
    rows["slot"][0] = 99
    frame = carillon.compare("total-exchange", "hypercube:3", {
        "mine": carillon.Schedule.from_numpy(other.to_numpy(), "total-exchange", "hypercube:3"),
        "bad": carillon.Schedule.from_numpy(rows, "total-exchange", "hypercube:3")})
    assert list(frame["schedule"][2:]) == carillon.Problem("total-exchange", "hypercube:3").schemes
    assert list(frame["verdict"][:2]) == ["valid", "breaks rules"]
    assert frame.set_index("schedule").loc["recursive", "slots"] == 4
    front = carillon.front("all-reduce", "hypercube:3", 16)
    assert list(front["chunks"]) == [1, 2, 3, 4, 6, 8, 12, 16] and (front["slots"] >= front["bound_slots"]).all()


def test_imports_and_exports():
    s = carillon.plan("all-gather", "ring:4")
    for name in ("msccl-xml", "goal"):
        assert name in carillon.formats()
        back = carillon.import_plan(s.export(format=name).encode(), "ring:4", "all-gather")
        assert back.ok and back.slots == s.slots and back.algorithm == "multinode-broadcast"
        assert (np.unique(back.to_numpy()) == np.unique(s.to_numpy())).all()
    assert carillon.import_formats()
    for wrong in ("nothing", ""):
        with pytest.raises(carillon.ArgumentError):
            s.export(format=wrong)


def test_files_appear_when_they_are_complete(tmp_path):
    s = carillon.plan("total-exchange", "hypercube:3")
    s.export(tmp_path / "te.csv")
    assert carillon.read_schedule(tmp_path / "te.csv").rows == s.rows
    assert carillon.read_schedule(tmp_path / "te.csv", "total-exchange", "hypercube:3").ok
    with pytest.raises(carillon.CarillonError):
        s.export(tmp_path / "te.x", format="nothing")
    with pytest.raises(carillon.FileError):
        s.export(tmp_path / "none" / "te.csv")
    assert [p.name for p in tmp_path.iterdir()] == ["te.csv"]
