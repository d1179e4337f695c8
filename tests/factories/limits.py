"""Organizations near their plan's limit, without thousands of requests."""

from sqlalchemy import insert

from tests.factories.landing import NOON
from warehouse.ids import uuid7
from warehouse.operational.models import Organization, Video
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.plans import plan


def leave_room(store: OperationalStore, organization: NewOrganization, room: int) -> None:
    """Put an organization on the `free` plan and leave `room` for that many videos."""
    ballast = plan("free").max_tracked_videos_per_org - room
    row = {
        "organization_id": organization.organization_id,
        "project_id": organization.project_id,
        "platform": "tiktok",
        "url": "https://www.tiktok.com/",
        "tracking_status": "included",
        "tracking_exempted": True,
        "created_at": NOON,
        "updated_at": NOON,
    }
    with store.write_session() as session:
        session.get_one(Organization, organization.organization_id).plan = "free"
        session.connection().execute(
            insert(Video),
            [{**row, "id": uuid7(), "platform_video_id": f"0{n}"} for n in range(ballast)],
        )
