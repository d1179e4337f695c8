"""Status of API keys, and why a key is deactivated, as lists show it.

Removing a member ends its keys permanently and is stored. Other reasons are derived from the
current state, as for every request (`auth.keys`), and end with their cause.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from serving_api.resources.organization.api_keys.schemas import Reason, Status
from warehouse.operational.models import ApiKey


@dataclass(frozen=True, slots=True)
class Involved:
    """A user as its API keys need it. No role means no member."""

    display_name: str
    is_banned: bool
    role: str | None


def status_of(
    key: ApiKey, people: Mapping[UUID, Involved], *, is_suspended: bool, now: datetime
) -> tuple[Status, str | None]:
    """Return a key's status, and the reason if it is deactivated."""
    if key.status != "active":
        stored: Status = "revoked" if key.status == "revoked" else "deactivated"
        return stored, key.deactivation_reason
    reason = _reason(key, people, is_suspended=is_suspended, now=now)
    return ("deactivated", reason) if reason else ("active", None)


def _reason(
    key: ApiKey, people: Mapping[UUID, Involved], *, is_suspended: bool, now: datetime
) -> Reason | None:
    acting, creating = people[key.acts_as_user_id], people[key.created_by_user_id]
    if key.expires_at and key.expires_at <= now:
        return "expired"
    if key.created_by_user_id != key.acts_as_user_id:
        if creating.is_banned:
            return "key_creator_banned"
        if creating.role != "admin":
            return "key_creator_not_admin"
    if is_suspended:
        return "organization_suspended"
    return "member_banned" if acting.is_banned else None
