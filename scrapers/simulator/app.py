"""The simulator as one ASGI application: sites with faults, and control routes.

Every site has its own path prefix and responds as the real host does at its root. Control routes
(its clock, its faults, and the truth) and pictures have no faults. Below /_simulator:

`GET/PUT clock` {"now": ISO time, null for the system clock} · `GET/PUT faults` (`Faults`) ·
`GET faults/met` (how many requests each rule has matched) ·
`GET creators?platform=&limit=&kind=` · `GET truth/{platform}/{handle}` ·
`GET comments/{platform}/{post id}`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from scrapers.simulator.answers import json_answer
from scrapers.simulator.clock import Clock, SettableClock, system_clock
from scrapers.simulator.faults import Fault, FaultKind, FaultPlan, Faults
from scrapers.simulator.identifiers import parse_id
from scrapers.simulator.instagram import InstagramSite
from scrapers.simulator.instagram_login import InstagramLoginSite
from scrapers.simulator.pictures import picture_routes
from scrapers.simulator.records import Kind, Platform
from scrapers.simulator.refusals import refusal, spoilt
from scrapers.simulator.tiktok import TikTokSite
from scrapers.simulator.tiktok_login import TikTokLoginSite
from scrapers.simulator.truth import true_profile
from scrapers.simulator.world import World


class ClockSetting(BaseModel):
    """The body of `PUT clock`: a time with UTC offset, or null for the system clock."""

    model_config = ConfigDict(extra="forbid")

    now: AwareDatetime | None


class Control:
    """Serves the simulator's own routes. Invalid input returns 422 with the error."""

    def __init__(self, world: World, clock: SettableClock, plan: FaultPlan) -> None:
        self._world = world
        self._clock = clock
        self._plan = plan

    def routes(self) -> list[Route]:
        return [
            Route("/clock", self.clock, methods=["GET", "PUT"]),
            Route("/faults", self.faults, methods=["GET", "PUT"]),
            Route("/faults/met", self.faults_met),
            Route("/creators", self.creators),
            Route("/truth/{platform}/{handle}", self.truth),
            Route("/comments/{platform}/{post}", self.comments),
        ]

    async def clock(self, request: Request) -> Response:
        """Return the served time, or set it."""
        if request.method == "PUT":
            try:
                self._clock.set(ClockSetting.model_validate_json(await request.body()).now)
            except ValidationError as error:
                return _invalid(error)
        return json_answer({"now": self._clock().isoformat()})

    async def faults(self, request: Request) -> Response:
        """Return the current faults, or replace them."""
        if request.method == "PUT":
            try:
                self._plan.use(Faults.model_validate_json(await request.body()))
            except ValidationError as error:
                return _invalid(error)
        return json_answer(self._plan.faults.model_dump(mode="json"))

    async def faults_met(self, _request: Request) -> Response:
        """Return how many requests each rule has matched since it was set."""
        return json_answer(self._plan.met)

    async def creators(self, request: Request) -> Response:
        """List the handles of existing accounts, optionally of one kind."""
        query = request.query_params
        try:
            platform = Platform(query.get("platform", Platform.TIKTOK))
            kind = Kind(query["kind"]) if "kind" in query else None
            limit = int(query.get("limit", "100"))
        except ValueError as error:
            return json_answer({"error": str(error)}, 422)
        handles = self._world.handles(platform, kind=kind, at=self._clock())
        return json_answer({"platform": platform, "handles": handles[: max(limit, 0)]})

    async def truth(self, request: Request) -> Response:
        """Return everything that is true of an account now; its posts newest first."""
        at, handle = self._clock(), request.path_params["handle"]
        platform = request.path_params["platform"]
        if platform not in list(Platform):
            return json_answer({"error": f"no platform {platform!r}"}, 404)
        creator = self._world.creator(platform, handle, at)
        if creator is None:
            return json_answer({"error": f"no account {handle!r} at {at.isoformat()}"}, 404)
        limit = parse_id(request.query_params.get("limit", ""))
        posts = self._world.timeline(creator, at)
        return json_answer(
            {
                "now": at.isoformat(),
                "profile": _plain(true_profile(creator, at)),
                "posts": [_plain(post) for post in islice(posts, limit)],
            }
        )

    async def comments(self, request: Request) -> Response:
        """Return the comments under a post now, oldest first."""
        at, platform = self._clock(), request.path_params["platform"]
        if platform not in list(Platform):
            return json_answer({"error": f"no platform {platform!r}"}, 404)
        post = self._world.find_post(platform, request.path_params["post"], at)
        if post is None or self._world.visible_post(*post, at) is None:
            return json_answer({"error": f"no such post at {at.isoformat()}"}, 404)
        comments = self._world.comments(*post, at)
        return json_answer(
            {"now": at.isoformat(), "comments": [_plain(comment) for comment in comments]}
        )


def _plain(record: Any) -> dict[str, object]:
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in asdict(record).items()
    }


def _invalid(error: ValidationError) -> Response:
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    return json_answer({"error": errors}, 422)


View = Callable[[Request], Awaitable[Response]]

ABORT = "simulator.abort"
"""The ASGI extension by which the server lets the application reset a connection."""


def simulator_app(
    world: World, clock: Clock = system_clock, *, faults: Faults | None = None
) -> Starlette:
    """Return the application that serves `world` at the time of `clock`.

    PUT /_simulator/clock overrides `clock`; a SettableClock can also be set from outside.
    """
    served = clock if isinstance(clock, SettableClock) else SettableClock(clock)
    plan = FaultPlan(world.seed, faults)
    tiktok = _faulty(TikTokSite(world, served).routes(), Platform.TIKTOK, plan)
    instagram = _faulty(InstagramSite(world, served).routes(), Platform.INSTAGRAM, plan)
    tiktok_login = _faulty(TikTokLoginSite(world, served).routes(), Platform.TIKTOK, plan)
    instagram_login = _faulty(InstagramLoginSite(world, served).routes(), Platform.INSTAGRAM, plan)
    return Starlette(
        routes=[
            Mount("/_simulator", routes=Control(world, served, plan).routes()),
            Mount("/tiktok", routes=tiktok),
            Mount("/instagram", routes=instagram),
            Mount("/tiktok-login", routes=tiktok_login),
            Mount("/instagram-login", routes=instagram_login),
            Mount("/pictures", routes=picture_routes()),
        ]
    )


def _faulty(routes: Iterable[Route], platform: Platform, plan: FaultPlan) -> list[Route]:
    """Add the plan's faults to every route of a platform."""
    return [
        Route(
            route.path,
            _with_faults(route.endpoint, platform, plan),
            methods=list(route.methods or ()),
        )
        for route in routes
    ]


def _with_faults(view: View, platform: Platform, plan: FaultPlan) -> View:
    async def answer(request: Request) -> Response:
        fault = plan.choose(request.url.path)
        delay_ms = plan.faults.latency_ms + (fault.latency_ms if fault else 0)
        if delay_ms:
            await asyncio.sleep(delay_ms / 1000)
        return (
            await _faulty_answer(view, request, fault, platform) if fault else await view(request)
        )

    return answer


async def _faulty_answer(
    view: View, request: Request, fault: Fault, platform: Platform
) -> Response:
    if fault.kind is FaultKind.RESET:
        return await _reset(request)
    request.state.fault = fault
    root = request.scope.get("root_path", "")
    return refusal(fault, platform, root) or spoilt(fault, await view(request))


async def _reset(request: Request) -> Response:
    """Reset the connection if the server can; otherwise raise for the test transport."""
    abort = request.scope.get("extensions", {}).get(ABORT)
    if abort is None:
        raise ConnectionResetError("the simulator reset the connection")
    abort()
    while (await request.receive())["type"] != "http.disconnect":
        pass
    return Response()
