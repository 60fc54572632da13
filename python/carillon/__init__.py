# SPDX-License-Identifier: Apache-2.0
"""Optimal collective communication as slot tables: planned, proved, played and drawn in one's own process.

    import carillon
    schedule = carillon.plan("all-to-all", "torus:4x4")
    schedule.slots, schedule.bound, schedule.optimal    # (8, 8, True)
    schedule.to_numpy()                                 # slot, src, dst, packet
    schedule.run(engine="model").ok                     # True
    schedule.draw()                                     # in a notebook: a page that plays it

`algorithms()`, `networks()` and `options()` list what there is; all errors are CarillonErrors. docs/python.md says more.
"""
from carillon._library import text as _text
from carillon._native import lib as _lib
from carillon.comparing import compare, dynamic, front
from carillon.drawing import Drawing, draw, draw_beside, explain
from carillon.errors import (
    ArgumentError,
    AssertionFailedError,
    BuildError,
    BusyError,
    CancelledError,
    CarillonError,
    DeviceError,
    FileError,
    FormatError,
    LimitError,
    LoadError,
    MismatchError,
    OutOfMemoryError,
    ParseError,
    RuleError,
    ToolError,
    UnsupportedError,
)
from carillon.network import Network
from carillon.problem import Bound, Problem, bound, certify
from carillon.readers import (
    Gate,
    Word,
    read_gates,
    read_schedule,
    read_summary,
    read_table,
    read_trace,
)
from carillon.running import Run, build, diff, emit, run
from carillon.schedule import Finding, Move, Schedule, Send, check, import_plan, packet_ends, plan
from carillon.tables import algorithms, finding_kinds, formats, import_formats, networks, options
from carillon.traffic import Traffic

__version__ = _text(_lib.carillon_version())

__all__ = [
    "ArgumentError", "AssertionFailedError", "Bound", "BuildError", "BusyError", "CancelledError", "CarillonError", "DeviceError",
    "Drawing", "FileError", "Finding", "FormatError", "Gate", "LimitError", "LoadError", "MismatchError", "Move", "Network",
    "OutOfMemoryError", "ParseError", "Problem", "RuleError", "Run", "Schedule", "Send", "ToolError", "Traffic", "UnsupportedError",
    "Word", "algorithms", "bound", "build", "certify", "check", "compare", "diff", "draw", "draw_beside", "dynamic", "emit", "explain",
    "finding_kinds", "formats", "front", "import_formats", "import_plan", "networks", "options", "packet_ends", "plan", "read_gates",
    "read_schedule", "read_summary", "read_table", "read_trace", "run",
]
