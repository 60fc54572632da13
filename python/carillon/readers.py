# SPDX-License-Identifier: Apache-2.0
"""Readers of what the program writes: schedules (CSV and JSON), traces, summaries, other tables, and gate control lists.

Nothing is interpreted: rows come as they stand in the file, with numbers as numbers.
"""
from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TextIO

from carillon._library import Path, encoded
from carillon.errors import FileError, FormatError
from carillon.problem import Networks, Problem
from carillon.schedule import Move, Schedule, Send
from carillon.traffic import Traffic


class Word(NamedTuple):
    """A word on a link."""

    cycle: int
    node: int
    port: int
    data: int


class Gate(NamedTuple):
    """How long which gates of a port are open: bit 7 those of our packets, as no others are then."""

    nanoseconds: int
    states: int


def _bad(text: str, file: str, line: int = 0) -> FormatError:
    return FormatError(text, file, line)


def _number(text: str, file: str, line: int, base: int = 10) -> int:
    digits = "0123456789abcdef"[:base]
    if not text or text.strip(digits):
        raise _bad(f"'{text}' is not a number", file, line)
    return int(text, base)


def _lines(text: Iterable[str], file: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text, 1):
        if not line.endswith("\n"):
            raise _bad("the file is cut off", file, number)
        yield number, line.rstrip("\r\n")


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    """The file. Raises FileError where it cannot be read, FormatError where it is no text."""
    try:
        with open(encoded(path, "a file"), encoding="utf-8") as file:
            yield file
    except UnicodeDecodeError:
        raise _bad("not a text", os.fspath(path), 1) from None
    except OSError as error:
        raise FileError(f"cannot read '{os.fspath(path)}': {error.strerror}") from None


def _lines_of(path: Path) -> Iterator[tuple[int, str]]:
    with _opened(path) as file:
        yield from _lines(file, os.fspath(path))


_KINDS: dict[tuple[str, ...], type[Move] | type[Send]] = {
    ("slot", "src", "dst", "packet"): Move,
    ("time", "src", "dst", "item"): Send,
    ("time", "src", "dst", "item", "rtime"): Send,
}
# "3", "3>5", "3.1", "3-5", "3>5.1"; of demands "id.3", of groups "g3/0>5".
_PACKET = re.compile(r"\d+([>.-]\d+)?(\.\d+)?|[A-Za-z0-9_>/-]+\.\d+|[A-Za-z0-9_>-]+/[A-Za-z0-9_>/-]+")


def _row(kind: type[Move] | type[Send], cells: list[str], columns: int, file: str, line: int) -> Move | Send:
    if len(cells) != columns:
        raise _bad(f"{len(cells)} cells, not {columns}", file, line)
    slot, src, dst = (_number(c, file, line) for c in cells[:3])
    if kind is Send:
        return Send(slot, src, dst, *(_number(c, file, line) for c in cells[3:]))
    if not _PACKET.fullmatch(cells[3]):
        raise _bad(f"'{cells[3]}' is not a packet", file, line)
    return Move(slot, src, dst, cells[3])


def _rows(lines: Iterator[tuple[int, str]], file: str) -> list[Move | Send]:
    _, head = next(lines, (1, ""))
    columns = tuple(head.split(","))
    if columns not in _KINDS:
        raise _bad(f"not a schedule: the first line is '{head}'", file, 1)
    kind = _KINDS[columns]
    return [_row(kind, line.split(","), len(columns), file, number) for number, line in lines]


def rows_of(text: str) -> list[Move | Send]:
    """The rows of a schedule as CSV."""
    return _rows(_lines(text.splitlines(keepends=True), "<schedule>"), "<schedule>")


def _load(path: Path) -> Any:
    with _opened(path) as file:
        try:
            return json.load(file)
        except json.JSONDecodeError as error:
            raise _bad(error.msg, os.fspath(path), error.lineno) from None


def _read_json(path: Path) -> Schedule:
    whole, file = _load(path), os.fspath(path)
    columns = tuple(whole.get("columns", ())) if isinstance(whole, dict) else ()
    if columns not in _KINDS or not isinstance(whole.get("rows"), list):
        raise _bad("not a schedule", file, 1)
    rows = [_row(_KINDS[columns], [str(c) for c in row], len(columns), f"{file}: row {i}", 0)
            for i, row in enumerate(whole["rows"], 1)]
    return Schedule(rows, whole.get("algorithm"), whole.get("topology"))


def read_schedule(path: Path, problem: str | Traffic | Problem | None = None, network: Networks | None = None,
                  **options: Any) -> Schedule:
    """A Schedule from the CSV or the JSON of `carillon plan`.

    With a problem, as `plan` takes it, it can be checked, drawn and played; without one it is rows. Raises FormatError, or with a problem
    ParseError, with the place in the file.
    """
    with _opened(path) as file:
        is_json = file.read(64).lstrip().startswith("{")
    if problem is None:
        return _read_json(path) if is_json else Schedule(_rows(_lines_of(path), os.fspath(path)))
    return _read_json(path).bind(problem, network, **options) if is_json else Schedule.read(path, problem, network, **options)


def read_trace(path: Path) -> list[Word]:
    """The words of a trace, 'cycle node port data' a line, data in hexadecimal."""
    words, file = [], os.fspath(path)
    for line, row in _lines_of(path):
        cells = row.split(" ")
        if len(cells) != 4:
            raise _bad(f"{len(cells)} cells, not 4", file, line)
        cycle, node, port = (_number(c, file, line) for c in cells[:3])
        words.append(Word(cycle, node, port, _number(cells[3], file, line, 16)))
    return words


def read_summary(path: Path) -> Any:
    """What a command printed with --json, as a dictionary."""
    return _load(path)


def value(text: str) -> int | float | bool | str | None:
    """A cell of a table; empty ones are None."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"": None, "true": True, "false": False}.get(text, text)


def read_table(path: Path) -> list[dict[str, int | float | bool | str | None]]:
    """Any CSV that has a head: a dictionary a line, by the names in the head. Empty cells are None."""
    lines, file = _lines_of(path), os.fspath(path)
    names = next(lines, (1, ""))[1].split(",")
    table = []
    for line, row in lines:
        cells = row.split(",")
        if len(cells) != len(names):
            raise _bad(f"{len(cells)} cells, not {len(names)}", file, line)
        table.append(dict(zip(names, map(value, cells), strict=True)))
    return table


def read_gates(path: Path) -> dict[tuple[int, str], list[Gate]]:
    """{(node, name of the port): its Gates in order} of the gate control lists of --format tsn-gcl."""
    gates = {}
    try:
        for bridge in _load(path):
            for port in bridge["ietf-interfaces:interfaces"]["interface"]:
                table = port["ieee802-dot1q-bridge:bridge-port"]["ieee802-dot1q-sched-bridge:gate-parameter-table"]
                entries = sorted(table["admin-control-list"]["gate-control-entry"], key=lambda entry: entry["index"])
                gates[bridge["node"], port["name"]] = [Gate(e["time-interval-value"], e["gate-states-value"]) for e in entries]
    except (KeyError, TypeError) as error:
        raise _bad(f"not gate control lists: {type(error).__name__} {error}", os.fspath(path), 1) from None
    return gates
