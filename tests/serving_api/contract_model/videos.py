"""Adding videos by URL, their statuses, and tracking off and on (contract, Videos)."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from tests.serving_api.contract_model.organization import Organization
from tests.serving_api.contract_model.room import make_room
from tests.serving_api.contract_model.things import COUNTED, Post, Video, refuse


class Added(NamedTuple):
    """The videos in the order of the request, those of them that were there, and who gave way."""

    videos: list[Video]
    existing: list[Video]
    paused: int


def add_videos(organization: Organization, posts: Sequence[Post | None], now: datetime) -> Added:
    """Track posts by URL; None is a URL that names no post."""
    refuse(unprocessable=None in posts)
    videos_by_post = {video.post: video for video in organization.videos}
    distinct_posts = [post for post in dict.fromkeys(posts) if post is not None]
    existing = [videos_by_post[post] for post in distinct_posts if post in videos_by_post]
    newcomers = [video for video in existing if video.status == "excluded"]
    for video in newcomers:
        video.become("included")
    for post in distinct_posts:
        if post not in videos_by_post:
            account = organization.tracked_by(post.platform, post.author)
            videos_by_post[post] = Video(post, account, "direct_add", now)
            organization.videos.append(videos_by_post[post])
            newcomers.append(videos_by_post[post])
    paused = make_room(organization, newcomers)
    return Added([videos_by_post[post] for post in posts if post is not None], existing, paused)


def set_status(organization: Organization, videos: Sequence[Video], status: str) -> int:
    """Give videos a status; those that come to count need room. Return how many were paused."""
    newcomers = [video for video in videos if video.status not in COUNTED and status in COUNTED]
    for video in videos:
        video.become(status)
    return make_room(organization, newcomers)


def disable(videos: Sequence[Video], *, exempt: bool = False) -> None:
    for video in videos:
        video.is_disabled = True
        video.is_exempt |= exempt


def unexempt(video: Video) -> None:
    video.is_exempt = False


def enable(organization: Organization, videos: Sequence[Video], *, exempt: bool) -> int:
    """Track videos again, whatever it was off for; return how many others were paused."""
    newcomers = [video for video in videos if video.is_off]
    for video in videos:
        video.switch_on()
        video.is_exempt |= exempt
    return make_room(organization, newcomers)


def review(organization: Organization, videos: Sequence[Video], action: str) -> int:
    """Decide about posts of the inbox, all of which await it; return how many were paused."""
    status = {"approve": "included", "exclude": "excluded"}[action]
    return set_status(organization, videos, status)
