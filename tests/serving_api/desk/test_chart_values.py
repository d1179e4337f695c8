"""Charts of the desk plot the values of the REST API."""

import re
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from serving_api.desk.comment_words import feelings_chart
from serving_api.resources.comments.collected.schemas import SentimentCounts, SignalCounts
from serving_api.resources.comments.collected.signal_schemas import SignalsPoint
from tests.factories import marts
from tests.factories.payouts import rule
from tests.factories.tracking import put_post
from tests.factories.visitors import read
from tests.fixtures.api import Api, new_tenant
from tests.fixtures.charts import charts_of, values_of
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import Launched
from warehouse.operational.models import Video

ODD = "600 views in one reading"


def charts_at(member: Sitter, path: str) -> dict[str, Any]:
    return charts_of(member.get(f"{member.home}{path}").text)


def range_of(chart: Any) -> dict[str, str]:
    return {"from": chart["xValues"][0], "to": chart["xValues"][-1]}


def gained(day: Any) -> int | None:
    return None if day["views"] is None else day["views"] - day["views_before_tracking"]


def test_views_of_a_project_by_day(member: Sitter, launched: Launched) -> None:
    chart = charts_at(member, "")["Views by day"]
    path = f"/projects/{launched.tenant.project_id}/views-by-day"
    days = launched.tenant.client.data("GET", path, params=range_of(chart))["days"]
    read = {"2026-05-13", "2026-05-16", "2026-05-17", "2026-05-18"}
    assert values_of(chart, "Views") == {
        day["day"]: gained(day) if day["day"] in read else None for day in days
    }
    assert values_of(chart, "Views")["2026-05-17"] == 2_500


@pytest.mark.parametrize("entity", ["creator", "campaign", "video"])
def test_views_of_anything_else_by_day(member: Sitter, launched: Launched, entity: str) -> None:
    ids = {"creator": launched.ada["id"], "campaign": launched.campaign}
    ids["video"] = str(marts.named(f"one {launched.ada['id']}"))
    place = {"creator": "creators", "campaign": "campaigns", "video": "posts"}[entity]
    chart = charts_at(member, f"/{place}/{ids[entity]}")["Views by day"]
    query = {"entity": entity, "entity_id": ids[entity], "metric": "views", **range_of(chart)}
    [series] = launched.tenant.client.data("GET", "/analytics", params=query)["series"]
    points = {point["bucket_start"]: point["value"] for point in series["points"]}
    read = {"2026-05-13", "2026-05-16"}  # REST has 0 for other days
    read |= {"2026-05-17", "2026-05-18"} if entity == "campaign" else set()
    assert values_of(chart, "Views") == {
        day: value if day in read else None for day, value in points.items()
    }
    assert points["2026-05-16"] == 600


def test_views_to_come(member: Sitter, launched: Launched) -> None:
    chart = charts_at(member, "")["Views forecast"]
    [expected, _] = chart["lines"]
    lines = zip(expected["low"], expected["values"], expected["high"], strict=True)
    plotted = dict(zip(chart["xValues"], lines, strict=True))
    scope = {"entity": "project", "entity_id": str(launched.tenant.project_id)}
    for day in ("2026-05-25", "2026-05-26", "2026-05-31"):
        query = {**scope, "to": day}
        answer = launched.tenant.client.data("GET", "/analytics/forecast", params=query)
        assert plotted[day] == (answer["low_views"], answer["views"], answer["high_views"])
    assert plotted["2026-05-26"] == (5_250, 7_000, 10_500)
    assert values_of(chart, "At the pace of the last 7 days")["2026-05-31"] == 10_800


def test_how_comments_feel_by_day(member: Sitter, launched: Launched) -> None:
    chart = charts_at(member, "/comments")["Sentiment by day"]
    path = f"/projects/{launched.tenant.project_id}/comment-signals"
    points = launched.tenant.client.data("GET", path, params=range_of(chart))["timeseries"]
    assert chart["xValues"] == [point["bucket_start"] for point in points]
    assert chart["today"] == points[-1]["bucket_start"]
    for place, point in enumerate(points):
        scored = [point["sentiment"][name] for name in ("positive", "neutral", "negative")]
        drawn = [line["values"][place] for line in chart["lines"]]
        is_unscored = point["sentiment"]["scored_share"] == 0
        assert drawn == [
            *([None] * 3 if is_unscored else scored),
            point["sentiment"]["unscored"],
        ]
    assert sum(filter(None, values_of(chart, "Negative").values())) == 1
    assert sum(values_of(chart, "Not scored").values()) == 2


def point_of(day: int, unscored: int) -> SignalsPoint:
    """A day without scored comments."""
    counts = SentimentCounts(
        positive=0, neutral=0, negative=0, unscored=unscored, scored_share=0 if unscored else None
    )
    return SignalsPoint(
        bucket_start=date(2026, 5, day),
        comments=unscored,
        sentiment=counts,
        signals=SignalCounts(**dict.fromkeys(SignalCounts.model_fields, 0)),
    )


def test_a_day_of_which_no_comment_was_scored_is_not_drawn() -> None:
    chart = feelings_chart([point_of(1, 0), point_of(2, 2)], "day")
    assert [line.values for line in chart.lines] == [[0, None]] * 3 + [[0, 2]]


def test_costs_of_a_campaign_by_day(member: Sitter, launched: Launched) -> None:
    charts = charts_at(member, f"/campaigns/{launched.campaign}/costs")
    both, prices = charts["Daily earnings of its posts"], charts["Daily earnings per 1,000 views"]
    path = f"/campaigns/{launched.campaign}/costs"
    days = launched.tenant.client.data("GET", path, params=range_of(both))["days"]
    assert values_of(both, "Cost of its posts") == {day["day"]: day["cost_cents"] for day in days}
    by_day = charts_at(member, f"/campaigns/{launched.campaign}")["Views by day"]
    assert values_of(both, "Views gained") == values_of(by_day, "Views")
    costs = {day["day"]: day["cost_per_thousand_cents"] for day in days}
    assert values_of(prices, "Per 1,000 views") == costs
    assert costs["2026-05-13"] == 4_000


@pytest.mark.slow
@pytest.mark.parametrize("period", ["monthly", None])
def test_remaining_budget_by_day(launched: Launched, period: str | None) -> None:
    """In May the week until the 3rd earned $150.00, and the one until the 17th $70.00."""
    client, admin = launched.tenant.client, Sitter(launched.tenant)
    scope = {"project_id": str(launched.tenant.project_id)}
    body = {
        **scope,
        "name": "May",
        "amount_cents": 26_000,
        "period": period,
        "thresholds": [50, 80],
    }
    budget = client.data("POST", "/budgets", json=body, status=201)
    page = admin.get(f"{admin.home}/settings/budgets/{budget['id']}")
    chart = charts_of(page.text)["Budget left by day"]
    first = {"from": "2026-05-01"} if period else {}
    for line, statuses in (("Left", ("final", "settling")), ("Left after payments", ("paid",))):
        for day, cents in values_of(chart, line).items():
            query = {**scope, **first, "to": day}
            accruals = client.data("GET", "/payout-accruals", params=query)
            earned = sum(each["amount_cents"] for each in accruals if each["status"] in statuses)
            assert cents == (26_000 - earned if day <= "2026-05-20" else None)
    to_come = values_of(chart, "Left when open periods end")
    assert to_come["2026-05-31"] == budget["exposure"]["left_cents"] == 4_000
    assert to_come["2026-05-19"] is None
    assert chart["events"] == [
        {"at": "2026-05-03", "text": "50% reached"},
        {"at": "2026-05-17", "text": "80% reached"},
    ]
    assert chart["today"] == "2026-05-20"
    client.data("DELETE", f"/budgets/{budget['id']}")


def test_views_of_a_post_by_its_age(member: Sitter, launched: Launched) -> None:
    """They end with the last reading."""
    post = str(marts.named(f"one {launched.ada['id']}"))
    with launched.tenant.api.store.write_session() as session:
        session.get_one(Video, UUID(post)).posted_at = datetime(2026, 5, 12, 10, tzinfo=UTC)
    chart = charts_at(member, f"/posts/{post}")["Views by age"]
    [ages] = [line["values"] for line in chart["lines"]]
    query = {"entity": "video", "entity_id": post, "metric": "views", "mode": "cumulative"}
    query |= {"from": "2026-05-12", "to": "2026-05-16"}
    [series] = launched.tenant.client.data("GET", "/analytics", params=query)["series"]
    assert ages == [point["value"] for point in series["points"]]
    assert (chart["xValues"], ages[4]) == (list(range(5)), 1_600)


@pytest.mark.slow
def test_days_that_numbers_do_not_reach_are_not_known(api: Api, tmp_path: Path) -> None:
    as_of = datetime(2026, 5, 18, 10, tzinfo=UTC)
    with api.changed(home=tmp_path) as served, new_tenant(served) as tenant:
        ada = tenant.creator("ada")
        readings: dict[datetime, dict[str, int | None]] = {
            as_of.replace(day=day): {"view": 100 * day} for day in (16, 17, 18)
        }
        stored = marts.Video("late", readings, creator=UUID(ada["id"]))
        tenant.publish([stored], as_of=as_of)
        with tenant.api.store.write_session() as session:
            account = UUID(ada["accounts"][0]["id"])
            posted_at = as_of.replace(day=16, hour=1)
            put_post(session, tenant.made, stored, account_id=account, posted_at=posted_at)
        member = Sitter(tenant, role="member")
        charts = charts_at(member, f"/posts/{stored.id}")
        for board in ("posts", "creators"):
            ranked = member.get(f"{member.home}/{board}/ranked?from=2026-05-19&to=2026-05-20")
            assert "No numbers for these dates" in ranked.text
            ranked = member.get(f"{member.home}/{board}/ranked?from=2026-05-18&to=2026-05-20")
            assert "No numbers for these dates" not in ranked.text
        with tenant.api.store.write_session() as session:
            session.get_one(Video, stored.id).posted_at = datetime(1970, 1, 1, tzinfo=UTC)
        assert set(charts_at(member, f"/posts/{stored.id}")) == {"Views by day"}
    [ages] = [line["values"] for line in charts["Views by age"]["lines"]]
    assert ages == [1_600, 1_700, 1_800]
    assert values_of(charts["Views by day"], "Views")["2026-05-19"] is None


def test_days_with_annotations_are_marked(member: Sitter, launched: Launched) -> None:
    client, ada = launched.tenant.client, launched.ada["id"]
    note = {"scope": "creator", "entity_id": ada, "at": "2026-05-14T10:00:00Z"}
    client.data("POST", "/analytics/annotations", json={**note, "title": "New format"}, status=201)
    [fee] = client.data("GET", "/payout-structures", params={"limit": 1})
    changed = {"kind": "rule", **rule("recurring", period="weekly", amount_cents=11_000)}
    client.data("PATCH", f"/payout-structures/{fee['id']}", json=changed)
    creator = charts_at(member, f"/creators/{ada}")["Views by day"]
    query = {"entity": "creator", "entity_id": ada, "metric": "views", **range_of(creator)}
    answer = client.data("GET", "/analytics", params=query)
    marks = {(answer["first_data_date"], "First check")}
    marks |= {(each["at"][:10], each["title"]) for each in answer["annotations"]}
    odd = client.data("GET", f"/projects/{launched.tenant.project_id}/anomalies")
    marks |= {
        (each["captured_at"][:10], f"First look: Anomaly: {each['sentence']}") for each in odd
    }
    assert {(mark["at"], mark["text"]) for mark in creator["events"]} == marks
    assert {("2026-05-14", "New format"), ("2026-05-16", f"First look: Anomaly: {ODD}")} <= marks
    project = charts_at(member, "")["Views by day"]
    assert {"at": "2026-05-20", "text": "Rule of Weekly fee changed"} in project["events"]
    page = member.get(member.home)
    assert f"16 May 2026: First look, Ada: Anomaly: {ODD} 20 May 2026: Rule of" in read(page)
    post = marts.named(f"one {ada}")
    assert f'<a href="{member.home}/posts/{post}"><bdi>First look, Ada</bdi></a>' in page.text
    own = charts_at(member, f"/posts/{post}")["Views by day"]["events"]
    assert "New format" not in {mark["text"] for mark in own}


def test_the_longest_bar_is_the_largest_gain(member: Sitter, launched: Launched) -> None:
    query = {"project_id": str(launched.tenant.project_id), "from": "2026-04-23"}
    board = launched.tenant.client.data(
        "GET", "/analytics/aggregate/creator-leaderboard", params=query
    )
    shares = [f"{100 * place['value'] / board[0]['value']:.1f}%" for place in board]
    page = member.get(f"{member.home}/creators/ranked").text
    assert re.findall(r'<rect width="(.*?)"', page) == shares == ["100.0%", "64.0%"]
