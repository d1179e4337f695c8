"""Causes of an amount's change: views by post, prices, limits, commissions, what is not paid."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from heapq import nlargest
from math import floor
from typing import NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from serving_api.desk.rules.examples import cents_of_tiers
from serving_api.desk.rules.words import prices_of
from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.resources.payouts.accruals.change_lists import rate_in_words
from serving_api.resources.payouts.accruals.summary import plural
from serving_api.share_page.evidence_table import table_of
from serving_api.share_page.evidence_words import Evidence
from serving_api.share_page.paid_posts import THOUSAND
from warehouse.operational.models import ConversionEvent

CARRIED = "Views carried over from earlier periods"
CARRIED_ON = "Views carried to the next period, below the minimum"
MOST_POSTS = 10
ROUNDED_CENTS = 2
"""Each of two amounts may differ by up to a cent from its exact parts (money.md M8)."""

ExactCause = tuple[str, Decimal]
"""A sentence and its cents before rounding."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A part of the change of paid views: by a post, by the other posts, or by carried views.

    `cents` are None where tiers pay all views together.
    """

    views: int
    text: str = ""
    post_id: str | None = None
    cents: int | None = None


class Side(NamedTuple):
    """One of the two amounts with its corrections, and the evidence of both together.

    `cents` are without what is not paid, `owed_cents` with it and with `waived` corrections.
    """

    cents: int
    owed_cents: int
    waived: int
    evidence: Evidence

    @property
    def tiers(self) -> Sequence[Evidence]:
        tiers: Sequence[Evidence] = self.evidence.get("tiers", ())
        return tiers

    @property
    def views(self) -> int:
        """The views that cpm paid."""
        return sum(tier["impressions"] for tier in self.tiers)


def rest_of(
    total: int, causes: Sequence[ExactCause], of_views: Sequence[Decimal], *, is_of_views: bool
) -> Iterator[ExactCause]:
    """Yield what views and causes leave of a change, unless it is their rounding."""
    named = [*of_views, *(cents for _, cents in causes)]
    rest = total - sum(named, Decimal(0))
    is_rounded = abs(rest) < (ROUNDED_CENTS if is_of_views or rest % 1 else 1)
    if any(named):
        yield from () if is_rounded else (("Other causes", rest),)
    elif is_of_views and rest:
        yield "Rounding to cents" if is_rounded else "Other causes", rest


def whole_cents(parts: Sequence[Decimal], total: int) -> list[int]:
    """Round parts that come to about the total so that they add up to it."""
    cents = [floor(part) for part in parts]
    if not cents:
        return cents
    each, left = divmod(total - sum(cents), len(cents))
    by_remainder = sorted(range(len(cents)), key=lambda n: (cents[n] - parts[n], -abs(parts[n])))
    for rank, number in enumerate(by_remainder):
        cents[number] += each + (rank < left)
    return cents


def price_of_view(rule: Sequence[Evidence], new: Side, old: Side) -> Decimal | None:
    """Return the earlier cents of a view, None where tiers pay all views of a side together."""
    sides = ((rule, max(new.views, old.views)), (new.tiers or rule, new.views))
    rates = [_rates_up_to(views, tiers) for tiers, views in sides]
    return None if any(len(each) != 1 for each in rates) else rates[0].pop() / THOUSAND


def _rates_up_to(views: int, tiers: Sequence[Evidence]) -> set[Decimal]:
    """Return the rates that pay a number of views, the first one for none."""
    bounds = [0, *(tier["up_to_impressions"] or views for tier in tiers)]
    return {
        Decimal(tier["cents_per_thousand"])
        for tier, below in zip(tiers, bounds, strict=False)
        if below < max(views, 1)
    }


def prices(new: Side, old: Side, rule: Sequence[Evidence]) -> Iterator[ExactCause]:
    if by_price := cents_of_tiers(new.tiers, new.views) - cents_of_tiers(rule, new.views):
        yield f"{prices_of(new.tiers)}, not {prices_of(old.tiers)}", by_price


def limits(new: Side, old: Side, zone: ZoneInfo) -> Iterator[ExactCause]:
    """Yield what a maximum takes more than before, or less, and what is not paid."""
    changes: dict[str, Decimal] = {}
    for sign, side, period in ((1, new, "this period"), (-1, old, "the period before")):
        unpaid = side.cents - side.owed_cents + side.waived
        changes[f"Not paid in {period}"] = Decimal(sign * unpaid)
        changes[f"Waived corrections of {period}"] = Decimal(-sign * side.waived)
        table = table_of(side.owed_cents, side.evidence, {}, zone)
        for line in table.lines if table else ():
            if line.views is None and line.cents is not None and abs(line.cents) >= 1:
                changes[line.name] = changes.get(line.name, Decimal(0)) + sign * line.cents
    yield from ((name, cents) for name, cents in changes.items() if cents)


def commissions(context: RequestContext, now: Evidence, before: Evidence) -> Iterator[ExactCause]:
    """Yield the conversion events whose commission changed."""
    sides = [
        {rate["conversion_event_id"]: rate for rate in side.get("rates", ())}
        for side in (now, before)
    ]
    ids = sorted({*sides[0], *sides[1]})
    if not ids:
        return
    rows = rows_of(ConversionEvent, context.organization_id).where(
        among(ConversionEvent.id, list(map(UUID, ids)))
    )
    names = {str(event.id): event.name for event in context.session.scalars(rows)}
    for event in ids:
        new, old = (side.get(event) for side in sides)
        if cents := _commission(new) - _commission(old):
            text = f"{rate_in_words(new)}, not {rate_in_words(old)}"
            yield f"{names.get(event, event)}: {text}", cents


def _commission(rate: Evidence | None) -> Decimal:
    if rate is None:
        return Decimal(0)
    if rate["rate_type"] == "flat":
        return Decimal(rate["amount_cents"] * rate["quantity"])
    return Decimal(rate["total_value_cents"]) * Decimal(rate["percent_bps"]) / 10_000


def reasons_of(now: Evidence, before: Evidence) -> Iterator[Reason]:
    """Yield the posts that drove the change of paid views in its direction, then the rest."""
    changes = _paid_views(now)
    changes.subtract(_paid_views(before))
    total = changes.total()
    carried = {text: changes.pop(text) for text in (CARRIED, CARRIED_ON)}
    drivers = [post for post in sorted(changes) if changes[post] * total > 0]
    largest = nlargest(MOST_POSTS, drivers, key=lambda post: abs(changes[post]))
    for post in largest:
        yield Reason(changes[post], post_id=post)
    others = [views for post, views in changes.items() if views and post not in largest]
    if others:
        noun = "other post" if largest else "post"
        yield Reason(sum(others), f"{plural(len(others), noun)} of either period")
    yield from (Reason(views, text) for text, views in carried.items() if views)


def _paid_views(evidence: Evidence) -> Counter[str]:
    """Return the paid views by post, those carried in, and less those carried out."""
    views: Counter[str] = Counter()
    for post in evidence.get("videos", ()):  # one before and one after a pause
        views[post["video_id"]] += post["views"]
    views[CARRIED], views[CARRIED_ON] = evidence.get("carry_in", 0), -evidence.get("carry_out", 0)
    return views
