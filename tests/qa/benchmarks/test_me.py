"""`GET /me` beside an empty FastAPI endpoint: key, allowances, session, envelope and log included.

Both are served by processes of their own and asked in turn over one connection each. What counts
is the quickest twentieth of each, because whatever else the machine does only adds.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from orchestration.cli.ports import free_port
from tests.fixtures.api import Api, new_tenant
from tests.fixtures.processes import wait_until_answered, workers
from tests.qa.benchmarks.requests import Asked

ROUNDS = 1500
AT_MOST = 5

EMPTY = """
import sys
import uvicorn
from fastapi import FastAPI
app = FastAPI()
@app.get("/healthz")
def nothing() -> dict[str, str]:
    return {}
uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)
"""


@contextmanager
def empty_endpoint() -> Iterator[str]:
    port = free_port()
    with subprocess.Popen([sys.executable, "-c", EMPTY, str(port)]) as process:
        base_url = f"http://127.0.0.1:{port}"
        try:
            wait_until_answered(base_url, process)
            yield base_url
        finally:
            process.kill()


def test_me_costs_little_more_than_nothing(
    api: Api, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.fixtures.processes.REQUESTS_PER_MINUTE", 10 * ROUNDS)
    with (
        new_tenant(api) as tenant,
        workers(api, 1, api_rate_limits=True) as (worker,),
        empty_endpoint() as base_url,
        closing(Asked(base_url, "/healthz")) as empty,
        closing(Asked(worker.base_url, "/api/v2/me", tenant.made.api_key)) as me,
    ):
        for _ in range(ROUNDS):
            empty.ask()
            me.ask()
    ratio = me.quickest / empty.quickest
    with capsys.disabled():
        print(  # noqa: T201 - what a benchmark is run for
            f"\nGET /me {me.quickest * 1e6:.0f} us, empty endpoint {empty.quickest * 1e6:.0f} us:"
            f" {ratio:.1f} x (at most {AT_MOST})"
        )
    assert ratio <= AT_MOST
