"""Why an amount differs from the one of the period before, both with their corrections."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from heapq import nlargest
from typing import NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from serving_api.kit.days import ONE_DAY
from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.resources.payouts.accruals import listing, service
from serving_api.resources.payouts.accruals.change_lists import rate_in_words
from serving_api.resources.payouts.accruals.schemas import Accrual, AccrualDetail, AccrualQuery
from serving_api.resources.payouts.accruals.summary import dollars, plural
from serving_api.resources.tracking.videos.presenter import titles_of
from serving_api.share_page.evidence_table import table_of
from serving_api.share_page.evidence_words import Evidence
from serving_api.share_page.paid_posts import THOUSAND
from warehouse.operational.models import ConversionEvent
from warehouse.reading.accruals.published import load_sentence_evidence

CARRIED = "Views carried over"
MOST_POSTS = 10
MOST_AMOUNTS = 40
"""Amounts of a rule that end on either period's last day: the earning, and adjustments."""

Cause = tuple[str, int | None]
"""A sentence, and its cents if it has any."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A part of the change of paid views: by a post, by the other posts, or by carried views."""

    views: int
    text: str = ""
    post_id: str | None = None
    cents: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """The amount of the period before, and the causes of the change, whose cents add up.

    `cents` and `cents_before` are with corrections. `reasons` are of paid views.
    """

    before: AccrualDetail
    cents_before: int
    cents: int
    causes: Sequence[Cause]
    reasons: Sequence[Reason]
    titles: Mapping[str, str]

    @property
    def views(self) -> int:
        return sum(reason.views for reason in self.reasons)


class _Side(NamedTuple):
    """One of the two amounts with its corrections, and the evidence of both together.

    `cents` are without what is not paid, `owed_cents` with it.
    """

    cents: int
    owed_cents: int
    evidence: Evidence

    @property
    def earned(self) -> tuple[int, Decimal]:
        """The views that cpm paid, and their cents before limits."""
        paying = [
            (tier["impressions"], Decimal(tier["cents_per_thousand"]))
            for tier in self.evidence.get("tiers", ())
        ]
        cents = sum((views * rate for views, rate in paying), Decimal(0)) / THOUSAND
        return sum(views for views, _ in paying), cents


def change_of(context: RequestContext, now: AccrualDetail) -> Change | None:
    """Return the change of an earning, None if the rule has none of the period before."""
    if now.kind != "earning" or now.subject_id:
        return None
    last = now.period_start - ONE_DAY
    days = {"from": last, "to": now.period_end}
    query = AccrualQuery(creator_id=now.creator_id, structure_id=now.structure_id, **days)
    amounts = listing.list_latest(context, query, limit=MOST_AMOUNTS)
    earlier = [
        each.id
        for each in amounts
        if each.period_end == last and each.kind == "earning" and not each.subject_id
    ]
    if not earlier:
        return None
    before = service.read_accrual(context, earlier[0], load_sentence_evidence)
    new, old = (_side(context, each, amounts) for each in (now, before))
    (views, cents), (views_before, cents_before) = new.earned, old.earned
    priced = (cents_before, views_before) if views_before else (cents, views or 1)
    price = priced[0] / priced[1]
    reasons = list(reasons_of(new.evidence, old.evidence, price))
    by_rate = cents - cents_before - (views - views_before) * price
    causes = [
        *_terms(now, before, new, old, round(by_rate)),
        *_limits(new, old, ZoneInfo(before.timezone)),
        *_commissions(context, new.evidence, old.evidence),
    ]
    named = [each for _, each in causes if each is not None] + [each.cents for each in reasons]
    rest = new.cents - old.cents - sum(named)
    if named and rest:
        causes.append(("Rounding" if abs(rest) <= len(named) else "Other causes", rest))
    posts = [reason.post_id for reason in reasons if reason.post_id]
    titles = titles_of(context.session, context.organization_id, posts)
    return Change(before, old.cents, new.cents, causes, reasons, titles)


def _side(context: RequestContext, amount: AccrualDetail, amounts: Sequence[Accrual]) -> _Side:
    """Return an amount with its corrections; the open or the latest one has the evidence."""
    corrections = [
        each for each in amounts if each.adjusts_accrual_id == amount.id and each.status != "void"
    ]
    paid = 0 if amount.status == "void" else amount.amount_cents
    if not corrections:
        return _Side(paid, amount.amount_cents, amount.evidence)
    latest = max(corrections, key=lambda each: (each.payment_id is None, each.computed_at, each.id))
    evidence: Evidence = service.read_accrual(context, latest.id).evidence
    owed = evidence.get("owed", {"evidence": amount.evidence})
    cents = paid + sum(each.amount_cents for each in corrections)
    return _Side(cents, evidence.get("owed_cents", cents), owed["evidence"] if owed else {})


def _terms(
    now: AccrualDetail, before: AccrualDetail, new: _Side, old: _Side, by_rate: int
) -> Iterator[Cause]:
    if now.version_number != before.version_number:
        yield f"Version {now.version_number} of the rule, not {before.version_number}", None
    rates, earlier = _rates(new.evidence), _rates(old.evidence)
    if rates and earlier and rates != earlier:
        yield f"{rates} per 1,000 views, not {earlier}", by_rate
    elif by_rate:
        yield "Other shares of the tiers", by_rate


def _rates(evidence: Evidence) -> str:
    """Return the rates of cpm that paid, in words."""
    paying = [tier for tier in evidence.get("tiers", ()) if tier["impressions"]]
    return " and ".join(dollars(Decimal(tier["cents_per_thousand"])) for tier in paying)


def _limits(new: _Side, old: _Side, zone: ZoneInfo) -> Iterator[Cause]:
    """Yield what a maximum takes more than before, or less, and what is not paid."""
    changes: dict[str, Decimal] = {}
    for sign, side, period in ((1, new, "this period"), (-1, old, "the period before")):
        changes[f"Not paid in {period}"] = Decimal(sign * (side.cents - side.owed_cents))
        table = table_of(side.owed_cents, side.evidence, {}, zone)
        for line in table.lines if table else ():
            if line.views is None and line.cents is not None:
                changes[line.name] = changes.get(line.name, Decimal(0)) + sign * line.cents
    yield from ((name, round(cents)) for name, cents in changes.items() if abs(cents) >= 1)


def _commissions(context: RequestContext, now: Evidence, before: Evidence) -> Iterator[Cause]:
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
            yield f"{names.get(event, event)}: {text}", round(cents)


def _commission(rate: Evidence | None) -> Decimal:
    if rate is None:
        return Decimal(0)
    if rate["rate_type"] == "flat":
        return Decimal(rate["amount_cents"] * rate["quantity"])
    return Decimal(rate["total_value_cents"]) * Decimal(rate["percent_bps"]) / 10_000


def reasons_of(now: Evidence, before: Evidence, price: Decimal = Decimal(0)) -> Iterator[Reason]:
    """Yield the posts that drove the change of paid views in its direction, then the rest.

    `price` is the cents of a view.
    """
    changes = _paid_views(now)
    changes.subtract(_paid_views(before))
    total, carried = changes.total(), changes.pop(CARRIED)
    drivers = [post for post in sorted(changes) if changes[post] * total > 0]
    largest = nlargest(MOST_POSTS, drivers, key=lambda post: abs(changes[post]))
    for post in largest:
        yield Reason(changes[post], post_id=post, cents=round(changes[post] * price))
    others = [views for post, views in changes.items() if views and post not in largest]
    if others:
        noun = "other post" if largest else "post"
        text = f"{plural(len(others), noun)} of either period"
        yield Reason(sum(others), text, cents=round(sum(others) * price))
    if carried:
        yield Reason(carried, CARRIED, cents=round(carried * price))


def _paid_views(evidence: Evidence) -> Counter[str]:
    """Return the paid views by post, and those carried in less those carried out."""
    views: Counter[str] = Counter()
    for post in evidence.get("videos", ()):  # one before and one after a pause
        views[post["video_id"]] += post["views"]
    views[CARRIED] = evidence.get("carry_in", 0) - evidence.get("carry_out", 0)
    return views
