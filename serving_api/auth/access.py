"""Required access of a route, declared in its signature: scope, role, platform admin.

Used by authentication, which runs first in a request, and by the OpenAPI document. `dependencies`
has the combinations that routes use.
"""

from dataclasses import dataclass

from fastapi import Request
from fastapi.dependencies.models import Dependant

from serving_api.auth.authentication import authenticate_request
from serving_api.errors import Forbidden, InsufficientRole
from serving_api.kit.principals import Principal, Scope
from serving_api.kit.threads import in_entry_threads


@dataclass(frozen=True, slots=True)
class Access:
    """A scope (None: any valid key), and whether the acting member must be an org admin.

    `not_admin` is the error for other members, since the contract has another code for icons.
    `own_notes` also loads the member's notes with the key, which saves a statement. As a
    dependency, it returns the authorized caller.
    """

    scope: Scope | None = None
    org_admin: bool = False
    platform_admin: bool = False
    own_notes: bool = False
    not_admin: type[Forbidden] = InsufficientRole

    async def __call__(self, request: Request) -> Principal:
        """Return the caller; own routes have authenticated it before reading the body."""
        if not hasattr(request.state, "caller"):
            await self.let_in(request)
        caller: Principal = request.state.caller
        return caller

    async def let_in(self, request: Request) -> None:
        """Set `request.state.caller` (see `authentication`). Raises ApiError."""
        await in_entry_threads(self.enter, request)

    def enter(self, request: Request) -> None:
        """Authenticate and authorize in this thread. Raises ApiError."""
        self.authorize(authenticate_request(request, own_notes=self.own_notes))

    def authorize(self, caller: Principal) -> None:
        """Raise InsufficientScope, InsufficientRole or Forbidden unless the caller has access."""
        if self.scope:
            caller.require_scope(self.scope)
        if self.org_admin and not caller.is_org_admin:
            raise self.not_admin
        if self.platform_admin:
            caller.require_platform_admin()

    @property
    def needs_org_admin(self) -> bool:
        """Whether only org admins have access: other members' keys lose the scope `admin`."""
        return self.org_admin or self.scope == "admin"


def access_of(dependant: Dependant) -> Access:
    """Return the access that an endpoint's signature declares. Raises TypeError without one."""
    for needed in dependant.dependencies:
        for declared in (needed, *needed.dependencies):
            if isinstance(declared.call, Access):
                return declared.call
    raise TypeError(f"{dependant.call} does not say who may call it: see auth.dependencies")
