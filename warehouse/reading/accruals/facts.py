"""All facts about a subject: its recomputed amount and the decisions on it.

A subject is what has an accrual of its own: a period, a video's threshold, a conversion. Its
accruals are itself and its adjustments.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from warehouse.reading.accruals.accrual import Content

Period = Literal["daily", "weekly", "monthly"]


@dataclass(frozen=True, slots=True)
class Cadence:
    """The periods of a structure (M2), in days of its zone (M15).

    `anchor` is the ISO weekday on which weeks begin.
    """

    timezone: str
    period: Period | None = None
    anchor: int | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """A publication's as_of (UTC), and the settling days of accruals."""

    as_of: datetime
    settling_days: int


@dataclass(frozen=True, slots=True)
class Frozen:
    """An accrual in a pending or paid payment, as copied."""

    accrual_id: UUID
    payment_id: UUID
    is_paid: bool
    content: Content


@dataclass(frozen=True, slots=True)
class Decision:
    """The last decision on an accrual, as copied; None if undone."""

    accrual_id: UUID
    decision: Literal["approved", "void"] | None
    note: str | None
    content: Content


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts about one subject.

    `owed` is its recomputed accrual, None if there is nothing to recompute. `frozen` and
    `decisions` are its own and its adjustments', by accrual. `cadence` is its structure's present
    one, None if the structure is gone; then there are no decisions. `holding` are versions with
    `hold_anomalies`.
    """

    accrual_id: UUID
    owed: Content | None
    frozen: Mapping[UUID, Frozen] = field(default_factory=dict)
    decisions: Mapping[UUID, Decision] = field(default_factory=dict)
    cadence: Cadence | None = None
    holding: Collection[UUID] = frozenset()

    @property
    def versions(self) -> set[UUID]:
        frozen = (copy.content for copy in self.frozen.values())
        decided = (copy.content for copy in self.decisions.values())
        contents = [self.owed, *frozen, *decided]
        return {content.version_id for content in contents if content is not None}

    @property
    def is_known(self) -> bool:
        """Whether anything is recomputed, frozen or decided."""
        return self.owed is not None or bool(self.frozen) or bool(self.decisions)

    @property
    def adjustments(self) -> Mapping[UUID, Content]:
        """The decided adjustments by number, each as frozen, else as decided."""
        copies: dict[UUID, Frozen | Decision] = {**self.decisions, **self.frozen}
        by_number = sorted(copies.values(), key=lambda copy: copy.content.adjustment_number or 0)
        return {
            copy.accrual_id: copy.content for copy in by_number if copy.content.kind == "adjustment"
        }

    @property
    def structure_id(self) -> UUID:
        copies = (copy.content for copy in self.frozen.values())
        decided = (copy.content for copy in self.decisions.values())
        contents = [self.owed, *copies, *decided]
        return next(content.structure_id for content in contents if content is not None)

    def decision_on(self, accrual_id: UUID) -> str | None:
        decision = self.decisions.get(accrual_id)
        return decision.decision if decision else None
