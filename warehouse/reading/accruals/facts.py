"""What is known of one subject: what it recomputes to, and what people decided about it.

A subject is what has an accrual of its own: a period, a video's threshold, a conversion. Its
accruals are itself and the adjustments of it.
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
    """The periods of a structure (M2), of days of its zone (M15).

    `anchor` is the ISO weekday on which its weeks begin.
    """

    timezone: str
    period: Period | None = None
    anchor: int | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """Until when the publication's data goes (UTC), and the days that accruals take to settle."""

    as_of: datetime
    settling_days: int


@dataclass(frozen=True, slots=True)
class Frozen:
    """An accrual in a payment that is pending or paid, as it was copied."""

    accrual_id: UUID
    payment_id: UUID
    is_paid: bool
    content: Content


@dataclass(frozen=True, slots=True)
class Decision:
    """The last decision on an accrual, which was as copied; None where it was undone."""

    accrual_id: UUID
    decision: Literal["approved", "void"] | None
    note: str | None
    content: Content


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is known of one subject.

    `owed` is what it recomputes to, None where there is nothing to recompute any more. `frozen`
    and `decisions` are its own and those of its adjustments, by accrual. `cadence` is that of its
    structure as it stands, None where the structure is gone: nothing was decided then. Of `holding`
    versions odd readings hold amounts.
    """

    accrual_id: UUID
    owed: Content | None
    frozen: Mapping[UUID, Frozen] = field(default_factory=dict)
    decisions: Mapping[UUID, Decision] = field(default_factory=dict)
    cadence: Cadence | None = None
    holding: Collection[UUID] = frozenset()

    @property
    def versions(self) -> set[UUID]:
        """The versions by which it was ever computed."""
        frozen = (copy.content for copy in self.frozen.values())
        decided = (copy.content for copy in self.decisions.values())
        contents = [self.owed, *frozen, *decided]
        return {content.version_id for content in contents if content is not None}

    @property
    def is_known(self) -> bool:
        """Whether anything recomputes, is frozen or was decided."""
        return self.owed is not None or bool(self.frozen) or bool(self.decisions)

    @property
    def adjustments(self) -> Mapping[UUID, Content]:
        """The adjustments that people decided about, by number: each as frozen, else as decided."""
        copies: dict[UUID, Frozen | Decision] = {**self.decisions, **self.frozen}
        by_number = sorted(copies.values(), key=lambda copy: copy.content.adjustment_number or 0)
        return {
            copy.accrual_id: copy.content for copy in by_number if copy.content.kind == "adjustment"
        }

    @property
    def structure_id(self) -> UUID:
        """The structure that pays what is known."""
        copies = (copy.content for copy in self.frozen.values())
        decided = (copy.content for copy in self.decisions.values())
        contents = [self.owed, *copies, *decided]
        return next(content.structure_id for content in contents if content is not None)

    def decision_on(self, accrual_id: UUID) -> str | None:
        """Return what was decided about an accrual, in one word."""
        decision = self.decisions.get(accrual_id)
        return decision.decision if decision else None
