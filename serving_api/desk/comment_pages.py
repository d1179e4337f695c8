"""`/desk/projects/{project_id}/comments`: comments of a period, and handling them."""

from collections.abc import Iterator
from datetime import date
from functools import partial
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response

from serving_api.desk.choices import UNNAMED, names_of
from serving_api.desk.comment_words import (
    FEELINGS,
    HANDLED,
    LANGUAGES,
    ORDERS,
    SIGNALS,
    feelings_chart,
)
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import FormQuery, body_of, chosen_in
from serving_api.desk.needs import Need
from serving_api.desk.once import Reader, Writer
from serving_api.desk.periods import Period, PeriodQuery, PeriodSent, period_of
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.sessions import PATH
from serving_api.errors import Conflict
from serving_api.kit.days import DayRange
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import version_of_ids
from serving_api.kit.schemas import Params
from serving_api.resources.comments import settings
from serving_api.resources.comments.collected import endpoints as collected
from serving_api.resources.comments.collected import listing, review, signals
from serving_api.resources.comments.collected.schemas import (
    MAX_HANDLED,
    CommentFilters,
    CommentHandling,
    FlagsQuery,
    ProjectCommentsQuery,
    SignalsQuery,
)
from serving_api.resources.comments.collected.signal_schemas import (
    CommentSignals,
    CommentSignalsAnswer,
)
from serving_api.resources.payouts.accruals.summary import plural
from warehouse.platforms import PLATFORM_NAMES, TrackedPlatform
from warehouse.reading.comments.listing import Sort
from warehouse.reading.comments.scope import FLAGGED, CommentScope
from warehouse.reading.comments.summary import tracked_since

ON_A_PAGE = 50
MOST_AT_ONCE = 1_000
CREATORS = 10
COMMENTS = f"{PATH}/projects/{{project_id}}/comments"


class CommentChoices(FormQuery, CommentFilters):
    """Filters of the form, where an empty value means no filter."""

    sort: Sort = "newest"
    platform: TrackedPlatform | None = None
    handled: bool | None = None


router = desk_router()


@router.get(COMMENTS, dependencies=[views])
def show_comments(
    *,
    request: Request,
    context: Reader,
    project_id: UUID,
    choices: Params[CommentChoices],
    sent: PeriodSent,
    cursor: str | None = None,
) -> Response:
    """Show comments, newest first; the first page starts with a summary."""
    period = period_of(context, sent)
    return _page(request, context, project_id, choices, period, cursor=cursor)


@router.post(COMMENTS, dependencies=[views])
def handle_comments(
    *,
    request: Request,
    context: Writer,
    project_id: UUID,
    choices: Params[CommentChoices],
    sent: PeriodSent,
    fields: OwnFields,
    cursor: str | None = None,
) -> Response:
    """Mark comments as handled or open again, one, the ticked or all flagged that match."""
    period = period_of(context, sent)
    page = partial(_page, request, context, project_id, choices, period, cursor=cursor)
    show_again(request, fields, (), lambda entered: page(entered=entered))
    if fields.get("handled") == "all":
        action, chosen = "handled", _open_flagged(context, project_id, choices, period)
        if fields.get("all") != version_of_ids(chosen):
            raise Conflict("The comments that match have changed: check the number and try again")
    else:
        action, chosen = chosen_in(fields, ("handled", "open"))
    changed: list[UUID] = []
    for first in range(0, len(chosen), MAX_HANDLED):
        ids = chosen[first : first + MAX_HANDLED]
        body = body_of(CommentHandling, comment_ids=ids, handled=action == "handled")
        changed += review.decide(context, project_id, body)[1]
    back = f"{request.url.path}?{request.url.query}#list"
    done, undo = ("handled", "open") if action == "handled" else ("open again", "handled")
    return redirect(back, f"{plural(len(changed), 'comment')} {done}.", undo, changed)


def _open_flagged(
    context: RequestContext, project_id: UUID, choices: CommentChoices, period: Period
) -> list[UUID]:
    """Return the first MOST_AT_ONCE open comments that match; none without a flagged signal."""
    if choices.signal not in {"flagged", *FLAGGED} or choices.handled:
        return []
    chosen = {**choices.model_dump(exclude_none=True), "handled": False}
    query = ProjectCommentsQuery(**chosen, **period.span)
    return listing.ids_of_project(context, project_id, query, MOST_AT_ONCE)


def needs_of_comments(context: RequestContext, project_id: UUID) -> Iterator[Need]:
    """Yield the open comments with risk of harm of the page's default period."""
    if not context.caller.plan.comment_insights_enabled:
        return
    span = period_of(context, PeriodQuery()).span
    query = ProjectCommentsQuery(signal="risk", handled=False, sort="newest", **span)
    if risks := listing.count_of_project(context, project_id, query):
        words = f"{plural(risks, 'comment')} with risk of harm"
        yield Need(words, path="/comments?signal=risk&handled=false")


def _page(
    request: Request,
    context: RequestContext,
    project_id: UUID,
    choices: CommentChoices,
    period: Period,
    *,
    cursor: str | None,
    entered: Entered = NOTHING,
) -> Response:
    chosen = choices.model_dump(exclude_none=True)
    query = ProjectCommentsQuery(**chosen, **period.span, limit=ON_A_PAGE, cursor=cursor)
    answer = listing.read_of_project(context, project_id, query)
    matching = _open_flagged(context, project_id, choices, period)
    return project_page(
        request,
        "desk_comments.html",
        "Comments",
        comments=answer.data,
        not_collected=answer.meta.not_collected,
        draws_charts=cursor is None,
        sums=None if cursor else _in_sum(context, project_id, choices.platform, period),
        period=period,
        chosen=chosen,
        cursor=answer.meta.nextCursor,
        is_first=cursor is None,
        creators=names_of(context, {row.creator_id for row in answer.data if row.creator_id}),
        choices={
            "signal": ("Signal", SIGNALS),
            "sentiment": ("Sentiment", FEELINGS),
            "platform": ("Platform", PLATFORM_NAMES),
            "handled": ("Status", HANDLED),
        },
        matching=len(matching),
        most_at_once=MOST_AT_ONCE,
        all_version=version_of_ids(matching),
        brand_terms=settings.read(context).effective_brand_terms,
        orders=ORDERS,
        languages=LANGUAGES,
        platforms=PLATFORM_NAMES,
        unnamed=UNNAMED,
        zone=ZoneInfo(context.marts_zone),
        entered=entered,
    )


def _in_sum(
    context: RequestContext, project_id: UUID, platform: TrackedPlatform | None, period: Period
) -> dict[str, Any]:
    """Return the summary of the period, with changes over its complete days."""

    def read(days: DayRange) -> CommentSignalsAnswer:
        span = {"from": days.from_day, "to": days.to_day}
        query = SignalsQuery(platform=platform, creator_limit=CREATORS, **span)
        return signals.read(context, project_id, query)

    dropped = collected.read(context, project_id, FlagsQuery(platform=platform, limit=1))
    answer = read(period.days)
    return {
        "summary": answer.data,
        "chart": feelings_chart(answer.data.timeseries, answer.meta.bucket, context.marts_today),
        "changes": _changes(read(period.compared).data, read(period.before).data)
        if period.compared
        and period.before
        and _is_tracked_on(context, project_id, platform, period.before.from_day)
        else {},
        "drops": dropped.positive_share_drops,
    }


def _is_tracked_on(
    context: RequestContext, project_id: UUID, platform: TrackedPlatform | None, day: date
) -> bool:
    """Return whether posts of the project, on the platform if given, were tracked on a day."""
    scope = CommentScope(
        organization_id=context.organization_id, project_id=project_id, platform=platform
    )
    answer = context.marts.cached(tracked_since, scope, lambda _since: 1)
    since = answer[0] if answer else None
    return since is not None and since.astimezone(ZoneInfo(context.marts_zone)).date() <= day


def _changes(now: CommentSignals, before: CommentSignals) -> dict[str, float]:
    """Return the change in percent by signal, if it occurred before; "" is all comments."""
    counts, earlier = (
        {"": sum(language.comments for language in sums.languages), **sums.signals.model_dump()}
        for sums in (now, before)
    )
    return {
        name: 100 * (counts[name] - number) / number for name, number in earlier.items() if number
    }
