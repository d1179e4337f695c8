"""Constraints that the database enforces for every writer."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy.exc import IntegrityError

from warehouse.operational.base import Base
from warehouse.operational.models import Account, Campaign, CampaignItem, Creator, User, Video
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore


class Rows:
    """Writes rows of one project, flushing each."""

    def __init__(self, session: WriteSession, organization: NewOrganization) -> None:
        self.session = session
        self.organization_id = organization.organization_id
        self.project = {
            "organization_id": organization.organization_id,
            "project_id": organization.project_id,
        }
        self.creator_id = self.write(Creator(**self.project))

    def write(self, row: Base) -> UUID:
        self.session.add(row)
        self.session.flush()
        return row.id  # type: ignore[attr-defined,no-any-return]

    def account(self, **columns: Any) -> UUID:
        given = {"platform": "tiktok", "handle": "ada", "creator_id": self.creator_id}
        return self.write(Account(**self.project, **given | columns))

    def video(self, **columns: Any) -> UUID:
        given = {
            "platform": "tiktok",
            "platform_video_id": "7",
            "url": "https://www.tiktok.com/@ada/video/7",
            "tracking_status": "auto_tracked",
        }
        return self.write(Video(**self.project, **given | columns))

    def campaign(self) -> UUID:
        return self.write(Campaign(**self.project, name="Spring"))

    def item(self, campaign_id: UUID, **member: UUID | None) -> UUID:
        now = self.session.info["clock"]()
        of = {"organization_id": self.organization_id, "campaign_id": campaign_id}
        return self.write(CampaignItem(**of, created_at=now, **member))


@pytest.fixture
def rows(store: OperationalStore, organization: NewOrganization) -> Iterator[Rows]:
    with store.write_session() as session:
        yield Rows(session, organization)
        session.rollback()


class TestAccount:
    def test_a_handle_is_tracked_once_in_a_project(self, rows: Rows) -> None:
        rows.account()
        with pytest.raises(IntegrityError, match="uq_accounts_tracked_handle"):
            rows.account()

    def test_a_removed_handle_can_be_added_again(self, rows: Rows) -> None:
        assert rows.account(is_active=False) != rows.account()

    @pytest.mark.parametrize(
        ("columns", "rule"),
        [
            ({"platform": "youtube"}, "ck_accounts_platform"),
            ({"handle": "Ada"}, "ck_accounts_handle_lower"),
            ({"tracking_mode": "all"}, "ck_accounts_tracking_mode"),
            (
                {"tracking_start_date": "2026-03-02", "tracking_end_date": "2026-03-01"},
                "ck_accounts_tracking_window",
            ),
        ],
    )
    def test_nonsense_is_refused(self, rows: Rows, columns: dict[str, Any], rule: str) -> None:
        with pytest.raises(IntegrityError, match=rule):
            rows.account(**columns)


class TestVideo:
    def test_a_post_is_one_video_of_a_project(self, rows: Rows) -> None:
        rows.video()
        with pytest.raises(IntegrityError, match="uq_videos_project_id_platform_platform_video_id"):
            rows.video()

    def test_a_status_is_one_of_the_known(self, rows: Rows) -> None:
        with pytest.raises(IntegrityError, match="ck_videos_tracking_status"):
            rows.video(tracking_status="tracked")


class TestCampaignItem:
    def test_it_is_one_member_exactly(self, rows: Rows) -> None:
        campaign, video = rows.campaign(), rows.video()
        rows.item(campaign, video_id=video)
        with pytest.raises(IntegrityError, match="ck_campaign_items_one_member"):
            rows.item(campaign, video_id=video, creator_id=rows.creator_id)

    def test_a_campaign_is_no_member_of_itself(self, rows: Rows) -> None:
        campaign = rows.campaign()
        with pytest.raises(IntegrityError, match="ck_campaign_items_not_itself"):
            rows.item(campaign, child_campaign_id=campaign)

    def test_it_is_unique(self, rows: Rows) -> None:
        campaign = rows.campaign()
        rows.item(campaign, creator_id=rows.creator_id)
        with pytest.raises(IntegrityError, match="uq_campaign_items"):
            rows.item(campaign, creator_id=rows.creator_id)


class TestUser:
    def test_an_address_is_one_person_however_it_is_written(self, rows: Rows) -> None:
        rows.write(User(email="ada@example.org", display_name="Ada"))
        with pytest.raises(IntegrityError, match="uq_users_email_lower"):
            rows.write(User(email="ADA@example.org", display_name="Ada"))


def test_a_row_of_an_unknown_organization_is_refused(rows: Rows) -> None:
    with pytest.raises(IntegrityError, match="fk_campaigns_organization_id"):
        rows.write(Campaign(**rows.project | {"organization_id": uuid4()}, name="Spring"))
