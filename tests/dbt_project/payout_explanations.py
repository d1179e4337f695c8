"""Explanations of corrections in a random history: each amount follows from its sentence."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any
from uuid import UUID

import duckdb

from serving_api.resources.payouts.accruals.changes import changes_of, reason_of
from serving_api.resources.payouts.accruals.correcting import terms_of
from serving_api.resources.payouts.accruals.records import Records, Sides
from serving_api.resources.payouts.accruals.summary import summary_of
from tests.dbt_project.histories import Row
from tests.dbt_project.payout_invariants import assert_proved
from tests.oracles import payouts
from tests.serving_api.resources.payouts.sentences import assert_sentence_says
from warehouse.catalogue.counters import VIDEO_COUNTERS
from warehouse.reading.accruals.accrual import CONTENT, Accrual, Content
from warehouse.reading.accruals.readings_behind import with_readings

COUNTS = [counter.count for counter in VIDEO_COUNTERS]


class Explanations:
    """Evidence of each amount by run, and the readings that each run had."""

    def __init__(self) -> None:
        self.earned: dict[tuple[UUID, datetime], Row] = {}
        self.read: dict[datetime, set[tuple[Any, ...]]] = {}
        self.explained = 0
        self.proved = 0
        self.latest: dict[UUID, Row] = {}

    def check(
        self,
        connection: duckdb.DuckDBPyConnection,
        facts: payouts.Facts,
        earnings: Iterable[Row],
        accruals: Iterable[Row],
    ) -> None:
        """Recompute open corrections from their sentences, then store this run's evidence.

        Any amount may have been frozen at the previous run, so each difference needs an
        explanation.
        """
        owed = explained(connection, earnings)
        self.read[facts.as_of] = {
            (str(video_id), instant(row["captured_at"]), row["source"], *map(row.get, COUNTS))
            for video_id, rows in facts.goals.of_video.items()
            for row in rows
        }
        copies = {
            row["accrual_id"]: row
            for row in facts.tables["payout_payment_accruals"]
            if row["is_live"] and row["kind"] == "earning"
        }
        versions = {version["id"]: version for version in facts.tables["payout_versions"]}
        for row in accruals:
            if row["kind"] == "adjustment" and row["evidence"]:
                subject = row["adjusts_accrual_id"]
                version = versions[row["version_id"]]
                self.assert_explained(row, version, copies.get(subject), owed.get(subject))
        for accrual_id, row in owed.items():
            if before := self.latest.get(accrual_id):
                self.assert_reason(correction_evidence(before, row), before, row)
            self.latest[accrual_id] = {**row, "computed_at": facts.as_of}
            self.earned[accrual_id, facts.as_of] = self.latest[accrual_id]

    def assert_explained(self, row: Row, version: Row, copy: Row | None, owed: Row | None) -> None:
        frozen = self.earned.get((copy["accrual_id"], copy["computed_at"])) if copy else None
        if frozen and copy and frozen["amount_cents"] != copy["amount_cents"]:
            frozen = None  # an altered copy: no evidence has its amount
        evidence = {
            **json.loads(row["evidence"]),
            "owed": owed and side_of(owed),
            "frozen": frozen and side_of(frozen),
        }
        accrual = Accrual(**{field.name: row[field.name] for field in fields(Accrual)})
        assert_sentence_says(summary_of(accrual, evidence), accrual, evidence)
        if bool(frozen) is bool(copy):
            assert_proved(row, version, evidence)
            self.proved += 1
        if frozen and owed:
            self.assert_reason(evidence, frozen, owed)

    def assert_reason(self, evidence: Mapping[str, Any], frozen: Row, owed: Row) -> None:
        """An explanation names what changed; a late reading was missing in the earlier run."""
        of = frozen["evidence"], owed["evidence"]
        terms = (terms_of(content(row, frozen), row["evidence"]) for row in (frozen, owed))
        has_changed_terms = len({repr(term) for term in terms}) > 1
        sides = Sides(*of, Records(), frozen["computed_at"], has_changed_terms)
        changes = changes_of(evidence["frozen"], evidence["owed"], [], sides)
        if frozen["amount_cents"] != owed["amount_cents"]:
            assert changes, (frozen, owed)
            assert "nothing known" not in reason_of({**evidence, "changes": changes})
        self.explained += 1
        for change in changes:
            if "late reading" in change["text"]:
                counted = max(
                    (
                        part
                        for part in (*of[1].get("videos", ()), *of[1].get("counts", ()))
                        if part["video_id"] == change["video_id"]
                        and change["text"].startswith(("post", f"{part.get('counter')} of post"))
                    ),
                    key=lambda part: part["views_to"] if "views_to" in part else part["to"],
                )
                read = counted["video_id"], counted["to_reading"]["captured_at"]
                fresh = self.read[max(self.read)] - self.read[frozen["computed_at"]]
                assert read in {row[:2] for row in fresh}, change


def explained(connection: duckdb.DuckDBPyConnection, earnings: Iterable[Row]) -> dict[UUID, Row]:
    """Return earnings with complete evidence, by accrual."""
    rows = {row["accrual_id"]: row for row in earnings}
    row_by_accrual: dict[UUID, Row] = {}
    for organization in {row["organization_id"] for row in rows.values()}:
        evidences = {
            accrual_id: json.loads(row["evidence"])
            for accrual_id, row in rows.items()
            if row["organization_id"] == organization
        }
        for accrual_id, evidence in with_readings(connection, organization, evidences).items():
            row_by_accrual[accrual_id] = {**rows[accrual_id], "evidence": evidence}
    return row_by_accrual


def side_of(row: Row) -> Row:
    named = ("version_id", "timezone", "period_start", "period_end")
    return {
        "amount_cents": row["amount_cents"],
        "version_number": row["version_number"],
        "evidence": row["evidence"],
        **{name: str(row[name]) for name in named},
    }


def correction_evidence(frozen: Row, owed: Row) -> Row:
    """Return the evidence of a correction of a frozen amount without other corrections."""
    return {
        "owed": side_of(owed),
        "frozen": side_of(frozen),
        "owed_cents": owed["amount_cents"],
        "frozen_cents": frozen["amount_cents"],
    }


def content(row: Row, computed: Row) -> Content:
    named = {"computed_at": computed["computed_at"], **row}
    return Content(**{name: named[name] for name in CONTENT if name in named})


def instant(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S.%fZ}"
