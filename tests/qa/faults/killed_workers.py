"""A program whose workers run `tracker scrape`, each in a process that is killed on request.

Arguments: a file, and TikTok's URL. Each line is a JSON command: {"now": instant, "lives": [n,
...]} lets that many workers fetch concurrently. Each is killed (SIGKILL) before its n-th
request, counted from 0, unless that is null; the answer is the number of kills. The file gets a
line for each request. Slow imports happen once, before the first fork.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from pathlib import Path

import httpx
import pytest

from orchestration.resources.providers import open_provider
from orchestration.running.progress import silent
from orchestration.scraping import claimed_fetches
from orchestration.scraping.worker import Scope, fetch_platform
from tests.qa.faults.killed_passes import forked_beside
from tests.qa.faults.programs import answers_apart
from warehouse.operational.store import operational_store
from warehouse.settings import Settings

CLAIMED_AT_A_TIME = 2
"""Leaves some for each worker in a small installation."""
Send = Callable[[httpx.AsyncHTTPTransport, httpx.Request], Awaitable[httpx.Response]]


def mortal(send: Send, log: Path, life: int | None) -> Send:
    """Send and log requests, but kill the process before the one after `life`."""
    sent = 0

    async def forward(
        transport: httpx.AsyncHTTPTransport, request: httpx.Request
    ) -> httpx.Response:
        nonlocal sent
        if sent == life:
            os.kill(os.getpid(), signal.SIGKILL)
        sent += 1
        address = (request.url.path, *map(request.url.params.get, ("secUid", "cursor")))
        with log.open("a", encoding="utf-8") as lines:
            lines.write(f"{address}\n")
        return await send(transport, request)

    return forward


def work(settings: Settings, log: Path, life: int | None) -> None:
    """Fetch what is due, as `tracker scrape` does."""
    patch = pytest.MonkeyPatch()
    send = mortal(httpx.AsyncHTTPTransport.handle_async_request, log, life)
    patch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", send)
    patch.setattr(claimed_fetches, "CLAIMED_AT_A_TIME", CLAIMED_AT_A_TIME)
    with operational_store(settings) as store:
        asyncio.run(fetch_platform(settings, store, "tiktok", open_provider, silent, Scope.DUE))


def main(log: str, tiktok_url: str) -> None:
    answers = answers_apart()
    faced = {"tiktok_base_url": tiktok_url, "scrape_requests_per_second": 10_000.0}
    settings = Settings(_env_file=None, scrape_patience_seconds=0).model_copy(update=faced)
    for line in sys.stdin:
        order = json.loads(line)
        now = settings.at(datetime.fromisoformat(order["now"]))
        ended = forked_beside([partial(work, now, Path(log), life) for life in order["lives"]])
        if not set(ended) <= {0, -signal.SIGKILL}:
            sys.exit(f"exit codes {ended}")
        answers.write(json.dumps(ended.count(-signal.SIGKILL)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
