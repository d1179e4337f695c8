"""All tables of operational.*: copies of PostgreSQL tables, and tables derived beside them.

Only the columns named here and in `owing` are copied. Secret or personal columns (key hashes, PINs,
e-mail addresses) are copied only if they are named.
"""

from warehouse.catalogue.copied import copy_of
from warehouse.catalogue.owing import OWING
from warehouse.catalogue.table import Change, Table, never_null
from warehouse.operational.models import (
    Account,
    AccountDeactivation,
    Campaign,
    CampaignItem,
    CommentSettings,
    Creator,
    Import,
    Organization,
    OrganizationZone,
    Project,
    Tag,
    TagItem,
    UnpublishedChange,
    Video,
    VideoOwner,
    VideoStatus,
)

IMPORTS = copy_of(
    Import,
    "Files loaded into projects. Models leave out the batches of retracted ones.",
    "id organization_id project_id retracted_at",
    id="of readings, their batch_id in raw.batches",
    retracted_at="null unless retracted",
)

TRACKING = (
    copy_of(
        Creator,
        "People and brands whose accounts are tracked; removed ones stay.",
        "id organization_id project_id display_name is_active removed_at deactivated_at created_at",
    ),
    copy_of(
        Account,
        "Handles on platforms; removed ones stay with is_active false.",
        "id organization_id project_id creator_id platform handle platform_user_id "
        "display_name is_active removed_at deactivated_at last_scraped_at "
        "last_discovered_at created_at",
        platform_user_id="null until a first profile was read",
        last_discovered_at="all posts published before are known",
    ),
    copy_of(
        AccountDeactivation,
        "Deactivations of accounts (money.md M3); reactivated_at is null while one lasts.",
        "id account_id deactivated_at reactivated_at",
    ),
    copy_of(
        Video,
        "The video registry, with each post's owner and status as of now.",
        "id organization_id project_id creator_id account_id platform platform_video_id "
        "url custom_title caption media_type duration_seconds tracking_status tracking_disabled "
        "plan_limit_paused_at frozen_at stopped_at posted_at posted_at_is_estimate "
        "created_at",
        creator_id="null for a post without an owner",
        account_id="null for a post without an owner",
        platform_video_id="unique with platform and project",
        custom_title="null if no title was entered",
    ),
    copy_of(
        VideoOwner,
        "Owners of a post, each with its start; the first one also owns earlier readings "
        "(money.md M14).",
        "id video_id account_id creator_id valid_from",
    ),
    copy_of(
        VideoStatus,
        "Tracking statuses of a post, each with its start; at the same instant the later id wins "
        "(money.md M3).",
        "id video_id tracking_status valid_from",
    ),
    copy_of(
        Campaign,
        "Campaigns, which group creators and posts of all platforms.",
        "id organization_id project_id name created_at",
    ),
    copy_of(
        CampaignItem,
        "Members of campaigns, each a creator, a video or a sub-campaign.",
        "id campaign_id creator_id video_id child_campaign_id created_at",
    ),
    copy_of(
        Tag,
        "Labels for creators, campaigns, accounts and posts, each for one type of them.",
        "id organization_id entity_type name color created_at",
        entity_type="creator, campaign, account, video",
    ),
    copy_of(
        TagItem,
        "Tags of creators, campaigns, accounts and posts.",
        "tag_id item_id organization_id created_at",
        item_id="of the type that the tag is for",
    ),
    IMPORTS,
    copy_of(
        CommentSettings,
        "Organizations' settings of comments; without a row, the defaults (5, no terms).",
        "organization_id min_comment_count brand_terms competitor_terms",
        brand_terms="empty: the organization's name is the brand",
    ),
)


ORGANIZATIONS = (
    copy_of(
        Organization,
        "Tenants, with their present time zone.",
        "id name plan analytics_tz is_suspended payout_settling_days "
        "conversion_payouts_enabled created_at",
        analytics_tz="IANA zone of its calendar days now",
    ),
    copy_of(
        OrganizationZone,
        "Time zones of an organization, each with its start (money.md M3).",
        "id organization_id analytics_tz valid_from",
    ),
    copy_of(
        Project,
        "Projects; archived ones stay.",
        "id organization_id name is_archived created_at",
    ),
)

UNPUBLISHED = copy_of(
    UnpublishedChange,
    "Writes that no publication showed when this copy was made. A publication of the copy "
    "shows them.",
    "id table_name",
    table_name="the first table that the transaction wrote",
)

ZONE_OFFSETS = Table(
    schema="operational",
    name="zone_offsets",
    means="UTC offsets of every zone in use, from the IANA database. Spans of a zone are "
    "half-open, touch each other and cover 2000 to 2100.",
    key=("zone", "starts_at"),
    change=Change.COPIED_WHOLE,
    columns=(
        never_null("zone", "varchar"),
        never_null("starts_at", "timestamptz"),
        never_null("ends_at", "timestamptz"),
        never_null("utc_offset_seconds", "integer", "ahead of UTC"),
    ),
)

OPERATIONAL = (*ORGANIZATIONS, *TRACKING, *OWING, UNPUBLISHED, ZONE_OFFSETS)
FOLLOWED = tuple(table for table in OPERATIONAL if table.change is Change.FOLLOWED)
"""Tables in which a write requests a rollup."""
