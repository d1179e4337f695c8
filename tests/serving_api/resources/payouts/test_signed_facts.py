"""The program that checks statements: its output, and the files that it reads."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.serving_api.resources.payouts.resigning import OURS, resigned, verifier
from tests.serving_api.resources.payouts.signable import (
    NOON,
    RISE,
    SALE,
    Document,
    bonus,
    changed,
    correction,
    count,
    fee,
    reached,
    sales,
    views,
    with_sentence,
)


def units() -> Document:
    """Two conversions of two units and one, at $0.50 each."""
    document = sales(SALE, ("sale-2", NOON))
    changes = {
        "evidence.conversions.0.quantity": 2,
        "evidence.rates.0.quantity": 3,
        "evidence.rates.0.cents": "150",
        "accrual.amount_cents": 150,
        "accrual.precise_amount": "150",
    }
    return changed(document, *changes.items())


def run(document: Document, folder: Path) -> int:
    """Run the program on a statement with our signature."""
    return check(json.dumps(resigned({"statement": document})), folder)


def check(text: str, folder: Path, encoding: str = "utf-8") -> int:
    statement, keys = folder / "statement.json", folder / "keys.json"
    statement.write_text(text, encoding)
    keys.write_text(json.dumps({"keys": [OURS.public_key]}), encoding="utf-8")
    code: int = verifier.main([str(statement), "--keys", str(keys)])
    return code


def not_proven(document: Document) -> str:
    """What the program lists as not proven."""
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
        "views_as_of": [{"views_as_of": NOON}],
    }
    document = views(RISE)
    document["evidence"] |= reports
    assert not_proven(with_sentence(document)).endswith(", held, view_coverage, views_as_of")


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
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("WRONG: ")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("document", "summary"),
    [
        (fee(20), "20 of 31 days covered, any is enough: $100.00"),
        (units(), "2 conversions: 3 at $0.50: $1.50"),
    ],
)
def test_older_words_around_the_same_figures_hold(document: Document, summary: str) -> None:
    """The sentences of version 2.0.0, which counted conversion records."""
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
def test_files_without_exactly_one_statement_are_refused(
    text: str, answer: tuple[int, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(text, tmp_path) == answer[0]
    assert capsys.readouterr().err.startswith(answer[1])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_files_that_windows_shells_write_are_read(encoding: str, tmp_path: Path) -> None:
    assert check(SIGNED, tmp_path, encoding) == 0


def test_an_unknown_zone_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(changed(fee(), ("accrual.timezone", "Nowhere/None")), tmp_path) == 2
    assert "pip install tzdata" in capsys.readouterr().err
