"""Shards that are built concurrently while an organization moves, compared with one build.

In `make soak` four workers are killed (SIGKILL) over a week at any operation. Nothing is lost or
doubled, a killed worker needs one pipeline run, and every organization's last publication is served
throughout.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.doses import SEED, dose
from tests.factories.history import roll_up
from tests.factories.tracking import add_account, add_organization
from tests.fixtures.operational import FreshDatabase
from tests.qa.faults import truth
from tests.qa.faults.installation import Installation, installed
from tests.qa.faults.landings import HANDLES
from tests.qa.faults.programs import ask, last_answer, program
from warehouse.connection import open_warehouse
from warehouse.operational.store import OperationalStore
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.shards.assigning import add_shard, carry_out, planned_move, remove_shard
from warehouse.shards.weighing import shard_statuses

pytestmark = pytest.mark.slow

KILLS = 12
"""Each costs two workers' runs."""
OTHERS = ["east", "north", "west"][: dose(small=1, full=3)]
Rows = Counter[tuple[Any, ...]]
RAW = ("video_snapshots", "account_snapshots", "scrape_outcomes")


def add_tenants(store: OperationalStore) -> list[UUID]:
    """Add organizations with the same handles: one in each other shard, and one that will move."""
    made = []
    for name in [*OTHERS, "moving"]:
        organization = add_organization(store, name)
        for handle in HANDLES:
            add_account(store, organization, handle)
        made.append(organization.organization_id)
    return made


def move(store: OperationalStore, organizations: Iterable[UUID], shard: str) -> None:
    with store.write_session() as session:
        carry_out(session, [planned_move(session, each, shard) for each in organizations])


def rows_of_shards(settings: Settings, shards: Sequence[str]) -> dict[str, Rows]:
    """The rows of all shards together: raw readings and published marts."""
    together: dict[str, Rows] = {}
    for shard in shards:
        own = settings.of_shard(shard)
        bags = truth.published_marts(own, truth.MARTS)
        with open_warehouse(own) as connection:
            bags |= {table: truth.bag(truth.rows_of(connection, f"raw.{table}")) for table in RAW}
        for table, rows in bags.items():
            together[table] = together.get(table, Counter()) + rows
    return together


def assert_none_is_behind(installation: Installation) -> None:
    with installation.store.read_session() as session:
        shard_states = shard_statuses(installation.settings, session)
    now = installation.now()
    states = {
        each.shard: (each.behind, each.arriving, each.as_of, each.builder) for each in shard_states
    }
    assert states == dict.fromkeys([*OTHERS, MAIN_SHARD], (0, 0, now, None))


def in_shards(store: OperationalStore) -> tuple[list[UUID], UUID]:
    """Add the shards with an organization in each; return these, and the one that will move."""
    *apart, moving = add_tenants(store)
    with store.write_session() as session:
        for name in OTHERS:
            add_shard(session, name)
    for organization, name in zip(apart, OTHERS, strict=True):
        move(store, [organization], name)
    return apart, moving


def compare(installation: Installation, together: Mapping[str, Rows]) -> None:
    """Compare the rows of all shards with one build, now that all are back in `main`."""
    with installation.store.write_session() as session:
        for name in OTHERS:
            remove_shard(session, name)
    installation.compare()
    for table, rows in rows_of_shards(installation.settings, [MAIN_SHARD]).items():
        truth.assert_same(f"{table} of all shards", together[table], rows)


def survive(installation: Installation, seed: str, kills: int) -> None:
    """Kill during a move; compare all shards together with one build, and that with the truth."""
    settings, store = installation.settings, installation.store
    apart, moving = in_shards(store)
    diary = installation.diary.path
    with program("killed_shards", diary, *OTHERS, MAIN_SHARD, settings=settings) as workers:
        assert ask(workers, {"watch": True}) > 0
        with program("served", *apart, moving, settings=settings) as reader:
            assert ask(workers, {"kill": kills // 2, "seed": f"{seed} before"}) > 0
            move(store, [moving], OTHERS[0])
            assert ask(workers, {"kill": kills - kills // 2, "seed": f"{seed} behind"}) > 0
            ask(workers, {"pass": True})
            assert_none_is_behind(installation)
            together = rows_of_shards(settings, [*OTHERS, MAIN_SHARD])
            move(store, [*apart, moving], MAIN_SHARD)
            ask(workers, {"pass": MAIN_SHARD})
            served = last_answer(reader, installation.now().isoformat())
    compare(installation, together)
    assert served["publications"] > len([*apart, moving])


def test_shards_together_equal_one_build_while_an_organization_moves(
    databases: FreshDatabase, tmp_path: Path
) -> None:
    with databases() as url, installed(tmp_path / "home", tmp_path, url) as installation:
        store = installation.store
        apart, moving = in_shards(store)

        def compute(*shards: str) -> None:
            at = installation.now()
            for shard in shards:
                roll_up(installation.settings.of_shard(shard).at(at), store)

        installation.land(3)
        compute(*OTHERS, MAIN_SHARD)
        move(store, [moving], OTHERS[0])
        installation.land(3)
        compute(*OTHERS, MAIN_SHARD)
        assert_none_is_behind(installation)
        together = rows_of_shards(installation.settings, [*OTHERS, MAIN_SHARD])
        move(store, [*apart, moving], MAIN_SHARD)
        compute(MAIN_SHARD)
        compare(installation, together)


@pytest.mark.soak
def test_killed_workers_of_shards_lose_double_and_delay_nothing(
    databases: FreshDatabase, tmp_path: Path
) -> None:
    with databases() as url, installed(tmp_path / "home", tmp_path, url) as installation:
        survive(installation, str(SEED), KILLS)
