"""Chart data, shown as a table and drawn by static/chart.js."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Literal

Kind = Literal["area", "line", "earlier", "bars", "expected", "aside"]
"""How to draw a line. `earlier`: a comparison period; `aside`: only in the table."""
Unit = Literal["count", "cents", "percent"]
XValue = date | int
"""A position on the horizontal axis: a day, or an age in days."""
Value = int | float | None
"""None is unknown: the line has a gap."""


@dataclass(frozen=True, slots=True)
class Line:
    """One value per x value, all in one unit; `low` and `high` bound an interval."""

    label: str
    values: Sequence[Value]
    kind: Kind = "line"
    unit: Unit = "count"
    low: Sequence[Value] = ()
    high: Sequence[Value] = ()


@dataclass(frozen=True, slots=True)
class ChartEvent:
    """What happened on a day, and to which post, if to one; `path` is the post's page."""

    day: date
    text: str
    subject: str = ""
    path: str = ""

    @property
    def note(self) -> str:
        return f"{self.subject}: {self.text}" if self.subject else self.text


@dataclass(frozen=True, slots=True)
class Row:
    """A table row: an x value, its values in the order of the lines, and its events."""

    x_value: XValue
    values: Sequence[Value]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over shared x values; those drawn share a unit.

    `today` is the day or period in progress, if included.
    """

    title: str
    x_values: Sequence[XValue]
    lines: Sequence[Line]
    events: Sequence[ChartEvent] = ()
    today: date | None = None
    heading: str = "Day"
    """The table's header for the x values."""

    @property
    def is_empty(self) -> bool:
        return all(value is None for line in self.lines for value in line.values)

    @property
    def rows(self) -> Iterator[Row]:
        for number, x_value in enumerate(self.x_values):
            notes = [event.note for event in self.events if event.day == x_value]
            yield Row(x_value, [line.values[number] for line in self.lines], notes)

    @property
    def drawn(self) -> dict[str, Any]:
        """The JSON that static/chart.js reads."""
        return {
            "title": self.title,
            "xValues": list(map(_written, self.x_values)),
            "lines": [asdict(line) for line in self.lines],
            "events": [{"at": _written(event.day), "text": event.note} for event in self.events],
            "today": self.today and _written(self.today),
        }


def _written(x_value: XValue) -> str | int:
    return x_value.isoformat() if isinstance(x_value, date) else x_value


WIDTH, HEIGHT, MOST_POINTS = 100, 24, 60


def sparkline(values: Sequence[Value]) -> str:
    """Return an SVG path of values in a box of WIDTH by HEIGHT.

    An unknown value is a gap. More than MOST_POINTS are added up in groups. Empty without two known
    values, or if all are 0.
    """
    size = -(-len(values) // MOST_POINTS) or 1
    groups = [values[first : first + size] for first in range(0, len(values), size)]
    known = [[value for value in group if value is not None] for group in groups]
    points = [sum(group) if group else None for group in known]
    heights = [point for point in points if point is not None]
    if len(heights) <= 1 or not any(heights):
        return ""
    low = min(0, *heights)
    scale = (HEIGHT - 2) / ((max(heights) - low) or 1)
    path, command = "", "M"
    for number, point in enumerate(points):
        if point is not None:
            across = number * WIDTH / (len(points) - 1)
            path += f"{command}{across:.1f} {HEIGHT - 1 - (point - low) * scale:.1f}"
        command = "M" if point is None else "L"
    return path
