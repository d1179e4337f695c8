"""From the Authorization header to a principal: one statement, one decision.

What belongs here: reading the key, looking it up, and every reason for which it is not in force.
Scopes and roles of a single endpoint are `dependencies`'.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from hmac import compare_digest
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, case, select
from sqlalchemy.orm import aliased

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
from warehouse.operational.models import ApiKey, Member, Organization, User

_KEY = re.compile(r"svc_[0-9a-f]{64}", re.ASCII)

Found = Row[*tuple[Any, ...]]
"""A row of the look-up below."""

_Acting = aliased(Member)
_Creating = aliased(Member)
_ActingUser = aliased(User)
_CreatingUser = aliased(User)

_LOOK_UP = (
    select(
        ApiKey.id,
        ApiKey.name.label("key_name"),
        ApiKey.key_hash,
        ApiKey.status,
        ApiKey.deactivation_reason,
        ApiKey.expires_at,
        ApiKey.last_used_at,
        ApiKey.scopes,
        ApiKey.acts_as_user_id,
        ApiKey.created_by_user_id,
        Organization.id.label("organization_id"),
        Organization.name.label("organization_name"),
        Organization.plan,
        Organization.analytics_tz,
        Organization.is_suspended,
        _Acting.role,
        case((bindparam("own_notes"), _Acting.readme)).label("own_notes"),
        _ActingUser.display_name,
        _ActingUser.is_banned,
        and_(_ActingUser.is_platform_admin, _CreatingUser.is_platform_admin).label(
            "is_platform_admin"
        ),
        _Creating.role.label("creator_role"),
        _CreatingUser.is_banned.label("creator_is_banned"),
    )
    .join(Organization, Organization.id == ApiKey.organization_id)
    .join(_ActingUser, _ActingUser.id == ApiKey.acts_as_user_id)
    .join(_CreatingUser, _CreatingUser.id == ApiKey.created_by_user_id)
    .outerjoin(
        _Acting,
        and_(
            _Acting.organization_id == ApiKey.organization_id,
            _Acting.user_id == ApiKey.acts_as_user_id,
        ),
    )
    .outerjoin(
        _Creating,
        and_(
            _Creating.organization_id == ApiKey.organization_id,
            _Creating.user_id == ApiKey.created_by_user_id,
        ),
    )
    .where(ApiKey.key_hash == bindparam("key_hash"))
)
"""Made once, because every request runs it.

A platform admin's rights need that its maker is one too: an org admin can make a key that acts as
any member, and must not gain more by it than the organization.
"""


_DEACTIVATED: Mapping[str | None, type[Unauthorized]] = {
    refusal.code: refusal
    for refusal in (KeyMemberRemoved, KeyCreatorRemoved, KeyCreatorNotAdmin, KeyCreatorBanned)
}
"""A key that was deactivated for good keeps the code of the reason, whatever changed since."""


def authenticate(
    connection: Connection, presented: str | None, *, now: datetime, own_notes: bool = False
) -> Found:
    """Return the key's row, with its organization and members as they are. Runs one statement.

    `now` is the real clock's: an expiry does not follow business time. Raises Unauthorized (each
    reason with its own code) and Forbidden for a suspended organization or a banned member.
    """
    found = _look_up(connection, presented, own_notes=own_notes)
    if refusal := _refusal(found, now):
        raise refusal
    return found


def principal_of(found: Found) -> Principal:
    """Return whom a key in force stands for."""
    return Principal(
        key_id=found.id,
        key_name=found.key_name,
        organization_id=found.organization_id,
        organization_name=found.organization_name,
        plan_name=found.plan,
        analytics_tz=found.analytics_tz,
        user_id=found.acts_as_user_id,
        display_name=found.display_name,
        role=found.role,
        is_platform_admin=found.is_platform_admin,
        granted=tuple(found.scopes),
        own_notes=found.own_notes,
    )


def _look_up(connection: Connection, presented: str | None, *, own_notes: bool) -> Found:
    if presented is None or _KEY.fullmatch(presented) is None:
        raise InvalidApiKey
    key_hash = hash_api_key(presented)
    found = connection.execute(
        _LOOK_UP, {"key_hash": key_hash, "own_notes": own_notes}
    ).one_or_none()
    if found is None or not compare_digest(found.key_hash, key_hash):
        raise InvalidApiKey
    return found


def _refusal(found: Found, now: datetime) -> ApiError | None:
    if found.status == "revoked" or (found.expires_at and found.expires_at <= now):
        return InvalidApiKey()
    if refusal := _membership_refusal(found):
        return refusal
    if found.is_suspended or found.is_banned:
        return Forbidden("The organization or the member is suspended")
    if found.status == "deactivated":
        return _DEACTIVATED.get(found.deactivation_reason, InvalidApiKey)()
    return None


def _membership_refusal(found: Found) -> ApiError | None:
    if found.role is None:
        return KeyMemberRemoved()
    if found.created_by_user_id == found.acts_as_user_id:
        return None
    if found.creator_role is None:
        return KeyCreatorRemoved()
    if found.creator_is_banned:
        return KeyCreatorBanned()
    return None if found.creator_role == "admin" else KeyCreatorNotAdmin()
