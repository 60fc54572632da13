# SPDX-License-Identifier: Apache-2.0
"""Problems: a collective or traffic on a network, with options; their bounds and certificates."""
from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from carillon import tables
from carillon._library import Path, Progress, Watch, encoded, reading, text, written
from carillon._native import ffi, lib
from carillon.errors import ArgumentError
from carillon.network import Network
from carillon.traffic import Traffic

Networks = Network | str | Any  # or a networkx graph


def _nearest(word: str, names: Iterable[str]) -> str:
    """As in "; did you mean 'ports'?", or nothing."""
    typed = ffi.new("char []", word.encode())
    nearest = ffi.new("struct carillon_nearest *", {"word": typed})
    candidates = [ffi.new("char []", name.encode()) for name in names]
    for candidate in candidates:
        lib.carillon_nearest_try(nearest, candidate)
    return text(lib.carillon_did_you_mean(nearest, ffi.new("char [96]")))


class _Options:
    """The library's options, and the texts that they point to."""

    def __init__(self, watch: Watch, network: Network, options: dict[str, Any]) -> None:
        self.struct = ffi.new("struct carillon_options *", lib.carillon_defaults())
        self.kept: list[Any] = []
        self.said: dict[str, Any] = {}
        self.playing: list[Any] = []  # what the last run was told
        table = tables.options()
        for name, value in options.items():
            if name not in table:
                raise ArgumentError(f"there is no option '{name}'{_nearest(name, table)}")
            row = table[name]
            if value is None or (row.is_flag and value is False):
                continue
            if isinstance(value, Traffic):
                self.kept.append(value.file_for(network))
                value = self.kept[-1].path
            if row.row.kind == lib.CARILLON_LINES and isinstance(value, Iterable) and not isinstance(value, str):
                value = "\n".join(str(line) for line in value)
            if row.is_flag and value is not True:
                raise ArgumentError(f"{name} is True or False, not {value!r}")
            self.said[name] = said = ffi.NULL if row.is_flag else self.value(name, network, value)
            self.kept.append(said)
            watch.call(lib.carillon_option_set, ffi.addressof(row.row), self.struct, said)

    @staticmethod
    def value(name: str, network: Network, value: Any) -> Any:
        """What the library is told of a value."""
        nodes = tables.options()[name].value.startswith("NODE")
        return ffi.new("char []", encoded(network.option(value, nodes), name))


class Problem:
    """A collective, by its name as in `algorithms()`, or a Traffic, on a network, with options.

    The names of options are those of `options()`; an option that means nothing for the problem is refused.

    Raises ArgumentError for options and names that make no sense, ParseError with the place in a network or a file,
    UnsupportedError if there is no algorithm for it, RuleError if no plan can meet the demands.
    """

    _handle: Any
    _keeper: Any = None  # of the handle, where that is not its own

    def __init__(self, problem: str | Traffic, network: Networks, **options: Any) -> None:
        self._new(problem, network, options)

    def _new(self, problem: str | Traffic, network: Networks, options: dict[str, Any], **fields: Any) -> None:
        """`fields` of the library's options are set, which are no rows of the table."""
        self.network, self._fields = Network(network), fields
        self._watch = Watch()
        if isinstance(problem, Traffic):
            options = {**options, problem.option: problem}
            problem = "traffic"
        self.name, self.options = problem, options
        self._held = _Options(self._watch, self.network, options)
        for name, value in fields.items():
            setattr(self._held.struct, name, value)
        self._handle = self._watch.make("problem", lib.carillon_problem_new, self._watch.context, encoded(problem, "a collective"),
                                        encoded(self.network.spec, "a network"), self._held.struct)

    @classmethod
    def of(cls, problem: str | Traffic | Problem, network: Networks | None, options: dict[str, Any], **fields: Any) -> Problem:
        """The problem itself, or one that is made of what is given."""
        if isinstance(problem, Problem):
            if network is not None or options:
                raise ArgumentError("a Problem has its network and its options already")
            return problem
        if network is None:
            raise ArgumentError("which network? Say it second, as in 'hypercube:4'")
        made = cls.__new__(cls)
        made._new(problem, network, options, **fields)
        return made

    @classmethod
    def kept_by(cls, schedule: Any, network: Network, options: dict[str, Any], watch: Watch, held: _Options) -> Problem:
        """The problem that came with a schedule's handle."""
        made = cls.__new__(cls)
        made.network, made.options, made._watch, made._held, made._fields = network, options, watch, held, {}
        made._handle, made._keeper = lib.carillon_schedule_problem(schedule), schedule
        made.name = text(lib.carillon_problem_name(made._handle))
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is made anew."""
        return _again, (self.name, self.network, self.options, self._fields)

    def with_fields(self, **fields: Any) -> Problem:
        """The same problem with other fields of the library's options."""
        return Problem.of(self.name, self.network, self.options, **{**self._fields, **fields})

    @property
    def schemes(self) -> list[str]:
        """Those that solve it with its options; `plan` takes the first."""
        found: list[str] = []
        while (name := lib.carillon_problem_scheme(self._handle, len(found))) != ffi.NULL:
            found.append(text(name))
        return found

    @property
    def packet_numbers(self) -> int:
        """How many numbers name a packet: of "3" one, of "3>5" two; 0 on a LogP machine, where messages have items."""
        return int(lib.carillon_packet_numbers(self._handle))

    def packet_name(self, *numbers: int) -> str:
        """The packet's name as it stands in files. Raises ArgumentError where no packet has these numbers."""
        name = ffi.new("char [128]")
        self._watch.call(lib.carillon_packet_text, self._handle, [*numbers, *([0] * (3 - len(numbers)))], name)
        return text(name)

    def __repr__(self) -> str:
        """How it is made."""
        more = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"Problem({self.name!r}, {self.network!r}{more})"


def _again(name: str, network: Network, options: dict[str, Any], fields: dict[str, Any]) -> Problem:
    return Problem.of(name, network, options, **fields)


class Bound:
    """A lower bound: `slots`, `transmissions` (None: none is known), `why` (sentences), and the whole `summary`."""

    def __init__(self, problem: Problem, progress: Progress = None) -> None:
        self.problem = problem
        self.summary: dict[str, Any] = json.loads(
            problem._watch.told(lib.carillon_problem_bound, problem._handle, progress=progress))
        self.slots: int | None = self.summary.get("bound_slots")
        self.transmissions: int | None = self.summary.get("bound_transmissions")
        self.why: list[str] = self.summary.get("why", [])

    @property
    def certificate(self) -> str:
        """Lines that prove it, for `certify` and any other checker: docs/formats/certificate.md.

        Raises UnsupportedError where none is known.
        """
        p = self.problem
        return written(lambda file: p._watch.call(lib.carillon_problem_certificate, p._handle, file)).decode()

    def __repr__(self) -> str:
        """The number, and what it is of."""
        return f"Bound({self.slots} slots, {self.problem!r})"


def bound(problem: str | Traffic | Problem, network: Networks | None = None, *, progress: Progress = None, **options: Any) -> Bound:
    """The best lower bound on slots that can be proved, without a plan. Errors are those of Problem.

    >>> bound("all-to-all", "hypercube:4").slots
    8
    """
    return Bound(Problem.of(problem, network, options), progress)


def certify(certificate: str | bytes | Path, problem: str | Traffic | Problem, network: Networks | None = None, *,
            progress: Progress = None, **options: Any) -> dict[str, Any]:
    """Whether a certificate, from anyone, proves what it says: what that is, as a dictionary.

    A text with a line feed is the certificate itself, any other the path of a file.
    Raises RuleError with the reason where it does not, ParseError with its place where it is none.
    """
    if isinstance(certificate, str) and "\n" in certificate:
        certificate = certificate.encode()
    p = Problem.of(problem, network, options)
    with reading(certificate) as (file, name):
        return dict(json.loads(p._watch.told(lib.carillon_certify, p._handle, file, name, progress=progress)))
