"""The publication to compare an organization's new one with: the last with sent events.

It is the shard's own. An organization from another shard is compared with the last one whose events
it was sent: no other publication reports what happened until the first one here.
"""

from collections.abc import Collection, Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import duckdb
import structlog
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from warehouse.landing.bucket import open_landing_bucket
from warehouse.landing.folders import remove
from warehouse.operational.models import WebhookEvent, WebhookReach
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


def notified_before(
    settings: Settings, session: Session, organizations: Sequence[UUID], others: Sequence[Path]
) -> Iterator[Before]:
    """Yield the publications to compare organizations with; those in no publication are left out.

    They are here in the block of `last_here`, which returns the `others`. A publication that is
    gone or unreadable is skipped: what happened in between is then not reported.
    """
    left = set(organizations)
    for folder in (*_own(settings, session), *others):
        if there := left & _organizations(folder):
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
        own = _own(settings, session)
        listeners = set(listening(session))
    with ExitStack() as fetched:
        others: list[Path] = []
        if listeners and now not in own:
            for folder in own:
                _have(settings, folder, fetched)
            known = {each for folder in own for each in _organizations(folder)}
            with store.read_session() as session:
                others = _last_of(settings, session, listeners & _organizations(now) - known)
            others = [_have(settings, folder, fetched) for folder in others]
        yield others


def _own(settings: Settings, session: Session) -> list[Path]:
    its_own = WebhookReach.shard == (settings.shard or MAIN_SHARD)
    ids = session.scalars(select(WebhookReach.publication_id).where(its_own))
    return [settings.publications_path / str(publication_id) for publication_id in ids]


def _last_of(settings: Settings, session: Session, organizations: Collection[UUID]) -> list[Path]:
    """Return publications whose events organizations from other shards may have been sent.

    Newest first, by their ids: those of other shards here, and those that the log of events names.
    """
    last = {row.shard: str(row.publication_id) for row in session.scalars(select(WebhookReach))}
    last.pop(settings.shard or MAIN_SHARD, None)
    if not (organizations and last):
        return []
    here = {
        folder.name: folder
        for shard, name in last.items()
        for folder in publication_folders(settings.of_shard(shard).publications_path)
        if folder.name <= name
    }
    events = (
        select(WebhookEvent.data["publication_id"].astext)
        .ext(distinct_on(WebhookEvent.entity_id))
        .where(
            WebhookEvent.entity_id.in_([str(each) for each in organizations]),
            WebhookEvent.type == "publication.completed",
        )
        .order_by(WebhookEvent.entity_id, WebhookEvent.sequence.desc())
    )
    named: list[str] = [*session.scalars(events)]
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
