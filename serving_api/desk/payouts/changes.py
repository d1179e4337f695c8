"""Why an amount differs from the one of the period before."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from heapq import nlargest
from zoneinfo import ZoneInfo

from serving_api.kit.days import ONE_DAY
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals import listing, service
from serving_api.resources.payouts.accruals.schemas import AccrualDetail, AccrualQuery
from serving_api.resources.payouts.accruals.summary import dollars, plural
from serving_api.resources.tracking.videos.presenter import titles_of
from serving_api.share_page.evidence_table import Table, table_of
from serving_api.share_page.evidence_words import Evidence
from warehouse.reading.accruals.published import load_sentence_evidence

CARRIED = "Views carried over"
MOST_POSTS = 3
MOST_EARLIER = 20
"""Amounts of a rule that end on one day: the earning, and adjustments."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A part of the change of paid views: by a post, by the other posts, or by carried views."""

    views: int
    text: str = ""
    post_id: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """The amount of the period before, what of the rule differs, and the change of paid views.

    `of_rule` has sentences, and the cents of limits and rounding that came or went.
    """

    before: AccrualDetail
    of_rule: list[tuple[str, Decimal | None]]
    reasons: list[Reason]
    titles: Mapping[str, str]

    @property
    def views(self) -> int:
        return sum(reason.views for reason in self.reasons)


def change_of(context: RequestContext, now: AccrualDetail, table: Table | None) -> Change | None:
    """Return the change of an earning, None if the rule has none of the period before."""
    if now.kind != "earning" or now.subject_id:
        return None
    last = now.period_start - ONE_DAY
    query = AccrualQuery(
        creator_id=now.creator_id, structure_id=now.structure_id, **{"from": last, "to": last}
    )
    earlier = listing.list_latest(context, query, limit=MOST_EARLIER)
    ids = [each.id for each in earlier if each.kind == "earning" and not each.subject_id]
    if not ids:
        return None
    before = service.read_accrual(context, ids[0], load_sentence_evidence)
    reasons = list(reasons_of(now.evidence, before.evidence))
    posts = [reason.post_id for reason in reasons if reason.post_id]
    titles = titles_of(context.session, context.organization_id, posts)
    zone = ZoneInfo(before.timezone)
    earlier_table = table_of(before.amount_cents, before.evidence, titles, zone)
    of_rule = [*_terms(now, before), *_limits(table, earlier_table)]
    return Change(before, of_rule, reasons, titles)


def _terms(now: AccrualDetail, before: AccrualDetail) -> Iterator[tuple[str, None]]:
    if now.version_number != before.version_number:
        yield f"Version {now.version_number} of the rule, not {before.version_number}", None
    rates, earlier = _rates(now.evidence), _rates(before.evidence)
    if rates and earlier and rates != earlier:
        yield f"{rates} per 1,000 views, not {earlier}", None


def _rates(evidence: Evidence) -> str:
    """Return the rates of cpm that paid, in words."""
    paying = [tier for tier in evidence.get("tiers", ()) if tier["impressions"]]
    return " and ".join(dollars(Decimal(tier["cents_per_thousand"])) for tier in paying)


def _limits(now: Table | None, before: Table | None) -> Iterator[tuple[str, Decimal]]:
    """Yield what a maximum and rounding take more than before, or less, at least a cent."""
    changes: dict[str, Decimal] = {}
    for sign, table in ((1, now), (-1, before)):
        for line in table.lines if table else ():
            if line.views is None and line.cents is not None:
                changes[line.name] = changes.get(line.name, Decimal(0)) + sign * line.cents
    yield from ((name, cents) for name, cents in changes.items() if abs(cents) >= 1)


def reasons_of(now: Evidence, before: Evidence) -> Iterator[Reason]:
    """Yield the posts that drove the change of paid views in its direction, then the rest."""
    changes = _paid_views(now)
    changes.subtract(_paid_views(before))
    total, carried = changes.total(), changes.pop(CARRIED)
    drivers = [post for post in sorted(changes) if changes[post] * total > 0]
    largest = nlargest(MOST_POSTS, drivers, key=lambda post: abs(changes[post]))
    yield from (Reason(changes[post], post_id=post) for post in largest)
    others = [views for post, views in changes.items() if views and post not in largest]
    if others:
        noun = "other post" if largest else "post"
        yield Reason(sum(others), f"{plural(len(others), noun)} of either period")
    if carried:
        yield Reason(carried, CARRIED)


def _paid_views(evidence: Evidence) -> Counter[str]:
    """Return the paid views by post, and those carried in less those carried out."""
    views: Counter[str] = Counter()
    for post in evidence.get("videos", ()):  # one before and one after a pause
        views[post["video_id"]] += post["views"]
    views[CARRIED] = evidence.get("carry_in", 0) - evidence.get("carry_out", 0)
    return views
