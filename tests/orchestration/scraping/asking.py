"""A process that requests a host again and again, for `test_paces`.

Arguments: settings as JSON, a host's URL, requests per second. It sends one request, reports that,
and waits for the number of further requests.
"""

import asyncio
import json
import sys

from orchestration.resources.paces import SharedKeeper
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Pace
from warehouse.settings import Settings


async def ask(settings: Settings, base_url: str, rate: float) -> None:
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
    settings_json, url, per_second = sys.argv[1:]
    asyncio.run(ask(Settings(**json.loads(settings_json), _env_file=None), url, float(per_second)))
