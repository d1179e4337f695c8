"""Random API calls that change the inputs of the models, while the clock hardly moves.

Most calls make sense, some do not: whatever the API accepts must leave the pipeline able to run.
Every write operation is called, a new one with the body of its case.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from serving_api.errors import LostRace
from tests.contract.cases import CASES, filled
from tests.fixtures.api import Client, Tenant
from tests.qa.faults.write_bodies import BODIES, HANDLES, PLATFORMS, Choices

MOVES = (
    timedelta(hours=-30),
    timedelta(minutes=3),
    timedelta(hours=7),
    timedelta(hours=31),
    timedelta(days=6),
)
AN_INSTANT = 50
"""The number of calls at the same business time."""

LEFT_OUT = {
    "POST /user/organizations": "an organization of its own, which has no other calls",
    "PATCH /organizations/{organization_id}/members/{user_id}": "ends the caller's access",
    "DELETE /organizations/{organization_id}/members/{user_id}": "ends the caller's access",
    "POST /admin/users/{user_id}/ban": "ends the caller's access",
    "POST /admin/users/{user_id}/unban": "ends the caller's access",
    "DELETE /organizations/{organization_id}/api-keys/{key_id}": "ends the caller's access",
    "POST /payout-structures/simulate": "writes nothing",
    "POST /payout-structures/search": "writes nothing",
}
"""Operations that are not called, with the reason."""

WRITES = [name for name in CASES if not name.startswith("GET ") and name not in LEFT_OUT]

MADE_BY = {
    "POST /organizations/{organization_id}/projects": "project",
    "POST /creators": "creator",
    "POST /projects/{project_id}/creators": "creator",
    "POST /creators/{creator_id}/accounts": "account",
    "POST /projects/{project_id}/campaigns": "campaign",
    "POST /content-groups": "content_group",
    "POST /projects/{project_id}/conversion-events": "event",
    "POST /projects/{project_id}/conversions": "conversion",
    "POST /creators/{creator_id}/goals": "goal",
    "POST /tags": "tag",
    "POST /payout-methods": "payout_method",
    "POST /payout-structures": "structure",
    "POST /payout-payments": "payment",
    "POST /payout-disputes": "dispute",
    "POST /budgets": "budget",
    "POST /analytics/annotations": "annotation",
    "POST /projects/{project_id}/reports": "report",
}
"""The kind of the id that the answer has."""

FURNITURE = (
    *("POST /projects/{project_id}/conversion-events",) * 2,
    *("POST /payout-structures",) * 8,
    *("POST /projects/{project_id}/campaigns",) * 3,
    *("POST /campaigns/{campaign_id}/items",) * 6,
    *("POST /creators/{creator_id}/goals",) * 4,
    *("POST /projects/{project_id}/videos",) * 3,
    *("POST /projects/{project_id}/conversions",) * 4,
    *("POST /budgets",) * 2,
    "POST /webhook-endpoints",
)
"""The initial entities besides creators and assignments."""

WEIGHTS: Mapping[str, float] = {
    "POST /creators": 4,
    "POST /creators/{creator_id}/accounts": 6,
    "PATCH /accounts/{account_id}": 3,
    "POST /accounts/{account_id}/deactivate": 8,
    "POST /accounts/{account_id}/reactivate": 8,
    "POST /creators/{creator_id}/deactivate": 5,
    "POST /creators/{creator_id}/reactivate": 5,
    "DELETE /creators/{creator_id}": 0.5,
    "POST /projects/{project_id}/videos": 4,
    "PATCH /videos/{video_id}": 6,
    "PATCH /projects/{project_id}/inbox": 8,
    "POST /projects/{project_id}/videos/bulk-tracking-disable": 3,
    "POST /projects/{project_id}/videos/bulk-tracking-enable": 3,
    "POST /projects/{project_id}/campaigns": 2,
    "POST /campaigns/{campaign_id}/items": 8,
    "DELETE /campaigns/{campaign_id}/items": 4,
    "POST /creators/{creator_id}/goals": 6,
    "PATCH /creators/{creator_id}/goals/{goal_id}": 8,
    "POST /projects/{project_id}/conversion-events": 2,
    "POST /projects/{project_id}/conversions": 6,
    "POST /payout-structures": 6,
    "PATCH /payout-structures/{structure_id}": 6,
    "DELETE /payout-structures/{structure_id}": 0.5,
    "POST /payout-structures/{structure_id}/assignments": 14,
    "DELETE /payout-structures/{structure_id}/assignments": 5,
    "PATCH /payout-accruals/{accrual_id}": 10,
    "POST /payout-payments": 8,
    "PATCH /payout-payments/{payment_id}": 4,
    "POST /payout-disputes": 3,
    "PATCH /organizations/{organization_id}": 2,
    "POST /tags/merge": 2,
}
"""The relative frequency of a call; others have 1."""


class Ids(dict[str, str]):
    """Ids by parameter name, each chosen at its first use."""

    def __init__(self, choose: Callable[[str], str]) -> None:
        self._choose = choose

    def __missing__(self, name: str) -> str:
        kind = {"entity_id": "creator"}.get(name, name.removeprefix("source_").removesuffix("_id"))
        self[name] = "creator" if name == "entity_type" else self._choose(kind)
        return self[name]


@dataclass(kw_only=True)
class Walker(Choices):
    tenant: Tenant
    platform_admin: Client
    made_with: dict[str, Mapping[str, str]] = field(default_factory=dict)
    accepted: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.known["organization"] = [str(self.tenant.organization_id)]
        self.known["project"] = [str(self.tenant.project_id)]

    def furnish(self) -> None:
        """Create some of each entity, so that later calls have ids."""
        for handle in HANDLES:
            whole = {"handle": handle, "tracking_start_date": self.day(-90, -60)}
            accounts = [{"platform": platform, **whole} for platform in sorted({*PLATFORMS})]
            self.call("POST /creators", {"project_id": self.one("project"), "accounts": accounts})
        for name in FURNITURE:
            self.call(name)
        for structure in self.known["structure"]:
            path = "/payout-structures/{structure_id}/assignments"
            days = {"start_date": self.day(-25, -5)}
            self.dwelt_on["structure"] = structure
            self.call(f"POST {path}", {"creator_ids": self.some("creator"), **days})

    def comment_crawl(self, steps: int) -> None:
        weights = [WEIGHTS.get(name, 1) for name in WRITES]
        for step in range(steps):
            if step % AN_INSTANT == 0:
                self.clock.instant += self.chance.choice(MOVES)
                self.meet_rows()
            [name] = self.chance.choices(WRITES, weights)
            self.call(name)

    def meet_rows(self) -> None:
        """Learn the ids of entities that runs create."""
        self.known["video"] = self._listed("/videos")
        self.known["payout_method"] = self._listed("/payout-methods")
        projects = self.known["project"]
        self.known["accrual"] = [
            accrual for project in projects for accrual in self._listed("/payout-accruals", project)
        ]

    def _listed(self, path: str, project: str | None = None) -> list[str]:
        params = {"limit": 100} | ({"project_id": project} if project else {})
        rows = self.tenant.client.get(path, params=params).json()["data"]
        return [row["id"] for row in rows or []]

    def call(self, name: str, body: Any = None) -> None:
        """Make a call, by default with a random body; remember the ids that it created.

        Fails on a 5xx, and on a violated key in PostgreSQL: there is no concurrent caller.
        """
        method, _, path = name.partition(" ")
        ids = self._ids(path)
        if body is None:
            body = BODIES[name](self) if name in BODIES else filled(CASES[name].body, ids)
        path = filled(path, ids)
        client = self.platform_admin if CASES[name].platform else self.tenant.client
        response = client.request(method, path, **({} if body is None else {"json": body}))
        report = f"{method} {path} {body}: {response.text}"
        assert response.status_code < 500, report
        assert response.json()["error"] != LostRace().message, report
        if response.is_success:
            self.accepted[name] += 1
            self._meet(MADE_BY.get(name), response.json()["data"], ids)

    def _ids(self, path: str) -> Ids:
        """Return ids for a path; a nested entity gets the ids of its parents."""
        ids = Ids(self.one)
        for kind in ("goal", "event", "conversion"):
            if f"{{{kind}_id}}" in path:
                ids.update(self.made_with.get(ids[f"{kind}_id"], {}))
        return ids

    def _meet(self, kind: str | None, data: Any, ids: Mapping[str, str]) -> None:
        if kind is None:
            return
        for row in data if isinstance(data, list) else [data]:
            made = row["structure_id" if kind == "structure" else "id"]
            self.known[kind].append(made)
            self.made_with[made] = dict(ids)
            self.known["account"].extend(account["id"] for account in row.get("accounts", ()))
