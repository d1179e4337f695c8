"""Open and settled adjustments by decisions since the last build (rule M19).

`corrections.sql` applies the macros of `warehouse.rules`, which the models use too, to subjects
with payments or settlements. Contents are passed and returned by name.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final, NamedTuple
from uuid import UUID

from warehouse.catalogue.accruals import COPIED
from warehouse.reading.accruals.accrual import Content
from warehouse.reading.accruals.facts import Facts, Moment
from warehouse.reading.statements import statement
from warehouse.rules.cached_plan import CachedPlan

CORRECTIONS: Final = CachedPlan(statement(__name__, "corrections.sql"))

OWED, FROZEN = "owed", "frozen"

Row = dict[str, Any]


class Answer(NamedTuple):
    """A row of the result."""

    accrual_id: UUID
    settled: Sequence[UUID]
    is_open: bool
    corrected: str
    correcting: str
    adjustment_id: UUID
    adjustment_number: int
    amount_cents: int
    booked_in: date | None
    reason: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Adjusting:
    """An open adjustment with its id and evidence."""

    accrual_id: UUID
    content: Content
    evidence: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Correction:
    """The settled adjustments of a subject, by number, and the open one."""

    settled: Mapping[UUID, Content]
    adjusting: Adjusting | None


NOTHING: Final = Correction({}, None)


def corrections(known: Sequence[Facts], moment: Moment) -> Mapping[UUID, Correction]:
    """Return corrections by subject, empty without payment or settlement."""
    subjects = {facts.accrual_id: facts for facts in known}
    copied = [_subject(facts) for facts in known if facts.frozen or facts.adjustments]
    rows = _query_corrections(copied, moment) if copied else []
    corrected = {row.accrual_id: _correction(subjects[row.accrual_id], moment, row) for row in rows}
    return {accrual_id: corrected.get(accrual_id, NOTHING) for accrual_id in subjects}


def _query_corrections(subjects: Sequence[Row], moment: Moment) -> list[Answer]:
    given = {"as_of": moment.as_of, "subjects": subjects}
    return [Answer(*row) for row in CORRECTIONS.ask(json.dumps(given, default=str))]


def _subject(facts: Facts) -> Row:
    frozen = facts.frozen.get(facts.accrual_id)
    return {
        "accrual_id": facts.accrual_id,
        "decision": facts.decision_on(facts.accrual_id),
        "owed": facts.owed and _content(OWED, facts.owed),
        "frozen": frozen and _content(FROZEN, frozen.content),
        "adjustments": [_adjustment(facts, *entry) for entry in facts.adjustments.items()],
        "pays_in": facts.cadence and asdict(facts.cadence),
    }


def _adjustment(facts: Facts, accrual_id: UUID, content: Content) -> Row:
    return {
        **_content(str(accrual_id), content),
        "accrual_id": accrual_id,
        "adjustment_number": content.adjustment_number,
        "is_frozen": accrual_id in facts.frozen,
        "decision": facts.decision_on(accrual_id),
    }


def _content(name: str, content: Content) -> Row:
    return {
        "content": name,
        "amount_cents": content.amount_cents,
        "period_end": content.period_end,
        "timezone": content.timezone,
    }


def _correction(facts: Facts, moment: Moment, row: Answer) -> Correction:
    settled = {accrual_id: facts.adjustments[accrual_id] for accrual_id in row.settled}
    if not row.is_open:
        return Correction(settled, None)
    content = _adjusting(facts, moment, row)
    return Correction(settled, Adjusting(row.adjustment_id, content, json.loads(row.evidence)))


def _adjusting(facts: Facts, moment: Moment, row: Answer) -> Content:
    named = _named(facts)
    contents = {"corrected": named[row.corrected], "correcting": named[row.correcting]}
    copied: dict[str, Any] = {
        column.name: getattr(contents.get(column.adjustment), column.name, None)
        for column in COPIED
        if column.adjustment != "own"
    }
    return Content(
        **copied,
        amount_cents=row.amount_cents,
        precise_amount=Decimal(row.amount_cents),
        computed_at=moment.as_of,
        kind="adjustment",
        adjusts_accrual_id=facts.accrual_id,
        adjustment_number=row.adjustment_number,
        booked_in=row.booked_in,
        reason=row.reason,
    )


def _named(facts: Facts) -> Mapping[str, Content]:
    frozen = facts.frozen.get(facts.accrual_id)
    return {
        **({OWED: facts.owed} if facts.owed else {}),
        **({FROZEN: frozen.content} if frozen else {}),
        **{str(accrual_id): content for accrual_id, content in facts.adjustments.items()},
    }
