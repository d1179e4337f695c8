"""Reviewing posts: those that await it and are of no removed account."""

from uuid import UUID

from sqlalchemy import ColumnElement, and_, or_, select

from serving_api.kit.envelope import Page
from serving_api.kit.errand import Errand, WriteErrand
from serving_api.kit.pagination import Keyset, PageQuery, read_slice
from serving_api.resources.organization.organizations import repository as organizations
from serving_api.resources.organization.projects import repository as projects
from serving_api.resources.tracking.inbox import schemas
from serving_api.resources.tracking.videos import presenter, tracking
from serving_api.resources.tracking.videos import repository as videos
from serving_api.resources.tracking.videos.schemas import ManyChanged, Video
from warehouse.operational import models

NEWEST_FIRST = Keyset(models.Video.created_at, models.Video.id, "inbox")


def list_inbox(errand: Errand, project_id: UUID, query: PageQuery) -> Page[Video]:
    """Return a page of a project's posts that await review, newest first. Raises NotFound."""
    projects.require(errand.session, errand.organization_id, project_id)
    statement = videos.of_organization(errand.organization_id).where(
        models.Video.project_id == project_id, _awaits_review()
    )
    found = read_slice(errand.session, statement, NEWEST_FIRST.of(project_id), query)
    return found.page(
        lambda rows: presenter.present(errand.session, errand.numbers, errand.organization_id, rows)
    )


def review(errand: WriteErrand, project_id: UUID, body: schemas.Review) -> ManyChanged:
    """Approve or exclude posts of the inbox, all of them or none.

    Those that somebody else has reviewed meanwhile are not in it any more, and stay as they are.
    Raises NotFound and LimitReached.
    """
    organizations.lock(errand.session, errand.organization_id)
    projects.require(errand.session, errand.organization_id, project_id)
    found = videos.lock_many(
        errand.session, errand.organization_id, project_id, body.video_ids, _awaits_review()
    )
    newcomers = tracking.set_status(errand.session, found, schemas.STATUS_AFTER[body.action])
    paused = tracking.make_room(errand, newcomers)
    return ManyChanged.of(body.video_ids, {video.id for video in found}, paused)


def _awaits_review() -> ColumnElement[bool]:
    video = models.Video
    kept = select(models.Account.id).where(models.Account.is_active)
    return and_(
        video.tracking_status == "pending_review",
        or_(video.account_id.is_(None), video.account_id.in_(kept)),
    )
