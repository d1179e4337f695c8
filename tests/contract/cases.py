"""A valid request for every route; ids of `things` fill path parameters and `{...}` fields."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from serving_api.resources.payouts.methods.schemas import ONE_PIXEL
from tests.factories.payouts import rule
from tests.fixtures.api import Client

ACCOUNT = {"platform": "tiktok", "handle": "case.account"}
VIDEO = {"url": "https://www.tiktok.com/@case/video/7682837474828885294"}
VIDEOS = {"video_ids": ["{video_id}"]}
PUBLIC = "(none)"
"""The scope of routes without a key."""
GOAL = {"metric": "posts", "period": "weekly", "target_value": 3}
HOOK = {"url": "https://hooks.test.invalid/case"}
CONVERSION_EVENT = {"key": "case", "name": "Case"}
CONVERSION = {"conversion_event_id": "{event_id}", "creator_id": "{creator_id}"}
APPLICATION = {"entity_type": "creator", "entity_ids": ["{creator_id}"], "tags": ["Case"]}
MERGE = {"target_tag_id": "{tag_id}", "source_tag_ids": ["{source_tag_id}"]}
NOTE = {"mode": "append", "content": "Case"}
RANKED = {"project_id": "{project_id}"}
ANNOTATED = {"scope": "creator", "entity_id": "{creator_id}"}
DEACTIVATE = {"videos": "freeze"}
REACTIVATE = {"missed_posts": "inbox"}
STRUCTURE = {"project_id": "{project_id}", "name": "Case", **rule("recurring")}
SIMULATION = {
    "structure": STRUCTURE,
    "creator_ids": ["{creator_id}"],
    "from": "2026-05-01",
    "to": "2026-05-20",
}
SEARCH = {**SIMULATION, "budget_cents": 5_000, "free": "amount_cents"}
PAYOUT = {"payout_method_id": "{payout_method_id}", "details": {}}
ICON = {"content_type": "image/png", "content_base64": ONE_PIXEL}
PAYMENT = {
    "creator_id": "{creator_id}",
    "project_id": "{project_id}",
    "payout_method_id": "{payout_method_id}",
    "amount_cents": 5_000,
}
BUDGET = {"project_id": "{project_id}", "name": "Case", "amount_cents": 5_000}
DISPUTE = {"accrual_id": "{accrual_id}", "reason": "Case"}
SERIES = {"entity": "creator", "entity_id": "{creator_id}", "metric": "views"}


@dataclass(frozen=True)
class Case:
    """A valid request; `role` is the acting member's minimum role, `scope` the key's.

    `platform` routes also need a platform admin, and cross organizations. `about` gives path
    parameters the ids of other names than their own.
    """

    scope: str
    status: int = 200
    body: Mapping[str, Any] | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    role: str = "member"
    platform: bool = False
    about: Mapping[str, str] = field(default_factory=dict)


ITEM_TAGS: Mapping[str, Case] = {
    "GET": Case("read"),
    "POST": Case("write", 200, {"tags": ["Case"]}),
    "PUT": Case("write", 200, {"tags": ["Case"]}),
    "DELETE": Case("write", 200, {"tags": ["Case"]}),
}
"""The same for every type of item."""

CASES: Mapping[str, Case] = {
    "GET /me": Case("read"),
    "GET /openapi.json": Case("any"),
    "GET /schema": Case("read"),
    "GET /changelog": Case(PUBLIC),
    "POST /user/organizations": Case("admin", 201, {"name": "Case"}, role="admin"),
    "GET /organizations/{organization_id}": Case("read"),
    "PATCH /organizations/{organization_id}": Case("admin", 200, {"name": "Case"}, role="admin"),
    "GET /members": Case("read"),
    "POST /organizations/{organization_id}/members": Case(
        "admin", 202, {"email": "somebody@test.invalid"}, role="admin"
    ),
    "PATCH /organizations/{organization_id}/members/{user_id}": Case(
        "admin", 200, {"role": "member"}, role="admin"
    ),
    "DELETE /organizations/{organization_id}/members/{user_id}": Case("admin", role="admin"),
    "GET /organizations/{organization_id}/invitations": Case("admin", role="admin"),
    "POST /organizations/{organization_id}/invitations": Case(
        "admin", 201, {"email": "case@test.invalid"}, role="admin"
    ),
    "DELETE /organizations/{organization_id}/invitations/{invitation_id}": Case(
        "admin", role="admin"
    ),
    "GET /organizations/{organization_id}/api-keys": Case("admin", role="admin"),
    "POST /organizations/{organization_id}/api-keys": Case(
        "admin", 201, {"name": "Case"}, role="admin"
    ),
    "DELETE /organizations/{organization_id}/api-keys/{key_id}": Case("admin", role="admin"),
    "GET /organizations/{organization_id}/connected-apps": Case("read"),
    "DELETE /organizations/{organization_id}/connected-apps/{app_id}": Case("write"),
    "GET /webhook-endpoints": Case("admin", role="admin"),
    "POST /webhook-endpoints": Case("admin", 201, HOOK, role="admin"),
    "GET /webhook-endpoints/{endpoint_id}": Case("admin", role="admin"),
    "PATCH /webhook-endpoints/{endpoint_id}": Case(
        "admin", 200, {"description": "Case"}, role="admin"
    ),
    "DELETE /webhook-endpoints/{endpoint_id}": Case("admin", role="admin"),
    "POST /webhook-endpoints/{endpoint_id}/rotate-secret": Case("admin", role="admin"),
    "POST /webhook-endpoints/{endpoint_id}/test": Case("admin", role="admin"),
    "GET /webhook-endpoints/{endpoint_id}/deliveries": Case("admin", role="admin"),
    "POST /webhook-endpoints/{endpoint_id}/redeliver": Case(
        "admin", 200, {"since": "2026-05-20T10:00:00Z"}, role="admin"
    ),
    "GET /webhook-events": Case("admin", role="admin"),
    "GET /admin/organizations": Case("admin", role="admin", platform=True),
    "PATCH /admin/organizations/{organization_id}": Case(
        "admin", 200, {"plan": "ultra"}, role="admin", platform=True
    ),
    "POST /admin/users/{user_id}/ban": Case("admin", role="admin", platform=True),
    "POST /admin/users/{user_id}/unban": Case("admin", role="admin", platform=True),
    "GET /notes": Case("read"),
    "GET /notes/{entity_type}/{entity_id}": Case("read"),
    "POST /notes/{entity_type}/{entity_id}": Case("write", 200, NOTE),
    "POST /creators/{creator_id}/notes": Case("write", 200, NOTE),
    "POST /videos/{video_id}/notes": Case("write", 200, NOTE),
    "PATCH /me": Case("write", 200, {"readme": "Case"}),
    "GET /projects": Case("read"),
    "GET /projects/{project_id}": Case("read"),
    "GET /projects/{project_id}/program-health": Case("read"),
    "GET /projects/{project_id}/view-coverage": Case("read"),
    "GET /projects/{project_id}/anomalies": Case("read"),
    "GET /projects/{project_id}/views-by-day": Case("read"),
    "POST /organizations/{organization_id}/projects": Case(
        "admin", 201, {"name": "Case"}, role="admin"
    ),
    "PATCH /organizations/{organization_id}/projects/{project_id}": Case(
        "admin", 200, {"name": "Case"}, role="admin"
    ),
    "GET /creators": Case("read", query={"project_id": "{project_id}"}),
    "POST /creators": Case("write", 201, {"project_id": "{project_id}", "accounts": [ACCOUNT]}),
    "POST /projects/{project_id}/creators": Case("write", 201, {"accounts": [ACCOUNT]}),
    "GET /creators/{creator_id}": Case("read"),
    "PATCH /creators/{creator_id}": Case("write", 200, {"display_name": "Case"}),
    "DELETE /creators/{creator_id}": Case("write", role="admin"),
    "POST /creators/{creator_id}/scrape": Case("write", role="admin"),
    "POST /creators/{creator_id}/deactivate": Case("write", 200, DEACTIVATE, role="admin"),
    "POST /creators/{creator_id}/reactivate": Case(
        "write", 200, REACTIVATE, role="admin", about={"creator_id": "resting_creator_id"}
    ),
    "GET /videos/{video_id}/comments": Case("read"),
    "GET /projects/{project_id}/comments": Case("read"),
    "PATCH /projects/{project_id}/comments": Case(
        "write", 200, {"comment_ids": ["00000000-0000-4000-8000-000000000000"], "handled": True}
    ),
    "GET /projects/{project_id}/comment-signals": Case("read"),
    "GET /projects/{project_id}/comment-flags": Case("read"),
    "GET /comment-settings": Case("read", role="admin"),
    "PATCH /comment-settings": Case("write", 200, {"min_comment_count": 3}, role="admin"),
    "GET /creators/{creator_id}/payout-account": Case("read", role="admin"),
    "PUT /creators/{creator_id}/payout-account": Case("write", 200, PAYOUT, role="admin"),
    "DELETE /creators/{creator_id}/payout-account": Case("write", role="admin"),
    "GET /creators/{creator_id}/payout-balance": Case("read"),
    "GET /payout-accruals": Case("read", query={"project_id": "{project_id}"}),
    "GET /payout-accruals/{accrual_id}": Case("read"),
    "GET /payout-accruals/{accrual_id}/evidence": Case("read", query={"list": "goals"}),
    "GET /payout-accruals/{accrual_id}/statement": Case("read"),
    "PATCH /payout-accruals/{accrual_id}": Case("write", 200, {"note": "Case"}, role="admin"),
    "POST /payout-accruals/{accrual_id}/release": Case(
        "write", 200, {"reason": "Case"}, role="admin"
    ),
    "GET /payout-methods": Case("read"),
    "POST /payout-methods": Case("write", 201, {"name": "Case"}, role="admin"),
    "GET /payout-methods/{payout_method_id}": Case("read"),
    "PATCH /payout-methods/{payout_method_id}": Case("write", 200, {"name": "Case"}, role="admin"),
    "DELETE /payout-methods/{payout_method_id}": Case(
        "write", role="admin", about={"payout_method_id": "own_payout_method_id"}
    ),
    "POST /payout-methods/{payout_method_id}/icon": Case("write", 200, ICON, role="admin"),
    "POST /payout-methods/{payout_method_id}/icon/upload-url": Case(
        "write", 200, {"content_type": "image/png"}, role="admin"
    ),
    "GET /payout-structures": Case("read", query={"project_id": "{project_id}"}),
    "POST /payout-structures": Case("write", 201, STRUCTURE, role="admin"),
    "POST /payout-structures/simulate": Case("read", 200, SIMULATION),
    "POST /payout-structures/search": Case("read", 200, SEARCH),
    "GET /payout-structures/{structure_id}": Case("read"),
    "PATCH /payout-structures/{structure_id}": Case(
        "write", 200, {"kind": "cosmetic", "name": "Case"}, role="admin"
    ),
    "DELETE /payout-structures/{structure_id}": Case("write", role="admin"),
    "GET /payout-structures/{structure_id}/assignments": Case("read"),
    "POST /payout-structures/{structure_id}/assignments": Case(
        "write", 201, {"creator_ids": ["{creator_id}"]}, role="admin"
    ),
    "DELETE /payout-structures/{structure_id}/assignments": Case(
        "write", 200, {"creator_ids": ["{creator_id}"]}, role="admin"
    ),
    "GET /payout-payments": Case("read", query={"project_id": "{project_id}"}),
    "POST /payout-payments": Case("write", 201, PAYMENT, role="admin"),
    "GET /payout-payments/{payment_id}": Case("read"),
    "PATCH /payout-payments/{payment_id}": Case("write", 200, {"reference": "Case"}, role="admin"),
    "GET /budgets": Case("read", query={"project_id": "{project_id}"}),
    "POST /budgets": Case("write", 201, BUDGET, role="admin"),
    "GET /budgets/{budget_id}": Case("read"),
    "PATCH /budgets/{budget_id}": Case("write", 200, {"name": "Case"}, role="admin"),
    "DELETE /budgets/{budget_id}": Case("write", role="admin"),
    "GET /payout-disputes": Case("read", query={"creator_id": "{creator_id}"}),
    "POST /payout-disputes": Case("write", 201, DISPUTE),
    "GET /payout-disputes/{dispute_id}": Case("read"),
    "PATCH /payout-disputes/{dispute_id}": Case(
        "write", 200, {"state": "rejected", "answer": "Case"}, role="admin"
    ),
    "GET /payouts/payment-receipts": Case("read", query={"payment_id": "{payment_id}"}),
    "POST /payouts/payment-receipts/upload-url": Case(
        "write", 200, {"payment_id": "{payment_id}", "content_type": "image/png"}, role="admin"
    ),
    "GET /creators/{creator_id}/accounts": Case("read"),
    "POST /creators/{creator_id}/accounts": Case("write", 201, ACCOUNT),
    "GET /accounts": Case("read"),
    "GET /accounts/{account_id}": Case("read"),
    "PATCH /accounts/{account_id}": Case("write", 200, {"tracking_mode": "selective"}),
    "DELETE /accounts/{account_id}": Case("write", role="admin"),
    "POST /accounts/{account_id}/scrape": Case("write", role="admin"),
    "POST /accounts/{account_id}/deactivate": Case("write", 200, DEACTIVATE, role="admin"),
    "POST /accounts/{account_id}/reactivate": Case(
        "write", 200, REACTIVATE, role="admin", about={"account_id": "resting_account_id"}
    ),
    "GET /accounts/{account_id}/stats": Case("read"),
    "POST /creators/{creator_id}/connect-links": Case("write", 201),
    "DELETE /accounts/{account_id}/connection": Case("write", role="admin"),
    "GET /projects/{project_id}/imports": Case("read", role="admin"),
    "POST /projects/{project_id}/imports/{import_id}/retract": Case(
        "write", 200, {"reason": "Case"}, role="admin"
    ),
    "GET /projects/{project_id}/reports": Case("read", role="admin"),
    "POST /projects/{project_id}/reports": Case("write", 201, {}, role="admin"),
    "DELETE /reports/{report_id}": Case("write", role="admin"),
    "GET /creators/{creator_id}/share-link": Case("read", role="admin"),
    "POST /creators/{creator_id}/share-link": Case("write", 201, {}, role="admin"),
    "PATCH /creators/{creator_id}/share-link": Case("write", 200, {"enabled": True}, role="admin"),
    "DELETE /creators/{creator_id}/share-link": Case("write", role="admin"),
    "POST /share-links/bulk": Case("write", 200, {"creator_ids": ["{creator_id}"]}, role="admin"),
    "GET /videos": Case("read"),
    "GET /videos/{video_id}": Case("read"),
    "GET /videos/{video_id}/thumbnail": Case("read"),
    "POST /projects/{project_id}/videos": Case("write", 201, VIDEO),
    "PATCH /videos/{video_id}": Case("write", 200, {"title": "Case"}),
    "DELETE /videos/{video_id}": Case("write", role="admin"),
    "POST /videos/{video_id}/scrape": Case("write", role="admin"),
    "POST /videos/{video_id}/tracking-disable": Case("write", role="admin"),
    "POST /videos/{video_id}/tracking-enable": Case("write"),
    "POST /videos/{video_id}/tracking-unexempt": Case("write"),
    "POST /projects/{project_id}/videos/bulk-tracking-disable": Case(
        "write", 200, VIDEOS, role="admin"
    ),
    "POST /projects/{project_id}/videos/bulk-tracking-enable": Case("write", 200, VIDEOS),
    "GET /projects/{project_id}/inbox": Case("read"),
    "PATCH /projects/{project_id}/inbox": Case("write", 200, {**VIDEOS, "action": "approve"}),
    "GET /content-groups": Case("read"),
    "POST /content-groups": Case("write", 201, {"project_id": "{project_id}", "title": "Case"}),
    "GET /content-groups/{content_group_id}": Case("read"),
    "PATCH /content-groups/{content_group_id}": Case("write", 200, {"title": "Case"}),
    "DELETE /content-groups/{content_group_id}": Case("write"),
    "GET /content-groups/{content_group_id}/stats": Case("read"),
    "GET /campaigns": Case("read"),
    "POST /projects/{project_id}/campaigns": Case("write", 201, {"name": "Case"}),
    "GET /campaigns/{campaign_id}": Case("read"),
    "GET /campaigns/{campaign_id}/costs": Case("read"),
    "PATCH /campaigns/{campaign_id}": Case("write", 200, {"name": "Case"}),
    "DELETE /campaigns/{campaign_id}": Case("write"),
    "GET /campaigns/{campaign_id}/items": Case("read"),
    "POST /campaigns/{campaign_id}/items": Case(
        "write", 201, {"item_type": "creator", "item_id": "{creator_id}"}
    ),
    "DELETE /campaigns/{campaign_id}/items": Case(
        "write", 200, {"item_type": "creator", "item_id": "{creator_id}"}
    ),
    "GET /projects/{project_id}/goal-compliance": Case("read"),
    "GET /analytics/aggregate/goal-compliance": Case("read", query={"project_id": "{project_id}"}),
    "GET /projects/{project_id}/conversion-events": Case("read"),
    "POST /projects/{project_id}/conversion-events": Case("write", 201, CONVERSION_EVENT),
    "GET /projects/{project_id}/conversion-events/{event_id}": Case("read"),
    "PATCH /projects/{project_id}/conversion-events/{event_id}": Case(
        "write", 200, {"name": "Case"}
    ),
    "DELETE /projects/{project_id}/conversion-events/{event_id}": Case("write"),
    "GET /projects/{project_id}/conversions": Case("read"),
    "POST /projects/{project_id}/conversions": Case("write", 201, CONVERSION),
    "GET /projects/{project_id}/conversions/{conversion_id}": Case("read"),
    "DELETE /projects/{project_id}/conversions/{conversion_id}": Case("write"),
    "GET /tags": Case("read"),
    "POST /tags": Case("write", 201, {"entity_type": "creator", "name": "Case"}),
    "PATCH /tags/{tag_id}": Case("write", 200, {"name": "Case"}, role="admin"),
    "DELETE /tags/{tag_id}": Case("write", role="admin"),
    "POST /tags/merge": Case("write", 200, MERGE, role="admin"),
    "POST /tags/apply": Case("write", 200, APPLICATION),
    **{
        f"{method} /{kind}s/{{{kind}_id}}/tags": case
        for kind in ("creator", "campaign", "account", "video")
        for method, case in ITEM_TAGS.items()
    },
    "GET /creators/{creator_id}/goals": Case("read"),
    "POST /creators/{creator_id}/goals": Case("write", 201, GOAL),
    "PATCH /creators/{creator_id}/goals/{goal_id}": Case("write", 200, {"target_value": 7}),
    "DELETE /creators/{creator_id}/goals/{goal_id}": Case("write"),
    "GET /scrape-jobs/{job_id}": Case("read"),
    "GET /analytics": Case("read", query=SERIES),
    "GET /analytics/schema": Case("read"),
    "GET /analytics/forecast": Case(
        "read", query={"entity": "project", "entity_id": "{project_id}"}
    ),
    "GET /analytics/annotations": Case("read", query=ANNOTATED),
    "POST /analytics/annotations": Case(
        "write", 201, {**ANNOTATED, "at": "2026-05-20T10:00:00Z", "title": "Case"}
    ),
    "PATCH /analytics/annotations/{annotation_id}": Case("write", 200, {"title": "Case"}),
    "DELETE /analytics/annotations/{annotation_id}": Case("write"),
    "GET /analytics/aggregate/video-leaderboard": Case("read", query=RANKED),
    "GET /analytics/aggregate/creator-leaderboard": Case("read", query=RANKED),
    "GET /exports/analytics": Case("read", query=SERIES),
    "GET /exports/{dataset}": Case("read", query=RANKED),
}

Ids = Mapping[str, str]


@dataclass(frozen=True)
class Caller:
    """Sends cases, filled in with the ids of one organization."""

    client: Client
    ids: Ids

    def send(self, name: str, client: Client | None = None, **changes: Any) -> httpx.Response:
        method, _, path = name.partition(" ")
        case = CASES[name]
        request = {"json": filled(case.body, self.ids)} if case.body is not None else {}
        request |= {"params": filled(case.query, self.ids), **changes}
        about = re.sub(r"\w+", lambda named: case.about.get(named[0], named[0]), path)
        return (client or self.client).request(method, filled(about, self.ids), **request)

    def send_twice(self, name: str) -> tuple[httpx.Response, httpx.Response]:
        """Send a case twice under one Idempotency-Key."""
        headers = {"Idempotency-Key": "case"}
        return self.send(name, headers=headers), self.send(name, headers=headers)


def filled(value: Any, ids: Ids) -> Any:
    if isinstance(value, str):
        return re.sub(r"{(\w+)}", lambda match: ids[match[1]], value)
    if isinstance(value, list):
        return [filled(child, ids) for child in value]
    if isinstance(value, Mapping):
        return {name: filled(child, ids) for name, child in value.items()}
    return value
