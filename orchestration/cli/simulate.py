"""`tracker simulate`: the platform simulator on loopback."""

import os
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer
from sqlalchemy import select

from orchestration.cli.instants import instant_of
from orchestration.cli.output import CommandFailed, say
from orchestration.cli.ports import LOOPBACK, require_free
from warehouse.clock import system_clock
from warehouse.operational.models import Account, Video
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

DEMO = "this-is-a-demo"
"""File in the folder of a demo."""
ONLY_WEB = {
    **{f"TRACKER_{name.upper()}_PROVIDER": "web" for name in PLATFORMS},
    **{f"TRACKER_{name.upper()}_PROVIDERS": "" for name in PLATFORMS},
}
"""Variables without which a configured provider would be asked, and paid, for made-up creators."""


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

    `tracker up --simulate` starts one of its own. `GET /_simulator/creators?platform=tiktok` lists
    handles. `PUT /_simulator/clock` sets its time (`{"now": "2026-09-10T12:00:00Z"}`).

    Example: `tracker simulate --port 9000 --seed 7`, then run `tracker run` with
    `TRACKER_TIKTOK_BASE_URL=http://127.0.0.1:9000/tiktok` and
    `TRACKER_INSTAGRAM_BASE_URL=http://127.0.0.1:9000/instagram`
    """
    instant = None if now is None else instant_of("--now", now)
    require_free(host, port)
    from scrapers.simulator import World, serve  # noqa: PLC0415  not loaded for --help

    origin = f"http://{host}:{port}"
    say(f"Simulating: {' and '.join(sites_at(origin).values())}")
    say(f"OAuth for creators: {origin}/tiktok-login and {origin}/instagram-login")
    say(f"Handles to track on both, such as {some_handles(seed, creators, instant)}")
    serve(host, port, World(seed, creators, fraud=fraud), now=instant)


def sites_at(origin: str) -> dict[str, str]:
    """Return the settings with which commands read a simulator, and their values."""
    return {f"TRACKER_{name.upper()}_BASE_URL": f"{origin}/{name}" for name in PLATFORMS}


def only_simulated(origin: str) -> dict[str, str]:
    """Return variables with which a process reads a simulator alone, at once, with its pictures."""
    excluded = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
    return {
        **sites_at(origin),
        **ONLY_WEB,
        "TRACKER_SCRAPE_REQUESTS_PER_SECOND": "1000",
        "TRACKER_COMMENT_REQUESTS_PER_SECOND": "1000",
        "TRACKER_PICTURES_FROM_LOOPBACK": "true",
        "no_proxy": f"{excluded},{LOOPBACK}" if excluded else LOOPBACK,
    }


def refuse_demo(settings: Settings) -> None:
    """Raise CommandFailed if made-up creators of a demo would be requested at real platforms."""
    names = {f"{name}_base_url" for name in PLATFORMS}
    if (settings.home_path / DEMO).exists() and not names <= settings.model_fields_set:
        raise CommandFailed(
            f"{settings.home_path} is a demo, whose creators no platform has.",
            "Set TRACKER_HOME to a folder of your own and run `tracker init`. `tracker run"
            " --no-scrape` and `tracker serve` work in a demo.",
            exit_code=2,
        )


def require_made_up(store: OperationalStore) -> None:
    """Raise CommandFailed if an account or post is tracked that the simulator does not have.

    It would answer that they are gone, which history keeps for ever.
    """
    if (real := next(_real(store), None)) is not None:
        raise CommandFailed(
            f"This installation tracks {real}, which the simulator would report as gone.",
            "Simulate with a database of its own: set TRACKER_HOME to a new folder, unset "
            "TRACKER_DATABASE_URL, and run `tracker init`.",
        )


def _real(store: OperationalStore) -> "Iterator[str]":
    from scrapers.simulator import World  # noqa: PLC0415  as above

    world, now = World(), system_clock()
    accounts = select(Account.handle).where(Account.is_active).distinct()
    posts = select(Video.platform, Video.platform_video_id, Video.url).where(
        Video.account_id.is_(None), Video.tracking_status != "excluded"
    )
    with store.read_session() as session:
        yield from (f"@{name}" for name in session.scalars(accounts) if not world.has_handle(name))
        for platform, number, url in session.execute(posts):
            if world.find_post(platform, number, now) is None:
                yield url


def some_handles(seed: int = 1, creators: int = 5, at: datetime | None = None) -> str:
    """Return handles of a world's first creators, who post and hide nothing."""
    from scrapers.simulator import World  # noqa: PLC0415  as above

    handles = World(seed, min(creators, 5)).handles(PLATFORMS[0], at=at or system_clock())
    return f"@{', @'.join(handles)}"
