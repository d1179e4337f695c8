"""Handles, post and profile URLs of any platform, and what a person writes instead of a handle."""

from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from scrapers.urls.link import Link, PostUrl, parse_link
from scrapers.urls.short_links import ShortLinks, TooManyShortLinks
from scrapers.urls.sites import SITES, Site, site_of

Reason = Literal[
    "invalid_handle",
    "video_url",
    "no_handle_in_url",
    "unrecognized_url",
    "platform_mismatch",
    "short_url_unresolved",
    "too_many_short_links",
    "unsupported_platform",
]


class InvalidAccount(ValueError):  # noqa: N818 - the contract's name: `invalid_account`
    """A handle or URL of no account on the platform; `reason` is the contract's.

    `author` is the handle in the URL of a post, None if it names none.
    """

    def __init__(self, reason: Reason, author: str | None = None) -> None:
        super().__init__(f"{reason}: a post of @{author}, use that handle" if author else reason)
        self.reason: Reason = reason
        self.author = author


def normalize_handle(platform: str, text: str, short_links: ShortLinks | None = None) -> str:
    """Return the handle in lower case, without `@`, from a handle or the URL of a profile.

    `short_links` resolves short links (one request each); without it they are unresolved. Raises
    InvalidAccount.
    """
    site = SITES.get(platform)
    if site is None:
        raise InvalidAccount("unsupported_platform")
    text = text.strip()
    if not _looks_like_a_url(text):
        return _checked(site, text.removeprefix("@"))
    link = parse_link(text)
    if link is None:
        raise InvalidAccount("unrecognized_url")
    return _handle_from(site, link, lambda canonical: _resolved(canonical, short_links))


def platform_of(text: str) -> str | None:
    """Return the platform of a URL, None for other texts."""
    link = parse_link(text)
    site = site_of(link) if link else None
    return site.PLATFORM if site else None


def _looks_like_a_url(text: str) -> bool:
    host = text.lower().partition("/")[0].partition("?")[0]
    return "/" in text or any(host in site.HOSTS for site in SITES.values())


def _checked(site: Site, handle: str) -> str:
    if not site.is_handle(handle):
        raise InvalidAccount("invalid_handle")
    return handle.lower()


def _handle_from(site: Site, link: Link, resolve: Callable[[str], Link]) -> str:
    _hold_to_platform(site, link)
    if canonical := site.short_link(link):
        link = resolve(canonical)
        _hold_to_platform(site, link)
    if post := site.parse_post(link):
        raise InvalidAccount("video_url", post.handle)
    if handle := site.handle_in(link):
        return _checked(site, handle)
    raise InvalidAccount("unrecognized_url" if site.names_an_account(link) else "no_handle_in_url")


def _hold_to_platform(site: Site, link: Link) -> None:
    if link.host not in site.HOSTS:
        raise InvalidAccount("platform_mismatch" if site_of(link) else "unrecognized_url")


def _resolved(canonical: str, short_links: ShortLinks | None) -> Link:
    try:
        target = short_links.resolve(canonical) if short_links else None
    except TooManyShortLinks:
        raise InvalidAccount("too_many_short_links") from None
    link = parse_link(target) if target else None
    if link is None:
        raise InvalidAccount("short_url_unresolved")
    return link


def parse_post_url(url: str) -> PostUrl | None:
    """Parse the URL of a post on any platform; None for everything else.

    A short link is a PostUrl of kind `short_link` without an id: only `resolve_post_url` finds out
    whether it is a post.
    """
    link = parse_link(url)
    site = site_of(link) if link else None
    if link is None or site is None:
        return None
    if canonical := site.short_link(link):
        return PostUrl(
            platform=site.PLATFORM,
            platform_video_id=None,
            handle=None,
            canonical_url=canonical,
            kind="short_link",
        )
    return site.parse_post(link)


def resolve_post_url(url: str, short_links: ShortLinks) -> PostUrl | None:
    """Parse the URL of a post, resolving a short link with one request to the platform.

    None if it does not lead to a post. Raises TooManyShortLinks as `ShortLinks` does.
    """
    post = parse_post_url(url)
    if post is None or post.kind != "short_link":
        return post
    target = short_links.resolve(post.canonical_url)
    target_post = parse_post_url(target) if target else None
    return target_post if target_post and target_post.platform_video_id else None


def why_no_post(url: str) -> str:
    """Return what a URL of no post is, and the way out."""
    if parse_post_url(url):
        return "The short link could not be followed: open it and give the address it leads to"
    platform = platform_of(url)
    with suppress(InvalidAccount):
        if platform and (handle := normalize_handle(platform, url)):
            return f"The URL is the profile of @{handle}, not a post: add an account of a creator"
    return "The URL is not a post on a supported platform: give the whole link of one post"


def profile_url(platform: str, handle: str) -> str:
    return SITES[platform].profile_url(handle)


def post_url(
    platform: str, platform_video_id: str, handle: str | None = None, kind: str = "video"
) -> str:
    """Return the canonical URL of a post. `kind` is a PostUrl's; `photo` and `reel` matter."""
    return SITES[platform].post_url(platform_video_id, handle, kind)
