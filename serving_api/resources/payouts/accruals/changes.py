"""Changes between an accrual's frozen evidence and what is owed now (money.md M19).

Compares two evidences of any type: shared values by name, lists by their items' ids
(`change_lists`). Derived values are left out. Each change is a sentence with the ids it is about,
and uses only the evidences and the records.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from serving_api.resources.payouts.accruals.change_lists import LISTS
from serving_api.resources.payouts.accruals.records import Change, Sides
from serving_api.resources.payouts.accruals.summary import dollars
from warehouse.reading.accruals.accrual import Accrual

Side = Mapping[str, Any]
"""One side of an adjustment's evidence: the accrual's amount, version, days and evidence."""

KNOWN_EMPTY = ("videos", "counts", "conversions")
"""Lists that are compared even if nothing is owed: the records explain excluded or moved posts and
withdrawn conversions."""

MOST_LISTED = 5
"""How many changes a reason lists; the evidence has all."""

FOLLOWS = frozenset(
    {
        "type",
        "impressions",
        "payable",
        "carry_out",
        "before_cap_cents",
        "precise_cents",
        "running_total_cents",
        "met",
        "completion_pct",
        "fraction_paid",
        "limited_by",
        "reading",
        "view_baselines",
        "views_as_of",
        "held",
        "view_coverage",
    }
)
"""Values that are derived from the rest of the evidence."""


def changes_of(
    frozen: Side | None,
    owed: Side | None,
    settled: Sequence[Mapping[str, Any]],
    sides: Sides | None,
) -> list[Change]:
    """Return the changes, the broadest first, then earlier settled adjustments.

    Without `sides` there is nothing to compare: the payment that froze the amount was undone.
    """
    changes = _between(frozen, owed, sides) if frozen is not None and sides is not None else []
    return changes + [_of_settled(adjustment) for adjustment in settled]


def _between(frozen: Side, owed: Side | None, sides: Sides) -> list[Change]:
    changes = [*_of_accrual(frozen, owed), *_of_values(sides)]
    if _is_about_days(changes) or owed is None:
        changes += sides.records.days
    of_owed = KNOWN_EMPTY if sides.owed is None else sides.owed
    lists = [name for name in LISTS if name in sides.frozen and name in of_owed]
    changes += [change for name in lists for change in LISTS[name](sides)]
    return [*changes, *_of_minimum(sides), *_of_subject(sides)]


def with_reason(accrual: Accrual, evidence: Mapping[str, Any]) -> Accrual:
    """Return an adjustment with the reason from its evidence; other accruals unchanged."""
    return replace(accrual, reason=reason_of(evidence)) if "changes" in evidence else accrual


def reason_of(evidence: Mapping[str, Any]) -> str:
    """Describe the changes, or state both amounts if no known change explains the difference."""
    texts = [change["text"] for change in evidence["changes"]]
    if not any(change["what"] != "settled" for change in evidence["changes"]):
        texts.insert(0, _unexplained(evidence))
    sentences = [
        *texts[:MOST_LISTED],
        *([f"and {len(texts) - MOST_LISTED:,} more"] if len(texts) > MOST_LISTED else []),
    ]
    sentence = "; ".join(sentences)
    return sentence[0].upper() + sentence[1:]


def _unexplained(evidence: Mapping[str, Any]) -> str:
    if evidence["frozen"] is None:
        return "the payment that it corrects was undone"
    owed, frozen = dollars(evidence["owed_cents"]), dollars(evidence["frozen_cents"])
    if evidence["owed_cents"] == evidence["frozen_cents"]:
        return f"{owed} is owed, as when it was paid"
    return (
        f"no recorded change explains the difference: {owed} is owed now, {frozen} when it was paid"
    )


def _of_accrual(frozen: Side, owed: Side | None) -> Iterator[Change]:
    if owed is None:
        return
    if frozen["version_id"] != owed["version_id"]:
        yield {
            "what": "version",
            "text": f"version {owed['version_number']} of the rule ({owed['version_id']}) is in"
            f" force, version {frozen['version_number']} ({frozen['version_id']}) when it was paid",
            "version_id": owed["version_id"],
        }
    for name, words in (("timezone", "days are of"), ("period_end", "the period ends on")):
        if frozen[name] != owed[name]:
            text = f"{words} {owed[name]}, {frozen[name]} when it was paid"
            yield {"what": name, "text": text}


def _of_values(sides: Sides) -> Iterator[Change]:
    """Yield values that differ between both evidences, and lists without their own comparison."""
    if sides.owed is None:
        return
    for name, before in sides.frozen.items():
        if name in FOLLOWS or name in LISTS or name not in sides.owed:
            continue
        now = sides.owed[name]
        if before != now:
            subject = f"{name.replace('_', ' ').removesuffix(' cents')} is"
            text = (
                f"{subject} {_value_text(name, now)}, {_value_text(name, before)} when it was paid"
            )
            yield {"what": name, "text": text}


def _value_text(name: str, value: Any) -> str:
    match value:
        case None | []:
            return "none"
        case list():
            return ", ".join(_value_text(name, element) for element in value)
        case {"from": first, "to": last}:
            return f"{first} to {last}"
        case bool() | dict():
            return str(value).lower()
        case _:
            return _number(name, value)


def _number(name: str, value: str | int) -> str:
    if name.endswith("_cents"):
        return dollars(value)
    return f"{value:,}" if isinstance(value, int) else value


def _of_minimum(sides: Sides) -> Iterator[Change]:
    """Yield a change if the counted views are now below the minimum and carried over."""
    owed = sides.owed or {}
    if owed.get("carry_out") and not sides.frozen["carry_out"]:
        few = f"{owed['payable']:,} views in all"
        text = f"{few} are below the minimum of {owed['min_impressions']:,}: all carried over"
        yield {"what": "carried", "text": text}


def _of_subject(sides: Sides) -> Iterator[Change]:
    """Yield the reason why a threshold's post no longer counts, if it is on record."""
    video_id = sides.frozen.get("video_id")
    if sides.owed is None and video_id is not None and sides.records.of_post(video_id):
        text = f"post {video_id}{sides.records.of_post(video_id)} no longer counts"
        yield {"what": "post", "text": text, "video_id": video_id}


def _is_about_days(changes: list[Change]) -> bool:
    return any(change["what"] in {"covered", "covered_days", "paused_days"} for change in changes)


def _of_settled(adjustment: Mapping[str, Any]) -> Change:
    done = {"void": "waived", "paid": "paid"}.get(adjustment["status"], "added to a payment")
    text = (
        f"adjustment {adjustment['accrual_id']} of {dollars(adjustment['amount_cents'])} was {done}"
    )
    return {"what": "settled", "text": text, "accrual_id": adjustment["accrual_id"]}
