"""Authenticate access tokens with one statement per call.

A token identifies grant and member; permissions follow the current role and organization.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import TupleRow, class_row

from serving_api.errors import Forbidden, InvalidApiKey, KeyMemberRemoved
from serving_api.kit.principals import Principal
from serving_api.passwords import hash_token
from warehouse.reading.statements import statement

LOOK_UP: Final = statement(__name__, "grant_row.sql")


@dataclass(slots=True)
class GrantRow:
    """A grant with its organization and member. The role is empty if the membership ended."""

    grant_id: UUID
    is_ended: bool
    scopes: Sequence[str]
    client_name: str
    organization_id: UUID
    organization_name: str
    plan: str
    analytics_tz: str
    is_suspended: bool
    user_id: UUID
    display_name: str
    is_banned: bool
    role: str
    own_notes: str | None


def principal_of_access_token(
    connection: Connection[TupleRow],
    token: str,
    *,
    resource: str,
    now: datetime,
    own_notes: bool = False,
) -> Principal:
    """Return the principal of an access token for `resource`. `now` is the real clock.

    Raises the same errors as a key: InvalidApiKey, KeyMemberRemoved, Forbidden. Never a platform
    admin, because a member authorized the app for one organization.
    """
    parameters = {
        "token_hash": hash_token(token),
        "resource": resource,
        "now": now,
        "own_notes": own_notes,
    }
    with connection.cursor(row_factory=class_row(GrantRow)) as cursor:
        row = cursor.execute(LOOK_UP, parameters).fetchone()
    if row is None:
        raise InvalidApiKey
    if not row.role:
        raise KeyMemberRemoved
    if row.is_suspended or row.is_banned:
        raise Forbidden("The organization or the member is suspended")
    if row.is_ended:
        raise InvalidApiKey
    return _principal_of(row)


def _principal_of(grant: GrantRow) -> Principal:
    return Principal(
        channel="mcp",
        key_id=None,
        grant_id=grant.grant_id,
        key_name=grant.client_name,
        organization_id=grant.organization_id,
        organization_name=grant.organization_name,
        plan_name=grant.plan,
        analytics_tz=grant.analytics_tz,
        user_id=grant.user_id,
        maker_id=grant.user_id,
        display_name=grant.display_name,
        role=grant.role,
        is_platform_admin=False,
        granted=tuple(grant.scopes),
        own_notes=grant.own_notes,
    )
