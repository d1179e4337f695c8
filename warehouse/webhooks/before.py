"""With which publication an organization's new one is compared: the last that was told of.

It is of the shard's own. Of who came from another shard it is one of that: what happened until the
first publication here is told by nobody else, since the next one there lacks them.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import duckdb
from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.models import WebhookReach
from warehouse.publication.layout import DATABASE
from warehouse.publication.sql import attached
from warehouse.settings import MAIN_SHARD, Settings

HAS = "select organization_id from told.marts.organizations"


@dataclass(frozen=True)
class Before:
    """The folder of a publication, and who is compared with it."""

    folder: Path
    organizations: Sequence[UUID]


def notified_before(
    settings: Settings, session: Session, organizations: Sequence[UUID]
) -> Iterator[Before]:
    """Yield with what these organizations are compared; who is nowhere yet is left out.

    A publication that is gone, or cannot be read, is passed over, as are those of other machines
    that nobody took from the bucket to this one: what happened in between is not told then.
    """
    left = set(organizations)
    for folder in _notified_publications(settings, session):
        if not left:
            return
        if there := left & _organizations(folder):
            left -= there
            yield Before(folder, sorted(there))


def _notified_publications(settings: Settings, session: Session) -> Iterator[Path]:
    """Yield the publications that were told of: the shard's last, then others', newest first.

    Their ids have the order in which they were made.
    """
    rows = session.execute(select(WebhookReach.shard, WebhookReach.publication_id))
    last = {shard: str(publication_id) for shard, publication_id in rows}
    if own := last.pop(settings.shard or MAIN_SHARD, None):
        yield settings.publications_path / own
    others = {shard: settings.of_shard(shard).publications_path for shard in last}
    items = [folder for shard, path in others.items() for folder in _up_to(path, last[shard])]
    yield from sorted(items, key=lambda folder: folder.name, reverse=True)


def _up_to(publications: Path, last: str) -> Sequence[Path]:
    """Return a shard's publications that are still here, up to the last that was told of."""
    if not publications.exists():
        return []
    return [folder for folder in publications.iterdir() if folder.name <= last]


def _organizations(folder: Path) -> Set[UUID]:
    try:
        with (
            duckdb.connect() as connection,
            attached(connection, folder / DATABASE, "told", read_only=True),
        ):
            return {organization_id for (organization_id,) in connection.execute(HAS).fetchall()}
    except duckdb.Error:
        return set()
