"""Random histories with goals, owner changes and deactivated accounts."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from tests.dbt_project.histories import BEGIN, History, Row

METRICS = ("posts", "views", "engagement", "followers")
PERIODS = ("daily", "weekly", "monthly")
TARGETS = (1, 2, 3, 40, 900, 60_000)


class GoalHistory(History):
    """Goals that start, change and end within periods, and all that they count."""

    def add_organization(self) -> None:
        for table in ("goal_states", "video_owners", "account_deactivations"):
            self.operational.setdefault(table, [])
        counts = {table: len(self.operational[table]) for table in ("accounts", "videos")}
        super().add_organization()
        accounts = self.operational["accounts"][counts["accounts"] :]
        for account in accounts:
            account["removed_at"] = None if account["is_active"] else self.maybe_instant()
            self.rest(account)
        for video in self.operational["videos"][counts["videos"] :]:
            self.hand_over(video, accounts)
        for creator in self.operational["creators"]:
            if creator["organization_id"] == self.operational["organizations"][-1]["id"]:
                for _ in range(self.random.randint(0, 3)):
                    self.set_goal(creator)

    def change_decisions(self) -> None:
        super().change_decisions()
        for account in self.operational["accounts"]:
            account["removed_at"] = None if account["is_active"] else self.maybe_instant()
        for state in list(self.operational["goal_states"]):
            if self.sometimes(0.1):
                self.change_goal(state)
        for creator in self.operational["creators"]:
            if self.sometimes(0.1):
                self.set_goal(creator)
        for video in self.operational["videos"]:
            if self.sometimes(0.1):
                self.hand_over(video, self.accounts_of(video["project_id"]))

    def maybe_instant(self) -> Any:
        return self.instant() if self.sometimes(0.8) else None

    def accounts_of(self, project: UUID) -> list[Row]:
        return [row for row in self.operational["accounts"] if row["project_id"] == project]

    def rest(self, account: Row) -> None:
        """Deactivate an account for some days or for good."""
        for _ in range(self.random.choice((0, 0, 1, 2))):
            begin = self.instant()
            length = timedelta(days=self.random.choice((1, 3, 12)))
            interval = {
                "account_id": account["id"],
                "deactivated_at": begin,
                "reactivated_at": begin + length if self.sometimes(0.7) else None,
            }
            self.operational["account_deactivations"].append(interval)

    def hand_over(self, video: Row, accounts: list[Row]) -> None:
        """Give a post successive owners; some have no account."""
        owners = self.operational["video_owners"]
        instants = {row["valid_from"] for row in owners if row["video_id"] == video["id"]}
        for _ in range(self.random.choice((0, 1, 1, 2, 3))):
            account = self.random.choice([*accounts, None])
            at = self.instant()
            if at not in instants:
                instants.add(at)
                owner = {
                    "video_id": video["id"],
                    "account_id": account and account["id"],
                    "creator_id": account and account["creator_id"],
                    "valid_from": at,
                }
                owners.append(owner)

    def set_goal(self, creator: Row) -> None:
        scope = self.random.choice(("all", "all", "platform", "account"))
        accounts = self.accounts_of(creator["project_id"])
        state = {
            "id": self.id(),
            "goal_id": self.id(),
            "organization_id": creator["organization_id"],
            "project_id": creator["project_id"],
            "creator_id": creator["id"],
            "platform_scope": scope,
            "platform": self.random.choice(("tiktok", "instagram"))
            if scope == "platform"
            else None,
            "account_id": self.random.choice(accounts)["id"] if scope == "account" else None,
            "is_deleted": False,
            "valid_from": self.instant(),
            **self.terms(),
        }
        self.operational["goal_states"].append(state)
        for _ in range(self.random.choice((0, 0, 1, 2))):
            self.change_goal(state)

    def change_goal(self, state: Row) -> None:
        """Add a state with other terms, or the deletion of the goal."""
        states = self.operational["goal_states"]
        at = self.instant()
        of_goal = [row for row in states if row["goal_id"] == state["goal_id"]]
        is_free = all(row["valid_from"] != at for row in of_goal)
        if is_free and not any(row["is_deleted"] for row in of_goal):
            last = max(row["valid_from"] for row in of_goal)
            is_deleted = at > last and self.sometimes(0.3)
            changed = {"id": self.id(), "valid_from": at, "is_deleted": is_deleted}
            states.append({**state, **self.terms(), **changed})

    def terms(self) -> Row:
        start = self.day() if self.sometimes(0.5) else None
        end = self.day() if self.sometimes(0.3) else None
        if start and end and end < start:
            start, end = end, start
        return {
            "metric": self.random.choice(METRICS),
            "period": self.random.choice(PERIODS),
            "target_value": self.random.choice(TARGETS),
            "start_date": start,
            "end_date": end,
            "is_active": not self.sometimes(0.1),
        }

    def day(self) -> Any:
        return (BEGIN + timedelta(days=self.random.randrange(-20, 45))).date()
