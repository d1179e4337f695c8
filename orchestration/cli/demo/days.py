"""Telling the demo's days: a bar on a terminal, and a line for each day on which was built."""

from types import TracebackType
from typing import Self

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from orchestration.cli.demo.story import Day
from orchestration.cli.output import ERR, say

WHAT_A_LOOK_IS = (
    "A look is one question to a platform: a profile, an account's posts, or one post's counters"
)


class Days:
    """The days of a story, while they are lived through."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._looks = 0
        self._display = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            console=ERR,
            disable=not ERR.is_terminal,
        )
        self._task = self._display.add_task(f"day 1 of {total}", total=total)

    def __enter__(self) -> Self:
        self._display.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._display.stop()

    def tell(self, day: Day) -> None:
        """Tell of a day that is over."""
        self._looks += day.looks
        following = min(day.number + 1, self._total)
        told = f"day {following} of {self._total}"
        self._display.update(self._task, completed=day.number, description=told)
        if day.built is None:
            return
        took = sum(day.built.seconds.values())
        say(
            f"{day.at:%Y-%m-%d}  day {day.number:>2} of {self._total}: {self._looks:,} looks since "
            f"the last build; computed and published in {took:.0f} s"
        )
        self._looks = 0
