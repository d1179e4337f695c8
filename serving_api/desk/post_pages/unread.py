"""Why a post's views are unknown, or older than its other counters."""

from collections.abc import Iterator

from serving_api.desk.creator_pages.missing_numbers import accounts_without_numbers
from serving_api.kit.request_context import RequestContext
from serving_api.resources.programs.program_health.tracking import FRESH_PROFILE
from serving_api.resources.tracking.videos.schemas import VideoDetail
from warehouse.operational.base import business_now
from warehouse.operational.models import Account
from warehouse.platforms import PLATFORM_NAMES

NO_VIEWS = ("photo", "carousel")
"""Kinds of Instagram without views, as `views_due_from` of the models has them."""
TWELVE = (
    "Guests of Instagram see views of an account's twelve newest reels only: ask the creator to"
    " connect the account."
)


def why_unread(context: RequestContext, post: VideoDetail, account: Account | None) -> str:
    """Return the sentences, "" if the views are as recent as other counters."""
    counters = post.counters_as_of.model_dump()
    views_read_at = counters.pop("view_count")
    others_read_at = max(filter(None, counters.values()), default=None)
    if views_read_at:
        is_current = not others_read_at or others_read_at <= views_read_at + FRESH_PROFILE
        return "" if is_current else " ".join(_without_views(post))
    if post.platform == "instagram" and post.media_type in NO_VIEWS:
        return "Instagram counts no views of photos."
    if others_read_at:
        return " ".join(_without_views(post))
    return " ".join(_unchecked(context, post, account))


def _without_views(post: VideoDetail) -> Iterator[str]:
    yield "The latest checks read this post without its views."
    if post.platform == "instagram":
        yield TWELVE


def _unchecked(
    context: RequestContext, post: VideoDetail, account: Account | None
) -> Iterator[str]:
    is_removed = account is not None and not account.is_active
    if post.last_scraped_at:
        yield "Its numbers appear with the next run."
    elif post.tracking_disabled or post.plan_limit_paused_at or is_removed:
        yield "No check succeeded before its tracking ended."
    elif business_now(context.session) - post.created_at < FRESH_PROFILE:
        yield "It waits for its first check."
    else:
        yield "No check of it succeeded yet: the platform refused, or the post is private or gone."
        yield from _of_account(context, account) if account else ()


def _of_account(context: RequestContext, account: Account) -> Iterator[str]:
    creator_id, platform = account.creator_id, PLATFORM_NAMES[account.platform]
    missing = accounts_without_numbers(context, account.project_id, [creator_id])
    for each in missing.get(creator_id, ()):
        if (each.platform, each.handle) == (platform, account.handle):
            yield f"{platform} @{account.handle}: {each.reason.text}. {each.reason.remedy}"
