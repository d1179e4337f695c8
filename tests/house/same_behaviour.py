"""Writes what others see of the service into a folder, to compare before and after a refactoring.

    SNAPSHOT=/tmp/before pytest -n 0 tests/house/same_behaviour.py    # at the commit before
    SNAPSHOT=/tmp/after pytest -n 0 tests/house/same_behaviour.py
    diff -r /tmp/before /tmp/after

Ids that differ between runs (UUID version 7) are numbered. `make test` does not collect it.
"""

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from orchestration.building import manifests
from serving_api.resources.analytics.exports.endpoints import DATASETS
from tests.dbt_project.harness import Harness
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.stories import as_copied
from tests.dbt_project.test_growth import pay
from tests.dbt_project.test_same_bytes import marts_of
from tests.factories import marts
from tests.fixtures.agents import EVERY, agent_with
from tests.fixtures.analytics import Published
from tests.fixtures.receiver import Receiver
from tests.warehouse.webhooks.conftest import Hooks, hooks
from tests.warehouse.webhooks.published import Accrual, State
from tests.warehouse.webhooks.test_comparing import FIRST, World
from warehouse.catalogue.models import relation_of
from warehouse.operational.server_programs import find_binaries
from warehouse.publication.described import descriptions
from warehouse.settings import Settings

__all__ = ["hooks"]

RANDOM_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
DAYS = {"from": "2026-05-01", "to": "2026-05-19"}
PUBLISHED_AT = {"published_at": "some time"}

Write = Callable[[str, Any], None]


@pytest.fixture
def write() -> Write:
    """Write content into a file of the snapshot."""
    folder = Path(os.environ["SNAPSHOT"])
    folder.mkdir(parents=True, exist_ok=True)
    return lambda name, content: (folder / name).write_bytes(as_text(content).encode()) and None


def as_text(content: Any) -> str:
    """Return text, or anything else as JSON, with random ids numbered as they come."""
    numbers: dict[str, str] = {}
    is_text = isinstance(content, str)
    text = content if is_text else json.dumps(content, indent=1, ensure_ascii=False, default=str)
    return RANDOM_ID.sub(lambda id_: numbers.setdefault(id_[0], f"id-{len(numbers)}"), text) + "\n"


def test_openapi_document(published: Published, write: Write) -> None:
    write("openapi.json", published.tenant.api.document)


def test_mcp_tools(published: Published, write: Write) -> None:
    tenant = published.tenant
    with agent_with(tenant, path=EVERY) as agent:
        write("mcp_tools.json", agent.result("tools/list"))


def test_csv_files(published: Published, write: Write) -> None:
    campaign = {"campaign_id": str(marts.CAMPAIGN)}
    files = {
        "/exports/analytics": published.asked(DAYS),
        "/analytics": published.asked({"format": "csv", **DAYS}),
        **{
            f"/exports/{name}": campaign if name.startswith("campaign-") else {}
            for name in DATASETS
        },
    }
    write("csv.json", {path: _lines(published, path, params) for path, params in files.items()})


def _lines(published: Published, path: str, params: Mapping[str, Any]) -> list[str]:
    response = published.client.get(path, params=params)
    return [str(response.status_code), *response.text.splitlines()]


def test_schema_of_a_migrated_database(settings: Settings, write: Write) -> None:
    program = find_binaries() / "pg_dump"
    url = cast("str", settings.database_url and settings.database_url.get_secret_value())
    command = [program, "--schema-only", "--no-owner", url]
    dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    write("schema.sql", re.sub(r"(?m)^.*(restrict|Dumped).*\n", "", dump))


def test_marts_of_a_world(tmp_path: Path, write: Write) -> None:
    harness = built(tmp_path / "world")
    with harness.connect() as connection:
        relations = {name: relation_of(name) for name in marts_of(harness)}
        columns = {
            name: connection.execute(f"describe {relation}").fetchall()
            for name, relation in relations.items()
        }
    write("marts.json", {name: [row[:2] for row in rows] for name, rows in columns.items()})
    rows = {name: harness.rows(name) for name in relations if name != "run"}
    write(
        "rows.json",
        {name: [len(mart_rows), _digest(mart_rows)] for name, mart_rows in rows.items()},
    )


def built(folder: Path) -> Harness:
    """Build a first run, one that continues it, and one after an unpublished one."""
    folder.mkdir()
    harness = Harness(folder)
    for number, step in enumerate(PayoutHistory(8, organizations=5, runs=2).steps()):
        if number:
            pay(harness, step)
        for batch in step.batches:
            harness.ingest(**batch)
        harness.decide(**as_copied(step.operational))
        harness.run(as_of=step.as_of)
        if number:
            harness.decide(payout_assignments=[], campaign_items=[])
            harness.build(harness.begin(as_of=step.as_of), "+creator_daily", "+payout_earned")
            harness.decide(**as_copied(step.operational))
            harness.run(as_of=step.as_of, from_day=date(2026, 1, 10))
    return harness


def _digest(rows: Any) -> str:
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def test_descriptions(write: Write) -> None:
    write("descriptions.json", descriptions())
    models = {
        name: [node["description"], node.get("columns"), node["config"]]
        for name, node in manifests.manifest_json()["nodes"].items()
    }
    write("dbt.json", models)


def test_webhooks(hooks: Hooks, settings: Settings, receiver: Receiver, write: Write) -> None:
    world = World(hooks, settings, receiver)
    world.brings(State())
    world.brings(
        State(
            accruals={"a": Accrual("final", 100), "b": Accrual("paid", 7, adjusts="a")},
            goals={"g": "completed"},
            stale={"s": FIRST},
            comments={"c": date(2026, 5, 20)},
            refused={"tiktok": FIRST - timedelta(days=1)},
        )
    )
    events = [
        {"type": event.type, "entity": event.entity_type, "data": event.data | PUBLISHED_AT}
        for event in world.events()
    ]
    write("webhooks.json", events)
