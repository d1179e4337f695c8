"""The caller of one request: which key, which member it acts as, what both together allow."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from serving_api.errors import Forbidden, InsufficientRole, InsufficientScope, NotFound
from warehouse.operational.audit import Channel
from warehouse.plans import Plan, plan

Scope = Literal["read", "write", "admin"]


def effective_scopes(granted: Iterable[str], *, is_org_admin: bool) -> frozenset[str]:
    """Return what is left of a key's scopes: `admin` is dropped unless the member is org admin."""
    scopes = frozenset(granted)
    return scopes if is_org_admin else scopes - {"admin"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """A credential in force, with its organization and member as they are at this request.

    It is a key, or the consent by which a member let a program in (`grant_id`; the program's name
    is the key's then), or neither: a member at the desk.
    """

    key_id: UUID | None
    key_name: str
    organization_id: UUID
    organization_name: str
    plan_name: str
    analytics_tz: str
    user_id: UUID
    maker_id: UUID
    """Who made the key, which may act as somebody else: what it makes is that person's making.
    Whoever let a program in is its maker."""
    display_name: str
    role: str
    is_platform_admin: bool
    granted: Sequence[str]
    channel: Channel = "api"
    own_notes: str | None = None
    """The member's notes, on routes that ask for them."""
    grant_id: UUID | None = None

    @property
    def credential_id(self) -> UUID | None:
        """What is counted: the key or the consent."""
        return self.key_id or self.grant_id

    @property
    def is_org_admin(self) -> bool:
        """Whether the acting member administers the organization."""
        return self.role == "admin"

    @property
    def scopes(self) -> frozenset[str]:
        """The scopes that apply."""
        return effective_scopes(self.granted, is_org_admin=self.is_org_admin)

    @property
    def plan(self) -> Plan:
        """The limits of the organization's plan."""
        return plan(self.plan_name)

    def require_scope(self, scope: Scope) -> None:
        """Raise InsufficientScope, or InsufficientRole where only the role takes the scope away."""
        if scope in self.scopes:
            return
        if scope in self.granted:
            raise InsufficientRole
        raise InsufficientScope(scope, sorted(self.scopes))

    def require_org_admin(self) -> None:
        """Raise InsufficientRole unless the acting member administers the organization."""
        if not self.is_org_admin:
            raise InsufficientRole

    def require_platform_admin(self) -> None:
        """Raise Forbidden unless the key's owner is a platform admin."""
        if not self.is_platform_admin:
            raise Forbidden("This needs a platform admin")

    def require_organization(self, organization_id: UUID) -> None:
        """Raise NotFound for any organization but the key's own."""
        if organization_id != self.organization_id:
            raise NotFound.named("Organization")
