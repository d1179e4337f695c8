"""What may be asked without a key.

That is the changelog (contract, Authentication), and at the root what is for people (who sign in at
the desk), for whoever operates the service, or for who has been given a signed address.

A route that needs none fails here until it is listed.
"""

from collections.abc import Iterable, Iterator

from fastapi import APIRouter
from fastapi.routing import iter_route_contexts

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
    "GET /share/files/{name}",
    "GET /share/report/{report_id}",
    "POST /share/report/{report_id}",
    "GET /",
    "GET /desk",
    "GET /desk/sign-in",
    "POST /desk/sign-in",
    "POST /desk/sign-in/passkey",
    "POST /desk/sign-in/passkey/challenge",
    "GET /desk/passkeys",
    "POST /desk/passkeys",
    "POST /desk/passkeys/challenge",
    "POST /desk/passkeys/remove",
    "GET /desk/files/{name}",
    "POST /desk/sign-out",
    "GET /desk/projects/{project_id}",
    "GET /desk/projects/{project_id}/creators",
    "GET /desk/projects/{project_id}/creators/ranked",
    "GET /desk/projects/{project_id}/creators/new",
    "POST /desk/projects/{project_id}/creators/new",
    "GET /desk/projects/{project_id}/creators/{creator_id}/accounts",
    "POST /desk/projects/{project_id}/creators/{creator_id}/accounts",
    "GET /desk/projects/{project_id}/creators/{creator_id}",
    "GET /desk/projects/{project_id}/campaigns",
    "GET /desk/projects/{project_id}/campaigns/new",
    "POST /desk/projects/{project_id}/campaigns/new",
    "GET /desk/projects/{project_id}/campaigns/{campaign_id}",
    "GET /desk/projects/{project_id}/campaigns/{campaign_id}/costs",
    "GET /desk/projects/{project_id}/campaigns/{campaign_id}/creators",
    "POST /desk/projects/{project_id}/campaigns/{campaign_id}/creators",
    "GET /desk/projects/{project_id}/posts",
    "GET /desk/projects/{project_id}/posts/falling",
    "GET /desk/projects/{project_id}/posts/ranked",
    "GET /desk/projects/{project_id}/posts/{video_id}",
    "GET /desk/projects/{project_id}/posts/{video_id}/picture",
    "GET /desk/projects/{project_id}/comments",
    "POST /desk/projects/{project_id}/comments",
    "GET /desk/projects/{project_id}/payouts",
    "POST /desk/projects/{project_id}/payouts",
    "GET /desk/projects/{project_id}/payouts/amounts/{accrual_id}",
    "POST /desk/projects/{project_id}/payouts/amounts/{accrual_id}",
    "POST /desk/projects/{project_id}/payouts/amounts/{accrual_id}/release",
    "POST /desk/projects/{project_id}/payouts/amounts/{accrual_id}/disputes/{dispute_id}",
    "GET /desk/projects/{project_id}/payouts/creators/{creator_id}",
    "POST /desk/projects/{project_id}/payouts/creators/{creator_id}",
    "GET /desk/projects/{project_id}/payouts/creators/{creator_id}/account",
    "POST /desk/projects/{project_id}/payouts/creators/{creator_id}/account",
    "GET /desk/projects/{project_id}/inbox",
    "POST /desk/projects/{project_id}/inbox",
    "GET /desk/projects/{project_id}/health",
    "POST /desk/projects/{project_id}/health/connect-links",
    "GET /desk/projects/{project_id}/rule-lab",
    "GET /desk/projects/{project_id}/rule-lab/new",
    "POST /desk/projects/{project_id}/rule-lab/new",
    "POST /desk/projects/{project_id}/rule-lab/new/simulations",
    "GET /desk/projects/{project_id}/rule-lab/simulations/{simulation_id}",
    "POST /desk/projects/{project_id}/rule-lab/simulations/{simulation_id}",
    "GET /desk/projects/{project_id}/rule-lab/simulations/{simulation_id}/csv",
    "POST /desk/projects/{project_id}/rule-lab/{structure_id}/simulations",
    "GET /desk/projects/{project_id}/rule-lab/{structure_id}",
    "POST /desk/projects/{project_id}/rule-lab/{structure_id}",
    "GET /desk/projects/{project_id}/settings",
    "POST /desk/projects/{project_id}/settings",
    "GET /desk/projects/{project_id}/settings/invite",
    "POST /desk/projects/{project_id}/settings/invite",
    "POST /desk/projects/{project_id}/settings/invitations",
    "GET /desk/projects/{project_id}/settings/keys",
    "POST /desk/projects/{project_id}/settings/keys",
    "GET /desk/projects/{project_id}/settings/keys/new",
    "POST /desk/projects/{project_id}/settings/keys/new",
    "GET /desk/projects/{project_id}/settings/reports",
    "POST /desk/projects/{project_id}/settings/reports",
    "GET /desk/projects/{project_id}/settings/reports/new",
    "POST /desk/projects/{project_id}/settings/reports/new",
    "GET /desk/projects/{project_id}/settings/structures",
    "GET /desk/projects/{project_id}/settings/structures/new",
    "POST /desk/projects/{project_id}/settings/structures/new",
    "GET /desk/projects/{project_id}/settings/structures/{structure_id}",
    "GET /desk/projects/{project_id}/settings/structures/{structure_id}/creators",
    "POST /desk/projects/{project_id}/settings/structures/{structure_id}/creators",
    "POST /desk/projects/{project_id}/settings/structures/{structure_id}",
    "GET /desk/projects/{project_id}/settings/payout-methods",
    "POST /desk/projects/{project_id}/settings/payout-methods",
    "GET /desk/projects/{project_id}/settings/payout-methods/{payout_method_id}",
    "POST /desk/projects/{project_id}/settings/payout-methods/{payout_method_id}",
    "GET /desk/projects/{project_id}/settings/budgets",
    "POST /desk/projects/{project_id}/settings/budgets",
    "GET /desk/projects/{project_id}/settings/budgets/{budget_id}",
    "POST /desk/projects/{project_id}/settings/budgets/{budget_id}",
    "GET /desk/projects/{project_id}/settings/conversion-events",
    "POST /desk/projects/{project_id}/settings/conversion-events",
    "GET /desk/projects/{project_id}/settings/conversion-events/{event_id}",
    "POST /desk/projects/{project_id}/settings/conversion-events/{event_id}",
    "GET /desk/projects/{project_id}/settings/goals",
    "GET /desk/projects/{project_id}/settings/goals/{creator_id}",
    "POST /desk/projects/{project_id}/settings/goals/{creator_id}",
    "GET /desk/projects/{project_id}/settings/goals/{creator_id}/{goal_id}",
    "POST /desk/projects/{project_id}/settings/goals/{creator_id}/{goal_id}",
    "GET /desk/projects/{project_id}/settings/share-links",
    "GET /desk/projects/{project_id}/settings/share-links/{creator_id}",
    "POST /desk/projects/{project_id}/settings/share-links/{creator_id}",
    "GET /desk/projects/{project_id}/settings/webhooks",
    "POST /desk/projects/{project_id}/settings/webhooks",
    "GET /desk/projects/{project_id}/settings/webhooks/new",
    "POST /desk/projects/{project_id}/settings/webhooks/new",
    "GET /desk/projects/{project_id}/settings/webhooks/{endpoint_id}",
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
    "GET /oauth/authorize",
    "POST /oauth/sign-in",
    "POST /oauth/consent",
    "PUT /files/uploads/{token}",
    "GET /files/downloads/{token}",
    "GET /files/orgs/{organization_id}/{method_id}/{name}",
    "GET /changelog",
    "GET /docs",
    "GET /docs/{name}",
}


def routes(routers: Iterable[APIRouter]) -> Iterator[tuple[str, bool]]:
    """Each route's methods and path, and whether it asks for a key."""
    for router in routers:
        for context in iter_route_contexts(router.routes):
            for method in context.methods or ():
                is_keyed = isinstance(context.original_route, KeyedRoute)
                yield f"{method} {context.path_format}", is_keyed


def test_every_other_route_asks_for_a_key() -> None:
    assert [name for name, is_keyed in routes(KEYED) if not is_keyed] == []
    assert {name for name, _ in routes(PUBLIC)} == BELOW_PREFIX
    assert {name for name, _ in routes(OPEN)} == AT_THE_ROOT
