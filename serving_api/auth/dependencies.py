"""Required access and working context in an endpoint's signature.

`Reader`, `Writer` and `Admin` name the scope; `AdminReader` and `AdminWriter` also require an org
admin (decisions.md lists those); `PlatformAdmin` manages all organizations. Each provides a request
context; `Reading...` and `Uploading...` provide a read context where others write.

`AnyKey` is any caller with a valid key, `ReadKey` one with the scope `read`, and `Myself` one that
reads about itself. They provide only the caller, without a session.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant

from serving_api.auth.authentication import authenticate_again, authenticate_request
from serving_api.errors import Forbidden, InsufficientRole
from serving_api.http.sessions import ReadDb, WriteDb
from serving_api.kit.principals import Principal, Scope
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.services import Numbers, services_of
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
            await self.authorize(request)
        caller: Principal = request.state.caller
        return caller

    async def authorize(self, request: Request) -> None:
        """Set `request.state.caller` (see `authentication`). Raises ApiError."""
        await in_entry_threads(self.authenticate, request)

    def authenticate(self, request: Request) -> None:
        """Authenticate and authorize in this thread. Raises ApiError."""
        self.require_access(authenticate_request(request, own_notes=self.own_notes))

    def reauthenticate(self, request: Request) -> None:
        """Authenticate and authorize once more in this thread. Raises ApiError."""
        self.require_access(authenticate_again(request, own_notes=self.own_notes))

    def require_access(self, caller: Principal) -> None:
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


def reads(access: Access) -> Any:
    async def context(
        request: Request,
        caller: Annotated[Principal, Depends(access)],
        session: ReadDb,
        numbers: Numbers,
    ) -> RequestContext:
        own = numbers.of(caller.organization_id)
        return RequestContext(caller, session, own, services_of(request))

    return Depends(context)


def writes(access: Access) -> Any:
    async def context(
        request: Request,
        caller: Annotated[Principal, Depends(access)],
        session: WriteDb,
        numbers: Numbers,
    ) -> WriteContext:
        return WriteContext(
            caller, session, numbers.of(caller.organization_id), services_of(request)
        )

    return Depends(context)


_admin = Access("admin")
_admin_writer = Access("write", org_admin=True)
_platform_admin = Access("admin", platform_admin=True)

Myself = Annotated[Principal, Depends(Access("read", own_notes=True))]
AnyKey = Annotated[Principal, Depends(Access())]
ReadKey = Annotated[Principal, Depends(Access("read"))]
Reader = Annotated[RequestContext, reads(Access("read"))]
Writer = Annotated[WriteContext, writes(Access("write"))]
Admin = Annotated[WriteContext, writes(_admin)]
ReadingAdmin = Annotated[RequestContext, reads(_admin)]
AdminReader = Annotated[RequestContext, reads(Access("read", org_admin=True))]
AdminWriter = Annotated[WriteContext, writes(_admin_writer)]
UploadingAdmin = Annotated[RequestContext, reads(_admin_writer)]
PlatformAdmin = Annotated[WriteContext, writes(_platform_admin)]
ReadingPlatformAdmin = Annotated[RequestContext, reads(_platform_admin)]
