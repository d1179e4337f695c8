"""Daily views with the previous period."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from serving_api.charts.chart import Chart, ChartEvent, Line
from serving_api.kit.days import ONE_DAY

Values = Sequence[int | None]


@dataclass(frozen=True)
class ViewsChart:
    """Daily views gained while tracked on consecutive days, and on the same number of days before.

    None is unknown: the line has a gap. `before_tracking` are views from before tracking, on the
    day they became known; no line contains them.
    """

    days: Sequence[date]
    views: Values
    previous: Values
    before_tracking: Sequence[int]
    events: Sequence[ChartEvent] = ()
    whole_to: date = date.max
    """The last complete day; later ones are not compared."""

    @property
    def is_empty(self) -> bool:
        """Whether no day is known."""
        return all(count is None for count in self.views)

    @property
    def total(self) -> int:
        """Sum of the known days."""
        return sum(count for count in self.views if count is not None)

    @property
    def total_before_tracking(self) -> int:
        return sum(self.before_tracking)

    @property
    def change(self) -> float | None:
        """The change in percent over complete, known days.

        None if a day to compare with is unknown or their sum is not positive.
        """
        each = zip(self.days, self.views, self.previous, strict=True)
        pairs = [
            (now, before) for day, now, before in each if now is not None and day <= self.whole_to
        ]
        previous = [before for _, before in pairs if before is not None]
        before = sum(previous)
        if len(previous) < len(pairs) or before <= 0:
            return None
        return 100 * (sum(now for now, _ in pairs) - before) / before

    @property
    def best(self) -> tuple[date, int] | None:
        """The first day with the most views, and its views; None without any positive day."""
        gains = [
            (views, -day.toordinal(), day)
            for day, views in zip(self.days, self.views, strict=True)
            if views is not None and views > 0
        ]
        if not gains:
            return None
        views, _, day = max(gains)
        return day, views

    @property
    def chart(self) -> Chart:
        """The views by day, with the earlier period if any of it is known."""
        lines = [Line("Views", self.views, "area")]
        if any(count is not None for count in self.previous):
            lines.append(Line(f"{len(self.days)} days before", self.previous, "earlier"))
        if self.total_before_tracking:
            before = [count or None for count in self.before_tracking]
            lines.append(Line("From before tracking", before, "aside"))
        today = self.whole_to + ONE_DAY if self.whole_to < self.days[-1] else None
        return Chart("Views by day", self.days, lines, self.events, today)
