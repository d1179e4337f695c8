"""Records imports, and retracts them.

Readings of a retracted import stay in the raw tables; each build leaves them out
(`warehouse.control.run`), so rebuilds and backfills do too.
"""

import os
from dataclasses import dataclass
from getpass import getuser
from uuid import UUID

from sqlalchemy import exists, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from warehouse.connection import OnWait, open_warehouse
from warehouse.imports.layouts import VIDEO_SNAPSHOTS, VIDEOS
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.operational.base import business_now
from warehouse.operational.models import Account, Import, Project, RegisteredBatch, Video
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

KIND = "import"
"""The kind of a registered batch."""


class NotRetractableError(Exception):
    """The message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What an import loads."""

    project_id: UUID
    kind: str
    file: str


def record(session: WriteSession, source: Source, import_id: UUID, rows: int) -> None:
    """Record an import in the transaction that loads it, also in the audit log."""
    project = session.get_one(Project, source.project_id)
    event = AuditEvent(
        channel="cli",
        action=f"import {source.kind}",
        organization_id=project.organization_id,
        ids={"project_id": str(project.id), "import_id": str(import_id)},
    )
    with recorded(session, lambda: event):
        session.add(
            Import(
                id=import_id,
                organization_id=project.organization_id,
                project_id=project.id,
                kind=source.kind,
                file=source.file,
                row_count=rows,
                imported_by=_system_account(),
                imported_at=business_now(session),
            )
        )


def _system_account() -> str:
    try:
        return getuser()
    except (KeyError, OSError):  # a user id without a name, as in containers
        return f"uid {os.getuid()}"


def retract(session: WriteSession, loaded: Import, reason: str, by: UUID | None = None) -> None:
    """Retract a locked import, once. Raises NotRetractableError."""
    if loaded.kind == VIDEOS:
        raise NotRetractableError("it loaded posts, not readings: exclude its posts instead")
    if loaded.retracted_at is not None:
        raise NotRetractableError(f"it was retracted at {loaded.retracted_at.isoformat()}")
    loaded.retracted_at = business_now(session)
    loaded.retracted_by, loaded.retraction_reason = by, reason


def retracted_batches(session: Session, project_id: UUID) -> list[UUID]:
    statement = select(Import.id).where(
        Import.project_id == project_id, Import.retracted_at.is_not(None)
    )
    return list(session.scalars(statement))


OLDER = """
    with readings as (
        select batch_seq, 'video-snapshots' as kind, video_id as subject
        from raw.all_video_snapshots where source = 'import'
        union all
        select batch_seq, 'account-snapshots', account_id
        from raw.account_snapshots where source = 'import'
    )

    select batches.batch_id, readings.kind, min(subject), count(*)
    from raw.batches
    inner join readings using (batch_seq)
    where batches.batch_id in (select unnest(?::uuid[]))
    group by batches.batch_id, readings.kind
"""


def record_older(store: OperationalStore, settings: Settings, on_wait: OnWait) -> None:
    """Record ingested imports of versions that recorded none. Their file is unknown.

    Each is of one project. Two commands may record the same.
    """
    statement = select(RegisteredBatch.batch_id, RegisteredBatch.registered_at).where(
        RegisteredBatch.kind == KIND, ~exists().where(Import.id == RegisteredBatch.batch_id)
    )
    with store.read_session() as session:
        instants = {row.batch_id: row.registered_at for row in session.execute(statement)}
    if not instants:
        return
    with open_warehouse(settings, on_wait=on_wait) as connection:
        records = connection.execute(OLDER, [list(instants)]).fetchall()
    with store.write_session() as session:
        for batch_id, kind, subject, rows in records:
            of_post = kind == VIDEO_SNAPSHOTS
            owner: Video | Account = (
                session.get_one(Video, subject) if of_post else session.get_one(Account, subject)
            )
            row = {
                "id": batch_id,
                "organization_id": owner.organization_id,
                "project_id": owner.project_id,
                "kind": kind,
                "row_count": rows,
                "imported_at": instants[batch_id],
            }
            session.execute(insert(Import).values(row).on_conflict_do_nothing())
