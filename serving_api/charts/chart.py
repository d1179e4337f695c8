"""The numbers of a chart: what its table shows, and what its script draws."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Literal

Kind = Literal["area", "line", "earlier", "bars", "expected", "aside"]
"""How a line is drawn. `earlier`: of an earlier period; `aside`: in the table alone."""
Unit = Literal["count", "cents", "percent"]
XValue = date | int
"""Where a number stands on the horizontal axis: a day, or an age in days."""
Value = int | float | None
"""None is not known: the line has a gap there."""


@dataclass(frozen=True, slots=True)
class Line:
    """Numbers in one unit, one for each place; `low` and `high` are the ends of an interval."""

    label: str
    values: Sequence[Value]
    kind: Kind = "line"
    unit: Unit = "count"
    low: Sequence[Value] = ()
    high: Sequence[Value] = ()


@dataclass(frozen=True, slots=True)
class ChartEvent:
    """What happened on a day."""

    day: date
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A place with its numbers in the order of the lines, and what happened there."""

    x_value: XValue
    values: Sequence[Value]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines above the same places. `today`: the day or period in progress, if it is among them."""

    title: str
    x_values: Sequence[XValue]
    lines: Sequence[Line]
    events: Sequence[ChartEvent] = ()
    today: date | None = None
    heading: str = "Day"
    """What the table calls the places."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known."""
        return all(value is None for line in self.lines for value in line.values)

    @property
    def rows(self) -> Iterator[Row]:
        """The rows of the table."""
        for number, x_value in enumerate(self.x_values):
            notes = [event.text for event in self.events if event.day == x_value]
            yield Row(x_value, [line.values[number] for line in self.lines], notes)

    @property
    def drawn(self) -> dict[str, Any]:
        """What the script reads (static/chart.js)."""
        return {
            "title": self.title,
            "xValues": list(map(_written, self.x_values)),
            "lines": [asdict(line) for line in self.lines],
            "events": [{"at": _written(event.day), "text": event.text} for event in self.events],
            "today": self.today and _written(self.today),
        }


def _written(x_value: XValue) -> str | int:
    return x_value.isoformat() if isinstance(x_value, date) else x_value
