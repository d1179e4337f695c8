"""Guarantees of a reading or writing block."""

from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import InternalError

from warehouse.operational.errors import ReadOnlySessionError
from warehouse.operational.models import Organization
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings


def add(store: OperationalStore, name: str = "Acme") -> UUID:
    with store.write_session() as session:
        organization = Organization(name=name)
        session.add(organization)
    return organization.id


class TestWriting:
    def test_a_finished_block_is_committed(self, store: OperationalStore) -> None:
        organization_id = add(store)
        with store.read_session() as session:
            organization = session.get_one(Organization, organization_id)
        assert (organization.name, organization.plan, organization.analytics_tz) == (
            "Acme",
            "free",
            "UTC",
        )

    def test_a_block_that_fails_leaves_nothing(self, store: OperationalStore) -> None:
        def fail() -> None:
            with store.write_session() as session:
                session.add(Organization(name="Acme"))
                session.flush()
                raise LookupError

        with pytest.raises(LookupError):
            fail()
        with store.read_session() as session:
            assert session.scalar(select(func.count()).select_from(Organization)) == 0


class TestReading:
    def test_a_block_sees_one_snapshot(self, store: OperationalStore) -> None:
        count = select(func.count()).select_from(Organization)
        with store.read_session() as session:
            assert session.scalar(count) == 0
            add(store)
            assert session.scalar(count) == 0
        with store.read_session() as session:
            assert session.scalar(count) == 1

    def test_a_new_row_is_refused(self, store: OperationalStore) -> None:
        with pytest.raises(ReadOnlySessionError), store.read_session() as session:
            session.add(Organization(name="Acme"))

    def test_a_changed_row_is_refused(self, store: OperationalStore) -> None:
        organization_id = add(store)
        with pytest.raises(ReadOnlySessionError), store.read_session() as session:
            session.get_one(Organization, organization_id).name = "Other"

    def test_a_statement_that_writes_is_refused_by_the_database(
        self, store: OperationalStore
    ) -> None:
        with pytest.raises(InternalError, match="read-only"), store.read_session() as session:
            session.execute(text("delete from organizations"))

    def test_statements_stay_prepared_from_one_block_to_the_next(
        self, store: OperationalStore
    ) -> None:
        """psycopg prepares a statement after five runs and forgets all of them at a rollback."""
        prepared = text("select count(*) from pg_prepared_statements")
        for _ in range(6):
            with store.read_session() as session:
                session.scalar(prepared)
        with store.read_session() as session:
            assert session.scalar(prepared) == 1

    def test_an_unchanged_value_is_no_change(self, store: OperationalStore) -> None:
        organization_id = add(store)
        with store.read_session() as session:
            session.get_one(Organization, organization_id).name = "Acme"


WAYS = text(
    "select current_setting('transaction_read_only'), current_setting('transaction_isolation')"
)


class TestConnections:
    """Reading, writing and plain statements use separate connections."""

    def test_reading_and_writing(self, store: OperationalStore) -> None:
        for _ in range(2):
            with store.read_session() as session:
                assert session.execute(WAYS).one() == ("on", "repeatable read")
            with store.write_session() as session:
                assert session.execute(WAYS).one() == ("off", "read committed")

    def test_each_statement_is_a_transaction(self, store: OperationalStore) -> None:
        with store.statements() as connection:
            numbers = [
                connection.execute("select pg_current_xact_id()::text").fetchone() for _ in range(2)
            ]
        assert numbers[0] != numbers[1]

    def test_a_broken_connection_is_not_reused(self, store: OperationalStore) -> None:
        with pytest.raises(psycopg.OperationalError), store.statements() as connection:
            connection.execute("select pg_terminate_backend(pg_backend_pid())")
        with store.statements() as connection:
            assert connection.execute("select 1").fetchone() == (1,)
        assert store.autocommit.pool.checkedout() == 0  # type: ignore[attr-defined]


class TestBusinessTime:
    def test_rows_carry_tracker_now_and_only_changes_move_it(
        self, store: OperationalStore, settings: Settings
    ) -> None:
        organization_id = add(store)
        for hour, name, expected in [(1, "Acme", None), (2, "Renamed", 2), (3, "Renamed", 2)]:
            instant = datetime(2026, 3, 1, hour, tzinfo=UTC)
            with (
                operational_store(settings.at(instant)) as later,
                later.write_session() as session,
            ):
                row = session.get_one(Organization, organization_id)
                before = row.updated_at
                row.name = name
            after = before if expected is None else datetime(2026, 3, 1, expected, tzinfo=UTC)
            assert row.updated_at == after
            assert row.created_at > datetime(2026, 3, 2, tzinfo=UTC)
