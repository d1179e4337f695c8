"""The publication to compare an organization's new one with: the last with sent events.

It is the shard's own. An organization from another shard is compared with one of that shard: no
other publication reports what happened until the first one here, as the next one there lacks it.
"""

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import duckdb
import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.landing.bucket import open_landing_bucket
from warehouse.landing.folders import remove
from warehouse.operational.models import WebhookReach
from warehouse.operational.store import OperationalStore
from warehouse.publication.errors import DamagedPublicationError
from warehouse.publication.layout import DATABASE, publication_folders
from warehouse.publication.opening import attach_here
from warehouse.publication.shared.fetching import fetch_replaced
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.webhooks.log import listening

log = structlog.get_logger()

HAS = "select organization_id from told.marts.organizations"


@dataclass(frozen=True)
class Before:
    """The folder of a publication, and the organizations to compare with it."""

    folder: Path
    organizations: Sequence[UUID]


def notified_before(
    settings: Settings, session: Session, organizations: Sequence[UUID]
) -> Iterator[Before]:
    """Yield the publications to compare organizations with; those in no publication are left out.

    The shard's last is here in the block of `last_here`. A publication that is gone or unreadable
    is skipped: what happened in between is then not reported.
    """
    left = set(organizations)
    for folder in _notified_publications(settings, session):
        if not left:
            return
        if there := left & _organizations(folder):
            left -= there
            yield Before(folder, sorted(there))


def _notified_publications(settings: Settings, session: Session) -> Iterator[Path]:
    """Yield the publications with sent events: the shard's last, then others', newest first.

    Their ids sort by creation.
    """
    last = _last_by_shard(session)
    if own := last.pop(settings.shard or MAIN_SHARD, None):
        yield settings.publications_path / own
    others = {shard: settings.of_shard(shard).publications_path for shard in last}
    items = [
        folder
        for shard, path in others.items()
        for folder in publication_folders(path)
        if folder.name <= last[shard]
    ]
    yield from sorted(items, key=lambda folder: folder.name, reverse=True)


def _last_by_shard(session: Session) -> dict[str, str]:
    rows = session.execute(select(WebhookReach.shard, WebhookReach.publication_id))
    return {shard: str(publication_id) for shard, publication_id in rows}


@contextmanager
def last_here(settings: Settings, store: OperationalStore) -> Iterator[None]:
    """Have the shard's last publication with sent events here for the block.

    One that another machine made is fetched, which may take minutes: the caller's transaction
    begins in the block. Raises StorageAwayError.
    """
    with store.read_session() as session:
        own = _last_by_shard(session).get(settings.shard or MAIN_SHARD)
        is_notified = bool(listening(session))
    folder = settings.publications_path / str(own)
    if own is None or not is_notified or (folder / DATABASE).exists():
        yield
        return
    try:
        _fetch(settings, UUID(own))
    except (DamagedPublicationError, duckdb.Error) as error:
        log.warning("webhooks_not_compared", publication_id=own, error=str(error))
    try:
        yield
    finally:
        remove(folder)


def _fetch(settings: Settings, publication_id: UUID) -> None:
    bucket = open_landing_bucket(settings)
    if bucket is None:
        raise DamagedPublicationError("it is not here")
    fetch_replaced(settings, bucket, publication_id)


def _organizations(folder: Path) -> Set[UUID]:
    try:
        with duckdb.connect(config={"threads": 1}) as connection:
            attach_here(connection, folder, "told")
            return {organization_id for (organization_id,) in connection.execute(HAS).fetchall()}
    except duckdb.Error:
        return set()
