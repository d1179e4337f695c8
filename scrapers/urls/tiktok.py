"""TikTok's handles and URLs (platforms.md, section 3). Sends no requests."""

import re

from scrapers.urls.link import Link, PostUrl

PLATFORM = "tiktok"
SITE = "https://www.tiktok.com"
_LITE_HOST = "lite.tiktok.com"
_WEB_HOSTS = re.compile(r"(?:(?:www|m|lite|[a-z]{2})\.)?tiktok\.com")
"""Regions have two letters (`us.tiktok.com`)."""
_SHORT_HOSTS = frozenset({"vm.tiktok.com", "vt.tiktok.com"})
_APP_HOST = "t.tiktok.com"
HOSTS = re.compile(rf"{_WEB_HOSTS.pattern}|t\.tiktok\.com|(?:(?:www|m)\.)?tiktokv\.com")

_LARGEST_ID = 2**63 - 1

HANDLE_LENGTHS = range(2, 25)

_HANDLE = re.compile(rf"[A-Za-z0-9_.]{{1,{HANDLE_LENGTHS[-1] - 1}}}[A-Za-z0-9_]")
_PROFILE = re.compile(r"/@(?P<handle>[^/]+)(?:/live)?/?")
_FIRST_SEGMENT = re.compile(r"/@(?P<handle>[^/]+)")
_POST = re.compile(
    r"/(?:@(?P<handle>[A-Za-z0-9_.-]*)|share)/(?P<kind>video|photo)/(?P<id>[1-9][0-9]{5,19})(?:/.*)?"
)
_EMBEDDED_POST = re.compile(
    r"/(?:embed(?:/v2)?|player/v1|v|tiktokstudio/analytics)/(?P<id>[1-9][0-9]{5,19})"
    r"(?:\.html)?(?:/.*)?"
)
_POST_IN_QUERY = re.compile(r"(?:.*&)?item_id=(?P<id>[1-9][0-9]{5,19})(?:[&/].*)?")
_APP_POST = re.compile(r"/i18n(?P<path>/share/(?:video|photo)/.*)")
_CODE = r"(?P<code>[A-Za-z0-9][A-Za-z0-9-]{0,63})/?"
_SHORT_CODE = re.compile(f"/{_CODE}")
_SHORT_CODE_ON_THE_SITE = re.compile(f"/t/{_CODE}")


def is_handle(text: str) -> bool:
    """Return whether this is a valid handle: 2 to 24 letters, digits, `_` and inner `.`."""
    return _HANDLE.fullmatch(text) is not None


def handle_in(link: Link) -> str | None:
    """Return the handle part of a profile's URL, unchecked; None if there is none."""
    match = _PROFILE.fullmatch(link.path) if _is_web(link) else None
    return match["handle"] if match else None


def names_an_account(link: Link) -> bool:
    """Return whether the URL is below an account, but not a profile."""
    return _FIRST_SEGMENT.match(link.path) is not None


def profile_url(handle: str) -> str:
    return f"{SITE}/@{handle}"


def post_url(platform_video_id: str, handle: str | None, kind: str = "video") -> str:
    """Return the canonical URL of a post; TikTok also opens it with an empty handle."""
    room = "photo" if kind == "photo" else "video"
    return f"{SITE}/@{handle or ''}/{room}/{platform_video_id}"


def parse_post(link: Link) -> PostUrl | None:
    """Parse the URL of a post, including embeds and old mobile forms."""
    if link.host == _APP_HOST and (match := _APP_POST.fullmatch(link.path)):
        link = Link("www.tiktok.com", match["path"])
    if not HOSTS.fullmatch(link.host):
        return None
    if match := _POST.fullmatch(link.path):
        return _post(match["id"], (match["handle"] or "").lower() or None, match["kind"])
    if not _is_web(link):
        return None
    match = _EMBEDDED_POST.fullmatch(link.path) or _POST_IN_QUERY.fullmatch(link.query)
    return _post(match["id"], None, "video") if match else None


def short_link(link: Link) -> str | None:
    """Return the canonical form of a short link; None if it is not one."""
    if link.host in _SHORT_HOSTS and (match := _SHORT_CODE.fullmatch(link.path)):
        return f"https://{link.host}/{match['code']}/"
    if _is_web(link) and (match := _SHORT_CODE_ON_THE_SITE.fullmatch(link.path)):
        site = f"https://{_LITE_HOST}" if link.host == _LITE_HOST else SITE
        return f"{site}/t/{match['code']}/"
    return None


def short_link_request(canonical: str, base_url: str) -> str:
    """Return the URL that resolves a canonical short link; another base replaces all hosts."""
    if base_url == SITE:
        return canonical
    return f"{base_url}/t/{canonical.rstrip('/').rpartition('/')[2]}/"


def _is_web(link: Link) -> bool:
    return _WEB_HOSTS.fullmatch(link.host) is not None


def _post(item_id: str, handle: str | None, kind: str) -> PostUrl | None:
    if int(item_id) > _LARGEST_ID:
        return None
    return PostUrl(
        platform=PLATFORM,
        platform_video_id=item_id,
        handle=handle,
        canonical_url=post_url(item_id, handle, kind),
        kind="photo" if kind == "photo" else "video",
    )
