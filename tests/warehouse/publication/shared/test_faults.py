"""A node during outages: it keeps serving its publication and reports what is missing."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import text

from tests.fixtures.api import Api, running_api
from tests.fixtures.faulty_bucket import Request, once
from tests.fixtures.processes import Worker, serving
from tests.warehouse.operational.processes import wait_until
from tests.warehouse.publication.shared.test_fetching import (
    change_shards,
    fetch_publication,
    node,
    views,
)
from tests.warehouse.publication.shared.world import Builder
from warehouse.operational.store import operational_store
from warehouse.publication.shared.following import following
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

__all__ = ["node"]

TEN_MINUTES = timedelta(minutes=10)


def test_while_an_object_is_slow_the_last_one_is_served(builder: Builder, node: Settings) -> None:
    builder.publish_and_share()
    fetch_publication(builder, node)
    builder.publish_and_share()
    is_asked, may_come = Event(), Event()

    def slow(request: Request) -> None:
        if "/publications/objects/" in request.path:
            is_asked.set()
            assert may_come.wait(60)

    builder.proxy.fault = slow
    with ThreadPoolExecutor(1) as pool:
        taking = pool.submit(fetch_publication, builder, node)
        assert is_asked.wait(60)
        assert views(node) == 701
        may_come.set()
        assert taking.result()
    assert views(node) == 702


@pytest.mark.parametrize("kind", ["GET /manifests/", "GET /objects/"])
@pytest.mark.parametrize("fault", ["503", "429", "cut"])
def test_a_throttling_bucket_is_retried(
    builder: Builder, node: Settings, kind: str, fault: str
) -> None:
    builder.publish_and_share()
    builder.proxy.fault = once(kind, fault)
    assert fetch_publication(builder, node)
    assert views(node) == 701


@contextmanager
def served(settings: Settings) -> Iterator[Api]:
    """Yield the API of a node that follows publications."""
    with (
        operational_store(settings) as store,
        following(settings),
        running_api(settings, store) as api,
    ):
        wait_until((settings.publications_path / "current.duckdb").exists)
        yield api


def ready(api: Api | Worker) -> Any:
    return httpx.get(f"{api.base_url}/readyz", trust_env=False, timeout=30).json()


def by_way_of(settings: Settings, door: Path) -> Settings:
    """Return settings that reach PostgreSQL through a symlink, which can be removed."""
    url = httpx.URL(settings.database_url.get_secret_value())
    door.symlink_to(url.params["host"])
    through = url.copy_set_param("host", str(door))
    return settings.model_copy(update={"database_url": SecretStr(str(through))})


def close(door: Path, builder: Builder) -> None:
    """Refuse new connections and terminate existing ones."""
    door.rename(door.with_name("closed"))
    end = (
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tracker'"
        " and datname = current_database() and pid <> pg_backend_pid()"
    )
    with builder.store.write_session() as session:
        session.execute(text(end))


def test_without_postgresql_a_node_serves_its_publication_and_reports_it(
    builder: Builder, node: Settings, tmp_path: Path
) -> None:
    info = builder.publish_and_share()
    door = tmp_path / "door"
    with served(by_way_of(node, door)) as api:
        assert ready(api)["status"] == "ready"
        close(door, builder)
        health = ready(api)
        assert (health["status"], health["postgresql"]) == ("not ready", "unreachable")
        assert health["publication"] == "ok"
        assert health["publication_id"] == str(info.publication_id)
        later = builder.publish_and_share()
        door.with_name("closed").rename(door)
        wait_until(lambda: ready(api).get("publication_id") == str(later.publication_id))
        assert ready(api)["status"] == "ready"


def test_a_builder_s_clock_changes_neither_order_nor_age(builder: Builder, node: Settings) -> None:
    """The clock is ten minutes ahead, then ten behind: the later publication is the latest."""
    builder.share(builder.publish(TEN_MINUTES))
    with served(node) as api:
        assert 0 <= ready(api)["publication_age_seconds"] < TEN_MINUTES.seconds / 2
        later = builder.publish(-TEN_MINUTES)
        builder.share(later)
        wait_until(lambda: ready(api)["publication_id"] == str(later.publication_id))
        assert ready(api)["publication_age_seconds"] < TEN_MINUTES.seconds / 2
    assert views(node) == 702


@pytest.mark.soak
def test_a_node_s_process_serves_one_shard_and_names_the_damaged_one_before_it(
    builder: Builder, node: Settings
) -> None:
    """The node runs in a separate process, like `tracker serve`."""
    change_shards(builder, "insert into shards (name) values ('main'), ('west')")
    west = replace(builder, settings=builder.settings.of_shard("west"))
    builder.publish_and_share()
    builder.bucket.delete(builder.whole().files["publication.duckdb"].object)
    second = west.publish_and_share().publication_id
    with serving(None, [node]) as [worker]:
        wait_until(lambda: ready(worker).get("publication_id") == str(second))
        wait_until(lambda: "is not in the bucket" in ready(worker)["not_taken"]["main"])
        third = builder.publish_and_share().publication_id
        served = {"main": str(third), "west": str(second)}
        wait_until(lambda: ready(worker).get("shards") == served)
