# SPDX-License-Identifier: Apache-2.0
"""Several at once, as frames: schemes and schedules side by side, fronts of chunks, sweeps of random broadcasts."""
from __future__ import annotations

import concurrent.futures
import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from carillon import _library
from carillon._library import Progress, Watch, encoded
from carillon._native import ffi, lib
from carillon.errors import ArgumentError, CarillonError, LimitError, UnsupportedError
from carillon.network import Network
from carillon.problem import Networks, Problem, _Options
from carillon.readers import value
from carillon.schedule import Schedule, _plan, need_schedule
from carillon.traffic import Traffic

if TYPE_CHECKING:
    import pandas

_SUMMARY = ["slots", "bound_slots", "transmissions", "buffer_packets", "lanes", "banks", "write_xbar", "delay", "waddr_field", "time_us",
            "algbw"]


def _row(name: str, schedule: Schedule) -> dict[str, Any]:
    """What is known of one, and of the router that it needs."""
    watch = need_schedule(schedule).problem._watch
    verdict = "breaks rules" if not schedule.ok else "optimal" if schedule.optimal else "valid"
    summary = schedule.summary
    if schedule.ok:
        try:  # some have no tables, or none with these options
            image = watch.make("image", lib.carillon_lower, schedule._handle)
            summary = json.loads(watch.told(lib.carillon_image_summary, image, schedule._handle))
        except CarillonError as error:
            if error.code not in (UnsupportedError.code, LimitError.code, ArgumentError.code):
                raise
    return {"schedule": name, "verdict": verdict, **{key: summary.get(key) for key in _SUMMARY}}


def compare(problem: str | Traffic | Problem, network: Networks | None = None, schedules: Mapping[str, Schedule] | None = None, *,
            progress: Progress = None, **options: Any) -> pandas.DataFrame:
    """Schedules of one's own, by the names that they are given, and all schemes that solve the problem, side by side.

    A row each: schedule, verdict ("optimal", "valid" or "breaks rules"), slots, bound_slots, transmissions, buffer_packets (that a node
    must hold), and what its router needs: lanes, banks, write_xbar, delay, waddr_field; with word=, link= and alpha= also time_us and
    algbw (GB/s). Schemes that turn out not to fit are left out. Errors are those of `plan`.
    """
    import pandas

    base = Problem.of(problem, network, options)
    if schedules is not None and not isinstance(schedules, Mapping):
        raise ArgumentError("schedules of one's own are a dictionary, by the names that they are given")
    rows = [_row(name, schedule) for name, schedule in (schedules or {}).items()]
    for scheme in base.schemes:
        try:
            one = Problem.of(base.name, base.network, {**base.options, "scheme": scheme})
            rows.append(_row(scheme, _plan(one, progress)))
        except CarillonError as error:  # of some schemes it turns out only when they are tried
            if error.code not in (UnsupportedError.code, LimitError.code, ArgumentError.code):
                raise
    frame = pandas.DataFrame(rows, columns=["schedule", "verdict", *_SUMMARY])
    return frame.dropna(axis="columns", how="all")


def front(algorithm: str, network: Networks, chunks: int = 256, *, progress: Progress = None, **options: Any) -> pandas.DataFrame:
    """Slots of sums against the number of chunks, beside the bound, as a frame: chunks, slots, bound_slots, plans.

    Of all-reduce, reduce and scan. Up to 256 chunks are planned, some numbers of them; any number up to `chunks`, at most 1000000, is
    covered by plans one after the other, which `plans` names, as in "3 x 256 + 64".
    """
    import pandas

    watch, net = Watch(), Network(network)
    held = _Options(watch, net, {**options, "chunks": chunks})
    out = ffi.new("char **")
    watch.call(lib.carillon_front, out, watch.context, encoded(algorithm, "a collective"), encoded(net.spec, "a network"), held.struct,
               progress=progress)
    return pandas.DataFrame(json.loads(_library.owned(out[0]))["front"])


def _each(one: Any) -> list[Any]:
    return list(one) if isinstance(one, Iterable) and not isinstance(one, str) else [one]


def _factor(rho: Any) -> float:
    try:
        return float(rho)
    except (TypeError, ValueError):
        raise ArgumentError(f"a load factor is a number above 0, not {rho!r}") from None


def _point(watch: Watch, scheme: str, network: Network, rho: float, options: dict[str, Any]) -> str:
    """One run of random broadcasts: its line."""
    held = _Options(watch, network, options)
    traffic = ffi.new("struct carillon_traffic *")
    watch.context.threads = 1
    watch.call(lib.carillon_traffic_run, traffic, watch.context, encoded(scheme, "a scheme"), encoded(network.spec, "a network"), rho,
               held.struct, ffi.NULL, ffi.NULL)
    lib.free(traffic.json)
    return _library.text(traffic.line)


def dynamic(scheme: str | Iterable[str], network: Networks | Iterable[Networks], rho: float | Iterable[float] = 0.0, *,
            workers: int | None = None, **options: Any) -> pandas.DataFrame:
    """Broadcasts that arrive at random, measured: a row for each scheme, network and load factor.

    scheme: naive, periodic, direct, indirect, indirect-nonidling or balanced on a hypercube, pmnb on a torus or an array. rho: above 0;
    left out with blocking=True, whose sources are saturated. Options: slots, warmup, seed, depth, tp, stall, engine. `workers`: points
    measured at once, as many as there are processors if left out; the results do not depend on it.

    Columns: delay (slots, with delay_ci95, half a 95 % interval), queue (packets a node), utilization, stable, result, and what papers say
    (Stamoulis and Tsitsiklis 1993; Varvarigos and Bertsekas 1994). A run that ends badly has its result in its row.
    """
    import pandas

    networks = [network] if hasattr(network, "is_directed") else _each(network)
    points = [(Watch(), s, Network(n), _factor(r), options) for s in _each(scheme) for n in networks for r in _each(rho)]
    if workers is not None and workers < 1:
        raise ArgumentError(f"workers are 1 or more, not {workers}")
    with concurrent.futures.ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        futures = [pool.submit(_point, *point) for point in points]
        try:
            lines = [future.result() for future in futures]
        except BaseException:  # Ctrl-C comes here, to the thread that waits
            pool.shutdown(wait=False, cancel_futures=True)
            for point in points:
                point[0].stop()
            raise
    names = _library.text(lib.carillon_traffic_columns()).split(",")
    return pandas.DataFrame([dict(zip(names, map(value, line.rstrip("\n").split(",")), strict=True)) for line in lines], columns=names)
