"""Amounts, costs and counts of closed periods, and writes that must not change them.

Periods are compared with themselves: this module computes no amount or cost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import VIDEO_COUNTS, Row, Tables, copy_of
from tests.dbt_project.payout_rules import Rules

TWO_DAYS = timedelta(days=2)
"""A day that ended two days ago has ended in every zone."""

PARTS = ("accrual_id", "day", "video_id", "account_id")


@dataclass
class Writes:
    """Decisions and readings at one instant, and the creators and posts whose past they change.

    Most writes do not reach back: new versions of rules, new and ended assignments, pauses,
    readings. Assignments from past days, exclusions and late readings may change the past of their
    creators and posts.
    """

    tables: Tables
    as_of: datetime
    random: Random
    readings: list[Row] = field(default_factory=list)
    creators: set[UUID] = field(default_factory=set)
    posts: set[UUID] = field(default_factory=set)

    def make(self) -> None:
        for structure in self.tables["payout_structures"]:
            self._change_rule(structure)
        for row in list(self.tables["payout_assignments"]):
            self._reassign(row, self.as_of.date() + TWO_DAYS)
        for row in self.tables["creators"]:
            self._pause(row)
        for row in self.tables["videos"]:
            self._read(row["id"], self.as_of)
            if self.random.random() < 0.06:
                self._change_past(row)

    def _id(self) -> UUID:
        return UUID(int=self.random.getrandbits(128))

    def _change_rule(self, structure: Row) -> None:
        versions = self.tables["payout_versions"]
        last = [row for row in versions if row["structure_id"] == structure["id"]][-1]
        rules = Rules(
            self.random,
            events=_ids(self.tables["conversion_events"], structure["project_id"]),
            accounts=_ids(self.tables["accounts"], structure["project_id"]),
        )
        made = {"id": self._id(), "number": last["number"] + 1, "created_at": self.as_of}
        versions.append({**last, **made, **rules.terms(last)})

    def _reassign(self, row: Row, day: date) -> None:
        if self.random.random() < 0.1:
            self.creators.add(row["creator_id"])
            self._assign(row, day - timedelta(days=self.random.randrange(3, 30)))
        elif row["end_date"] is None and self.random.random() < 0.5:
            row["end_date"] = day
            self._assign(row, day + timedelta(days=1))

    def _assign(self, row: Row, start: date) -> None:
        dates = {"start_date": start, "end_date": None}
        self.tables["payout_assignments"].append({**row, "id": self._id(), **dates})

    def _pause(self, creator: Row) -> None:
        pauses = self.tables["payout_pauses"]
        of_creator = [row for row in pauses if row["creator_id"] == creator["id"]]
        if all(row["restarted_at"] for row in of_creator) and self.random.random() < 0.3:
            of = {"organization_id": creator["organization_id"], "creator_id": creator["id"]}
            pause = {"id": self._id(), "paused_at": self.as_of, "restarted_at": None}
            pauses.append({**pause, **of})

    def _change_past(self, post: Row) -> None:
        owners = [row for row in self.tables["video_owners"] if row["video_id"] == post["id"]]
        self.creators |= {row["creator_id"] for row in (post, *owners) if row["creator_id"]}
        self.posts.add(post["id"])
        if self.random.random() < 0.5:
            post["tracking_status"] = "excluded"
        else:
            self._read(post["id"], self.as_of - timedelta(days=self.random.randrange(3, 30)))

    def _read(self, post: UUID, at: datetime) -> None:
        counts = {"view_count": 7_000_000, "like_count": 9, "share_count": 1}
        key = {"video_id": post, "captured_at": at, "is_exact": True, "source": "web"}
        self.readings.append({**key, **dict.fromkeys(VIDEO_COUNTS), **counts})


def writes_at(tables: Tables, as_of: datetime, seed: int) -> Writes:
    writes = Writes(copy_of(tables), as_of, Random(seed))
    writes.make()
    return writes


Closed = Mapping[str, Mapping[Any, Row]]


def closed_periods(harness: Harness, writes: Writes) -> Closed:
    """Return amounts, costs and counts of closed days, without those that the writes may change."""
    last = writes.as_of.date() - TWO_DAYS
    earnings, accruals = (
        {
            row["accrual_id"]: row
            for row in harness.rows(mart)
            if row["period_end"] <= last and row["creator_id"] not in writes.creators
        }
        for mart in ("payout_earnings", "payout_accruals")
    )
    return {
        "payout_earnings": earnings,
        "payout_accruals": accruals,
        "payout_costs": {
            tuple(row[name] for name in PARTS): row
            for row in harness.rows("payout_costs")
            if row["accrual_id"] in accruals
        },
        "video_daily": {
            (row["video_id"], row["day"]): row
            for row in harness.rows("video_daily")
            if row["day"] <= last and row["video_id"] not in writes.posts
        },
    }


def assert_nothing_closed_changed(before: Closed, after: Closed, when: str) -> None:
    for mart, rows in before.items():
        changed = {
            key: (rows.get(key), after[mart].get(key))
            for key in rows.keys() | after[mart].keys()
            if rows.get(key) != after[mart].get(key)
        }
        assert not changed, f"{mart}, {when}: {[*changed.values()][:3]}"


def _ids(rows: Sequence[Row], project: UUID) -> list[UUID]:
    return [row["id"] for row in rows if row["project_id"] == project]
