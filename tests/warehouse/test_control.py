"""What begin_run decides and promote stores."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from uuid import UUID

import duckdb
import pytest

from warehouse.catalogue.models import PUBLISHED, incremental, relation_of, touching
from warehouse.catalogue.operational import FOLLOWED
from warehouse.catalogue.past import PAST, model_of
from warehouse.catalogue.raw import RAW
from warehouse.catalogue.table import Column, Table
from warehouse.control import RunSupersededError, begin_run, promote, records
from warehouse.control.copies import OlderCopyError
from warehouse.models_version import models_version

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def warehouse() -> Iterator[duckdb.DuckDBPyConnection]:
    """A warehouse after a build, with empty tables."""
    with duckdb.connect() as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute("create schema raw; create schema intermediate")
        for table in RAW:
            connection.execute(table.emptied)
        records.create_tables(connection)
        for past in PAST:
            connection.execute(
                f"create table intermediate.{model_of(past)} as from {past.relation}"
            )
        for schema in PUBLISHED:
            connection.execute(f"create schema {schema}")
        for model in (*incremental(), *touching()):
            connection.execute(f"create table {relation_of(model)} (day date)")
        yield connection


def ingest(connection: duckdb.DuckDBPyConnection, batch_seq: int, captured_at: datetime) -> None:
    connection.execute(
        "insert into raw.batches values (uuid(), ?, 'scrape', now(), 1, 0, 0, 0, 0)", [batch_seq]
    )
    connection.execute(
        "insert into raw.video_snapshots by name select"
        " uuid() as video_id, ?::timestamptz as captured_at, true as is_exact,"
        " 'web' as source, ?::bigint as batch_seq",
        [captured_at, batch_seq],
    )


def test_a_copy_of_an_earlier_version_is_repeated_first(
    warehouse: duckdb.DuckDBPyConnection,
) -> None:
    [table] = [table for table in FOLLOWED if table.name == "payout_accrual_decisions"]
    warehouse.execute(table.emptied)
    current_run = begin_run(warehouse, as_of=NOON)
    warehouse.execute(f"alter table {table.relation} drop column post_count")
    with pytest.raises(
        OlderCopyError, match=r"without post_count: copy it again with `tracker run --no-scrape`"
    ):
        begin_run(warehouse, as_of=NOON + HOUR)
    assert warehouse.execute("select run_id from control.run").fetchall() == [(current_run.run_id,)]


NAMESAKES = """
    attach ':memory:' as another;
    create schema another.control;
    create table another.control.models (version varchar);
    insert into another.control.models values ('of other models');
    create schema another.intermediate;
    create schema another.marts;
    create schema another.machinery;
"""


@pytest.fixture
def beside_another(warehouse: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A warehouse with an attached database that has the same schemas and tables."""
    warehouse.execute(NAMESAKES)
    for model in incremental():
        warehouse.execute(f"create table another.{relation_of(model)} (day date)")
    return warehouse


class TestBesideAnotherDatabase:
    def test_its_marts_are_not_counted(self, beside_another: duckdb.DuckDBPyConnection) -> None:
        promote(beside_another, begin_run(beside_another, as_of=NOON))
        assert not begin_run(beside_another, as_of=NOON + HOUR).is_full_refresh

    def test_its_marts_replace_none(self, beside_another: duckdb.DuckDBPyConnection) -> None:
        promote(beside_another, begin_run(beside_another, as_of=NOON))
        for model in incremental():
            beside_another.execute(f"drop table {relation_of(model)}")
        assert begin_run(beside_another, as_of=NOON + HOUR).is_full_refresh

    def test_its_control_tables_are_not_ours(
        self, beside_another: duckdb.DuckDBPyConnection
    ) -> None:
        beside_another.execute("drop schema control cascade")
        records.create_tables(beside_another)
        versions = beside_another.execute("from control.models").fetchall()
        assert versions == [(models_version(),)]
        others = beside_another.execute("from another.control.models").fetchall()
        assert others == [("of other models",)]


class TestBeginRun:
    def test_the_first_run_computes_everything(self, warehouse: duckdb.DuckDBPyConnection) -> None:
        ingest(warehouse, 1, NOON)
        current_run = begin_run(warehouse, as_of=NOON)
        assert current_run.is_full_refresh
        assert (current_run.from_batch_seq, current_run.to_batch_seq) == (0, 1)
        assert current_run.first_reading_at == NOON

    @pytest.mark.parametrize("model", sorted(incremental() | touching()))
    def test_a_run_after_a_model_was_lost_computes_everything(
        self, warehouse: duckdb.DuckDBPyConnection, model: str
    ) -> None:
        promote(warehouse, begin_run(warehouse, as_of=NOON))
        assert not begin_run(warehouse, as_of=NOON + HOUR).is_full_refresh
        warehouse.execute(f"drop table {relation_of(model)}")
        assert begin_run(warehouse, as_of=NOON + HOUR).is_full_refresh

    def test_the_next_run_starts_after_the_published_one(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        ingest(warehouse, 1, NOON)
        promote(warehouse, begin_run(warehouse, as_of=NOON))
        ingest(warehouse, 2, NOON - HOUR)
        current_run = begin_run(warehouse, as_of=NOON + HOUR)
        assert not current_run.is_full_refresh
        assert not current_run.follows_unfinished
        assert (current_run.from_batch_seq, current_run.to_batch_seq) == (1, 2)
        assert current_run.previous_as_of == NOON
        assert current_run.first_reading_at == NOON - HOUR

    def test_an_unpublished_run_is_repeated(self, warehouse: duckdb.DuckDBPyConnection) -> None:
        promote(warehouse, begin_run(warehouse, as_of=NOON))
        ingest(warehouse, 1, NOON)
        begin_run(warehouse, as_of=NOON + HOUR)
        ingest(warehouse, 2, NOON)
        current_run = begin_run(warehouse, as_of=NOON + HOUR)
        assert current_run.follows_unfinished
        assert (current_run.from_batch_seq, current_run.to_batch_seq) == (0, 2)

    def test_an_unpublished_full_refresh_is_repeated_in_full(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        promote(warehouse, begin_run(warehouse, as_of=NOON))
        begin_run(warehouse, as_of=NOON, full_refresh=True)
        assert begin_run(warehouse, as_of=NOON).is_full_refresh

    def test_an_earlier_as_of_than_was_published_computes_everything(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        promote(warehouse, begin_run(warehouse, as_of=NOON))
        assert begin_run(warehouse, as_of=NOON - HOUR).is_full_refresh

    def test_an_earlier_as_of_than_was_tried_computes_everything(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        promote(warehouse, begin_run(warehouse, as_of=NOON))
        begin_run(warehouse, as_of=NOON + 2 * HOUR)
        assert begin_run(warehouse, as_of=NOON + HOUR).is_full_refresh

    def test_rebuilt_raw_tables_compute_everything(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        ingest(warehouse, 7, NOON)
        promote(warehouse, begin_run(warehouse, as_of=NOON))
        warehouse.execute("delete from raw.batches")
        ingest(warehouse, 1, NOON)
        assert begin_run(warehouse, as_of=NOON).is_full_refresh

    def test_other_models_compute_everything(
        self, warehouse: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        promote(warehouse, begin_run(warehouse, as_of=NOON))
        assert not begin_run(warehouse, as_of=NOON).is_full_refresh
        monkeypatch.setattr(records, "models_version", lambda: "other models")
        assert begin_run(warehouse, as_of=NOON).is_full_refresh

    def test_other_offsets_of_a_zone_compute_everything(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        """A zone database's offsets may change for next summer and for past ones."""
        span = "insert into intermediate.int_utc_offsets values (?, '-infinity', 'infinity', ?)"
        warehouse.execute(span, ["Asia/Beirut", 7200])
        promote(warehouse, begin_run(warehouse, as_of=NOON))
        warehouse.execute(span, ["Asia/Kathmandu", 20700])
        assert not begin_run(warehouse, as_of=NOON).is_full_refresh, "a zone that was unused"
        warehouse.execute("delete from intermediate.int_utc_offsets where zone = 'Asia/Beirut'")
        assert not begin_run(warehouse, as_of=NOON).is_full_refresh, "a zone that is unused now"
        warehouse.execute(span, ["Asia/Beirut", 10800])
        assert begin_run(warehouse, as_of=NOON).is_full_refresh

    def test_a_retracted_import_computes_everything_once(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        ingest(warehouse, 1, NOON)
        promote(warehouse, begin_run(warehouse, as_of=NOON))
        warehouse.execute(
            "insert into operational.imports select batch_id, uuid(), uuid(), ? from raw.batches",
            [NOON],
        )
        run = begin_run(warehouse, as_of=NOON)
        assert (run.is_full_refresh, run.retracted) == (True, "1")
        promote(warehouse, run)
        assert not begin_run(warehouse, as_of=NOON).is_full_refresh

    def test_a_backfill_covers_its_days_in_every_zone(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        promote(warehouse, begin_run(warehouse, as_of=NOON))
        current_run = begin_run(
            warehouse, as_of=NOON, from_day=date(2026, 2, 10), to_day=date(2026, 2, 12)
        )
        first_in_kiritimati = datetime(2026, 2, 9, 10, tzinfo=UTC)
        last_in_honolulu = datetime(2026, 2, 13, 10, tzinfo=UTC)
        assert current_run.backfill_from is not None
        assert current_run.backfill_to is not None
        assert current_run.backfill_from <= first_in_kiritimati
        assert current_run.backfill_to >= last_in_honolulu

    def test_business_time_needs_an_offset(self, warehouse: duckdb.DuckDBPyConnection) -> None:
        with pytest.raises(ValueError, match="UTC offset"):
            begin_run(warehouse, as_of=datetime(2026, 3, 1))  # noqa: DTZ001


class TestPromote:
    def test_the_next_runs_past_is_the_promoted_one(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        current_run = begin_run(warehouse, as_of=NOON)
        video = UUID(int=7)
        warehouse.execute(
            "insert into intermediate.int_video_last_days by name"
            " select ?::uuid as video_id, 'UTC' as analytics_tz",
            [str(video)],
        )
        promote(warehouse, current_run)
        assert warehouse.execute("select video_id from control.video_last_days").fetchall() == [
            (video,)
        ]

    def test_a_run_that_another_overtook_is_refused(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        overtaken = begin_run(warehouse, as_of=NOON)
        begin_run(warehouse, as_of=NOON)
        with pytest.raises(RunSupersededError):
            promote(warehouse, overtaken)

    def test_a_failure_half_way_leaves_the_past_unchanged(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        promote(warehouse, begin_run(warehouse, as_of=NOON))
        current_run = begin_run(warehouse, as_of=NOON + HOUR)
        warehouse.execute("drop table intermediate.int_campaign_videos")
        with pytest.raises(duckdb.CatalogException):
            promote(warehouse, current_run)
        assert begin_run(warehouse, as_of=NOON + HOUR).previous_as_of == NOON


LEFT = "create table marts.payout_earned (day date); create view marts.gone as select 1 as one"


def test_tables_without_a_model_are_dropped_when_models_change(
    warehouse: duckdb.DuckDBPyConnection,
) -> None:
    """Otherwise a moved or removed model would be published for ever."""
    before = relations(warehouse)
    warehouse.execute(LEFT)
    begin_run(warehouse, as_of=NOON)
    assert relations(warehouse) == before | {("marts", "payout_earned"), ("marts", "gone")}
    warehouse.execute("update control.models set version = 'an earlier one'")
    begin_run(warehouse, as_of=NOON)
    assert relations(warehouse) == before


def relations(connection: duckdb.DuckDBPyConnection) -> set[tuple[str, str]]:
    rows = connection.execute(
        "select schema_name, table_name from duckdb_tables()"
        " union select schema_name, view_name from duckdb_views() where not internal"
    )
    return set(rows.fetchall())


@pytest.mark.parametrize("source", ["dbt_project/models/marts/one.sql", "warehouse/rules/one.sql"])
def test_the_digest_of_the_models_follows_their_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    model = tmp_path / source
    model.parent.mkdir(parents=True)
    monkeypatch.setattr("warehouse.models_version.REPOSITORY", tmp_path)
    versions = []
    for text in ("select 1", "select 2"):
        model.write_text(text)
        models_version.cache_clear()
        versions.append(models_version())
    models_version.cache_clear()
    assert versions[0] != versions[1]


@pytest.mark.parametrize("table", [RAW[0], FOLLOWED[0], PAST[0]], ids=lambda table: table.relation)
def test_the_digest_of_the_models_depends_on_columns_not_on_descriptions(
    monkeypatch: pytest.MonkeyPatch, table: Table
) -> None:
    """A new column of a table causes a full refresh; wording does not."""
    described = replace(table, means="Said in other words.")
    wider = replace(table, columns=(*table.columns, Column("another", "bigint")))
    versions = []
    for variant in (table, described, wider):
        monkeypatch.setattr("warehouse.models_version.TABLES", [variant])
        models_version.cache_clear()
        versions.append(models_version())
    models_version.cache_clear()
    assert versions[0] == versions[1] != versions[2]
