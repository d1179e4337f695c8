"""`tracker simulate`: the platform simulator on loopback."""

from datetime import datetime
from typing import Annotated

import typer

from orchestration.cli.instants import instant_of
from orchestration.cli.output import say
from orchestration.cli.ports import require_free
from warehouse.clock import system_clock
from warehouse.platforms import PLATFORMS


def simulate(
    *,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="TCP port.", min=1, max=65535)] = 9000,
    seed: Annotated[int, typer.Option(help="Seed of the simulated world.")] = 1,
    creators: Annotated[int, typer.Option(help="Number of creators.", min=1)] = 2000,
    fraud: Annotated[
        float, typer.Option(help="Share of posts with fraud, 0 to 1.", min=0, max=1)
    ] = 0,
    now: Annotated[
        str | None,
        typer.Option(help="Simulated time, ISO 8601 with offset; default: the system clock."),
    ] = None,
) -> None:
    """Serve simulated platforms, whose numbers follow from the seed and the clock.

    `tracker up --simulate` starts one of its own.

    Example: `tracker simulate --port 9000 --seed 7`, then run `tracker run` with
    `TRACKER_TIKTOK_BASE_URL=http://127.0.0.1:9000/tiktok` and
    `TRACKER_INSTAGRAM_BASE_URL=http://127.0.0.1:9000/instagram`
    """
    instant = None if now is None else instant_of("--now", now)
    require_free(host, port)
    from scrapers.simulator import World, serve  # noqa: PLC0415  not loaded for --help

    origin = f"http://{host}:{port}"
    say(f"Simulating: {' and '.join(sites_at(origin).values())}; control at {origin}/_simulator")
    say(f"OAuth for creators: {origin}/tiktok-login and {origin}/instagram-login")
    say(f"Handles to track on both, such as {some_handles(seed, creators, instant)}")
    serve(host, port, World(seed, creators, fraud=fraud), now=instant)


def sites_at(origin: str) -> dict[str, str]:
    """Return the settings with which commands read a simulator, and their values."""
    return {f"TRACKER_{name.upper()}_BASE_URL": f"{origin}/{name}" for name in PLATFORMS}


def some_handles(seed: int = 1, creators: int = 5, at: datetime | None = None) -> str:
    """Return handles of a world's first creators, who post and hide nothing."""
    from scrapers.simulator import World  # noqa: PLC0415  as above

    handles = World(seed, min(creators, 5)).handles(PLATFORMS[0], at=at or system_clock())
    return f"@{', @'.join(handles)}"
