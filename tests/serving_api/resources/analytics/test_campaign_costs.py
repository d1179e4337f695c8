"""What a campaign costs, over HTTP. Business time is 20 May, 12:00 UTC.

post    creator  views                                 earned
one     Ada      1,000 on the 13th, 1,600 on the 16th  $4.00 on the 13th, $1.00 on the 16th
two     Eve      2,000 on the 17th                     $3.00 on the 17th
older   Eve      50,000 on the 17th, 50,100 on the 18th
three   Eve      not in the campaign                   $9.00 on the 17th

Eve earned $2.00 more on the 18th, on no post: a retainer. $0.50 of Ada's cpm has no post either.

All are of one account, tracked since the 11th; `older` was posted on the 1st.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from functools import partial
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest

from tests.factories import marts
from tests.factories.instants import at
from tests.factories.visitors import read
from tests.fixtures.api import NOW, Api, Tenant, new_tenant, publish_history
from tests.fixtures.desk import Sitter
from warehouse.amounts import LARGEST_CENTS

RANGE = {"from": "2026-05-12", "to": "2026-05-18"}


class Costly:
    """A campaign with published costs."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.ada, self.eve = (
            tenant.creator(name.lower(), display_name=name)["id"] for name in ("Ada", "Eve")
        )
        path = f"/projects/{tenant.project_id}/campaigns"
        self.id = tenant.client.data("POST", path, json={"name": "Spring"})["id"]

    def ask(self, **params: str) -> Any:
        return self.tenant.client.data("GET", f"/campaigns/{self.id}/costs", params=params)

    def history(self, as_of: datetime) -> marts.History:
        readings = {at(13): {"view": 1000}, at(16): {"view": 1600}}
        older = {at(17): {"view": 50_000}, at(18): {"view": 50_100}}
        account = marts.Account("costly", {at(11): 5}, creator=UUID(self.ada), in_campaign=False)
        of_ada = partial(marts.Video, account=account.id, creator=UUID(self.ada))
        of_eve = partial(marts.Video, account=account.id, creator=UUID(self.eve))
        return marts.History(
            videos=[
                of_ada("cost one", readings, posted_at=at(13, 9)),
                of_eve("cost two", {at(17): {"view": 2000}}, posted_at=at(17, 9)),
                of_eve("cost older", older, posted_at=at(1)),
            ],
            accounts=[account],
            as_of=as_of,
            organization=self.tenant.organization_id,
            project=self.tenant.project_id,
            campaign=UUID(self.id),
        )

    def costs(self, times: int) -> list[dict[str, Any]]:
        earned = [
            ("cost one", "cpm", self.ada, 13, 400),
            ("cost one", "cpm", self.ada, 16, 100),
            ("cost two", "cpm", self.eve, 17, 300),
            ("cost three", "cpm", self.eve, 17, 900),
            (None, "recurring", self.eve, 18, 200),
            (None, "cpm", self.ada, 14, 50),
        ]
        return [
            {
                "organization_id": str(self.tenant.organization_id),
                "project_id": str(self.tenant.project_id),
                "video_id": post and marts.named(post),
                "creator_id": creator,
                "day": date(2026, 5, day),
                "criteria_type": kind,
                "is_planned": False,
                "amount_cents": cents * times,
                "currency": "USD",
            }
            for post, kind, creator, day, cents in earned
        ]


@contextmanager
def published(api: Api, home: Path, as_of: datetime, times: int = 1) -> Iterator[Costly]:
    with api.changed(home=home) as served, new_tenant(served) as tenant:
        costly = Costly(tenant)
        publish_history(served.settings, costly.history(as_of), payout_costs=costly.costs(times))
        yield costly


@pytest.fixture(scope="module")
def costly(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Costly]:
    with published(api, Path(tmp_path_factory.mktemp("costs")), NOW) as costly:
        yield costly


def figures(costs: Any) -> tuple[Any, ...]:
    names = ("cost_cents", "views", "views_before_tracking", "cost_per_thousand_cents")
    return tuple(costs[name] for name in names)


def test_a_thousand_views_cost_what_the_posts_earned(costly: Costly) -> None:
    answer = costly.ask(**RANGE)
    assert figures(answer) == (800, 53_700, 50_000, 216)  # 800 / 3.7 = 216.2
    assert answer["without_post_cents"] == 250
    assert [(creator["creator"]["label"], *figures(creator)) for creator in answer["creators"]] == [
        ("Ada", 500, 1600, 0, 313),  # 312.5, half up
        ("Eve", 300, 52_100, 50_000, 143),  # 300 / 2.1 = 142.9
    ]
    assert [(day["day"][-2:], *figures(day)) for day in answer["days"]] == [
        ("12", 0, None, None, None),
        ("13", 400, 1000, 0, 400),
        ("14", 0, 0, 0, None),
        ("15", 0, 0, 0, None),
        ("16", 100, 600, 0, 167),
        ("17", 300, 52_000, 50_000, 150),
        ("18", 0, 100, 0, 0),
    ]
    assert (answer["currency"], answer["timezone"], answer["creators_total"]) == ("USD", "UTC", 2)
    assert answer["as_of"] == "2026-05-20T12:00:00Z"


def test_the_page_shows_the_parts_of_the_cost(costly: Costly) -> None:
    """No amount's period ends on these days. 1050 / 3.7 = 283.8 and 800 / 3.7 = 216.2."""
    sitter = Sitter(costly.tenant, role="member")
    costs = sitter.get(f"{sitter.home}/campaigns/{costly.id}/costs?{urlencode(RANGE)}")
    page = read(costs)
    parts = (
        "Cost of its posts $8.00",
        "Retainers and bonuses of its creators on days without views $2.00",
        "Other pay of its creators without a post $0.50",
        "Cost of this campaign $10.50",
        "The whole project\N{RIGHT SINGLE QUOTATION MARK}s spend is $0.00: all posts",
    )
    assert " ".join(parts) in page
    figures = (
        "Cost of this campaign $10.50 Its posts, and its creators without a post",
        "Cost per 1,000 views $2.84 Views gained while tracked",
        "Cost of its posts $8.00 $2.16 per 1,000 views",
    )
    own = read(sitter.get(f"{sitter.home}/campaigns/{costly.id}?{urlencode(RANGE)}"))
    listed = read(sitter.get(f"{sitter.home}/campaigns?{urlencode(RANGE)}"))
    assert "$10.50 $2.84 $8.00" in listed
    for text in (page, own):
        assert " ".join(figures) in text
    payouts = escape(f"{sitter.home}/payouts?{urlencode(RANGE)}")
    assert f'<a href="{payouts}">$0.00</a>' in costs.text


def test_days_bound_both_costs_and_views(costly: Costly) -> None:
    answer = costly.ask(**{"from": "2026-05-16", "to": "2026-05-16"})
    assert figures(answer) == (100, 600, 0, 167)
    assert [creator["creator"]["id"] for creator in answer["creators"]] == [costly.ada]


def test_the_file_has_each_day_of_each_creator_in_pages(costly: Costly) -> None:
    query = {"campaign_id": costly.id, **RANGE}
    client = costly.tenant.client
    first = client.get("/exports/campaign-costs", params={**query, "limit": "2"})
    rest = client.get(
        "/exports/campaign-costs", params={**query, "cursor": first.headers["X-Next-Cursor"]}
    )
    header, *rows = (first.text + rest.text.partition("\r\n")[2]).split("\r\n")[:-1]
    assert header == "campaign_id,creator_id,day,cost_cents,views,currency,views_before_tracking"
    assert rows == [
        f"{costly.id},{costly.ada},2026-05-13,400,1000,USD,0",
        f"{costly.id},{costly.ada},2026-05-16,100,600,USD,0",
        f"{costly.id},{costly.eve},2026-05-17,300,52000,USD,50000",
        f"{costly.id},{costly.eve},2026-05-18,0,100,USD,0",
    ]
    assert "X-Next-Cursor" not in rest.headers
    refused = client.refusal("GET", "/exports/campaign-costs", "invalid_query")
    assert [issue["path"] for issue in refused["issues"]] == ["campaign_id"]


def test_nothing_before_publications_or_of_others(api: Api, costly: Costly) -> None:
    with new_tenant(api) as tenant:
        path = f"/projects/{tenant.project_id}/campaigns"
        own = tenant.client.data("POST", path, json={"name": "New"})["id"]
        answer = tenant.client.data("GET", f"/campaigns/{own}/costs", params=RANGE)
        assert (*figures(answer), answer["as_of"], answer["creators"]) == (*[None] * 5, [])
        assert {figures(day) for day in answer["days"]} == {(None,) * 4}
        theirs = f"/campaigns/{costly.id}/costs"
        tenant.client.refusal("GET", theirs, "not_found")


def test_nothing_is_known_of_days_that_the_numbers_do_not_reach(api: Api, tmp_path: Path) -> None:
    with published(api, tmp_path, at(18, 12)) as stale:
        answer = stale.ask(**{"from": "2026-05-17", "to": "2026-05-20"})
        assert [(day["day"][-2:], *figures(day)) for day in answer["days"]] == [
            ("17", 300, 52_000, 50_000, 150),
            ("18", 0, 100, 0, 0),
            ("19", None, None, None, None),
            ("20", None, None, None, None),
        ]
        assert figures(answer) == (300, 52_100, 50_000, 143)
        assert figures(stale.ask(**{"from": "2026-05-19"})) == (None,) * 4
        sitter = Sitter(stale.tenant, role="member")
        page = read(sitter.get(f"{sitter.home}/campaigns/{stale.id}/costs"))
        assert "18 May 2026 so far $0.00 100 19 May 2026 \u2013 not known \u2013 not known" in page
        for path in (f"campaigns/{stale.id}", f"creators/{stale.eve}"):
            page = read(sitter.get(f"{sitter.home}/{path}"))
            assert "18 May 2026 so far 100 " in page
            assert "19 May 2026 \u2013 not known" in page
            assert "20 May 2026 \u2013 not known" in page


def test_costs_come_to_the_largest_amount_at_most(api: Api, tmp_path: Path) -> None:
    with published(api, tmp_path, NOW, LARGEST_CENTS // 400) as large:
        answer = large.ask(**RANGE)
    assert [day["cost_cents"] for day in answer["days"][1:2]] == [LARGEST_CENTS]
    assert answer["cost_cents"] == answer["creators"][0]["cost_cents"] == LARGEST_CENTS
