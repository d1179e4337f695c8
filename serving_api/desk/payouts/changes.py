"""Why an amount differs from the one of the period before, both with their corrections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from zoneinfo import ZoneInfo

from serving_api.desk.payouts.change_causes import (
    Reason,
    Side,
    commissions,
    limits,
    price_of_view,
    prices,
    reasons_of,
    rest_of,
    whole_cents,
)
from serving_api.desk.rules.examples import cents_of_tiers
from serving_api.kit.days import ONE_DAY
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals import listing, service
from serving_api.resources.payouts.accruals.schemas import Accrual, AccrualDetail, AccrualQuery
from serving_api.resources.payouts.accruals.summary import Amount, sentence_of
from serving_api.resources.tracking.videos.presenter import titles_of
from serving_api.share_page.evidence_words import Evidence
from warehouse.reading.accruals.published import load_sentence_evidence

MOST_AMOUNTS = 40
"""Amounts of a rule that end on either period's last day: the earning, and adjustments."""
Cause = tuple[str, int | None]
"""A sentence, and its cents if it has any."""


@dataclass(frozen=True, slots=True)
class Change:
    """The amount of the period before, and the causes of the change, whose cents add up.

    `cents` and `cents_before` are with corrections, and `summary` explains the latter. `reasons`
    are of paid views, and `views_cents` what these come to.
    """

    before: AccrualDetail
    cents_before: int
    cents: int
    summary: str = ""
    causes: Sequence[Cause] = ()
    reasons: Sequence[Reason] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    views_cents: int = 0

    @property
    def views(self) -> int:
        return sum(reason.views for reason in self.reasons)


def change_of(context: RequestContext, now: AccrualDetail) -> Change | None:
    """Return the change of an earning, None if the rule has none of the period before.

    A period in progress has no causes: a part of a period does not compare with a whole one.
    """
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
    if now.status == "open":
        return Change(before, old.cents, new.cents)
    return _explained(context, now, before, new, old)


def _explained(
    context: RequestContext, now: AccrualDetail, before: AccrualDetail, new: Side, old: Side
) -> Change:
    """Return the change with its causes: views at the earlier prices, then prices and limits."""
    rule = old.tiers or new.tiers
    views = cents_of_tiers(rule, new.views) - cents_of_tiers(rule, old.views)
    price = price_of_view(rule, new, old)
    reasons = list(reasons_of(new.evidence, old.evidence))
    of_posts = [reason.views * price for reason in reasons] if price is not None else []
    of_views = of_posts or ([views] if views else [])
    causes = [
        *prices(new, old, rule),
        *limits(new, old, ZoneInfo(before.timezone)),
        *commissions(context, new.evidence, old.evidence),
    ]
    total = new.cents - old.cents
    causes += rest_of(total, causes, of_views, is_of_views=bool(rule))
    parts = [*of_views, *(cents for _, cents in causes)]
    cents = whole_cents(parts, total if any(parts) else 0)
    of_reasons, of_causes = cents[: len(of_views)], cents[len(of_views) :]
    named: list[Cause] = []
    if now.version_number != before.version_number:
        text = f"Version {now.version_number} of the rule, not {before.version_number}"
        named.append((text, None))
    named += [(text, part) for (text, _), part in zip(causes, of_causes, strict=True) if part]
    if of_posts:
        priced = zip(reasons, of_reasons, strict=True)
        reasons = [replace(reason, cents=part) for reason, part in priced]
    posts = [reason.post_id for reason in reasons if reason.post_id]
    zone = ZoneInfo(now.timezone)
    titles = titles_of(context.session, context.organization_id, posts, zone)
    summary = _summary(before, old)
    return Change(before, old.cents, new.cents, summary, named, reasons, titles, sum(of_reasons))


def _summary(before: AccrualDetail, old: Side) -> str:
    """Return how the earlier amount came about, with its corrections; "" if it is due no more."""
    if old.evidence is before.evidence:
        return f"Before: {before.summary}"
    if not old.evidence:
        return ""
    owed = Amount(old.owed_cents, before.period_end)
    return f"Before, with its corrections: {sentence_of(owed, old.evidence)}"


def _side(context: RequestContext, amount: AccrualDetail, amounts: Sequence[Accrual]) -> Side:
    """Return an amount with its corrections; the open or the latest one has the evidence."""
    corrections = [each for each in amounts if each.adjusts_accrual_id == amount.id]
    paid = 0 if amount.status == "void" else amount.amount_cents
    if not corrections:
        return Side(paid, amount.amount_cents, 0, amount.evidence)
    waived = [each.amount_cents for each in corrections if each.status == "void"]
    latest = max(
        corrections,
        key=lambda each: (
            each.payment_id is None and each.status != "void",
            each.computed_at,
            each.id,
        ),
    )
    evidence: Evidence = service.read_accrual(context, latest.id).evidence
    owed = evidence.get("owed", {"evidence": amount.evidence})
    cents = paid + sum(each.amount_cents for each in corrections) - sum(waived)
    owed_cents = evidence.get("owed_cents", cents)
    return Side(cents, owed_cents, sum(waived), owed["evidence"] if owed else {})
