"""`tracker init` announces its changes to an existing schema, and makes them."""

from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import text

from tests.factories.tracking import add_organization
from tests.orchestration.commands import environment, tracker_here
from warehouse.operational.migrations import (
    BEFORE_BASELINE,
    configuration,
    is_current,
    known_revisions,
)
from warehouse.operational.store import OperationalStore

LATEST = max(known_revisions())


@pytest.fixture
def env(tmp_path: Path, empty: OperationalStore) -> dict[str, str]:
    return environment(tmp_path, empty.dsn)


def init_lines(env: dict[str, str]) -> list[str]:
    ended = tracker_here("init", env=env)
    assert ended.returncode == 0
    return ended.stderr.splitlines()


def test_an_older_schema_is_upgraded_with_a_list_of_changes(
    env: dict[str, str], empty: OperationalStore
) -> None:
    with empty.engine.begin() as connection:
        command.upgrade(configuration(connection), "0059")
    lines = init_lines(env)
    assert is_current(empty)
    assert lines[0] == f"Schema: {int(LATEST) - 59} changes to apply."
    assert lines[1].startswith("  0060  ")
    assert lines[int(LATEST) - 59].startswith(f"  {LATEST}  ")
    assert init_lines(env)[0] == "Schema: up to date."


def test_a_newer_schema_stays_and_is_reported(env: dict[str, str], empty: OperationalStore) -> None:
    init_lines(env)
    with empty.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    ended = tracker_here("init", env=env)
    assert ended.returncode == 1
    assert "9999, made by a later version" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_schema_older_than_the_baseline_stays_and_needs_its_release(
    env: dict[str, str], empty: OperationalStore
) -> None:
    init_lines(env)
    with empty.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '0033'"))
    ended = tracker_here("init", env=env)
    assert ended.returncode == 1
    assert "0033, from before 2.0.0" in ended.stderr
    assert f"`git checkout {BEFORE_BASELINE}`" in " ".join(ended.stderr.split())
    with empty.engine.connect() as connection:
        assert connection.scalar(text("select version_num from alembic_version")) == "0033"


def test_a_new_database_is_created_without_listing_its_migrations(
    env: dict[str, str], empty: OperationalStore
) -> None:
    [ready] = init_lines(env)
    assert ready.endswith("Next: `tracker org create --name NAME`.")
    add_organization(empty, "Acme")
    assert init_lines(env)[-1].endswith("Next: start the service.")
