"""Readings up to as_of and decisions, indexed."""

from collections import defaultdict
from datetime import datetime
from typing import Any
from uuid import UUID

from tests.oracles.goals import COUNTED, Goals, Reading

Row = dict[str, Any]
Tables = dict[str, list[Row]]


class Facts:
    """Rows of operational.* and raw.*; `criteria_params` are mappings."""

    def __init__(self, operational: Tables, raw: Tables, as_of: datetime) -> None:
        self.as_of = as_of
        self.tables = operational
        self.goals = Goals(operational, raw, as_of)
        self.organizations = by(operational["organizations"], "id")
        self.structures = by(operational["payout_structures"], "id")
        self.accounts = by(operational["accounts"], "id")
        self.videos = by(operational["videos"], "id")
        self.videos_of_project = grouped(operational["videos"], "project_id")
        self.versions = grouped(operational["payout_versions"], "structure_id")
        self.assignments = grouped(operational["payout_assignments"], "structure_id")
        self.pauses = grouped(operational["payout_pauses"], "creator_id")
        self.statuses = grouped(operational["video_statuses"], "video_id")
        self.goal_states = grouped(operational["goal_states"], "creator_id")
        self.conversions = grouped(operational["conversions"], "creator_id")
        self.switches = grouped(operational["organization_conversion_payouts"], "organization_id")
        self.frozen = {
            row["accrual_id"]: row
            for row in operational["payout_payment_accruals"]
            if row["is_live"]
        }

    def readings(self, video: Row, counter: str = "view_count") -> list[Reading]:
        return self.goals.readings(video, counter)

    def counts(self, video: Row, accrual: UUID) -> bool:
        """Whether a video counts now or did when an active payment froze this accrual (M13)."""
        if self.goals.is_held(video):
            return False
        if video["tracking_status"] in COUNTED:
            return True
        frozen = self.frozen.get(accrual)
        return frozen is not None and self.status_at(video, frozen["frozen_at"]) in COUNTED

    def status_at(self, video: Row, instant: datetime) -> str | None:
        begun = [row for row in self.statuses[video["id"]] if row["valid_from"] <= instant]
        return max(begun, key=lambda row: row["valid_from"])["tracking_status"] if begun else None

    def is_switched_on(self, conversion: Row) -> bool:
        """Whether conversions paid when it was recorded (decisions.md, Organizations)."""
        rows = self.switches[conversion["organization_id"]]
        begun = [row for row in rows if row["valid_from"] <= conversion["created_at"]]
        return not begun or max(begun, key=lambda row: row["valid_from"])["is_enabled"]


def by(rows: list[Row], key: str) -> dict[UUID, Row]:
    return {row[key]: row for row in rows}


def grouped(rows: list[Row], key: str) -> dict[UUID, list[Row]]:
    groups: dict[UUID, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[key]].append(row)
    return groups
