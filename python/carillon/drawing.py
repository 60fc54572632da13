# SPDX-License-Identifier: Apache-2.0
"""Pictures: a page that plays a schedule, and still ones."""
from __future__ import annotations

import functools
import html
from typing import Any

from carillon._library import Path, encoded, write_text, written
from carillon._native import ffi, lib
from carillon.errors import ArgumentError
from carillon.schedule import Schedule, need_schedule


class Drawing:
    """A picture, which a notebook shows: the page that plays the schedule or, with a view, a still picture. `save` writes either."""

    def __init__(self, schedule: Schedule, view: str | None, how: dict[str, Any]) -> None:
        self._schedule, self._view, self._how = schedule, view, how

    @functools.cached_property
    def svg(self) -> str:
        """The still picture, as SVG."""
        s = self._schedule
        texts = [ffi.NULL if of is None else ffi.new("char []", encoded(of, what))
                 for of, what in ((self._view, "a view"), (self._how["caption"], "a caption"))]
        view = ffi.new("struct carillon_view *", {**self._how, "name": texts[0], "caption": texts[1]})
        return written(lambda file: s._call(lib.carillon_draw_view, view, file)).decode()

    @functools.cached_property
    def html(self) -> str:
        """The page, which needs nothing else."""
        return written(lambda file: self._schedule._call(lib.carillon_draw, b"html", file)).decode()

    def save(self, path: Path) -> None:
        """Writes the page (.html) or the still picture (.svg)."""
        name = str(path)
        if not name.endswith((".html", ".svg")):
            raise ArgumentError(f"a picture is .html or .svg, not '{name}'")
        write_text(path, (self.html if name.endswith(".html") else self.svg).encode())

    def _repr_html_(self) -> str | None:
        """The page in a frame that cannot reach the notebook."""
        if self._view is not None:
            return None
        return (f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(self.html, quote=True)}" '
                'style="width: 100%; height: 640px; border: 1px solid #ccc"></iframe>')

    def _repr_svg_(self) -> str | None:
        return self.svg if self._schedule.ok else None


def draw(schedule: Schedule, *, view: str | None = None, slot: int = 0, caption: str | None = None, columns: int = 0) -> Drawing:
    """Draws a schedule. The page also shows one that breaks rules, and where; still pictures, which need one that is right, do not.

    view: None: a page that plays it, slot by slot; or a still picture: "table", "network" (with the packets of `slot`, from 1),
    "space-time", "tree" or "heat". A notebook shows what is returned.
    caption: what stands above a still picture; "" for nothing. columns: 1 or 2: as wide as so many columns of a paper, 252 or 516 points.

    Raises ArgumentError on other views, RuleError where it breaks rules, LimitError on what is too large to be seen.
    """
    for name, number in (("slot", slot), ("columns", columns)):
        if not isinstance(number, int) or not 0 <= number < 1 << 32:
            raise ArgumentError(f"{name} is a whole number from 1 on, or 0, not {number!r}")
    need_schedule(schedule)._judge()
    drawing = Drawing(schedule, view, {"slot": slot, "caption": caption, "columns": columns})
    if view is not None:
        drawing.svg  # noqa: B018 (errors now, not when it is shown)
    return drawing


def draw_beside(left: Schedule, right: Schedule) -> str:
    """A page that plays two schedules of the same problem side by side. Raises ArgumentError where they are not of the same."""
    one, other = (need_schedule(schedule).summary for schedule in (left, right))
    if any(one.get(key) != other.get(key) for key in ("algorithm", "topology")):
        raise ArgumentError(f"{left!r} and {right!r} are not of the same problem")
    return written(lambda file: left._call(lib.carillon_draw_beside, right._handle, file)).decode()


def explain(finding: str) -> str:
    """What a finding of the checker means, and what to do, by its id."""
    from carillon import tables

    kinds = tables.finding_kinds()
    if finding not in kinds:
        raise ArgumentError(f"there is no finding '{finding}'")
    return f"{kinds[finding].summary} {kinds[finding].advice}"


__all__ = ["Drawing", "draw", "draw_beside", "explain"]
