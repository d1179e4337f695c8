"""Handles, post and profile URLs of any platform, and what a person writes instead of a handle."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal

from scrapers.urls.link import Link, PostUrl, parse_link, plain_text
from scrapers.urls.short_links import ShortLinks, TooManyShortLinks
from scrapers.urls.sites import SITES, Site, links_in, site_of

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


_WAYS_OUT: Mapping[Reason, str] = {
    "video_url": "This is a link to a post: enter the link of its author's profile",
    "no_handle_in_url": "This link names no account: open the profile and enter its link",
    "unrecognized_url": "This is not the link of one profile: open the profile and enter its link",
    "platform_mismatch": "This URL belongs to another platform: enter it for that one",
    "short_url_unresolved": "The short link could not be followed: open it, enter its address",
    "too_many_short_links": "Too many short links at once: open some and enter where they lead",
    "unsupported_platform": "This platform is not supported",
}


class InvalidAccount(ValueError):  # noqa: N818 - the contract's name: `invalid_account`
    """A handle or URL of no account on the platform; `reason` is the contract's.

    `author` is the handle in the URL of a post, None if it names none. `way_out` is for people.
    """

    def __init__(self, reason: Reason, author: str | None = None, way_out: str = "") -> None:
        of_author = f"This is a link to a post of @{author}: enter that handle"
        self.way_out = way_out or (of_author if author else _WAYS_OUT[reason])
        super().__init__(f"{reason}: {self.way_out}")
        self.reason: Reason = reason
        self.author = author


def normalize_handle(platform: str, text: str, short_links: ShortLinks | None = None) -> str:
    """Return the handle in lower case, without `@`, from a handle or a text with a profile's URL.

    `short_links` resolves short links (one request each); without it they are unresolved. Raises
    InvalidAccount.
    """
    site = SITES.get(platform)
    if site is None:
        raise InvalidAccount("unsupported_platform")
    if _SPLIT_HANDLE.fullmatch(plain_text(text)) and platform_of(text) == platform:
        raise InvalidAccount("invalid_handle", way_out=_IS_FOLLOWED)
    links = links_in(text)
    if not links:
        return _bare_handle(site, plain_text(text))
    handles, refusals = set[str](), list[InvalidAccount]()
    for link in links:
        try:
            handles.add(_handle_from(site, link, short_links))
        except InvalidAccount as refusal:
            refusals.append(refusal)
    if not handles:
        raise refusals[0]
    if len(handles) > 1:
        raise InvalidAccount("unrecognized_url")
    return handles.pop()


def platform_of(text: str) -> str | None:
    """Return the platform of the URL in a text, None without one."""
    sites = (site_of(link) for link in links_in(text) if link)
    return next((site.PLATFORM for site in sites if site), None)


_AROUND = " ,;()[]{}<>\"'\u201c\u201d\u2018\u2019\u00ab\u00bb"
"""Quotes and brackets around a handle."""


_SPLIT_HANDLE = re.compile(r"\S*(?:/@|instagram\.com/)[\w.]+(?:[^\S\r\n]+[\w.]+)+", re.IGNORECASE)
"""A profile URL and words alone on its line: a link would end at the space, in another's handle."""
_HAS_SPACE = "A handle has no spaces"
_IS_FOLLOWED = f"{_HAS_SPACE}: remove what follows the link"
_TRACKED = "enter the link of a profile on TikTok or Instagram"
_COPY_IT = "copy it from the profile, or enter the profile URL"


def _bare_handle(site: Site, text: str) -> str:
    if "/" in text:
        raise InvalidAccount("unrecognized_url")
    return _checked(site, text.strip(_AROUND).removeprefix("@"))


def _checked(site: Site, handle: str) -> str:
    if not site.is_handle(handle):
        raise InvalidAccount("invalid_handle", way_out=f"{_mistake_in(site, handle)}: {_COPY_IT}")
    return handle.lower()


def _mistake_in(site: Site, handle: str) -> str:
    """Return what is wrong with an invalid handle."""
    lengths = site.HANDLE_LENGTHS
    if re.search(r"\s", handle):
        return _HAS_SPACE
    if wrong := re.search(r"[^A-Za-z0-9._]", handle):
        return f"A handle has only the letters a to z, digits, _ and periods, no “{wrong[0]}”"
    if len(handle) not in lengths:
        return f"Handles have {lengths[0]} to {lengths[-1]} characters, not {len(handle)}"
    if handle.strip(".") != handle or ".." in handle:
        return "Periods in a handle are single and between other characters"
    return "This is a page of the platform and no account"


def _handle_from(site: Site, link: Link | None, short_links: ShortLinks | None) -> str:
    link = _hold_to_platform(site, link)
    if canonical := site.short_link(link):
        link = _hold_to_platform(site, _resolved(canonical, short_links))
    if handle := site.handle_in(link):
        return _checked(site, handle)
    if post := site.parse_post(link):
        raise InvalidAccount("video_url", post.handle)
    raise InvalidAccount("unrecognized_url" if site.names_an_account(link) else "no_handle_in_url")


def _hold_to_platform(site: Site, link: Link | None) -> Link:
    its_site = site_of(link) if link else None
    if link and its_site is None:
        raise InvalidAccount("unrecognized_url", way_out=f"{link.host} is not tracked: {_TRACKED}")
    if link is None or its_site is not site:
        raise InvalidAccount("platform_mismatch" if its_site else "unrecognized_url")
    return link


def _resolved(canonical: str, short_links: ShortLinks | None) -> Link:
    try:
        target = short_links.resolve(canonical) if short_links else None
    except TooManyShortLinks:
        raise InvalidAccount("too_many_short_links") from None
    link = parse_link(target) if target else None
    if link is None:
        raise InvalidAccount("short_url_unresolved")
    return link


def parse_post_url(text: str) -> PostUrl | None:
    """Parse the URL of a post on any platform, also inside a text; None for everything else.

    A short link is a PostUrl of kind `short_link` without an id: only `resolve_post_url` finds out
    whether it is a post. A text with the links of several posts is none.
    """
    posts = _posts_in(text)
    return posts.pop() if len(posts) == 1 else None


def _posts_in(text: str) -> set[PostUrl]:
    posts = (_post_at(link) for link in links_in(text) if link)
    return {post for post in posts if post}


def _post_at(link: Link) -> PostUrl | None:
    site = site_of(link)
    canonical = site.short_link(link) if site else None
    if site and canonical:
        return PostUrl(
            platform=site.PLATFORM,
            platform_video_id=None,
            handle=None,
            canonical_url=canonical,
            kind="short_link",
        )
    return site.parse_post(link) if site else None


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
    if posts := _posts_in(url):
        if len(posts) > 1:
            return "The text has the links of several posts: give one"
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
