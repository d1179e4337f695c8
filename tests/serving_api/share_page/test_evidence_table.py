"""The table of an amount: its lines add up to the cent, for all evidence that models produce."""

from decimal import Decimal, localcontext
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving_api.share_page.evidence_table import TIERS, Table, table_of
from serving_api.share_page.evidence_words import MOST
from tests.serving_api.resources.payouts.evidences import EVIDENCES, Evidence, Explained, whole
from tests.serving_api.share_page.test_evidence_words import CASES, CPM

ZONE = ZoneInfo("UTC")


@st.composite
def cpm_of_posts(draw: st.DrawFn) -> Explained:
    """A cpm amount with the impressions of its posts."""
    cents, evidence = draw(EVIDENCES["cpm"]())
    left, posts = evidence["impressions"], list[Evidence]()
    while left:
        views = left if len(posts) > MOST + 5 else draw(whole(1, left))
        begin = draw(whole(0, 1000))
        rise = {"views_from": begin, "views_to": begin + views, "views": views}
        posts.append({"video_id": f"{len(posts) % 7}", **rise})
        left -= views
    return cents, {**evidence, "videos": posts}


def adds_up(table: Table, cents: int) -> None:
    assert table.total.cents == cents
    amounts = [post.cents for post in table.posts]
    amounts += [line.cents for line in table.lines if not line.is_subtotal]
    assert sum((amount or Decimal(0) for amount in amounts), Decimal(0)) == cents


@given(amount=cpm_of_posts())
def test_dollars_and_views_of_posts_add_up(amount: Explained) -> None:
    cents, evidence = amount
    with localcontext() as context:
        context.prec = 60
        table = table_of(cents, evidence, {}, ZONE)
        assert table
        adds_up(table, cents)
    assert len(table.posts) == min(MOST, len(evidence["videos"]))
    views = [post.views or 0 for post in table.posts]
    assert views == sorted(views, reverse=True)
    cut = next((at for at, line in enumerate(table.lines) if line.is_subtotal), len(table.lines))
    paid = sum(views) + sum(line.views or 0 for line in table.lines[:cut])
    assert paid == table.total.views == evidence["payable"] - evidence["carry_out"]


@given(amount=EVIDENCES["adjustment"]())
def test_corrections_add_up(amount: Explained) -> None:
    cents, evidence = amount
    for side in (evidence["owed"], evidence["frozen"]):
        if side and side["evidence"].get("type") in {"cpm", "view_threshold"}:
            side["evidence"] = {}
    table = table_of(cents, evidence, {}, ZONE)
    assert table
    adds_up(table, cents)


def of_posts(rate: str, **views: int) -> dict[str, Any]:
    total = sum(views.values())
    tier = {"up_to_impressions": None, "cents_per_thousand": rate, "impressions": total}
    videos = [{**CPM["videos"][0], "video_id": post, "views": views[post]} for post in views]
    limits = {"max_payout_cents": None, "min_impressions": 0, "carry_in": 0, "carry_out": 0}
    return {**CPM, **limits, "payable": total, "tiers": [tier], "videos": videos}


def test_a_correction_shows_its_posts_then_and_now_and_their_difference() -> None:
    """10,001 views when it was paid, 12,401 now, at $1.00: 240 cents more, of which 40 are paid."""
    then = of_posts("100", one=9_000, two=1_000, gone=1)
    now = of_posts("100", one=11_401, two=1_000)
    evidence = {
        "type": "adjustment",
        "owed_cents": 1_240,
        "frozen_cents": 1_000,
        "settled": [{"amount_cents": 40}],
        "frozen": {"amount_cents": 1_000, "evidence": then},
        "owed": {"amount_cents": 1_240, "evidence": now},
    }
    table = table_of(200, evidence, {"one": "Spring"}, ZONE)
    rows = [
        (post.title, post.begin and post.begin.views, post.end.views, post.views, post.cents)
        for post in table.posts
    ]
    assert rows == [
        ("Spring", 9_000, 11_401, 2_401, Decimal("240.1")),
        ("gone", 1, 0, -1, Decimal("-0.1")),
    ]
    assert table.posts[0].begin
    assert (table.posts[0].begin.cents, table.posts[0].end.cents) == (900, Decimal("1140.1"))
    assert [(line.name, line.cents) for line in table.lines] == [
        ("Owed now", 1_240),
        ("When it was paid", -1_000),
        ("Adjusted since", -40),
    ]
    adds_up(table, 200)


@pytest.mark.parametrize("is_paid_by_tiers", [False, True])
def test_a_correction_by_tiers_prices_no_post(is_paid_by_tiers: bool) -> None:
    """9,000 views at $1.00; 15,000 views at $1.00, and at $2.00 above 10,000."""
    one_rate, tiered = of_posts("100", one=8_000, gone=1_000), of_posts("100", one=15_000)
    tiers = [("100", 10_000, 10_000), ("200", None, 5_000)]
    tiered["tiers"] = [
        {"up_to_impressions": bound, "cents_per_thousand": rate, "impressions": views}
        for rate, bound, views in tiers
    ]
    sides = [(900, one_rate), (2_000, tiered)]
    (then_cents, then), (cents, now) = reversed(sides) if is_paid_by_tiers else sides
    evidence = {
        "type": "adjustment",
        "owed_cents": cents,
        "frozen_cents": then_cents,
        "settled": [],
        "frozen": {"amount_cents": then_cents, "evidence": then},
        "owed": {"amount_cents": cents, "evidence": now},
    }
    table = table_of(cents - then_cents, evidence, {}, ZONE)
    assert table.note == TIERS
    counts = [count for post in table.posts for count in (post, post.begin, post.end)]
    assert [count.cents for count in counts if count] == [None] * 6
    adds_up(table, cents - then_cents)


def test_pay_that_a_correction_s_posts_do_not_explain_has_a_line() -> None:
    then, now = of_posts("100", one=10_000), of_posts("200", one=10_000)
    evidence = {
        "type": "adjustment",
        "owed_cents": 1_500,
        "frozen_cents": 1_000,
        "settled": [],
        "frozen": {"amount_cents": 1_000, "evidence": then},
        "owed": {"amount_cents": 1_500, "evidence": now},
    }
    table = table_of(500, evidence, {}, ZONE)
    assert [(post.views, post.cents) for post in table.posts] == [(0, 1_000)]
    rest = table.lines[0]
    assert (rest.name, rest.cents) == ("Rounding, limits and other views", -500)
    adds_up(table, 500)


@pytest.mark.parametrize("kind", ["recurring", "goals", "conversion"])
def test_other_amounts_have_no_table(kind: str) -> None:
    assert table_of(100, CASES[kind][0], {}, ZONE) is None
