"""What the numbers should be, from the simulator's world and the rules alone.

A creator's views on a day are the sum over its posts since tracking began. Each post counts with
what that day's pipeline run could read, or with its last readable count.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import httpx

from orchestration.cli.demo.program import BONUSES
from warehouse.platforms import PLATFORMS

REELS_ON_A_PAGE = 12

Post = dict[str, Any]


class Simulator:
    """Client of the simulator's control routes."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self._client = httpx.Client(base_url=f"{base_url}/_simulator", timeout=60)

    def answers(self) -> bool:
        try:
            return self._client.get("/clock").is_success
        except httpx.TransportError:
            return False

    def set_now(self, instant: datetime) -> None:
        self._client.put("/clock", json={"now": instant.isoformat()}).raise_for_status()

    def handles_on_both(self, number: int) -> list[str]:
        """Return the first `number` handles that now exist on both platforms."""
        first, *others = (self._handles(platform) for platform in PLATFORMS)
        return [handle for handle in first if all(handle in other for other in others)][:number]

    def _handles(self, platform: str) -> list[str]:
        answer = self._client.get("/creators", params={"platform": platform, "limit": 1000})
        handles: list[str] = answer.raise_for_status().json()["handles"]
        return handles

    def truth(self, platform: str, handle: str) -> dict[str, Any] | None:
        """Return an account as it is now, or None if the handle does not exist."""
        answer = self._client.get(f"/truth/{platform}/{handle}")
        if answer.status_code == httpx.codes.NOT_FOUND:
            return None
        true: dict[str, Any] = answer.raise_for_status().json()
        return true

    def close(self) -> None:
        self._client.close()


@dataclass
class TrueViews:
    """The views that a daily fetch could read for the posts of accounts (platform, handle).

    Only posts published at or after `since` count.
    """

    accounts: Sequence[tuple[str, str]]
    since: datetime
    views: dict[str, int] = field(default_factory=dict)
    """By the platform's id of the post; ids are unique across platforms."""
    by_day: dict[date, int] = field(default_factory=dict)
    paid_since: datetime | None = None
    reached: dict[tuple[str, int], tuple[date, int] | None] = field(default_factory=dict)
    """By post and view count of BONUSES: the first day with as many views, and its views.

    None if a post from before `paid_since` had as many when it was first read (money.md M9).
    """

    def come_by(self, simulator: Simulator, day: date) -> None:
        """Read today's counts; posts that are no longer visible keep their last count."""
        for platform, handle in self.accounts:
            true = simulator.truth(platform, handle)
            for post in visible_to_guests(platform, true["posts"]) if true else ():
                if (posted_at := datetime.fromisoformat(post["posted_at"])) >= self.since:
                    self._read(post["platform_video_id"], posted_at, day, post["view_count"])
        self.by_day[day] = sum(self.views.values())

    def _read(self, video_id: str, posted_at: datetime, day: date, views: int) -> None:
        is_older = video_id not in self.views and self.paid_since and posted_at < self.paid_since
        self.views[video_id] = views
        for threshold in (count for count in BONUSES if views >= count):
            self.reached.setdefault((video_id, threshold), None if is_older else (day, views))


def visible_to_guests(platform: str, posts: list[Post]) -> list[Post]:
    """Return the posts of an account whose views guests can see, newest first.

    Most platforms show all. Instagram shows the first page of the reels tab, pinned reels first,
    without posts whose author hides views.
    """
    if platform != "instagram":
        return posts
    reels = [post for post in posts if post["media_type"] == "video"]
    reels.sort(key=lambda post: not post["is_pinned"])
    return [post for post in reels[:REELS_ON_A_PAGE] if not post["plays_hidden"]]
