"""Present accruals by decisions since the last build.

`states.sql` applies the macros of `warehouse.rules`, which the models use too (money.md M17, M18),
to given accruals.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from warehouse.reading.accruals.accrual import CONTENT, Accrual, AccrualStatus, Content
from warehouse.reading.accruals.corrections import Correction, corrections
from warehouse.reading.accruals.facts import Facts, Moment
from warehouse.reading.statements import statement
from warehouse.rules.cached_plan import CachedPlan

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
