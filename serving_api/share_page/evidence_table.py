"""An amount's evidence as a table: posts, then lines that add up to the amount.

Dollars are exact, so that they add up; rounding to cents is a separate line (money.md M1, M8).
With several rates, the rules define dollars per tier and none per post.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from serving_api.resources.payouts.accruals.summary import dollars, plural
from serving_api.share_page.evidence_words import MOST, Titles, baseline_of, moment
from serving_api.share_page.paid_posts import paid_posts, price_of, rate_of
from warehouse.amounts import LARGEST_CENTS

Evidence = Mapping[str, Any]
TIMES = "\N{MULTIPLICATION SIGN}"
TIERS = (
    "Tiers apply to the total views of all posts, so that a single post has no amount of its own."
)


@dataclass(frozen=True, slots=True)
class Count:
    """A post's count and its reading; `read_at` is None without one, as for the initial 0.

    `cents` are what a correction's count pays.
    """

    views: int
    read_at: datetime | None
    is_exact: bool
    cents: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line below the posts. `rate` is cents per 1,000 views; None is undefined by the rules.

    A subtotal repeats the sum of the lines above.
    """

    name: str
    views: int | None = None
    rate: Decimal | None = None
    cents: Decimal | None = None
    is_subtotal: bool = False


@dataclass(frozen=True, slots=True)
class Post:
    """A post's views between two counts, or then and now, and their pay."""

    video_id: str
    title: str
    begin: Count | None
    end: Count
    views: int | None
    rate: Decimal | None
    cents: Decimal | None
    note: str


@dataclass(frozen=True, slots=True)
class Table:
    """Posts by pay, the lines below, and the total: the amount.

    `counts` are the names of a post's two counts.
    """

    formula: str
    posts: Sequence[Post]
    lines: Sequence[Line]
    total: Line
    note: str = ""
    counts: tuple[str, str] = ("From", "To")


def table_of(amount_cents: int, evidence: Evidence, titles: Titles, zone: ZoneInfo) -> Table | None:
    """Return an amount's table, or None without posts or correction."""
    match evidence.get("type"):
        case "cpm":
            return _cpm(amount_cents, evidence, titles, zone)
        case "view_threshold":
            return _view_threshold(amount_cents, evidence, titles, zone)
        case "adjustment":
            return _adjustment(amount_cents, evidence, titles, zone)
        case _:
            return None


def _cpm(amount_cents: int, evidence: Evidence, titles: Titles, zone: ZoneInfo) -> Table:
    paying = [tier for tier in evidence["tiers"] if tier["impressions"]]
    rate = rate_of(evidence)
    has_tiers = bool(paying) and rate is None
    videos = sorted(evidence["videos"], key=lambda video: (-video["views"], video["video_id"]))
    tiers = list(_tiers(paying))
    earned = sum((tier.cents or Decimal(0) for tier in tiers), Decimal(0))
    limits = list(_limits(amount_cents, earned, evidence))
    views = sum(tier["impressions"] for tier in paying)
    return Table(
        formula=_formula(tiers, earned, limits, amount_cents) if paying else "",
        posts=[_post(video, rate, titles, zone) for video in videos[:MOST]],
        lines=[
            *_other_views(evidence, videos[MOST:], rate),
            *([Line("All views", views, is_subtotal=True), *tiers] if has_tiers else []),
            *limits,
        ],
        total=Line("Amount", views, cents=Decimal(amount_cents)),
        note=TIERS if has_tiers else "",
    )


def _post(video: Evidence, rate: Decimal | None, titles: Titles, zone: ZoneInfo) -> Post:
    return Post(
        video_id=video["video_id"],
        title=titles.get(video["video_id"], video["video_id"]),
        begin=_count(video["views_from"], video.get("from_reading"), zone),
        end=_count(video["views_to"], video.get("to_reading"), zone),
        views=video["views"],
        rate=rate,
        cents=price_of(video["views"], rate),
        note=baseline_of(video, zone),
    )


def _count(views: int, reading: Evidence | None, zone: ZoneInfo) -> Count:
    if reading is None:
        return Count(views, None, is_exact=True)
    read_at = moment(reading["captured_at"]).astimezone(zone)
    return Count(views, read_at, is_exact=reading.get("is_exact", True))


def _other_views(
    evidence: Evidence, further: Sequence[Evidence], rate: Decimal | None
) -> Iterator[Line]:
    """Yield counted views that are not of the posts above, and views that do not count yet."""
    if further:
        views = sum(video["views"] for video in further)
        yield Line(plural(len(further), "further post"), views, rate, price_of(views, rate))
    if carried := evidence["carry_in"]:
        yield Line("Carried over from earlier periods", carried, rate, price_of(carried, rate))
    if carried := evidence["carry_out"]:
        least = f"{evidence['min_impressions']:,}"
        yield Line(f"Carried to the next period: below the minimum of {least}", -carried)


def _tiers(paying: Sequence[Evidence]) -> Iterator[Line]:
    below = 0
    for tier in paying:
        bound, rate = tier["up_to_impressions"], Decimal(tier["cents_per_thousand"])
        name = f"Above {below:,}" if bound is None else f"Up to {bound:,}"
        yield Line(name, tier["impressions"], rate, price_of(tier["impressions"], rate))
        below = bound


def _limits(amount_cents: int, earned: Decimal, evidence: Evidence) -> Iterator[Line]:
    """Yield the cut of a maximum and the rounding, if any (money.md M1, M8)."""
    most = evidence["max_payout_cents"]
    capped = min(earned, Decimal(LARGEST_CENTS if most is None else most))
    if capped < earned:
        name = f"Above the maximum of {dollars(capped)}" + (" per period" if capped == most else "")
        yield Line(name, cents=capped - earned)
    if amount_cents != capped:
        yield Line("Rounding to cents", cents=amount_cents - capped)


def _formula(
    tiers: Sequence[Line], earned: Decimal, limits: Sequence[Line], amount_cents: int
) -> str:
    parts = [f"{tier.views:,} {TIMES} {dollars(tier.rate or 0)}" for tier in tiers]
    views = f"({' + '.join(parts)})" if len(parts) > 1 else parts[0]
    formula = f"{views} ÷ 1,000 = {dollars(earned)}"
    return f"{formula}, pays {dollars(amount_cents)}" if limits else formula


def _view_threshold(amount_cents: int, evidence: Evidence, titles: Titles, zone: ZoneInfo) -> Table:
    cents = Decimal(amount_cents)
    post = Post(
        video_id=evidence["video_id"],
        title=titles.get(evidence["video_id"], evidence["video_id"]),
        begin=None,
        end=_count(evidence["views_read"], evidence.get("reading"), zone),
        views=None,
        rate=None,
        cents=cents,
        note=baseline_of(evidence, zone),
    )
    return Table("", [post], [], Line("Amount", cents=cents))


def _adjustment(amount_cents: int, evidence: Evidence, titles: Titles, zone: ZoneInfo) -> Table:
    """Return the posts that changed since the payment, and what is owed minus what was settled."""
    owed, then = evidence.get("owed"), evidence.get("frozen")
    now = owed and table_of(owed["amount_cents"], owed["evidence"], titles, zone)
    posts = sorted(
        _changed(then, owed, titles) if then else (),
        key=lambda post: (-abs(post.views or 0), post.video_id),
    )
    priced = [post.cents for post in posts if post.cents is not None]
    settled = sum(adjustment["amount_cents"] for adjustment in evidence["settled"])
    difference = evidence["owed_cents"] - evidence["frozen_cents"]
    further = posts[MOST:]
    rest = {
        plural(len(further), "further post"): sum(post.cents or 0 for post in further),
        "Rounding, limits and other views": difference - sum(priced) if priced else 0,
    }
    sums = {"Owed now": evidence["owed_cents"], "When it was paid": -evidence["frozen_cents"]}
    return Table(
        formula=now.formula if now else "",
        posts=posts[:MOST],
        lines=[
            *(Line(name, cents=Decimal(cents)) for name, cents in rest.items() if cents),
            *(
                Line(name, cents=Decimal(cents), is_subtotal=bool(priced))
                for name, cents in sums.items()
            ),
            *([Line("Adjusted since", cents=Decimal(-settled))] if settled else []),
        ],
        total=Line("To correct", cents=Decimal(amount_cents)),
        note=TIERS if any(post.cents is None for post in posts) else "",
        counts=("When it was paid", "Now"),
    )


def _changed(then: Evidence, now: Evidence | None, titles: Titles) -> Iterator[Post]:
    """Yield the posts whose views or pay changed, with the difference of both."""
    paid, owed = (
        paid_posts(side["amount_cents"], side["evidence"]) if side else {} for side in (then, now)
    )
    has_tiers = any(cents is None for side in (paid, owed) for _, cents in side.values())
    nothing = (0, None if has_tiers else Decimal(0))
    for post in paid.keys() | owed.keys():
        (views, cents), (views_now, cents_now) = paid.get(post, nothing), owed.get(post, nothing)
        is_priced = cents is not None and cents_now is not None
        if views == views_now and (cents == cents_now or not is_priced):
            continue
        yield Post(
            video_id=post,
            title=titles.get(post, post),
            begin=Count(views, None, is_exact=True, cents=cents if is_priced else None),
            end=Count(views_now, None, is_exact=True, cents=cents_now if is_priced else None),
            views=views_now - views,
            rate=None,
            cents=None if cents is None or cents_now is None else cents_now - cents,
            note="",
        )
