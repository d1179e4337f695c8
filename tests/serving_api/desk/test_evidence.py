"""The evidence of an amount at the desk and on the creator's page: a table that adds up."""

import csv
import io
import random
import re
from decimal import Decimal

import httpx
import pytest

from serving_api.desk.payouts.change_causes import reasons_of, rest_of, whole_cents
from serving_api.share_page.evidence_words import Evidence
from tests.factories import marts
from tests.factories.visitors import read, visiting
from tests.fixtures.desk import Sitter
from tests.fixtures.explained import NEW_YORK, Explained

WHY = "One post is missing."


@pytest.fixture(scope="module")
def admin(explained: Explained) -> Sitter:
    return Sitter(explained.tenant)


def amount_page(admin: Sitter, explained: Explained, name: str) -> httpx.Response:
    return admin.get(f"{admin.home}/payouts/amounts/{explained.id_of(name)}")


def test_posts_by_dollars_with_their_counts_in_the_zone_of_the_amount(
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


def test_a_count_that_fell_is_explained_where_one_fell(explained: Explained, admin: Sitter) -> None:
    for name, fell in (("flat", False), ("tiers", True), ("again", False)):
        with visiting(explained.tenant, explained.ada) as visitor:
            own = visitor.get(f"/amounts/{explained.id_of(name)}")
        for page in (amount_page(admin, explained, name), own):
            assert ("A count that falls takes nothing away." in read(page)) is fell


def test_an_amounts_pages_use_its_zone_and_users_actions_the_organizations(
    explained: Explained, admin: Sitter
) -> None:
    client, accrual_id = explained.tenant.client, explained.id_of("again")
    body = {"accrual_id": accrual_id, "reason": WHY}
    dispute = client.data("POST", "/payout-disputes", json=body)
    body = {"state": "rejected", "answer": "It was left out."}
    client.data("PATCH", f"/payout-disputes/{dispute['id']}", json=body)

    def pages() -> list[str]:
        with visiting(explained.tenant, explained.ada) as visitor:
            own = visitor.get(f"/amounts/{accrual_id}")
        return [read(amount_page(admin, explained, "again")), read(own)]

    before = pages()
    path = f"/organizations/{explained.tenant.organization_id}"
    client.data("PATCH", path, json={"analytics_tz": "Europe/Berlin"})
    try:
        after = pages()
        listed = read(admin.get(f"{admin.home}/inbox/disputes"))
    finally:
        client.data("PATCH", path, json={"analytics_tz": NEW_YORK})
    there, here = "20 May 2026, 08:00", "20 May 2026, 14:00"
    assert all(here in text for text in (*after, listed))
    assert [text.replace(here, there) for text in after] == before


def test_tiers_have_dollars_and_posts_have_none(explained: Explained, admin: Sitter) -> None:
    text = read(amount_page(admin, explained, "tiers"))
    assert "(10,000 \N{MULTIPLICATION SIGN} $1.00 + 4,345 \N{MULTIPLICATION SIGN} $0.80)" in text
    assert (
        "2 May 2026, 10:00 12,345 Tiers apply to the total views of all posts, so that a single"
        " post has no amount of its own. Post two <b> 0 2,000 30 Apr 2026, 22:30 2,000"
        " All views 14,345 Up to 10,000 10,000 $1.00 $10.00 Above 10,000 4,345 $0.80 $3.476"
        " Above the maximum of $11.00 per period \u2212$2.476 Amount 14,345 $11.00" in text
    )


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
    links = re.findall('href="https://www.tiktok.com/@[^"]+" rel="noopener nofollow"', page.text)
    assert len(links) == 2


def test_a_list_of_amounts_has_one_short_status_a_row(explained: Explained, admin: Sitter) -> None:
    text = read(admin.get(f"{admin.home}/payouts"))
    assert "Maximum reached 4 May 2026 to 10 May 2026 14,345 $0.77 \u221251% $11.00" in text
    assert "27 Apr 2026 to 3 May 2026 15,000 $1.50 $22.50" in text
    assert "per thousand" not in text


def test_a_dispute_links_to_its_claim(explained: Explained, admin: Sitter) -> None:
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


def test_an_amount_explains_its_difference_from_the_previous_period(
    explained: Explained, admin: Sitter
) -> None:
    page = amount_page(admin, explained, "tiers")
    text = read(page)
    assert "Since the period before \u2212$11.50 \u221251% after $22.50 for 27 Apr 2026" in text
    assert (
        "$1.00 per 1,000 views up to 10,000, then $0.80 per 1,000 views,"
        " not $1.50 per 1,000 views: \u2212$8.04"
        " Above the maximum of $11.00 per period: \u2212$2.48"
        " 655 fewer views paid: \u2212$0.98"
        " Views carried over from earlier periods: \u2212655"
        " Before: 15,000 views counted: 15,000 at $1.50 per thousand; 655 carried over" in text
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


def test_a_change_where_tiers_pay_has_dollars_for_all_views_and_none_for_a_post(
    explained: Explained, admin: Sitter
) -> None:
    text = read(amount_page(admin, explained, "fewer"))
    assert (
        "Since the period before \u2212$1.88 \u221214% after $13.48 for 4 May 2026 to 10 May 2026"
        " 2,345 fewer views paid: \u2212$1.88 Post one <b>: \u22122,345 Before: 14,345" in text
    )


def test_posts_with_one_caption_are_distinguished_by_their_time(
    explained: Explained, admin: Sitter
) -> None:
    client = explained.tenant.client
    names = {str(marts.named(f"{name} {explained.ada['id']}")): name for name in ("one", "two")}
    for post in names:
        client.data("PATCH", f"/videos/{post}", json={"title": "Again"})
    text = read(amount_page(admin, explained, "fewer"))
    for post in names:
        client.data("PATCH", f"/videos/{post}", json={"title": None})
    assert "Again, 27 Apr 2026, 10:00: \u22122,345" in text
    assert "Again, 27 Apr 2026, 10:01 0 2,000 30 Apr 2026, 22:30" in text


@pytest.mark.parametrize("seed", range(50))
def test_causes_in_cents_add_up(seed: int) -> None:
    rng = random.Random(seed)
    exact = [Decimal(rng.randint(-9_000, 9_000)) / 1_000 for _ in range(rng.randint(0, 6))]
    total = round(sum(exact)) + rng.choice((-1, 0, 0, 1, 40))
    causes = [("", part) for part in exact[2:]]
    causes += rest_of(total, causes, exact[:2], is_of_views=True)
    parts = [*exact[:2], *(cents for _, cents in causes)]
    cents = whole_cents(parts, total)
    assert not cents or sum(cents) == total
    assert all(abs(whole - part) < 3 for whole, part in zip(cents, parts, strict=True))


@pytest.mark.parametrize("seed", range(50))
def test_the_posts_that_drove_the_change_come_first_and_all_reasons_add_up(seed: int) -> None:
    rng = random.Random(seed)
    names = [f"post {n}" for n in range(rng.randint(1, 16))]

    def evidence() -> Evidence:
        rows = [(name, rng.randint(0, 50) * 1_000) for name in names * 2 if rng.random() < 0.6]
        carried = {name: rng.choice((0, 400)) for name in ("carry_in", "carry_out")}
        return {"videos": [{"video_id": n, "views": v} for n, v in rows], **carried}

    def paid(side: Evidence, post: str | None = None) -> int:
        posts = sum(each["views"] for each in side["videos"] if post in (None, each["video_id"]))
        return posts + (0 if post else side["carry_in"] - side["carry_out"])

    now, before = evidence(), evidence()
    reasons = list(reasons_of(now, before))
    total = paid(now) - paid(before)
    assert sum(reason.views for reason in reasons) == total
    changes = {name: paid(now, name) - paid(before, name) for name in names}
    drivers = sorted((abs(views) for views in changes.values() if views * total > 0), reverse=True)
    named = {reason.post_id: reason.views for reason in reasons if reason.post_id}
    assert named == {post: changes[post] for post in named}
    assert [abs(views) for views in named.values()] == drivers[:10]
    others = [name for name, views in changes.items() if views and name not in named]
    noun = ("other post" if named else "post") + ("" if len(others) == 1 else "s")
    assert [reason.text for reason in reasons if "post" in reason.text] == (
        [f"{len(others)} {noun} of either period"] if others else []
    )
