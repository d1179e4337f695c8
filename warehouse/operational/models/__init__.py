"""One ORM class a file; importing this package registers them all."""

from warehouse.operational.models.account import Account
from warehouse.operational.models.account_connection import AccountConnection
from warehouse.operational.models.account_deactivation import AccountDeactivation
from warehouse.operational.models.account_profile_change import AccountProfileChange
from warehouse.operational.models.annotation import Annotation
from warehouse.operational.models.api_key import ApiKey
from warehouse.operational.models.api_request_day import ApiRequestDay
from warehouse.operational.models.audit_entry import AuditEntry
from warehouse.operational.models.campaign import Campaign
from warehouse.operational.models.campaign_item import CampaignItem
from warehouse.operational.models.change_entry import ChangeEntry
from warehouse.operational.models.comment_collection import CommentCollection
from warehouse.operational.models.comment_settings import CommentSettings
from warehouse.operational.models.connect_attempt import ConnectAttempt
from warehouse.operational.models.content_group import ContentGroup
from warehouse.operational.models.conversion import Conversion
from warehouse.operational.models.conversion_event import ConversionEvent
from warehouse.operational.models.creator import Creator
from warehouse.operational.models.departure import Departure
from warehouse.operational.models.goal import Goal
from warehouse.operational.models.goal_state import GoalState
from warehouse.operational.models.host_pace import HostPace
from warehouse.operational.models.idempotency_outcome import IdempotencyOutcome
from warehouse.operational.models.invitation import Invitation
from warehouse.operational.models.look_deadline import LookDeadline
from warehouse.operational.models.member import Member
from warehouse.operational.models.oauth_client import OauthClient
from warehouse.operational.models.oauth_grant import OauthGrant
from warehouse.operational.models.oauth_token import OauthToken
from warehouse.operational.models.organization import Organization
from warehouse.operational.models.organization_conversion_payouts import (
    OrganizationConversionPayouts,
)
from warehouse.operational.models.organization_zone import OrganizationZone
from warehouse.operational.models.payout_account import PayoutAccount
from warehouse.operational.models.payout_accrual_decision import PayoutAccrualDecision
from warehouse.operational.models.payout_assignment import PayoutAssignment
from warehouse.operational.models.payout_method import PayoutMethod
from warehouse.operational.models.payout_pause import PayoutPause
from warehouse.operational.models.payout_payment import PayoutPayment
from warehouse.operational.models.payout_payment_accrual import PayoutPaymentAccrual
from warehouse.operational.models.payout_structure import PayoutStructure
from warehouse.operational.models.payout_version import PayoutVersion
from warehouse.operational.models.post_look import PostLook
from warehouse.operational.models.project import Project
from warehouse.operational.models.provider_spending import ProviderSpending
from warehouse.operational.models.registered_batch import RegisteredBatch
from warehouse.operational.models.scrape_job import ScrapeJob
from warehouse.operational.models.share_link import ShareLink
from warehouse.operational.models.sign_in_failure import SignInFailure
from warehouse.operational.models.tag import Tag
from warehouse.operational.models.tag_item import TagItem
from warehouse.operational.models.unpublished_change import UnpublishedChange
from warehouse.operational.models.user import User
from warehouse.operational.models.video import Video
from warehouse.operational.models.video_owner import VideoOwner
from warehouse.operational.models.video_status import VideoStatus
from warehouse.operational.models.visit import Visit

__all__ = [
    "Account",
    "AccountConnection",
    "AccountDeactivation",
    "AccountProfileChange",
    "Annotation",
    "ApiKey",
    "ApiRequestDay",
    "AuditEntry",
    "Campaign",
    "CampaignItem",
    "ChangeEntry",
    "CommentCollection",
    "CommentSettings",
    "ConnectAttempt",
    "ContentGroup",
    "Conversion",
    "ConversionEvent",
    "Creator",
    "Departure",
    "Goal",
    "GoalState",
    "HostPace",
    "IdempotencyOutcome",
    "Invitation",
    "LookDeadline",
    "Member",
    "OauthClient",
    "OauthGrant",
    "OauthToken",
    "Organization",
    "OrganizationConversionPayouts",
    "OrganizationZone",
    "PayoutAccount",
    "PayoutAccrualDecision",
    "PayoutAssignment",
    "PayoutMethod",
    "PayoutPause",
    "PayoutPayment",
    "PayoutPaymentAccrual",
    "PayoutStructure",
    "PayoutVersion",
    "PostLook",
    "Project",
    "ProviderSpending",
    "RegisteredBatch",
    "ScrapeJob",
    "ShareLink",
    "SignInFailure",
    "Tag",
    "TagItem",
    "UnpublishedChange",
    "User",
    "Video",
    "VideoOwner",
    "VideoStatus",
    "Visit",
]
