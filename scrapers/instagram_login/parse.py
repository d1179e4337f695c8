"""Reads the API's responses. Pure functions: responses in, snapshots or ScrapeError out.

Posts have the format of business discovery, except views, which are insights of each post.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import httpx

from scrapers import payload
from scrapers.consent.client import TokenRefusedError, refusal, response_of
from scrapers.consent.instagram import APP_REFUSED, is_about_the_app
from scrapers.consent.tokens import Token
from scrapers.discovery import TimelinePage, read_each
from scrapers.findings import ListedPost
from scrapers.instagram_graph.parse import cursor_at, is_owned, video_in
from scrapers.instagram_login.settings import routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json, at, count_at, id_at, name_at, number_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, AccountTarget
from scrapers.transport.answer import Answer
from scrapers.urls.instagram import PLATFORM

PROFILE = "instagram.login_user"
POSTS = "instagram.login_media"


@dataclass(frozen=True, slots=True)
class MediaPage:
    """A page of posts, and the API's own ids by platform id."""

    timeline: TimelinePage
    media_ids: Mapping[str, str]


class UnknownInsightsError(Exception):
    """The post has no insights (yet)."""


class RefusedMetricError(Exception):
    """The API refused all insights because of one metric.

    The post's kind lacks it, or the API retired it: then `retired` is the error to report.
    """

    def __init__(self, retired: Exception | None) -> None:
        super().__init__(str(retired))
        self.retired = retired


def accepted(answer: Answer) -> dict[str, Json]:
    """Return a response's object. Raises TokenRefusedError, or ScrapeError for other errors."""
    tree = response_of(answer)
    if not isinstance(tree, dict):
        raise payload.schema_changed("the response is not an object", tree)
    if "error" not in tree and answer.status < httpx.codes.BAD_REQUEST:
        return tree
    code = number_at(tree, "error/code")
    if is_about_the_app(tree):
        sample = payload.sample_of(answer.text)
        raise ScrapeError(
            Outcome.LOGIN_REQUIRED, APP_REFUSED, http_status=answer.status, raw_sample=sample
        )
    message = f"Instagram returned an error (code {code}, HTTP {answer.status})"
    raise refusal(routes().errors, code, answer, message)


def accepted_insights(answer: Answer) -> dict[str, Json]:
    """Return a response with insights.

    Also raises UnknownInsightsError if there are none, and RefusedMetricError.
    """
    try:
        return accepted(answer)
    except (TokenRefusedError, ScrapeError) as error:
        errors, tree = routes().errors, payload.object_in(answer.text)
        words = text_at(tree, "error/message") or ""
        is_unknown = number_at(tree, "error/code") in errors.unknown_insights
        if is_unknown and errors.refused_metric_words in words:
            is_retired = errors.retired_metric_words in words
            raise RefusedMetricError(error if is_retired else None) from None
        if is_unknown or errors.unknown_insights_words in words:
            raise UnknownInsightsError from None
        raise


def read_account(
    tree: dict[str, Json], target: AccountTarget, token: Token, *, captured_at: datetime
) -> AccountSnapshot:
    """Read the token's account. Raises ScrapeError if it is not the token's subject."""
    observed = name_at(tree, "username")
    if id_at(tree, "user_id") != token.subject or observed is None:
        raise payload.schema_changed(f"asked for {target.handle}, got another account", tree)
    followers, posts = count_at(tree, "followers_count"), count_at(tree, "media_count")
    if followers is None and posts is None:
        raise payload.schema_changed("no known counter in an account", tree)
    return AccountSnapshot(
        platform=PLATFORM,
        handle=target.handle,
        observed_handle=observed.lower(),
        platform_user_id=token.platform_user_id,
        platform_alt_id=token.subject,
        display_name=text_at(tree, "name"),
        biography=text_at(tree, "biography"),
        bio_link=web_url_at(tree, "website"),
        avatar_url=web_url_at(tree, "profile_picture_url"),
        is_private=None,
        is_verified=None,
        follower_count=followers,
        following_count=count_at(tree, "follows_count"),
        total_likes_count=None,
        video_count=posts,
        is_exact=True,
        source=PROFILE,
        captured_at=captured_at,
    )


def read_page(tree: dict[str, Json], account: AccountSnapshot, captured_at: datetime) -> MediaPage:
    """Read a page of an account's posts. Raises ScrapeError."""
    if "data" not in tree:
        raise payload.schema_changed("a page without posts", tree)
    items = payload.items_at(tree, "data")
    own = [item for item in items if is_owned(item, account)]
    if items and not own:
        raise payload.schema_changed(
            f"asked for posts of {account.observed_handle}, got others'", items[0]
        )
    if own and not any(at(item, "comments_count") is not None for item in own):
        raise payload.schema_changed("no known counter in a page of posts", own[0])
    handle = account.observed_handle if account.platform_user_id else account.handle

    def read(item: Json) -> tuple[ListedPost, str]:
        video, media_id = video_in(item, account), id_at(item, "id")
        if media_id is None:
            raise payload.schema_changed("a post without an id", item)
        video = replace(video, handle=handle, source=POSTS, captured_at=captured_at)
        return ListedPost(video, is_pinned=False), media_id

    read_posts, unread = read_each(own, read)
    posts = tuple(post for post, _ in read_posts)
    media_ids = {post.video.platform_video_id: media_id for post, media_id in read_posts}
    cursor = cursor_at(tree, "paging/cursors/after")
    return MediaPage(TimelinePage(posts, cursor, unread), media_ids)


def read_insights(tree: dict[str, Json]) -> dict[str, int]:
    """Read a post's known counters. Raises ScrapeError."""
    if "data" not in tree:
        raise payload.schema_changed("insights without data", tree)
    names = routes().insights.metrics
    counts: dict[str, int] = {}
    for item in payload.items_at(tree, "data"):
        name = names.get(text_at(item, "name") or "")
        count = count_at(item, "values/0/value", "total_value/value")
        if name is not None and count is not None:
            counts[name] = count
    return counts
