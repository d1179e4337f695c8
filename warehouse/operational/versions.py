"""The version of an organization's rows, which changes with each transaction that writes any.

Versions are compared for equality only. Two snapshots with the same version see the same rows of
the organization, except `UNCOUNTED`: see OrganizationVersion.
"""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from warehouse.operational.session import WriteSession, driver_of

EVERYBODY = UUID(int=0)
"""Its version changes with rows of no organization, such as a user's name."""

VERSION = """
    select coalesce(bit_xor(token), 0)
    from organization_versions
    where organization_id in (%(organization_id)s, '00000000-0000-0000-0000-000000000000')
"""

UNCOUNTED: Mapping[str, Collection[str]] = {
    "accounts": {
        *("avatar_url", "last_discovered_at", "last_scraped_at", "listing"),
        *("profile_looked_at", "profile_outcome"),
    },
    "api_keys": {"last_used_at"},
    "organizations": {"logo_path"},
    "report_links": {"failed_unlocks", "locked_until"},
    "share_links": {"failed_unlocks", "locked_until"},
    "users": {"password_hash"},
    "videos": {"last_scraped_at", "thumbnail_url"},
}
"""Columns that change by use or fetching, and logos. Responses with these have no version."""


def version_of(session: Session, organization_id: UUID) -> int:
    """Return the organization's version in the session's snapshot."""
    parameters = {"organization_id": organization_id}
    row = driver_of(session).execute(VERSION, parameters).fetchone()
    return int(row[0]) if row else 0


def draw_versions(session: WriteSession) -> None:
    """Give every organization a version that no database had.

    For a restored database: its rows name transactions of another server, whose ids recur here.
    """
    session.execute(text("delete from organization_versions"))
    everyone = "select advance_organizations(array(select id from organizations) || :everybody)"
    session.execute(text(everyone), {"everybody": EVERYBODY})
