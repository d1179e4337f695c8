"""Routes that need no key.

These are the changelog (contract, Authentication) and, at the root, what people (signed in at the
desk), operators and holders of signed URLs use.

A new route without a key fails here until it is listed. For pages of the desk see
tests/serving_api/desk/test_who_may.py.
"""

from collections.abc import Iterable, Iterator

from fastapi import APIRouter
from fastapi.routing import iter_route_contexts

from serving_api.desk.entry import DeskRoute
from serving_api.http.keyed_route import KeyedRoute
from serving_api.router import KEYED, OPEN, PUBLIC

BELOW_PREFIX = {"GET /changelog"}
AT_THE_ROOT = {
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /invitations/{token}",
    "POST /invitations/{token}",
    "GET /share/creator/{creator_id}",
    "POST /share/creator/{creator_id}",
    "GET /share/creator/{creator_id}/statements/{accrual_id}",
    "GET /share/creator/{creator_id}/amounts/{accrual_id}",
    "POST /share/creator/{creator_id}/amounts/{accrual_id}",
    "GET /charts/{name}",
    "GET /share/files/{name}",
    "GET /share/report/{report_id}",
    "POST /share/report/{report_id}",
    "GET /",
    "GET /desk/files/{name}",
    "GET /connect/{token}",
    "POST /connect/{token}",
    "GET /connect/callback/{platform}",
    "GET /.well-known/oauth-protected-resource",
    "GET /.well-known/oauth-protected-resource/api/mcp",
    "GET /.well-known/oauth-authorization-server",
    "GET /.well-known/jwks.json",
    "POST /oauth/register",
    "POST /oauth/token",
    "POST /oauth/revoke",
    "GET /desk/authorize",
    "GET /oauth/authorize",
    "POST /oauth/sign-in",
    "POST /oauth/consent",
    "PUT /files/uploads/{token}",
    "GET /files/downloads/{token}",
    "GET /files/orgs/{organization_id}/logo/{name}",
    "GET /files/orgs/{organization_id}/{method_id}/{name}",
    "GET /changelog",
    "GET /docs",
    "GET /openapi.json",
    "GET /docs/{name}",
}


def routes(routers: Iterable[APIRouter]) -> Iterator[tuple[str, bool]]:
    """The methods and path of each route outside the desk, and whether it needs a key."""
    for router in routers:
        for context in iter_route_contexts(router.routes):
            if isinstance(context.original_route, DeskRoute):
                continue
            for method in context.methods or ():
                is_keyed = isinstance(context.original_route, KeyedRoute)
                yield f"{method} {context.path_format}", is_keyed


def test_every_other_route_asks_for_a_key() -> None:
    assert [name for name, is_keyed in routes(KEYED) if not is_keyed] == []
    assert {name for name, _ in routes(PUBLIC)} == BELOW_PREFIX
    assert {name for name, _ in routes(OPEN)} == AT_THE_ROOT
