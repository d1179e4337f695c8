from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import duckdb
import pytest

from tests.factories.tracking import Customer, add_organization, change
from warehouse.operational.engines import IDLE, LONGEST_IDLE
from warehouse.operational.models import CommentSettings, Organization, PayoutStructure
from warehouse.raw import followed_copy
from warehouse.raw.operational_copy import copy_operational

Connection = duckdb.DuckDBPyConnection


def test_rows_arrive_typed(customer: Customer, warehouse: Connection) -> None:
    account = customer.account("demo")
    posted = datetime(2026, 5, 4, 12, 0, 0, 123456, tzinfo=UTC)
    video = customer.video("7001", account=account, posted_at=posted)
    counts = copy_operational(customer.store, warehouse)
    assert counts["videos"] == counts["video_owners"] == counts["accounts"] == 1
    row = warehouse.sql(
        "select id, account_id, posted_at, tracking_disabled, caption from operational.videos"
    ).fetchone()
    assert row == (video, account, posted, False, None)


def test_a_copy_replaces_the_last_one(customer: Customer, warehouse: Connection) -> None:
    customer.video("7001")
    copy_operational(customer.store, warehouse)
    customer.video("7002")
    assert copy_operational(customer.store, warehouse)["videos"] == 2


def test_nothing_secret_or_personal_is_copied(customer: Customer, warehouse: Connection) -> None:
    copy_operational(customer.store, warehouse)
    columns = warehouse.sql(
        "select table_name, column_name from duckdb_columns() where schema_name = 'operational'"
    ).fetchall()
    hidden = ("hash", "pin", "email", "password", "key")
    named = {column for column in columns if any(segment in column[1] for segment in hidden)}
    assert named == {("conversion_events", "key")}, "the key in the API"


def test_all_tables_are_of_one_snapshot(
    customer: Customer, warehouse: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row added during the copy appears in no table. The snapshot has a time limit."""
    copied: list[str] = []
    arrive = followed_copy.arrive

    def arrive_and_be_overtaken(*arguments: Any, **options: Any) -> None:
        arrive(*arguments, **options)
        copied.append(arguments[2].name)
        arguments[0].execute(f"select current_setting('{IDLE}')")
        assert arguments[0].fetchone() == (LONGEST_IDLE,)
        if len(copied) == 1:
            customer.account("late")

    monkeypatch.setattr(followed_copy, "arrive", arrive_and_be_overtaken)
    counts = copy_operational(customer.store, warehouse)
    assert (counts["accounts"], counts["creators"]) == (0, 0)
    assert "creators" in copied[1:]


def test_a_copy_that_fails_leaves_the_last_one(customer: Customer, warehouse: Connection) -> None:
    copy_operational(customer.store, warehouse)
    zone = {"analytics_tz": "Mars/Olympus", "name": "Moved"}
    change(customer.store, Organization, customer.organization.organization_id, **zone)
    with pytest.raises(ZoneInfoNotFoundError):
        copy_operational(customer.store, warehouse)
    names = warehouse.sql("select name from operational.organizations").fetchall()
    assert names == [("Acme",)]


@pytest.mark.slow
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kathmandu", "Africa/Casablanca"])
def test_the_offsets_of_every_zone_in_use_cover_all_times_without_gap_or_overlap(
    customer: Customer, warehouse: Connection, zone: str
) -> None:
    add_organization(customer.store, "Away", zone)
    copy_operational(customer.store, warehouse)
    spans = warehouse.execute(
        "select starts_at, ends_at, utc_offset_seconds from operational.zone_offsets"
        " where zone = ? order by starts_at",
        [zone],
    ).fetchall()
    assert spans[0][0] == datetime(2000, 1, 1, tzinfo=UTC)
    assert spans[-1][1] == datetime(2100, 1, 1, tzinfo=UTC)
    assert [span[1] for span in spans[:-1]] == [span[0] for span in spans[1:]]
    for starts_at, ends_at, offset in spans:
        for instant in (starts_at, ends_at - timedelta(seconds=1)):
            local = instant.astimezone(ZoneInfo(zone))
            assert local.utcoffset() == timedelta(seconds=offset)


def test_a_zone_used_only_by_a_structure_has_offsets_too(
    customer: Customer, warehouse: Connection
) -> None:
    """Without offsets, its periods would have no bounds and its accruals would disappear."""
    with customer.store.write_session() as session:
        structure = PayoutStructure(
            organization_id=customer.organization.organization_id,
            project_id=customer.organization.project_id,
            name="Views",
            timezone="Asia/Kathmandu",
        )
        session.add(structure)
    copy_operational(customer.store, warehouse)
    zones = warehouse.sql("select distinct zone from operational.zone_offsets order by 1")
    assert zones.fetchall() == [("Asia/Kathmandu",), ("UTC",)]


def test_unused_zones_are_left_out(customer: Customer, warehouse: Connection) -> None:
    copy_operational(customer.store, warehouse)
    zones = warehouse.sql("select distinct zone from operational.zone_offsets").fetchall()
    assert zones == [("UTC",)]


def test_comment_settings_arrive_with_their_lists_of_terms(
    customer: Customer, warehouse: Connection
) -> None:
    with customer.store.write_session() as session:
        session.add(
            CommentSettings(
                organization_id=customer.organization.organization_id,
                min_comment_count=7,
                brand_terms=["Acme", 'été, "1"'],
            )
        )
    copy_operational(customer.store, warehouse)
    assert warehouse.sql("from operational.comment_settings").fetchall() == [
        (customer.organization.organization_id, 7, ["Acme", 'été, "1"'], [])
    ]
