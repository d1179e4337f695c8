"""Rows written many at once are told in the change log as if each had been written alone."""

from collections.abc import Callable
from typing import Any

import pytest

from warehouse.ids import uuid7
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.operational.audit_many import Row, delete_many, insert_many
from warehouse.operational.audit_reading import AuditFilters, read_audit
from warehouse.operational.base import business_now
from warehouse.operational.models import Tag, TagItem
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


def told(store: OperationalStore, rows: list[Row], write: Write) -> list[Any]:
    """What the change log says of a write, in the order of the rows."""
    with store.write_session() as session, recorded(session, lambda: AUDIT_EVENT):
        write(session, rows)
    with store.read_session() as reading:
        record = read_audit(reading, AuditFilters(), limit=1)[0]
    lines = [
        (change.entity_id, change.entity_type, change.kind, change.changes)
        for change in record.changes
    ]
    return sorted(lines, key=lambda line: str(line[0]))


def test_many_are_told_as_each_would_be(store: OperationalStore, rows: list[Row]) -> None:
    added = told(store, rows, add_each)
    deleted = told(store, rows, lambda session, gone: delete_many(session, TagItem, gone))
    assert told(store, rows, lambda session, new: insert_many(session, TagItem, new)) == added
    assert told(store, rows, delete_each) == deleted
    assert len(added) == len(deleted) == len(rows)


def test_nothing_is_told_of_nothing(store: OperationalStore, rows: list[Row]) -> None:
    del rows[:]
    assert told(store, rows, lambda session, new: insert_many(session, TagItem, new)) == []
    assert told(store, rows, lambda session, gone: delete_many(session, TagItem, gone)) == []
