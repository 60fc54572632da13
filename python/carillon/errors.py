# SPDX-License-Identifier: Apache-2.0
"""Exceptions: one class for each error of the C library, with its number, place and text."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from carillon._native import ffi, lib

if TYPE_CHECKING:
    from carillon.schedule import Finding


def _rows() -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    row = ffi.new("struct carillon_error *")
    while lib.carillon_error_at(len(found), row):
        found[ffi.string(row.name).decode()] = (row.code, ffi.string(row.text).decode())
    return found


_TABLE = _rows()


class CarillonError(Exception):
    """What the library refused or could not do.

    `code` is the number in carillon.h, `text` says what is wrong; `file`, `line` and `column` where, if that is known (else "", 0, 0).
    """

    code: ClassVar[int] = 0
    by_code: ClassVar[dict[int, type[CarillonError]]] = {}

    def __init_subclass__(cls, name: str = "", **more: Any) -> None:
        """Takes number and text of the class from the library's table, where the error has this name."""
        super().__init_subclass__(**more)
        if name:
            cls.code, text = _TABLE[name]
            cls.__doc__ = text[0].upper() + text[1:] + "."
            CarillonError.by_code[cls.code] = cls

    def __init__(self, text: str, file: str = "", line: int = 0, column: int = 0) -> None:
        place = file + (f":{line}" if line else "") + (f":{column}" if column else "")
        super().__init__(f"{place}: {text}" if place else text)
        self.text, self.file, self.line, self.column = text, file, line, column


class ArgumentError(CarillonError, ValueError, name="argument"):
    pass


class ParseError(CarillonError, ValueError, name="parse"):
    pass


class FileError(CarillonError, OSError, name="io"):
    pass


class OutOfMemoryError(CarillonError, MemoryError, name="memory"):
    pass


class RuleError(CarillonError, name="rule"):
    findings: list[Finding]  # of the checker, where it was asked

    def __init__(self, text: str, file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(text, file, line, column)
        self.findings = []


class UnsupportedError(CarillonError, name="unsupported"):
    pass


class LimitError(CarillonError, name="limit"):
    pass


class MismatchError(CarillonError, name="mismatch"):
    pass


class ToolError(CarillonError, name="tool"):
    pass


class DeviceError(CarillonError, name="device"):
    pass


class CancelledError(CarillonError, name="interrupted"):
    pass


class BuildError(CarillonError, name="build"):
    pass


class LoadError(CarillonError, name="load"):
    pass


class BusyError(CarillonError, name="busy"):
    pass


class AssertionFailedError(CarillonError, name="assert"):
    pass


class FormatError(ParseError):
    """A file that is not what it should be; the text begins with its place, as file:line."""
