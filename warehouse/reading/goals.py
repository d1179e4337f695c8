"""Judged periods of goals, from marts.goal_compliance."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import Any, Final, Literal, NamedTuple
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.platforms import TrackedPlatform
from warehouse.reading.statements import statement

GoalMetric = Literal["posts", "views", "engagement", "followers"]
GoalPeriod = Literal["daily", "weekly", "monthly"]
GoalScope = Literal["all", "platform", "account"]
GoalStatus = Literal["on_track", "behind_pace", "at_risk", "completed", "missed"]

WIDE: Final = 4
"""Memory of a judged goal, in rows of other results."""

JUDGED: Final = statement(__name__, "goals_judged.sql")

MISSED_LAST: Final = statement(__name__, "goals_missed_last.sql")

PROGRESS: Final = statement(__name__, "goals_progress.sql")


@dataclass(frozen=True, slots=True)
class Numbers:
    """The computed result of a goal; all None before the first.

    `actual` is a count; the percentage has one decimal.
    """

    actual: int | None = None
    percentage: float | None = None
    status: GoalStatus | None = None


class Terms(NamedTuple):
    """The terms of a goal's state, and the state's id.

    `id` is the goal's. Days are inclusive and org-local.
    """

    id: UUID
    creator_id: UUID
    metric: GoalMetric
    period: GoalPeriod
    start_date: date | None
    end_date: date | None
    state_id: UUID


@dataclass(frozen=True, slots=True)
class JudgedGoal:
    """A goal's terms and result in a period, as of the publication (money.md M22).

    Days are inclusive and org-local; `ends_at` is UTC.
    """

    terms: Terms
    project_id: UUID
    target_value: int
    platform_scope: GoalScope
    platform: TrackedPlatform | None
    account_id: UUID | None
    period_start: date
    period_end: date
    ends_at: datetime
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class Judged:
    """Judged goals by creator, and by the state of the goal.

    Keys are ids as integers, like those of missed goals: a lookup among thousands takes Python a
    tenth of the time of a UUID.
    """

    goals: Sequence[JudgedGoal]
    by_state: Mapping[int, JudgedGoal]

    @property
    def rows(self) -> int:
        """Memory, in rows of other results."""
        return WIDE * len(self.goals)


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """The goals of a project, or of one creator, in the periods that contain `day`."""

    organization_id: UUID
    project_id: UUID
    day: date
    creator_id: UUID | None


@dataclass(frozen=True, slots=True)
class MissedQuery:
    """Goals of a project that missed a period ending on these days, both inclusive."""

    organization_id: UUID
    project_id: UUID
    from_day: date
    to_day: date


@dataclass(frozen=True, slots=True)
class ProgressQuery:
    """A goal, and the number of its latest periods to read.

    A changed goal was judged by other metrics, in periods of another length.
    """

    organization_id: UUID
    project_id: UUID
    goal_id: UUID
    metric: GoalMetric
    period: GoalPeriod
    most: int


@dataclass(frozen=True, slots=True)
class GoalProgress:
    """A goal's result and target in a period. `ends_at` is UTC."""

    period_start: date
    period_end: date
    ends_at: datetime
    target_value: int
    actual: int


def judged_goals(cursor: DuckDBPyConnection, query: JudgedQuery) -> Judged:
    rows = cursor.execute(JUDGED, asdict(query)).fetchall()
    goals = [_judged(*columns) for columns in rows]
    return Judged(goals, {goal.terms.state_id.int: goal for goal in goals})


def goal_progress(cursor: DuckDBPyConnection, query: ProgressQuery) -> list[GoalProgress]:
    """Return the latest judged periods of a goal, the oldest first."""
    rows = cursor.execute(PROGRESS, asdict(query)).fetchall()
    return [GoalProgress(*columns) for columns in reversed(rows)]


def missed_goals(cursor: DuckDBPyConnection, query: MissedQuery) -> Set[int]:
    """Return the goals that missed their last period ending on these days, by id."""
    return {goal_id.int for (goal_id,) in cursor.execute(MISSED_LAST, asdict(query)).fetchall()}


def _judged(*columns: Any) -> JudgedGoal:
    *of_state, ends_at, actual, percentage, status = columns[len(Terms._fields) :]
    terms = Terms(*columns[: len(Terms._fields)])
    # Python compares instants of one tzinfo in a fraction of the time of DuckDB's, of pytz.
    numbers = Numbers(actual, float(percentage), status)
    known: Any = (terms, *of_state, ends_at.astimezone(UTC), numbers)
    return JudgedGoal(*known)
