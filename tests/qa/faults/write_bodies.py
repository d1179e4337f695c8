"""Bodies of random calls with known ids: every field that the models read."""

import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from tests.dbt_project.payout_rules import Rules

HANDLES = ("anna", "ben", "cleo", "dora")
PLATFORMS = ("tiktok", "tiktok", "instagram")
LINKED = tuple(f"76828374748288852{number:02}" for number in range(4))
"""TikTok posts that are added by URL."""
ZONES = ("UTC", "America/New_York", "Asia/Kolkata", "Pacific/Kiritimati")
LEAVING = 0.2
"""The probability that a call is about another entity than the last one of its kind."""


@dataclass
class Clock:
    """Business time, set by a test."""

    instant: datetime

    def __call__(self) -> datetime:
        return self.instant


@dataclass
class Choices:
    """The ids and random choices of a walker; `known` has its ids by kind."""

    clock: Clock
    chance: random.Random
    known: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    dwelt_on: dict[str, str] = field(default_factory=dict)

    def one(self, kind: str) -> str:
        """Return an id, mostly the previous one, so that actions are soon undone."""
        if kind not in self.dwelt_on or self.chance.random() < LEAVING:
            ids = self.known[kind] if kind in {"video", "accrual"} else self.known[kind][-4:]
            self.dwelt_on[kind] = self.chance.choice(ids or self.known["project"])
        return self.dwelt_on[kind]

    def some(self, kind: str) -> list[str]:
        ids = self.known[kind]
        return self.chance.sample(ids, min(3, len(ids))) or self.known["project"][:1]

    def day(self, earliest: int = -9, latest: int = 4) -> str:
        days = timedelta(days=self.chance.randint(earliest, latest))
        return (self.clock().date() + days).isoformat()

    def instant(self) -> str:
        """Return an instant of the last days, or now."""
        back = timedelta(hours=self.chance.choice((0, 1, 20, 50, 200)))
        return (self.clock() - back).isoformat()

    def sometimes(self, **values: Any) -> dict[str, Any]:
        """Return a random subset of the values."""
        return {name: value for name, value in values.items() if self.chance.random() < 0.4}

    def rule(self) -> dict[str, Any]:
        """Return the rule of a structure for the API, with any scope and parameters."""
        events = [UUID(event_id) for event_id in self.known["event"]]
        accounts = [UUID(account_id) for account_id in self.known["account"]] or [UUID(int=1)]
        rules = Rules(self.chance, events, accounts)
        shape = rules.shape()
        terms = rules.terms(shape)
        kind = shape["criteria_type"]
        return {
            "criteria_type": kind,
            "period": shape["period"],
            "currency": "USD",
            **terms,
            "amount_cents": 0 if kind == "cpm" else terms["amount_cents"],
            "account_id": terms["account_id"] and str(terms["account_id"]),
            "hold_anomalies": self.chance.random() < 0.5,
        }


Body = Callable[[Choices], Any]


def account(choices: Choices) -> Any:
    return {
        "platform": choices.chance.choice(PLATFORMS),
        "handle": choices.chance.choice(HANDLES),
        **choices.sometimes(
            tracking_mode=choices.chance.choice(["auto", "selective"]),
            tracking_start_date=choices.day(-30),
            tracking_end_date=choices.day(),
        ),
    }


def creator(choices: Choices) -> Any:
    return {"project_id": choices.one("project"), "accounts": [account(choices)]}


def account_changes(choices: Choices) -> Any:
    changes = choices.sometimes(
        handle=choices.chance.choice(HANDLES),
        tracking_mode=choices.chance.choice(["auto", "selective", "hashtag"]),
        tracking_hashtags=["ad"],
        tracking_start_date=choices.chance.choice([None, choices.day(-30)]),
        tracking_end_date=choices.chance.choice([None, choices.day()]),
    )
    return changes or {"tracking_mode": "auto"}


def pause(choices: Choices) -> Any:
    videos = choices.chance.choice(["keep_tracking", "freeze", "stop_tracking"])
    return {"videos": videos, "payouts": choices.chance.choice(["pause", "keep"])}


def restart(choices: Choices) -> Any:
    return {
        "missed_posts": choices.chance.choice(["inbox", "track", "ignore"]),
        "existing_videos": choices.chance.choice(["resume", "keep", "stop"]),
    }


def video_changes(choices: Choices) -> Any:
    statuses = ["auto_tracked", "pending_review", "included", "excluded", "direct_add"]
    changes = choices.sometimes(title="T", tracking_status=choices.chance.choice(statuses))
    return changes or {"title": None}


def campaign_item(choices: Choices) -> Any:
    kind = choices.chance.choice(["creator", "video", "campaign"])
    return {"item_type": kind, "item_id": choices.one(kind)}


def scope(choices: Choices) -> Any:
    return choices.chance.choice(
        [
            {},
            {"platform_scope": "platform", "platform": "tiktok"},
            {"platform_scope": "account", "account_id": choices.one("account")},
        ]
    )


def goal(choices: Choices) -> Any:
    return {
        "metric": choices.chance.choice(["posts", "views", "engagement", "followers"]),
        "period": choices.chance.choice(["daily", "weekly", "monthly"]),
        "target_value": choices.chance.choice([1, 3, 5_000]),
        **choices.sometimes(start_date=choices.day(-40), end_date=choices.day()),
        **scope(choices),
    }


def goal_changes(choices: Choices) -> Any:
    changes = choices.sometimes(
        **{name: value for name, value in goal(choices).items() if name in GOAL_CHANGES},
        is_active=choices.chance.random() < 0.6,
    )
    return changes or {"is_active": True}


GOAL_CHANGES = {"metric", "period", "target_value", "start_date", "end_date"}


def conversion(choices: Choices) -> Any:
    kind = choices.chance.choice(["creator", "account", "video"])
    return {
        "conversion_event_id": choices.one("event"),
        f"{kind}_id": choices.one(kind),
        **choices.sometimes(
            value_cents=choices.chance.choice([0, 1, 500, 9_000_000_000]),
            quantity=choices.chance.choice([1, 7, 1_000_000]),
            external_id=f"x{choices.chance.randrange(99)}",
            occurred_at=choices.instant(),
        ),
    }


def structure(choices: Choices) -> Any:
    return {"project_id": choices.one("project"), "name": "F", **choices.rule()}


def structure_changes(choices: Choices) -> Any:
    if choices.chance.random() < 0.2:
        return {"kind": "cosmetic", "name": "G"}
    return {"kind": "rule", **choices.rule()}


def assignment(choices: Choices) -> Any:
    days = {"start_date": choices.day(-25), "end_date": choices.day()}
    return {"creator_ids": [choices.one("creator")], **choices.sometimes(**days)}


def assignment_end(choices: Choices) -> Any:
    return {"creator_ids": [choices.one("creator")], **choices.sometimes(end_date=choices.day(-12))}


def accrual_decision(choices: Choices) -> Any:
    status = choices.chance.choice(["approved", "void", "final"])
    return {"status": status, "note": "So"}


def payment(choices: Choices) -> Any:
    whose = {"creator_id": choices.one("creator"), "project_id": choices.one("project")}
    what = (
        {"accrual_ids": choices.some("accrual")}
        if choices.chance.random() < 0.8
        else {"amount_cents": 700}
    )
    return {
        **whose,
        **what,
        "payout_method_id": choices.one("payout_method"),
        "status": choices.chance.choice(["pending", "paid"]),
    }


def payment_changes(choices: Choices) -> Any:
    if choices.chance.random() < 0.2:
        return {"accrual_ids": choices.some("accrual")}
    return {"status": choices.chance.choice(["paid", "pending", "failed", "void"])}


def budget(choices: Choices) -> Any:
    about = choices.chance.choice(
        [{}, {"campaign_id": choices.one("campaign")}, {"structure_id": choices.one("structure")}]
    )
    return {
        "project_id": choices.one("project"),
        "name": "B",
        "amount_cents": choices.chance.choice([1, 5_000, 9_000_000]),
        "on_exceeded": choices.chance.choice(["warn", "stop_assignments"]),
        **about,
    }


def dispute_decision(choices: Choices) -> Any:
    state = choices.chance.choice(["answered", "corrected", "rejected"])
    return {"state": state, "answer": "So"}


def tags(choices: Choices) -> Any:
    return {"tags": [choices.chance.choice(["a", "b", "c"])]}


def tag(choices: Choices) -> Any:
    kind = choices.chance.choice(["creator", "campaign", "account", "video"])
    return {"entity_type": kind, "name": choices.chance.choice(["a", "b", "c"])}


def tag_merge(choices: Choices) -> Any:
    return {"target_tag_id": choices.one("tag"), "source_tag_ids": choices.some("tag")}


def tag_application(choices: Choices) -> Any:
    kind = choices.chance.choice(["creator", "campaign", "account", "video"])
    return {"entity_type": kind, "entity_ids": choices.some(kind), **tags(choices)}


def organization_changes(choices: Choices) -> Any:
    changes = choices.sometimes(
        analytics_tz=choices.chance.choice(ZONES),
        payout_settling_days=choices.chance.choice([0, 3, 30]),
    )
    return changes or {"name": "Renamed"}


def plan_changes(choices: Choices) -> Any:
    changes = choices.sometimes(
        plan=choices.chance.choice(["free", "starter", "ultra", "ultra"]),
        freshness=choices.chance.choice(["fast", "standard", "frugal"]),
        conversion_payouts_enabled=choices.chance.random() < 0.7,
    )
    return changes or {"plan": "ultra"}


def project_changes(choices: Choices) -> Any:
    return {"name": "P", "is_archived": choices.chance.random() < 0.2}


def linked_video(choices: Choices) -> Any:
    handle, number = choices.chance.choice(HANDLES), choices.chance.choice(LINKED)
    return {"url": f"https://www.tiktok.com/@{handle}/video/{number}"}


BODIES: Mapping[str, Body] = {
    "PATCH /organizations/{organization_id}": organization_changes,
    "PATCH /admin/organizations/{organization_id}": plan_changes,
    "PATCH /organizations/{organization_id}/projects/{project_id}": project_changes,
    "POST /creators": creator,
    "POST /projects/{project_id}/creators": lambda choices: {"accounts": [account(choices)]},
    "PATCH /creators/{creator_id}": lambda choices: {
        "display_name": "Renamed",
        **choices.sometimes(is_active=choices.chance.random() < 0.6),
    },
    "POST /creators/{creator_id}/deactivate": pause,
    "POST /creators/{creator_id}/reactivate": restart,
    "POST /creators/{creator_id}/accounts": account,
    "PATCH /accounts/{account_id}": account_changes,
    "POST /accounts/{account_id}/deactivate": pause,
    "POST /accounts/{account_id}/reactivate": restart,
    "POST /projects/{project_id}/videos": linked_video,
    "PATCH /videos/{video_id}": video_changes,
    "POST /projects/{project_id}/videos/bulk-tracking-disable": lambda choices: {
        "video_ids": choices.some("video")
    },
    "POST /projects/{project_id}/videos/bulk-tracking-enable": lambda choices: {
        "video_ids": choices.some("video"),
        **choices.sometimes(exempt=True),
    },
    "PATCH /projects/{project_id}/inbox": lambda choices: {
        "video_ids": choices.some("video"),
        "action": choices.chance.choice(["approve", "exclude"]),
    },
    "POST /content-groups": lambda choices: {
        "project_id": choices.one("project"),
        "title": "G",
        "video_ids": choices.some("video"),
    },
    "PATCH /campaigns/{campaign_id}": lambda choices: (
        choices.sometimes(target_views=10_000, target_at=choices.instant()) or {"name": "C"}
    ),
    "POST /campaigns/{campaign_id}/items": campaign_item,
    "DELETE /campaigns/{campaign_id}/items": campaign_item,
    "POST /projects/{project_id}/conversion-events": lambda choices: {
        "key": f"k{choices.chance.randrange(9)}",
        "name": "E",
        **choices.sometimes(default_value_cents=300, currency="EUR"),
    },
    "PATCH /projects/{project_id}/conversion-events/{event_id}": lambda choices: {
        "is_active": choices.chance.random() < 0.8
    },
    "POST /projects/{project_id}/conversions": conversion,
    "POST /creators/{creator_id}/goals": goal,
    "PATCH /creators/{creator_id}/goals/{goal_id}": goal_changes,
    "POST /tags": tag,
    "POST /tags/merge": tag_merge,
    "POST /tags/apply": tag_application,
    **{
        f"{method} /{kind}s/{{{kind}_id}}/tags": tags
        for kind in ("creator", "campaign", "account", "video")
        for method in ("POST", "PUT", "DELETE")
    },
    "POST /payout-structures": structure,
    "PATCH /payout-structures/{structure_id}": structure_changes,
    "POST /payout-structures/{structure_id}/assignments": assignment,
    "DELETE /payout-structures/{structure_id}/assignments": assignment_end,
    "PATCH /payout-accruals/{accrual_id}": accrual_decision,
    "POST /payout-payments": payment,
    "PATCH /payout-payments/{payment_id}": payment_changes,
    "POST /budgets": budget,
    "PATCH /payout-disputes/{dispute_id}": dispute_decision,
}
"""Other operations, which no model reads or whose case is complete, use their case's body."""
