"""Views by day beside those of the period before, and what is written about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from serving_api.charts.chart import Chart, ChartEvent, Line
from serving_api.kit.days import ONE_DAY

Values = Sequence[int | None]


@dataclass(frozen=True)
class ViewsChart:
    """Views gained while tracked on days without a gap between them, and on as many days before.

    None is not known: the line has a gap there. `before_tracking` are views from before
    tracking, by the day on which they were first known: they are in no line.
    """

    days: Sequence[date]
    views: Values
    previous: Values
    before_tracking: Sequence[int]
    events: Sequence[ChartEvent] = ()
    whole_to: date = date.max
    """The last day that the numbers reach whole: no later one is compared."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known of any of the days."""
        return all(count is None for count in self.views)

    @property
    def total(self) -> int:
        """What was gained on the days that are known."""
        return sum(count for count in self.views if count is not None)

    @property
    def total_before_tracking(self) -> int:
        """The views from before tracking of all days."""
        return sum(self.before_tracking)

    @property
    def change(self) -> float | None:
        """By how many percent known whole days gained more than those that they are compared with.

        None where not all of these are known.
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
        """The first day with the most views, and these; None unless one gained any."""
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
        """The days, above those that they are compared with as far as these are known."""
        lines = [Line("Views", self.views, "area")]
        if any(count is not None for count in self.previous):
            lines.append(Line(f"{len(self.days)} days before", self.previous, "earlier"))
        if self.total_before_tracking:
            before = [count or None for count in self.before_tracking]
            lines.append(Line("From before tracking", before, "aside"))
        today = self.whole_to + ONE_DAY if self.whole_to < self.days[-1] else None
        return Chart("Views by day", self.days, lines, self.events, today)
