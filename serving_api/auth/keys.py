"""Authenticate an API key with one statement: its row, organization and members.

Parses the key and checks every reason why it may be invalid. `dependencies` has scopes and roles
of endpoints. Every request runs the statement, so it uses psycopg directly: a third of
SQLAlchemy's cost.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hmac import compare_digest
from typing import Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import TupleRow, class_row

from serving_api.errors import (
    ApiError,
    Forbidden,
    InvalidApiKey,
    KeyCreatorBanned,
    KeyCreatorNotAdmin,
    KeyCreatorRemoved,
    KeyMemberRemoved,
    Unauthorized,
)
from serving_api.kit.principals import Principal
from warehouse.operational.api_keys import hash_api_key
from warehouse.operational.audit import Channel
from warehouse.reading.statements import statement

LOOK_UP: Final = statement(__name__, "key_row.sql")


@dataclass(slots=True)
class KeyRow:
    """A key's row. The role of a former member is empty.

    Platform admin rights require that the key's creator is a platform admin too: an org admin can
    create a key that acts as any member, and must not gain rights beyond the organization.
    """

    id: UUID
    key_name: str
    key_hash: bytes
    status: str
    deactivation_reason: str | None
    expires_at: datetime | None
    last_used_at: datetime | None
    scopes: Sequence[str]
    acts_as_user_id: UUID
    created_by_user_id: UUID
    organization_id: UUID
    organization_name: str
    plan: str
    analytics_tz: str
    is_suspended: bool
    role: str
    own_notes: str | None
    display_name: str
    is_banned: bool
    is_platform_admin: bool
    creator_role: str
    creator_is_banned: bool


_KEY = re.compile(r"svc_[0-9a-f]{64}", re.ASCII)

_DEACTIVATED: Mapping[str | None, type[Unauthorized]] = {
    refusal.code: refusal
    for refusal in (KeyMemberRemoved, KeyCreatorRemoved, KeyCreatorNotAdmin, KeyCreatorBanned)
}
"""A deactivated key keeps the error code of its reason, whatever changed since."""


def is_key(presented: str) -> bool:
    return _KEY.fullmatch(presented) is not None


def authenticate(
    connection: Connection[TupleRow],
    presented: str | None,
    *,
    now: datetime,
    own_notes: bool = False,
) -> KeyRow:
    """Return the key's row with its current organization and members. Runs one statement.

    `now` is the real clock: expiry does not follow business time. Raises Unauthorized (each reason
    has its own code), and Forbidden for a suspended organization or a banned member.
    """
    key = _require_key(connection, presented, own_notes=own_notes)
    if refusal := _refusal(key, now):
        raise refusal
    return key


def principal_of(key: KeyRow, channel: Channel) -> Principal:
    return Principal(
        channel=channel,
        key_id=key.id,
        key_name=key.key_name,
        organization_id=key.organization_id,
        organization_name=key.organization_name,
        plan_name=key.plan,
        analytics_tz=key.analytics_tz,
        user_id=key.acts_as_user_id,
        maker_id=key.created_by_user_id,
        display_name=key.display_name,
        role=key.role,
        is_platform_admin=key.is_platform_admin,
        granted=tuple(key.scopes),
        own_notes=key.own_notes,
    )


def _require_key(
    connection: Connection[TupleRow], presented: str | None, *, own_notes: bool
) -> KeyRow:
    if presented is None or not is_key(presented):
        raise InvalidApiKey
    key_hash = hash_api_key(presented)
    parameters = {"key_hash": key_hash, "own_notes": own_notes}
    with connection.cursor(row_factory=class_row(KeyRow)) as cursor:
        key = cursor.execute(LOOK_UP, parameters).fetchone()
    if key is None or not compare_digest(key.key_hash, key_hash):
        raise InvalidApiKey
    return key


def _refusal(key: KeyRow, now: datetime) -> ApiError | None:
    if key.status == "revoked" or (key.expires_at and key.expires_at <= now):
        return InvalidApiKey()
    if refusal := _membership_refusal(key):
        return refusal
    if key.is_suspended or key.is_banned:
        return Forbidden("The organization or the member is suspended")
    if key.status == "deactivated":
        return _DEACTIVATED.get(key.deactivation_reason, InvalidApiKey)()
    return None


def _membership_refusal(key: KeyRow) -> ApiError | None:
    if not key.role:
        return KeyMemberRemoved()
    if key.created_by_user_id == key.acts_as_user_id:
        return None
    if not key.creator_role:
        return KeyCreatorRemoved()
    if key.creator_is_banned:
        return KeyCreatorBanned()
    return None if key.creator_role == "admin" else KeyCreatorNotAdmin()
