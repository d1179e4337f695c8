"""Webhooks report what publications bring: every query of states reads the real marts."""

from collections import Counter
from uuid import UUID

import pytest
from sqlalchemy import select

from tests.factories.history import HANDLES, day, live_through, roll_up, track
from tests.factories.landing import fetch
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Video, WebhookEndpoint, WebhookEvent
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.publication.current import CurrentPublication
from warehouse.settings import Settings

pytestmark = pytest.mark.slow


def log_of(store: OperationalStore, organization_id: UUID) -> list[WebhookEvent]:
    mine = select(WebhookEvent).filter_by(organization_id=organization_id)
    with store.read_session() as session:
        return list(session.scalars(mine.order_by(WebhookEvent.sequence)))


def test_posts_publications_and_stale_accounts_are_reported(
    settings: Settings, store: OperationalStore, organization: NewOrganization
) -> None:
    organization_id = organization.organization_id
    track(store, organization)
    with store.write_session() as session:
        session.add(
            WebhookEndpoint(
                organization_id=organization_id,
                url="https://hooks.test.invalid/",
                secret_encrypted=b"never used here",
                is_enabled=False,
            )
        )
    fields = {"job_type": "creator_profiles", "started_at": day(0), "finished_at": day(0)}
    LandingWriter(open_landing(settings)).land(outcomes=[fetch(each, **fields) for each in HANDLES])
    live_through(settings, 1)
    first = log_of(store, organization_id)
    with store.read_session() as session:
        posts = {str(video_id) for video_id in session.scalars(select(Video.id))}
    entity_ids = [event.entity_id for event in first if event.type == "video.discovered"]
    assert posts
    assert (set(entity_ids), len(entity_ids)) == (posts, len(posts))
    assert first[-1].type == "publication.completed"
    roll_up(settings.at(day(3)), store)
    brought = log_of(store, organization_id)[len(first) :]
    assert Counter(event.type for event in brought) == {
        "account.stale": 2 * len(HANDLES),  # profile and posts
        "publication.completed": 1,
    }
    current = CurrentPublication(settings.publications_path).info()
    assert brought[-1].data["publication_id"] == str(current.publication_id)
