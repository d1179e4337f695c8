"""Instagram's handles and URLs (platforms.md, section 3). Sends no requests."""

import re

from scrapers.urls.link import Link, PostUrl
from scrapers.urls.shortcode import pk_to_shortcode, public_part, shortcode_to_pk

PLATFORM = "instagram"
SITE = "https://www.instagram.com"
HOSTS = re.compile(
    r"(?:(?:www|m|[a-z]{2}(?:-[a-z]{2})?)\.)?instagram\.com|(?:(?:www|m)\.)?instagr\.am|ig\.me"
)
_OWN_PAGES = re.compile(
    "p|tv|reels?|explore|stories|accounts|share|direct|popular|directory|about|legal|developer|api"
    "|graphql|static|web|s|locations|tags|audio|challenge|emails|session|oauth|embed|lite|press"
    "|privacy|your_activity|qr|nametag|linkshim|login|logout|signup|emailsignup|help|terms"
)
"""First path segments that are Instagram's own pages and never handles."""

HANDLE_LENGTHS = range(1, 31)

_HANDLE = re.compile(rf"(?!.*\.\.)(?!\.)[A-Za-z0-9._]{{1,{HANDLE_LENGTHS[-1]}}}(?<!\.)")
_MESSAGES = re.compile(r"/m/(?P<handle>[^/]+)/?")
"""Of the host `ig.me`."""
_PROFILE = re.compile(r"/(?:_u/)?@?(?P<handle>[^/@]+)(?:/(?:reels|tagged|reposts))?/?")
_FIRST_SEGMENT = re.compile(r"/(?P<handle>[^/]+)")
_POST = re.compile(
    r"/(?:(?!share/)(?P<handle>[A-Za-z0-9._]{1,30})/)?"
    r"(?P<kind>p|tv|reels?)/(?:videos/)?(?!(?:audio|videos)(?:/|$))"
    r"(?P<code>[A-Za-z0-9_-]{5,64})(?:/.*)?"
)
_SHARE = re.compile(r"/share/(?P<room>(?:p|reel|tv)/)?(?P<code>[A-Za-z0-9_-]{5,64})/?")


def is_handle(text: str) -> bool:
    """Return whether this is a valid handle: 1 to 30 letters, digits, `_`, inner `.`."""
    return _HANDLE.fullmatch(text) is not None and not _OWN_PAGES.fullmatch(text.lower())


def handle_in(link: Link) -> str | None:
    """Return the handle part of a profile's URL, unchecked; None if there is none."""
    match = (_MESSAGES if link.host == "ig.me" else _PROFILE).fullmatch(link.path)
    is_own_page = match and _OWN_PAGES.fullmatch(match["handle"].lower())
    return match["handle"] if match and not is_own_page else None


def names_an_account(link: Link) -> bool:
    """Return whether the URL is below an account, but not a profile."""
    match = _FIRST_SEGMENT.match(link.path)
    return match is not None and is_handle(match["handle"])


def profile_url(handle: str) -> str:
    return f"{SITE}/{handle}/"


def post_url(platform_video_id: str, _handle: str | None = None, kind: str = "post") -> str:
    """Return the canonical URL of a post: `/reel/` for reels, `/p/` for all others."""
    room = "reel" if kind == "reel" else "p"
    return f"{SITE}/{room}/{pk_to_shortcode(platform_video_id)}/"


def parse_post(link: Link) -> PostUrl | None:
    """Parse the URL of a post or reel, without the suffix of a private post's link."""
    match = _POST.fullmatch(link.path)
    if match is None:
        return None
    try:
        pk = shortcode_to_pk(match["code"])
    except ValueError:
        return None
    is_reel = match["kind"].startswith("reel")
    handle = (match["handle"] or "").lower()
    return PostUrl(
        platform=PLATFORM,
        platform_video_id=pk,
        handle=handle if is_handle(handle) else None,
        canonical_url=f"{SITE}/{'reel' if is_reel else 'p'}/{public_part(match['code'])}/",
        kind="reel" if is_reel else "post",
    )


def short_link(link: Link) -> str | None:
    """Return the canonical form of a share link; None if it is not one.

    Its code is not a shortcode: only Instagram can resolve it.
    """
    match = _SHARE.fullmatch(link.path)
    return f"{SITE}/share/{match['room'] or ''}{match['code']}/" if match else None


def short_link_request(canonical: str, base_url: str) -> str:
    """Return the URL that resolves a canonical share link."""
    return base_url + canonical.removeprefix(SITE)
