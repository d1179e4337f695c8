"""All tables of operational.*: copies of PostgreSQL's, and what is made beside them.

Exactly the columns named here and in `tracking` and `owing` are copied, so nothing secret or
personal (key hashes, PINs, e-mail addresses) can come along unless it is written there.
"""

from warehouse.catalogue.copied import copy_of
from warehouse.catalogue.owing import OWING
from warehouse.catalogue.table import Change, Table, never_null
from warehouse.catalogue.tracking import TRACKING
from warehouse.operational.models import Organization, OrganizationZone, Project, UnpublishedChange

ORGANIZATIONS = (
    copy_of(
        Organization,
        "Tenants, with the zone in force now.",
        "id name plan analytics_tz is_suspended payout_settling_days "
        "conversion_payouts_enabled created_at",
        project=None,
        analytics_tz="IANA zone whose calendar days count now",
    ),
    copy_of(
        OrganizationZone,
        "Which zone an organization had from when (money.md M3).",
        "id organization_id analytics_tz valid_from",
        project=None,
    ),
    copy_of(
        Project,
        "Projects; archived ones stay.",
        "id organization_id name is_archived created_at",
        project="id",
    ),
)

UNPUBLISHED = copy_of(
    UnpublishedChange,
    "What was written that no publication showed when this copy was made; a publication "
    "of it does.",
    "id table_name",
    project=None,
    table_name="where the transaction began to write",
)

ZONE_OFFSETS = Table(
    schema="operational",
    name="zone_offsets",
    means="UTC offsets of every zone in use, from the IANA database. Spans of a zone are "
    "half-open, touch each other and cover 2000 to 2100.",
    key=("zone", "starts_at"),
    change=Change.MADE_ANEW,
    columns=(
        never_null("zone", "varchar"),
        never_null("starts_at", "timestamptz"),
        never_null("ends_at", "timestamptz"),
        never_null("utc_offset_seconds", "integer", "ahead of UTC"),
    ),
)

OPERATIONAL = (*ORGANIZATIONS, *TRACKING, *OWING, UNPUBLISHED, ZONE_OFFSETS)
FOLLOWED = tuple(table for table in OPERATIONAL if table.change is Change.FOLLOWED)
"""Those in which a write asks for a rollup."""
