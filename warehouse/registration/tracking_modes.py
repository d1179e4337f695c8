"""With which status a newly found post enters the registry, if it enters at all.

Pure: the account's configuration and the post in, the status out (contract, Account; decisions,
'Creators, accounts, videos').
"""

from dataclasses import dataclass
from datetime import date, datetime

from warehouse.registration.hashtags import has_hashtag
from warehouse.registration.windows import in_window


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracking:
    """How an account is tracked; `zone` is the organization's analytics_tz."""

    mode: str
    hashtags: tuple[str, ...]
    inbox_non_matching: bool
    start_date: date | None
    end_date: date | None
    zone: str


def status_of_new_post(
    tracking: Tracking, *, caption: str | None, posted_at: datetime
) -> str | None:
    """Return the tracking_status of a post found for the first time, None outside the window."""
    if not in_window(posted_at, tracking.start_date, tracking.end_date, tracking.zone):
        return None
    if tracking.mode == "auto":
        return "auto_tracked"
    if tracking.mode == "selective":
        return "pending_review"
    if has_hashtag(caption, tracking.hashtags):
        return "auto_tracked"
    return "pending_review" if tracking.inbox_non_matching else "excluded"
