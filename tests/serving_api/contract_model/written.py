"""Accounts as somebody writes them in a call, right and wrong, and what the model makes of them."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any, NamedTuple, Self

from hypothesis import strategies as st

from tests.fixtures.api import NOW
from tests.serving_api.contract_model.accounts import Wanted
from tests.serving_api.contract_model.stage import NAMES, Stage
from tests.serving_api.contract_model.things import Account, Tracking

TODAY = NOW.date()
YESTERDAY = TODAY - timedelta(days=1)
HANDLES = st.integers(0, len(NAMES) - 1)
"""So few that they meet again."""
TRACKINGS = st.sampled_from(
    [
        Tracking(),
        Tracking("auto", start=YESTERDAY),
        Tracking("auto", end=TODAY),
        Tracking("auto", start=TODAY, end=YESTERDAY),
        Tracking("selective"),
        Tracking("hashtag", "ad"),
        Tracking("hashtag", "ad", inbox_non_matching=False),
        Tracking("hashtag"),
    ]
)
"""Two of them contradict themselves."""


class Written(NamedTuple):
    """An account to add. `which` is None where `text` names no account on the platform."""

    platform: str
    which: int | None
    text: str
    tracking: Tracking

    @classmethod
    def again(cls, stage: Stage, account: Account) -> Self:
        """An account like one that there was, tracked in the usual way."""
        which = next(n for n in range(len(NAMES)) if stage.handle(n) == account.handle)
        return cls(account.platform, which, "{handle}", Tracking())

    def wanted(self, stage: Stage) -> Wanted:
        """What the model makes of it; without a start it is tracked from today on."""
        handle = None if self.which is None else stage.handle(self.which)
        start = self.tracking.start or TODAY
        return Wanted(self.platform, handle, replace(self.tracking, start=start))

    def body(self, stage: Stage) -> dict[str, Any]:
        handle = "" if self.which is None else stage.handle(self.which)
        at = "@" if self.platform == "tiktok" else ""
        text = self.text.format(handle=handle, platform=self.platform, at=at)
        return {"platform": self.platform, "handle": text, **tracking_body(self.tracking)}


READABLE = st.builds(
    Written,
    st.sampled_from(["tiktok", "tiktok", "instagram"]),
    HANDLES,
    st.sampled_from(["{handle}", "@{handle}", "https://www.{platform}.com/{at}{handle}"]),
    TRACKINGS,
)
UNREADABLE = st.builds(
    Written,
    st.sampled_from(["tiktok", "instagram", "youtube"]),
    st.none(),
    st.sampled_from(["no handle!", "https://www.tiktok.com/@ada/video/7682837474828885294"]),
    TRACKINGS,
)
WRITTEN = st.one_of(READABLE, READABLE, READABLE, UNREADABLE)


def tracking_body(tracking: Tracking) -> dict[str, Any]:
    """The fields of an account's tracking as they are sent; a null date means its default."""
    return {
        "tracking_mode": tracking.mode,
        "tracking_hashtags": [f"#{tracking.hashtag}"] if tracking.hashtag else [],
        "hashtag_inbox_non_matching": tracking.inbox_non_matching,
        "tracking_start_date": _text(tracking.start),
        "tracking_end_date": _text(tracking.end),
    }


def _text(day: date | None) -> str | None:
    return None if day is None else str(day)
