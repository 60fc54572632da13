# SPDX-License-Identifier: Apache-2.0
"""Playing schedules, in RTL and by the cycle model, and writing fabrics that play them."""
from __future__ import annotations

import dataclasses
import functools
import json
from typing import Any

import numpy as np

from carillon._library import Path, Progress, Watch, encoded, reading, text, write_file, written
from carillon._native import ffi, lib
from carillon.errors import ArgumentError, MismatchError
from carillon.problem import Networks, Problem, _nearest
from carillon.schedule import Schedule, _plan, refuse_broken
from carillon.traffic import Traffic

_STREAMS_ALL = lib.CARILLON_STREAMS_ALL


@dataclasses.dataclass(frozen=True)
class Run:
    """The result of playing a schedule.

    `ok`: every word on a link was as planned, on every engine, and every node ended with exactly what it must have. `result`: "ok", or one
    word for what is wrong; `text` then says where. `cycles`: from the first to the last word on a link. `words`: how many words links
    carried. `summary`: everything that is known, by the keys of docs/output.md.
    """

    ok: bool
    result: str
    cycles: int
    words: int
    mismatches: int
    faults: int
    text: str
    summary: dict[str, Any] = dataclasses.field(repr=False)
    _trace: bytes | None = dataclasses.field(repr=False)

    @functools.cached_property
    def trace(self) -> np.ndarray[Any, Any]:
        """Every word on a link, shape (words,), with the fields cycle, node, port and data (uint64). Only runs with trace=True have it."""
        if self._trace is None:
            raise ArgumentError("there is no trace: say trace=True")
        cells = self._trace.split()
        rows = np.empty(len(cells) // 4, [("cycle", "<u8"), ("node", "<u4"), ("port", "<u4"), ("data", "<u8")])
        for column, name in enumerate(("cycle", "node", "port")):
            rows[name] = np.array(cells[column::4], dtype="S").astype(rows.dtype[name])
        rows["data"] = [int(cell, 16) for cell in cells[3::4]]
        return rows


def _image(schedule: Schedule, progress: Progress) -> Any:
    """The schedule's tables; NULL where routers play without."""
    if not lib.carillon_needs_image(schedule._handle):
        return ffi.NULL
    return schedule.problem._watch.make("image", lib.carillon_lower, schedule._handle, progress=progress)


def run(what: Schedule | Problem | str | Traffic, network: Networks | None = None, *, engine: str | None = None, seed: int | None = None,
        threads: int | None = None, wave: Path | None = None, trace: bool = False, progress: Progress = None, **options: Any) -> Run:
    """Plays a schedule, compares every word on a link with the plan, and judges what the nodes hold at the end.

    what: a Schedule, or what `plan` takes, with `network` and options; it is then planned for the cheapest routers.
    engine: "rtl" (a simulator, compiled by Verilator and kept in the cache), "model", "both" (the default) or "board".
    seed: determines the payloads. threads: how many share the routers. wave: a file for waveforms, .fst or .vcd. trace: whether every
    word on a link is kept.

    Packets of several words, lanes, banks and their like are options of the plan. A run that ends badly is returned, with `ok` False;
    raises RuleError where the schedule breaks a rule, UnsupportedError and LimitError where there are no tables for it, ToolError where no
    simulator can be made.
    """
    if isinstance(what, Schedule):
        if network is not None or options:
            raise ArgumentError("a Schedule has its network and its options already")
        schedule = what
        refuse_broken(schedule, progress)
    else:
        schedule = _plan(Problem.of(what, network, options, for_routers=True), progress)
    problem = schedule.problem
    watch = problem._watch
    playing: list[Any] = []  # and not how it was played before
    with watch.lock:
        for name, value in (("engine", engine), ("seed", seed), ("threads", threads), ("wave", wave)):
            said = problem._held.said.get(name, ffi.NULL) if value is None else problem._held.value(name, problem.network, value)
            playing.append(said)
            watch.call(lib.carillon_problem_set, problem._handle, name.encode(), said)
        problem._held.playing = playing
        image = _image(schedule, progress)
        result = ffi.new("struct carillon_run *")

        def play(file: Any) -> int:
            return watch.call(lib.carillon_run, result, schedule._handle, image, file, progress=progress, passes=(lib.CRL_ERR_MISMATCH,))

        words = written(play) if trace else None
        if not trace:
            play(ffi.NULL)
        summary = json.loads(watch.told(lib.carillon_run_summary, result, schedule._handle, image))
    ok = result.result == lib.CARILLON_OK and not result.mismatches and not result.faults
    return Run(ok, text(lib.carillon_result_name(result.result)), result.cycles, result.words, result.mismatches, result.faults,
               text(result.text), summary, words)


# Fields of struct carillon_emission that are texts, flags and numbers, as they stand there.
_EMISSION = {name.decode() if isinstance(name, bytes) else name: field.type.kind
             for name, field in ffi.typeof("struct carillon_emission").fields if name != "directory"}


def _with_streams(schedule: Schedule) -> Schedule:
    """The same rows, of nodes whose words come and leave on streams."""
    if schedule.problem._held.struct.streams:
        refuse_broken(schedule)
        return schedule
    moved = Schedule.from_numpy(schedule.to_numpy(), schedule.problem.with_fields(streams=_STREAMS_ALL))
    refuse_broken(moved)
    return moved


def emit(what: Schedule | Problem | str | Traffic, directory: Path, network: Networks | None = None, *, progress: Progress = None,
         **how: Any) -> dict[str, Any]:
    """Writes a fabric, a self-contained directory of RTL, tables and a test bench, and returns its summary.

    what: a Schedule, or what `plan` takes, with `network`; it is then planned for streams.
    how: fields of struct carillon_emission in carillon.h, as top="my_fabric", protocol="axis", language="verilog", force=True, width=8.

    Raises ArgumentError for other fields, FileError if the directory exists and is not empty.
    """
    fields = ffi.new("struct carillon_emission *")
    kept = [ffi.new("char []", encoded(directory, "a directory"))]
    fields.directory = kept[0]
    for name, value in how.items():
        if name not in _EMISSION:
            raise ArgumentError(f"fabrics have no '{name}'{_nearest(name, _EMISSION)}")
        if _EMISSION[name] == "pointer":
            kept.append(ffi.new("char []", encoded(value, name)))
            value = kept[-1]
        try:
            setattr(fields, name, value)
        except (TypeError, OverflowError) as error:
            raise ArgumentError(f"{name} cannot be {value!r}: {error}") from None
    if isinstance(what, Schedule | Problem) and network is not None:
        raise ArgumentError(f"a {type(what).__name__} has its network already")
    if isinstance(what, Schedule):
        schedule = _with_streams(what)
    else:
        problem = what if isinstance(what, Problem) else Problem.of(what, network, {}, for_routers=True, streams=_STREAMS_ALL)
        schedule = _with_streams(_plan(problem, progress))
    watch = schedule.problem._watch
    image = _image(schedule, progress)
    emitted = ffi.new("struct carillon_emitted *", {"image": image, "schedule": schedule._handle})
    watch.call(lib.carillon_emit, emitted, 1, fields, progress=progress)
    return dict(json.loads(watch.told(lib.carillon_emission_summary, emitted, fields)))


def build(schedule: Schedule, path: Path, *, progress: Progress = None) -> dict[str, Any]:
    """Compiles a schedule to an image file, for `carillon dump`, `run` and boards; returns its summary."""
    refuse_broken(schedule, progress)
    watch = schedule.problem._watch
    image = watch.make("image", lib.carillon_lower, schedule._handle, progress=progress)
    write_file(path, lambda file: watch.call(lib.carillon_image_write, image, file))
    return dict(json.loads(watch.told(lib.carillon_image_summary, image, schedule._handle)))


def diff(left: Path | bytes, right: Path | bytes) -> None:
    """Compares two traces, 'cycle node port data' a line. Raises MismatchError at the first difference, with both sides as its text."""
    watch, found = Watch(), ffi.new("struct carillon_difference *")
    with reading(left) as one, reading(right) as other:
        names = [ffi.new("char []", name) for _, name in (one, other)]
        error = watch.call(lib.carillon_trace_diff, found, [one[0], other[0]], names, passes=(lib.CRL_ERR_MISMATCH,))
    if error:
        raise MismatchError(text(found.text))
