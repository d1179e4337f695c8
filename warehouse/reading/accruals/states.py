"""Present accruals and their adjustments, open and settled, by decisions since the last build.

`states.sql` and `corrections.sql` apply the macros of `warehouse.rules`, which the models use too
(money.md M17 to M19), to given accruals, and to subjects with payments or settlements. Contents of
adjustments are passed and returned by name.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final, NamedTuple
from uuid import UUID

from warehouse.catalogue.accruals import COPIED
from warehouse.reading.accruals.accrual import CONTENT, Accrual, AccrualStatus, Content
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


STATES: Final = CachedPlan(statement(__name__, "states.sql"))

Contents = Mapping[UUID, Content]


@dataclass(frozen=True, slots=True)
class SubjectState:
    """The accruals of a subject: itself, its settled adjustments by number, the open one.

    Empty if nothing is owed and nothing frozen.
    """

    accruals: Sequence[Accrual]
    correction: Correction

    @property
    def settled(self) -> list[Accrual]:
        """The settled adjustments, by number."""
        return [
            accrual for accrual in self.accruals if accrual.accrual_id in self.correction.settled
        ]


def states_of(known: Sequence[Facts], moment: Moment) -> Mapping[UUID, SubjectState]:
    corrected = corrections(known, moment)
    contents_of = [(facts, _contents_of(facts, corrected[facts.accrual_id])) for facts in known]
    given = [_given(facts, *entry) for facts, contents in contents_of for entry in contents.items()]
    statuses = _query_states(given, moment) if given else {}
    return {
        facts.accrual_id: SubjectState(
            [_accrual(facts, *entry, *statuses[entry[0]]) for entry in contents.items()],
            corrected[facts.accrual_id],
        )
        for facts, contents in contents_of
    }


def _contents_of(facts: Facts, correction: Correction) -> Contents:
    """Return the accrual of a subject as frozen, else as owed, and its adjustments."""
    frozen, adjusting = facts.frozen.get(facts.accrual_id), correction.adjusting
    itself = frozen.content if frozen else facts.owed
    return {
        **({facts.accrual_id: itself} if itself else {}),
        **correction.settled,
        **({adjusting.accrual_id: adjusting.content} if adjusting else {}),
    }


def _given(facts: Facts, accrual_id: UUID, content: Content) -> dict[str, Any]:
    frozen, decided = facts.frozen.get(accrual_id), facts.decisions.get(accrual_id)
    return {
        "accrual_id": accrual_id,
        "amount_cents": content.amount_cents,
        "period_end": content.period_end,
        "timezone": content.timezone,
        "ends_at": content.ends_at if content.kind == "earning" else None,
        "is_checked": content.is_checked(facts.holding),
        "is_paid": frozen and frozen.is_paid,
        "decision": decided and decided.decision,
        "decided_cents": decided and decided.content.amount_cents,
        "note": decided and decided.note,
    }


def _query_states(
    given: Sequence[Mapping[str, Any]], moment: Moment
) -> Mapping[UUID, tuple[AccrualStatus, str | None]]:
    question = {"as_of": moment.as_of, "settling_days": moment.settling_days, "accruals": given}
    rows = STATES.ask(json.dumps(question, default=str))
    return {accrual_id: (status, note) for accrual_id, status, note in rows}


def _accrual(
    facts: Facts, accrual_id: UUID, content: Content, status: AccrualStatus, note: str | None
) -> Accrual:
    frozen = facts.frozen.get(accrual_id)
    return Accrual(
        accrual_id=accrual_id,
        status=status,
        payment_id=frozen.payment_id if frozen else None,
        note=note,
        **{name: getattr(content, name) for name in CONTENT},
    )
