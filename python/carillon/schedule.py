# SPDX-License-Identifier: Apache-2.0
"""Schedules: planned, read, imported or made of arrays; judged; as arrays, frames and files."""
from __future__ import annotations

import collections
import dataclasses
import functools
import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from carillon import tables
from carillon._library import (
    Path,
    Progress,
    Scratch,
    Watch,
    encoded,
    encoded_or_null,
    reading,
    text,
    write_file,
    write_text,
    written,
)
from carillon._native import ffi, lib
from carillon.errors import ArgumentError, RuleError, UnsupportedError
from carillon.network import Network
from carillon.problem import Bound, Networks, Problem, _Options
from carillon.traffic import Traffic

if TYPE_CHECKING:
    import numpy.typing
    import pandas

    from carillon.drawing import Drawing
    from carillon.running import Run


class Move(NamedTuple):
    """A packet's move over a link; its name is as in the file: "3", "3>5", "3.1" or "3-5"."""

    slot: int
    src: int
    dst: int
    packet: str


class Send(NamedTuple):
    """A message of a LogP machine; rtime is None where messages are taken as they arrive."""

    time: int
    src: int
    dst: int
    item: int
    rtime: int | None = None


@dataclasses.dataclass(frozen=True)
class Finding:
    """What the checker found: the id of its kind, a sentence, whether a rule is broken, and the row, from 0 in the order in which rows
    were read or given; None where no row is to blame.
    """

    id: str
    text: str
    is_error: bool
    row: int | None

    @property
    def advice(self) -> str:
        """What such a finding means, and what to do."""
        kind = tables.finding_kinds()[self.id]
        return f"{kind.summary} {kind.advice}"


def packet_ends(packet: str) -> tuple[int, ...]:
    """The numbers in a packet's name: ("3>5") gives (3, 5). Raises ArgumentError on names of demands."""
    if not re.fullmatch(r"\d+([>.-]\d+)*", packet):
        raise ArgumentError(f"there are no numbers alone in the packet's name '{packet}'")
    return tuple(int(n) for n in re.split("[>.-]", packet))


def row_type(numbers: int) -> np.dtype[Any]:
    """The rows of an array: slot, src, dst and packet, which is one number or several; 0: those of a LogP machine."""
    if not numbers:
        return np.dtype([(name, "<u4") for name in ("time", "src", "dst", "item", "rtime")])
    return np.dtype([("slot", "<u4"), ("src", "<u4"), ("dst", "<u4"),
                     ("packet", "<u4") if numbers == 1 else ("packet", "<u4", (numbers,))])


def _columns(array: np.ndarray[Any, Any]) -> Any:
    """Where the library finds the columns of an array of rows, whose fields are all of four bytes."""
    at = int(array.ctypes.data)
    columns = ffi.new("struct carillon_columns *", {"stride": array.strides[0]})
    for k in range(array.dtype.itemsize // 4):
        column = ffi.cast("uint32_t *", at + 4 * k)
        if k < 3:
            setattr(columns, ("slot", "src", "dst")[k], column)
        else:
            columns.packet[k - 3] = column
    return columns


def _as_rows(array: Any, kind: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array of rows in the library's own shape: itself where it has that. Times of reception may be left out."""
    try:
        given = np.asarray(array)
    except ValueError as error:
        raise ArgumentError(f"rows are an array: {error}") from None
    names = kind.names or ()
    if given.dtype == kind and given.ndim == 1:
        return given if given.flags.aligned and given.strides[0] > 0 else given.copy()
    if given.dtype.names:
        if names[-1] == "rtime" and "rtime" not in given.dtype.names:
            kind, names = np.dtype([(name, "<u4") for name in names[:-1]]), names[:-1]
        if set(given.dtype.names) != set(names) or given.ndim != 1:
            raise ArgumentError(f"rows have the fields {', '.join(names)}, not {', '.join(given.dtype.names)}")
        parts = [_numbers(given[name]).reshape(len(given), -1) for name in names] if len(given) else []
        plain = np.concatenate(parts, axis=1) if parts else np.empty((0, kind.itemsize // 4), "<u4")
    else:
        if names[-1] == "rtime" and given.ndim == 2 and given.shape[1] == 4:
            kind = np.dtype([(name, "<u4") for name in names[:-1]])
        plain = given.reshape(0, kind.itemsize // 4) if given.size == 0 else given
    width = kind.itemsize // 4
    if plain.ndim != 2 or plain.shape[1] != width:
        raise ArgumentError(f"rows are {width} numbers each here, {', '.join(names)}; not an array of shape {plain.shape}")
    return np.ascontiguousarray(_numbers(plain)).view(kind).reshape(-1)


def _numbers(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.size and (array.dtype.kind not in "iu" or (array < 0).any() or (array > 0xFFFFFFFF).any()):
        raise ArgumentError("rows are whole numbers from 0 to 4294967295")
    return array.astype("<u4", copy=False)


class Schedule:
    """Who sends what to whom in which slot.

    A schedule that was planned, or that is bound to a problem otherwise, is checked by `check`, drawn by `draw`, played by `run`. One
    that was only read is rows, with algorithm and topology as far as its file says them, else None; `bind` gives it a problem.
    It may be pickled; a copy has the rows, and "file" as its scheme.

    Iterating gives the rows in the order of the file: Move on links, Send on a LogP machine.
    """

    _planned = False

    def __init__(self, rows: Iterable[Move | Send], algorithm: str | None = None, topology: str | None = None) -> None:
        self.__dict__["rows"] = list(rows)
        self.algorithm, self.topology = algorithm, topology
        self._problem: Problem | None = None
        self._handle: Any = None
        self._judged = False

    # ---- how one comes about

    @classmethod
    def _bound(cls, handle: Any, problem: Problem, planned: bool = False) -> Schedule:
        made = cls.__new__(cls)
        made._planned = planned
        made._handle, made._problem, made._judged = handle, problem, False
        made.algorithm, made.topology = problem.name, Scratch.untold(problem.network.spec)
        return made

    @classmethod
    def from_numpy(cls, array: numpy.typing.ArrayLike, problem: str | Traffic | Problem, network: Networks | None = None,
                   **options: Any) -> Schedule:
        """A schedule, from anyone, of rows in any order.

        `array`: with fields slot, src, dst, packet as to_numpy has them, which is read in place, or of shape (rows, 3 + n) where n
        numbers name a packet; on a LogP machine time, src, dst, item and, unless all are as early as can be, rtime. It is not judged yet:
        `check` does that. Raises ParseError where no packet is named so.
        """
        p = Problem.of(problem, network, options)
        rows = _as_rows(array, row_type(p.packet_numbers))
        handle = p._watch.make("schedule", lib.carillon_schedule_from_columns, p._handle, _columns(rows), len(rows), b"<array>")
        return cls._bound(handle, p)

    @classmethod
    def read(cls, source: Path | bytes, problem: str | Traffic | Problem, network: Networks | None = None, **options: Any) -> Schedule:
        """A schedule, from anyone, from a CSV file or its bytes; not judged yet. Raises ParseError with the place."""
        p = Problem.of(problem, network, options)
        with reading(source) as (file, name):
            return cls._bound(p._watch.make("schedule", lib.carillon_schedule_read, p._handle, file, name), p)

    def bind(self, problem: str | Traffic | Problem, network: Networks | None = None, **options: Any) -> Schedule:
        """The same rows as a schedule of a problem, not judged yet."""
        return Schedule.read(self._csv(), problem, network, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has the rows of this one, and is judged anew."""
        if self._problem is None:
            return Schedule, (self.rows, self.algorithm, self.topology)
        return Schedule.from_numpy, (self.to_numpy(), self._problem)

    # ---- what is known of it

    @property
    def problem(self) -> Problem:
        """What it solves. Raises UnsupportedError where it was only read."""
        if self._problem is None:
            raise UnsupportedError("these are rows of a file; bind(problem, network) says what they are to achieve")
        return self._problem

    def _call(self, function: Any, *arguments: Any, **more: Any) -> int:
        return self.problem._watch.call(function, self._handle, *arguments, **more)

    def _judge(self, progress: Progress = None) -> None:
        if not self._judged:
            self._call(lib.carillon_check, passes=(lib.CRL_ERR_RULE,), progress=progress)
            self._judged = True

    @functools.cached_property
    def summary(self) -> dict[str, Any]:
        """What is known of it once it is judged: the keys are those of docs/output.md."""
        watch = self.problem._watch
        self._judge()
        return dict(json.loads(watch.told(lib.carillon_schedule_summary, self._handle, False)))

    @property
    def slots(self) -> int:
        """The last slot in which something arrives; on a LogP machine the time."""
        if self._handle is None:
            return max((row[0] for row in self.rows), default=0)
        return int(self.summary.get("slots", self.summary.get("time", 0)))

    @property
    def bound(self) -> int | None:
        """The best lower bound on slots that is known, or None."""
        found = self.summary.get("bound_slots", self.summary.get("bound_time"))
        return None if found is None else int(found)

    @property
    def optimal(self) -> bool | None:
        """Whether no schedule has fewer slots; None: nobody knows."""
        found = self.summary.get("optimal")
        return None if found is None else bool(found)

    @property
    def scheme(self) -> str:
        """What it was planned by; "file" where it was not."""
        return str(self.summary["scheme"])

    @property
    def certificate(self) -> str:
        """Lines that prove the bound."""
        return Bound(self.problem).certificate

    @property
    def findings(self) -> list[Finding]:
        """What the checker finds; the first of each kind where there are many."""
        self.problem  # noqa: B018 (raises where there is none)
        self._judge()
        row, found = ffi.new("struct carillon_finding *"), []  # type: Any, list[Finding]
        while lib.carillon_schedule_finding(self._handle, len(found), row):
            line = int(row.row) - (1 if self._planned else 2)  # files begin with a header
            found.append(Finding(text(row.id), text(row.text), bool(row.is_error), line if row.row else None))
        return found

    @property
    def ok(self) -> bool:
        """Whether it breaks no rule."""
        self.problem  # noqa: B018
        self._judge()
        return not lib.carillon_schedule_verdict(self._handle).violations

    # ---- rows

    def _csv(self) -> bytes:
        if self._handle is not None:
            return written(lambda file: self._call(lib.carillon_schedule_write, b"csv", file))
        sends = [row for row in self.rows if isinstance(row, Send)]
        timed = any(row.rtime is not None for row in sends)
        head = "time,src,dst,item" + ",rtime" * timed if sends else "slot,src,dst,packet"
        lines = [",".join(str(x) for x in row if x is not None) for row in self.rows]
        return ("\n".join([head, *lines]) + "\n").encode()

    @functools.cached_property
    def rows(self) -> list[Move | Send]:
        """All rows, in the order of the file."""
        from carillon.readers import rows_of

        return rows_of(self._csv().decode())

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.rows) if self._handle is None else int(lib.carillon_schedule_row_count(self._handle))

    def __iter__(self) -> Iterator[Move | Send]:
        """The rows, one by one."""
        return iter(self.rows)

    def by_slot(self) -> dict[int, list[Move | Send]]:
        """{slot or time: rows in it}, in ascending order."""
        slots = collections.defaultdict(list)
        for row in self.rows:
            slots[row[0]].append(row)
        return dict(sorted(slots.items()))

    def links(self) -> dict[tuple[int, int], list[Move | Send]]:
        """{(src, dst): rows on it}."""
        links = collections.defaultdict(list)
        for row in self.rows:
            links[row.src, row.dst].append(row)
        return dict(links)

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """All rows as a structured array, shape (rows,), uint32: slot (from 1), src, dst, packet: a number, or an array of the numbers
        in its name. Where demands name packets these are the demand, in the order of ids, and the packet in it. On a LogP machine: time,
        src, dst, item, and rtime, when its reception begins.
        """
        if self._problem is None:
            return self._plain()
        array = np.empty(len(self), row_type(self._problem.packet_numbers))
        self._call(lib.carillon_schedule_columns, _columns(array), len(array))
        return array

    def _plain(self) -> np.ndarray[Any, Any]:
        """Rows that only stand in a file."""
        head = self._csv().split(b"\n", 1)[0].decode().split(",")
        if head[0] == "time":
            flat = np.array([row[: len(head)] for row in self.rows], "<u4").reshape(-1, len(head))
            return np.ascontiguousarray(flat).view([(name, "<u4") for name in head]).reshape(-1)
        ends = [(*row[:3], *packet_ends(row.packet)) for row in self.rows if isinstance(row, Move)]
        return _as_rows(np.array(ends, "<u4"), row_type(len(ends[0]) - 3 if ends else 1))

    def to_pandas(self, names: bool = False) -> pandas.DataFrame:
        """All rows as a frame: slot, src, dst and packet, a number or, where several name it, its name as a category. With `names`, src
        and dst are the nodes as the network calls them. On a LogP machine as to_numpy.
        """
        import pandas

        array = self.to_numpy()
        frame = pandas.DataFrame({name: array[name] for name in array.dtype.names or () if array[name].ndim == 1})
        if "packet" in (array.dtype.names or ()) and "packet" not in frame:
            codes, packets = self._packet_codes(array["packet"])
            frame["packet"] = pandas.Categorical.from_codes(codes, pandas.Index(packets))
        if names:
            nodes = pandas.Index(self.problem.network.nodes, dtype=object)
            for end in ("src", "dst"):
                frame[end] = nodes.take(array[end].astype(np.intp))
        return frame

    def _packet_codes(self, numbers: np.ndarray[Any, Any]) -> tuple[Any, list[str]]:
        """Each packet as a position in a list of names."""
        key = np.zeros(len(numbers), np.uint64)  # where there are three numbers the first two are below 2^24, the third below 2^8
        for column in range(numbers.shape[1]):
            key = key * np.uint64(1 << (32 if numbers.shape[1] == 2 else 24 if column < 2 else 8)) + numbers[:, column]
        _, first, codes = np.unique(key, return_index=True, return_inverse=True)
        if self._problem is not None:
            return codes, [self._problem.packet_name(*map(int, numbers[i])) for i in first]
        names = [str(row.packet) for row in self.rows if isinstance(row, Move)]
        return codes, [names[i] for i in first]

    # ---- files and pictures

    def export(self, path: Path | None = None, format: str | None = None) -> str | None:
        """Writes it in one of `formats()`, CSV if none is named; without a path it is returned.

        Raises ArgumentError on other formats, LimitError where it would be too long, UnsupportedError where that says nothing.
        """
        name = encoded_or_null(format, "a format")
        if self._handle is None and format not in (None, "csv"):
            self.problem  # noqa: B018
        if self._handle is None:
            content = self._csv()
        elif path is None or self.problem.network._file is not None:
            content = written(lambda file: self._call(lib.carillon_schedule_write, name, file))
        else:
            write_file(path, lambda file: self._call(lib.carillon_schedule_write, name, file))
            return None
        if path is None:
            return content.decode()
        write_text(path, content)
        return None

    def demands(self) -> str:
        """The demands of a traffic as CSV, also those that an imported plan was found to be."""
        return written(lambda file: self._call(lib.carillon_schedule_demands, file)).decode()

    def draw(self, view: str | None = None, slot: int = 0, **how: Any) -> Drawing:
        """A picture: see `carillon.draw`."""
        from carillon.drawing import draw

        return draw(self, view=view, slot=slot, **how)

    def run(self, engine: str | None = None, **more: Any) -> Run:
        """Plays it: see `carillon.run`."""
        from carillon.running import run

        return run(self, engine=engine, **more)

    def emit(self, directory: Path, **how: Any) -> dict[str, Any]:
        """Writes a fabric that plays it: see `carillon.emit`."""
        from carillon.running import emit

        return emit(self, directory, **how)

    def _repr_html_(self) -> str | None:
        if self._problem is None:
            return None
        return f"<pre>{self!r}</pre>"

    def __repr__(self) -> str:
        """What it is of, and how good."""
        if self._problem is None:
            return f"Schedule({len(self)} rows)"
        if not self.ok:
            return f"Schedule({self.algorithm!r}, {self.problem.network!r}: breaks rules)"
        known = "" if self.bound is None else f", bound {self.bound}"
        return f"Schedule({self.algorithm!r}, {self.problem.network!r}: {self.slots} slots{known}, by {self.scheme!r})"


def plan(problem: str | Traffic | Problem, network: Networks | None = None, *, progress: Progress = None, **options: Any) -> Schedule:
    """Plans a schedule, and checks it."""
    return _plan(Problem.of(problem, network, options), progress)


def _plan(problem: Problem, progress: Progress = None) -> Schedule:
    handle = problem._watch.make("schedule", lib.carillon_plan, problem._handle, progress=progress)
    schedule = Schedule._bound(handle, problem, planned=True)
    refuse_broken(schedule, progress)
    return schedule


def refuse_broken(schedule: Schedule, progress: Progress = None) -> None:
    """Raises RuleError, with the findings, where a schedule breaks a rule."""
    need_schedule(schedule)
    try:
        schedule._call(lib.carillon_check, progress=progress)
    except RuleError as error:
        schedule._judged = True
        error.findings = schedule.findings
        raise
    schedule._judged = True


plan.__doc__ = f"""Plans a schedule, and checks it by rules that do not know how it was made.

problem: the name of a collective as in `algorithms()`, such as "all-gather", a Traffic, or a Problem, which has the rest already.
network: a Network, its spelling, such as "torus:4x4", or a networkx graph.
progress: called as progress(doing, done, total) now and then, total 0 where nobody knows; what it raises ends the work. True: a bar of
    tqdm, where that is installed.

Returns a Schedule: `slots`, its `bound`, whether it is `optimal`, the `scheme`, rows by to_numpy(). Other threads go on meanwhile;
Ctrl-C ends it.

Raises ArgumentError on names and options that make no sense, ParseError with the place in a network or file, UnsupportedError where no
scheme is known, LimitError where it is too large, RuleError where demands cannot be met.

options:
{tables.options_text()}

>>> plan("all-to-all", "hypercube:4").slots
8
"""


def need_schedule(schedule: Schedule) -> Schedule:
    """The schedule, which has a problem. Raises ArgumentError where it is none, UnsupportedError where it is rows alone."""
    if not isinstance(schedule, Schedule):
        raise ArgumentError(f"a schedule is what plan returns, not {type(schedule).__name__}")
    schedule.problem  # noqa: B018
    return schedule


def check(schedule: Schedule, *, progress: Progress = None) -> list[Finding]:
    """Judges a schedule, from anyone: what was found, nothing where it is right and nothing is to be warned of.

    The checker knows nothing of how it was made. Findings with `is_error` say that a rule is broken; of many of a kind the first are
    listed. Raises UnsupportedError where the schedule is rows only, without a problem.
    """
    need_schedule(schedule)
    schedule._judged = False
    schedule.__dict__.pop("summary", None)
    schedule._judge(progress)
    return schedule.findings


def import_plan(source: Path | bytes, network: Networks, algorithm: str | None = None, *, format: str | None = None,
                progress: Progress = None, **options: Any) -> Schedule:
    """The plan of another tool as a schedule on links, not judged yet.

    `format`: one of `import_formats()`; None: as the file begins. `algorithm` None: what the file says that it achieves.
    Raises ParseError with the place in the file, also where ranks do not end with what they must.
    """
    net, watch = Network(network), Watch()
    held = _Options(watch, net, options)
    with reading(source) as (file, name):
        handle = watch.make("schedule", lib.carillon_import, watch.context, encoded_or_null(algorithm, "a collective"),
                            encoded(net.spec, "a network"), held.struct, encoded_or_null(format, "a format"), file, name,
                            progress=progress)
    return Schedule._bound(handle, Problem.kept_by(handle, net, options, watch, held))


