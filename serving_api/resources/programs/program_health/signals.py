"""The four signals of program health and the status they make (contract and decisions.md)."""

from collections.abc import Iterable

from serving_api.resources.programs.program_health.schemas import Health, Level, Signal, Status
from warehouse.reading.program_health.figures import WindowFigures

FRESH_BAD, FRESH_WARN = 70, 90
"""Percentage of active accounts."""


def compared(value: int | None, prior: int | None, *, bad: float, warn: float) -> Level:
    """Return the level of a value compared with the prior one; `bad` and `warn` are shares of it.

    A prior of zero is ok unless the value is zero too. Unknown is `warn`.
    """
    if value is None or prior is None:
        return "warn"
    if prior == 0:
        return "ok" if value else "warn"
    if value < bad * prior:
        return "bad"
    return "warn" if value < warn * prior else "ok"


def freshness_level(share: float | None) -> Level:
    """Return the level of a percentage; without accounts nothing is stale."""
    if share is None:
        return "ok"
    if share < FRESH_BAD:
        return "bad"
    return "warn" if share < FRESH_WARN else "ok"


def status_of(levels: Iterable[Level]) -> Status:
    listed = list(levels)
    if listed.count("bad") > 1:
        return "degraded"
    return "at-risk" if "bad" in listed or listed.count("warn") > 1 else "healthy"


def health_of(
    days: int,
    windows: tuple[WindowFigures, WindowFigures],
    weeks: tuple[int | None, int | None],
    freshness: float | None,
) -> Health:
    """Return the signals and the status from the figures of both windows."""
    current, prior = windows
    this_week, last_week = weeks
    signals = [
        Signal(
            signal="active_creators",
            level=compared(current.active_creators, prior.active_creators, bad=0.5, warn=0.8),
            value=current.active_creators,
            detail=f"Creators who posted in {days} days; prior: {_counted(prior.active_creators)}",
        ),
        Signal(
            signal="views",
            level=compared(current.views, prior.views, bad=0.5, warn=0.8),
            value=current.views,
            detail=f"Views on posts of {days} days; prior: {_counted(prior.views)}",
        ),
        Signal(
            signal="posts_week_over_week",
            level=compared(this_week, last_week, bad=0.5, warn=0.75),
            value=this_week,
            detail=f"Posts in 7 days; prior: {_counted(last_week)}",
        ),
        Signal(
            signal="scrape_freshness",
            level=freshness_level(freshness),
            value=freshness,
            detail="Percent of active accounts with a profile scraped in the last 28 hours",
        ),
    ]
    return Health(status=status_of(signal.level for signal in signals), signals=signals)


def _counted(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"
