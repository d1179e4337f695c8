"""One organization with one project: what is in it, and what its lists show."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.serving_api.contract_model.things import Account, Creator, Refused, Video


@dataclass
class Organization:
    """In the order in which things were made. The limits are what the plan leaves room for."""

    max_accounts: int
    max_tracked_videos: int
    creators: list[Creator] = field(default_factory=list)
    accounts: list[Account] = field(default_factory=list)
    videos: list[Video] = field(default_factory=list)

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Undo what the block did where it refuses."""
        lists: tuple[list[Any], ...] = (self.creators, self.accounts, self.videos)
        before = [list(things) for things in lists]
        states = [(entity, dict(vars(entity))) for things in before for entity in things]
        try:
            yield
        except Refused:
            for things, backup in zip(lists, before, strict=True):
                things[:] = backup
            for entity, state in states:
                vars(entity).update(state)
            raise

    def accounts_of(self, creator: Creator) -> list[Account]:
        """Accounts that were not removed, oldest first."""
        return [
            account for account in self.accounts if account.creator is creator and account.is_active
        ]

    def tracked_by(self, platform: str, handle: str | None) -> Account | None:
        for account in self.accounts:
            if account.is_active and (account.platform, account.handle) == (platform, handle):
                return account
        return None

    def handle_of(self, creator: Creator) -> str | None:
        """The primary account's: active ones first, then the TikTok one, then the earliest."""
        primary = sorted(
            self.accounts_of(creator),
            key=lambda account: (account.deactivation is not None, account.platform != "tiktok"),
        )
        return primary[0].handle if primary else None

    def tracked_post_count(self, creator: Creator) -> int:
        """Accepted, tracking on, on an active account."""
        return sum(
            post.is_tracked and post.account.deactivation is None
            for post in self._posts_of(creator)
        )

    def pending_review_count(self, creator: Creator) -> int:
        return sum(post.is_in_inbox for post in self._posts_of(creator))

    def _posts_of(self, creator: Creator) -> list[Video]:
        owned = self.accounts_of(creator)
        return [video for video in self.videos if video.account in owned]
