"""Why an amount differs from the one of the period before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from zoneinfo import ZoneInfo

from serving_api.kit.days import ONE_DAY
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals import listing, service
from serving_api.resources.payouts.accruals.schemas import AccrualDetail, AccrualQuery
from serving_api.resources.payouts.accruals.summary import dollars
from serving_api.resources.tracking.videos.presenter import titles_of
from serving_api.share_page.evidence_table import Evidence, Table, table_of
from serving_api.share_page.evidence_words import posts_in
from warehouse.reading.accruals.published import load_sentence_evidence

MOST_REASONS = 3
MOST_EARLIER = 20
"""Amounts of a rule that end on one day: the earning, and adjustments."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A part of the change: cents or, if the rules define none, views; None for a changed rule."""

    text: str
    post_id: str | None = None
    cents: Decimal | None = None
    views: int | None = None

    @property
    def size(self) -> tuple[Decimal, int]:
        """Its place among reasons, the last first."""
        return abs(self.cents or Decimal(0)), abs(self.views or 0)


@dataclass(frozen=True, slots=True)
class Change:
    """The amount of the period before, the largest reasons of the change, and the rest."""

    before: AccrualDetail
    reasons: list[Reason]


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
    titles = titles_of(context.session, context.organization_id, posts_in(before.evidence))
    zone = ZoneInfo(context.caller.analytics_tz)
    table_before = table_of(before.amount_cents, before.evidence, titles, zone)
    parts = sorted(parts_of(table, table_before), key=lambda reason: reason.size, reverse=True)
    reasons = [*_of_rule(now, before), *parts][:MOST_REASONS]
    rest = rest_of(now.amount_cents - before.amount_cents, reasons)
    return Change(before, [*reasons, *rest])


def rest_of(change_cents: int, reasons: Sequence[Reason]) -> Iterator[Reason]:
    """Yield what reasons in cents leave of the change, so that the lines add up to it."""
    cents = [reason.cents for reason in reasons if reason.cents is not None]
    if cents and (rest := change_cents - sum(cents, Decimal(0))):
        yield Reason("Other changes", cents=rest)


def _of_rule(now: AccrualDetail, before: AccrualDetail) -> Iterator[Reason]:
    if now.version_number != before.version_number:
        yield Reason(f"Version {now.version_number} of the rule, not {before.version_number}")
    rates, earlier = _rates(now), _rates(before)
    if rates and earlier and rates != earlier:
        yield Reason(f"{rates} per 1,000 views, not {earlier}")


def _rates(accrual: AccrualDetail) -> str:
    """Return the rates of cpm that paid, in words."""
    evidence: Evidence = accrual.evidence
    paying = [tier for tier in evidence.get("tiers", ()) if tier["impressions"]]
    return " and ".join(dollars(Decimal(tier["cents_per_thousand"])) for tier in paying)


NOTHING = Reason("")


def parts_of(now: Table | None, before: Table | None) -> Iterator[Reason]:
    """Yield by how much each post and line changed, at least by a cent or a view."""
    after, earlier = dict(_sizes(now)), dict(_sizes(before))
    has_cents = all(each.cents is not None for each in (*after.values(), *earlier.values()))
    for key in {**after, **earlier}:
        new, old = after.get(key, NOTHING), earlier.get(key, NOTHING)
        text, post_id = new.text or old.text, new.post_id or old.post_id
        cents = (new.cents or Decimal(0)) - (old.cents or Decimal(0))
        views = (new.views or 0) - (old.views or 0)
        if abs(cents) >= 1 and (has_cents or not post_id):
            yield Reason(text, post_id, cents, views)
        elif post_id and views and not has_cents:
            yield Reason(text, post_id, None, views)


def _sizes(table: Table | None) -> Iterator[tuple[str, Reason]]:
    """Yield posts and lines by key; tiers are left out, as they repeat the posts."""
    for post in table.posts if table else ():
        yield post.video_id, Reason(post.title, post.video_id, post.cents, post.views)
    for line in table.lines if table else ():
        if (
            line.cents is not None
            and not line.is_subtotal
            and not (table and table.note and line.rate)
        ):
            yield line.name, Reason(line.name, None, line.cents, line.views)
