"""The catalogue's tables are consistent, and their DDL migrates older warehouses."""

from dataclasses import fields

import duckdb
import pytest
from sqlalchemy import Interval
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from scrapers.snapshots import AccountSnapshot, VideoSnapshot
from warehouse.catalogue.control import CONTROL, PUBLISHED, RUN
from warehouse.catalogue.copied import copy_of
from warehouse.catalogue.landed import LANDED, POSTS, PROFILES
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.catalogue.raw import BATCHES, RAW, REGISTERED
from warehouse.catalogue.readings import BATCH_SEQ
from warehouse.catalogue.table import Change, Column, Table, never_null
from warehouse.control import Run
from warehouse.control.records import Published
from warehouse.landing.archive import IngestedBatch
from warehouse.operational.base import SECRET
from warehouse.operational.models import ApiKey, Creator

TABLES = (*LANDED, *RAW, *OPERATIONAL, *CONTROL)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.relation)
def test_a_table_has_each_column_once_and_says_what_it_is(table: Table) -> None:
    assert len(set(table.column_names)) == len(table.columns)
    assert set(table.key) <= set(table.column_names)
    assert table.in_time_order is None or table.in_time_order in table.required
    assert table.means.endswith(".")


def test_no_two_tables_have_one_name() -> None:
    assert len({table.relation for table in TABLES}) == len(TABLES)


@pytest.mark.parametrize("table", REGISTERED, ids=lambda table: table.name)
def test_rows_of_batches_are_in_the_order_of_time_and_know_their_batch(table: Table) -> None:
    assert table.in_time_order
    assert table.columns[-1] == BATCH_SEQ
    assert table.change is Change.ADDED


@pytest.mark.parametrize(
    ("record", "table"),
    [(Run, RUN), (Published, PUBLISHED), (IngestedBatch, BATCHES)],
    ids=["run", "published", "batches"],
)
def test_written_rows_have_the_tables_columns(record: type, table: Table) -> None:
    assert tuple(field.name for field in fields(record)) == table.column_names


@pytest.mark.parametrize(
    ("snapshot", "table"), [(AccountSnapshot, PROFILES), (VideoSnapshot, POSTS)]
)
def test_a_snapshot_has_a_field_for_each_column_that_lands(snapshot: type, table: Table) -> None:
    """A batch without the field would land with a null column."""
    assert {field.name for field in fields(snapshot)} == set(table.column_names)


NARROW = Table(
    schema="raw",
    name="looks",
    means="As it was.",
    change=Change.ADDED,
    columns=(never_null("look", "bigint"),),
)
WIDE = Table(
    schema="raw",
    name="looks",
    means="As it is.",
    change=Change.ADDED,
    columns=(
        Column("count", "bigint", came_later=True),
        *NARROW.columns,
        Column("rows", "bigint", nullable=False, default="0", came_later=True),
    ),
)


def test_a_column_that_came_later_is_added_with_its_default() -> None:
    with duckdb.connect() as connection:
        connection.execute("create schema raw")
        for statement in NARROW.there:
            connection.execute(statement)
        connection.execute("insert into raw.looks values (7)")
        for statement in (*WIDE.there, *WIDE.there):
            connection.execute(statement)
        assert connection.execute("select look, count, rows from raw.looks").fetchall() == [
            (7, None, 0)
        ]


def test_ddl_has_types_nulls_and_defaults() -> None:
    assert WIDE.emptied == (
        "create or replace table raw.looks (\n"
        "    count bigint,\n"
        "    look bigint not null,\n"
        "    rows bigint not null default 0\n"
        ")"
    )


class TestCopies:
    def test_a_copy_matches_its_model(self) -> None:
        copy = copy_of(Creator, "Some of it.", "id display_name", display_name="as shown")
        assert copy.columns == (
            never_null("id", "uuid"),
            Column("display_name", "varchar", "as shown"),
        )
        assert (copy.relation, copy.key) == ("operational.creators", ("id",))
        assert copy.change is Change.FOLLOWED

    def test_secrets_are_not_copied(self) -> None:
        [secret] = [c.name for c in ApiKey.__table__.columns if c.info == SECRET]
        with pytest.raises(ValueError, match=f"{secret} is secret"):
            copy_of(ApiKey, "Keys.", f"id {secret}")

    @pytest.mark.parametrize("columns", ["id nickname", "id"])
    def test_an_unknown_column_is_refused(self, columns: str) -> None:
        with pytest.raises(KeyError, match="nickname"):
            copy_of(Creator, "Some of it.", columns, nickname="what friends say")

    def test_an_unknown_type_is_refused(self) -> None:
        class Other(DeclarativeBase):
            pass

        class Span(Other):
            __tablename__ = "spans"
            id: Mapped[int] = mapped_column(Interval, primary_key=True)

        with pytest.raises(TypeError, match="add it to SIMPLE"):
            copy_of(Span, "Spans.", "id")  # type: ignore[arg-type]
