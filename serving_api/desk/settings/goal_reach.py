"""Set a goal, once the amounts of ended periods that it may change are confirmed.

They use its first state (money.md M21).
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from itertools import chain
from uuid import UUID

from fastapi import Response
from sqlalchemy import func

from serving_api.desk.choices import names_of
from serving_api.desk.done import redirect
from serving_api.desk.entered import require_read
from serving_api.desk.settings.goal_form import first_day_in_words
from serving_api.errors import Conflict
from serving_api.kit.days import ONE_DAY
from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import rows_of
from serving_api.resources.payouts.accruals.listing import list_latest
from serving_api.resources.payouts.accruals.schemas import Accrual, AccrualQuery
from serving_api.resources.payouts.accruals.summary import page_dollars, plural, shortened
from serving_api.resources.payouts.structures import service as structures
from serving_api.resources.programs.goals import service as goals
from serving_api.resources.programs.goals.schemas import NewGoal
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.models import Goal
from warehouse.reading.goals import GoalPeriod

MOST_READ = 1000
MOST_NAMED = 20
MOST_SKIPPED = 5
"""Names in a message, which a cookie carries."""
LENGTHS: dict[GoalPeriod, range] = {
    "daily": range(1, 2),
    "weekly": range(2, 8),
    "monthly": range(8, 32),
}
"""Days of an amount's period."""


def set_if_confirmed(
    context: WriteContext,
    project_id: UUID,
    fields: Mapping[str, str],
    address: str,
    *,
    creator_ids: Sequence[UUID],
    body: NewGoal,
) -> Response:
    """Set a goal for creators that lack it, and redirect with an undo if that restores all.

    Raises Unread if ended periods may change, and Conflict if none lacks it.
    """
    creators.lock(context.session, context.organization_id, *creator_ids)
    having = _creators_with(context, body, creator_ids)
    had = f"Already had this goal: {_names_in_words(context, having, MOST_SKIPPED)}."
    creator_ids = [creator_id for creator_id in creator_ids if creator_id not in having]
    if not creator_ids:
        raise Conflict(f"{had} No goal was set")
    made = [_create(context, creator_id, body) for creator_id in creator_ids]
    if sentence := _changed_in_words(context, project_id, creator_ids, body):
        require_read(fields, sentence)
    number = plural(len(creator_ids), "creator")
    words = f"Goal set for {number}.{first_day_in_words(context, body)}"
    words += f" {had}" if having else ""
    return redirect(address, words, None if sentence else "unset", made)


def _create(context: WriteContext, creator_id: UUID, body: NewGoal) -> UUID:
    try:
        return goals.create(context, creator_id, body).id
    except Conflict as error:
        name = names_of(context, [creator_id])[creator_id]
        error.message = f"{name}: {error.message}. No goal was set"
        raise


def _changed_in_words(
    context: RequestContext, project_id: UUID, creator_ids: Collection[UUID], goal: NewGoal
) -> str:
    """Return a sentence that counts the amounts and names their creators; "" if there are none."""
    amounts = _ended_amounts(context, project_id, creator_ids, goal)
    if not amounts:
        return ""
    ids = {amount.creator_id for amount in amounts}
    listed = _names_in_words(context, ids, MOST_NAMED)
    number = plural(len(amounts), "amount")
    some = f"at least {number}" if len(amounts) >= MOST_READ else number
    decided = [sum(each.status == status for each in amounts) for status in ("approved", "paid")]
    cents = sum(amount.amount_cents for amount in amounts)
    return (
        f"These dates include periods that have ended. The goal may change {some} of them,"
        f" {page_dollars(cents)} ({decided[0]:,} approved, {decided[1]:,} paid), of {listed}."
        " Deleting the goal later does not bring them back."
    )


def _creators_with(context: RequestContext, goal: NewGoal, ids: Collection[UUID]) -> set[UUID]:
    """Return those of the creators with an active goal like this one on some of its days."""
    first, last = goal.start_date or date.min, goal.end_date or date.max
    rows = rows_of(Goal, context.organization_id).where(
        among(Goal.creator_id, ids),
        Goal.is_active,
        func.coalesce(Goal.start_date, first) <= last,
        func.coalesce(Goal.end_date, last) >= first,
    )
    like = goal.model_dump(include={"metric", "period", "target_value", "platform", "account_id"})
    return {row.creator_id for row in context.session.scalars(rows.filter_by(**like))}


def _names_in_words(context: RequestContext, ids: Collection[UUID], most: int) -> str:
    return shortened(sorted(names_of(context, ids).values()), most)


def _ended_amounts(
    context: RequestContext, project_id: UUID, creator_ids: Collection[UUID], goal: NewGoal
) -> list[Accrual]:
    yesterday = context.today - ONE_DAY
    last_day = min(goal.end_date or yesterday, yesterday)
    rules = structures.paying_goals(context, project_id, is_active=None)
    queries = (
        AccrualQuery.model_validate(
            {"project_id": project_id, "structure_id": rule.id, "to": last_day}
            | ({"from": goal.start_date} if goal.start_date else {})
        )
        for rule in rules
    )
    amounts = chain.from_iterable(
        list_latest(context, query, creator_ids, MOST_READ) for query in queries
    )
    return [amount for amount in amounts if _may_change(amount, goal)]


def _may_change(amount: Accrual, goal: NewGoal) -> bool:
    days = (amount.period_end - amount.period_start).days + 1
    return (
        amount.kind != "adjustment"
        and amount.status != "void"
        and days in LENGTHS[goal.period]
        and (goal.start_date is None or amount.period_start >= goal.start_date)
    )
