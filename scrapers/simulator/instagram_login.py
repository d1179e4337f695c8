"""Instagram API with Instagram Login. Formats: Meta's documentation, and platforms.md, 2.6.

Only professional accounts can connect. Views, shares and saves are insights of each post.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from itertools import islice

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scrapers.simulator import identifiers
from scrapers.simulator.answers import Document, json_answer
from scrapers.simulator.clock import Clock
from scrapers.simulator.consents import Consent, Consents, back, login_page
from scrapers.simulator.creators import Creator
from scrapers.simulator.faults import FaultKind, fault_of
from scrapers.simulator.instagram_documents import facebook_side_id
from scrapers.simulator.pictures import picture_url
from scrapers.simulator.records import AccountType, Platform, TruePost, TrueProfile
from scrapers.simulator.truth import true_profile
from scrapers.simulator.world import World

_SIXTY_DAYS = 5_184_000
_USUAL_PAGE, _LARGEST_PAGE = 25, 100
_NO_TOKEN, _NO_PERMISSION, _INVALID_PARAMETER = 190, 10, 100
_INSIGHTS = "instagram_business_manage_insights"
_VERSION = "/v26.0"
_MEDIA_TYPES = {"photo": "IMAGE", "video": "VIDEO", "carousel": "CAROUSEL_ALBUM"}


class InstagramLoginSite:
    """Responds as www.instagram.com, api.instagram.com and graph.instagram.com to an app."""

    def __init__(self, world: World, clock: Clock) -> None:
        self._world = world
        self._clock = clock
        self._consents = Consents(create_s256_code_challenge)

    def routes(self) -> list[Route]:
        return [
            Route("/oauth/authorize", self.authorize),
            Route("/oauth/decide", self.decide),
            Route("/oauth/access_token", self.short_token, methods=["POST"]),
            Route("/access_token", self.long_token),
            Route("/refresh_access_token", self.long_token),
            Route(f"{_VERSION}/me", self.user),
            Route(f"{_VERSION}/me/media", self.media),
            Route(f"{_VERSION}/{{media_id}}/insights", self.insights),
        ]

    async def authorize(self, request: Request) -> Response:
        """Return the page where a person allows access."""
        path = request.url.path.replace("authorize", "decide")
        return login_page(path, request.query_params)

    async def decide(self, request: Request) -> Response:
        """Redirect a person back with a code, or with a denial."""
        query = request.query_params
        uri, state = query.get("redirect_uri", ""), query.get("state", "")
        creator = self._world.creator(Platform.INSTAGRAM, query.get("handle", ""), self._clock())
        is_personal = creator is None or creator.account_type is AccountType.PERSONAL
        if creator is None or is_personal or query.get("decision") != "allow":
            return back(uri, state, error="access_denied", error_reason="user_denied")
        consent = Consent(
            creator.alt_id, query.get("client_id", ""), tuple(query.get("scope", "").split(","))
        )
        code = self._consents.code_for(consent, uri, query.get("code_challenge"))
        return back(uri, state, code=code)

    async def short_token(self, request: Request) -> Response:
        """Exchange a code for a token of one hour."""
        form = {name: str(value) for name, value in (await request.form()).items()}
        consent = self._consents.exchanged(
            form.get("code", ""),
            form.get("client_id", ""),
            form.get("redirect_uri", ""),
            form.get("code_verifier", ""),
        )
        if consent is None or not form.get("client_secret"):
            message = "Invalid authorization code"
            return json_answer(
                {"error_type": "OAuthException", "code": 400, "error_message": message}, 400
            )
        given = {
            "access_token": self._consents.access_for(consent, "IGAAshort"),
            "user_id": consent.alt_id,
            "permissions": ",".join(consent.scopes),
        }
        return json_answer({"data": [given]})

    async def long_token(self, request: Request) -> Response:
        """Exchange a token of one hour, or of 60 days, for one of 60 days."""
        allowed = self._allowed(request)
        if isinstance(allowed, Response):
            return allowed
        consent, _ = allowed
        self._consents.revoke(consent)
        token = self._consents.access_for(consent, "IGAAlong")
        return json_answer(
            {"access_token": token, "token_type": "bearer", "expires_in": _SIXTY_DAYS}
        )

    async def user(self, request: Request) -> Response:
        """Return the requested fields of the token's account."""
        allowed = self._allowed(request)
        if isinstance(allowed, Response):
            return allowed
        _, creator = allowed
        names = frozenset(request.query_params.get("fields", "").split(","))
        profile = _profile_fields(true_profile(creator, self._clock()), names)
        own = {"user_id": profile["id"]} if "user_id" in names else {}
        return json_answer(profile | own | {"id": f"9{profile['id'][1:]}"})

    async def media(self, request: Request) -> Response:
        """Return a page of the creator's posts."""
        allowed = self._allowed(request)
        if isinstance(allowed, Response):
            return allowed
        _, creator = allowed
        query = request.query_params
        size = min(identifiers.parse_id(query.get("limit", "")) or _USUAL_PAGE, _LARGEST_PAGE)
        start = _position(query.get("after", "")) if "after" in query else 0
        if start is None:
            return _error("Invalid cursor", _INVALID_PARAMETER)
        if fault_of(request) is FaultKind.SAME_PAGE:
            start = 0
        page = list(islice(self._world.timeline(creator, self._clock()), start, start + size + 1))
        posts = page[:size]
        names = frozenset(query.get("fields", "").split(",")) - {"view_count"}
        answer: Document = {"data": [_media_fields(post, names) for post in posts]}
        if len(page) > size or fault_of(request) is FaultKind.SAME_PAGE:
            answer["paging"] = {"cursors": {"after": _cursor(start + size)}}
        return json_answer(answer)

    async def insights(self, request: Request) -> Response:
        """Return a post's counters that only its creator can see."""
        allowed = self._allowed(request)
        if isinstance(allowed, Response):
            return allowed
        consent, creator = allowed
        if _INSIGHTS not in consent.scopes:
            return _error("(#10) Application does not have permission", _NO_PERMISSION, 403)
        post = self._post(creator, request.path_params["media_id"])
        if post is None:
            return _error("Unsupported get request.", _INVALID_PARAMETER, subcode=33)
        metrics = request.query_params.get("metric", "").split(",")
        known = {"views": post.view_count, "shares": post.share_count, "saved": post.save_count}
        return json_answer(
            {
                "data": [
                    {"name": name, "period": "lifetime", "values": [{"value": known[name]}]}
                    for name in metrics
                    if known.get(name) is not None
                ]
            }
        )

    def _post(self, creator: Creator, media_id: str) -> TruePost | None:
        timeline = self._world.timeline(creator, self._clock())
        return next((post for post in timeline if facebook_side_id(post) == media_id), None)

    def _allowed(self, request: Request) -> tuple[Consent, Creator] | Response:
        """Return the consent and creator of a request's token, or the refusal."""
        _, _, in_header = request.headers.get("authorization", "").partition("Bearer ")
        consent = self._consents.by_access(
            in_header or request.query_params.get("access_token", "")
        )
        fault = fault_of(request)
        if consent is None or fault in (FaultKind.EXPIRED_ACCESS, FaultKind.REVOKED_CONSENT):
            return _error("Error validating access token", _NO_TOKEN, 401)
        at = self._clock()
        creator = self._world.creator_by_alt_id(Platform.INSTAGRAM, consent.alt_id, at)
        if creator is None:
            return _error("Error validating access token", _NO_TOKEN, 401)
        if fault is FaultKind.OTHER_ACCOUNT:
            return consent, self._world.neighbour(creator)
        return consent, creator


def _cursor(position: int) -> str:
    return urlsafe_b64encode(f"place:{position}".encode()).decode()


def _position(cursor: str) -> int | None:
    try:
        _, _, position = urlsafe_b64decode(cursor).decode().partition("place:")
    except ValueError:
        return None
    return identifiers.parse_id(position)


def _error(message: str, code: int, status: int = 400, *, subcode: int | None = None) -> Response:
    error: Document = {"message": message, "type": "OAuthException", "code": code}
    if subcode is not None:
        error["error_subcode"] = subcode
    return json_answer({"error": error | {"fbtrace_id": "Aabc"}}, status)


def _profile_fields(profile: TrueProfile, fields: frozenset[str]) -> Document:
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


def _media_fields(post: TruePost, fields: frozenset[str]) -> Document:
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
    return {"id": facebook_side_id(post)} | present
