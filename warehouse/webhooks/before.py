"""The publication to compare an organization's new one with: the last whose events it was sent.

That is the shard's own, or, after a move, another shard's. If that one is gone, it is the last one
here that has the organization.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

import duckdb
import structlog
from sqlalchemy import select, true
from sqlalchemy.orm import Session

from warehouse.landing.bucket import open_landing_bucket
from warehouse.landing.folders import remove
from warehouse.operational.models import Organization, WebhookEvent, WebhookReach
from warehouse.operational.store import OperationalStore
from warehouse.publication.errors import DamagedPublicationError
from warehouse.publication.layout import DATABASE, publication_folders
from warehouse.publication.opening import attach_here
from warehouse.publication.shared.fetching import fetch_replaced
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.shards.members import members_of
from warehouse.storage.bucket import BucketStorage
from warehouse.webhooks.log import listening

log = structlog.get_logger()

HAS = "select organization_id from told.marts.organizations"


@dataclass(frozen=True)
class Before:
    """The folder of a publication, and the organizations to compare with it."""

    folder: Path
    organizations: Sequence[UUID]


@dataclass(frozen=True)
class Notified:
    """A publication whose events an organization was sent."""

    folder: str
    as_of: datetime


def last_elsewhere(
    settings: Settings, session: Session, organizations: Collection[UUID]
) -> Mapping[UUID, Notified]:
    """Return the last publications reported to organizations, but for the shard's last one.

    Other shards reported them, before a move or during it.
    """
    own, others = _reached(settings, session)
    if not (organizations and others):
        return {}
    last = (
        select(WebhookEvent.occurred_at, WebhookEvent.data["publication_id"].astext.label("folder"))
        .where(
            WebhookEvent.organization_id == Organization.id,
            WebhookEvent.type == "publication.completed",
        )
        .order_by(WebhookEvent.created_at.desc(), WebhookEvent.sequence.desc())
        .limit(1)
        .lateral()
    )
    rows = select(Organization.id, last.c.folder, last.c.occurred_at).join(last, true())
    is_elsewhere = last.c.folder.not_in([folder.name for folder in own])
    rows = rows.where(Organization.id.in_(organizations), is_elsewhere)
    return {row.id: Notified(row.folder, row.occurred_at) for row in session.execute(rows)}


def notified_before(
    settings: Settings,
    session: Session,
    organizations: Sequence[UUID],
    elsewhere: Mapping[UUID, Notified],
    others: Sequence[Path],
) -> Iterator[Before]:
    """Yield the publications to compare organizations with; those in no publication are left out.

    They are here in the block of `last_here`, which returns the `others`. A publication that is
    gone or unreadable is skipped: what happened in between is then not reported.
    """
    own, _ = _reached(settings, session)
    left, folders = set(organizations), [*own, *others]
    has = {folder: _organizations(folder) for folder in folders}
    named = [
        (folder, {each for each, last in elsewhere.items() if last.folder == folder.name})
        for folder in folders
    ]
    for folder, those in (*named, *has.items()):
        if there := left & those & has[folder]:
            left -= there
            yield Before(folder, sorted(there))


def members_listening(session: Session, settings: Settings) -> Sequence[UUID]:
    """Return the shard's organizations with endpoints; none that another shard serves by now."""
    members = members_of(session, settings.shard)
    return [each for each in listening(session) if members is None or members.has(each)]


@contextmanager
def last_here(settings: Settings, store: OperationalStore, now: Path) -> Iterator[Sequence[Path]]:
    """Have the shard's last publication with sent events here for the block.

    Yields those of other shards that organizations of `now` came from. One that another machine
    made is fetched, which may take minutes: the caller's transaction begins in the block. Raises
    StorageAwayError.
    """
    with store.read_session() as session:
        own, _ = _reached(settings, session)
        listeners = set(listening(session))
    with ExitStack() as fetched:
        others: list[Path] = []
        if listeners and now not in own:
            for folder in own:
                _have(settings, folder, fetched)
            known = {each for folder in own for each in _organizations(folder)}
            there = listeners & _organizations(now)
            with store.read_session() as session:
                elsewhere = last_elsewhere(settings, session, there)
                if elsewhere or there - known:
                    named = {last.folder for last in elsewhere.values()}
                    others = _of_others(settings, session, named)
            others = [_have(settings, folder, fetched) for folder in others]
        yield others


def _reached(settings: Settings, session: Session) -> tuple[list[Path], dict[str, str]]:
    """Return the shard's last publication with sent events, if any, and others' names by shard."""
    its_own = settings.shard or MAIN_SHARD
    rows = session.execute(select(WebhookReach.shard, WebhookReach.publication_id)).all()
    own = [settings.publications_path / str(reached) for shard, reached in rows if shard == its_own]
    return own, {shard: str(reached) for shard, reached in rows if shard != its_own}


def _of_others(settings: Settings, session: Session, named: Collection[str]) -> list[Path]:
    """Return the publications of these names, and those of other shards here, newest first."""
    _, last = _reached(settings, session)
    here = {
        folder.name: folder
        for shard, name in last.items()
        for folder in publication_folders(settings.of_shard(shard).publications_path)
        if folder.name <= name
    }
    there = {name: settings.publications_path / name for name in named} | here
    return [there[name] for name in sorted(there, reverse=True)]


def _have(settings: Settings, folder: Path, fetched: ExitStack) -> Path:
    """Fetch a publication that is not here, until `fetched` ends. Returns its folder."""
    if (folder / DATABASE).exists():
        return folder
    try:
        fetch_replaced(settings, _bucket(settings), UUID(folder.name))
    except (DamagedPublicationError, duckdb.Error) as error:
        log.warning("webhooks_not_compared", publication_id=folder.name, error=str(error))
    fetched.callback(remove, folder)
    return folder


def _bucket(settings: Settings) -> BucketStorage:
    bucket = open_landing_bucket(settings)
    if bucket is None:
        raise DamagedPublicationError("it is not here")
    return bucket


def _organizations(folder: Path) -> Set[UUID]:
    try:
        with duckdb.connect(config={"threads": 1}) as connection:
            attach_here(connection, folder, "told")
            return {organization_id for (organization_id,) in connection.execute(HAS).fetchall()}
    except duckdb.Error:
        return set()
