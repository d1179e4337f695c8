"""Parses and builds post and profile URLs of any platform."""

from scrapers.urls.link import PostUrl, parse_link
from scrapers.urls.short_links import ShortLinks
from scrapers.urls.sites import SITES, site_of


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


def profile_url(platform: str, handle: str) -> str:
    return SITES[platform].profile_url(handle)


def post_url(
    platform: str, platform_video_id: str, handle: str | None = None, kind: str = "video"
) -> str:
    """Return the canonical URL of a post. `kind` is a PostUrl's; `photo` and `reel` matter."""
    return SITES[platform].post_url(platform_video_id, handle, kind)
