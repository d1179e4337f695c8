"""Records that may explain why an amount changed: posts, conversions, assignments and pauses."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Self
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from serving_api.kit.pagination import among
from serving_api.kit.rows import rows_of
from serving_api.resources.tracking.videos.presenter import NAMELESS
from warehouse.operational.models import (
    Conversion,
    PayoutAssignment,
    PayoutPause,
    Video,
    VideoOwner,
)

Evidence = Mapping[str, Any]

Change = dict[str, str]
"""`what` changed, a `text` that describes it, and the id of its subject."""


def titled(change: Change, titles: Mapping[str, str]) -> str:
    """Return the change's text with the post's title instead of its id, if it has a title."""
    video_id = change.get("video_id", "")
    title = titles.get(video_id, NAMELESS)
    if title == NAMELESS:
        return change["text"]
    return change["text"].replace(f"post {video_id}", f"post \u201c{title}\u201d", 1)


@dataclass(frozen=True, slots=True)
class Records:
    """Statuses of posts and conversions by id, and decisions about the creator's days."""

    posts: Mapping[str, str] = field(default_factory=dict)
    voided: Mapping[str, datetime | None] = field(default_factory=dict)
    days: Sequence[Change] = ()
    moved: Mapping[str, datetime] = field(default_factory=dict)

    def of_move(self, video_id: str, since: datetime) -> str:
        """Say that a post moved to another account since, in words that follow its id."""
        moved_at = self.moved.get(video_id)
        if moved_at is None or moved_at <= since:
            return ""
        return f", which moved to another account on {instant(moved_at)},"

    def of_post(self, video_id: str) -> str:
        """Say why a post may no longer count, in words that follow its id."""
        status = self.posts.get(video_id)
        return {"excluded": ", which is excluded,", "pending_review": ", which awaits review,"}.get(
            status or "", ""
        )

    def of_conversion(self, conversion_id: str) -> str:
        """Say why a conversion may no longer count, in words that follow its id."""
        if conversion_id not in self.voided:
            return ", which was deleted,"
        voided_at = self.voided[conversion_id]
        return f", which was withdrawn on {instant(voided_at)}," if voided_at else ""


class Sides(NamedTuple):
    """The frozen evidence, the evidence owed now (None if nothing is owed), and the records.

    `frozen_at` is the instant up to which the frozen evidence knew readings. `is_decided_again` is
    true if the version or the counted days changed since.
    """

    frozen: Evidence
    owed: Evidence | None
    records: Records
    frozen_at: datetime
    is_decided_again: bool = False

    def items(self, name: str) -> tuple[Sequence[Evidence], Sequence[Evidence]]:
        """Return a list as (frozen, owed now)."""
        return self.frozen[name], self.owed[name] if self.owed else []


def instant(at: datetime | str) -> str:
    """Format an instant for sentences: to the second, in UTC."""
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def statuses_of_posts(
    session: Session, organization_id: UUID, ids: Collection[str]
) -> dict[str, str]:
    statement = select(Video.id, Video.tracking_status).where(
        Video.organization_id == organization_id, among(Video.id, [UUID(text) for text in ids])
    )
    return {str(row.id): row.tracking_status for row in session.execute(statement)}


def moves_of_posts(
    session: Session, organization_id: UUID, ids: Collection[str]
) -> dict[str, datetime]:
    """Return when posts got their current owner, for posts that had another before."""
    statement = (
        select(VideoOwner.video_id, func.max(VideoOwner.valid_from))
        .where(
            VideoOwner.organization_id == organization_id,
            among(VideoOwner.video_id, [UUID(text) for text in ids]),
        )
        .group_by(VideoOwner.video_id)
        .having(func.count() > 1)
    )
    return {str(video_id): moved_at for video_id, moved_at in session.execute(statement)}


def voided_conversions(
    session: Session, organization_id: UUID, ids: Collection[str]
) -> dict[str, datetime | None]:
    """Return when conversions were voided, None if not. Deleted conversions are left out."""
    statement = select(Conversion.id, Conversion.voided_at).where(
        Conversion.organization_id == organization_id,
        among(Conversion.id, [UUID(text) for text in ids]),
    )
    return {str(row.id): row.voided_at for row in session.execute(statement)}


@dataclass(frozen=True, slots=True)
class DecidedDays:
    """All assignments and pauses of some creators."""

    assignments: Sequence[PayoutAssignment] = ()
    pauses: Sequence[PayoutPause] = ()

    @classmethod
    def of(cls, session: Session, organization_id: UUID, creators: Collection[UUID]) -> Self:
        assignments = (
            rows_of(PayoutAssignment, organization_id)
            .where(among(PayoutAssignment.creator_id, creators))
            .order_by(PayoutAssignment.id)
        )
        pauses = (
            rows_of(PayoutPause, organization_id)
            .where(among(PayoutPause.creator_id, creators))
            .order_by(PayoutPause.paused_at, PayoutPause.id)
        )
        return cls(session.scalars(assignments).all(), session.scalars(pauses).all())

    def since(self, instant: datetime, structure_id: UUID, creator_id: UUID) -> list[Change]:
        """Return later decisions about the days on which a structure pays a creator."""
        assignments = (row for row in self.assignments if row.structure_id == structure_id)
        return [
            *(
                change
                for row in assignments
                if row.creator_id == creator_id
                for change in _of_assignment(row, instant)
            ),
            *(
                change
                for row in self.pauses
                if row.creator_id == creator_id
                for change in _of_pause(row, instant)
            ),
        ]


def _of_assignment(row: PayoutAssignment, since: datetime) -> list[Change]:
    sentences = []
    if row.created_at > since:
        until = f"until {row.end_date}" if row.end_date else "on"
        sentences.append(f"assignment {row.id} from {row.start_date} {until} was added")
    if row.ended_at is not None and row.ended_at > since:
        sentences.append(f"assignment {row.id} was ended on {row.end_date}")
    return [
        {"what": "assignment", "text": text, "assignment_id": str(row.id)} for text in sentences
    ]


def _of_pause(row: PayoutPause, since: datetime) -> list[Change]:
    sentences = []
    if row.paused_at > since:
        sentences.append(f"payouts were paused on {instant(row.paused_at)} (pause {row.id})")
    if row.restarted_at is not None and row.restarted_at > since:
        sentences.append(f"payouts resumed on {instant(row.restarted_at)} (pause {row.id})")
    return [{"what": "pause", "text": text, "pause_id": str(row.id)} for text in sentences]
