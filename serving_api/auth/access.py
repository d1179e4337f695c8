"""What a route asks of its caller, declared in its signature: scope, role, platform.

The declaration is read twice: by authentication, which comes first in a request, and by
the OpenAPI document. `dependencies` has the few that routes use.
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
    """A scope (None: any key in force), and whether the acting member must be an org admin.

    Who is none gets `not_admin`: the contract has another code for icons than for all else.
    `own_notes` asks for the member's notes along with the key, which spares a statement.
    As a dependency it hands the endpoint the authorized caller.
    """

    scope: Scope | None = None
    org_admin: bool = False
    platform_admin: bool = False
    own_notes: bool = False
    not_admin: type[Forbidden] = InsufficientRole

    async def __call__(self, request: Request) -> Principal:
        """Return the caller, let in by now: routes of ours do that before the body is read."""
        if not hasattr(request.state, "caller"):
            await self.let_in(request)
        caller: Principal = request.state.caller
        return caller

    async def let_in(self, request: Request) -> None:
        """Let the caller in as `request.state.caller` (see `authentication`). Raises ApiError."""
        await in_entry_threads(self.enter, request)

    def enter(self, request: Request) -> None:
        """Do so in this thread. Raises ApiError."""
        self.authorize(authenticate_request(request, own_notes=self.own_notes))

    def authorize(self, caller: Principal) -> None:
        """Raise InsufficientScope, InsufficientRole or Forbidden unless the caller may."""
        if self.scope:
            caller.require_scope(self.scope)
        if self.org_admin and not caller.is_org_admin:
            raise self.not_admin
        if self.platform_admin:
            caller.require_platform_admin()

    @property
    def needs_org_admin(self) -> bool:
        """Whether only org admins get through: the scope `admin` is dropped for everyone else."""
        return self.org_admin or self.scope == "admin"


def access_of(dependant: Dependant) -> Access:
    """Return what an endpoint's signature declares. Raises TypeError where it declares nothing."""
    for needed in dependant.dependencies:
        for declared in (needed, *needed.dependencies):
            if isinstance(declared.call, Access):
                return declared.call
    raise TypeError(f"{dependant.call} does not say who may call it: see auth.dependencies")
