# SPDX-License-Identifier: Apache-2.0
"""Traffic of one's own: demands, or a matrix of packets from host to host."""
from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from carillon._library import Path, Scratch, encoded
from carillon.errors import ArgumentError

if TYPE_CHECKING:
    import numpy.typing
    import pandas

    from carillon.network import Network

_COLUMNS = ["id", "src", "dst", "packets", "release", "deadline", "period", "after"]


def _cell(value: Any, node: Callable[[Any], Any] = lambda value: value) -> str:
    """A cell of a demands file: nothing for what is not said, nodes of a list with blanks between them."""
    value = node(value)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return " ".join(_cell(one, node) for one in value)
    if value is None or value != value:  # NaN of a frame
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _demands(rows: list[dict[str, Any]], node: Callable[[Any], Any]) -> Scratch:
    """The file of demands."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONE, escapechar="\\")
    table.writerow(_COLUMNS)
    for row in rows:
        table.writerow([_cell(row.get(name), *([node] if name in ("src", "dst") else [])) for name in _COLUMNS])
    return Scratch(text.getvalue(), "demands.csv", "<demands>")


class Traffic:
    """Packets from nodes to nodes, for `plan(traffic, network)`. Made by from_matrix, from_demands or from_csv. It may be pickled.

    docs/formats/demands.md says what each column means.
    """

    def __init__(self, option: str, path: Path | None = None, file: Scratch | None = None,
                 rows: list[dict[str, Any]] | None = None) -> None:
        self.option = option  # that the library reads it by: "demands" or "matrix"
        self._path, self._file, self._rows = path, file, rows

    @classmethod
    def from_csv(cls, path: Path) -> Traffic:
        """Demands from a file: id,src,dst,packets,release,deadline,period,after. It is read when something is planned."""
        encoded(path, "a file")
        return cls("demands", path)

    @classmethod
    def from_matrix(cls, matrix: numpy.typing.ArrayLike) -> Traffic:
        """Packets from each host to each, shape (hosts, hosts): row = source, whole numbers from 0; the diagonal is 0."""
        import numpy

        array = numpy.asarray(matrix)
        if array.ndim != 2 or array.shape[0] != array.shape[1]:
            raise ArgumentError(f"a matrix of traffic has as many rows as columns, not the shape {array.shape}")
        if array.dtype.kind not in "biuf" or not numpy.isfinite(array).all() or (array < 0).any() or (array != numpy.floor(array)).any():
            raise ArgumentError("a matrix of traffic has whole numbers of packets, from 0")
        lines = "".join(",".join(str(int(x)) for x in row) + "\n" for row in array)
        return cls("matrix", file=Scratch(lines, "matrix.csv", "<matrix>"))

    @classmethod
    def from_demands(cls, demands: pandas.DataFrame | Iterable[Mapping[str, Any]]) -> Traffic:
        """Demands as a frame or as dictionaries, with the columns id, src, dst, and, where they are said, packets (1), release (1),
        deadline, period and after. Nodes are numbers or what the network calls them, `dst` may be a list of them. Slots count from 1.

        Raises ArgumentError on other columns.
        """
        given: Any = demands.to_dict("records") if hasattr(demands, "to_dict") else demands
        rows = list(given) if isinstance(given, Iterable) else [given]
        if not all(isinstance(row, Mapping) for row in rows):
            raise ArgumentError("demands are a frame, or a list of dictionaries")
        unknown = sorted({str(name) for row in rows for name in row} - set(_COLUMNS))
        if unknown:
            raise ArgumentError(f"demands have no column '{unknown[0]}': they have {', '.join(_COLUMNS)}")
        return cls("demands", rows=[dict(row) for row in rows])

    def file_for(self, network: Network | None) -> Any:
        """An object with the `path` of a file, in which nodes are called as the library knows them."""
        if self._rows is not None:
            return _demands(self._rows, network.called if network is not None else lambda node: node)
        return self._file or _Named(self._path)

    @property
    def text(self) -> str:
        """What its file says."""
        with open(self.file_for(None).path, encoding="utf-8") as file:
            return file.read()

    def __repr__(self) -> str:
        """Where it comes from."""
        return f"Traffic({'<demands>' if self._rows is not None else '<matrix>' if self._file else os.fspath(self._path or '')!r})"


class _Named:
    def __init__(self, path: Any) -> None:
        self.path = path
