"""The table of an amount: its lines add up to the cent, for each evidence that models make."""

from decimal import Decimal, localcontext
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving_api.share_page.evidence_table import Table, table_of
from serving_api.share_page.evidence_words import MOST
from tests.serving_api.resources.payouts.evidences import EVIDENCES, Evidence, Explained, whole
from tests.serving_api.share_page.test_evidence_words import CASES, CPM

ZONE = ZoneInfo("UTC")


@st.composite
def cpm_of_posts(draw: st.DrawFn) -> Explained:
    """A cpm amount whose impressions are those of posts."""
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
    owed = evidence["owed"]
    if owed and owed["evidence"].get("type") in {"cpm", "view_threshold"}:
        owed["evidence"] = {}
    table = table_of(cents, evidence, {}, ZONE)
    assert table
    adds_up(table, cents)


def test_a_correction_shows_what_is_owed_now_post_by_post() -> None:
    owed: dict[str, Any] = {**CPM, "payable": 12_401, "carry_in": 0, "carry_out": 0}
    tiers = [{"up_to_impressions": None, "cents_per_thousand": "100", "impressions": 12_401}]
    owed |= {"tiers": tiers, "max_payout_cents": None, "min_impressions": 0}
    evidence = {
        "type": "adjustment",
        "owed_cents": 1_240,
        "frozen_cents": 1_000,
        "settled": [{"amount_cents": 40}],
        "owed": {"amount_cents": 1_240, "evidence": owed},
    }
    table = table_of(200, evidence, {"one": "Spring"}, ZONE)
    assert table
    assert [post.title for post in table.posts] == ["Spring", "two"]
    assert [(line.name, line.cents) for line in table.lines] == [
        ("Rounding to cents", Decimal("-0.1")),
        ("Owed now", 1_240),
        ("When it was paid", -1_000),
        ("Adjusted since", -40),
    ]
    adds_up(table, 200)


@pytest.mark.parametrize("kind", ["recurring", "goals", "conversion"])
def test_other_amounts_have_no_table(kind: str) -> None:
    assert table_of(100, CASES[kind][0], {}, ZONE) is None
