"""Evidence of open adjustments: frozen evidence, owed evidence and changes (money.md M19)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from serving_api.resources.payouts.accruals import repository
from serving_api.resources.payouts.accruals.changes import Side, changes_of
from serving_api.resources.payouts.accruals.current import Accruals, Known
from serving_api.resources.payouts.accruals.records import (
    Change,
    DecidedDays,
    Records,
    Sides,
    moves_of_posts,
    statuses_of_posts,
    titled,
    voided_conversions,
)
from serving_api.resources.tracking.videos.presenter import titles_of
from warehouse.reading.accruals.accrual import Accrual, Content
from warehouse.reading.accruals.facts import Facts
from warehouse.reading.accruals.published import evidence_of

Evidence = dict[str, Any]
Evidences = Mapping[UUID, Evidence]


def corrections_explained(accruals: Accruals, adjustments: Sequence[Known]) -> Evidences:
    if not adjustments:
        return {}
    subjects = [adjustment.facts.accrual_id for adjustment in adjustments]
    scope = (accruals.session, accruals.organization_id)
    frozen = repository.frozen_evidence(*scope, subjects)
    owed = _owed(accruals, subjects, frozen)
    creators = {adjustment.accrual.creator_id for adjustment in adjustments}
    records = _records(accruals, creators, frozen, owed)
    evidence_of_adjustment = {
        adjustment.accrual.accrual_id: _evidence(
            adjustment,
            frozen.get(adjustment.facts.accrual_id),
            owed.get(adjustment.facts.accrual_id),
            records,
        )
        for adjustment in adjustments
    }
    _name_posts(accruals, [x for each in evidence_of_adjustment.values() for x in each["changes"]])
    return evidence_of_adjustment


def changes_until_gone(accruals: Accruals, content: Content, evidence: Evidence) -> list[Change]:
    """Return what changed since an amount was decided whose subject owes nothing now."""
    frozen = {content.structure_id: evidence}
    records, days = _records(accruals, {content.creator_id}, frozen, {})
    since = days.since(content.computed_at, content.structure_id, content.creator_id)
    sides = Sides(evidence, None, replace(records, days=since), content.computed_at)
    changes = changes_of(_side(content, evidence), None, [], sides)
    _name_posts(accruals, changes)
    return changes


def _name_posts(accruals: Accruals, changes: Sequence[Change]) -> None:
    named = {change["video_id"] for change in changes if "video_id" in change}
    titles = titles_of(accruals.session, accruals.organization_id, named)
    for change in changes:
        change["text"] = titled(change, titles)


def _owed(accruals: Accruals, subjects: Sequence[UUID], frozen: Evidences) -> Evidences:
    """Return the evidence of what is owed: from the publication, else from the latest copy."""
    if accruals.cursor is not None:
        return evidence_of(accruals.cursor, accruals.organization_id, subjects)
    scope = (accruals.session, accruals.organization_id)
    return {**frozen, **repository.decided_evidence(*scope, subjects)}


def _records(
    accruals: Accruals, creators: Collection[UUID], frozen: Evidences, owed: Evidences
) -> tuple[Records, DecidedDays]:
    """Return records of posts and conversions that no longer count, and of the creators' days."""
    scope = (accruals.session, accruals.organization_id)
    pairs = [(evidence, owed.get(accrual_id, {})) for accrual_id, evidence in frozen.items()]
    posts = {
        video_id for old, new in pairs for video_id in _posts(old) if video_id not in {*_posts(new)}
    }
    gone = {
        conversion_id
        for old, new in pairs
        for conversion_id in {*_conversions(old)} - {*_conversions(new)}
    }
    named = {video_id for pair in pairs for side in pair for video_id in _posts(side)}
    records = Records(
        statuses_of_posts(*scope, posts),
        voided_conversions(*scope, gone),
        moved=moves_of_posts(*scope, named),
    )
    return records, DecidedDays.of(*scope, creators)


def _posts(evidence: Evidence) -> Iterator[str]:
    listed = (*evidence.get("videos", []), *evidence.get("counts", []))
    yield from (item["video_id"] for item in listed if item["video_id"])
    if "video_id" in evidence:
        yield evidence["video_id"]


def _conversions(evidence: Evidence) -> Iterator[str]:
    yield from (conversion["conversion_id"] for conversion in evidence.get("conversions", []))


def _evidence(
    adjustment: Known,
    frozen: Evidence | None,
    owed: Evidence | None,
    records: tuple[Records, DecidedDays],
) -> Evidence:
    facts = adjustment.facts
    copy = facts.frozen.get(facts.accrual_id)
    before = _side(copy.content, frozen or {}) if copy else None
    now = _side(facts.owed, owed or {}) if facts.owed else None
    settled = _settled(adjustment.state.settled)
    changes = changes_of(before, now, settled, _sides(facts, frozen, owed, records))
    adjusting = adjustment.state.correction.adjusting
    return {
        **(adjusting.evidence if adjusting else {}),
        "settled": settled,
        "frozen": before,
        "owed": now,
        "changes": changes,
    }


def _sides(
    facts: Facts,
    frozen: Evidence | None,
    owed: Evidence | None,
    records: tuple[Records, DecidedDays],
) -> Sides | None:
    """Return the sides to compare, or None if the payment that froze the amount was undone."""
    copy = facts.frozen.get(facts.accrual_id)
    if copy is None or frozen is None:
        return None
    content = copy.content
    days = records[1].since(content.computed_at, content.structure_id, content.creator_id)
    return Sides(
        frozen,
        owed,
        replace(records[0], days=days),
        content.computed_at,
        terms_of(content, frozen) != terms_of(facts.owed or content, owed or frozen),
    )


def terms_of(content: Content, evidence: Evidence) -> tuple[Any, ...]:
    """Return the decisions about which views count."""
    terms = content.version_id, content.timezone, content.period_end
    return *terms, evidence.get("covered"), evidence.get("paused_days")


def _side(content: Content, evidence: Evidence) -> Side:
    return {
        "amount_cents": content.amount_cents,
        "version_id": str(content.version_id),
        "version_number": content.version_number,
        "timezone": content.timezone,
        "period_start": content.period_start.isoformat(),
        "period_end": content.period_end.isoformat(),
        "computed_at": content.computed_at.isoformat(),
        "evidence": evidence,
    }


def _settled(adjustments: Sequence[Accrual]) -> list[Evidence]:
    return [
        {
            "accrual_id": str(adjustment.accrual_id),
            "amount_cents": adjustment.amount_cents,
            "status": adjustment.status,
        }
        for adjustment in adjustments
    ]
