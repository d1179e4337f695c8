"""The queries of docs/recipes.md on a simulated month: computed by hand, and as in REST."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pytest

from tests.factories.landing import post, profile
from tests.factories.payouts import rule
from tests.fixtures.api import Tenant, new_tenant, running_api
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.qa.faults.passes import run_pipeline_job
from tests.scenarios.campaign import NEW_YORK, Campaign, Today, at
from tests.warehouse.test_extensions import EXTENSIONS, packaged
from warehouse.lake.opening import lines_for
from warehouse.lake.writing import bring
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.store import operational_store

pytestmark = pytest.mark.slow

RECIPE = re.compile(
    r"^## (?P<number>\d+)\. .*?^```sql\n(?P<query>.*?)^```", re.MULTILINE | re.DOTALL
)
RECIPES = {
    int(recipe["number"]): recipe["query"]
    for recipe in RECIPE.finditer(Path("docs/recipes.md").read_text(encoding="utf-8"))
}
URL = "https://www.instagram.com/p/bo-one/"
UNREACHABLE = "http://127.0.0.1:9"
"""Unreachable proxy of programs that would check for newer versions."""
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class PlayedMonth:
    """The publication of 6 April at the end of a month, and its API."""

    tenant: Tenant
    publication: Path
    creators: dict[str, Any]
    campaigns: dict[str, Any]

    def answer(self, number: int) -> Rows:
        with duckdb.connect(self.publication, read_only=True) as connection:
            connection.execute("set TimeZone = 'UTC'; set schema = 'marts'")
            return connection.execute(RECIPES[number]).fetchall()

    def rest(self, path: str, **params: Any) -> Any:
        return self.tenant.client.data("GET", path, params=params)


@dataclass(frozen=True)
class Month(Campaign):
    """Ada is paid for views on TikTok; Bo has a fee, and posts on Instagram; Cyd was removed."""

    compute: Callable[[], None]

    def play(self) -> PlayedMonth:
        ada = self.tenant.creator("ada", display_name="Ada")
        instagram = [{"platform": "instagram", "handle": "bo"}]
        bo = self.tenant.creator("bo", display_name="Bo", accounts=instagram)
        campaigns = self.campaigns(ada, bo)
        self.pays(ada, "2026-03-02", rule("cpm"))
        fee = rule("recurring", amount_cents=3_100, proration_mode="prorate")
        structure = self.tenant.payout_structure(fee, name="Retainer")
        self.tenant.payout_assignment(structure, bo, start_date="2026-03-01", end_date="2026-03-31")
        cyd = self.tenant.creator("cyd", display_name="Cyd")
        for creator in (bo, cyd):
            self.tenant.goal(creator, metric="posts", period="monthly", target_value=10)
        self.tenant.client.data("PATCH", f"/creators/{cyd['id']}", json={"is_active": False})
        tag = {"tags": ["Books"]}
        self.tenant.client.data("POST", f"/creators/{ada['id']}/tags", json=tag)

        account = profile("ada", captured_at=at(3, 1), follower_count=None, following_count=3)
        LandingWriter(open_landing(self.tenant.api.settings)).land(profiles=[account])
        self.ada_is_read(at(3, 4), 10_000, likes=100)
        self.ada_is_read(at(3, 5), 12_000)
        self.bo_is_read(at(3, 4), 1_000)
        self.move_to(at(3, 10))
        signup = self.tenant.conversion_event("signup")
        self.tenant.conversion(signup, creator_id=ada["id"], quantity=2)
        self.move_to(at(3, 16))
        assert self.pay(ada)["amount_cents"] == 1_160

        self.ada_is_read(at(3, 8), 12_500)  # a late reading
        self.bo_is_read(at(3, 20), 1_500)
        self.ada_is_read(at(3, 31), 13_000)
        self.ada_is_read(at(4, 2), 15_000, likes=145)
        self.move_to(at(4, 6))
        return PlayedMonth(
            self.tenant, self.copied(), {"Ada": ada, "Bo": bo, "Cyd": cyd}, campaigns
        )

    def copied(self) -> Path:
        """Return a copy of the publication, because this process has the original open."""
        current = self.tenant.api.settings.publications_path / "current.duckdb"
        return shutil.copy(current, self.tenant.api.settings.home / "copied.duckdb")

    def move_to(self, instant: datetime) -> None:
        self.today.move(instant)
        self.compute()

    def campaigns(self, ada: Any, bo: Any) -> dict[str, Any]:
        """Create Ada's campaign with Bo's as part of it."""
        spring, easter = (self.tenant.campaign(name) for name in ("Spring", "Easter"))
        for campaign, kind, item in (
            (spring, "creator", ada),
            (easter, "creator", bo),
            (spring, "campaign", easter),
        ):
            path = f"/campaigns/{campaign['id']}/items"
            body = {"item_type": kind, "item_id": item["id"]}
            self.tenant.client.data("POST", path, json=body)
        return {"Spring": spring, "Easter": easter}

    def ada_is_read(self, when: datetime, views: int, likes: int | None = None) -> None:
        counts = {"view_count": views, "like_count": likes, "caption": "One book\na day"}
        self.land(post("ada-one", "ada", captured_at=when, posted_at=at(3, 3), **counts))

    def bo_is_read(self, when: datetime, views: int) -> None:
        bos = {"platform": "instagram", "url": URL, "posted_at": at(3, 3), "view_count": views}
        self.land(post("bo-one", "bo", captured_at=when, **bos))

    def land(self, reading: dict[str, Any]) -> None:
        LandingWriter(open_landing(self.tenant.api.settings)).land(posts=[reading])


@pytest.fixture(scope="module")
def played(
    databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PlayedMonth]:
    today = Today(at(2, 27))
    with ExitStack() as open_here:
        url = open_here.enter_context(databases())
        settings = settings_for(tmp_path_factory.mktemp("recipes"), url)
        store = replace(open_here.enter_context(operational_store(settings)), clock=today)
        api = open_here.enter_context(running_api(settings.at(today()), store))
        tenant = open_here.enter_context(new_tenant(api, tz=str(NEW_YORK)))

        def compute() -> None:
            run_pipeline_job(settings.at(today()), store)

        yield Month(tenant, "ada", today, compute).play()


MARCH, APRIL = "2026-03", "2026-04"

# Ada's views: 10,000 on 4 March, 2,000 on the 5th and 500 on the 8th give $12.00 for the week, of
# which $11.60 were paid before the last 500 were known. 500 on 31 March and 2,000 on 2 April give
# $2.50, by views $0.50 and $2.00. Bo's fee is $1.00 a day, also on the two days with gains of his
# post. Ada's account is tracked since 1 March, Bo's since his post's first reading: its 1,000 views
# are from before tracking, and count in no cost per view.

WORKED_BY_HAND: dict[int, Rows] = {
    1: [
        ("Easter", MARCH, 200, 500, 4.0),
        ("Spring", MARCH, 1_250 + 200, 13_000 + 500, 1.07),
        ("Spring", APRIL, 200, 2_000, 1.0),
    ],
    2: [
        ("instagram", MARCH, 200, 500, 4.0),
        ("tiktok", MARCH, 1_250, 13_000, 0.96),
        ("tiktok", APRIL, 200, 2_000, 1.0),
        (None, MARCH, 2_900, None, None),
    ],
    3: [("Books", 1_450, 145, 10.0)],
    4: [
        ("Ada", MARCH, 1_250, 2, 625.0),
        ("Ada", APRIL, 200, None, None),
        ("Bo", MARCH, 3_100, None, None),
    ],
    5: [
        ("Ada", "One book", "Fee", "cpm", 1_450),
        ("Bo", None, "Retainer", "recurring", 2_900),
        ("Bo", URL, "Retainer", "recurring", 200),
    ],
    6: [
        (1, "Ada", "https://www.tiktok.com/@ada/video/ada-one", 15_000),
        (2, "Bo", URL, 1_500),
    ],
    7: [
        ("Easter", MARCH, 1_500, 1),
        ("Spring", MARCH, 14_500, 2),
        ("Spring", APRIL, 2_000, 0),
    ],
    8: [("Bo", 3_100, 0, 3_100), ("Ada", 1_450, 1_160, 290), ("Cyd", 0, 0, 0)],
    9: [("Bo", "posts", "monthly", 0, 10, 0.0, "at_risk")],
}


def test_there_are_ten_questions() -> None:
    assert list(RECIPES) == list(range(1, 11))


@pytest.mark.parametrize("number", WORKED_BY_HAND)
def test_recipes_match_the_answers_worked_by_hand(played: PlayedMonth, number: int) -> None:
    assert played.answer(number) == WORKED_BY_HAND[number]


@pytest.mark.parametrize("number", RECIPES)
def test_sums_are_whole_numbers_to_pandas(played: PlayedMonth, number: int) -> None:
    with duckdb.connect(played.publication, read_only=True) as connection:
        connection.execute("set schema = 'marts'")
        types = connection.execute(f"describe {RECIPES[number]}").fetchall()
    assert "HUGEINT" not in {column[1] for column in types}


@pytest.fixture(scope="module")
def lake(played: PlayedMonth) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that attached the lake of this publication by the printed line."""
    settings = played.tenant.api.settings.model_copy(update={"lake_url": "."})
    with (
        operational_store(settings) as store,
        duckdb.connect(config={"autoinstall_known_extensions": False}) as connection,
    ):
        bring(settings, store)
        for name in EXTENSIONS:
            connection.execute(f"load '{packaged(name)}'")
        [line] = lines_for(settings, store, None)
        connection.execute(f"set TimeZone = 'UTC'; {line}")
        yield connection


@pytest.mark.parametrize("number", WORKED_BY_HAND)
def test_the_lake_gives_the_same_answers(lake: duckdb.DuckDBPyConnection, number: int) -> None:
    assert lake.execute(RECIPES[number]).fetchall() == WORKED_BY_HAND[number]


def test_costs_sum_to_what_is_owed(played: PlayedMonth) -> None:
    owed = sum(row["amount_cents"] for row in played.rest("/payout-accruals", limit=100))
    for number, place in ((2, 2), (4, 2), (5, 4)):
        assert sum(row[place] for row in played.answer(number)) == owed == 1_160 + 40 + 250 + 3_100


def test_the_best_posts_match_the_leaderboard(played: PlayedMonth) -> None:
    days = {"from": "2026-03-04", "to": "2026-04-02", "metric": "views"}
    board = played.rest(
        "/analytics/aggregate/video-leaderboard", project_id=played.tenant.project_id, **days
    )
    assert [(row["rank"], row["value"]) for row in board] == [
        (place, views) for place, _, _, views in played.answer(6)
    ]


RUN_NOTEBOOK = """
import json, runpy
_, defined = runpy.run_path("docs/notebooks/costs.py")["app"].run()
names = ("by_campaign", "by_platform", "growth", "balances")
frames = {name: defined[name].rows() for name in names}
plots = {name: plot.to_dict() for name, plot in defined.items() if name.endswith("_plot")}
print(json.dumps({**frames, **plots}, default=str))
"""


@pytest.fixture(scope="module")
def notebook(played: PlayedMonth) -> Any:
    """Contents of the notebook's tables and plots, by name."""
    home = str(played.tenant.api.settings.home)
    ended = subprocess.run(
        [sys.executable, "-c", RUN_NOTEBOOK],
        check=True,
        env={
            **os.environ,
            "TRACKER_HOME": home,
            "HTTPS_PROXY": UNREACHABLE,
            "HTTP_PROXY": UNREACHABLE,
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(ended.stdout)


@pytest.mark.parametrize(
    ("name", "number"), [("by_campaign", 1), ("by_platform", 2), ("balances", 8)]
)
def test_the_notebooks_tables_match_the_recipes(
    played: PlayedMonth, notebook: Any, name: str, number: int
) -> None:
    assert [tuple(row) for row in notebook[name]] == played.answer(number)


def test_the_notebook_shows_how_the_best_posts_grew(played: PlayedMonth, notebook: Any) -> None:
    """Each curve ends at the post's gain in those days."""
    ends = {post: views for post, _, views in notebook["growth"]}
    best = {row[2]: row[3] for row in played.answer(6)}
    assert ends == {"One book": 15_000, URL: best[URL]}


def test_the_notebooks_plots_contain_rows_and_load_nothing(notebook: Any) -> None:
    plots = {name: plot for name, plot in notebook.items() if name.endswith("_plot")}
    assert set(plots) == {"campaign_plot", "platform_plot", "growth_plot", "balance_plot"}
    for plot in plots.values():
        assert "url" not in plot["data"]
        [rows] = plot["datasets"].values()
        assert rows


@pytest.mark.parametrize("campaign", ["Spring", "Easter"])
def test_months_of_campaigns_match_analytics(played: PlayedMonth, campaign: str) -> None:
    query = {"from": "2026-03-01", "to": "2026-04-30", "granularity": "month", "metric": "views"}
    answer = played.rest(
        "/analytics", entity="campaign", entity_ids=played.campaigns[campaign]["id"], **query
    )
    points = {point["bucket_start"][:7]: point["value"] for point in answer["series"][0]["points"]}
    answered = {month: views for name, month, views, _ in played.answer(7) if name == campaign}
    assert answered == {month: views for month, views in points.items() if views}


def test_amounts_owed_match_the_balances(played: PlayedMonth) -> None:
    for name, *cents in played.answer(8):
        row = played.rest(f"/creators/{played.creators[name]['id']}/payout-balance")
        assert cents == [row["accrued_cents"], row["paid_cents"], row["balance_cents"]]


def test_goals_behind_match_goal_compliance(played: PlayedMonth) -> None:
    [judged] = played.rest(f"/projects/{played.tenant.project_id}/goal-compliance")
    [row] = judged["compliance"]
    [(_, metric, period, actual, target, percentage, status)] = played.answer(9)
    goal = row["goal"]
    assert (metric, period, target) == (goal["metric"], goal["period"], goal["target_value"])
    assert (actual, percentage, status) == (row["actual"], row["percentage"], row["status"])


def test_changes_after_payment_match_the_adjustment(played: PlayedMonth) -> None:
    [(creator, structure, start, cents, reason)] = played.answer(10)
    assert (creator, structure, str(start), cents) == ("Ada", "Fee", "2026-03-02", 40)
    assert reason == "recomputed to $12.00, $11.60 frozen, $0.00 settled before"
    [row] = [r for r in played.rest("/payout-accruals", limit=100) if r["kind"] == "adjustment"]
    assert (UUID(row["creator_id"]), row["period_start"], row["amount_cents"]) == (
        UUID(played.creators["Ada"]["id"]),
        str(start),
        cents,
    )


COMMENTS = """
    with said as (
        select schema_name, table_name, column_name, comment from duckdb_columns()
        union all
        select schema_name, view_name, null, comment from duckdb_views()
        union all
        select schema_name, table_name, null, comment from duckdb_tables()
    )
    select table_name, column_name, comment from said where schema_name in ('marts', 'machinery')
"""


def test_the_catalog_describes_every_table_and_column(played: PlayedMonth) -> None:
    with duckdb.connect(played.publication, read_only=True) as connection:
        rows = connection.execute(COMMENTS).fetchall()
    comment_by_name = {(table, column): comment for table, column, comment in rows}
    assert [name for name, comment in comment_by_name.items() if not comment] == []
    assert comment_by_name["videos", "title"].startswith("The title that a member entered")
    assert comment_by_name["payout_costs", None].startswith(
        "What each accrual costs by day and video"
    )
