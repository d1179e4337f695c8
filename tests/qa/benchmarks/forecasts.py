"""How good forecasts are: those of each Sunday of simulated worlds, beside what came."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from uuid import UUID

from tests.dbt_project.harness import Harness, Row
from tests.dbt_project.simulated_views import BEGIN, DAY, world
from tests.qa.benchmarks.report import Figure

SEEDS = (7, 8, 9)
CREATORS, PROJECTS, DAYS = 6, 3, 100
"""Creators of each platform, projects that they are in, and days of readings."""
WEEKS_BEFORE = 4
AHEAD = (7, 28)
FEWEST = {"views": 1_000, "posts": 1, "payouts": 100}
"""Results below it have no share that an error could be of."""
LEAST_HELD, MANY = 0.7, 100
"""Of so many intervals that should hold eight of ten results; fewer have no target."""

Kind = tuple[str, str]
"""What is forecast, and until when."""


@dataclass(frozen=True)
class Outcome:
    """A forecast with its interval and baseline, and what came."""

    expected: int
    low: int
    high: int
    baseline: int
    actual: int


def foretell(folder: Path, _: float) -> Iterator[Figure]:
    """Yield the share of intervals that held, with the errors of forecasts and baselines."""
    outcomes: dict[Kind, list[Outcome]] = defaultdict(list)
    for seed in SEEDS:
        for kind, found in _outcomes_of(folder / str(seed), seed).items():
            outcomes[kind] += found
    for (metric, what), found in outcomes.items():
        held = sum(outcome.low <= outcome.actual <= outcome.high for outcome in found) / len(found)
        large = [outcome for outcome in found if outcome.actual >= FEWEST[metric]]
        error = _mean([abs(each.expected - each.actual) / each.actual for each in large])
        baseline = _mean([abs(each.baseline - each.actual) / each.actual for each in large])
        parts = f"{len(found)} forecasts; error {error:.0%}, baseline {baseline:.0%}"
        target = LEAST_HELD if len(found) >= MANY else None
        name = f"{metric} {what}, intervals that held"
        yield Figure(name, held, "x", parts, target, is_least=True)


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares)


def _outcomes_of(folder: Path, seed: int) -> Mapping[Kind, list[Outcome]]:
    folder.mkdir()
    decided, readings = world(seed, CREATORS, DAYS, PROJECTS)
    harness = Harness(folder)
    first, last = BEGIN.date(), BEGIN.date() + timedelta(days=DAYS - 1)
    sunday = first + timedelta(days=6 - first.weekday(), weeks=WEEKS_BEFORE)
    foretold: list[tuple[date, Mapping[str, list[Row]]]] = []
    while sunday <= last:
        new = [row for row in readings if first <= row["captured_at"].date() <= sunday]
        harness.ingest(video_snapshots=new)
        as_of = BEGIN.replace(year=sunday.year, month=sunday.month, day=sunday.day) + DAY
        videos = [video for video in decided["videos"] if video["posted_at"] < as_of]
        harness.decide(**{**decided, "videos": videos})
        harness.run(as_of=as_of + timedelta(hours=6))
        foretold.append((sunday, {table: harness.rows(table) for table in TABLES}))
        first, sunday = sunday + timedelta(days=1), sunday + timedelta(weeks=1)
    return _compared(foretold)


TABLES = (
    *("view_forecasts", "goal_forecasts", "payout_forecasts"),
    *("creator_daily", "payout_earned"),
)


def _compared(
    foretold: Sequence[tuple[date, Mapping[str, list[Row]]]],
) -> Mapping[Kind, list[Outcome]]:
    last, end = foretold[-1]
    outcomes: dict[Kind, list[Outcome]] = defaultdict(list)
    for cut, then in foretold:
        for row in _shown(then["view_forecasts"], last):
            days = (row["day"] - cut).days
            if days in AHEAD and row["entity"] != "campaign":
                came = _gained(end, row["entity_id"], cut, row["day"])
                outcome = Outcome(*_figures(row, "views", "views"), came)
                outcomes["views", f"of a {row['entity']}, {days} days"].append(outcome)
        for row in _shown(then["payout_forecasts"], last):
            if row["entity"] != "campaign":
                came = _earned(end, row, cut) - _earned(then, row, cut)
                outcome = Outcome(*_figures(row, "to_come_cents", "cents"), came)
                outcomes["payouts", f"of a {row['entity']}, to the month's end"].append(outcome)
        for row in _shown(then["goal_forecasts"], last, "period_end"):
            if row["metric"] == "posts":
                came = _posted(end, row, cut)
                figures = (row[name] for name in ("expected", "low", "high", "baseline"))
                outcomes["posts", "of a creator, to the month's end"].append(
                    Outcome(*figures, came)
                )
    return outcomes


def _shown(rows: Sequence[Row], last: date, ends: str = "day") -> Iterator[Row]:
    """Yield the forecasts that are shown and have ended."""
    yield from (row for row in rows if row["hidden_because"] is None and row[ends] <= last)


def _figures(row: Row, expected: str, unit: str) -> Iterator[int]:
    return (row[name] for name in (expected, *(f"{end}_{unit}" for end in ENDS)))


ENDS = ("low", "high", "baseline")


def _gained(end: Mapping[str, list[Row]], entity_id: UUID, cut: date, day: date) -> int:
    return sum(
        row["new_views"] or 0
        for row in end["creator_daily"]
        if entity_id in {row["creator_id"], row["project_id"]} and cut < row["day"] <= day
    )


def _earned(marts: Mapping[str, list[Row]], forecast: Row, cut: date) -> int:
    """Return the amount of periods that end within the forecast, as far as the marts know."""
    names = ("creator_id", "project_id", "structure_id")
    return sum(
        row["amount_cents"]
        for row in marts["payout_earned"]
        if forecast["entity_id"] in {row[name] for name in names}
        and cut < row["period_end"] <= forecast["day"]
    )


def _posted(end: Mapping[str, list[Row]], goal: Row, cut: date) -> int:
    """Return the posts after the cut: goals of these worlds, without accounts, count no others."""
    return sum(
        row["new_videos"]
        for row in end["creator_daily"]
        if row["creator_id"] == goal["creator_id"] and cut < row["day"] <= goal["period_end"]
    )
