"""Calls about videos that a walk makes, and the discoveries between them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.serving_api.contract_model import posts, room, videos
from tests.serving_api.contract_model.stage import NAMES
from tests.serving_api.contract_model.things import Post, Video
from tests.serving_api.contract_model.walk import WHICH, Walk

NO_POST = "https://www.tiktok.com/@ada"
FOUND = st.lists(
    st.tuples(st.sampled_from([0, 3, 3, 20, 60, 1000, 3000]), st.sampled_from([None, None, "ad"])),
    min_size=1,
    max_size=3,
)
"""Minutes ago, and the hashtag of the caption."""
EXEMPT = st.sampled_from([False, False, False, True])


def any_video(walk: Walk) -> bool:
    return bool(walk.model.videos)


class VideoCalls(Walk):
    """Adding, reviewing, excluding videos, and switching their tracking."""

    @rule(which=st.lists(WHICH, min_size=1, max_size=4), has_bad=EXEMPT)
    def add_videos(self, which: list[int], has_bad: bool) -> None:
        posts: list[Post | None] = [self._post_by_url(number) for number in which]
        posts += [None] * has_bad
        did = self.stage.ask(
            "POST",
            f"/projects/{self.stage.project}/videos",
            lambda: videos.add_videos(self.model, posts, self.stage.now),
            {"videos": [{"url": post.url if post else NO_POST} for post in posts]},
            status=201,
        )
        if did:
            added, answer = did
            for video, row in zip(added.videos, answer["data"], strict=True):
                assert video.id in ("", row["id"])
                video.id = row["id"]
            assert answer["meta"] == {
                "existing_ids": [video.id for video in added.existing],
                "paused_count": added.paused,
            }
            self.touch(*added.videos)

    @precondition(lambda self: any(account.is_counted for account in self.model.accounts))
    @rule(which=WHICH, new_posts=FOUND)
    def discover(self, which: int, new_posts: list[tuple[int, str | None]]) -> None:
        """Posts of an account that is scraped, which are all new."""
        scraped = [account for account in self.model.accounts if account.is_counted]
        account = self.one_of(scraped, which)
        self.stage.clock.advance()
        seen = [
            posts.Found(
                self.stage.post(next(self.stage.numbers), account.platform, account.handle),
                self.stage.now - timedelta(minutes=minutes),
                hashtag,
            )
            for minutes, hashtag in new_posts
        ]
        new = posts.discover(self.model, account, seen, self.stage.now)
        self.stage.scrape(account, seen)
        self.stage.give_ids(new)
        room.hold_limit(self.model)
        self.touch(account, *new)

    @precondition(any_video)
    @rule(
        which=WHICH,
        status=st.sampled_from(
            ["auto_tracked", "pending_review", "included", "excluded", "direct_add"]
        ),
    )
    def set_status(self, which: int, status: str) -> None:
        video = self.one_of(self.model.videos, which)
        self.touch(video)
        did = self.stage.ask(
            "PATCH",
            f"/videos/{video.id}",
            lambda: videos.set_status(self.model, [video], status),
            {"tracking_status": status},
        )
        if did:
            paused, answer = did
            assert answer["meta"] == {"paused_count": paused}

    @precondition(any_video)
    @rule(which=WHICH)
    def exclude(self, which: int) -> None:
        video = self.one_of(self.model.videos, which)
        self.touch(video)
        did = self.stage.ask(
            "DELETE",
            f"/videos/{video.id}",
            lambda: videos.set_status(self.model, [video], "excluded"),
        )
        assert did
        assert did[1]["data"]["deleted"]

    @precondition(any_video)
    @rule(which=WHICH)
    def disable(self, which: int) -> None:
        self._switch(which, "disable", lambda video: videos.disable([video]))

    @precondition(any_video)
    @rule(which=WHICH, exempt=EXEMPT)
    def enable(self, which: int, exempt: bool) -> None:
        self._switch(
            which,
            "enable",
            lambda video: videos.enable(self.model, [video], exempt=exempt),
            {"exempt": exempt} if exempt else None,
        )

    @precondition(any_video)
    @rule(which=WHICH)
    def unexempt(self, which: int) -> None:
        self._switch(which, "unexempt", videos.unexempt)

    def _switch(
        self, which: int, what: str, does: Callable[[Video], int | None], body: Any = None
    ) -> None:
        video = self.one_of(self.model.videos, which)
        self.touch(video)
        path = f"/videos/{video.id}/tracking-{what}"
        did = self.stage.ask("POST", path, lambda: does(video), body)
        if did:
            paused, answer = did
            assert answer["data"].get("paused_count") == paused
            assert answer["data"]["tracking_disabled"] == (video.reason is not None)

    def _post_by_url(self, number: int) -> Post:
        """One of a few posts: of the handles that walks add, of somebody else, on Instagram."""
        if number >= len(NAMES) + 2:
            return self.stage.post(number, "instagram")
        author = self.stage.handle(number) if number < len(NAMES) else "somebody.else"
        return self.stage.post(number, author=author)
