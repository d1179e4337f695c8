"""Instagram's official API, 'business discovery' only. Request and format: platforms.md, 2.6.

The response has only the requested fields. Personal, private and unknown accounts are errors;
posts page by an opaque cursor.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from itertools import islice

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scrapers.simulator import identifiers
from scrapers.simulator.answers import Document, json_answer
from scrapers.simulator.clock import Clock
from scrapers.simulator.creators import Creator
from scrapers.simulator.faults import FaultKind, fault_of
from scrapers.simulator.pictures import picture_url
from scrapers.simulator.records import AccountType, Kind, Platform, TruePost, TrueProfile
from scrapers.simulator.truth import true_profile
from scrapers.simulator.world import World

_DISCOVERY = re.compile(r"business_discovery\.username\(([^)]*)\)\s*\{(.*)\}\s*$", re.DOTALL)
_MEDIA = re.compile(r"media((?:\.\w+\([^)]*\))*)\s*\{([^}]*)\}", re.DOTALL)
_ARGUMENT = re.compile(r"\.(\w+)\(([^)]*)\)")
_DEFAULT_PAGE, _LARGEST_PAGE = 25, 50
_MEDIA_TYPES = {"photo": "IMAGE", "video": "VIDEO", "carousel": "CAROUSEL_ALBUM"}
_MISSING_TOKEN, _INVALID_PARAMETER, _UNKNOWN_USER = 190, 100, 110


@dataclass(frozen=True, slots=True)
class Discovery:
    """The content of a `fields` parameter; without media fields there are no posts."""

    handle: str
    profile_fields: frozenset[str]
    media_fields: frozenset[str]
    limit: int
    after: str | None


def parse_fields(text: str) -> Discovery | None:
    """Parse `business_discovery.username(…){…}`; None for anything else."""
    match = _DISCOVERY.search(text)
    if not match:
        return None
    media = _MEDIA.search(match[2])
    arguments = dict(_ARGUMENT.findall(media[1])) if media else {}
    limit = identifiers.parse_id(arguments.get("limit", "")) or _DEFAULT_PAGE
    return Discovery(
        handle=match[1].strip(),
        profile_fields=_names(_MEDIA.sub("", match[2])),
        media_fields=_names(media[2]) if media else frozenset(),
        limit=min(limit, _LARGEST_PAGE),
        after=arguments.get("after"),
    )


class GraphSite:
    """Responds as graph.facebook.com to a token that may use business discovery."""

    def __init__(self, world: World, clock: Clock) -> None:
        self._world = world
        self._clock = clock

    def routes(self) -> list[Route]:
        return [Route("/v26.0/{own_id}", self.discover)]

    async def discover(self, request: Request) -> Response:
        """Return a professional account's profile and a page of its posts."""
        if not _has_token(request):
            return _error("Invalid OAuth access token.", _MISSING_TOKEN)
        fields = parse_fields(request.query_params.get("fields", ""))
        if fields is None:
            return _error("Tried accessing nonexisting field", _INVALID_PARAMETER)
        creator = self._world.creator(Platform.INSTAGRAM, fields.handle, self._clock())
        if creator is None or not _is_discoverable(creator):
            return _error("Invalid user id", _UNKNOWN_USER, error_subcode=2207013)
        media = self._media(creator, fields, fault_of(request)) if fields.media_fields else {}
        if media is None:
            return _error("Invalid cursor", _INVALID_PARAMETER)
        profile = true_profile(creator, self._clock())
        discovery = profile_fields(profile, fields.profile_fields) | media
        own_id = request.path_params["own_id"]
        return json_answer({"business_discovery": discovery, "id": own_id})

    def _media(
        self, creator: Creator, query: Discovery, fault: FaultKind | None
    ) -> Document | None:
        """Return the page of posts, or None for an invalid cursor. The last page has no `after`."""
        below = _number(query.after) if query.after else None
        if query.after and below is None:
            return None
        begins = None if fault is FaultKind.SAME_PAGE else below
        timeline = self._world.timeline(creator, self._clock(), below=begins)
        page = list(islice(timeline, query.limit + 1))
        posts = page[: query.limit]
        listed = [] if fault is FaultKind.EMPTY_PAGE else posts
        data = [media_fields(post, query.media_fields) for post in listed]
        if not posts:
            return {"media": {"data": []}}
        cursors = {"before": _cursor(posts[0], self._world)}
        if len(page) > query.limit or fault is FaultKind.SAME_PAGE:
            cursors["after"] = _cursor(posts[-1], self._world)
        return {"media": {"data": data, "paging": {"cursors": cursors}}}


def _has_token(request: Request) -> bool:
    """Return whether there is a token, in either of its two places."""
    _, _, in_header = request.headers.get("authorization", "").partition("Bearer ")
    return bool(in_header or request.query_params.get("access_token"))


def _is_discoverable(creator: Creator) -> bool:
    return creator.account_type is not AccountType.PERSONAL and creator.kind is not Kind.PRIVATE


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(",")) - {""}


def profile_fields(profile: TrueProfile, fields: frozenset[str]) -> Document:
    """Return the requested fields of an account, without empty ones."""
    everything = {
        "ig_id": int(profile.platform_user_id),
        "username": profile.handle,
        "name": profile.display_name,
        "biography": profile.biography,
        "website": profile.bio_link,
        "followers_count": profile.follower_count,
        "follows_count": profile.following_count,
        "media_count": profile.video_count,
        "profile_picture_url": f"https://scontent.example/{profile.platform_user_id}/p.jpg",
    }
    requested = {name: value for name, value in everything.items() if name in fields}
    present = {name: value for name, value in requested.items() if value not in (None, "")}
    return present | {"id": profile.platform_alt_id}


def media_fields(post: TruePost, fields: frozenset[str]) -> Document:
    """Return the requested fields of a post, without empty ones."""
    picture = picture_url("scontent.example", f"{post.platform_video_id}/d.jpg")
    is_video = post.media_type == "video"
    everything = {
        "caption": post.caption,
        "media_type": _MEDIA_TYPES[post.media_type],
        "media_product_type": "REELS" if is_video else "FEED",
        "media_url": None if is_video else picture,
        "thumbnail_url": picture if is_video else None,
        "permalink": post.url,
        "timestamp": post.posted_at.strftime("%Y-%m-%dT%H:%M:%S+0000"),
        "like_count": None if post.likes_hidden else post.like_count,
        "comments_count": post.comment_count,
        "view_count": post.view_count,
        "username": post.handle,
    }
    requested = {name: value for name, value in everything.items() if name in fields}
    present = {name: value for name, value in requested.items() if value is not None}
    return {"id": identifiers.facebook_side_media_id(int(post.platform_video_id))} | present


def _cursor(post: TruePost, world: World) -> str:
    creator_and_post = world.find_post(Platform.INSTAGRAM, post.platform_video_id, post.posted_at)
    number = creator_and_post[1].number if creator_and_post else 0
    return urlsafe_b64encode(f"post:{number}".encode()).decode()


def _number(cursor: str) -> int | None:
    try:
        _, _, number = urlsafe_b64decode(cursor).decode().partition("post:")
    except ValueError:
        return None
    return identifiers.parse_id(number)


def _error(message: str, code: int, **more: object) -> Response:
    error = {"message": message, "type": "OAuthException", "code": code, "fbtrace_id": "Aabc"}
    return json_answer({"error": error | more}, 400)
