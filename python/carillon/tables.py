# SPDX-License-Identifier: Apache-2.0
"""What there is, as the C library's tables say it: options, algorithms, networks, formats, findings."""
from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from carillon._library import text
from carillon._native import ffi, lib


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of `plan` and its like: its name as a keyword, the word for its value (flags: ""), and what it means."""

    name: str
    value: str
    help: str
    row: Any = dataclasses.field(repr=False, compare=False)

    @property
    def is_flag(self) -> bool:
        """Whether it is True or left out."""
        return bool(self.row.kind == lib.CARILLON_FLAG)


@dataclasses.dataclass(frozen=True)
class Algorithm:
    """A row of the table of algorithms: which scheme solves what on which networks, with the bound and the paper."""

    algorithm: str
    scheme: str
    topology: str
    ports: str
    bound: str
    paper: str
    summary: str


@dataclasses.dataclass(frozen=True)
class FindingKind:
    """A kind of finding of the checker: what it means and what to do."""

    id: str
    summary: str
    advice: str
    is_error: bool


@functools.cache
def _options() -> dict[str, Option]:
    count = ffi.new("size_t *")
    rows = lib.carillon_option_table(count)
    made = (Option(text(rows[i].name).replace("-", "_"), text(rows[i].value), text(rows[i].help), rows[i]) for i in range(count[0]))
    return {option.name: option for option in made}


def options() -> dict[str, Option]:
    """All options by their names as keywords, in the order of the table."""
    return dict(_options())


def _names(at: Callable[[int], Any]) -> list[str]:
    found: list[str] = []
    while (name := at(len(found))) != ffi.NULL:
        found.append(text(name))
    return found


def algorithms() -> list[Algorithm]:
    """The table of algorithms."""
    row, found = ffi.new("struct carillon_algorithm *"), []  # type: Any, list[Algorithm]
    while lib.carillon_algorithm_at(len(found), row):
        found.append(Algorithm(*(text(getattr(row, field.name)) for field in dataclasses.fields(Algorithm))))
    return found


def networks() -> list[str]:
    """How networks are spelled, as in "hypercube:D"."""
    return _names(lib.carillon_topology_at)


def formats() -> list[str]:
    """What `Schedule.export` writes."""
    return _names(lib.carillon_format_at)


def import_formats() -> list[str]:
    """What `import_plan` reads."""
    return _names(lib.carillon_import_format_at)


def finding_kinds() -> dict[str, FindingKind]:
    """What the checker may find, by id."""
    row, found = ffi.new("struct carillon_finding_kind *"), {}  # type: Any, dict[str, FindingKind]
    while lib.carillon_finding_kind_at(len(found), row):
        found[text(row.id)] = FindingKind(text(row.id), text(row.summary), text(row.advice), bool(row.is_error))
    return found


def options_text() -> str:
    """The options as lines for docstrings."""
    return "\n".join(f"    {o.name}: {o.help}" for o in options().values())
