"""What may be scraped, and so take readings: the one place that says it.

Used when targets are chosen and again when a batch is registered, since much can be decided in
between. Conditions on one row each; add them to any query of Account or Video.
"""

from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, select

from warehouse.operational.models import Account, Creator, Organization, Project, Video
from warehouse.operational.tracked_videos import COUNTED, tracking_is_on


def scrapable_account() -> ColumnElement[bool]:
    """Active and not deactivated, in a project and an organization at work."""
    return and_(
        Account.is_active,
        Account.deactivated_at.is_(None),
        Account.creator_id.in_(select(Creator.id).where(Creator.is_active)),
        Account.project_id.in_(_projects_at_work()),
    )


def scrapable_video() -> ColumnElement[bool]:
    """Not excluded, with tracking on (M13), in a project and an organization at work."""
    return and_(
        Video.tracking_status != "excluded",
        tracking_is_on(),
        Video.project_id.in_(_projects_at_work()),
    )


def collectable_video() -> ColumnElement[bool]:
    """Whose comments may be collected: what may be scraped and counts, so nothing under review."""
    return and_(scrapable_video(), Video.tracking_status.in_(COUNTED))


def _projects_at_work() -> Select[UUID]:
    return (
        select(Project.id)
        .join(Organization, Organization.id == Project.organization_id)
        .where(Project.is_archived.is_(False), Organization.is_suspended.is_(False))
    )
