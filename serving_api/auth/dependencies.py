"""What an endpoint's signature says of its caller.

`Reader`, `Writer` and `Admin` name the scope; `AdminWriter` a write that also needs an org admin
(decisions.md lists those); `PlatformAdmin` looks after all organizations. The key is checked before
anything else of the request.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from serving_api.auth.keys import authenticate
from serving_api.auth.principals import Principal
from serving_api.auth.scopes import Scope
from serving_api.kit.filters import refuse_unknown_query
from serving_api.kit.sessions import store_of
from warehouse.clock import system_clock

_bearer = HTTPBearer(auto_error=False, scheme_name="ApiKey", bearerFormat="svc_ + 64 hex")

Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


def authenticated(request: Request, credentials: Credentials) -> Principal:
    """Return the caller. Its own short session: nothing is held until the endpoint runs."""
    presented = credentials.credentials if credentials else None
    with store_of(request).read_session() as session:
        caller = authenticate(session, presented, now=system_clock())
    request.state.caller = caller
    return caller


Caller = Annotated[Principal, Depends(authenticated)]


async def admitted(request: Request, caller: Caller) -> Principal:
    """Return a caller whose question the endpoint knows: the gate of every endpoint."""
    refuse_unknown_query(request)
    return caller


Admitted = Annotated[Principal, Depends(admitted)]


def holding(scope: Scope) -> Callable[[Admitted], Awaitable[Principal]]:
    """Return the dependency for callers that hold a scope."""

    async def caller_holding_scope(caller: Admitted) -> Principal:
        caller.require_scope(scope)
        return caller

    return caller_holding_scope


Reader = Annotated[Principal, Depends(holding("read"))]
Writer = Annotated[Principal, Depends(holding("write"))]
Admin = Annotated[Principal, Depends(holding("admin"))]


async def org_admin(caller: Writer) -> Principal:
    """Return a caller that may write and acts as an org admin."""
    caller.require_org_admin()
    return caller


AdminWriter = Annotated[Principal, Depends(org_admin)]


async def platform_admin(caller: Admin) -> Principal:
    """Return a caller with the scope `admin` whose owner is a platform admin."""
    caller.require_platform_admin()
    return caller


PlatformAdmin = Annotated[Principal, Depends(platform_admin)]
