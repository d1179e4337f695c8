"""Creators, accounts and posts in the operational store, written as the API writes them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import Session

from tests.factories import readings
from warehouse.ids import uuid7
from warehouse.operational.models import (
    Account,
    AccountDeactivation,
    Campaign,
    CampaignItem,
    Creator,
    Video,
    VideoOwner,
)
from warehouse.operational.organizations import NewOrganization, create_organization
from warehouse.operational.store import OperationalStore


def add_organization(store: OperationalStore, name: str, zone: str = "UTC") -> NewOrganization:
    """Add another organization with a project."""
    with store.write_session() as session:
        return create_organization(
            session, name=name, plan="ultra", analytics_tz=zone, project_name="Launch"
        )


def add_account(
    store: OperationalStore, organization: NewOrganization, handle: str, **changes: Any
) -> UUID:
    """Add a creator with an account in `auto` mode without a window; return the account's id."""
    owner = {"organization_id": organization.organization_id, "project_id": organization.project_id}
    with store.write_session() as session:
        creator = Creator(**owner, display_name=handle)
        session.add(creator)
        session.flush()
        account = Account(
            **{**owner, "creator_id": creator.id, "platform": "tiktok", "handle": handle, **changes}
        )
        session.add(account)
    return account.id


def add_video(
    store: OperationalStore, organization: NewOrganization, video_id: str, **changes: Any
) -> UUID:
    """Add a post by URL, without an account unless `account` names one; return its id."""
    with store.write_session() as session:
        return put_video(session, organization, video_id, **changes)


def put_video(
    session: Session, organization: NewOrganization, video_id: str, **changes: Any
) -> UUID:
    """Add a post like `add_video` within a session."""
    account_id = changes.pop("account", None)
    account = session.get(Account, account_id) if account_id else None
    row = {
        "id": uuid7(),
        "organization_id": organization.organization_id,
        "project_id": organization.project_id,
        "account_id": account and account.id,
        "creator_id": account and account.creator_id,
        "platform": "tiktok",
        "platform_video_id": video_id,
        "url": f"https://www.tiktok.com/@/video/{video_id}",
        "tracking_status": "auto_tracked" if account else "direct_add",
    }
    video = Video(**{**row, **changes})
    session.add(video)
    if account:
        session.add(
            VideoOwner(
                organization_id=organization.organization_id,
                video_id=video.id,
                account_id=account.id,
                creator_id=account.creator_id,
                valid_from=datetime(2026, 5, 1, tzinfo=UTC),
            )
        )
    return video.id


def put_post(
    session: Session, organization: NewOrganization, post: readings.Video, **changes: Any
) -> None:
    """Store a post of a history, tracked by default."""
    row = {
        "id": post.id,
        "creator_id": post.creator,
        "account_id": post.account,
        "platform": post.platform,
        "posted_at": post.posted_at,
        "url": f"https://example.com/{post.name}",
        "tracking_status": "auto_tracked",
    }
    put_video(session, organization, post.name, **{**row, **changes})


@dataclass(frozen=True)
class Customer:
    """An organization with its store."""

    store: OperationalStore
    organization: NewOrganization

    def account(self, handle: str, **changes: Any) -> UUID:
        return add_account(self.store, self.organization, handle, **changes)

    def video(self, video_id: str, **changes: Any) -> UUID:
        return add_video(self.store, self.organization, video_id, **changes)


def add_deactivation(
    store: OperationalStore, account_id: UUID, since: datetime, until: datetime, missed_posts: str
) -> None:
    """Add a past deactivation of an account, with the choice for its missed posts."""
    with store.write_session() as session:
        account = session.get_one(Account, account_id)
        session.add(
            AccountDeactivation(
                organization_id=account.organization_id,
                account_id=account_id,
                deactivated_at=since,
                via_creator=False,
                video_choice="freeze",
                reactivated_at=until,
                missed_posts=missed_posts,
            )
        )


def change(store: OperationalStore, row_type: type[Any], row_id: UUID, **changes: Any) -> None:
    """Update columns of one row."""
    with store.write_session() as session:
        row = session.get_one(row_type, row_id)
        for name, value in changes.items():
            setattr(row, name, value)


def add_campaign(
    store: OperationalStore, organization: NewOrganization, *videos: UUID, name: str = "Spring"
) -> UUID:
    """Add a campaign with these videos; return its id."""
    owner = {"organization_id": organization.organization_id, "project_id": organization.project_id}
    with store.write_session() as session:
        campaign = Campaign(**owner, name=name)
        session.add(campaign)
    for video in videos:
        add_member(store, organization, campaign.id, video)
    return campaign.id


def add_member(
    store: OperationalStore, organization: NewOrganization, campaign: UUID, video: UUID
) -> None:
    with store.write_session() as session:
        session.add(
            CampaignItem(
                organization_id=organization.organization_id,
                campaign_id=campaign,
                video_id=video,
                created_at=datetime.now(UTC),
            )
        )


def remove_member(store: OperationalStore, campaign: UUID, video: UUID) -> None:
    with store.write_session() as session:
        session.execute(
            delete(CampaignItem).where(
                CampaignItem.campaign_id == campaign, CampaignItem.video_id == video
            )
        )
