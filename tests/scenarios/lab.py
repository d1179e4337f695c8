"""Simulated costs of another rule, before a decision (money.md M4, M7, M8)."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.factories.payouts import rule
from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.scenarios.campaign import Campaign, Wait, at, computed
from warehouse.warehouse_lock import warehouse_lock

POSTED = {"first": at(3, 3, 9), "second": at(3, 10, 9)}


def per_thousand(cents: float, most: int | None = None) -> dict[str, Any]:
    tiers = [{"up_to_impressions": None, "cents_per_thousand": cents}]
    return rule("cpm", criteria_params={"tiers": tiers, "max_payout_cents": most})


def story(campaign: Campaign) -> Iterator[Wait]:
    creator = campaign.creator()
    structure = campaign.pays(creator, "2026-03-02", per_thousand(100))
    client = campaign.tenant.client

    def ask(start: str, end: str, **proposed: Any) -> Any:
        days = {"from": start, "to": end, "creator_ids": [creator["id"]]}
        return client.data("POST", "/payout-structures/simulate", json=days | proposed)

    def instead(cents: float, most: int | None = None) -> dict[str, Any]:
        return {"structure_id": structure, "rule": {"kind": "rule", **per_thousand(cents, most)}}

    campaign.scraped(at(3, 4), POSTED, first=5_000)
    campaign.scraped(at(3, 8), POSTED, first=12_400)
    campaign.scraped(at(3, 13), POSTED, first=15_400, second=333)
    yield computed(3, 16)
    # 12,400 views at $1.00 a thousand = 1,240 cents; 3,000 + 333 = 3,333 views = 333.3 cents.
    assert campaign.amounts(creator) == [
        ("2026-03-02", 1_240, "final"),
        ("2026-03-09", 333, "final"),
    ]

    # At $1.255 and at most $15.00 a week: 1,556.2 cents are cut to 1,500; 418.2915 are not.
    answer = ask("2026-03-04", "2026-03-15", **instead(125.5, 1_500))
    [figures] = answer["creators"]
    weeks = figures["periods"]
    assert [
        (week["simulated"]["amount_cents"], week["in_force"]["amount_cents"]) for week in weeks
    ] == [
        (1_500, 1_240),
        (418, 333),
    ]
    assert [week["simulated"]["limited_by"] for week in weeks] == ["max_payout", None]
    assert [week["in_force"]["accrual_id"] for week in weeks] == [
        accrual["id"] for accrual in campaign.accruals(creator)
    ]
    week = weeks[1]["simulated"]
    assert week["precise_amount"] == "418.291500000"
    assert week["summary"] == "3,333 views counted: 3,333 at $1.255 per thousand"
    assert week["evidence"]["running_total_before_cents"] == "1500.000000000"
    # The readings behind the views, as in an accrual.
    read = {video["video_id"]: video for video in week["evidence"]["videos"]}
    first, second = (read[video["video_id"]] for video in week["videos"])
    assert first["from_reading"]["captured_at"] == "2026-03-08T16:00:00.000000Z"
    assert second["from_reading"] is None
    assert second["to_reading"]["captured_at"] == "2026-03-13T16:00:00.000000Z"
    # 418 x 3,000 / 3,333 = 376.2, and 418 x 333 / 3,333 = 41.8.
    assert [(video["views"], video["amount_cents"]) for video in week["videos"]] == [
        (3_000, 376),
        (333, 42),
    ]
    sums = {"simulated_cents": 1_918, "in_force_cents": 1_573, "difference_cents": 345}
    assert {name: answer[name] for name in sums} == {name: figures[name] for name in sums} == sums

    # For the second week alone, the first keeps its rule: 1,240 + 418.2915 = 1,658.2915.
    answer = ask("2026-03-09", "2026-03-15", **instead(125.5, 1_500))
    [week] = answer["creators"][0]["periods"]
    assert (answer["simulated_cents"], answer["difference_cents"]) == (418, 85)
    assert week["simulated"]["evidence"]["running_total_before_cents"] == "1240.000000000"

    # The current rule gives what was paid.
    answer = ask("2026-03-02", "2026-03-15", **instead(100))
    assert (answer["simulated_cents"], answer["difference_cents"]) == (1_573, 0)
    for period in answer["creators"][0]["periods"]:
        in_force = period["in_force"]
        assert in_force["evidence"] == campaign.evidence({"id": in_force["accrual_id"]})
        assert {name: in_force[name] for name in period["simulated"]} == period["simulated"]

    budgets(campaign, {"creator_ids": [creator["id"]], "structure_id": structure})
    at_the_desk(campaign, structure, creator["id"])

    # A new rule from Wednesday the 11th on, at $2.00: 15,400 - 12,400 = 3,000 views. The second
    # post, of the day before, was first read on Friday: its views by then are not paid.
    new = {"project_id": str(campaign.tenant.project_id), "name": "Dearer", **per_thousand(200)}
    answer = ask("2026-03-11", "2026-03-15", structure=new)
    assert answer["simulated_cents"] == 600
    assert (answer["in_force_cents"], answer["difference_cents"]) == (None, None)
    [week] = answer["creators"][0]["periods"]
    assert week["in_force"] is None
    assert week["simulated"]["evidence"]["covered"] == [{"from": "2026-03-11", "to": "2026-03-15"}]

    beside_a_pass(campaign, lambda: ask("2026-03-02", "2026-03-15", **instead(100)))
    nothing_was_decided(campaign, structure)


def nothing_was_decided(campaign: Campaign, structure: str) -> None:
    client = campaign.tenant.client
    [only] = client.data("GET", "/payout-structures")
    assert only["id"] == structure
    assert len(client.data("GET", f"/payout-structures/{structure}")["versions"]) == 1


def beside_a_pass(campaign: Campaign, trial: Callable[[], Any]) -> None:
    """A simulation does not wait for a running pipeline, and changes no file."""
    settings = campaign.tenant.api.settings
    with warehouse_lock(settings):
        before = states_of(settings.home_path)
        assert trial()["difference_cents"] == 0
        assert states_of(settings.home_path) == before


def states_of(home: Path) -> dict[Path, tuple[int, int]]:
    """Return size and modification time of each file of an installation."""
    states = {path: path.stat() for path in home.rglob("*") if path.is_file()}
    return {path: (state.st_size, state.st_mtime_ns) for path, state in states.items()}


def at_the_desk(campaign: Campaign, structure: str, creator: str) -> None:
    """The same at the desk, in dollars: gains of creators, the rate for $20.00, and a new rule."""
    member = Sitter(campaign.tenant, role="member")
    trial = f"{member.home}/rule-lab/{structure}"
    sent = {
        "kind": "cpm",
        "period": "weekly",
        "criteria_params.tiers.0.cents_per_thousand": "1.255",
        "criteria_params.max_payout_cents": "15",
        "from": "2026-03-04",
        "to": "2026-03-15",
        "campaign_id": "",
    }
    page = read(member.send(trial, page=trial, **sent, **{"try": "yes"}))
    assert "$15.73 $19.18 $3.45 gains" in page
    assert "Use this rule" not in page
    admin = Sitter(campaign.tenant)
    offered = admin.send(trial, page=trial, **sent, **{"try": "yes"}).text
    assert f'action="{admin.home}/settings/structures/{structure}"' in offered
    assert "Use this rule" in offered
    assert "All $15.73 $19.18 $3.45" in page
    week = "9 Mar 2026 to 15 Mar 2026 $4.18: 3,333 views counted: 3,333 at $1.255 per thousand."
    assert f"{week} Current rule $3.33: 3,333 views counted" in page
    rate = "criteria_params.tiers.0.cents_per_thousand"
    search = {**sent, "budget_cents": "20", "free": rate}
    page = read(member.send(trial, page=trial, **search, look="yes"))
    assert "as the first rate, it stays within $20.00" in page

    # 3,000 views from the 11th on at $2.00, as in the story.
    dearer = {"criteria_params.tiers.0.cents_per_thousand": "2", "from": "2026-03-11"}
    whom = {"criteria_params.max_payout_cents": "", f"creator.{creator}": "yes"}
    new = f"{member.home}/rule-lab/new?kind=cpm"
    page = read(member.send(new, page=new, **sent | dearer | whom, **{"try": "yes"}))
    assert "3,000 at $2.00 per thousand." in page
    assert page.index("All $6.00") < page.index("Simulate a rule")
    assert "Current rule" not in page


def budgets(campaign: Campaign, question: dict[str, Any]) -> None:
    """Find the rate or cap that would have met a budget in the weeks of the story."""
    client, days = campaign.tenant.client, {"from": "2026-03-04", "to": "2026-03-15"}

    def look(budget: int, number: str, new: dict[str, Any], form: str = "json") -> httpx.Response:
        free = f"criteria_params.{number}"
        search = {"rule": {"kind": "rule", **new}, "budget_cents": budget, "free": free}
        params, body = {"format": form}, {**question, **days, **search}
        return client.post("/payout-structures/search", params=params, json=body)

    rate, cap = "tiers.0.cents_per_thousand", "max_payout_cents"

    # $20.00 at most $15.00 a week: 1,500 + 3.333 x rate rounds to 2,001 from 500.5 / 3.333 =
    # 150.16501650... on.
    match = look(2_000, rate, per_thousand(1, 1_500)).json()["data"]
    assert (match["outcome"], match["value"], match["next_value"]) == (
        "found",
        150.165016,
        150.165017,
    )
    assert (match["simulated_cents"], match["left_cents"], match["next_cents"]) == (2_000, 0, 2_001)
    assert (match["in_force_cents"], match["gain"], match["lose"]) == (1_573, 1, 0)

    # $12.00 at $1.00 a thousand: 1,240 are cut to 867; 333.3 are below the cap.
    match = look(1_200, cap, per_thousand(100)).json()["data"]
    assert (match["value"], match["next_value"], match["next_cents"]) == (867, 868, 1_201)
    assert match["creators"] == [
        {
            "creator_id": question["creator_ids"][0],
            "simulated_cents": 1_200,
            "in_force_cents": 1_573,
            "difference_cents": -373,
            "change": "loses",
            "held_cents": 0,
        }
    ]
    sheet = look(1_200, cap, per_thousand(100), "csv").text
    assert sheet.splitlines() == [
        "creator_id,in_force_cents,simulated_cents,difference_cents,change,held_cents",
        f"{question['creator_ids'][0]},1573,1200,-373,loses,0",
    ]

    # Earnings at $1.00 stay within $15.73 without a cap.
    match = look(1_573, cap, per_thousand(100)).json()["data"]
    assert (match["outcome"], match["next_value"]) == ("even_the_largest_is_within", None)
    assert (match["simulated_cents"], match["left_cents"]) == (1_573, 0)

    # Above 1,000 views a week pay $1.00: 1,140 + 233.3 cents, whatever the first ones pay.
    new = per_thousand(100)
    first = {"up_to_impressions": 1_000, "cents_per_thousand": 50}
    new["criteria_params"]["tiers"].insert(0, first)
    match = look(1_000, rate, new).json()["data"]
    assert (match["outcome"], match["value"]) == ("even_nothing_is_beyond", None)
    assert (match["simulated_cents"], match["left_cents"]) == (1_373, -373)
    assert (match["next_value"], match["next_cents"]) == (0, 1_373)
