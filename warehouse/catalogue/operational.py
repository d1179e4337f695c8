"""All tables of operational.*: copies of PostgreSQL tables, and tables derived beside them.

Only the columns named here and in `tracking` and `owing` are copied. Secret or personal columns
(key hashes, PINs, e-mail addresses) are copied only if they are named.
"""

from warehouse.catalogue.copied import copy_of
from warehouse.catalogue.owing import OWING
from warehouse.catalogue.table import Change, Table, never_null
from warehouse.catalogue.tracking import TRACKING
from warehouse.operational.models import Organization, OrganizationZone, Project, UnpublishedChange

ORGANIZATIONS = (
    copy_of(
        Organization,
        "Tenants, with their present time zone.",
        "id name plan analytics_tz is_suspended payout_settling_days "
        "conversion_payouts_enabled created_at",
        project=None,
        analytics_tz="IANA zone of its calendar days now",
    ),
    copy_of(
        OrganizationZone,
        "Time zones of an organization, each with its start (money.md M3).",
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
    "Writes that no publication showed when this copy was made. A publication of the copy "
    "shows them.",
    "id table_name",
    project=None,
    table_name="the first table that the transaction wrote",
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
"""Tables in which a write requests a rollup."""
