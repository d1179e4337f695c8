"""A conversion a minute: what a day of them publishes and keeps, by a clock of the test's own."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from dagster import DagsterEvent, DagsterInstance
from sqlalchemy import select, text

from orchestration.defs import sensors
from orchestration.running.pace import LISTED_SECONDS
from tests.doses import dose
from tests.factories.marts import FEW, create_marts
from tests.fixtures.api import NOW, Tenant
from tests.orchestration.test_sensors import OF_MAIN, Daemon, build_job
from warehouse.operational.models import UnpublishedChange
from warehouse.operational.unpublished import forget, waiting_changes
from warehouse.publication.publish import publish
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

MINUTES = dose(2 * 60, 24 * 60)


class Day:
    """An installation that shows all, and the time that the test sets."""

    def __init__(self, tenant: Tenant, settings: Settings, marts: duckdb.DuckDBPyConnection):
        self.tenant, self.settings, self._marts = tenant, settings, marts
        self.now = NOW
        self.written: list[int] = []
        self.kept: list[int] = []

    def roll_up(self, instance: DagsterInstance) -> None:
        """Make a run of `rollup` now that publishes all that was recorded."""
        run = instance.create_run_for_job(build_job("rollup"), tags=OF_MAIN)
        event = DagsterEvent(event_type_value="PIPELINE_SUCCESS", job_name="rollup")
        instance.report_dagster_event(event, run.run_id)
        began(instance, run.run_id, self.now)
        before = bytes_of(self.settings.publications_path)
        made = publish(self.settings, self._marts, as_of=self.now, real_clock=lambda: self.now)
        self.written.append(sum(bytes_of(made.path.parent).values()))
        after = bytes_of(self.settings.publications_path)
        self.kept.append(sum((before | after).values()))
        with self.tenant.api.store.write_session() as session:
            forget(session, session.scalars(select(UnpublishedChange.id)).all(), None)

    def oldest_wait(self, since: datetime | None) -> datetime | None:
        """Since when something has waited to be published."""
        with self.tenant.api.store.read_session() as session:
            waits = waiting_changes(session, None) is not None
        return (since or self.now) if waits else None


def began(instance: DagsterInstance, run_id: str, at: datetime) -> None:
    with instance.run_storage.connect() as connection:  # type: ignore[attr-defined]
        connection.execute(
            text("update runs set create_timestamp = :at where run_id = :run_id"),
            {"at": at.strftime("%Y-%m-%d %H:%M:%S.%f"), "run_id": run_id},
        )


def bytes_of(folder: Path) -> dict[int, int]:
    """The size of each file below a folder, once where several names lead to it."""
    if not folder.exists():
        return {}
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return {path.stat().st_ino: path.stat().st_size for path in files}


@pytest.fixture
def day(tenant: Tenant, tmp_path: Path) -> Iterator[Day]:
    with duckdb.connect(tmp_path / "warehouse.duckdb", config={"threads": 1}) as marts:
        create_marts(marts, FEW)
        settings = Settings(home=tmp_path / "home")
        yield Day(tenant, settings, marts)


def test_a_conversion_a_minute_makes_a_tenth_of_the_publications(
    day: Day, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is listed at once, and in the published sums within a quarter of an hour."""
    tenant, store = day.tenant, day.tenant.api.store
    creator, event = tenant.creator(), tenant.conversion_event()
    monkeypatch.setattr(sensors, "system_clock", lambda: day.now)
    waits_since: datetime | None = None
    longest = timedelta()
    with DagsterInstance.ephemeral() as instance:
        day.roll_up(instance)
        look = Daemon(day.settings, store, instance).watch("changed_decisions")
        recorded: list[Any] = []
        for _ in range(MINUTES):
            day.now += timedelta(minutes=1)
            recorded.append(tenant.conversion(event, creator_id=creator["id"])["id"])
            assert recorded[-1] in listed(tenant, 1)
            waits_since = day.oldest_wait(waits_since)
            if look() is not None:
                longest = max(longest, day.now - (waits_since or day.now))
                day.roll_up(instance)
                waits_since = None
    publications = len(day.written)
    assert publications * 10 <= MINUTES
    assert sum(day.written) * 10 <= day.written[-1] * MINUTES
    assert max(day.kept) * 10 <= day.written[-1] * MINUTES
    assert longest < timedelta(seconds=LISTED_SECONDS)


def listed(tenant: Tenant, limit: int) -> set[Any]:
    """The conversions that a program sees, the latest so many."""
    path = f"/projects/{tenant.project_id}/conversions"
    rows = tenant.client.data("GET", path, params={"limit": limit})
    return {row["id"] for row in rows}
