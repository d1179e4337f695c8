"""During an upgrade, publications lack new columns or have unknown ones."""

from datetime import UTC, date, datetime
from uuid import UUID

import duckdb
import pytest

from tests.factories.marts import add_rows, create_marts
from warehouse.catalogue.accruals import COMPUTED
from warehouse.reading.accruals.facts import Moment
from warehouse.reading.accruals.listing import AccrualFilter, list_accruals
from warehouse.reading.accruals.newer import Newer
from warehouse.reading.accruals.published import OwedQuery, owed

ORGANIZATION, ACCRUAL = UUID(int=10), UUID(int=1)
AS_OF = datetime(2026, 5, 20, 12, tzinfo=UTC)


@pytest.fixture
def older() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": 1})
    create_marts(connection)
    connection.execute("create table marts.publication as select ? as as_of", [AS_OF])
    row = {
        "accrual_id": ACCRUAL,
        "organization_id": ORGANIZATION,
        "period_end": date(2026, 5, 3),
        "ends_at": datetime(2026, 5, 4, tzinfo=UTC),
        "timezone": "UTC",
        "amount_cents": 100,
    }
    add_rows(connection, "payout_earned", [row])
    for column in COMPUTED:
        if column.came_later:
            connection.execute(f"alter table machinery.payout_earned drop {column.name}")
    return connection


def test_missing_columns_are_unknown(older: duckdb.DuckDBPyConnection) -> None:
    content = owed(older, OwedQuery(ORGANIZATION, (ACCRUAL,)))[ACCRUAL]
    filters, newer = AccrualFilter(organization_id=ORGANIZATION), Newer(Moment(AS_OF, 0))
    [listed] = list_accruals(older, filters, newer, after=None, limit=2)
    assert (content.amount_cents, content.post_count) == (100, None)
    assert (listed.amount_cents, listed.post_count) == (100, None)


def test_columns_of_newer_models_are_left_out(older: duckdb.DuckDBPyConnection) -> None:
    """Another machine already builds with the next version."""
    row = {
        "accrual_id": UUID(int=2),
        "organization_id": ORGANIZATION,
        "period_end": date(2026, 5, 3),
        "amount_cents": 200,
        "status": "paid",
    }
    add_rows(older, "payout_decided_accruals", [row])
    older.execute("alter table machinery.payout_decided_accruals add brand_new integer")
    filters, newer = AccrualFilter(organization_id=ORGANIZATION), Newer(Moment(AS_OF, 0))
    listed = list_accruals(older, filters, newer, after=None, limit=3)
    assert [accrual.amount_cents for accrual in listed] == [200, 100]
