"""A process that asks a host again and again: run by `test_paces`.

Arguments: settings as JSON, a host's URL, requests in a second. It asks once, says so, and waits
for the number of requests that it is then to make.
"""

import asyncio
import json
import sys

from orchestration.resources.paces import SharedKeeper
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Pace
from warehouse.settings import Settings


async def ask(settings: Settings, base_url: str, rate: float) -> None:
    """Ask as often as standard input says."""
    keeper = SharedKeeper(settings)
    client = HttpClient(base_url=base_url, pace=Pace(4, rate, keeper=keeper), headers={})
    await client.get("/ready")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for _ in range(int(sys.stdin.readline())):
        await client.get("/page")
    await client.aclose()
    await keeper.aclose()


if __name__ == "__main__":
    given, url, per_second = sys.argv[1:]
    asyncio.run(ask(Settings(**json.loads(given), _env_file=None), url, float(per_second)))
