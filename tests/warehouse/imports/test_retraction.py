"""Imports are listed and retracted once; their readings stay stored, and others may be loaded."""

from contextlib import ExitStack
from datetime import UTC, datetime

import pytest
from sqlalchemy import delete, select

from tests.warehouse.imports.conftest import NOW, Importer
from warehouse.connection import open_warehouse
from warehouse.control import begin_run
from warehouse.imports.layouts import VIDEO_SNAPSHOTS, VIDEOS
from warehouse.imports.recording import NotRetractableError, record_older, retract
from warehouse.operational.models import AuditEntry, Import, RegisteredBatch
from warehouse.raw.operational_copy import copy_operational
from warehouse.warehouse_lock import warehouse_lock

WRONG = "tiktok,7001,2026-05-01T10:00:00Z,599800,,,,"
OTHER = "tiktok,7001,2026-05-02T10:00:00Z,6100,,,,"


@pytest.fixture(autouse=True)
def _post(importer: Importer) -> None:
    importer.account("demo")
    importer.video("7001")


def loaded(importer: Importer, *lines: str) -> int:
    return importer.snapshots(importer.write_csv(VIDEO_SNAPSHOTS, *lines)).loaded


def imports(importer: Importer) -> list[Import]:
    with importer.store.read_session() as session:
        return list(session.scalars(select(Import).order_by(Import.imported_at, Import.id)))


def retract_first(importer: Importer) -> None:
    first = imports(importer)[0].id
    with importer.store.write_session() as session:
        retract(session, session.get_one(Import, first), "A digit too many")


def test_an_import_records_its_rows_user_and_time(importer: Importer) -> None:
    assert loaded(importer, WRONG, OTHER) == 2
    assert loaded(importer, WRONG, OTHER) == 0
    [row] = imports(importer)
    assert (row.kind, row.file, row.row_count) == (VIDEO_SNAPSHOTS, "video-snapshots.csv", 2)
    assert row.project_id == importer.project_id
    assert row.imported_by
    with importer.store.read_session() as session:
        [entry] = session.scalars(select(AuditEntry))
    assert (entry.action, entry.organization_id) == ("import video-snapshots", row.organization_id)


@pytest.mark.parametrize("is_ingested", [True, False])
def test_the_corrected_file_can_be_loaded_at_once(importer: Importer, *, is_ingested: bool) -> None:
    loaded(importer, WRONG, OTHER)
    if is_ingested:
        importer.ingested("select 1")
    retract_first(importer)
    assert loaded(importer, WRONG.replace("599800", "5998"), OTHER) == 2
    assert loaded(importer, OTHER) == 0
    stored = importer.ingested("select view_count from raw.video_snapshots order by all")
    assert stored == [(5998,), (6100,), (6100,), (599800,)]


def test_a_build_after_it_leaves_its_batch_out_and_computes_everything(importer: Importer) -> None:
    loaded(importer, WRONG)
    retract_first(importer)
    loaded(importer, OTHER)
    importer.ingested("select 1")
    with open_warehouse(importer.settings) as warehouse:
        copy_operational(importer.store, warehouse)
        run = begin_run(warehouse, as_of=NOW)
    assert run.retracted == "1"
    assert run.first_reading_at == datetime(2026, 5, 2, 10, tzinfo=UTC)


def test_it_is_retracted_once(importer: Importer) -> None:
    loaded(importer, WRONG)
    retract_first(importer)
    with pytest.raises(NotRetractableError, match="it was retracted at 20"):
        retract_first(importer)


def test_an_import_of_posts_cannot_be_retracted(importer: Importer) -> None:
    importer.videos(importer.write_csv(VIDEOS, "tiktok,demo,7002,2026-05-01T10:00:00Z,hello"))
    [row] = imports(importer)
    assert (row.kind, row.row_count) == (VIDEOS, 1)
    with pytest.raises(NotRetractableError, match="exclude its posts"):
        retract_first(importer)


def test_imports_of_older_versions_are_listed_without_their_file(importer: Importer) -> None:
    """Even before the warehouse has copied their posts, and with two concurrent commands."""
    loaded(importer, WRONG, OTHER)
    importer.ingested("select 1")
    with importer.store.write_session() as session:
        session.execute(delete(Import))
        [batch] = session.scalars(select(RegisteredBatch))
    with ExitStack() as held:
        held.enter_context(warehouse_lock(importer.settings))

        def another(_message: str) -> None:
            held.close()
            record_older(importer.store, importer.settings, pytest.fail)

        record_older(importer.store, importer.settings, another)
    [row] = imports(importer)
    assert (row.id, row.kind, row.file, row.row_count) == (batch.batch_id, VIDEO_SNAPSHOTS, None, 2)
    assert row.imported_at == batch.registered_at
    assert row.project_id == importer.project_id
