"""The limit of tracked videos in the store. Over HTTP: serving_api, test_video_limit."""

from datetime import timedelta
from threading import Thread
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from tests.factories.landing import NOON
from tests.factories.limits import leave_room
from tests.factories.tracking import add_account, add_video, change
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.operational.models import Account, ChangeEntry, Video
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.operational.tracked_videos import NoRoomError, hold_limit, make_room, tracked_video

UNTRACKED: dict[str, dict[str, Any]] = {
    "pending": {"tracking_status": "pending_review"},
    "excluded": {"tracking_status": "excluded"},
    "disabled": {"tracking_disabled": True},
    "paused": {"plan_limit_paused_at": NOON},
    "frozen": {"frozen_at": NOON},
    "stopped": {"stopped_at": NOON},
}


class Shelf:
    """The videos of an organization with room for two."""

    def __init__(self, store: OperationalStore, organization: NewOrganization) -> None:
        self.store = store
        self.organization = organization
        leave_room(store, organization, 2)

    def add(self, name: str, day: int | None = None, **changes: Any) -> UUID:
        """Add a video published on that day of May, or at an unknown time."""
        posted_at = NOON.replace(day=day) if day else None
        return add_video(self.store, self.organization, name, posted_at=posted_at, **changes)

    def hold(self) -> int:
        with self.store.write_session() as session:
            return hold_limit(session, self.organization.organization_id)

    def make_room(self, *newcomers: UUID) -> int:
        with self.store.write_session() as session:
            return make_room(session, self.organization.organization_id, newcomers)

    @property
    def tracked(self) -> list[str]:
        """Return the names of tracked videos without the fillers."""
        statement = select(Video.platform_video_id).where(
            Video.organization_id == self.organization.organization_id,
            tracked_video(),
            Video.platform_video_id.not_like("0%"),
        )
        with self.store.read_session() as session:
            return sorted(session.scalars(statement))


@pytest.fixture
def shelf(store: OperationalStore, organization: NewOrganization) -> Shelf:
    return Shelf(store, organization)


def test_the_earliest_posted_is_paused_and_an_unknown_day_comes_last(shelf: Shelf) -> None:
    for name, day in [("b", 9), ("unknown", None), ("a", 7), ("c", 11)]:
        shelf.add(name, day)
    assert shelf.hold() == 2
    assert shelf.tracked == ["c", "unknown"]
    assert shelf.hold() == 0


def test_at_one_instant_the_one_added_first_is_older(shelf: Shelf) -> None:
    for name, minutes in [("second", 2), ("first", 1), ("third", 3)]:
        shelf.add(name, 7, created_at=NOON + timedelta(minutes=minutes))
    shelf.hold()
    assert shelf.tracked == ["second", "third"]


@pytest.mark.parametrize("state", UNTRACKED)
def test_untracked_videos_take_no_room(shelf: Shelf, state: str) -> None:
    shelf.add("a", 7)
    shelf.add("b", 8)
    shelf.add("old", 1, **UNTRACKED[state])
    assert shelf.hold() == 0
    assert shelf.tracked == ["a", "b"]


def test_videos_of_a_removed_account_take_no_room_those_of_a_deactivated_one_do(
    shelf: Shelf,
) -> None:
    account = add_account(shelf.store, shelf.organization, "demo")
    for name, day in [("a", 7), ("b", 8), ("c", 9)]:
        shelf.add(name, day, account=account)
    change(shelf.store, Account, account, deactivated_at=NOON)
    assert shelf.hold() == 1
    change(shelf.store, Account, account, is_active=False)
    shelf.add("d", 10)
    shelf.add("e", 11)
    assert shelf.hold() == 0


def test_only_other_videos_are_paused_to_make_room(shelf: Shelf) -> None:
    shelf.add("a", 7)
    shelf.add("b", 8)
    oldest = shelf.add("old", 1)
    assert shelf.make_room(oldest) == 1
    assert shelf.tracked == ["b", "old"]


def test_a_video_that_stays_untracked_needs_no_room(shelf: Shelf) -> None:
    for name in ("a", "b", "c"):
        shelf.add(name, 7, tracking_exempted=True)
    disabled = shelf.add("new", 9, tracking_disabled=True)
    assert shelf.make_room(disabled) == 0


def test_no_room_can_be_made_where_all_others_are_exempt(shelf: Shelf) -> None:
    shelf.add("a", 7, tracking_exempted=True)
    shelf.add("b", 8, tracking_exempted=True)
    newest = shelf.add("new", 9)
    with pytest.raises(NoRoomError) as refused:
        shelf.make_room(newest)
    assert (refused.value.current, refused.value.maximum) == (500, 500)
    assert shelf.tracked == ["a", "b", "new"]
    assert shelf.hold() == 1
    assert shelf.tracked == ["a", "b"]


def test_a_pause_in_a_request_is_in_the_audit_log(shelf: Shelf) -> None:
    paused = shelf.add("a", 7)
    shelf.add("b", 8)
    shelf.add("c", 9)
    audit_event = AuditEvent(channel="api", action="test", ids={})
    with shelf.store.write_session() as session, recorded(session, lambda: audit_event):
        hold_limit(session, shelf.organization.organization_id)
    with shelf.store.read_session() as session:
        line = session.scalars(select(ChangeEntry)).one()
        video = session.get_one(Video, paused)
    assert (line.entity_type, line.entity_id, line.kind) == ("video", paused, "changed")
    assert line.organization_id == shelf.organization.organization_id
    assert line.changes == {
        "plan_limit_paused_at": {"from": None, "to": video.plan_limit_paused_at.isoformat()}
    }


def test_two_concurrent_requests_do_not_share_the_room(shelf: Shelf) -> None:
    shelf.add("a", 7)
    organization_id = shelf.organization.organization_id

    def add(name: str) -> None:
        with shelf.store.write_session() as session:
            video = Video(
                organization_id=organization_id,
                project_id=shelf.organization.project_id,
                platform="tiktok",
                platform_video_id=name,
                url="https://www.tiktok.com/",
                tracking_status="direct_add",
            )
            session.add(video)
            session.flush()
            make_room(session, organization_id, [video.id])

    threads = [Thread(target=add, args=(f"new-{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(shelf.tracked) == 2
