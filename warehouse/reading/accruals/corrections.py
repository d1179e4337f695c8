"""What is left to correct once an accrual was paid: rule M19 of money.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any

from warehouse.reading.accruals.accrual import CONTENT, Accrual, Content, adjustment_id
from warehouse.reading.accruals.facts import Facts, Moment
from warehouse.reading.accruals.standing import as_decided, as_frozen, itself, told


@dataclass(frozen=True, slots=True)
class Correction:
    """What is owed, what was frozen and what adjustments settled, in cents (M19)."""

    owed_cents: int
    frozen_cents: int
    settled: Sequence[Accrual]

    @property
    def settled_cents(self) -> int:
        """What the settled adjustments come to."""
        return sum(one.amount_cents for one in self.settled)

    @property
    def open_cents(self) -> int:
        """What is still to be corrected."""
        return self.owed_cents - self.frozen_cents - self.settled_cents

    def reason(self) -> str:
        """Return the correction in words."""
        return (
            f"recomputed to {self.owed_cents} cents, {self.frozen_cents} frozen,"
            f" {self.settled_cents} settled before"
        )

    def evidence(self) -> dict[str, Any]:
        """Return what the open adjustment is computed from."""
        settled = [
            {"accrual_id": str(one.accrual_id), "amount_cents": one.amount_cents}
            for one in self.settled
        ]
        return {
            "type": "adjustment",
            "owed_cents": self.owed_cents,
            "frozen_cents": self.frozen_cents,
            "settled": settled,
        }


def accruals_of(facts: Facts, moment: Moment) -> list[Accrual]:
    """Return the accruals of a subject: itself, its settled adjustments by number, the open one."""
    correction = correction_of(facts)
    own = itself(facts, moment)
    rows = [own, *correction.settled, _open_adjustment(facts, correction, moment)]
    return [row for row in rows if row is not None]


def correction_of(facts: Facts) -> Correction:
    """Return what is owed, frozen and settled; what is owed stands in where nothing is frozen."""
    owed_cents = facts.owed.amount_cents if facts.owed else 0
    frozen = facts.frozen.get(facts.accrual_id)
    frozen_cents = frozen.content.amount_cents if frozen else owed_cents
    return Correction(owed_cents, frozen_cents, _settled(facts))


def _settled(facts: Facts) -> list[Accrual]:
    """Return the adjustments in live payments, and the void ones at the amount they had."""
    frozen = [
        as_frozen(one, facts) for one in facts.frozen.values() if one.content.kind == "adjustment"
    ]
    void = [
        told(one.accrual_id, one.content, status="void", note=one.note)
        for one in facts.decisions.values()
        if one.content.kind == "adjustment"
        and one.decision == "void"
        and one.accrual_id not in facts.frozen
    ]
    return sorted(frozen + void, key=lambda one: one.adjustment_number or 0)


def _open_adjustment(facts: Facts, correction: Correction, moment: Moment) -> Accrual | None:
    """Return the adjustment that is left to settle, None where there is none.

    A void accrual is never adjusted, also where nothing recomputes to it any more (M17).
    """
    is_frozen = facts.accrual_id in facts.frozen
    is_adjusted = bool(correction.settled) and not facts.is_void
    if not (is_frozen or is_adjusted) or correction.open_cents == 0:
        return None
    content = _content_of_adjustment(facts, correction, moment)
    if moment.as_of < content.ends_at:
        return None
    accrual_id = adjustment_id(facts.accrual_id, content.adjustment_number or 0)
    return as_decided(accrual_id, content, "final", facts)


def _content_of_adjustment(facts: Facts, correction: Correction, moment: Moment) -> Content:
    """Return the open adjustment: about what was frozen, by the rule that recomputes it."""
    frozen = facts.frozen.get(facts.accrual_id)
    known: list[Content | None] = [frozen.content if frozen else None, facts.owed]
    about = next(one for one in [*known, *correction.settled] if one is not None)
    rule = facts.owed or about
    taken = {one.adjustment_number for one in correction.settled}
    changed = {
        "version_id": rule.version_id,
        "version_number": rule.version_number,
        "amount_cents": correction.open_cents,
        "precise_amount": Decimal(correction.open_cents),
        "limited_by": None,
        "computed_at": moment.as_of,
        "kind": "adjustment",
        "adjusts_accrual_id": facts.accrual_id,
        "adjustment_number": next(number for number in count(1) if number not in taken),
        "booked_in": facts.cadence.first_day(moment.as_of) if facts.cadence else None,
        "reason": correction.reason(),
    }
    return Content(**{name: getattr(about, name) for name in CONTENT} | changed)
