"""Dated decisions: the current state always agrees with the history."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from tests.factories.machine_clock import clock_ahead
from tests.factories.tracking import add_video
from tests.fixtures.locks import wait_until_waiting
from tests.fixtures.statements import statements_sent
from warehouse.operational import clock
from warehouse.operational.dated import (
    Owned,
    date_owners,
    set_conversion_payouts,
    set_video_status,
    set_zone,
)
from warehouse.operational.models import (
    Account,
    Creator,
    Organization,
    OrganizationConversionPayouts,
    OrganizationZone,
    Video,
    VideoStatus,
)
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore
from warehouse.zones import UnknownZoneError


def day(number: int) -> datetime:
    return datetime(2026, 3, number, tzinfo=UTC)


@pytest.fixture
def session(store: OperationalStore) -> Iterator[WriteSession]:
    with store.write_session() as opened:
        yield opened


@pytest.fixture
def of(organization: NewOrganization) -> dict[str, Any]:
    """Return the owner columns of a row of the project."""
    return {
        "organization_id": organization.organization_id,
        "project_id": organization.project_id,
    }


@pytest.fixture
def video(session: WriteSession, of: dict[str, Any]) -> Video:
    row = Video(
        **of,
        platform="tiktok",
        platform_video_id="7",
        url="https://www.tiktok.com/@ada/video/7",
        tracking_status="pending_review",
    )
    session.add(row)
    session.flush()
    return row


def test_a_machine_whose_clock_is_wrong_decides_nothing(
    session: WriteSession, video: Video, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A post's owner would start in the future; earlier readings would go to another."""
    monkeypatch.setattr(clock, "datetime", clock_ahead(timedelta(minutes=2)))
    with pytest.raises(clock.WrongClockError):
        date_owners(session, [Owned(video.id, video.organization_id, None, None)], day(2))
    with pytest.raises(clock.WrongClockError):
        set_video_status(session, video, "included", day(2))


def test_clocks_are_compared_once_in_each_transaction(session: WriteSession, video: Video) -> None:
    """Not for each of 500 posts, and again in another transaction."""
    for _ in range(2):
        with statements_sent() as sent:
            set_video_status(session, video, "included", day(2))
            with session.begin_nested():
                set_video_status(session, video, "excluded", day(3))
            date_owners(session, [Owned(video.id, video.organization_id, None, None)], day(2))
        assert str(sent).count("clock_timestamp()") == 1
        session.commit()


@pytest.fixture
def account(session: WriteSession, of: dict[str, Any]) -> Account:
    creator = Creator(**of, display_name="Ada")
    session.add(creator)
    session.flush()
    row = Account(**of, creator_id=creator.id, platform="tiktok", handle="ada")
    session.add(row)
    session.flush()
    return row


class TestVideoStatus:
    @staticmethod
    def history(session: WriteSession) -> list[tuple[str, datetime]]:
        rows = select(VideoStatus.tracking_status, VideoStatus.valid_from)
        return [(s, at) for s, at in session.execute(rows.order_by(VideoStatus.valid_from))]

    def test_each_change_is_stored_with_its_time(self, session: WriteSession, video: Video) -> None:
        set_video_status(session, video, "pending_review", day(1))
        set_video_status(session, video, "included", day(2))
        set_video_status(session, video, "excluded", day(5))
        assert video.tracking_status == "excluded"
        assert self.history(session) == [
            ("pending_review", day(1)),
            ("included", day(2)),
            ("excluded", day(5)),
        ]

    def test_repeating_a_decision_adds_nothing(self, session: WriteSession, video: Video) -> None:
        set_video_status(session, video, "included", day(1))
        set_video_status(session, video, "included", day(2))
        assert self.history(session) == [("included", day(1))]

    def test_the_later_of_two_decisions_at_one_time_counts(
        self, session: WriteSession, video: Video
    ) -> None:
        set_video_status(session, video, "included", day(1))
        set_video_status(session, video, "excluded", day(1))
        assert self.history(session) == [("excluded", day(1))]
        assert video.tracking_status == "excluded"

    def test_two_at_once_leave_one_history(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        """The second change sees the first at the same time."""
        video_id = add_video(store, organization, "7", tracking_status="pending_review")

        def decide() -> None:
            with store.write_session() as second:
                set_video_status(second, second.get_one(Video, video_id), "excluded", day(1))

        with ThreadPoolExecutor(1) as pool:
            with store.write_session() as first:
                set_video_status(first, first.get_one(Video, video_id), "included", day(1))
                first.flush()
                deciding = pool.submit(decide)
                wait_until_waiting(store.dsn)
            deciding.result()
        with store.write_session() as after:
            assert self.history(after) == [("excluded", day(1))]

    def test_a_decision_dated_before_the_last_replaces_it(
        self, session: WriteSession, video: Video
    ) -> None:
        set_video_status(session, video, "pending_review", day(1))
        set_video_status(session, video, "included", day(4))
        set_video_status(session, video, "excluded", day(2))
        assert self.history(session) == [("pending_review", day(1)), ("excluded", day(4))]
        assert video.tracking_status == "excluded"

    def test_videos_have_separate_histories(
        self, session: WriteSession, video: Video, of: dict[str, Any]
    ) -> None:
        other = Video(
            **of,
            platform="tiktok",
            platform_video_id="8",
            url="https://www.tiktok.com/@ada/video/8",
            tracking_status="included",
        )
        session.add(other)
        set_video_status(session, video, "excluded", day(3))
        set_video_status(session, other, "included", day(1))
        assert self.history(session) == [("included", day(1)), ("excluded", day(3))]

    def test_a_decision_uses_the_current_state_not_an_earlier_read(
        self, store: OperationalStore, session: WriteSession, video: Video
    ) -> None:
        set_video_status(session, video, "pending_review", day(1))
        session.commit()
        with store.write_session() as late:
            read_before = late.get_one(Video, video.id)
            with store.write_session() as early:
                set_video_status(early, early.get_one(Video, video.id), "included", day(2))
            set_video_status(late, read_before, "pending_review", day(3))
        session.refresh(video)
        assert video.tracking_status == "pending_review"
        assert [status for status, _ in self.history(session)] == [
            "pending_review",
            "included",
            "pending_review",
        ]


class TestZone:
    def test_a_new_zone_begins_when_it_was_chosen(
        self, session: WriteSession, organization: NewOrganization
    ) -> None:
        row = session.get_one(Organization, organization.organization_id)
        chosen = datetime(2100, 1, 1, tzinfo=UTC)
        set_zone(session, row, "Asia/Kathmandu", chosen)
        assert row.analytics_tz == "Asia/Kathmandu"
        zones = select(OrganizationZone.analytics_tz, OrganizationZone.valid_from)
        assert list(session.execute(zones.order_by(OrganizationZone.valid_from))) == [
            ("UTC", row.created_at),
            ("Asia/Kathmandu", chosen),
        ]

    def test_an_invalid_zone_changes_nothing(
        self, session: WriteSession, organization: NewOrganization
    ) -> None:
        row = session.get_one(Organization, organization.organization_id)
        with pytest.raises(UnknownZoneError):
            set_zone(session, row, "Mars/Olympus", day(1))
        assert row.analytics_tz == "UTC"


def test_conversion_payouts_have_a_separate_history(
    session: WriteSession, organization: NewOrganization
) -> None:
    row = session.get_one(Organization, organization.organization_id)
    for at, is_enabled in ((1, True), (2, False), (3, False), (4, True), (4, False), (5, True)):
        set_conversion_payouts(session, row, day(at), is_enabled=is_enabled)
    switched = OrganizationConversionPayouts
    dated = select(switched.is_enabled, switched.valid_from).order_by(switched.valid_from)
    assert list(session.execute(dated)) == [(False, day(2)), (False, day(4)), (True, day(5))]
    assert row.conversion_payouts_enabled is True
