"""Daily allowances of comment crawls, and defaults of comment settings."""

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
    """Return the organization's brand terms, or its name if it has none.

    Terms replace the name, because an agency's own name is no brand.
    """
    return list(brand_terms) or [organization_name]


# Daily limits (contract, Comment endpoints; decisions.md, Plans), applied when crawls are chosen
# and again when they are registered. A video counts once a day, whatever the outcome, because the
# limit also bounds requests to platforms.

_LONGEST_DAY = timedelta(hours=26)


@dataclass(frozen=True, slots=True)
class Allowance:
    """An organization's remaining allowance for the day, in its own zone.

    `crawled` are the videos crawled today, which cost nothing more.
    """

    left: int
    crawled: frozenset[UUID]
    min_comment_count: int

    def within_allowance(self, video_ids: Collection[UUID]) -> list[UUID]:
        """Return the videos, in order, that the allowance covers."""
        new = [video_id for video_id in video_ids if video_id not in self.crawled]
        allowed = {*self.crawled, *new[: self.left]}
        return [video_id for video_id in video_ids if video_id in allowed]


def allowances(session: Session, now: datetime) -> dict[UUID, Allowance]:
    """Return allowances by organization, for plans with comments."""
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
    """Return (video, instant) of today's crawls in any time zone, by organization."""
    statement = select(
        CommentCollection.organization_id, CommentCollection.video_id, CommentCollection.walked_at
    ).where(CommentCollection.walked_at >= now - _LONGEST_DAY)
    crawls: dict[UUID, list[tuple[UUID, datetime]]] = {}
    for organization_id, video_id, walked_at in session.execute(statement):
        crawls.setdefault(organization_id, []).append((video_id, walked_at))
    return crawls


def _began_today(zone: str, now: datetime) -> datetime:
    """Return when the local day of `now` began."""
    today = now.astimezone(ZoneInfo(zone)).date()
    return start_of(today, zone)
