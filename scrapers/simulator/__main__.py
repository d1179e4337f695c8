"""`python -m scrapers.simulator`: serves the simulated platforms until interrupted."""

from typing import Annotated

import typer

from scrapers.simulator.server import serve
from scrapers.simulator.world import World


def main(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)] = 9000,
    seed: Annotated[int, typer.Option(help="Seed of the simulated world.")] = 1,
    creators: Annotated[int, typer.Option(help="Accounts on each platform.", min=1)] = 2000,
    fraud: Annotated[
        float, typer.Option(help="Share of posts with fraud, 0 to 1.", min=0, max=1)
    ] = 0,
) -> None:
    """Serve simulated TikTok, Instagram and its official API: /tiktok, /instagram and /graph.

    The world follows the system clock. PUT /_simulator/clock {"now": "2026-09-10T12:00:00Z"} sets
    it, PUT /_simulator/faults breaks things.
    """
    serve(host, port, World(seed, creators, fraud=fraud))


if __name__ == "__main__":
    typer.run(main)
