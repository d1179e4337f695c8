"""The caller of a request: credential, member, and their permissions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from serving_api.errors import Forbidden, InsufficientRole, InsufficientScope, NotFound
from warehouse.operational.audit import Channel
from warehouse.plans import Plan, plan

Scope = Literal["read", "write", "admin"]


def effective_scopes(granted: Iterable[str], *, is_org_admin: bool) -> frozenset[str]:
    """Return the effective scopes of a key: `admin` only for org admins."""
    scopes = frozenset(granted)
    return scopes if is_org_admin else scopes - {"admin"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """A valid credential with its current organization and member.

    A key, or an OAuth grant (`grant_id`; `key_name` is the app's name), or neither for a member on
    the desk.
    """

    key_id: UUID | None
    key_name: str
    organization_id: UUID
    organization_name: str
    plan_name: str
    analytics_tz: str
    user_id: UUID
    maker_id: UUID
    """The key's creator. What the key creates belongs to this user, even if it acts as another
    member. For OAuth grants, the member who authorized the app."""
    display_name: str
    role: str
    is_platform_admin: bool
    granted: Sequence[str]
    channel: Channel = "api"
    own_notes: str | None = None
    """The member's notes, on routes that load them."""
    grant_id: UUID | None = None

    @property
    def credential_id(self) -> UUID | None:
        """The rate-limited key or grant."""
        return self.key_id or self.grant_id

    @property
    def is_org_admin(self) -> bool:
        return self.role == "admin"

    @property
    def scopes(self) -> frozenset[str]:
        return effective_scopes(self.granted, is_org_admin=self.is_org_admin)

    @property
    def plan(self) -> Plan:
        return plan(self.plan_name)

    def require_scope(self, scope: Scope) -> None:
        """Raise InsufficientScope, or InsufficientRole if only the role is missing."""
        if scope in self.scopes:
            return
        if scope in self.granted:
            raise InsufficientRole
        raise InsufficientScope(scope, sorted(self.scopes))

    def require_org_admin(self) -> None:
        """Raise InsufficientRole unless the acting member is an org admin."""
        if not self.is_org_admin:
            raise InsufficientRole

    def require_platform_admin(self) -> None:
        """Raise Forbidden unless the member is a platform admin."""
        if not self.is_platform_admin:
            raise Forbidden("This requires a platform admin")

    def require_organization(self, organization_id: UUID) -> None:
        """Raise NotFound for other organizations."""
        if organization_id != self.organization_id:
            raise NotFound.named("Organization")
