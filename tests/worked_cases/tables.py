"""A case as rows of the tables that the models and the oracle read."""

from collections import defaultdict
from datetime import date, datetime
from typing import Any
from uuid import UUID, uuid5

from tests.worked_cases.drawing import NAMESPACE, Case

Row = dict[str, Any]
Tables = dict[str, list[Row]]
SCOPE = {"platform_scope": "all", "platform": None, "account_id": None}


class CaseRows:
    """The rows of one case, with ids from the case, or derived from its name."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.organization, self.project, self.creator, self.structure = (
            uuid5(NAMESPACE, f"{case['name']}/{noun}")
            for noun in ("organization", "project", "creator", "structure")
        )
        self.account = UUID(case["account_id"])
        self.owned = {"organization_id": self.organization, "project_id": self.project}
        self.tables: Tables = defaultdict(list)
        self.readings: list[Row] = []
        self.people()
        self.agreements()
        self.posts()
        self.facts()

    def add(self, table: str, **columns: Any) -> None:
        number = len(self.tables[table])
        made = uuid5(NAMESPACE, f"{self.case['name']}/{table} {number}")
        self.tables[table].append({"id": made, **columns})

    def people(self) -> None:
        zone = self.case["timezone"]
        self.add(
            "organizations",
            id=self.organization,
            name="o",
            analytics_tz=zone,
            payout_settling_days=0,
        )
        self.add("creators", id=self.creator, **self.owned)
        self.add(
            "accounts",
            id=self.account,
            creator_id=self.creator,
            platform="tiktok",
            handle="h",
            is_active=True,
            removed_at=None,
            **self.owned,
        )

    def agreements(self) -> None:
        self.add(
            "payout_structures",
            id=self.structure,
            name="s",
            is_active=True,
            timezone=None,
            **self.owned,
        )
        about = {"organization_id": self.organization}
        for version in self.case["versions"]:
            account = version["account_id"] and UUID(version["account_id"])
            made = {"created_at": instant(version["created_at"]), "account_id": account}
            self.add("payout_versions", **{**version, **made}, structure_id=self.structure, **about)
        for days in self.case["assignments"]:
            read = {name: day and date.fromisoformat(day) for name, day in days.items()}
            whom = {"structure_id": self.structure, "creator_id": self.creator}
            self.add("payout_assignments", **read, **whom, **about)
        for pause in self.case["pauses"]:
            read = {name: at and instant(at) for name, at in pause.items()}
            self.add("payout_pauses", **read, creator_id=self.creator, **about)

    def posts(self) -> None:
        for post in self.case["posts"]:
            posted_at = instant(post["posted_at"])
            self.add(
                "videos",
                id=UUID(post["id"]),
                account_id=self.account,
                creator_id=self.creator,
                platform="tiktok",
                platform_video_id=str(UUID(post["id"]).int % 10**18),
                url="https://www.tiktok.com/@h/video/1",
                tracking_status=post["tracking_status"],
                posted_at=posted_at,
                posted_at_is_estimate=False,
                created_at=posted_at,
                **self.owned,
            )
            for reading in post["readings"]:
                self.read(UUID(post["id"]), *reading)

    def read(self, post: UUID, at: str, views: int, is_exact: bool) -> None:
        others = dict.fromkeys(("like_count", "comment_count", "share_count", "save_count"))
        how = {"captured_at": instant(at), "is_exact": is_exact, "source": "page"}
        self.readings.append({"video_id": post, **how, "view_count": views, **others})

    def facts(self) -> None:
        for conversion in self.case["conversions"]:
            ids = {name: UUID(conversion[name]) for name in ("id", "conversion_event_id")}
            at = instant(conversion["occurred_at"])
            when = {"occurred_at": at, "created_at": at, "voided_at": None}
            whose = {"creator_id": self.creator, "account_id": None, **self.owned}
            self.add("conversions", **{**conversion, **ids, **when, **whose})
        for goal in self.case["goals"]:
            terms = {name: goal[name] for name in ("metric", "period", "target_value")}
            dates = {"start_date": None, "end_date": None}
            state = {"is_active": True, "is_deleted": False, **dates, **SCOPE, **self.owned}
            self.add(
                "goal_states",
                goal_id=UUID(goal["id"]),
                creator_id=self.creator,
                valid_from=instant(goal["created_at"]),
                **terms,
                **state,
            )


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)
