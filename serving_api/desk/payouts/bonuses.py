"""`/desk/projects/{project_id}/payouts/creators/{creator_id}/bonus`: a one-off bonus.

It is a retainer of its own for one day, archived at once, as `structures.bonuses` recognizes it.
"""

from collections.abc import Mapping
from datetime import date
from functools import partial
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.choices import creator_in, name_of
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, day_in
from serving_api.desk.once import AdminReader, AdminWriter
from serving_api.desk.payouts.paying import PAY
from serving_api.desk.payouts.routes import payouts_page
from serving_api.desk.routes import views
from serving_api.desk.rules.words import cents_in
from serving_api.errors import InvalidBody
from serving_api.kit.days import ONE_DAY, day_in_words, today_in
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import rows_of
from serving_api.kit.schemas import Body, Label
from serving_api.resources.payouts.accruals.summary import page_dollars
from serving_api.resources.payouts.assignments import service as assignments
from serving_api.resources.payouts.assignments.schemas import NewAssignments
from serving_api.resources.payouts.structures import bodies
from serving_api.resources.payouts.structures import service as structures
from serving_api.resources.payouts.structures.rules import CURRENCY
from serving_api.resources.tracking.creators.schemas import Creator
from warehouse.ids import accrual_id
from warehouse.operational.models import PayoutPause

BONUS = f"{PAY}/bonus"
ENTERED = ("amount_cents", "reason", "day")
MOST_OF_NAME = 88
"""So that it fits into the name of a rule with the longest reason."""

router = desk_router()


class Reason(Body):
    """What a bonus is for."""

    reason: Label


@router.get(BONUS, dependencies=[views])
def show_bonus(
    request: Request, context: AdminReader, project_id: UUID, creator_id: UUID
) -> Response:
    """Show the form for a creator's bonus."""
    return _page(request, context, creator_in(context, project_id, creator_id), NOTHING)


@router.post(BONUS, dependencies=[views])
def add_bonus(
    request: Request, context: AdminWriter, project_id: UUID, creator_id: UUID, fields: OwnFields
) -> Response:
    """Pay a creator an amount once, for a day until today."""
    creator = creator_in(context, project_id, creator_id)
    show_again(request, fields, ENTERED, partial(_page, request, context, creator))
    reason = body_of(Reason, reason=fields.get("reason", "")).reason
    cents = positive_cents_in(fields, "amount_cents", "A bonus cannot be negative, see above")
    if not cents:
        raise InvalidBody.at("amount_cents", "Enter an amount above 0")
    day = unpaused_day(context, creator_id, day_in(fields, "day"), days_ago=1)
    make_bonus(context, creator, cents, reason, day)
    return redirect(f"/desk/projects/{project_id}/creators/{creator_id}", done_words(cents, day))


def positive_cents_in(fields: Mapping[str, str], name: str, negative: str) -> int | None:
    """Return the field's cents. Raises InvalidBody, with the message `negative` for a minus."""
    if fields.get(name, "").strip().removeprefix("$").startswith(("-", "\u2212")):
        raise InvalidBody.at(name, negative)
    return cents_in(fields, name)


def unpaused_day(
    context: RequestContext, creator_id: UUID, entered: date | None = None, *, days_ago: int = 0
) -> date:
    """Return the entered day, or else the latest without a pause of payouts, up to `days_ago`.

    A bonus for a paused day would never be paid (money.md M6). Raises InvalidBody for such a day,
    and for one to come.
    """
    zone = context.caller.analytics_tz
    today = today_in(zone, context.now)
    if entered and entered > today:
        raise InvalidBody.at("day", "Enter today or an earlier date")
    wanted = day = entered or today - days_ago * ONE_DAY
    statement = rows_of(PayoutPause, context.organization_id).where(
        PayoutPause.creator_id == creator_id
    )
    for pause in context.session.scalars(
        statement.order_by(PayoutPause.paused_at.desc(), PayoutPause.id)
    ):
        paused_on = today_in(zone, pause.paused_at)
        if paused_on < day and not (
            pause.restarted_at and today_in(zone, pause.restarted_at) < day
        ):
            day = paused_on
    if entered and day < wanted:
        message = f"Payouts were paused on this day: enter {day_in_words(day)} or an earlier date"
        raise InvalidBody.at("day", message)
    return day


def make_bonus(context: WriteContext, creator: Creator, cents: int, reason: str, day: date) -> UUID:
    """Make the rule that pays a creator once; return the id of its amount."""
    made = structures.create(context, _rule(creator, cents, reason))
    body = body_of(NewAssignments, creator_ids=[creator.id], start_date=day, end_date=day)
    assignments.assign(context, made.structure_id, body)
    structures.archive(context, made.structure_id)
    return accrual_id(made.structure_id, creator.id, day)


def _rule(creator: Creator, cents: int, reason: str) -> bodies.NewRecurring:
    return body_of(
        bodies.NewRecurring,
        project_id=creator.project_id,
        name=f"Bonus for {name_of(creator)[:MOST_OF_NAME]}: {reason.rstrip('. ')}",
        criteria_type="recurring",
        criteria_params={},
        period="daily",
        amount_cents=cents,
        currency=CURRENCY,
        proration_mode="full",
    )


def done_words(cents: int, day: date) -> str:
    return (
        f"Bonus of {page_dollars(cents)} for {day_in_words(day)}."
        " Payouts lists it after the next run, to approve once the day is over."
    )


def _page(
    request: Request, context: RequestContext, creator: Creator, entered: Entered
) -> Response:
    values = {"creator": creator, "name": name_of(creator), "entered": entered}
    return payouts_page(request, context, "desk_bonus.html", **values)
