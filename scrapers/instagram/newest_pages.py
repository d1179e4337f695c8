"""Caches the profile's page between the profile fetch and the discovery, which starts from it."""

from datetime import timedelta

from scrapers.instagram.parse import ProfilePage
from scrapers.provider import Clock

LIFETIME = timedelta(minutes=5)
"""The fetches of one account fetch follow each other."""

_MOST = 256


class NewestPages:
    """The newest pages by handle. Each is returned once, within LIFETIME."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pages: dict[str, ProfilePage] = {}

    def store(self, handle: str, page: ProfilePage) -> None:
        """Cache a page that has just been read; the oldest is dropped beyond _MOST."""
        self._pages.pop(handle, None)
        self._pages[handle] = page
        if len(self._pages) > _MOST:
            del self._pages[next(iter(self._pages))]

    def pop(self, handle: str, user_id: str | None) -> ProfilePage | None:
        """Return and remove a handle's page if it is fresh and has this user id."""
        page = self._pages.pop(handle, None)
        if page is None or self._clock() - page.account.captured_at > LIFETIME:
            return None
        return page if user_id in (None, page.account.platform_user_id) else None
