"""Random calls that decide what the models compute from, by somebody whose clock hardly moves.

Most calls make sense, some do not: whatever the API accepts must leave the pipeline able to run.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from serving_api.errors import LostRace
from tests.factories.landing import look, post, profile
from tests.factories.payouts import conversion_rule, rule
from tests.fixtures.api import Tenant
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter

HANDLES = ("anna", "ben", "cleo", "dora")
POSTS = range(6)
MOVES = (timedelta(hours=-30), timedelta(hours=31))
AN_INSTANT = 50
"""How many calls see the same business time."""
LEAVING = 0.2
"""How often a call is about another thing than the last one of its kind."""
RULES = ("recurring", "goals", "cpm", "view_threshold", "conversion")
SCOPES: Sequence[Mapping[str, Any]] = ({}, {"platform_scope": "platform", "platform": "tiktok"})
CALLS: Mapping[str, float] = {
    "add_creator": 2,
    "add_account": 3,
    "remove_account": 1,
    "remove_creator": 0.3,
    "change_account": 1,
    "turn_account": 12,
    "turn_creator": 8,
    "add_video": 2,
    "decide_on_videos": 4,
    "track_videos": 3,
    "remove_video": 1,
    "add_campaign": 1,
    "change_members": 4,
    "remove_campaign": 0.5,
    "set_goal": 3,
    "change_goal": 4,
    "remove_goal": 0.5,
    "add_event": 1,
    "change_event": 1,
    "record": 3,
    "void_conversion": 1,
    "add_structure": 2,
    "change_rule": 3,
    "archive": 0.5,
    "assign": 5,
    "end_assignment": 2,
    "decide_on_accrual": 4,
    "pay": 3,
    "change_payment": 2,
    "move_zone": 2,
    "switch_conversion_payouts": 1,
}
"""The calls, and how often each is made beside the others."""


@dataclass
class Clock:
    """Business time, which goes where it is told."""

    instant: datetime

    def __call__(self) -> datetime:
        return self.instant


@dataclass
class Walker:
    """Calls of one organization; `known` has the ids that it met, by kind."""

    tenant: Tenant
    platform_admin: Any
    clock: Clock
    chance: random.Random
    known: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    dwelt_on: dict[str, str] = field(default_factory=dict)

    def walk(self, steps: int) -> None:
        for step in range(steps):
            if step % AN_INSTANT == 0:
                self.clock.instant += self.chance.choice(MOVES)
            [name] = self.chance.choices(list(CALLS), list(CALLS.values()))
            getattr(self, name)()

    def land(self) -> None:
        """Land what a look at every handle saw by now."""
        when, chance = self.clock(), self.chance
        posts = [
            post(
                f"{handle}-{which}",
                handle,
                captured_at=when,
                posted_at=when - timedelta(hours=30 * which),
                view_count=chance.randrange(5_000),
            )
            for handle in HANDLES
            for which in POSTS
        ]
        LandingWriter(open_landing(self.tenant.api.settings)).land(
            posts=posts,
            profiles=[
                profile(one, captured_at=when, follower_count=chance.randrange(900))
                for one in HANDLES
            ],
            outcomes=[look(one, started_at=when, finished_at=when) for one in HANDLES],
        )

    # Creators, accounts, videos

    def add_creator(self) -> None:
        made = self.send("POST", "/creators", {**self._project, "accounts": [self._account()]})
        self._meet("creator", made)
        self._meet("account", *(made or {}).get("accounts", []))

    def add_account(self) -> None:
        self._meet("account", self.send("POST", "/creators/{creator}/accounts", self._account()))

    def remove_account(self) -> None:
        self.send("DELETE", "/accounts/{account}")

    def remove_creator(self) -> None:
        self.send("DELETE", "/creators/{creator}")

    def change_account(self) -> None:
        mode = self.chance.choice(["auto", "selective"])
        self.send("PATCH", "/accounts/{account}", {"tracking_mode": mode})

    def turn_account(self) -> None:
        self._turn("/accounts/{account}")

    def turn_creator(self) -> None:
        self._turn("/creators/{creator}")

    def _turn(self, path: str) -> None:
        """Deactivate what is active, reactivate what is not."""
        if self.send("POST", f"{path}/deactivate", self._rest()) is None:
            self.send("POST", f"{path}/reactivate", self._return())

    def add_video(self) -> None:
        number = self.chance.randrange(4)
        url = f"https://www.tiktok.com/@anna/video/76828374748288852{number}"
        self.send("POST", "/projects/{project}/videos", {"url": url})

    def decide_on_videos(self) -> None:
        body = {"video_ids": self._videos(), "action": self.chance.choice(["approve", "exclude"])}
        self.send("PATCH", "/projects/{project}/inbox", body)

    def track_videos(self) -> None:
        what = self.chance.choice(["disable", "enable"])
        body = {"video_ids": self._videos()}
        self.send("POST", f"/projects/{{project}}/videos/bulk-tracking-{what}", body)

    def remove_video(self) -> None:
        self.send("DELETE", "/videos/{video}")

    # Campaigns, goals, conversions

    def add_campaign(self) -> None:
        self._meet("campaign", self.send("POST", "/projects/{project}/campaigns", {"name": "C"}))

    def change_members(self) -> None:
        kind = self.chance.choice(["creator", "video", "campaign"])
        body = {"item_type": kind, "item_id": self._one(kind)}
        method = self.chance.choice(["POST", "POST", "DELETE"])
        self.send(method, "/campaigns/{campaign}/items", body)

    def remove_campaign(self) -> None:
        self.send("DELETE", "/campaigns/{campaign}")

    def set_goal(self) -> None:
        metric = self.chance.choice(["posts", "views", "engagement", "followers"])
        body = {"metric": metric, "period": "weekly", "target_value": 3}
        creator = self._one("creator")
        made = self.send("POST", f"/creators/{creator}/goals", body)
        if made:
            self.known["goal"].append(f"/creators/{creator}/goals/{made['id']}")

    def change_goal(self) -> None:
        target = self.chance.randrange(1, 9)
        body = self.chance.choice(
            [{"target_value": target}, {"is_active": target > 4}, {"period": "daily"}]
        )
        self.send("PATCH", self._one("goal"), body)

    def remove_goal(self) -> None:
        self.send("DELETE", self._one("goal"))

    def add_event(self) -> None:
        body = {"key": f"k{self.chance.randrange(9)}", "name": "E"}
        self._meet("event", self.send("POST", "/projects/{project}/conversion-events", body))

    def change_event(self) -> None:
        path = "/projects/{project}/conversion-events/{event}"
        self.send("PATCH", path, {"is_active": self.chance.random() < 0.8})

    def record(self) -> None:
        body = {
            "conversion_event_id": self._one("event"),
            "creator_id": self._one("creator"),
            "value_cents": 500,
            "external_id": f"x{self.chance.randrange(99)}",
        }
        self._meet("conversion", self.send("POST", "/projects/{project}/conversions", body))

    def void_conversion(self) -> None:
        self.send("DELETE", "/projects/{project}/conversions/{conversion}")

    # Payouts

    def add_structure(self) -> None:
        made = self.send("POST", "/payout-structures", {**self._project, "name": "F", **self._rule})
        self._meet("structure", made, key="structure_id")

    def change_rule(self) -> None:
        self.send("PATCH", "/payout-structures/{structure}", {"kind": "rule", **self._rule})

    def archive(self) -> None:
        self.send("DELETE", "/payout-structures/{structure}")

    def assign(self) -> None:
        start = self.clock().date() - timedelta(days=self.chance.randrange(9))
        body = {"creator_ids": [self._one("creator")], "start_date": start.isoformat()}
        self.send("POST", "/payout-structures/{structure}/assignments", body)

    def end_assignment(self) -> None:
        body = {"creator_ids": [self._one("creator")]}
        self.send("DELETE", "/payout-structures/{structure}/assignments", body)

    def decide_on_accrual(self) -> None:
        status = self.chance.choice(["approved", "void", "final"])
        body = {"status": status, "note": "So"}
        for one in self.chance.sample(self._accruals(), min(3, len(self._accruals()))):
            self.send("PATCH", f"/payout-accruals/{one['id']}", body)

    def pay(self) -> None:
        rows = self._accruals()
        if not rows:
            return
        creator = self.chance.choice(rows)["creator_id"]
        owed = [one for one in rows if one["creator_id"] == creator]
        body = {
            **self._project,
            "creator_id": creator,
            "payout_method_id": self.tenant.client.data("GET", "/payout-methods")[0]["id"],
            "accrual_ids": [one["id"] for one in owed if one["status"] in {"final", "approved"}],
            "status": self.chance.choice(["pending", "paid"]),
        }
        self._meet("payment", self.send("POST", "/payout-payments", body))

    def change_payment(self) -> None:
        body = {"status": self.chance.choice(["paid", "failed", "void"])}
        self.send("PATCH", "/payout-payments/{payment}", body)

    # The organization

    def move_zone(self) -> None:
        zone = self.chance.choice(["UTC", "America/New_York", "Asia/Kolkata"])
        path = f"/organizations/{self.tenant.organization_id}"
        self.send("PATCH", path, {"analytics_tz": zone})

    def switch_conversion_payouts(self) -> None:
        path = f"/admin/organizations/{self.tenant.organization_id}"
        body = {"conversion_payouts_enabled": self.chance.random() < 0.5}
        self.send("PATCH", path, body, self.platform_admin)

    # How

    def send(self, method: str, path: str, body: Any = None, client: Any = None) -> Any:
        """Call; `data` of what was accepted, None for what was refused.

        A 5xx is a failure, and so is a key that PostgreSQL had to defend: nobody else writes.
        """
        names = {name for name in ("creator", "account", "video", "campaign") if name in path}
        names |= {name for name in ("event", "conversion", "structure", "payment") if name in path}
        ids = {name: self._one(name) for name in names}
        response = (client or self.tenant.client).request(
            method,
            path.format(**ids, project=self.tenant.project_id),
            **({"json": body} if body is not None else {}),
        )
        told = f"{method} {path} {body}: {response.text}"
        assert response.status_code < 500, told
        assert response.json()["error"] != LostRace().message, told
        return response.json()["data"] if response.is_success else None

    def _one(self, kind: str) -> str:
        """Return an id, mostly the one of last time: what is done to one thing is soon undone."""
        if kind not in self.dwelt_on or self.chance.random() < LEAVING:
            ids = self._videos() if kind == "video" else self.known[kind][-3:]
            self.dwelt_on[kind] = self.chance.choice(ids or [str(self.tenant.project_id)])
        return self.dwelt_on[kind]

    def _meet(self, kind: str, *rows: Any, key: str = "id") -> None:
        self.known[kind].extend(row[key] for row in rows if row)

    @property
    def _project(self) -> dict[str, Any]:
        return {"project_id": str(self.tenant.project_id)}

    @property
    def _rule(self) -> dict[str, Any]:
        kind = self.chance.choice(RULES)
        scope = dict(self.chance.choice(SCOPES))
        if kind != "conversion":
            return rule(kind, **scope)
        cadence = self.chance.choice(["weekly", "every_conversion"])
        return conversion_rule({"id": self._one("event")}, cadence, **scope)

    def _account(self) -> dict[str, Any]:
        return {"platform": "tiktok", "handle": self.chance.choice(HANDLES)}

    def _rest(self) -> dict[str, Any]:
        videos = self.chance.choice(["keep_tracking", "freeze", "stop_tracking"])
        return {"videos": videos, "payouts": self.chance.choice(["pause", "keep"])}

    def _return(self) -> dict[str, Any]:
        missed = self.chance.choice(["inbox", "track", "ignore"])
        return {
            "missed_posts": missed,
            "existing_videos": self.chance.choice(["resume", "keep", "stop"]),
        }

    def _videos(self) -> list[str]:
        rows = self.tenant.client.data("GET", "/videos", params={"limit": 100, **self._project})
        ids = [row["id"] for row in rows]
        return self.chance.sample(ids, min(3, len(ids))) or [str(self.tenant.project_id)]

    def _accruals(self) -> list[Any]:
        response = self.tenant.client.get(
            "/payout-accruals", params={"limit": 100, **self._project}
        )
        return response.json()["data"] or []
