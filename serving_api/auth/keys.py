"""From the Authorization header to a principal: one statement, one decision.

What belongs here: reading the key, and every reason for which it is not in force. Scopes and roles
of a single endpoint are `dependencies`'.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from hmac import compare_digest

from psycopg import Connection
from psycopg.rows import TupleRow

from serving_api.auth.found_key import FoundKey, KnownKeys, look_up
from serving_api.auth.principals import Principal
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
from warehouse.operational.api_keys import hash_api_key
from warehouse.operational.audit import Channel

_KEY = re.compile(r"svc_[0-9a-f]{64}", re.ASCII)

_DEACTIVATED: Mapping[str | None, type[Unauthorized]] = {
    refusal.code: refusal
    for refusal in (KeyMemberRemoved, KeyCreatorRemoved, KeyCreatorNotAdmin, KeyCreatorBanned)
}
"""A key that was deactivated for good keeps the code of the reason, whatever changed since."""


def is_key(presented: str) -> bool:
    """Tell whether this has the form of a key."""
    return _KEY.fullmatch(presented) is not None


def authenticate(
    connection: Connection[TupleRow],
    known: KnownKeys,
    presented: str | None,
    *,
    now: datetime,
    own_notes: bool = False,
) -> FoundKey:
    """Return the key's row, with its organization and members as they are. Runs one statement.

    `now` is the real clock's: an expiry does not follow business time. Raises Unauthorized (each
    reason with its own code) and Forbidden for a suspended organization or a banned member.
    """
    found = _found(connection, known, presented, own_notes=own_notes)
    if refusal := _refusal(found, now):
        raise refusal
    return found


def principal_of(found: FoundKey, channel: Channel) -> Principal:
    """Return whom a key in force stands for, and by which door it came."""
    return Principal(
        channel=channel,
        key_id=found.id,
        key_name=found.key_name,
        organization_id=found.organization_id,
        organization_name=found.organization_name,
        plan_name=found.plan,
        analytics_tz=found.analytics_tz,
        user_id=found.acts_as_user_id,
        maker_id=found.created_by_user_id,
        display_name=found.display_name,
        role=found.role,
        is_platform_admin=found.is_platform_admin,
        granted=tuple(found.scopes),
        own_notes=found.own_notes,
    )


def _found(
    connection: Connection[TupleRow], known: KnownKeys, presented: str | None, *, own_notes: bool
) -> FoundKey:
    if presented is None or not is_key(presented):
        raise InvalidApiKey
    key_hash = hash_api_key(presented)
    found = look_up(connection, known, key_hash, own_notes=own_notes)
    if found is None or not compare_digest(found.key_hash, key_hash):
        raise InvalidApiKey
    return found


def _refusal(found: FoundKey, now: datetime) -> ApiError | None:
    if found.status == "revoked" or (found.expires_at and found.expires_at <= now):
        return InvalidApiKey()
    if refusal := _membership_refusal(found):
        return refusal
    if found.is_suspended or found.is_banned:
        return Forbidden("The organization or the member is suspended")
    if found.status == "deactivated":
        return _DEACTIVATED.get(found.deactivation_reason, InvalidApiKey)()
    return None


def _membership_refusal(found: FoundKey) -> ApiError | None:
    if not found.role:
        return KeyMemberRemoved()
    if found.created_by_user_id == found.acts_as_user_id:
        return None
    if not found.creator_role:
        return KeyCreatorRemoved()
    if found.creator_is_banned:
        return KeyCreatorBanned()
    return None if found.creator_role == "admin" else KeyCreatorNotAdmin()
