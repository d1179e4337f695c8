"""What the numbers should be, from the simulator's own account of its world.

Written from the rules alone: a creator's views on a day are the sum, over its posts since
tracking began, of the count that the day's pass could see, or of the last one it could see.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import product
from typing import Any

import httpx

PLATFORMS = ("tiktok", "instagram")


class Simulator:
    """The simulator's control routes."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self._client = httpx.Client(base_url=f"{base_url}/_simulator", timeout=60)

    def set_now(self, instant: datetime) -> None:
        """Serve the world as it is at an instant."""
        self._client.put("/clock", json={"now": instant.isoformat()}).raise_for_status()

    def handles_on_both(self, number: int) -> list[str]:
        """Return the first handles that are there now on both platforms."""
        tiktok, instagram = (self._handles(platform) for platform in PLATFORMS)
        return [handle for handle in tiktok if handle in instagram][:number]

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
    """What a guest who comes once a day could know of the views of some people's posts."""

    handles: Sequence[str]
    since: date
    views: dict[str, int] = field(default_factory=dict)
    """By the platform's id of the post (no two platforms share one)."""
    by_day: dict[date, int] = field(default_factory=dict)

    def come_by(self, simulator: Simulator, day: date) -> None:
        """Note what can be seen today; what can't be seen any more keeps its last number."""
        for platform, handle in product(PLATFORMS, self.handles):
            true = simulator.truth(platform, handle)
            for post in true["posts"] if true else ():
                if self._is_known(post):
                    self.views[post["platform_video_id"]] = post["view_count"]
        self.by_day[day] = sum(self.views.values())

    def _is_known(self, post: dict[str, Any]) -> bool:
        """Tell whether a guest sees how often the post was viewed, and it counts here."""
        return (
            post["view_count"] is not None
            and not post["plays_hidden"]
            and not post["is_restricted"]
            and datetime.fromisoformat(post["posted_at"]).date() >= self.since
        )
