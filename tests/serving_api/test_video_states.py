"""The contract's 'States and transitions': the rows of videos, with those of the inbox.

Each row: the initial states, the request, and the next state. Limits and responses of a row are in
the tests of the resources.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from tests.factories.tracking import add_video
from tests.fixtures.api import NOW, Tenant
from warehouse.operational.models import Video, VideoStatus
from warehouse.operational.tracked_videos import tracked_video
from warehouse.registration.scrapable import scrapable_video

STATUSES = ("auto_tracked", "pending_review", "included", "excluded", "direct_add")
COUNTED = ("auto_tracked", "included", "direct_add")
OFF: dict[str, dict[str, Any]] = {
    "on": {},
    "disabled": {"tracking_disabled": True, "tracking_disabled_at": NOW},
    "paused": {"plan_limit_paused_at": NOW},
    "frozen": {"frozen_at": NOW},
    "stopped": {"stopped_at": NOW},
}


@dataclass(frozen=True)
class Start:
    """A video's initial state in a row."""

    status: str = "included"
    off: str = "on"
    is_exempt: bool = False

    def __str__(self) -> str:
        return f"{self.status}-{self.off}{'-exempt' if self.is_exempt else ''}"


def to(status: str) -> dict[str, Any]:
    return {"tracking_status": status}


@dataclass(frozen=True)
class Row:
    """A row of the table for one state. `body` is None if the trigger has no body."""

    start: Start
    method: str
    path: str
    status: str
    is_tracked: bool
    body: dict[str, Any] | None = None

    def __str__(self) -> str:
        action = (self.body or {}).get("tracking_status") or self.path.rpartition("/")[2]
        return f"{self.start}--{self.method}-{action}"


ANY = [*(Start(status) for status in STATUSES), *(Start(off=off) for off in OFF if off != "on")]
"""Every status, and every reason why tracking may be off."""

VIDEO = "/videos/{id}"
ROWS = [
    *(Row(start, "DELETE", VIDEO, "excluded", is_tracked=False) for start in ANY),
    *(
        Row(start, "PATCH", VIDEO, after, start.off == "on" and after in COUNTED, to(after))
        for start in ANY
        for after in STATUSES
    ),
    *(
        Row(start, "POST", f"{VIDEO}/tracking-disable", start.status, is_tracked=False)
        for start in ANY
    ),
    *(
        Row(start, "POST", f"{VIDEO}/tracking-enable", start.status, start.status in COUNTED)
        for start in ANY
    ),
    *(
        Row(start, "POST", f"{VIDEO}/tracking-unexempt", start.status, is_tracked=True)
        for start in (Start(), Start(is_exempt=True))
    ),
]


def begin(tenant: Tenant, start: Start) -> UUID:
    columns = {"tracking_status": start.status, "tracking_exempted": start.is_exempt}
    return add_video(tenant.api.store, tenant.made, "1", **columns, **OFF[start.off])


def conditions(tenant: Tenant, video: UUID) -> tuple[bool, bool]:
    """Whether the plan counts the video, and whether it is scraped."""
    query = select(tracked_video(), scrapable_video()).where(Video.id == video)
    with tenant.api.store.read_session() as session:
        tracked, scraped = session.execute(query).one()
    return tracked, scraped


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_of_the_table(tenant: Tenant, row: Row) -> None:
    video = begin(tenant, row.start)
    request = {} if row.body is None else {"json": row.body}
    path = row.path.replace("{id}", str(video))
    for _ in range(2):
        tenant.client.data(row.method, path, **request)
    post = tenant.client.data("GET", f"/videos/{video}")
    assert (post["tracking_status"], post["tracking_exempted"]) == (row.status, False)
    tracked, scraped = conditions(tenant, video)
    assert tracked == row.is_tracked
    assert not (scraped and row.status == "excluded")
    listed = [post["id"] for post in tenant.client.data("GET", "/videos")]
    assert listed == ([] if row.status == "excluded" else [str(video)])


@pytest.mark.parametrize("off", OFF)
def test_an_excluded_video_that_is_included_is_tracked_again(tenant: Tenant, off: str) -> None:
    video = begin(tenant, Start("auto_tracked", off))
    tenant.client.data("DELETE", f"/videos/{video}")
    tenant.client.data("PATCH", f"/videos/{video}", json={"tracking_status": "included"})
    assert conditions(tenant, video) == (True, True)


@pytest.mark.parametrize(("action", "status"), [("approve", "included"), ("exclude", "excluded")])
def test_the_inbox_leads_to_included_or_excluded(tenant: Tenant, action: str, status: str) -> None:
    video = begin(tenant, Start("pending_review"))
    assert conditions(tenant, video) == (False, True)
    body = {"video_ids": [str(video)], "action": action}
    tenant.client.data("PATCH", f"/projects/{tenant.project_id}/inbox", json=body)
    assert tenant.client.data("GET", f"/videos/{video}")["tracking_status"] == status
    assert conditions(tenant, video) == (status == "included", status == "included")
    with tenant.api.store.read_session() as session:
        dated = select(VideoStatus.tracking_status).where(VideoStatus.video_id == video)
        assert session.scalars(dated).all() == [status]
