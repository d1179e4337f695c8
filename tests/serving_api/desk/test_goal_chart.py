"""The chart of a goal plots the goal compliance of each period."""

import csv
import io
import re
from datetime import UTC, date, datetime, timedelta
from html import unescape
from pathlib import Path
from uuid import UUID, uuid4

import polars as pl
import pytest
from jinja2 import Environment, PackageLoader

from serving_api.kit.request_context import RequestContext
from tests.factories import marts
from tests.factories.accruals import earning
from tests.factories.payouts import rule
from tests.factories.publications import publish_rows
from tests.factories.tracking import change
from tests.factories.visitors import read
from tests.fixtures.api import NOW, Tenant, new_tenant, opened_store, running_api
from tests.fixtures.charts import charts_of, values_of
from tests.fixtures.desk import Sitter
from tests.fixtures.operational import FreshDatabase
from tests.fixtures.payouts import Paying, week_until
from tests.serving_api.resources.programs.test_goal_compliance import (
    AS_OF,
    Stage,
    mart_rows,
    set_up,
    stage,
)
from warehouse.operational.models import Account
from warehouse.reading.goal_readings import ReadQuery, read_days
from warehouse.reading.goals import GoalMetric, ProgressQuery, goal_progress

__all__ = ["stage"]


def page_of(stage: Stage, name: str) -> str:
    member, goal = Sitter(stage.tenant, role="member"), stage.goals[name]
    path = f"{member.home}/settings/goals/{goal['creator_id']}/{goal['id']}"
    return member.get(path).text


@pytest.mark.slow
def test_each_period_against_its_target(stage: Stage) -> None:
    chart = charts_of(page_of(stage, "daily"))["Progress by day"]
    answers = {
        day: stage.listed(reference_date=day)["daily"] for day in ("2026-05-19", "2026-05-20")
    }
    expected = {day: answer["actual"] for day, answer in answers.items()}
    assert values_of(chart, "Reached") == expected == {"2026-05-19": 2, "2026-05-20": 1}
    targets = {day: answer["target"] for day, answer in answers.items()}
    assert values_of(chart, "Target") == targets == dict.fromkeys(targets, 2)
    assert chart["today"] == "2026-05-20"


def test_the_forecast_of_the_period_in_progress(stage: Stage) -> None:
    chart = charts_of(page_of(stage, "weekly"))["Progress by week"]
    forecast = stage.listed()["weekly"]["forecast"]
    [expected] = [line for line in chart["lines"] if line["label"] == "Expected"]
    plotted = {name: expected[name] for name in ("values", "low", "high")}
    assert plotted == {
        "values": [forecast["expected"]],
        "low": [forecast["low"]],
        "high": [forecast["high"]],
    }
    assert values_of(chart, "Reached") == {"2026-05-18": 400}


def test_a_goals_status_names_its_comparison_and_the_forecast_is_a_sentence(stage: Stage) -> None:
    member = Sitter(stage.tenant, role="member")
    text = read(member.get(f"{member.home}/creators/{stage.goals['weekly']['creator_id']}"))
    assert "Behind until 24 May 2026, 35% of 7 days passed" in text
    goals = f"{member.home}/settings/goals"
    rule = "On track: at least that, or at most 15% of the period has passed. Behind: at least 70%"
    for page in (text, read(member.get(goals))):
        assert f"posts are rounded down. {rule} of it. At risk: less." in page
    assert "The forecast of 1,100 (900 to 1,500) may miss the target" in text


@pytest.mark.parametrize(
    ("outlook", "said"),
    [("on_course", ""), ("at_risk", ", but the forecast may miss the target")],
)
def test_a_goal_on_track_with_a_lower_forecast_says_so(outlook: str, said: str) -> None:
    goal = {"status": "on_track", "forecast": {"outlook": outlook}}
    templates = Environment(loader=PackageLoader("serving_api"))
    words = templates.get_template("desk_goal_title.html").module
    shown = words.goal_forecast(goal)  # type: ignore[attr-defined]
    assert " ".join(shown.split()) == said


def test_a_goal_behind_shows_the_remainder_on_its_last_day(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """600 of 1,000 views are left. Numbers are of the 20th; the clock is an hour before the end."""
    late = datetime(2026, 5, 24, 23, tzinfo=UTC)
    monkeypatch.setattr(RequestContext, "now", late)
    member = Sitter(stage.tenant, role="member")
    creator = f"/creators/{stage.goals['weekly']['creator_id']}"
    for path in (creator, "/settings/goals"):
        assert "600 to go, ends in 1 hour" in read(member.get(f"{member.home}{path}")), path


def test_the_list_of_goals_is_filtered_by_status(stage: Stage) -> None:
    member = Sitter(stage.tenant, role="member")
    goals = f"{member.home}/settings/goals"

    def listed(status: str) -> list[dict[str, str]]:
        file = member.get(f"{goals}?format=csv&status={status}").text.removeprefix("\ufeff")
        return list(csv.DictReader(io.StringIO(file)))

    every = listed("")
    behind = [row for row in every if row["status"] in {"behind_pace", "at_risk"}]
    assert 0 < len(behind) < len(every)
    assert listed("behind") == behind
    for status in ("behind_pace", "at_risk", "completed"):
        assert listed(status) == [row for row in every if row["status"] == status], status
    assert "No goals have this status." in read(member.get(f"{goals}?status=missed"))
    overview = member.get(member.home).text
    assert f'href="{goals}?status=at_risk">' in overview


def test_goals_of_accounts_that_were_never_checked_are_not_known(
    databases: FreshDatabase, tmp_path: Path
) -> None:
    """Two of the three at risk have 0, as in the REST API (money.md M20)."""
    with (
        opened_store(databases, tmp_path) as (settings, store),
        running_api(settings, store) as api,
        new_tenant(api) as tenant,
    ):
        made = set_up(tenant)
        bobs, zero = made.goals["account"], {"actual": 0, "percentage": 0.0}
        rows = [{**row, **zero} if row["goal_id"] == bobs["id"] else row for row in mart_rows(made)]
        publish_rows(settings, AS_OF, goal_compliance=rows)
        member = Sitter(tenant, role="member")
        goals = f"{member.home}/settings/goals"
        pages = (goals, f"{member.home}/creators/{made.bob['id']}")
        words = "Not known: no account was checked yet until 24 May 2026"
        for page in pages:
            assert words in read(member.get(page))
        assert "Progress appears with the next numbers." in page_of(made, "account")
        assert len(member.get(f"{goals}?format=csv&status=at_risk").text.splitlines()) == 2
        assert "1 goal at risk" in read(member.get(member.home))
        assert made.counted()["at_risk"] == 3
        for creator in (made.ada, made.bob):
            account_id = UUID(creator["accounts"][0]["id"])
            change(store, Account, account_id, last_scraped_at=NOW)
        for page in pages:
            assert "Not known: no" not in read(member.get(page))
        assert "3 goals at risk" in read(member.get(member.home))


@pytest.mark.parametrize(
    ("starts", "said"),
    [
        ({}, "First result with the next numbers until 24 May 2026"),
        ({"start_date": "2026-06-01"}, "Starts 1 Jun 2026 until 7 Jun 2026"),
    ],
)
def test_a_creators_page_compares_no_goal_without_a_status(
    tenant: Tenant, starts: dict[str, str], said: str
) -> None:
    creator = tenant.creator("ada")
    body = {"metric": "posts", "period": "weekly", "target_value": 3, **starts}
    tenant.client.data("POST", f"/creators/{creator['id']}/goals", json=body)
    member = Sitter(tenant, role="member")
    text = read(member.get(f"{member.home}/creators/{creator['id']}"))
    assert said in text
    assert "On track" not in text


@pytest.mark.parametrize("name", ["changed", "coming"])
def test_a_goal_without_numbers_has_no_chart(stage: Stage, name: str) -> None:
    html = page_of(stage, name)
    assert charts_of(html) == {}
    assert "Progress appears with the next numbers." in html


def test_periods_before_a_change_of_metric_or_length_are_excluded() -> None:
    organization_id, project_id, goal_id, creator_id = (uuid4() for _ in range(4))
    first = datetime(2026, 5, 4, tzinfo=UTC)
    columns = {
        "goal_id": str(goal_id),
        "goal_state_id": str(uuid4()),
        "organization_id": str(organization_id),
        "project_id": str(project_id),
        "creator_id": str(creator_id),
        "platform_scope": "all",
        "percentage": 100.0,
        "status": "completed",
    }
    rows = pl.DataFrame(  # noqa: F841  (DuckDB finds it by name)
        [
            {
                **columns,
                **dict(zip(("metric", "period", "target_value"), judged_by, strict=True)),
                "actual": judged_by[2],
                "period_start": (first + week * timedelta(days=7)).date(),
                "period_end": (first + week * timedelta(days=7)).date(),
                "starts_at": first + week * timedelta(days=7),
                "ends_at": first + (week + 1) * timedelta(days=7),
            }
            for week, judged_by in enumerate(
                [("posts", "weekly", 5), ("views", "daily", 100), ("views", "weekly", 1000)]
            )
        ]
    )
    query = ProgressQuery(organization_id, project_id, goal_id, "views", "weekly", most=26)
    with marts.empty_marts() as connection:
        connection.execute("insert into marts.goal_compliance by name select * from rows")
        assert [period.actual for period in goal_progress(connection, query)] == [1000]


@pytest.mark.parametrize(
    ("metric", "posted", "read"),
    [
        ("views", True, {4: True, 5: False, 6: False, 7: False}),
        ("engagement", True, {4: False, 5: True, 6: False, 7: False}),
        ("followers", True, {4: False, 5: False, 6: True, 7: False}),
        ("posts", True, {4: True, 5: True, 6: True, 7: False}),
        ("views", False, {4: False, 5: False, 6: True, 7: False}),
    ],
)
def test_a_day_is_read_if_the_metric_was(
    metric: GoalMetric, posted: bool, read: dict[int, bool]
) -> None:
    """Views are read on the 4th, likes on the 5th, the profile on the 6th, another account's on the
    7th. Readings of the 6th include all earlier posts.
    """
    creator, organization, post, account = (uuid4() for _ in range(4))
    own = {"organization_id": organization, "creator_id": creator, "platform": "tiktok"}
    rows = {
        "accounts": [
            {**own, "account_id": account},
            {**own, "account_id": organization, "platform": "instagram"},
        ],
        "account_daily": [
            {"account_id": each, "day": date(2026, 3, day), "new_followers": 0}
            for each, day in ((account, 6), (organization, 7))
        ],
        "videos": [{**own, "account_id": account, "video_id": post}] if posted else [],
        "video_daily": [
            {"video_id": post, "day": date(2026, 3, 4), "new_views": 0},
            {"video_id": post, "day": date(2026, 3, 5), "new_likes": 0},
        ],
    }
    query = ReadQuery(organization, creator, metric, "tiktok", None)
    with marts.empty_marts([*rows, "payout_earned", "payout_decided_accruals"]) as connection:
        for table, of_table in rows.items():
            for row in of_table:
                names = ", ".join(row)
                marks = ", ".join("?" * len(row))
                values = [str(each) for each in row.values()]
                connection.execute(f"insert into marts.{table} ({names}) values ({marks})", values)
        days = read_days(connection, query)
    assert {day: days.is_read(*[date(2026, 3, day)] * 2) for day in read} == read


def test_changing_amounts_of_ended_weeks_by_a_goal_needs_confirmation(paying: Paying) -> None:
    tenant, admin = paying.tenant, Sitter(paying.tenant)
    bonus, archived = (
        tenant.payout_structure({**rule("goals"), "period": "weekly"}) for _ in range(2)
    )
    for day in (3, 10, 24):
        paid_by = archived if day == 10 else bonus
        structure = tenant.client.data("GET", f"/payout-structures/{paid_by}")
        for creator in (paying.ada, paying.bob):
            days = week_until(day)
            paying.earnings[f"{creator['id']} {day}"] = earning(
                tenant, structure, creator, days, 5_000
            )
    tenant.client.data("DELETE", f"/payout-structures/{archived}")
    paying.publish()
    paying.decide(f"{paying.ada['id']} 3", status="approved")
    goals = f"{admin.home}/settings/goals"
    form = admin.get(goals).text
    assert 'name="start_date" type="date" value=""' in form
    sent = {"metric": "posts", "period": "weekly", "target_value": "3"}
    sent["start_date"] = "2026-04-27"
    ticked = {f"selected.{each['id']}": "yes" for each in (paying.ada, paying.bob)}
    own = f"{goals}/{paying.ada['id']}"
    of_ada = f"/creators/{paying.ada['id']}/goals"
    both = "4 amounts of them, $200.00 (1 approved, 0 paid), of ada, bob."
    one = "1 amount of them, $50.00 (0 approved, 0 paid), of ada."
    steps = (
        (goals, {**ticked, "set": "selected"}, both),
        (own, {"start_date": "2026-05-01", "target_value": "4"}, one),
    )
    for number, (page, more, words) in enumerate(steps):
        asked = admin.send(page, page=page, **{**sent, **more})
        assert f"may change {words} Deleting the goal later does not bring" in read(asked)
        assert len(tenant.client.data("GET", of_ada)) == number
        [sentence] = re.findall(r'name="sentence" value="([^"]+)"', asked.text)
        done = admin.send(page, page=page, sentence=unescape(sentence), **{**sent, **more})
        assert "data-undo" not in admin.get(done.headers["Location"]).text
        assert len(tenant.client.data("GET", of_ada)) == number + 1
    current = {"daily": "2026-05-20", "weekly": "2026-05-18", "monthly": "2026-05-01"}
    for period, first_day in current.items():
        done = admin.send(
            own, page=own, **{**sent, "period": period, "start_date": "", "target_value": "5"}
        )
        assert "data-undo" in admin.get(done.headers["Location"]).text
        assert tenant.client.data("GET", of_ada)[0]["start_date"] == first_day
    words = "paid without it, which may be more or less. Ended periods keep their results."
    tenant.payout_assignment(bonus, paying.ada)
    assert words in read(admin.get(own))
