"""Decides the status of a new post, and whether it enters the registry.

Pure: from the account's configuration and the post (contract, Account; decisions, 'Creators,
accounts, videos').
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal, Self

from sqlalchemy import Row

from warehouse.operational.models import Account
from warehouse.registration.hashtags import has_hashtag
from warehouse.registration.scrapable import in_window

MissedPosts = Literal["inbox", "track", "ignore"]
"""A reactivation's choice for posts published while the account was deactivated."""
_MISSED = {"inbox": "pending_review", "ignore": "excluded"}  # `track`: as for all other posts


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracking:
    """An account's tracking configuration; `zone` is the organization's analytics_tz."""

    mode: str
    hashtags: tuple[str, ...]
    inbox_non_matching: bool
    start_date: date | None
    end_date: date | None
    zone: str

    @classmethod
    def of(cls, account: Account | Row[Any], zone: str) -> Self:
        """Return the configuration of an account, or of a row with its columns."""
        return cls(
            mode=account.tracking_mode,
            hashtags=tuple(account.tracking_hashtags),
            inbox_non_matching=account.hashtag_inbox_non_matching,
            start_date=account.tracking_start_date,
            end_date=account.tracking_end_date,
            zone=zone,
        )


def status_of_new_post(
    tracking: Tracking,
    *,
    caption: str | None,
    posted_at: datetime,
    missed_posts: str | None = None,
) -> str | None:
    """Return the tracking_status of a new post, or None outside of the window.

    `missed_posts` is the choice (MissedPosts) for a post published while the account was
    deactivated; None for other posts.
    """
    if not in_window(posted_at, tracking.start_date, tracking.end_date, tracking.zone):
        return None
    if missed_posts is not None and missed_posts in _MISSED:
        return _MISSED[missed_posts]
    if tracking.mode == "auto":
        return "auto_tracked"
    if tracking.mode == "selective":
        return "pending_review"
    if has_hashtag(caption, tracking.hashtags):
        return "auto_tracked"
    return "pending_review" if tracking.inbox_non_matching else "excluded"
