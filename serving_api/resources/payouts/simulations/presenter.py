"""Answers of simulations: the amounts of both rules side by side."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from serving_api.resources.payouts.accruals.evidence_lists import in_part
from serving_api.resources.payouts.accruals.holds import hold_of
from serving_api.resources.payouts.accruals.summary import summary_of
from serving_api.resources.payouts.simulations import schemas
from serving_api.resources.payouts.structures.rules import CURRENCY
from warehouse.amounts import bounded_cents
from warehouse.simulation.engine import Earned
from warehouse.simulation.proposal import Proposal

ABOUT = ("period_start", "period_end", "subject_id", "view_count")
"""Fields that identify a creator's period, conversion or threshold."""


def compared(
    proposal: Proposal, earned: Sequence[Earned], as_of: datetime, *, is_new: bool
) -> schemas.Simulated:
    return schemas.Simulated(
        **about(proposal, as_of),
        creators=by_creator(proposal, earned, is_new=is_new),
        **_sums(earned, is_new=is_new),
    )


def by_creator(
    proposal: Proposal, earned: Sequence[Earned], *, is_new: bool
) -> list[schemas.CreatorSimulation]:
    """Return amounts by creator in the order of the request, including creators without any."""
    of_creators: dict[UUID, list[Earned]] = {creator: [] for creator in proposal.creators}
    for amount in earned:
        of_creators[amount.accrual.creator_id].append(amount)
    return [
        schemas.CreatorSimulation(
            creator_id=creator, periods=_periods(own), **_sums(own, is_new=is_new)
        )
        for creator, own in of_creators.items()
    ]


def about(proposal: Proposal, as_of: datetime) -> dict[str, Any]:
    """Return the days, timezone, currency and `as_of` of an answer."""
    return {
        "as_of": as_of,
        "from_day": proposal.from_day,
        "to_day": proposal.to_day,
        "timezone": proposal.zone,
        "currency": CURRENCY,
    }


def _sums(earned: Sequence[Earned], *, is_new: bool) -> dict[str, int | None]:
    proposed = [amount for amount in earned if amount.is_proposed]
    simulated = sum(amount.accrual.amount_cents for amount in proposed)
    in_force = sum(amount.accrual.amount_cents for amount in earned if not amount.is_proposed)
    on_hold = sum(amount.accrual.amount_cents for amount in proposed if amount.waits_for)
    return {**sums_of(simulated, in_force, is_new=is_new), "held_cents": on_hold}


def sums_of(simulated: int, in_force: int, *, is_new: bool) -> dict[str, int | None]:
    """Return both sums in cents and their difference; a new structure has nothing in force."""
    simulated, in_force = bounded_cents(simulated), bounded_cents(in_force)
    return {
        "simulated_cents": simulated,
        "in_force_cents": None if is_new else in_force,
        "difference_cents": None if is_new else simulated - in_force,
    }


def _periods(earned: Sequence[Earned]) -> list[schemas.Compared]:
    """Return one row for each thing that either rule pays for, by time."""
    pairs: dict[tuple[Any, ...], dict[bool, Earned]] = defaultdict(dict)
    for amount in earned:
        pairs[_about(amount)][amount.is_proposed] = amount
    return [_row(pair.get(True), pair.get(False), about) for about, pair in pairs.items()]


def _about(earned: Earned) -> tuple[Any, ...]:
    return tuple(getattr(earned.accrual, name) for name in ABOUT)


def _row(simulated: Earned | None, paid: Earned | None, about: tuple[Any, ...]) -> schemas.Compared:
    return schemas.Compared(
        **dict(zip(ABOUT, about, strict=True)),
        simulated=simulated and schemas.Amount(**_amount(simulated)),
        in_force=paid
        and schemas.InForce(
            accrual_id=paid.accrual.accrual_id,
            version_number=paid.accrual.version_number,
            **_amount(paid),
        ),
    )


def _amount(earned: Earned) -> dict[str, Any]:
    accrual = earned.accrual
    return {
        "amount_cents": accrual.amount_cents,
        "precise_amount": f"{accrual.precise_amount:.9f}",
        "limited_by": accrual.limited_by,
        "summary": summary_of(accrual, earned.evidence),
        "held": hold_of(earned.waits_for) if earned.waits_for else None,
        "evidence": in_part(dict(earned.evidence)),
        "videos": [
            {"video_id": part.video_id, "views": part.views, "amount_cents": part.amount_cents}
            for part in earned.parts
        ],
    }
