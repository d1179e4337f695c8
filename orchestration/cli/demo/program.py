"""What the two organizations set up before the month: creators, campaigns, goals and pay rules.

Everything goes through REST, as from a user. Later decisions are in `deciding`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orchestration.cli.demo.rest import Rest
from warehouse.operational.organizations import NewOrganization
from warehouse.platforms import PLATFORMS

TRACKED_FROM = "2026-08-25"
PAID_FROM = "2026-08-31"
USD = {"currency": "USD", "proration_mode": "prorate"}

# Creators by their number in the simulated world, whose posts and counts follow from its seed: 13
# buys views, 14 loses some, 6 has a private TikTok account.

ON_BOTH = 3
FIRST_WAVE, SECOND_WAVE = (3, 13, 14), (4, 9, 11)
PRIVATE, REVIEWED = 6, 1
BY_VIEWS, BY_WEEK, BY_MILESTONE, BY_GOAL, BY_SALE = (4, 13, 14), (9,), (3,), (11,), (3, 9)
TAGS = {"Books": (3, 4), "Food": (9, 11), "Travel": (13, 14)}

VIEWS = {
    **USD,
    "criteria_type": "cpm",
    "period": "weekly",
    "amount_cents": 0,
    "proration_mode": "skip",
    "hold_anomalies": True,
    "criteria_params": {
        "tiers": [
            {"up_to_impressions": 10_000, "cents_per_thousand": 300},
            {"up_to_impressions": None, "cents_per_thousand": 150},
        ]
    },
}
RETAINER = {
    **USD,
    "criteria_type": "recurring",
    "period": "weekly",
    "amount_cents": 15_000,
    "criteria_params": {},
}
BONUSES = {5_000: 2_000, 20_000: 6_000}
"""Cents for each view count that a post reaches."""
SALES_BPS = 1_000
MILESTONES = {
    **USD,
    "criteria_type": "view_threshold",
    "period": None,
    "amount_cents": None,
    "proration_mode": "skip",
    "criteria_params": {
        "thresholds": [
            {"view_count": views, "amount_cents": cents} for views, cents in BONUSES.items()
        ]
    },
}
BONUS = {
    **USD,
    "criteria_type": "goals",
    "period": "weekly",
    "amount_cents": 5_000,
    "criteria_params": {"mode": "all"},
}


@dataclass(frozen=True)
class Program:
    """What an organization created; creators are keyed by their number in the simulated world."""

    rest: Rest
    organization: NewOrganization
    handles: dict[int, str]
    creators: dict[int, str]
    campaign_id: str

    @property
    def project_id(self) -> str:
        return str(self.organization.project_id)


def start_program(rest: Rest, organization: NewOrganization, world: Sequence[str]) -> Program:
    """Create the larger organization's creators, campaigns, goals and pay rules."""
    numbers = sorted({*FIRST_WAVE, *SECOND_WAVE, PRIVATE, REVIEWED})
    creators = _track(rest, organization, world, numbers)
    first = _campaign(rest, organization, "First wave", [creators[number] for number in FIRST_WAVE])
    second = _campaign(
        rest, organization, "Second wave", [creators[number] for number in SECOND_WAVE]
    )
    _campaign(rest, organization, "Autumn launch", [first, second], "campaign")
    program = Program(rest, organization, {n: world[n] for n in numbers}, creators, first)
    for tag, tagged in TAGS.items():
        for number in tagged:
            rest.post(f"/creators/{creators[number]}/tags", {"tags": [tag]})
    _goal(program, 11, "posts", "weekly", 5)
    _goal(program, 14, "posts", "monthly", 40)
    _pay(program, "Views", VIEWS, BY_VIEWS)
    _pay(program, "Retainer", RETAINER, BY_WEEK)
    _pay(program, "Milestones", MILESTONES, BY_MILESTONE)
    _pay(program, "Posting bonus", BONUS, BY_GOAL)
    _pay(program, "Commission", _commission(program), BY_SALE)
    _invite_others(program)
    return program


def start_small_program(rest: Rest, organization: NewOrganization, world: Sequence[str]) -> Program:
    """Create the smaller organization's program: one creator, one campaign, a weekly retainer."""
    creators = _track(rest, organization, world, [4])
    campaign = _campaign(rest, organization, "Holidays", list(creators.values()))
    program = Program(rest, organization, {4: world[4]}, creators, campaign)
    _pay(program, "Retainer", RETAINER, [4])
    return program


def _track(
    rest: Rest, organization: NewOrganization, world: Sequence[str], numbers: Sequence[int]
) -> dict[int, str]:
    new = [
        {"display_name": _name(world[number]), "accounts": _accounts(world[number], number)}
        for number in numbers
    ]
    made = rest.post(f"/projects/{organization.project_id}/creators", {"creators": new})
    return {number: creator["id"] for number, creator in zip(numbers, made, strict=True)}


def _name(handle: str) -> str:
    return re.sub(r"[._]", " ", handle.rstrip("0123456789")).title()


def platforms_of(number: int) -> Sequence[str]:
    """Return a creator's platforms: only ON_BOTH is also on Instagram, with a fetch per post."""
    return PLATFORMS if number == ON_BOTH else ["tiktok"]


def _accounts(handle: str, number: int) -> list[dict[str, str]]:
    days = {"tracking_start_date": TRACKED_FROM}
    if number == REVIEWED:
        days = {"tracking_start_date": "2026-09-20", "tracking_mode": "selective"}
    return [{"platform": name, "handle": handle, **days} for name in platforms_of(number)]


def _campaign(
    rest: Rest, organization: NewOrganization, name: str, items: list[str], kind: str = "creator"
) -> str:
    made = rest.post(f"/projects/{organization.project_id}/campaigns", {"name": name})
    campaign_id: str = made["id"]
    for item in items:
        rest.post(f"/campaigns/{campaign_id}/items", {"item_type": kind, "item_id": item})
    return campaign_id


def _goal(program: Program, number: int, metric: str, period: str, target: int) -> None:
    goal = {"metric": metric, "period": period, "target_value": target}
    path = f"/creators/{program.creators[number]}/goals"
    program.rest.post(path, {**goal, "start_date": PAID_FROM})


def _pay(program: Program, name: str, rule: dict[str, Any], numbers: Sequence[int]) -> None:
    body = {"project_id": program.project_id, "name": name, **rule}
    structure = program.rest.post("/payout-structures", body)["structure_id"]
    paid = {
        "creator_ids": [program.creators[number] for number in numbers],
        "start_date": PAID_FROM,
    }
    program.rest.post(f"/payout-structures/{structure}/assignments", paid)


def _commission(program: Program) -> dict[str, Any]:
    """Create two conversion events; return the rule that pays 10% of sales."""
    path = f"/projects/{program.project_id}/conversion-events"
    program.rest.post(path, {"key": "signup", "name": "Sign-up"})
    sale = program.rest.post(path, {"key": "sale", "name": "Sale"})
    rate = {"conversion_event_id": sale["id"], "rate_type": "percent", "percent_bps": SALES_BPS}
    params = {"cadence": "weekly", "rates": [rate]}
    rule = {**USD, "criteria_type": "conversion", "period": "weekly", "amount_cents": None}
    return {**rule, "proration_mode": "skip", "criteria_params": params}


def _invite_others(program: Program) -> None:
    """Create a creator's share link, a report, an invitation and a webhook endpoint."""
    rest, organization_id = program.rest, program.organization.organization_id
    sections = {"show_analytics": True, "show_payouts": True}
    rest.post(f"/creators/{program.creators[ON_BOTH]}/share-link", sections)
    rest.post(f"/projects/{program.project_id}/reports", {})
    invited = {"email": "colleague@demo.invalid", "role": "member"}
    rest.post(f"/organizations/{organization_id}/invitations", invited)
    rest.post("/webhook-endpoints", {"url": "https://hooks.demo.invalid/tracker"})
