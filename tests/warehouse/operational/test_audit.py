"""Writes within `recorded` are in the audit log or do not happen."""

from typing import Any

import pytest
from sqlalchemy import delete, insert, select, update

from warehouse.operational.audit import AuditEvent, EscapesChangeLogError, entity_type_of, recorded
from warehouse.operational.audit_reading import AuditFilters, AuditRecord, read_audit
from warehouse.operational.base import Base, Unlogged
from warehouse.operational.models import ApiKey, Campaign, ChangeEntry, Project
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore

AUDIT_EVENT = AuditEvent(channel="cli", action="test", ids={})


def records(store: OperationalStore) -> list[AuditRecord]:
    with store.read_session() as session:
        return read_audit(session, AuditFilters(), limit=10)


def test_a_block_that_raises_leaves_neither_rows_nor_events(
    store: OperationalStore, organization: NewOrganization
) -> None:
    def fail() -> None:
        with store.write_session() as session, recorded(session, lambda: AUDIT_EVENT):
            session.add(Project(organization_id=organization.organization_id, name="Never"))
            session.flush()
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert records(store) == []
    with store.read_session() as session:
        assert session.scalars(select(ChangeEntry)).all() == []


def test_changes_rolled_back_to_a_savepoint_are_not_logged(
    store: OperationalStore, organization: NewOrganization
) -> None:
    with store.write_session() as session, recorded(session, lambda: AUDIT_EVENT):
        for name in ("Kept", "Taken back"):
            savepoint = session.begin_nested()
            session.add(Project(organization_id=organization.organization_id, name=name))
            session.flush()
            if name == "Kept":
                savepoint.commit()
            else:
                savepoint.rollback()
    (record,) = records(store)
    assert [change.changes["name"]["to"] for change in record.changes] == ["Kept"]


def test_an_unchanged_row_is_not_logged(
    store: OperationalStore, organization: NewOrganization
) -> None:
    with store.write_session() as session, recorded(session, lambda: AUDIT_EVENT):
        project = session.get_one(Project, organization.project_id)
        project.name = "Launch"
    (record,) = records(store)
    assert record.changes == []


@pytest.mark.parametrize(
    "statement",
    [
        update(Project).values(name="Behind the back"),
        delete(Project),
        insert(Project).values(name="Behind the back"),
    ],
    ids=["update", "delete", "insert"],
)
def test_statements_that_would_not_be_logged_are_refused(
    store: OperationalStore, organization: NewOrganization, statement: Any
) -> None:
    def write() -> None:
        with store.write_session() as session, recorded(session, lambda: AUDIT_EVENT):
            session.execute(statement)

    with pytest.raises(EscapesChangeLogError, match="Project"):
        write()


def test_outside_of_recorded_nothing_is_logged_or_refused(
    store: OperationalStore, organization: NewOrganization
) -> None:
    with store.write_session() as session:
        session.execute(update(Project).values(name="Scraped"))
    assert records(store) == []


def test_models_have_user_facing_names() -> None:
    assert entity_type_of(ApiKey) == "api_key"
    assert entity_type_of(Campaign) == "campaign"


def test_no_column_that_looks_like_a_secret_is_open() -> None:
    """Columns with hashes, PINs or passwords must be marked as secret; ids and times need not."""
    suspicious = ("hash", "password", "pin", "token", "secret")
    open_ones = [
        f"{mapper.local_table}.{column.name}"
        for mapper in Base.registry.mappers
        if not issubclass(mapper.class_, Unlogged)
        for column in mapper.columns
        if any(word in column.name.split("_") for word in suspicious)
        and not column.name.endswith(("_id", "_at"))
        and not column.info.get("secret")
    ]
    assert open_ones == []
