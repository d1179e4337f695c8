"""What the numbers should be, from the simulator's own account of its world.

Written from the rules alone: a creator's views on a day are the sum, over its posts since
tracking began, of the count that the day's pipeline run could see, or of the last one it could see.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import httpx

from warehouse.platforms import PLATFORMS

REELS_ON_A_PAGE = 12

Post = dict[str, Any]


class Simulator:
    """The simulator's control routes."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self._client = httpx.Client(base_url=f"{base_url}/_simulator", timeout=60)

    def answers(self) -> bool:
        """Tell whether its process has started to serve."""
        try:
            return self._client.get("/clock").is_success
        except httpx.TransportError:
            return False

    def set_now(self, instant: datetime) -> None:
        """Serve the world as it is at an instant."""
        self._client.put("/clock", json={"now": instant.isoformat()}).raise_for_status()

    def handles_on_both(self, number: int) -> list[str]:
        """Return the first handles that are there now on both platforms."""
        first, *others = (self._handles(platform) for platform in PLATFORMS)
        return [handle for handle in first if all(handle in other for other in others)][:number]

    def _handles(self, platform: str) -> list[str]:
        answer = self._client.get("/creators", params={"platform": platform, "limit": 1000})
        handles: list[str] = answer.raise_for_status().json()["handles"]
        return handles

    def truth(self, platform: str, handle: str) -> dict[str, Any] | None:
        """Return an account as it is now, None where nobody has the handle."""
        answer = self._client.get(f"/truth/{platform}/{handle}")
        if answer.status_code == httpx.codes.NOT_FOUND:
            return None
        true: dict[str, Any] = answer.raise_for_status().json()
        return true

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()


@dataclass
class TrueViews:
    """The views that a daily visitor could see of the posts of accounts (platform, handle).

    Posts count that were published from `since` on.
    """

    accounts: Sequence[tuple[str, str]]
    since: datetime
    views: dict[str, int] = field(default_factory=dict)
    """By the platform's id of the post (no two platforms share one)."""
    by_day: dict[date, int] = field(default_factory=dict)

    def come_by(self, simulator: Simulator, day: date) -> None:
        """Note what can be seen today; what can't be seen any more keeps its last number."""
        for platform, handle in self.accounts:
            true = simulator.truth(platform, handle)
            for post in visible_to_guests(platform, true["posts"]) if true else ():
                if datetime.fromisoformat(post["posted_at"]) >= self.since:
                    self.views[post["platform_video_id"]] = post["view_count"]
        self.by_day[day] = sum(self.views.values())


def visible_to_guests(platform: str, posts: list[Post]) -> list[Post]:
    """Return the posts whose views a guest is shown, of an account's posts, newest first.

    Most show them all. Instagram shows those of the first page of the reels tab, a pinned reel
    first, and not where the author hides them.
    """
    if platform != "instagram":
        return posts
    reels = [post for post in posts if post["media_type"] == "video"]
    reels.sort(key=lambda post: not post["is_pinned"])
    return [post for post in reels[:REELS_ON_A_PAGE] if not post["plays_hidden"]]
