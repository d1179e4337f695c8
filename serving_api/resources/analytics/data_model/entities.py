"""The map of the entities that `/schema` tells of: an entity joins by an entry in ENTITIES."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from serving_api.resources.analytics.annotations.schemas import Annotation
from serving_api.resources.comments.settings.schemas import CommentSettings
from serving_api.resources.organization.api_keys.schemas import ApiKey
from serving_api.resources.organization.invitations.schemas import Invitation
from serving_api.resources.organization.members.schemas import ListedMember
from serving_api.resources.organization.organizations.schemas import OrganizationDetail
from serving_api.resources.organization.projects.schemas import ProjectDetail
from serving_api.resources.payouts.accounts.schemas import PayoutAccount
from serving_api.resources.payouts.accruals.schemas import AccrualDetail
from serving_api.resources.payouts.assignments.schemas import Assignment
from serving_api.resources.payouts.methods.schemas import PayoutMethod
from serving_api.resources.payouts.payments.schemas import PaymentDetail
from serving_api.resources.payouts.structures.schemas import StructureDetail, Version
from serving_api.resources.programs.campaigns.schemas import CampaignDetail, CampaignItem
from serving_api.resources.programs.content_groups.schemas import ContentGroup
from serving_api.resources.programs.conversion_events.schemas import ConversionEvent
from serving_api.resources.programs.conversions.schemas import Conversion
from serving_api.resources.programs.goals.schemas import Goal
from serving_api.resources.programs.tags.schemas import Tag
from serving_api.resources.tracking.accounts.schemas import AccountDetail
from serving_api.resources.tracking.creators.schemas import CreatorDetail
from serving_api.resources.tracking.scrape_jobs.schemas import ScrapeJob
from serving_api.resources.tracking.share_links.schemas import ShareLink
from serving_api.resources.tracking.videos.schemas import VideoDetail
from warehouse.operational import models
from warehouse.operational.base import Base


@dataclass(frozen=True, kw_only=True)
class EntityModels:
    """Where an entity is stored and how it is answered.

    `names` gives the field that shows a stored reference, where it has another name.
    """

    stored: type[Base]
    shown: type[BaseModel]
    names: Mapping[str, str] = field(default_factory=dict)


ENTITIES: Mapping[str, EntityModels] = {
    "organization": EntityModels(stored=models.Organization, shown=OrganizationDetail),
    "member": EntityModels(stored=models.Member, shown=ListedMember),
    "invitation": EntityModels(stored=models.Invitation, shown=Invitation),
    "api_key": EntityModels(
        stored=models.ApiKey,
        shown=ApiKey,
        names={"acts_as_user_id": "acts_as.user_id", "created_by_user_id": "created_by.user_id"},
    ),
    "comment_settings": EntityModels(
        stored=models.CommentSettings, shown=CommentSettings, names={"organization_id": "org_id"}
    ),
    "project": EntityModels(
        stored=models.Project, shown=ProjectDetail, names={"organization_id": "org_id"}
    ),
    "creator": EntityModels(
        stored=models.Creator, shown=CreatorDetail, names={"organization_id": "org_id"}
    ),
    "account": EntityModels(
        stored=models.Account, shown=AccountDetail, names={"organization_id": "org_id"}
    ),
    "payout_method": EntityModels(
        stored=models.PayoutMethod, shown=PayoutMethod, names={"organization_id": "org_id"}
    ),
    "payout_structure": EntityModels(stored=models.PayoutStructure, shown=StructureDetail),
    "payout_version": EntityModels(stored=models.PayoutVersion, shown=Version),
    "payout_assignment": EntityModels(stored=models.PayoutAssignment, shown=Assignment),
    "payout_accrual": EntityModels(stored=models.PayoutPaymentAccrual, shown=AccrualDetail),
    "payout_payment": EntityModels(
        stored=models.PayoutPayment, shown=PaymentDetail, names={"organization_id": "org_id"}
    ),
    "payout_account": EntityModels(stored=models.PayoutAccount, shown=PayoutAccount),
    "share_link": EntityModels(stored=models.ShareLink, shown=ShareLink),
    "video": EntityModels(stored=models.Video, shown=VideoDetail),
    "content_group": EntityModels(
        stored=models.ContentGroup,
        shown=ContentGroup,
        names={"organization_id": "org_id"},
    ),
    "campaign": EntityModels(stored=models.Campaign, shown=CampaignDetail),
    "campaign_item": EntityModels(stored=models.CampaignItem, shown=CampaignItem),
    "tag": EntityModels(stored=models.Tag, shown=Tag),
    "annotation": EntityModels(stored=models.Annotation, shown=Annotation),
    "goal": EntityModels(stored=models.Goal, shown=Goal),
    "conversion_event": EntityModels(
        stored=models.ConversionEvent, shown=ConversionEvent, names={"organization_id": "org_id"}
    ),
    "conversion": EntityModels(stored=models.Conversion, shown=Conversion),
    "scrape_job": EntityModels(stored=models.ScrapeJob, shown=ScrapeJob),
}
"""By name, in the order in which they are told."""

OF_TABLE: Mapping[str, str] = {
    **{entity.stored.__tablename__: name for name, entity in ENTITIES.items()},
    models.User.__tablename__: "member",
}
"""Which entity a table's rows are to clients; they know users as members alone."""
