"""What comments an organization may collect, and what its settings mean where they say nothing."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warehouse.operational.models import CommentCollection, CommentSettings, Organization
from warehouse.operational.models.organizations import DEFAULT_MIN_COMMENT_COUNT
from warehouse.plans import plan
from warehouse.zones import start_of


def effective_brand_terms(organization_name: str, brand_terms: Sequence[str]) -> list[str]:
    """Return what counts as the brand in comments: the terms, or the name where there are none.

    An agency's own name is nobody's brand, so terms that are set stand alone.
    """
    return list(brand_terms) or [organization_name]


# What belongs here: the one count of a day (contract, Comment endpoints; decisions.md, Plans), used
# when crawls are chosen and again when they are registered. A video counts once a day, whatever
# came of its crawls: the limit is on what platforms are asked for, too.

_LONGEST_DAY = timedelta(hours=26)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of an organization's day, in its own zone.

    `crawled` are the videos that were crawled today already, and so need no more room.
    """

    left: int
    crawled: frozenset[UUID]
    min_comment_count: int

    def within_allowance(self, video_ids: Collection[UUID]) -> list[UUID]:
        """Return those of the videos, in their order, that the rest of the day has room for."""
        new = [video_id for video_id in video_ids if video_id not in self.crawled]
        allowed = {*self.crawled, *new[: self.left]}
        return [video_id for video_id in video_ids if video_id in allowed]


def allowances(session: Session, now: datetime) -> dict[UUID, Allowance]:
    """Return the allowances of the organizations whose plan has comments, by their ids."""
    minimum = func.coalesce(CommentSettings.min_comment_count, DEFAULT_MIN_COMMENT_COUNT)
    organizations = (
        select(Organization.id, Organization.plan, Organization.analytics_tz, minimum)
        .outerjoin(CommentSettings, CommentSettings.organization_id == Organization.id)
        .where(Organization.is_suspended.is_(False))
        .order_by(Organization.id)
    )
    crawled = _crawled(session, now)
    allowance_of: dict[UUID, Allowance] = {}
    for organization_id, plan_name, zone, min_comment_count in session.execute(organizations):
        if plan(plan_name).comment_insights_enabled:
            began = _began_today(zone, now)
            today = frozenset(
                video_id
                for video_id, walked_at in crawled.get(organization_id, [])
                if walked_at >= began
            )
            left = max(plan(plan_name).max_comment_videos_per_day - len(today), 0)
            allowance_of[organization_id] = Allowance(left, today, min_comment_count)
    return allowance_of


def _crawled(session: Session, now: datetime) -> dict[UUID, list[tuple[UUID, datetime]]]:
    """Return by organization what was crawled since today began in whatever zone, and when."""
    statement = select(
        CommentCollection.organization_id, CommentCollection.video_id, CommentCollection.walked_at
    ).where(CommentCollection.walked_at >= now - _LONGEST_DAY)
    crawls: dict[UUID, list[tuple[UUID, datetime]]] = {}
    for organization_id, video_id, walked_at in session.execute(statement):
        crawls.setdefault(organization_id, []).append((video_id, walked_at))
    return crawls


def _began_today(zone: str, now: datetime) -> datetime:
    """Return when the day that `now` is in began in a zone."""
    today = now.astimezone(ZoneInfo(zone)).date()
    return start_of(today, zone)
