"""Invariants of payouts for any history, checked on the marts without the oracle."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from typing import Any
from uuid import UUID

import duckdb

from serving_api.resources.payouts.accruals.presenter import without_fractions
from serving_api.resources.payouts.accruals.summary import summary_of
from tests.dbt_project.histories import Row, Tables
from tests.dbt_project.payout_evidence import evidence_value
from tests.factories.verifier import load_verifier
from tests.oracles import payouts
from tests.oracles.payouts.rounding import half_up
from tests.serving_api.resources.payouts.resigning import OURS, resigned
from tests.serving_api.resources.payouts.sentences import assert_sentence_says
from warehouse.catalogue.accruals import COMPUTED
from warehouse.reading.accruals.accrual import OF_READINGS, Accrual
from warehouse.reading.accruals.readings_behind import with_readings

VERIFIER = load_verifier()


def assert_verifier_redoes_amounts(accruals: Iterable[Row], versions: Iterable[Row]) -> None:
    """The stand-alone verifier of statements recomputes the same cents and terms."""
    rules = {row["id"]: row for row in versions}
    for row in accruals:
        if row["evidence"] is None:
            continue
        evidence = json.loads(row["evidence"])
        cents, exact = VERIFIER.redone(evidence)
        assert (cents, VERIFIER.half_up(exact, 10**9)) == (
            row["amount_cents"],
            Fraction(row["precise_amount"]),
        ), row
        if row["kind"] == "earning":
            assert_proved(row, rules[row["version_id"]], evidence)


def assert_proved(row: Row, version: Row, evidence: Row) -> None:
    """The verifier of statements accepts an amount signed with our key."""
    earning = {"kind": "earning", "adjusts_accrual_id": None, "booked_in": None, "status": "final"}
    named = {"id": str(row["accrual_id"]), "structure_name": "A rule"}
    accrual = {**earning, **as_json(row), **named}
    rule = {**without_fractions(as_json(version)), "version_number": version["number"]}
    shown = {field.name: row.get(field.name) for field in fields(Accrual)}
    statement = {
        "format": VERIFIER.FORMAT,
        "issuer": "https://tracker.example",
        "issued_at": "2026-06-20T12:00:00Z",
        "accrual": {name: value for name, value in accrual.items() if name != "evidence"},
        "rule": {"currency": "USD", **rule},
        "evidence": without_fractions(evidence),
        "summary": summary_of(Accrual(**shown), evidence),
    }
    VERIFIER.verify(resigned({"statement": statement}), {"keys": [OURS.public_key]})


def as_json(row: Row) -> Any:
    """Return a row as JSON: ids and days become strings."""
    return json.loads(json.dumps(row, default=str))


def assert_sentences_state_the_evidence(accruals: Iterable[Row]) -> None:
    """The sentence of each accrual that is not a copy states its evidence."""
    for row in accruals:
        if row["evidence"] is not None:
            accrual = Accrual(**{field.name: row[field.name] for field in fields(Accrual)})
            evidence = json.loads(row["evidence"])
            assert_sentence_says(summary_of(accrual, evidence), accrual, evidence)


def assert_columns_fit_their_rules(earnings: Iterable[Row]) -> None:
    """A column is null for criteria types that do not define it."""
    for row in earnings:
        for column in COMPUTED:
            is_defined = row["criteria_type"] in column.rules
            assert is_defined or row[column.name] is None, (column.name, row)
            assert column.nullable or row[column.name] is not None, (column.name, row)
        evidence = json.loads(row["evidence"])
        lists = (evidence.get(name, ()) for name in ("videos", "counts"))
        posts = {evidence.get("video_id"), *(post["video_id"] for each in lists for post in each)}
        is_unknown = evidence.get("carry_in", 0) > 0 or row["criteria_type"] not in OF_READINGS
        assert row["post_count"] == (None if is_unknown else len(posts - {None})), row


def assert_evidence_is(owed: Iterable[Row], earnings: Iterable[Row]) -> None:
    """The evidence counts what the rules count, even if the amount would be the same."""
    evidence_by_accrual = {row["accrual_id"]: json.loads(row["evidence"]) for row in earnings}
    for row in owed:
        evidence = evidence_by_accrual[row["accrual_id"]]
        for name, value in row["evidence"].items():
            assert evidence_value(evidence, name) == value, (name, row, evidence)


def assert_readings_match_the_evidence(
    connection: duckdb.DuckDBPyConnection, facts: payouts.Facts, earnings: Iterable[Row]
) -> None:
    """The reading behind a view count is the first in the period that showed it (M7)."""
    versions = {version["id"]: version for version in facts.tables["payout_versions"]}
    for (organization_id,), rows in grouped(earnings, "organization_id").items():
        evidences = {row["accrual_id"]: json.loads(row["evidence"]) for row in rows}
        read = with_readings(connection, organization_id, evidences)
        for row in rows:
            evidence = read[row["accrual_id"]]
            assert_proved(row, versions[row["version_id"]], evidence)
            for video_id, counter, count, reading in counts_read(evidence):
                assert_is_behind(facts, UUID(video_id), f"{counter}_count", count, reading)


def assert_is_behind(
    facts: payouts.Facts, video_id: UUID, counter: str, count: int, reading: Row | None
) -> None:
    read = facts.readings({"id": video_id}, counter)
    first_reading = next((candidate for candidate in read if candidate.count >= count), None)
    if first_reading is None or first_reading.count > count:
        assert reading is None, (video_id, count, reading)
        return
    assert reading is not None, (video_id, count)
    assert datetime.fromisoformat(reading["captured_at"]) == first_reading.at, (
        video_id,
        count,
        reading,
    )
    observed = [
        row for row in facts.goals.of_video[video_id] if row["captured_at"] == first_reading.at
    ]
    assert set(reading["source"].split(",")) == {row["source"] for row in observed}
    assert reading["is_exact"] or not all(row["is_exact"] for row in observed)


def counts_read(evidence: Row) -> Iterator[tuple[str, str, int, Row | None]]:
    """Yield post, counter, count and reading for both ends of each count."""
    for video in evidence.get("videos", []):
        yield video["video_id"], "view", video["views_from"], video["from_reading"]
        yield video["video_id"], "view", video["views_to"], video["to_reading"]
    for count in evidence.get("counts", []):
        if count["video_id"] and count["counter"] != "posts":
            for end in ("from", "to"):
                counter = count["counter"].removesuffix("s")
                yield count["video_id"], counter, count[end], count[f"{end}_reading"]
    if evidence["type"] == "view_threshold":
        yield evidence["video_id"], "view", evidence["views_read"], evidence["reading"]


def assert_cents_add_up_to_the_rounded_total(earnings: Iterable[Row]) -> None:
    """The cents of a payee's cpm periods add up to the running total, rounded once (M8)."""
    for rows in grouped(cpm_of(earnings), "structure_id", "creator_id").values():
        total = sum((Fraction(row["precise_amount"]) for row in rows), Fraction(0))
        assert sum(row["amount_cents"] for row in rows) == half_up(total), rows[0]


def assert_no_view_is_paid_twice(accruals: Iterable[Row]) -> None:
    """View intervals of a video that one structure pays never overlap (M7, M14)."""
    counted: dict[tuple[UUID, str], list[tuple[int, int]]] = defaultdict(list)
    for row in cpm_of(accruals):
        evidence = json.loads(row["evidence"] or "{}")
        for video in evidence.get("videos", []):
            if video["views"]:
                span = (video["views_from"], video["views_to"])
                counted[row["structure_id"], video["video_id"]].append(span)
    for spans in counted.values():
        assert all(before[1] <= after[0] for before, after in pairwise(sorted(spans))), spans


def assert_corrections_add_up(earnings: Sequence[Row], accruals: Sequence[Row]) -> None:
    """Frozen amounts plus their adjustments, waived ones too, equal what is owed now (M19)."""
    owed = {row["accrual_id"]: row["amount_cents"] for row in earnings}
    adjusted = grouped(accruals, "adjusts_accrual_id")
    for row in accruals:
        if row["kind"] == "earning" and row["payment_id"]:
            corrections = sum(
                correction["amount_cents"] for correction in adjusted[row["accrual_id"],]
            )
            assert row["amount_cents"] + corrections == owed.get(row["accrual_id"], 0), row


def assert_frozen_copies_do_not_change(accruals: Iterable[Row], operational: Tables) -> None:
    """The frozen copies of an active payment never change (M18)."""
    row_by_accrual = {row["accrual_id"]: row for row in accruals}
    for copy in operational["payout_payment_accruals"]:
        if copy["is_live"]:
            row = row_by_accrual[copy["accrual_id"]]
            columns = set(copy) & set(row)
            assert {name: row[name] for name in columns} == {name: copy[name] for name in columns}


def cpm_of(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["criteria_type"] == "cpm"]


def grouped(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return groups
