"""Maps platforms to their URL modules, and finds links to platforms in texts of people."""

from re import Pattern
from typing import Protocol

from scrapers.urls import instagram, tiktok
from scrapers.urls.link import Link, PostUrl, parse_link, plain_text, targets_in, words_in


class Site(Protocol):
    """The interface of a platform's URL module."""

    @property
    def PLATFORM(self) -> str: ...  # noqa: N802 - a module constant
    @property
    def SITE(self) -> str: ...  # noqa: N802 - a module constant
    @property
    def HOSTS(self) -> Pattern[str]: ...  # noqa: N802 - a module constant
    @property
    def HANDLE_LENGTHS(self) -> range: ...  # noqa: N802 - a module constant

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
    return next((site for site in SITES.values() if site.HOSTS.fullmatch(link.host)), None)


_MOST_REDIRECTORS = 3


def links_in(text: str) -> list[Link | None]:
    """Return the links in a text, of redirectors their targets. None is an invalid link.

    A link without a scheme counts if it is one of a platform.
    """
    words = [(word, followed(word)) for word in words_in(plain_text(text))]
    return [link for word, link in words if "://" in word or (link and site_of(link))]


def followed(text: str, most: int = _MOST_REDIRECTORS) -> Link | None:
    """Parse a link; if it shows no account or post, return the link inside it that does."""
    link = parse_link(text)
    if link is None or _shows_something(link) or not most:
        return link
    targets = (followed(target, most - 1) for target in targets_in(link))
    return next((target for target in targets if target and _shows_something(target)), link)


def _shows_something(link: Link) -> bool:
    site = site_of(link)
    return bool(site and (site.handle_in(link) or site.parse_post(link) or site.short_link(link)))
