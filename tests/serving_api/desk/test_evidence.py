"""The evidence of an amount at the desk and on the creator's page: a table that adds up."""

import csv
import io
import random
import re
from decimal import Decimal

import httpx
import pytest

from serving_api.desk.payouts.changes import parts_of, rest_of
from serving_api.share_page.evidence_table import Count, Line, Post, Table
from tests.factories.visitors import read, visiting
from tests.fixtures.desk import Sitter
from tests.fixtures.explained import Explained

WHY = "One post is missing."


@pytest.fixture(scope="module")
def admin(explained: Explained) -> Sitter:
    return Sitter(explained.tenant)


def amount_page(admin: Sitter, explained: Explained, name: str) -> httpx.Response:
    return admin.get(f"{admin.home}/payouts/amounts/{explained.id_of(name)}")


def test_posts_by_dollars_with_their_counts_in_the_zone_of_the_organization(
    explained: Explained, admin: Sitter
) -> None:
    page = amount_page(admin, explained, "flat")
    text = read(page)
    assert "15,000 \N{MULTIPLICATION SIGN} $1.50 ÷ 1,000 = $22.50" in text
    assert "Post From To Views paid Per 1,000 Dollars" in text
    assert (
        "Post one <b> 1,000 28 Apr 2026, 10:00 13,345 2 May 2026, 10:00 12,345 $1.50 $18.5175"
        " Post two <b> 0 2,000 30 Apr 2026, 22:30 2,000 $1.50 $3.00"
        " Carried over from earlier periods 655 $1.50 $0.9825 Amount 15,000 $22.50" in text
    )
    assert "UTC" not in text.partition("Evidence")[2]
    pictures = re.findall(r'<img class="picture" src="([^"]+)"', page.text)
    assert [admin.get(picture).status_code for picture in pictures] == [200]


def test_tiers_have_dollars_and_posts_have_none(explained: Explained, admin: Sitter) -> None:
    text = read(amount_page(admin, explained, "tiers"))
    assert "(10,000 \N{MULTIPLICATION SIGN} $1.00 + 4,345 \N{MULTIPLICATION SIGN} $0.80)" in text
    assert (
        "2 May 2026, 10:00 12,345 Post two <b> 0 2,000 30 Apr 2026, 22:30 2,000"
        " All views 14,345 Up to 10,000 10,000 $1.00 $10.00 Above 10,000 4,345 $0.80 $3.476"
        " Above the maximum of $11.00 per period \u2212$2.476 Amount 14,345 $11.00" in text
    )
    assert "a single post has no amount of its own" in text


def test_the_accountant_s_file_has_views_and_rate(explained: Explained, admin: Sitter) -> None:
    file = admin.get(f"{admin.home}/payouts?status=final&format=csv").content.decode("utf-8-sig")
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(file))}
    flat, tiers = (rows[explained.id_of(name)] for name in ("flat", "tiers"))
    assert (flat["view_count"], flat["per_1000"], flat["amount"]) == ("15000", "1.50", "22.50")
    assert (tiers["view_count"], tiers["per_1000"], tiers["amount"]) == ("14345", "0.77", "11.00")


def test_the_creator_reads_the_same_table(explained: Explained) -> None:
    with visiting(explained.tenant, explained.ada) as visitor:
        page = visitor.get(f"/amounts/{explained.id_of('flat')}")
    assert "12,345 $1.50 $18.5175" in read(page)
    assert "Amount 15,000 $22.50" in read(page)
    assert "<img" not in page.text


def test_a_list_of_amounts_has_one_short_status_a_row(explained: Explained, admin: Sitter) -> None:
    text = read(admin.get(f"{admin.home}/payouts"))
    assert "Maximum reached 4 May 2026 to 10 May 2026 14,345 $0.77 $11.00" in text
    assert "27 Apr 2026 to 3 May 2026 15,000 $1.50 $22.50" in text
    assert "per thousand" not in text


def test_a_dispute_opens_at_what_was_claimed(explained: Explained, admin: Sitter) -> None:
    body = {"accrual_id": explained.id_of("tiers"), "reason": WHY}
    dispute = explained.tenant.client.data("POST", "/payout-disputes", json=body)
    inbox = admin.get(f"{admin.home}/inbox").text
    [address] = re.findall(r'href="([^"]+/payouts/amounts/[^"]+)"', inbox)
    assert address.endswith(f"#dispute-{dispute['id']}")
    [section] = re.findall(
        rf'<section id="dispute-{dispute["id"]}".*?</section>', admin.get(address).text, re.DOTALL
    )
    assert WHY in section
    assert 'name="answer"' in section


def test_an_amount_says_why_it_differs_from_the_period_before(
    explained: Explained, admin: Sitter
) -> None:
    page = amount_page(admin, explained, "tiers")
    text = read(page)
    assert "Since the period before \u2212$11.50 \u221251% after $22.50 for 27 Apr 2026" in text
    assert (
        "$1.00 and $0.80 per 1,000 views, not $1.50"
        " Above the maximum of $11.00 per period: \u2212$2.476"
        " Carried over from earlier periods: \u2212$0.9825 Other changes: \u2212$8.0415" in text
    )
    assert f'href="{admin.home}/payouts/amounts/{explained.id_of("flat")}"' in page.text
    creator = f'<a href="{admin.home}/creators/{explained.ada["id"]}">'
    assert creator in page.text
    assert "Since the period before" not in read(amount_page(admin, explained, "flat"))
    again = read(amount_page(admin, explained, "again"))
    assert "Since the period before Unchanged after $11.00 for 4 May 2026" in again
    assert "+$0.00" not in again
    of_creator = admin.get(f"{admin.home}/creators/{explained.ada['id']}").text
    assert f'/payouts/amounts/{explained.id_of("tiers")}"' in of_creator


@pytest.mark.parametrize(
    ("rate", "reasons"),
    [
        (Decimal(100), [("one", 900, Decimal(90)), ("new", 500, Decimal(50))]),
        (None, [("one", 900, None), ("new", 500, None)]),
    ],
)
def test_posts_that_changed_most_come_first(
    rate: Decimal | None, reasons: list[tuple[str, int, Decimal | None]]
) -> None:
    before = table(rate, one=100, same=300, gone=200, small=10)
    now = table(rate, one=1_000, same=300, new=500, small=11)
    parts = sorted(parts_of(now, before), key=lambda reason: reason.size, reverse=True)
    assert [(part.text, part.views, part.cents) for part in parts[:2]] == reasons
    assert "same" not in {part.text for part in parts}
    gone = next(part for part in parts if part.text == "gone")
    assert gone.views == -200


@pytest.mark.parametrize("seed", range(50))
def test_the_reasons_add_up_to_the_change(seed: int) -> None:
    """Every difference is added one by one; the page names three and the sum of the others."""
    rng = random.Random(seed)
    names = [f"post {n}" for n in range(rng.randint(1, 8))]
    rate = Decimal(rng.randint(1, 99_999)) / 100
    now, before = (
        table(rate, **{name: rng.randint(0, 50_000) for name in names if rng.random() < 0.8})
        for _ in range(2)
    )
    each = {name: Decimal(0) for name in names}
    for post in now.posts:
        each[post.title] += post.cents or 0
    for post in before.posts:
        each[post.title] -= post.cents or 0
    rounding = {side: Decimal(rng.randint(-50, 50)) / 100 for side in ("now", "before")}
    exact = sum(each.values()) + rounding["now"] - rounding["before"]
    change = int(exact.to_integral_value())
    parts = sorted(parts_of(now, before), key=lambda part: part.size, reverse=True)[:3]
    lines = [*parts, *rest_of(change, parts)]
    assert [line.cents for line in parts] == [each[line.text] for line in parts]
    assert sum(line.cents or 0 for line in lines) == (change if parts else 0)
    unnamed = {name for name in names if name not in {part.text for part in parts}}
    rest = sum(each[name] for name in unnamed) + (change - sum(each.values()))
    assert [line.cents for line in lines[len(parts) :]] == ([rest] if parts and rest else [])


def table(rate: Decimal | None, **views: int) -> Table:
    """Posts of these names that gained these views."""
    count = Count(0, None, is_exact=True)
    posts = [
        Post(name, name, count, count, gained, rate, rate and gained * rate / 1_000, "")
        for name, gained in views.items()
    ]
    return Table("", posts, [], Line("Amount"))
