"""Which publication in the bucket is the one to serve: a row of PostgreSQL for each.

A publication gets its place in the order of all when it was made, and can be served once all of it
is in the bucket. The one to serve is the last that can be: an upload that ends late, after that of
a later publication, changes nothing. What is old, and how old, goes by PostgreSQL's clock.
"""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.orm import Session

from warehouse.operational.models import SharedPublication
from warehouse.publication.info import PublicationInfo

CHANNEL = "shared_publications"
"""Where PostgreSQL tells (NOTIFY) that there is another one to serve."""

SERVED_THEN = """
    select max(place) from shared_publications
    where shared_at <= clock_timestamp() - make_interval(hours => :hours)
"""
"""The place of the publication that was served so long ago: those before it were replaced then."""
KEPT_HOURS = 24
GATHERED_HOURS = 1
"""To look at all that is kept costs the same for one that is due as for those of an hour."""


@dataclass(frozen=True)
class Pointer:
    """The publication to serve, and its place in the order of all."""

    publication_id: UUID
    place: int


def announce(session: Session, info: PublicationInfo) -> int:
    """Return the place of a publication, given to it when it was announced first."""
    if known := session.get(SharedPublication, info.publication_id):
        return known.place
    made = SharedPublication(
        publication_id=info.publication_id,
        as_of=info.as_of,
        published_at=info.published_at,
        models_version=info.models_version,
    )
    session.add(made)
    session.flush()
    return made.place


def point_to(session: Session, publication_id: UUID) -> None:
    """Let a publication be served from now on, unless a later one is; tell those who listen.

    All of it is in the bucket.
    """
    not_yet = SharedPublication.shared_at.is_(None)
    session.execute(
        update(SharedPublication)
        .where(SharedPublication.publication_id == publication_id, not_yet)
        .values(shared_at=func.clock_timestamp())
    )
    session.execute(text(f"notify {CHANNEL}"))


def pointer(session: Session) -> Pointer | None:
    """Return the publication to serve, None where none was shared yet."""
    found = _pointed(session)
    return Pointer(found.publication_id, found.place) if found else None


def is_to_share(session: Session, info: PublicationInfo) -> bool:
    """Tell whether the last publication of a machine that builds should be the one to serve.

    Not where it is, nor where a later one is: another machine may have built meanwhile.
    """
    pointed, made = _pointed(session), session.get(SharedPublication, info.publication_id)
    if pointed is None:
        return True
    if made is None:
        return info.published_at > pointed.published_at
    return made.place > pointed.place


def _pointed(session: Session) -> SharedPublication | None:
    return session.scalars(
        select(SharedPublication)
        .where(SharedPublication.shared_at.is_not(None))
        .order_by(SharedPublication.place.desc())
        .limit(1)
    ).first()


def forget_all(session: Session) -> None:
    """Point to none: they are in a bucket that is no longer ours, until the next is shared."""
    session.execute(delete(SharedPublication))


def kept_and_due(session: Session) -> tuple[list[UUID], list[UUID]]:
    """Return the shared publications that may still be read, and all that were replaced a day ago.

    Both oldest first. None is due before the first of them has been so for an hour.
    """
    rows = session.scalars(select(SharedPublication).order_by(SharedPublication.place)).all()
    if not rows or rows[0].place >= _served_ago(session, KEPT_HOURS + GATHERED_HOURS):
        return [], []
    boundary = _served_ago(session, KEPT_HOURS)
    kept = [row.publication_id for row in rows if row.place >= boundary and row.shared_at]
    return kept, [row.publication_id for row in rows if row.place < boundary]


def _served_ago(session: Session, hours: int) -> int:
    return session.scalar(text(SERVED_THEN), {"hours": hours}) or 0
