"""`/desk/projects/{project_id}/comments`: comments of a period, and handling them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response

from serving_api.charts.chart import Chart, Line, Value
from serving_api.desk.choices import UNNAMED, names_of
from serving_api.desk.done import redirect
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import FormQuery, body_of, chosen_in
from serving_api.desk.once import Reader, Writer
from serving_api.desk.periods import Period, PeriodSent, period_of
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.sessions import PATH
from serving_api.kit.days import DayRange
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Params
from serving_api.resources.comments.collected import endpoints as collected
from serving_api.resources.comments.collected import listing, review, signals
from serving_api.resources.comments.collected.schemas import (
    CommentFilters,
    CommentHandling,
    FlagsQuery,
    ProjectCommentsQuery,
    SignalsQuery,
)
from serving_api.resources.comments.collected.signal_schemas import (
    CommentSignals,
    CommentSignalsAnswer,
    SignalsPoint,
)
from serving_api.resources.payouts.accruals.summary import plural
from warehouse.platforms import PLATFORM_NAMES, TrackedPlatform
from warehouse.reading.comments.listing import Sort
from warehouse.reading.comments.scope import CommentScope
from warehouse.reading.comments.summary import tracked_since

SIGNALS: Mapping[str, str] = {
    "flagged": "Flagged",
    "risk": "Risk of harm",
    "ad_disclosure": "Calls it an ad",
    "app_question": "Asks about the app",
    "signup_intent": "Wants to sign up",
    "pay_talk": "Talks about pay",
    "brand_mention": "Mentions the brand",
    "competitor": "Mentions a competitor",
    "referral_spam": "Referral spam",
}
"""By filter value, `flagged` first."""
FEELINGS: Mapping[str, str] = {"positive": "Positive", "neutral": "Neutral", "negative": "Negative"}
HANDLED: Mapping[bool, str] = {False: "Open", True: "Handled"}
"""By filter value: whether a member has handled the comment."""
ORDERS: Mapping[str, str] = {
    "newest": "Newest first",
    "top": "Most likes first",
    "oldest": "Oldest first",
}
LANGUAGES: Mapping[str | None, str] = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "ms": "Malay",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "ta": "Tamil",
    "th": "Thai",
    "tl": "Tagalog",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
    "zxx": "No words",
    "und": "Unknown",
    None: "Not detected yet",
}
"""By the comment's language code; a custom model may return others."""

DELAYS: Mapping[str | None, str] = {
    "not_tracked": "The post is not tracked, so its comments are not collected.",
    "too_young": "Comments are collected three days after a post is published.",
    "not_published": "Comments appear after the next check of the post.",
    "too_few": "The post has too few comments to collect.",
    "refused": "The platform did not show the comments. The next check tries again.",
    "due": "Comments appear after the next check of the post.",
    None: "There are no comments.",
}
"""By REST's `not_collected` reason."""


def feelings_chart(points: Sequence[SignalsPoint], bucket: str, today: date | None = None) -> Chart:
    """Return comments by sentiment and bucket; None where no comment was scored."""
    lines = [Line(label, list(_counts(points, name))) for name, label in FEELINGS.items()]
    unscored = Line("Not scored", [point.sentiment.unscored for point in points], "aside")
    x_values = [point.bucket_start for point in points]
    return Chart(f"Sentiment by {bucket}", x_values, [*lines, unscored], today=today)


def _counts(points: Sequence[SignalsPoint], feeling: str) -> Iterator[Value]:
    for point in points:
        is_known = not point.comments or point.sentiment.scored_share
        yield getattr(point.sentiment, feeling) if is_known else None


ON_A_PAGE = 50
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
    chosen = choices.model_dump(exclude_none=True)
    period = period_of(context, sent)
    query = ProjectCommentsQuery(**chosen, **period.span, limit=ON_A_PAGE, cursor=cursor)
    answer = listing.read_of_project(context, project_id, query)
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
        orders=ORDERS,
        languages=LANGUAGES,
        platforms=PLATFORM_NAMES,
        unnamed=UNNAMED,
        zone=ZoneInfo(context.marts_zone),
    )


@router.post(COMMENTS, dependencies=[views])
def handle_comment(
    request: Request,
    context: Writer,
    project_id: UUID,
    fields: OwnFields,
) -> Response:
    """Mark a comment as handled or open again, and reload the page."""
    action, chosen = chosen_in(fields, ("handled", "open"))
    body = body_of(CommentHandling, comment_ids=chosen, handled=action == "handled")
    _answer, changed = review.decide(context, project_id, body)
    back = f"{request.url.path}?{request.url.query}#list"
    done, undo = ("handled", "open") if action == "handled" else ("open again", "handled")
    return redirect(back, f"{plural(len(changed), 'comment')} {done}.", undo, changed)


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
