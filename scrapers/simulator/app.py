"""The simulator as one ASGI application: sites with faults, and control routes.

Every site has its own path prefix and responds as the real host does at its root. Control routes
and pictures have no faults.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from scrapers.simulator.clock import Clock, SettableClock, system_clock
from scrapers.simulator.control import Control
from scrapers.simulator.faults import Fault, FaultKind, FaultPlan, Faults
from scrapers.simulator.instagram import InstagramSite
from scrapers.simulator.instagram_login import InstagramLoginSite
from scrapers.simulator.pictures import picture_routes
from scrapers.simulator.records import Platform
from scrapers.simulator.refusals import refusal, spoilt
from scrapers.simulator.tiktok import TikTokSite
from scrapers.simulator.tiktok_login import TikTokLoginSite
from scrapers.simulator.world import World

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
