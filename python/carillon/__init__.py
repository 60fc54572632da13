# SPDX-License-Identifier: Apache-2.0
"""Reads what Carillon writes: schedules (CSV and JSON), traces, the summaries of --json, other tables (CSV: sweeps of
'carillon dynamic', traffic, the streams of 'carillon emit') and gate control lists.

Only the standard library is used, and nothing is interpreted: rows come as they stand in the file, with numbers as
numbers, so that a notebook can count and plot them.

    import carillon
    schedule = carillon.read_schedule("te.csv")
    schedule.by_slot()[1]                   # the moves of slot 1
    carillon.read_trace("te.trace")[0].data
"""
import collections
import json
import re

__all__ = ["FormatError", "Move", "Send", "Word", "Gate", "Schedule", "packet_ends", "read_schedule", "read_trace", "read_summary",
           "read_table", "read_gates"]

# A packet's move over a link, a message of a LogP machine, a word on a link, and how long which gates of a port are open
# (bit 7: those of our packets, as no others are then). A packet's name is its text as in the
# file: "3", "3>5", "3.1" or "3-5"; packet_ends() splits it. rtime is None where messages are taken as they arrive.
Move = collections.namedtuple("Move", "slot src dst packet")
Send = collections.namedtuple("Send", "time src dst item rtime", defaults=[None])
Word = collections.namedtuple("Word", "cycle node port data")
Gate = collections.namedtuple("Gate", "nanoseconds states")


class FormatError(ValueError):
    """A file that is not what it should be; the text begins with its place, as file:line."""


class Schedule:
    """Rows in the order of the file: Move on links, Send on a LogP machine.

    algorithm and topology are what a JSON file says, else None.
    """

    def __init__(self, rows, algorithm=None, topology=None):
        self.rows, self.algorithm, self.topology = rows, algorithm, topology

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def by_slot(self):
        """{slot or time: rows in it}, in ascending order."""
        slots = collections.defaultdict(list)
        for row in self.rows:
            slots[row[0]].append(row)
        return dict(sorted(slots.items()))

    def links(self):
        """{(src, dst): rows on it}."""
        links = collections.defaultdict(list)
        for row in self.rows:
            links[row.src, row.dst].append(row)
        return dict(links)


def packet_ends(packet):
    """The numbers in a packet's name: ("3>5") gives (3, 5)."""
    return tuple(int(n) for n in re.split("[>.-]", packet))


def _number(text, place, base=10):
    digits = "0123456789abcdef"[:base]
    if not text or text.strip(digits):
        raise FormatError(f"{place}: '{text}' is not a number")
    return int(text, base)


def _lines(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith("\n"):
                raise FormatError(f"{path}:{number}: the file is cut off")
            yield f"{path}:{number}", line.rstrip("\r\n")


_KINDS = {
    ("slot", "src", "dst", "packet"): Move,
    ("time", "src", "dst", "item"): Send,
    ("time", "src", "dst", "item", "rtime"): Send,
}
_PACKET = re.compile(r"\d+([>.-]\d+)?")


def _row(kind, cells, columns, place):
    if len(cells) != columns:
        raise FormatError(f"{place}: {len(cells)} cells, not {columns}")
    if kind is Move and not _PACKET.fullmatch(cells[3]):
        raise FormatError(f"{place}: '{cells[3]}' is not a packet")
    last = [cells[3]] if kind is Move else [_number(c, place) for c in cells[3:]]
    return kind(*(_number(c, place) for c in cells[:3]), *last)


def _read_csv(path):
    lines = _lines(path)
    place, head = next(lines, (f"{path}:1", ""))
    columns = tuple(head.split(","))
    if columns not in _KINDS:
        raise FormatError(f"{place}: not a schedule: the first line is '{head}'")
    return Schedule([_row(_KINDS[columns], line.split(","), len(columns), place) for place, line in lines])


def _load(path):
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file)
        except json.JSONDecodeError as error:
            raise FormatError(f"{path}:{error.lineno}: {error.msg}") from None


def _read_json(path):
    whole = _load(path)
    columns = tuple(whole.get("columns", ())) if isinstance(whole, dict) else ()
    if columns not in _KINDS or not isinstance(whole.get("rows"), list):
        raise FormatError(f"{path}:1: not a schedule")
    rows = [_row(_KINDS[columns], [str(c) for c in row], len(columns), f"{path}: row {i}")
            for i, row in enumerate(whole["rows"], 1)]
    return Schedule(rows, whole.get("algorithm"), whole.get("topology"))


def read_schedule(path):
    """A Schedule from the CSV or the JSON of 'carillon plan'."""
    with open(path, encoding="utf-8") as file:
        is_json = file.read(64).lstrip().startswith("{")
    return _read_json(path) if is_json else _read_csv(path)


def read_trace(path):
    """The words of a trace, 'cycle node port data' a line, data in hexadecimal."""
    words = []
    for place, line in _lines(path):
        cells = line.split(" ")
        if len(cells) != 4:
            raise FormatError(f"{place}: {len(cells)} cells, not 4")
        words.append(Word(*(_number(c, place) for c in cells[:3]), _number(cells[3], place, 16)))
    return words


def read_summary(path):
    """What a command printed with --json, as a dictionary."""
    return _load(path)


def _value(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"": None, "true": True, "false": False}.get(text, text)


def read_table(path):
    """Any CSV that has a head: a dictionary a line, by the names in the head. Empty cells are None."""
    lines = _lines(path)
    names = next(lines, (None, ""))[1].split(",")
    table = []
    for place, line in lines:
        cells = line.split(",")
        if len(cells) != len(names):
            raise FormatError(f"{place}: {len(cells)} cells, not {len(names)}")
        table.append(dict(zip(names, map(_value, cells))))
    return table


def read_gates(path):
    """{(node, name of the port): its Gates in order} of the gate control lists of --format tsn-gcl."""
    gates = {}
    try:
        for bridge in _load(path):
            for port in bridge["ietf-interfaces:interfaces"]["interface"]:
                table = port["ieee802-dot1q-bridge:bridge-port"]["ieee802-dot1q-sched-bridge:gate-parameter-table"]
                entries = sorted(table["admin-control-list"]["gate-control-entry"], key=lambda entry: entry["index"])
                gates[bridge["node"], port["name"]] = [Gate(e["time-interval-value"], e["gate-states-value"]) for e in entries]
    except (KeyError, TypeError) as error:
        raise FormatError(f"{path}:1: not gate control lists: {type(error).__name__} {error}") from None
    return gates
