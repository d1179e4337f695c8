"""Views by day as a drawing: where its lines go. What is written beside them is the page's.

The drawing is as wide as the page that has it, so lengths are shares of WIDTH and HEIGHT.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import groupby

WIDTH, HEIGHT = 600, 160
STEPS = (1, 2, 3, 4, 5, 6, 8, 10)
"""Scales end with one of these times a power of ten."""

Values = Sequence[int | None]
Spot = tuple[float, float]


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

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known of any of the days."""
        return all(one is None for one in self.views)

    @property
    def total(self) -> int:
        """What was gained on the days that are known."""
        return sum(one for one in self.views if one is not None)

    @property
    def total_before_tracking(self) -> int:
        """The views from before tracking of all days."""
        return sum(self.before_tracking)

    @property
    def change(self) -> float | None:
        """By how many percent the known days gained more than those that they are compared with.

        None where not all of these are known.
        """
        pairs = zip(self.views, self.previous, strict=True)
        compared = [before for now, before in pairs if now is not None]
        previous = [one for one in compared if one is not None]
        before = sum(previous)
        if len(previous) < len(compared) or before <= 0:
            return None
        return 100 * (self.total - before) / before

    @property
    def best(self) -> tuple[date, int]:
        """The day with the most views, the first of equals, and these."""
        known = [(day, one) for day, one in zip(self.days, self.views, strict=True) if one]
        return max(known, key=lambda one: (one[1], -one[0].toordinal()), default=(self.days[0], 0))

    @cached_property
    def top(self) -> int:
        """Where the scale ends: at or above everything that is drawn."""
        most = max([*self._known, 1])
        power: int = 10 ** (len(str(most)) - 1)
        return next(step * power for step in STEPS if step * power >= most)

    @property
    def zero(self) -> float:
        """The height of nothing gained."""
        return self._spot(0, 0)[1]

    @property
    def line(self) -> str:
        """The path of the days."""
        return " ".join(map(_path, self._runs(self.views)))

    @property
    def line_before(self) -> str:
        """The path of the days before, each at the place of the one that it is compared with."""
        return " ".join(map(_path, self._runs(self.previous)))

    @property
    def area(self) -> str:
        """What lies between the days and nothing gained."""
        return " ".join(
            f"{_path(run)} L{run[-1][0]:g} {self.zero:g} L{run[0][0]:g} {self.zero:g}Z"
            for run in self._runs(self.views)
        )

    @property
    def columns(self) -> Iterator[tuple[float, float, date, int | None, int | None, int]]:
        """Each day with the left end and the width of what shows its numbers."""
        width = WIDTH / max(len(self.days) - 1, 1)
        days = zip(self.days, self.views, self.previous, self.before_tracking, strict=True)
        for place, day in enumerate(days):
            yield (max(place - 0.5, 0) * width, width, *day)

    @cached_property
    def _known(self) -> Sequence[int]:
        return [one for one in (*self.views, *self.previous) if one is not None]

    def _runs(self, values: Values) -> Iterator[list[Spot]]:
        for is_known, run in groupby(enumerate(values), lambda one: one[1] is not None):
            if is_known:
                yield [self._spot(place, value or 0) for place, value in run]

    def _spot(self, place: int, value: int) -> Spot:
        bottom = min([*self._known, 0])
        height = HEIGHT * (self.top - value) / (self.top - bottom)
        return round(WIDTH * place / max(len(self.days) - 1, 1), 1), round(height, 1)


def _path(run: Sequence[Spot]) -> str:
    """Return the path through spots; of one alone a dot."""
    first, *others = (f"{x:g} {y:g}" for x, y in run)
    return f"M{first} " + (" ".join(f"L{one}" for one in others) or "h.1")
