"""Maps platforms to their URL modules."""

from typing import Protocol

from scrapers.urls import instagram, tiktok
from scrapers.urls.link import Link, PostUrl


class Site(Protocol):
    """The interface of a platform's URL module."""

    @property
    def PLATFORM(self) -> str: ...  # noqa: N802 - a module constant
    @property
    def SITE(self) -> str: ...  # noqa: N802 - a module constant
    @property
    def HOSTS(self) -> frozenset[str]: ...  # noqa: N802 - a module constant

    def is_handle(self, text: str) -> bool: ...
    def handle_in(self, link: Link) -> str | None: ...
    def names_an_account(self, link: Link) -> bool: ...
    def profile_url(self, handle: str) -> str: ...
    def post_url(self, platform_video_id: str, handle: str | None, kind: str, /) -> str: ...
    def parse_post(self, link: Link) -> PostUrl | None: ...
    def short_link(self, link: Link) -> str | None: ...
    def short_link_request(self, canonical: str, base_url: str) -> str: ...


SITES: dict[str, Site] = {tiktok.PLATFORM: tiktok, instagram.PLATFORM: instagram}


def site_of(link: Link) -> Site | None:
    """Return the platform of the link's host."""
    return next((site for site in SITES.values() if link.host in site.HOSTS), None)
