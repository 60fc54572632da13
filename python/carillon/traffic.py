# SPDX-License-Identifier: Apache-2.0
"""Traffic of one's own: demands, or a matrix of packets from host to host."""
from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from carillon._library import Path, Scratch
from carillon.errors import ArgumentError

if TYPE_CHECKING:
    import numpy.typing
    import pandas

_COLUMNS = ["id", "src", "dst", "packets", "release", "deadline", "period", "after"]


def _cell(value: Any) -> str:
    """A cell of a demands file: nothing for what is not said, nodes of a list with blanks between them."""
    if value is None or value != value:  # NaN of a frame
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, str) or not isinstance(value, Iterable):
        return str(value)
    return " ".join(_cell(one) for one in value)


class Traffic:
    """Packets from nodes to nodes, for `plan(traffic, network)`. Made by from_matrix, from_demands or from_csv.

    docs/formats/demands.md says what each column means.
    """

    def __init__(self, option: str, path: Path, file: Scratch | None = None) -> None:
        self.option = option  # that the library reads it by: "demands" or "matrix"
        self.path, self._file = os.fspath(path), file

    @classmethod
    def from_csv(cls, path: Path) -> Traffic:
        """Demands from a file: id,src,dst,packets,release,deadline,period,after. It is read when something is planned."""
        return cls("demands", path)

    @classmethod
    def from_matrix(cls, matrix: numpy.typing.ArrayLike) -> Traffic:
        """Packets from each host to each, shape (hosts, hosts): row = source, whole numbers from 0; the diagonal is 0."""
        import numpy

        array = numpy.asarray(matrix)
        if array.ndim != 2 or array.shape[0] != array.shape[1]:
            raise ArgumentError(f"a matrix of traffic has as many rows as columns, not the shape {array.shape}")
        if not numpy.issubdtype(array.dtype, numpy.number) or (array < 0).any() or (array != numpy.floor(array)).any():
            raise ArgumentError("a matrix of traffic has whole numbers of packets, from 0")
        lines = "".join(",".join(str(int(x)) for x in row) + "\n" for row in array)
        file = Scratch(lines, "matrix.csv", "<matrix>")
        return cls("matrix", file.path, file)

    @classmethod
    def from_demands(cls, demands: pandas.DataFrame | Iterable[Mapping[str, Any]]) -> Traffic:
        """Demands as a frame or as dictionaries, with the columns id, src, dst, and, where they are said, packets (1), release (1),
        deadline, period and after. `dst` may be a list of nodes. Slots count from 1.

        Raises ArgumentError on other columns.
        """
        rows = demands.to_dict("records") if hasattr(demands, "to_dict") else [dict(row) for row in demands]
        unknown = sorted({str(name) for row in rows for name in row} - set(_COLUMNS))
        if unknown:
            raise ArgumentError(f"demands have no column '{unknown[0]}': they have {', '.join(_COLUMNS)}")
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONE, escapechar="\\")
        table.writerow(_COLUMNS)
        for row in rows:
            table.writerow([_cell(row.get(column)) for column in _COLUMNS])
        file = Scratch(text.getvalue(), "demands.csv", "<demands>")
        return cls("demands", file.path, file)

    @property
    def text(self) -> str:
        """What its file says."""
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def __repr__(self) -> str:
        """Where it comes from."""
        return f"Traffic({Scratch.untold(self.path)!r})"
