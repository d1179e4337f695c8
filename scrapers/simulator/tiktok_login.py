"""TikTok's Login Kit and Display API. Formats: platforms.md, 1.6, and TikTok's documentation.

Posts are the public ones, newest first; pages use a cursor in milliseconds.
"""

from collections.abc import Iterable
from hashlib import sha256
from itertools import islice
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scrapers.simulator.answers import Document, json_answer
from scrapers.simulator.clock import Clock
from scrapers.simulator.consents import Consent, Consents, back, login_page
from scrapers.simulator.creators import Creator
from scrapers.simulator.faults import FaultKind, fault_of
from scrapers.simulator.pictures import picture_url
from scrapers.simulator.records import Platform, TruePost, TrueProfile
from scrapers.simulator.truth import true_profile
from scrapers.simulator.world import World

_AN_ACCESS_TOKEN, _A_REFRESH_TOKEN = 86_400, 31_536_000
_LARGEST_PAGE, _USUAL_PAGE = 20, 10
_STATS, _PROFILE, _VIDEOS = "user.info.stats", "user.info.profile", "video.list"


class TikTokLoginSite:
    """Responds as www.tiktok.com and open.tiktokapis.com to an app and its creators."""

    def __init__(self, world: World, clock: Clock) -> None:
        self._world = world
        self._clock = clock
        self._consents = Consents(lambda verifier: sha256(verifier.encode()).hexdigest())

    def routes(self) -> list[Route]:
        return [
            Route("/v2/auth/authorize/", self.authorize),
            Route("/v2/auth/decide", self.decide),
            Route("/v2/oauth/token/", self.token, methods=["POST"]),
            Route("/v2/oauth/revoke/", self.revoke, methods=["POST"]),
            Route("/v2/user/info/", self.user),
            Route("/v2/video/list/", self.videos, methods=["POST"]),
            Route("/v2/video/query/", self.query, methods=["POST"]),
        ]

    async def authorize(self, request: Request) -> Response:
        """Return the page where a person allows access."""
        path = request.url.path.replace("authorize/", "decide")
        return login_page(path, request.query_params)

    async def decide(self, request: Request) -> Response:
        """Redirect a person back with a code, or with a denial."""
        query = request.query_params
        uri, state = query.get("redirect_uri", ""), query.get("state", "")
        creator = self._world.creator(Platform.TIKTOK, query.get("handle", ""), self._clock())
        if creator is None or query.get("decision") != "allow":
            return back(uri, state, error="access_denied", error_description="User denied")
        scopes = tuple(query.get("scope", "").split(","))
        consent = Consent(creator.alt_id, query.get("client_key", ""), scopes)
        code = self._consents.code_for(consent, uri, query.get("code_challenge"))
        return back(uri, state, code=code, scopes=",".join(scopes))

    async def token(self, request: Request) -> Response:
        """Exchange a code or a refresh token for tokens."""
        form = {name: str(value) for name, value in (await request.form()).items()}
        if not (form.get("client_key") and form.get("client_secret")):
            return _oauth_error("invalid_client", "Client key or secret is missing.")
        if form.get("grant_type") == "refresh_token":
            consent = self._consents.refreshed(form.get("refresh_token", ""))
        else:
            consent = self._consents.exchanged(
                form.get("code", ""),
                form["client_key"],
                form.get("redirect_uri", ""),
                form.get("code_verifier", ""),
            )
        if consent is None or fault_of(request) is FaultKind.REVOKED_CONSENT:
            return _oauth_error("invalid_grant", "Code or refresh token is invalid or expired.")
        return json_answer(
            {
                "access_token": self._consents.access_for(consent, "act."),
                "expires_in": _AN_ACCESS_TOKEN,
                "open_id": open_id(consent),
                "refresh_expires_in": _A_REFRESH_TOKEN,
                "refresh_token": self._consents.refresh_for(consent),
                "scope": ",".join(consent.scopes),
                "token_type": "Bearer",
            }
        )

    async def revoke(self, request: Request) -> Response:
        form = await request.form()
        consent = self._consents.by_access(str(form.get("token", "")))
        if consent is None:
            return _oauth_error("invalid_request", "Access token is invalid.")
        self._consents.revoke(consent)
        return json_answer({})

    async def user(self, request: Request) -> Response:
        """Return the requested fields of the token's account."""
        allowed = self._allowed(request)
        if isinstance(allowed, Response):
            return allowed
        consent, creator = allowed
        names = request.query_params.get("fields", "").split(",")
        everything = _user(open_id(consent), true_profile(creator, self._clock()), consent.scopes)
        user = {name: everything[name] for name in names if name in everything}
        return _ok({"user": user})

    async def videos(self, request: Request) -> Response:
        """Return a page of the creator's posts."""
        allowed = self._allowed(request)
        if isinstance(allowed, Response):
            return allowed
        body: Any = await request.json()
        size = min(body.get("max_count") or _USUAL_PAGE, _LARGEST_PAGE)
        before = body.get("cursor") if fault_of(request) is not FaultKind.SAME_PAGE else None
        timeline = self._world.timeline(allowed[1], self._clock())
        older = (post for post in timeline if before is None or _milliseconds(post) < before)
        page = list(islice(older, size + 1))
        posts = page[:size]
        cursor = _milliseconds(posts[-1]) if posts else before or 0
        more = len(page) > size or fault_of(request) is FaultKind.SAME_PAGE
        return _ok(
            {"videos": self._select_fields(request, posts), "cursor": cursor, "has_more": more}
        )

    async def query(self, request: Request) -> Response:
        """Return those of up to 20 posts that are the creator's."""
        allowed = self._allowed(request)
        if isinstance(allowed, Response):
            return allowed
        body: Any = await request.json()
        ids = body.get("filters", {}).get("video_ids", [])
        if len(ids) > _LARGEST_PAGE:
            return _error("invalid_params", "At most 20 video ids.", 400)
        return _ok({"videos": self._select_fields(request, self._own(allowed[1], ids))})

    def _own(self, creator: Creator, ids: Iterable[str]) -> Iterable[TruePost]:
        for post_id in ids:
            creator_and_post = self._world.find_post(Platform.TIKTOK, str(post_id), self._clock())
            if creator_and_post and creator_and_post[0] is creator:
                post = self._world.visible_post(*creator_and_post, self._clock())
                if post is not None:
                    yield post

    def _select_fields(self, request: Request, posts: Iterable[TruePost]) -> list[Document]:
        names = request.query_params.get("fields", "").split(",")
        videos = (_video(post) for post in posts)
        return [{name: video[name] for name in names if name in video} for video in videos]

    def _allowed(self, request: Request) -> tuple[Consent, Creator] | Response:
        """Return the consent and creator of a request's token, or the refusal."""
        _, _, token = request.headers.get("authorization", "").partition("Bearer ")
        consent = self._consents.by_access(token)
        fault = fault_of(request)
        if consent is None or fault in (FaultKind.EXPIRED_ACCESS, FaultKind.REVOKED_CONSENT):
            return _error("access_token_invalid", "The access token is invalid.", 401)
        if _VIDEOS not in consent.scopes and "/video/" in request.url.path:
            return _error("scope_not_authorized", "The user did not authorize the scope.", 401)
        at = self._clock()
        creator = self._world.creator_by_alt_id(Platform.TIKTOK, consent.alt_id, at)
        if creator is None:
            return _error("access_token_invalid", "The access token is invalid.", 401)
        if fault is FaultKind.OTHER_ACCOUNT:
            other = self._world.neighbour(creator)
            return Consent(other.alt_id, consent.app, consent.scopes), other
        return consent, creator


def open_id(consent: Consent) -> str:
    return f"-000{sha256(f'{consent.app} {consent.alt_id}'.encode()).hexdigest()[:32]}"


def _user(own_id: str, profile: TrueProfile, scopes: Iterable[str]) -> Document:
    known: Document = {
        "open_id": own_id,
        "display_name": profile.display_name,
        "avatar_url": f"https://p16.example/{profile.platform_user_id}.jpeg",
    }
    if _PROFILE in scopes:
        known |= {
            "username": profile.handle,
            "bio_description": profile.biography,
            "is_verified": profile.is_verified,
            "profile_deep_link": f"https://vm.tiktok.com/{profile.platform_user_id}/",
        }
    if _STATS in scopes:
        known |= {
            "follower_count": profile.follower_count,
            "following_count": profile.following_count,
            "likes_count": profile.total_likes_count,
            "video_count": profile.video_count,
        }
    return known


def _video(post: TruePost) -> Document:
    return {
        "id": post.platform_video_id,
        "create_time": int(post.posted_at.timestamp()),
        "cover_image_url": picture_url("p16.example", f"{post.platform_video_id}.jpeg"),
        "share_url": f"{post.url}?utm_campaign=tt4d_open_api",
        "title": (post.caption or "")[:150],
        "video_description": post.caption or "",
        "duration": post.duration_seconds,
        "like_count": post.like_count,
        "comment_count": post.comment_count,
        "share_count": post.share_count,
        "view_count": post.view_count,
    }


def _milliseconds(post: TruePost) -> int:
    return int(post.posted_at.timestamp()) * 1000


def _ok(data: Document) -> Response:
    return json_answer({"data": data, "error": {"code": "ok", "message": "", "log_id": "x"}})


def _error(code: str, message: str, status: int) -> Response:
    error = {"code": code, "message": message, "log_id": "x"}
    return json_answer({"data": {}, "error": error}, status)


def _oauth_error(error: str, description: str) -> Response:
    answer = {"error": error, "error_description": description, "log_id": "x"}
    return json_answer(answer, 400)
