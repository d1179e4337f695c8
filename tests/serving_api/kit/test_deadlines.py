"""Publication queries end at their deadline, each on its own cursor, which remains usable."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest

from serving_api.kit.deadlines import Deadlines
from serving_api.resources.tracking.accounts import endpoints
from tests.factories.machine_clock import StoppedClock
from tests.factories.marts import History
from tests.fixtures.api import NOW, Api, Tenant, publish_history, running_api
from warehouse.reading.accounts import account_history

SLOW = "select sum(one.range * other.range) from range(10_000_000) one, range(10_000_000) other"
"""Takes days."""


@pytest.fixture
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as database:
        yield database


def until_done(late: Deadlines, query: Future[Any]) -> None:
    """Interrupt until the query has ended: the thread may not have started it the first time."""
    while not query.done():
        late.interrupt_late()


def test_only_the_late_query_is_interrupted(database: duckdb.DuckDBPyConnection) -> None:
    clock = StoppedClock()
    late = Deadlines(20.0, clock)
    with database.cursor() as old, database.cursor() as new, ThreadPoolExecutor(2) as pool:
        with late.over(old):
            clock.now += 19.0
            with late.over(new):
                slow = pool.submit(lambda: old.execute(SLOW).fetchall())
                late.interrupt_late()
                assert not slow.done()
                clock.now += 1.0
                other = pool.submit(lambda: new.execute("select sum(range) from range(30_000_000)"))
                until_done(late, slow)
                with pytest.raises(duckdb.InterruptException):
                    slow.result()
                assert other.result().fetchall() == [(449_999_985_000_000,)]
                late.interrupt_late()
                assert old.execute("select 1").fetchall() == [(1,)]
        late.interrupt_late()
        assert old.execute("select 1").fetchall() == [(1,)]


def test_a_request_past_its_deadline_is_503_and_the_next_one_is_answered(
    api: Api, tenant: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, calls = StoppedClock(), list[int]()
    monkeypatch.setattr("serving_api.kit.published.Deadlines", lambda: Deadlines(20.0, clock))
    monkeypatch.setattr("serving_api.kit.deadlines.EVERY_SECONDS", 0.01)

    def slow_at_first(cursor: duckdb.DuckDBPyConnection, *rest: Any, **named: Any) -> Any:
        calls.append(len(calls))
        if len(calls) == 1:
            clock.now += 20.0
            cursor.execute(SLOW).fetchall()
        return account_history(cursor, *rest, **named)

    monkeypatch.setattr(f"{endpoints.__name__}.account_history", slow_at_first)
    settings = api.settings.model_copy(update={"home": tmp_path})
    path = f"/accounts/{tenant.creator()['accounts'][0]['id']}/stats"
    publish_history(settings, History([], [], as_of=NOW, organization=tenant.organization_id))
    with running_api(settings, api.store) as served, served.client(tenant.made.api_key) as client:
        meta = client.refusal("GET", path, "unavailable")
        assert meta == {"code": "unavailable", "retryAfter": 2}
        assert client.data("GET", path) == []
    assert calls == [0, 1]
