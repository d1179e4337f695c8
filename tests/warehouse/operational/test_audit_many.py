"""Bulk writes are in the audit log as if each row had been written alone."""

from collections.abc import Callable
from datetime import date
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import update

from warehouse.ids import uuid7
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.operational.audit_many import delete_many, insert_many
from warehouse.operational.audit_reading import AuditFilters, read_audit
from warehouse.operational.base import business_now
from warehouse.operational.inserting import Row
from warehouse.operational.models import Account, Creator, Tag, TagItem
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore

AUDIT_EVENT = AuditEvent(channel="cli", action="test", ids={})


@pytest.fixture
def rows(store: OperationalStore, organization: NewOrganization) -> list[Row]:
    with store.write_session() as session:
        tag = Tag(
            organization_id=organization.organization_id,
            entity_type="video",
            name="Star",
            name_key="star",
            created_via="api",
        )
        session.add(tag)
        session.flush()
        return [
            {
                "tag_id": tag.id,
                "item_id": uuid7(),
                "organization_id": organization.organization_id,
                "created_at": business_now(session),
            }
            for _ in range(3)
        ]


Write = Callable[[WriteSession, list[Row]], None]


def add_each(session: WriteSession, rows: list[Row]) -> None:
    session.add_all(TagItem(**row) for row in rows)


def delete_each(session: WriteSession, rows: list[Row]) -> None:
    for row in rows:
        session.delete(session.get_one(TagItem, (row["tag_id"], row["item_id"])))


def changes_of(store: OperationalStore, rows: list[Row], write: Write) -> list[Any]:
    """Return the audit log's changes of a write."""
    with store.write_session() as session, recorded(session, lambda: AUDIT_EVENT):
        write(session, rows)
    with store.read_session() as reading:
        record = read_audit(reading, AuditFilters(), limit=1)[0]
    lines = [
        (change.entity_id, change.entity_type, change.kind, change.changes)
        for change in record.changes
    ]
    return sorted(lines, key=lambda line: str(line[0]))


def test_bulk_writes_are_logged_row_by_row(store: OperationalStore, rows: list[Row]) -> None:
    added = changes_of(store, rows, add_each)
    deleted = changes_of(store, rows, lambda session, gone: delete_many(session, TagItem, gone))
    assert changes_of(store, rows, lambda session, new: insert_many(session, TagItem, new)) == added
    assert changes_of(store, rows, delete_each) == deleted
    assert len(added) == len(deleted) == len(rows)


def test_defaults_are_stored_and_logged_as_objects_have_them(
    store: OperationalStore, organization: NewOrganization
) -> None:
    with store.write_session() as session:
        owner = {
            "organization_id": organization.organization_id,
            "project_id": organization.project_id,
        }
        creator = Creator(**owner)
        session.add(creator)
        session.flush()
        account = owner | {"creator_id": creator.id, "platform": "tiktok", "handle": 'a "quoted" é'}
        account |= {"tracking_start_date": date(2026, 1, 31), "tracking_hashtags": ["ad", "a,b"]}
    ids = [uuid7(), uuid7()]
    as_object = changes_of(store, [], lambda session, _: session.add(Account(id=ids[0], **account)))
    with store.write_session() as session:
        session.execute(update(Account).values(is_active=False))
    row = {"id": ids[1], **account}
    as_row = changes_of(store, [], lambda session, _: insert_many(session, Account, [row]))
    assert without_ids(as_row, ids) == without_ids(as_object, ids)
    with store.read_session() as reading:
        stored = [vars(reading.get_one(Account, each)) for each in ids]
    apart = {"_sa_instance_state", "id", "is_active", "created_at", "updated_at", "changed_by"}
    first, second = ({k: v for k, v in each.items() if k not in apart} for each in stored)
    assert first == second
    assert stored[1]["created_at"] == stored[1]["updated_at"] is not None


def without_ids(lines: list[Any], ids: list[UUID]) -> str:
    text = repr(lines)
    for each in ids:
        text = text.replace(str(each), "ID")
    return text


def test_no_rows_log_nothing(store: OperationalStore, rows: list[Row]) -> None:
    del rows[:]
    assert changes_of(store, rows, lambda session, new: insert_many(session, TagItem, new)) == []
    assert changes_of(store, rows, lambda session, gone: delete_many(session, TagItem, gone)) == []
