"""The publication in the bucket to serve: a row of PostgreSQL for each.

A publication gets its position when it is made, and can be served once it is completely in the
bucket. The last such one of its shard is served; an upload that ends after a later publication's
changes nothing. Ages are by PostgreSQL's clock. A `shard` of None is `main`, the only one without
shards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from warehouse.operational.clock import clock_of_database
from warehouse.operational.models import Shard, SharedPublication
from warehouse.publication.info import PublicationInfo
from warehouse.publication.retention import RETENTION, needless
from warehouse.shards.serving import hand_over

CHANNEL = "shared_publications"
"""Channel on which PostgreSQL notifies of a new publication to serve."""

GATHERED = timedelta(hours=1)
"""Listing all retained ones costs the same for one due publication as for those of an hour."""


@dataclass(frozen=True)
class Pointer:
    """The publication to serve, and its position."""

    publication_id: UUID
    position: int


def announce(
    session: Session, info: PublicationInfo, shard: str | None = None, members: str | None = None
) -> int:
    """Return the position of a shard's publication, assigned at its first call.

    `members` is the digest of its members, None for all organizations.
    """
    if known := session.get(SharedPublication, info.publication_id):
        return known.position
    made = SharedPublication(
        publication_id=info.publication_id,
        as_of=info.as_of,
        published_at=info.published_at,
        models_version=info.models_version,
        shard=shard,
        members=members,
    )
    session.add(made)
    session.flush()
    return made.position


def point_to(session: Session, publication_id: UUID) -> None:
    """Serve a publication from now on, unless its shard has a later one; notify nodes.

    It is completely in the bucket. Its shard takes over the members assigned to it that it has.
    """
    not_yet = SharedPublication.shared_at.is_(None)
    session.execute(
        update(SharedPublication)
        .where(SharedPublication.publication_id == publication_id, not_yet)
        .values(shared_at=func.clock_timestamp())
    )
    made = session.get_one(SharedPublication, publication_id)
    hand_over(session, made.shard, made.members)
    session.execute(text(f"notify {CHANNEL}"))


def pointer(session: Session, shard: str | None = None) -> Pointer | None:
    """Return the shard's publication to serve, or None if none was shared yet."""
    row = _pointed(session, shard)
    return Pointer(row.publication_id, row.position) if row else None


def pointers(session: Session) -> Mapping[str | None, Pointer]:
    """Return each shard's publication to serve, by position."""
    rows = sorted(last_shared(session), key=lambda row: row.position)
    return {row.shard: Pointer(row.publication_id, row.position) for row in rows}


def last_shared(session: Session) -> Sequence[SharedPublication]:
    """Return each existing shard's publication to serve."""
    is_there = SharedPublication.shard.is_(None) | SharedPublication.shard.in_(select(Shard.name))
    last = (
        select(SharedPublication)
        .ext(distinct_on(SharedPublication.shard))
        .where(SharedPublication.shared_at.is_not(None), is_there)
        .order_by(SharedPublication.shard, SharedPublication.position.desc())
    )
    return session.scalars(last).all()


def is_to_share(session: Session, info: PublicationInfo, shard: str | None) -> bool:
    """Return whether the last publication of a building machine should be served but is not.

    False if it or a later one is served: another machine may have built meanwhile. One unknown to
    PostgreSQL is older than the bucket, or was replaced a day ago.
    """
    pointed, made = _pointed(session, shard), session.get(SharedPublication, info.publication_id)
    return pointed is None or (made is not None and made.position > pointed.position)


def is_replaced(session: Session, publication_id: UUID, shard: str | None) -> bool:
    """Return whether a later publication than a building machine's is served."""
    pointed, made = _pointed(session, shard), session.get(SharedPublication, publication_id)
    return pointed is not None and (made is None or made.position < pointed.position)


def _pointed(session: Session, shard: str | None) -> SharedPublication | None:
    return session.scalars(
        select(SharedPublication)
        .where(
            SharedPublication.shared_at.is_not(None),
            SharedPublication.shard.is_not_distinct_from(shard),
        )
        .order_by(SharedPublication.position.desc())
        .limit(1)
    ).first()


def forget_all(session: Session) -> None:
    """Delete all pointers, because the bucket is no longer ours, until the next is shared."""
    session.execute(delete(SharedPublication))


def retained_and_due(session: Session) -> tuple[list[UUID], list[UUID]]:
    """Return the shared publications to retain, and all that are due for deletion.

    Both oldest first, by the rules of `retention`. None is due before the first has been due for
    an hour.
    """
    rows = session.scalars(select(SharedPublication).order_by(SharedPublication.position)).all()
    now = clock_of_database(session)
    if not _due(rows, now - GATHERED):
        return [], []
    due = _due(rows, now)
    shared = [row.publication_id for row in rows if row.shared_at]
    ids = [row.publication_id for row in rows]
    return [each for each in shared if each not in due], [each for each in ids if each in due]


def _due(rows: Sequence[SharedPublication], now: datetime) -> set[UUID]:
    """Return replaced publications to delete; incomplete ones after a day."""
    due: set[UUID] = set()
    replaced_at = _replaced_at(rows)
    for shard in {row.shard for row in rows}:
        of_shard = {
            row: replaced_at[row] for row in rows if row.shard == shard and row in replaced_at
        }
        whole = {row.publication_id: at for row, at in of_shard.items() if row.shared_at}
        due.update(needless(whole, now))
        due.update(row.publication_id for row, at in of_shard.items() if at <= now - RETENTION)
    return due


def _replaced_at(rows: Sequence[SharedPublication]) -> Mapping[SharedPublication, datetime]:
    """Return when a later publication of its shard replaced each row. Rows are by position."""
    replaced_at: dict[SharedPublication, datetime] = {}
    later: dict[str | None, datetime] = {}
    for row in reversed(rows):
        if row.shard in later:
            replaced_at[row] = later[row.shard]
        if row.shared_at:
            later[row.shard] = min(row.shared_at, later.get(row.shard, row.shared_at))
    return replaced_at
