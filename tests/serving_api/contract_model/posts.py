"""With which status posts of an account enter the project, or are filed when it comes back."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from tests.serving_api.contract_model.organization import Organization
from tests.serving_api.contract_model.things import Account, Interval, Post, Tracking, Video


class Found(NamedTuple):
    """A post as a discovery saw it; its caption is at most one hashtag."""

    post: Post
    posted_at: datetime
    hashtag: str | None


def discover(
    organization: Organization, account: Account, discoveries: Iterable[Found], now: datetime
) -> list[Video]:
    """Take up an account's new posts. Then the limit is held, as soon as they have ids."""
    videos = []
    for discovery in discoveries:
        status = _status(account, discovery.posted_at, discovery.hashtag)
        if status is not None:
            videos.append(
                Video(discovery.post, account, status, now, discovery.posted_at, discovery.hashtag)
            )
    organization.videos += videos
    return videos


def file_missed(organization: Organization, account: Account, stretch: Interval) -> int:
    """File posts of a deactivation that are known already, and that no person filed."""
    changed = 0
    for video in organization.videos:
        if (
            video.account is account
            and video.status in ("auto_tracked", "pending_review")
            and video.posted_at is not None
            and stretch.holds(video.posted_at)
        ):
            status = _status(account, video.posted_at, video.hashtag) or video.status
            changed += status != video.status
            video.become(status)
    return changed


def _status(account: Account, posted_at: datetime, hashtag: str | None) -> str | None:
    """The status of a new post of an account; None outside the tracking window."""
    tracking, day = account.tracking, posted_at.date()
    if (tracking.start and day < tracking.start) or (tracking.end and day > tracking.end):
        return None
    for stretch in account.stretches:
        if stretch.holds(posted_at) and stretch.missed_posts != "track":
            return {"inbox": "pending_review", "ignore": "excluded"}[stretch.missed_posts]
    return _by_mode(tracking, hashtag)


def _by_mode(tracking: Tracking, hashtag: str | None) -> str:
    if tracking.mode == "auto" or (tracking.mode == "hashtag" and hashtag == tracking.hashtag):
        return "auto_tracked"
    if tracking.mode == "selective" or tracking.inbox_non_matching:
        return "pending_review"
    return "excluded"
