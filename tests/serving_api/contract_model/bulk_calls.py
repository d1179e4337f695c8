"""Calls about many videos at once, one of which is nobody's: done for all others, or for none."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.serving_api.contract_model import videos
from tests.serving_api.contract_model.things import Video
from tests.serving_api.contract_model.walk import FEW, Walk

STRANGERS = st.sampled_from([[], [], [str(uuid4())]])
ACTIONS = st.sampled_from(["approve", "approve", "exclude"])


class BulkCalls(Walk):
    """Bulk disable and enable, and the inbox."""

    @precondition(lambda self: self.model.videos)
    @rule(which=FEW, strangers=STRANGERS, exempt=st.booleans())
    def disable_many(self, which: list[int], strangers: list[str], exempt: bool) -> None:
        some = self.some_of(self.model.videos, which)
        self._ask_about_many(
            ("POST", "videos/bulk-tracking-disable"),
            some,
            strangers,
            {"exempt": exempt},
            lambda: videos.disable(some, exempt=exempt),
        )

    @precondition(lambda self: self.model.videos)
    @rule(which=FEW, strangers=STRANGERS, exempt=st.booleans())
    def enable_many(self, which: list[int], strangers: list[str], exempt: bool) -> None:
        some = self.some_of(self.model.videos, which)
        self._ask_about_many(
            ("POST", "videos/bulk-tracking-enable"),
            some,
            strangers,
            {"exempt": exempt},
            lambda: videos.enable(self.model, some, exempt=exempt),
        )

    @precondition(lambda self: self.model.videos)
    @rule(which=FEW, strangers=STRANGERS, action=ACTIONS)
    def review(self, which: list[int], strangers: list[str], action: str) -> None:
        """What does not await review is to the inbox like what is nobody's."""
        some = self.some_of(self.model.videos, which)
        waiting = [video for video in some if video.is_in_inbox]
        self._ask_about_many(
            ("PATCH", "inbox"),
            waiting,
            [video.id for video in some if video not in waiting] + strangers,
            {"action": action},
            lambda: videos.review(self.model, waiting, action),
        )

    def _ask_about_many(
        self,
        route: tuple[str, str],
        own_videos: Sequence[Video],
        not_found: Sequence[str],
        body: dict[str, Any],
        does: Callable[[], int | None],
    ) -> None:
        """Ask about videos of which some are found; `does` returns how many others were paused."""
        method, path = route
        self.touch(*own_videos)
        ids = [*not_found, *(video.id for video in own_videos)]
        did = self.stage.ask(
            method, f"/projects/{self.stage.project}/{path}", does, {"video_ids": ids, **body}
        )
        if did:
            paused, answer = did
            assert answer["data"] == {
                "updated": len(own_videos),
                "not_found_ids": list(not_found),
                "paused_count": paused or 0,
            }
