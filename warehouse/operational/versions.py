"""The version of an organization's rows: another one after each transaction that wrote any.

Versions are compared for equality alone. Two snapshots in which an organization has the same one
see the same rows of it, apart from `UNCOUNTED`: see OrganizationVersion.
"""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from warehouse.operational.session import WriteSession, driver_of

EVERYBODY = UUID(int=0)
"""Whose version changes with what belongs to no organization, such as the name of a user."""

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
"""Columns that change by being used or fetched, and logos: what shows one has no version."""


def version_of(session: Session, organization_id: UUID) -> int:
    """Return the version of an organization in the session's snapshot."""
    parameters = {"organization_id": organization_id}
    row = driver_of(session).execute(VERSION, parameters).fetchone()
    return int(row[0]) if row else 0


def draw_versions(session: WriteSession) -> None:
    """Give every organization a version that no database had.

    For a restored one: its rows name transactions of another server, whose numbers come here too.
    What waited to be published there concerns every shard here.
    """
    session.execute(text("delete from organization_versions"))
    everyone = "select advance_organizations(array(select id from organizations) || :everybody)"
    session.execute(text(everyone), {"everybody": EVERYBODY})
    session.execute(text("update unpublished_changes set written_by = 0"))
