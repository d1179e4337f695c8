"""Batches count in the order in which PostgreSQL registered them, whatever came in between."""

import shutil
from collections.abc import Callable
from uuid import UUID

import duckdb
import pytest
from sqlalchemy import select, text, update

from tests.factories.landing import post
from tests.factories.tracking import add_video
from warehouse.ids import uuid7
from warehouse.landing.archive import segments
from warehouse.landing.batches import Batch, incoming, registered
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.raw.ingest import ingest_registered
from warehouse.raw.rebuild import rebuild_raw, require_batches
from warehouse.registration.once import register_once
from warehouse.registration.register import register_batch, register_landed
from warehouse.settings import Settings

Connection = duckdb.DuckDBPyConnection
Register = Callable[[], UUID]


@pytest.fixture
def register(
    store: OperationalStore, settings: Settings, organization: NewOrganization
) -> Register:
    """Lands and registers a batch with one reading, whose views count the batches."""
    add_video(store, organization, "7001")
    views = iter(range(1, 100))

    def land() -> UUID:
        batch_id = LandingWriter(open_landing(settings)).land(
            posts=[post("7001", view_count=next(views))]
        )
        [result] = register_landed(store, settings)
        assert result.rejected is None
        return batch_id

    return land


def given(store: OperationalStore) -> dict[UUID, int | None]:
    """Return the numbers that PostgreSQL knows."""
    with store.read_session() as session:
        rows = session.scalars(select(RegisteredBatch))
        return {row.batch_id: row.batch_seq for row in rows}


def counted(warehouse: Connection) -> dict[UUID, int]:
    """Return the numbers under which the warehouse has its batches, each with its rows."""
    batches = warehouse.sql("select batch_id, batch_seq from raw.batches order by 2").fetchall()
    rows = warehouse.sql("select batch_seq from raw.video_snapshots order by 1").fetchall()
    assert [(number,) for _, number in batches] == rows
    return dict(batches)


def forget_numbers(store: OperationalStore) -> None:
    """Leave the database as one of before numbers were given there."""
    with store.write_session() as session:
        session.execute(update(RegisteredBatch).values(batch_seq=None))


def test_a_number_is_given_with_the_registration_and_taken_over(
    store: OperationalStore, settings: Settings, warehouse: Connection, register: Register
) -> None:
    ids = [register() for _ in range(3)]
    assert given(store) == dict(zip(ids, [1, 2, 3], strict=True))
    ingest_registered(store, settings, warehouse)
    assert counted(warehouse) == given(store)


def test_what_was_registered_first_counts_first_though_it_landed_last(
    store: OperationalStore, settings: Settings, warehouse: Connection, register: Register
) -> None:
    register()
    first, second = (
        LandingWriter(open_landing(settings)).land(posts=[post("7001", view_count=n)])
        for n in (8, 9)
    )
    landed = {batch.batch_id: batch for batch in incoming(settings.landing_path)}
    for batch_id in (second, first):
        register_batch(store, open_landing(settings), landed[batch_id])
    done = ingest_registered(store, settings, warehouse)
    assert [(batch.batch_id, batch.batch_seq) for batch in done[1:]] == [(second, 2), (first, 3)]


def test_a_registration_that_ends_in_nothing_leaves_no_gap(
    store: OperationalStore, settings: Settings, register: Register
) -> None:
    register()

    def fail(_session: object) -> dict[str, object]:
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        register_once(store, open_landing(settings), uuid7(), "scrape", fail)  # type: ignore[arg-type]
    last = register()
    assert given(store)[last] == 2


def test_what_waits_for_an_earlier_one_is_not_counted_before_it(
    store: OperationalStore,
    settings: Settings,
    warehouse: Connection,
    register: Register,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two are registered while ingestion lists what there is, which shows it the second alone."""
    register()
    late = iter([True])

    def listed(landing: FolderLanding) -> list[Batch]:
        hidden = register() if next(late, False) else None
        if hidden:
            register()
        return [batch for batch in registered(landing.root) if batch.batch_id != hidden]

    monkeypatch.setattr("warehouse.landing.in_folder.FolderLanding.registered", listed)
    assert [batch.batch_seq for batch in ingest_registered(store, settings, warehouse)] == [1]
    monkeypatch.undo()
    assert [batch.batch_seq for batch in ingest_registered(store, settings, warehouse)] == [2, 3]


class TestOldHomes:
    """Those whose batches were numbered by the warehouse alone."""

    def test_what_was_ingested_keeps_its_number_and_what_comes_goes_on_behind(
        self,
        store: OperationalStore,
        settings: Settings,
        warehouse: Connection,
        register: Register,
    ) -> None:
        ids = [register() for _ in range(3)]
        ingest_registered(store, settings, warehouse)
        before = counted(warehouse)
        forget_numbers(store)
        ids.append(register())
        assert given(store)[ids[3]] == 4
        ingest_registered(store, settings, warehouse)
        assert counted(warehouse) == given(store) == dict(zip(ids, [1, 2, 3, 4], strict=True))
        assert counted(warehouse).items() >= before.items()

    @pytest.mark.parametrize("registers_before", [False, True])
    def test_what_waited_during_the_upgrade_counts_behind_all_that_was_ingested(
        self,
        store: OperationalStore,
        settings: Settings,
        warehouse: Connection,
        register: Register,
        registers_before: bool,
    ) -> None:
        ids = [register()]
        ingest_registered(store, settings, warehouse)
        waiting = [register(), register()]
        forget_numbers(store)
        ids += [register()] if registers_before else []
        ingest_registered(store, settings, warehouse)
        ids.append(register())
        ingest_registered(store, settings, warehouse)
        numbers = counted(warehouse)
        assert numbers == given(store)
        assert sorted(numbers, key=lambda each: numbers[each]) in (
            [ids[0], *waiting, *ids[1:]],
            [*ids[:2], *waiting, *ids[2:]],
        )

    @pytest.mark.parametrize("forgotten", [False, True])
    def test_a_rebuild_gives_the_same_numbers(
        self,
        store: OperationalStore,
        settings: Settings,
        warehouse: Connection,
        register: Register,
        forgotten: bool,
    ) -> None:
        for _ in range(3):
            register()
        ingest_registered(store, settings, warehouse)
        before = counted(warehouse)
        if forgotten:
            forget_numbers(store)
        require_batches(store, settings)
        assert rebuild_raw(settings, warehouse) == 3
        assert counted(warehouse) == before


def test_a_database_older_than_the_warehouse_gives_no_number_twice(
    store: OperationalStore, settings: Settings, warehouse: Connection, register: Register
) -> None:
    """As after restoring PostgreSQL alone: what it registers now must count behind the rest."""
    for _ in range(3):
        register()
    ingest_registered(store, settings, warehouse)
    before = counted(warehouse)
    with store.write_session() as session:
        session.execute(text("delete from registered_batches where batch_seq > 1"))
    again = register()
    assert given(store)[again] == 2
    ingest_registered(store, settings, warehouse)
    assert counted(warehouse) == before | {again: 4}
    assert given(store)[again] == 4
    require_batches(store, settings)


def test_what_was_set_aside_leaves_its_number_and_counts_when_it_comes_again(
    store: OperationalStore, settings: Settings, warehouse: Connection, register: Register
) -> None:
    damaged, whole = register(), register()
    folder = registered(settings.landing_path)[0].path
    file = folder / "video_snapshots.parquet"
    content = file.read_bytes()
    file.write_bytes(content[:-20])
    ingest_registered(store, settings, warehouse)
    assert counted(warehouse) == {whole: 2}
    require_batches(store, settings)

    aside = settings.landing_path / "rejected" / str(damaged)
    (aside / "reason.txt").unlink()
    (aside / file.name).write_bytes(content)
    shutil.move(aside, folder)
    ingest_registered(store, settings, warehouse)
    assert counted(warehouse) == {whole: 2, damaged: 3}
    require_batches(store, settings)
    before = counted(warehouse)
    rebuild_raw(settings, warehouse)
    assert counted(warehouse) == before
    assert [
        batch.batch_seq for segment in segments(settings.landing_path) for batch in segment.batches
    ] == [
        2,
        3,
    ]
