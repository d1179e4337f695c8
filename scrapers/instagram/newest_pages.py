"""Profile pages cached from the fetch of a profile for its discovery, which begins there."""

from datetime import timedelta

from scrapers.instagram.parse import ProfilePage
from scrapers.provider import Clock

LIFETIME = timedelta(minutes=5)
"""The fetches of an account fetch follow each other."""

_MOST = 256


class NewestPages:
    """The newest pages by handle. Each is handed out once and not for long."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pages: dict[str, ProfilePage] = {}

    def store(self, handle: str, page: ProfilePage) -> None:
        """Keep a page that has just been read; the oldest is forgotten where they are many."""
        self._pages.pop(handle, None)
        self._pages[handle] = page
        if len(self._pages) > _MOST:
            del self._pages[next(iter(self._pages))]

    def pop(self, handle: str, user_id: str | None) -> ProfilePage | None:
        """Hand out the page of a handle if it is fresh and of the account with this id."""
        page = self._pages.pop(handle, None)
        if page is None or self._clock() - page.account.captured_at > LIFETIME:
            return None
        return page if user_id in (None, page.account.platform_user_id) else None
