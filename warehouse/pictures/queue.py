"""Which pictures are to be fetched, and when again. By the real clock."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, update

from warehouse.clock import system_clock
from warehouse.operational.models import PostPicture
from warehouse.operational.store import OperationalStore

WAITS = (timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(days=4))
"""After each attempt; looks at the post bring a new address meanwhile. The next is the last."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A picture to be fetched."""

    platform: str
    platform_video_id: str
    url: str


def claim(store: OperationalStore, most: int) -> Sequence[Wanted]:
    """Return pictures that are due, those for longest first; nobody else gets them meanwhile.

    They are due again after one of WAITS unless they are kept, whatever ends who claimed them.
    """
    now = system_clock()
    due = (
        select(PostPicture)
        .where(PostPicture.due_at <= now)
        .order_by(PostPicture.due_at, PostPicture.platform, PostPicture.platform_video_id)
        .limit(most)
        .with_for_update(skip_locked=True)
    )
    with store.write_session() as session:
        rows = session.scalars(due).all()
        for row in rows:
            row.due_at = _due_again(now, row.attempts)
            row.attempts += 1
        return [Wanted(row.platform, row.platform_video_id, row.url) for row in rows]


def note_kept(store: OperationalStore, picture: Wanted, path: str) -> None:
    """Say under which path a picture is kept."""
    statement = update(PostPicture).where(
        PostPicture.platform == picture.platform,
        PostPicture.platform_video_id == picture.platform_video_id,
    )
    with store.write_session() as session:
        session.execute(statement.values(path=path, due_at=None))


def _due_again(now: datetime, attempts: int) -> datetime | None:
    return now + WAITS[attempts] if attempts < len(WAITS) else None
