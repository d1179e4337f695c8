"""Programs are told of what real passes bring: every query of states is asked of the real marts."""

from collections import Counter
from datetime import timedelta
from uuid import UUID

from sqlalchemy import select

from orchestration.running.pipeline import run_pipeline
from tests.factories.history import roll_up
from tests.orchestration.conftest import FIRST_DAY
from warehouse.operational.models import Video, WebhookEndpoint, WebhookEvent
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.publication.current import CurrentPublication
from warehouse.settings import Settings


def log_of(store: OperationalStore, organization_id: UUID) -> list[WebhookEvent]:
    mine = select(WebhookEvent).filter_by(organization_id=organization_id)
    with store.read_session() as session:
        return list(session.scalars(mine.order_by(WebhookEvent.sequence)))


def test_posts_publications_and_what_turned_stale_are_told(
    scraping: Settings,
    two_tracked: list[str],
    store: OperationalStore,
    organization: NewOrganization,
) -> None:
    organization_id = organization.organization_id
    with store.write_session() as session:
        session.add(
            WebhookEndpoint(
                organization_id=organization_id,
                url="https://hooks.test.invalid/",
                secret_encrypted=b"never used here",
                is_enabled=False,
            )
        )
    run_pipeline(scraping, comments=False)
    first = log_of(store, organization_id)
    with store.read_session() as session:
        posts = {str(video_id) for video_id in session.scalars(select(Video.id))}
    entity_ids = [event.entity_id for event in first if event.type == "video.discovered"]
    assert posts
    assert (set(entity_ids), len(entity_ids)) == (posts, len(posts))
    assert first[-1].type == "publication.completed"
    roll_up(scraping.at(FIRST_DAY + timedelta(days=3)), store)
    brought = log_of(store, organization_id)[len(first) :]
    assert Counter(event.type for event in brought) == {
        "account.stale": 8,  # profile and posts of four accounts
        "publication.completed": 1,
    }
    current = CurrentPublication(scraping.publications_path).info()
    assert brought[-1].data["publication_id"] == str(current.publication_id)
