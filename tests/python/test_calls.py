# SPDX-License-Identifier: Apache-2.0
"""What a call does beside its work: errors of every code, progress, Ctrl-C, threads, memory."""
import concurrent.futures
import copy
import gc
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import tracemalloc

import networkx
import pytest

import carillon
from carillon import _library
from carillon._native import ffi

ROOT = pathlib.Path(__file__).resolve().parents[2]


def script(text, **environment):
    """What a script does in a process of its own."""
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(text)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **environment})


def out_of(process):
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return out.strip()


def interrupted():
    def stop(doing, done, total):
        raise carillon.CancelledError("enough")
    carillon.run("all-gather", "hypercube:10", engine="model", words=64, progress=stop)


SIMPLE = {
    "argument": lambda: carillon.plan("nothing", "ring:4"),
    "parse": lambda: carillon.plan("broadcast", "ring:"),
    "io": lambda: carillon.Schedule.read("/none", "broadcast", "ring:4"),
    "rule": lambda: carillon.Schedule.from_numpy([[1, 0, 2, 0]], "broadcast", "ring:4").run(engine="model"),
    "unsupported": lambda: carillon.plan("scan", "hypercube:3", members="0,1"),
    "limit": lambda: carillon.plan("total-exchange", "mesh:100x100"),
    "mismatch": lambda: carillon.diff(b"0 0 0 1\n", b"0 0 0 2\n"),
    "device": lambda: carillon.run("total-exchange", "hypercube:3", engine="board", lanes=1, width=16, board="hx8k"),
    "interrupted": interrupted,
}


@pytest.mark.parametrize("name", SIMPLE)
def test_an_error_of_each_code(name):
    kind = next(k for k in carillon.CarillonError.by_code.values() if k.__name__.lower().startswith(
        {"io": "file", "interrupted": "cancelled"}.get(name, name)))
    with pytest.raises(kind) as error:
        SIMPLE[name]()
    assert type(error.value) is kind and error.value.text and error.value.code == kind.code


def test_out_of_memory_is_an_error():
    assert out_of(script("""
        import resource, carillon, numpy
        rows = numpy.ones((8_000_000, 4), "u4")
        room = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (room + (60 << 20), -1))
        rows = rows.view(carillon.plan("broadcast", "ring:4").to_numpy().dtype).reshape(-1)
        try:
            carillon.Schedule.from_numpy(rows, "broadcast", "ring:4")
        except carillon.OutOfMemoryError as error:
            print(error.code)
    """)) == "-4"


def test_what_goes_wrong_with_simulators_are_errors_of_their_own(tmp_path):
    text = """
        import carillon
        try:
            carillon.run("broadcast", "ring:3", engine="rtl")
        except carillon.CarillonError as error:
            print(type(error).__name__)
    """

    def error_of(name, **environment):
        return out_of(script(text, CARILLON_CACHE=str(tmp_path / name), **environment))

    def compiler(name, lines):
        folder = tmp_path / f"{name}-bin"
        folder.mkdir()
        (folder / "g++").write_text(f"#!/bin/sh\n{lines}\n")
        (folder / "g++").chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"

    assert error_of("tool", PATH="/none") == "ToolError"
    assert error_of("build", PATH=compiler("build", "echo no >&2; exit 1")) == "BuildError"
    # A compiler that writes what is no library.
    garbage = 'while [ $# -gt 1 ]; do [ "$1" != -o ] || echo no >"$2"; shift; done'
    assert error_of("load", PATH=compiler("load", garbage)) == "LoadError"
    # Routers that find a mistake in themselves.
    data = tmp_path / "data"
    for folder in ("rtl", "sim"):
        shutil.copytree(ROOT / folder, data / folder)
    (data / "runtime").symlink_to(ROOT / "build" / "runtime")  # what was made with the product need not be compiled
    router = data / "rtl" / "slot" / "crl_router.sv"
    head, end, tail = router.read_text().rpartition("endmodule")
    router.write_text(f"{head}  always_ff @(posedge clk_i) assert (!rst_ni);\n{end}{tail}")
    assert error_of("assert", CARILLON_DATA=str(data)) == "AssertionFailedError"


def test_errors_that_cannot_be_caused_here_have_their_class():
    diag = ffi.new("struct crl_diag *", {"file": b"f", "line": 3, "col": 4, "text": b"no"})
    for code, kind in carillon.CarillonError.by_code.items():
        error = _library.failure(code, diag)
        assert type(error) is kind and str(error) == "f:3:4: no" and (error.file, error.line, error.column, error.text) == ("f", 3, 4, "no")


S = carillon.plan("total-exchange", "hypercube:3")
WRONG = [lambda: carillon.plan(5, "ring:4"), lambda: carillon.plan(b"broadcast", "ring:4"), lambda: carillon.plan("\ud800", "ring:4"),
         lambda: carillon.plan("broadcast\0x", "ring:4"), lambda: carillon.plan("broadcast", "ring:4\0"),
         lambda: carillon.plan("broadcast", "ring:4", root="1\0"), lambda: carillon.plan("broadcast", "ring:4", root=b"1"),
         lambda: carillon.plan("broadcast", "ring:4", parts={}), lambda: carillon.plan("broadcast", "ring:4", parts=10**30),
         lambda: carillon.plan("broadcast", "ring:4", parts=float("nan")), lambda: carillon.plan("broadcast", "ring:4", progress=5),
         lambda: carillon.plan("groups", "torus:3x3", group=5), lambda: carillon.check(None), lambda: carillon.build("x", "/tmp/x"),
         lambda: carillon.certify(5, "broadcast", "ring:4"), lambda: carillon.Schedule.read(5, "broadcast", "ring:4"),
         lambda: S.export(5), lambda: S.export(format=5), lambda: S.export(b"x"), lambda: S.emit(5), lambda: carillon.draw(None),
         lambda: carillon.compare("total-exchange", "ring:4", [S]), lambda: carillon.front(5, "ring:4"), lambda: S.run(seed=-1)]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_of_a_wrong_kind_is_said_so(number):
    with pytest.raises(carillon.ArgumentError):
        WRONG[number]()


def test_files_that_cannot_be(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for read in (carillon.read_schedule, carillon.read_trace, carillon.read_summary, carillon.read_table):
        with pytest.raises(carillon.FileError):
            read(tmp_path / "none")
        with pytest.raises(carillon.FormatError):
            read(tmp_path / "bytes")
    for name in ("", "none/x"):
        with pytest.raises(carillon.FileError):
            S.export(tmp_path / name)
        with pytest.raises(carillon.FileError):
            carillon.build(S, tmp_path / name)
    for name in ("ü ☃.csv", os.fsdecode(b"\xff.csv")):
        S.export(tmp_path / name)
        assert carillon.read_schedule(tmp_path / name, "total-exchange", "hypercube:3").ok


def test_copies():
    g = networkx.path_graph(3)
    for schedule in (S, carillon.plan("broadcast", g), carillon.plan("broadcast", "logp:P=8,L=6,o=2,g=4"),
                     carillon.plan(carillon.Traffic.from_matrix([[0, 2], [1, 0]]), "path:2"), carillon.Schedule(S.rows)):
        for again in (pickle.loads(pickle.dumps(schedule)), copy.deepcopy(schedule)):
            assert again.rows == schedule.rows and again.slots == schedule.slots
    assert pickle.loads(pickle.dumps(carillon.Network(g))).links == carillon.Network(g).links


def test_a_child_takes_nothing_away():
    assert out_of(script("""
        import atexit, os, carillon, networkx
        n = carillon.Network(networkx.petersen_graph())
        child = os.fork()
        if not child:
            assert carillon.plan("all-gather", n).ok
            atexit._run_exitfuncs()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(carillon.plan("all-gather", n).slots)
    """)) == "3"


def test_what_a_callback_does_comes_through():
    def go(progress):
        return carillon.run("all-gather", "hypercube:9", engine="model", words=64, progress=progress)

    for kind in (KeyboardInterrupt, SystemExit, StopIteration, MemoryError):
        def stop(*row, kind=kind):
            raise kind

        with pytest.raises(kind):
            go(stop)

    def nested(*row):
        with pytest.raises(ZeroDivisionError):
            go(lambda *row: 1 // 0)
        raise KeyError("outer")

    with pytest.raises(KeyError):
        go(nested)


def test_progress_is_told_and_may_end_the_work():
    seen = []
    carillon.run("all-gather", "hypercube:8", engine="model", words=64, progress=lambda *row: seen.append(row))
    assert seen and all(doing and done >= 0 and total >= 0 for doing, done, total in seen)

    def stop(doing, done, total):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        carillon.run("all-gather", "hypercube:10", engine="model", words=64, progress=stop)
    assert carillon.run("all-gather", "hypercube:3", engine="model", progress=True).ok  # a bar


@pytest.mark.parametrize("what", ["carillon.dynamic('direct', 'hypercube:8', [0.1, 0.2, 0.3], slots=10**8)",
                                  "carillon.run('all-gather', 'hypercube:10', engine='model', words=4096)",
                                  "carillon.plan('total-exchange', 'mesh:11x11', link_latency='3,2')"])
def test_control_c_ends_the_work_and_leaves_all_in_order(what, tmp_path):
    process = script(f"""
        import carillon, sys
        print("begun", flush=True)
        try:
            {what}
        except KeyboardInterrupt:
            print("ended", carillon.plan("total-exchange", "hypercube:3").slots)
    """, CARILLON_CACHE=str(tmp_path))
    assert process.stdout.readline() == "begun\n"
    time.sleep(1.0)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert out_of(process) == "ended 4"
    assert time.monotonic() - sent < 20


def test_threads_plan_at_once_and_alike():
    def work(_):
        return carillon.plan("total-exchange", "torus:4x4x4").to_numpy().tobytes()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(work, range(8)))) == 1
    p = carillon.Problem("total-exchange", "hypercube:5")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(lambda _: carillon.plan(p).run(engine="model").cycles, range(8)))) == 1


def rss():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def leak(count):
    """How much more is held after so many plans."""
    def work():
        s = carillon.plan("total-exchange", "hypercube:3")
        s.to_numpy()
        s.export()
        with pytest.raises(carillon.ArgumentError):
            carillon.plan("total-exchange", "hypercube:3", items=3)

    for _ in range(100):
        work()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0], rss()
    for _ in range(count):
        work()
    gc.collect()
    after = tracemalloc.get_traced_memory()[0], rss()
    tracemalloc.stop()
    return after[0] - before[0], after[1] - before[1]


def test_nothing_leaks():
    traced, resident = leak(300)
    assert traced < 50_000 and resident < 8 << 20


@pytest.mark.long
def test_nothing_leaks_over_many_plans():
    traced, resident = leak(10_000)
    print("traced", traced, "resident", resident)
    assert traced < 50_000 and resident < 8 << 20
