"""The simulator's own routes under /_simulator: its clock, its faults, and the truth.

`GET/PUT clock` {"now": ISO time, null for the system clock} · `GET/PUT faults` (`Faults`) ·
`GET faults/met` (how many requests each rule has matched) ·
`GET creators?platform=&limit=&kind=` · `GET truth/{platform}/{handle}` ·
`GET comments/{platform}/{post id}`.
"""

from dataclasses import asdict
from datetime import datetime
from itertools import islice
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scrapers.simulator.answers import json_answer
from scrapers.simulator.clock import SettableClock
from scrapers.simulator.faults import FaultPlan, Faults
from scrapers.simulator.identifiers import parse_id
from scrapers.simulator.records import Kind, Platform
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
