"""Batches are numbered in the order of their registration in PostgreSQL."""

import shutil
from collections.abc import Callable
from uuid import UUID

import pytest
from sqlalchemy import select, text, update

from tests.factories.landing import post
from tests.factories.tracking import Customer
from tests.warehouse.raw.conftest import Connection, Home
from warehouse.ids import uuid7
from warehouse.landing.archive import segments
from warehouse.landing.batches import Batch, incoming, registered
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.opening import open_landing
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.store import OperationalStore
from warehouse.raw.rebuild import ArchiveIncompleteError, rebuild_raw, require_batches
from warehouse.registration.once import Frames, register_once
from warehouse.registration.order import renumber, set_aside
from warehouse.registration.register import register_batch

Register = Callable[[], UUID]


@pytest.fixture
def register(home: Home, customer: Customer) -> Register:
    """Land and register a batch with one reading; its views are the batch's number."""
    customer.video("7001")
    views = iter(range(1, 100))
    return lambda: home.scrape(posts=[post("7001", view_count=next(views))])


def given(store: OperationalStore) -> dict[UUID, int | None]:
    """Return the numbers in PostgreSQL."""
    with store.read_session() as session:
        rows = session.scalars(select(RegisteredBatch))
        return {row.batch_id: row.batch_seq for row in rows}


def counted(warehouse: Connection) -> dict[UUID, int]:
    """Return the numbers of the warehouse's batches after checking those of their rows."""
    batches = warehouse.sql("select batch_id, batch_seq from raw.batches order by 2").fetchall()
    rows = warehouse.sql("select batch_seq from raw.video_snapshots order by 1").fetchall()
    assert [(number,) for _, number in batches] == rows
    return dict(batches)


def forget_numbers(store: OperationalStore) -> None:
    """Reset the database to before it numbered batches."""
    with store.write_session() as session:
        session.execute(update(RegisteredBatch).values(batch_seq=None))


def test_a_number_is_assigned_at_registration(home: Home, register: Register) -> None:
    ids = [register() for _ in range(3)]
    assert given(home.store) == dict(zip(ids, [1, 2, 3], strict=True))
    home.ingest()
    assert counted(home.warehouse) == given(home.store)


def test_batches_count_in_the_order_of_registration(home: Home, register: Register) -> None:
    register()
    first, second = (home.land(posts=[post("7001", view_count=n)]) for n in (8, 9))
    landed = {batch.batch_id: batch for batch in incoming(home.settings.landing_path)}
    for batch_id in (second, first):
        register_batch(home.store, open_landing(home.settings), landed[batch_id])
    done = home.ingest()
    assert [(batch.batch_id, batch.batch_seq) for batch in done[1:]] == [(second, 2), (first, 3)]


def test_a_failed_registration_leaves_no_gap(home: Home, register: Register) -> None:
    register()

    def fail(*_: object) -> list[Frames]:
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        register_once(home.store, open_landing(home.settings), "scrape", lambda *_: [uuid7()], fail)
    last = register()
    assert given(home.store)[last] == 2


def test_a_later_batch_waits_for_an_earlier_one(
    home: Home, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two batches are registered during ingestion's listing, which contains only the second."""
    register()
    late = iter([True])

    def listed(landing: FolderLanding) -> list[Batch]:
        hidden = register() if next(late, False) else None
        if hidden:
            register()
        return [batch for batch in registered(landing.root) if batch.batch_id != hidden]

    monkeypatch.setattr("warehouse.landing.in_folder.FolderLanding.registered", listed)
    assert [batch.batch_seq for batch in home.ingest()] == [1]
    monkeypatch.undo()
    assert [batch.batch_seq for batch in home.ingest()] == [2, 3]


class TestOldInstallations:
    """Installations whose warehouse numbered the batches."""

    def test_ingested_batches_keep_their_numbers_and_new_ones_follow(
        self, home: Home, register: Register
    ) -> None:
        ids = [register() for _ in range(3)]
        home.ingest()
        before = counted(home.warehouse)
        forget_numbers(home.store)
        ids.append(register())
        assert given(home.store)[ids[3]] == 4
        home.ingest()
        assert (
            counted(home.warehouse)
            == given(home.store)
            == dict(zip(ids, [1, 2, 3, 4], strict=True))
        )
        assert counted(home.warehouse).items() >= before.items()

    @pytest.mark.parametrize("registers_before", [False, True])
    def test_batches_waiting_during_the_upgrade_follow_ingested_ones(
        self, home: Home, register: Register, registers_before: bool
    ) -> None:
        ids = [register()]
        home.ingest()
        waiting = [register(), register()]
        forget_numbers(home.store)
        ids += [register()] if registers_before else []
        home.ingest()
        ids.append(register())
        home.ingest()
        numbers = counted(home.warehouse)
        assert numbers == given(home.store)
        assert sorted(numbers, key=lambda each: numbers[each]) in (
            [ids[0], *waiting, *ids[1:]],
            [*ids[:2], *waiting, *ids[2:]],
        )

    @pytest.mark.parametrize("forgotten", [False, True])
    def test_a_rebuild_gives_the_same_numbers(
        self, home: Home, register: Register, forgotten: bool
    ) -> None:
        for _ in range(3):
            register()
        home.ingest()
        before = counted(home.warehouse)
        if forgotten:
            forget_numbers(home.store)
        require_batches(home.store, home.settings)
        assert rebuild_raw(home.settings, home.warehouse) == 3
        assert counted(home.warehouse) == before


def test_a_restored_database_assigns_no_number_twice(home: Home, register: Register) -> None:
    """After restoring only PostgreSQL, new registrations must be numbered after all others."""
    for _ in range(3):
        register()
    home.ingest()
    before = counted(home.warehouse)
    with home.store.write_session() as session:
        session.execute(text("delete from registered_batches where batch_seq > 1"))
    again = register()
    assert given(home.store)[again] == 2
    home.ingest()
    assert counted(home.warehouse) == before | {again: 4}
    assert given(home.store)[again] == 4
    require_batches(home.store, home.settings)


def test_a_rejected_batch_gets_a_new_number_when_it_returns(home: Home, register: Register) -> None:
    damaged, whole = register(), register()
    folder = registered(home.settings.landing_path)[0].path
    file = folder / "video_snapshots.parquet"
    content = file.read_bytes()
    file.write_bytes(content[:-20])
    home.ingest()
    assert counted(home.warehouse) == {whole: 2}
    require_batches(home.store, home.settings)

    aside = home.settings.landing_path / "rejected" / str(damaged)
    (aside / "reason.txt").unlink()
    (aside / file.name).write_bytes(content)
    shutil.move(aside, folder)
    home.ingest()
    assert counted(home.warehouse) == {whole: 2, damaged: 3}
    require_batches(home.store, home.settings)
    before = counted(home.warehouse)
    rebuild_raw(home.settings, home.warehouse)
    assert counted(home.warehouse) == before
    assert [
        batch.batch_seq
        for segment in segments(home.settings.landing_path)
        for batch in segment.batches
    ] == [
        2,
        3,
    ]


def test_an_uncommitted_attempt_replaces_no_lost_batch(home: Home, register: Register) -> None:
    batch_id = register()
    [lost] = registered(home.settings.landing_path)
    open_landing(home.settings).register(batch_id, lambda folder: None)
    shutil.rmtree(lost.path)
    with pytest.raises(ArchiveIncompleteError, match=str(batch_id)):
        home.ingest()


def test_a_rejected_batchs_number_is_not_reused(home: Home, register: Register) -> None:
    """Another shard may have passed the number."""
    ids = sorted(register() for _ in range(3))
    with home.store.write_session() as session:
        set_aside(session, ids[1:])
    with home.store.write_session() as session:
        renumber(session, {}, ids[1:], behind=1)
    assert given(home.store) == dict(zip(ids, [1, 4, 5], strict=True))


def test_two_batches_with_one_number_of_an_older_version_are_rejected(
    home: Home, register: Register
) -> None:
    first, second = register(), register()
    with home.store.write_session() as session:
        set_aside(session, [first])
        session.get_one(RegisteredBatch, second).batch_seq = 1
        session.flush()
        set_aside(session, [first, second])
    assert given(home.store) == {first: -1, second: 1}


def test_a_warehouse_is_rebuilt_although_the_only_batch_was_rejected(
    home: Home, register: Register
) -> None:
    register()
    [batch] = registered(home.settings.landing_path)
    (batch.path / "video_snapshots.parquet").write_bytes(b"damaged")
    assert home.ingest() == []
    require_batches(home.store, home.settings)
    register()
    assert [batch.batch_seq for batch in home.ingest()] == [2]
