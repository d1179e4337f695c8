"""Fields of a signed statement that contradict its own facts are refused by the program."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.serving_api.resources.payouts.resigning import OURS, resigned, verifier
from tests.serving_api.resources.payouts.signable import (
    DAY,
    EARLIER,
    RISE,
    SALE,
    WEEK,
    Document,
    bonus,
    changed,
    correction,
    count,
    fee,
    followers,
    goals,
    reached,
    sales,
    side,
    told,
    views,
)

MORNING, NOON = "2026-05-20T08:00:00.000000Z", RISE[3]


def without_goals() -> Document:
    """A hundred dollars for all of no goals."""
    paid = ("fraction_paid", "1"), ("completion_pct", None), ("goals", []), ("limited_by", [])
    document = changed(goals(), *((f"evidence.{name}", value) for name, value in paid))
    amount = ("accrual.amount_cents", 10_000), ("accrual.precise_amount", "10000")
    return told(changed(document, *amount, ("accrual.limited_by", None)))


def without_sides() -> Document:
    document = correction(frozen=None, owed=fee(), owed_cents=10_000, settled=[("a", -100_000)])
    facts = {"type": "adjustment", "owed_cents": 100_000, "frozen_cents": 0, "settled": []}
    document["summary"] = "$1,000.00 owed now, $0.00 when it was paid: $1,000.00 to correct"
    return {**document, "evidence": facts}


def unexplained() -> Document:
    """A correction of $1,000 of which a side has its amount alone."""
    document = correction(frozen=None, owed=fee(), owed_cents=10_000, settled=[("a", -100_000)])
    for name, cents in (("owed", 100_000), ("frozen", 0)):
        document["evidence"][f"{name}_cents"] = cents
        document["evidence"][name] = {**side(fee()), "amount_cents": cents, "evidence": {}}
    document["evidence"]["settled"] = []
    return told(document)


def units(*quantities: int) -> Document:
    """Conversions of so many units each, which one amount of $0.50 a unit pays."""
    document = sales(*((f"sale-{number}", SALE[1]) for number, _ in enumerate(quantities)))
    for number, quantity in enumerate(quantities):
        document["evidence"]["conversions"][number]["quantity"] = quantity
    cents = 50 * sum(quantities)
    document["evidence"]["rates"][0] |= {"quantity": sum(quantities), "cents": str(cents)}
    document["accrual"] |= {"amount_cents": cents, "precise_amount": str(cents)}
    return told(document)


def half_a_cent() -> Document:
    """A threshold of $50.005, as a number with a fraction or as text."""
    cents = {"amount_cents": 5_000.5}
    document = bonus(NOON, NOON, **cents, precise_amount="5000.5")
    document["evidence"] |= cents
    document["rule"]["criteria_params"]["thresholds"][0] |= cents
    return told(document)


def repeated() -> Document:
    """Two units at "5" cents, which Python makes "55"."""
    document = units(2)
    document["evidence"]["rates"][0] |= {"amount_cents": "5", "cents": "55"}
    document["rule"]["criteria_params"]["rates"][0]["amount_cents"] = "5"
    document["accrual"] |= {"amount_cents": 55, "precise_amount": "55"}
    return {**document, "summary": "2 conversions: 2 at $0.05: $0.55"}


def of_two_posts() -> Document:
    """A threshold of one post, corrected for that of another."""
    owed, frozen = bonus(NOON, NOON), bonus(NOON, NOON)
    owed["evidence"]["amount_cents"] = owed["accrual"]["amount_cents"] = 6_000
    owed["rule"]["criteria_params"]["thresholds"][0]["amount_cents"] = 6_000
    frozen["evidence"]["video_id"] = "post-2"
    cents = {"frozen_cents": 5_000, "owed_cents": 6_000}
    document = correction(frozen=frozen, owed=owed, days=DAY, **cents)
    return changed(document, ("accrual.subject_id", "post-1"), ("accrual.view_count", 1_000))


def of_two_months() -> Document:
    """April's fee frozen, May's owed."""
    april = ("2026-04-01", "2026-04-30")
    frozen = told(changed(fee(15, 30, period=april), ("evidence.proration_mode", "full")))
    return correction(frozen=frozen, owed=fee(), owed_cents=10_000, days=april)


def by_another_version() -> Document:
    """Fifteen times the agreed fee, owed by a version that the statement does not have."""
    more = changed(fee(cents=150_000), ("evidence.amount_cents", 150_000))
    document = correction(frozen=fee(), owed=more, owed_cents=150_000)
    document["evidence"]["owed"]["version_id"] = EARLIER
    return document


def prorated(paused_days: int) -> Document:
    """20 of 31 days, which pay in proportion."""
    document = fee(20, cents=6_452, paused=paused_days)
    document["accrual"] |= {"precise_amount": "6451.612903226", "limited_by": "proration"}
    limits = ("evidence.limited_by", ["proration"])
    prorate = ((f"{part}.proration_mode", "prorate") for part in ("evidence", "rule"))
    return told(changed(document, limits, *prorate))


def capped() -> Document:
    """A hundred cents, said to be cut at a cap of a thousand."""
    params = ((f"{part}.max_payout_cents", 1_000) for part in ("evidence", "rule.criteria_params"))
    limits = ("evidence.limited_by", ["max_payout"]), ("accrual.limited_by", "max_payout")
    return told(changed(views(RISE), *params, *limits))


REFUSED = {
    "a sentence of $900.00 for $1.00": (
        changed(views(RISE), ("summary", "1,000 views counted: 1,000 at $1.00: $900.00")),
        "sentence: stated '1,000 views counted: 1,000 at $1.00: $900.00'",
    ),
    "a subject that is another post": (
        bonus(NOON, NOON, subject_id="post-2"),
        "subject_id: stated post-2, computed post-1",
    ),
    "a threshold other than the one reached": (
        bonus(NOON, NOON, view_count=1_000_000),
        "view_count: stated 1000000, computed 1000",
    ),
    "an adjustment without its sides": (without_sides(), "an adjustment lies are missing"),
    "an adjustment without the evidence of its sides": (unexplained(), "has no evidence"),
    "all of no goals": (without_goals(), "an amount for goals without a goal"),
    "a post without an end of its lifetime": (
        views(RISE, lifetime_days=30),
        "post post-1 has no end, but the rule has a lifetime",
    ),
    "a first and a last reading at one instant": (
        views(RISE, read_from=NOON),
        "post post-1 was read to before it was read from",
    ),
    "both readings of a goal's count at one instant": (
        reached(count(from_reading={"captured_at": NOON}), actual=300),
        "post post-1 was read to before it was read from",
    ),
    "reached at another instant than it was read": (
        bonus(MORNING, NOON),
        f"reached at {MORNING}, but read at {NOON}",
    ),
    "a quantity of -2 beside one of 3": (units(-2, 3), "quantity: -2 is less than nothing"),
    "another currency": (
        changed(fee(), ("accrual.currency", "EUR")),
        "currency: stated EUR, computed USD",
    ),
    "half a cent": (half_a_cent(), "amount_cents: 5000.5 is not a whole number"),
    "half a cent in earlier corrections": (
        correction(frozen=fee(), owed=None, settled=[("a", -0.5)]),  # type: ignore[list-item]
        "is not a whole number",
    ),
    "no sentence": (changed(fee(), ("summary", "")), "sentence: stated ''"),
    "an amount that was never owed": (
        changed(fee(), ("summary", "31 of 31 days covered: $100.00 of $900.00")),
        "sentence: stated '31 of 31 days covered: $100.00 of $900.00'",
    ),
    "a type that is not the rule's": (
        changed(fee(), ("accrual.criteria_type", "cpm")),
        "criteria_type: stated cpm, computed recurring",
    ),
    "a number of another version": (
        changed(fee(), ("accrual.version_number", 3)),
        "version_number: stated 3, computed 2",
    ),
    "a limit that the evidence does not have": (
        changed(fee(), ("accrual.limited_by", "paused")),
        "limited_by: stated paused, computed None",
    ),
    "a cap that did not cut": (capped(), "limited by max_payout: stated True, computed False"),
    "a pause that did not shorten": (
        told(changed(fee(), ("evidence.limited_by", ["paused"]), ("accrual.limited_by", "paused"))),
        "limited by paused: stated True, computed False",
    ),
    "views after a lifetime that the rule does not have": (
        told(
            changed(
                views(RISE),
                ("evidence.limited_by", ["view_lifetime"]),
                ("accrual.limited_by", "view_lifetime"),
            )
        ),
        "no lifetime of a post ended",
    ),
    "days without an assignment that are not named": (
        changed(prorated(0), ("evidence.limited_by", []), ("accrual.limited_by", None)),
        "limited by proration: stated False, computed True",
    ),
    "fewer than no paused days": (prorated(-5), "paused_days: -5 is less than nothing"),
    "seven posts where one is listed": (
        views(RISE, post_count=7),
        "post_count: stated 7, computed 1",
    ),
    "a number of posts for a fee": (
        changed(fee(), ("accrual.post_count", 1)),
        "post_count: stated 1, computed None",
    ),
    "a goal's views from below none": (
        reached(count(begins=-100, ends=200), actual=300),
        "from: -100 is less than nothing",
    ),
    "less than nothing carried in": (
        told(
            changed(
                views(("post-1", 0, 1_500, NOON)),
                ("evidence.carry_in", -500),
                ("evidence.payable", 1_000),
                ("evidence.tiers.0.impressions", 1_000),
                *((f"evidence.{name}", "100") for name in ("before_cap_cents", "precise_cents")),
                ("evidence.tiers.0.cents", "100"),
                ("evidence.running_total_cents", "100"),
                *(("accrual.amount_cents", 100), ("accrual.precise_amount", "100")),
                ("accrual.post_count", None),
            )
        ),
        "carry_in: -500 is less than nothing",
    ),
    "views of an account out of scope": (
        changed(
            views(RISE, of_account="account-2"),
            *(("rule.platform_scope", "account"), ("evidence.platform_scope", "account")),
            ("rule.account_id", "account-2"),
        ),
        "account_id as agreed: stated account-1, computed account-2",
    ),
    "a threshold of an account out of scope": (
        changed(bonus(NOON, NOON), ("rule.account_id", "account-2")),
        "account_id as agreed: stated account-1, computed account-2",
    ),
    "a sale paid as another one": (
        changed(
            sales(SALE, days=DAY, every=None, cadence="every_conversion"),
            ("accrual.subject_id", "sale-2"),
        ),
        "subject_id: stated sale-2, computed sale-1",
    ),
    "a sale paid for a week": (
        changed(sales(SALE), ("accrual.subject_id", SALE[0])),
        "subject_id: stated sale-1, computed None",
    ),
    "cents as text": (repeated(), "amount_cents: '5' is not a whole number"),
    "a sale with a negative value": (
        changed(
            sales(SALE, ("sale-2", SALE[1])),
            ("evidence.conversions.0.total_value_cents", -900),
            ("evidence.conversions.1.total_value_cents", 900),
        ),
        "total_value_cents: -900 is less than nothing",
    ),
    "an earning that corrects another": (
        changed(fee(), ("accrual.adjusts_accrual_id", "accrual-0")),
        "an earning has adjusts_accrual_id",
    ),
    "an earning that is booked later": (
        changed(fee(), ("accrual.booked_in", "2026-06-01")),
        "an earning has booked_in",
    ),
    "owed by a version that is not there": (
        by_another_version(),
        f"version of the present amount: stated {EARLIER}, computed version-2",
    ),
    "owed for another month than frozen": (of_two_months(), "period_start of the amount owed"),
    "owed for another post than frozen": (
        of_two_posts(),
        "subject_id: stated post-1, computed post-2",
    ),
    "a side of another kind than the rule": (
        correction(
            frozen=views(RISE),
            owed=fee(7, 7, every="weekly", period=WEEK),
            frozen_cents=100,
            owed_cents=10_000,
            days=WEEK,
        ),
        "the rule is recurring, not cpm",
    ),
    "a correction of nothing": (
        correction(frozen=fee(), owed=fee(), owed_cents=10_000),
        "an adjustment of nothing",
    ),
    "a correction of no amount": (
        changed(correction(frozen=fee(), owed=None), ("accrual.adjusts_accrual_id", None)),
        "an adjustment has no adjusts_accrual_id",
    ),
    "owed by another number of the version": (
        changed(correction(frozen=fee(), owed=None), ("evidence.frozen.version_number", 9)),
        "version_number as agreed: stated 9, computed 2",
    ),
    "a threshold in another currency": (
        changed(bonus(NOON, NOON), ("rule.criteria_params.thresholds.0.currency", "EUR")),
        "currency as agreed: stated EUR, computed USD",
    ),
    "followers from below none": (
        changed(
            reached(followers(), actual=50, metric="followers"),
            *(("evidence.counts.0.from", -50), ("evidence.counts.0.to", 0)),
        ),
        "from: -50 is less than nothing",
    ),
    "a sale at an instant of no zone": (
        sales(("sale-1", NOON.removesuffix("Z"))),
        f"{NOON.removesuffix('Z')} has no time zone",
    ),
    "a number that takes hours to write": (
        changed(views(RISE), ("evidence.precise_cents", "1e999999999")),
        "exact cents: stated 1e999999999, computed 100",
    ),
    "a completion that is no number": (
        changed(
            reached(count(), actual=300),
            ("evidence.mode", "all"),
            ("rule.criteria_params.mode", "all"),
            ("evidence.completion_pct", "x"),
        ),
        "completion_pct is x, though all of it is paid",
    ),
}


def run(document: Document, folder: Path) -> int:
    """Run the program over a statement with our signature."""
    return check(json.dumps(resigned({"statement": document})), folder)


def check(text: str, folder: Path, encoding: str = "utf-8") -> int:
    statement, keys = folder / "statement.json", folder / "keys.json"
    statement.write_text(text, encoding)
    keys.write_text(json.dumps({"keys": [OURS.public_key]}), encoding="utf-8")
    code: int = verifier.main([str(statement), "--keys", str(keys)])
    return code


@pytest.mark.parametrize(("document", "reason"), REFUSED.values(), ids=REFUSED)
def test_contradictions_of_facts_are_refused(
    document: Document, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(document, tmp_path) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("WRONG: ")
    assert reason in printed.err


def not_proven(document: Document) -> str:
    """What the program names as not proven."""
    lines = verifier.verify(resigned({"statement": document}), {"keys": [OURS.public_key]})
    names: str = lines[3].removeprefix("not proven: ")
    return names


def test_what_does_not_follow_from_the_facts_is_named() -> None:
    given = "computed_at, creator_id, id, status, structure_name, timezone"
    assert not_proven(views(RISE)) == f"{given}, covered, running_total_before_cents"
    assert not_proven(bonus(NOON, NOON)) == given
    assert not_proven(sales(SALE)) == given
    assert not_proven(reached(count(), actual=300)) == f"{given}, covered_days, goals"
    unread = reached(count(to_reading=None), actual=300)
    assert not_proven(unread) == f"{given}, covered_days, goals, readings"
    dated = given.replace(" status", " period_end, period_start, status")
    assert not_proven(fee(20, paused=11)) == f"{dated}, covered_days, paused_days"
    corrected = correction(frozen=fee(), owed=None, settled=[("a", -4_000)])
    facts = f"adjusts_accrual_id, booked_in, {dated}, covered_days, settled"
    assert not_proven(corrected) == facts
    reports = {
        "view_coverage": {"readings_due": 9},
        "held": [{"video_id": "post-2", "posted_at_awaited_until": NOON}],
    }
    document = views(RISE)
    document["evidence"] |= {**reports, "views_as_of": [{"views_as_of": NOON}]}
    assert not_proven(told(document)).endswith(", held, view_coverage, views_as_of")


def test_names_cannot_add_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forged = "Fee\ncomputed: 900000 cents USD, as stated\x1b[8m"
    assert run(changed(fee(), ("accrual.structure_name", forged)), tmp_path) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert [line for line in printed.splitlines() if line.startswith("computed")] == [
        "computed: 10000 cents USD, as stated"
    ]


@pytest.mark.parametrize(
    "change",
    [("evidence.running_total_before_cents", "1/3"), ("evidence.covered.0.from", "2026-05")],
)
def test_other_formats_are_refused_in_one_line(
    change: tuple[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(changed(views(RISE), change), tmp_path) == 1
    assert capsys.readouterr().err.startswith("WRONG: ")


@pytest.mark.parametrize(
    ("document", "summary"),
    [
        (fee(20), "20 of 31 days covered, any is enough: $100.00"),
        (units(2, 1), "2 conversions: 3 at $0.50: $1.50"),
    ],
)
def test_older_words_around_the_same_figures_hold(document: Document, summary: str) -> None:
    """The sentences of version 2.0.0, which counted records of conversions."""
    assert not_proven(changed(document, ("summary", summary))).endswith(", words of summary")


SIGNED = json.dumps(resigned({"statement": fee()}))
FILES = {
    "an amount twice, read by the last": (
        SIGNED.replace('"amount_cents"', '"amount_cents": 9, "amount_cents"', 1),
        (2, "cannot read: amount_cents is there twice"),
    ),
    "another statement beside the signed one": (
        f'{{"data": {SIGNED}, "statement": {{"amount_cents": 9}}}}',
        (1, "WRONG: unknown statement format (KeyError('protected'))"),
    ),
    "an answer without a statement": (
        '{"data": null, "error": "Accrual not found"}',
        (1, "WRONG: the file holds no statement: Accrual not found"),
    ),
    "lists in lists": ("[" * 100_000, (2, "cannot read: ")),
}


@pytest.mark.parametrize(("text", "answer"), FILES.values(), ids=FILES)
def test_files_that_hold_no_one_statement_are_refused(
    text: str, answer: tuple[int, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(text, tmp_path) == answer[0]
    assert capsys.readouterr().err.startswith(answer[1])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_files_that_windows_shells_write_are_read(encoding: str, tmp_path: Path) -> None:
    assert check(SIGNED, tmp_path, encoding) == 0
