"""Random payout structures of all five types: rules, assignments and pauses."""

from datetime import date, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from tests.dbt_project.goal_histories import GoalHistory
from tests.dbt_project.histories import BEGIN, Row
from tests.dbt_project.payout_rules import Rules
from tests.oracles.goals import beginning

EARLIER = BEGIN - timedelta(days=9)


class Arrangements(GoalHistory):
    """Agreements of organizations with creators. `turn` is the number of the next run."""

    turn = 0

    ASSIGNMENTS: tuple[int, ...] = (1, 1, 2, 3)
    """Number of assignments of a creator to a structure."""

    LENGTHS: tuple[int | None, ...] = (None, None, 0, 2, 6, 15, 30)
    """Days that an assignment lasts; None has no end."""

    def instant(self) -> datetime:
        """Return an instant, sometimes the first of a local day."""
        instant = super().instant()
        organizations = self.operational["organizations"]
        if not organizations or not self.sometimes(0.1):
            return instant
        zone = ZoneInfo(organizations[-1]["analytics_tz"])
        return beginning(instant.astimezone(zone).date(), zone)

    def of_organization(self, table: str, organization: UUID) -> list[Row]:
        """Return the rows of an organization."""
        return [r for r in self.operational[table] if r["organization_id"] == organization]

    def since_last_run(self) -> datetime:
        """Return an instant between the last run and the next."""
        begin = self.as_ofs[self.turn - 1] if self.turn else BEGIN
        length = self.as_ofs[self.turn] - begin
        return begin + timedelta(
            seconds=self.random.randint(1, max(1, int(length.total_seconds())))
        )

    # Agreements

    def add_structure(self, organization: UUID, creators: list[Row]) -> None:
        project = creators[0]["project_id"]
        owned = {"organization_id": organization, "project_id": project}
        structure = {"id": self.id(), "name": "s", "is_active": True, "timezone": None, **owned}
        self.operational["payout_structures"].append(structure)
        rules = self.rules_of(structure)
        shape = rules.shape()
        if self.sometimes(0.1):
            self.add_version(structure, rules, rules.shape())  # older than the first assignment
        for _ in range(self.random.choice((1, 1, 2, 3))):
            self.add_version(structure, rules, shape)
        for creator in self.random.sample(creators, self.random.randint(1, len(creators))):
            if shape["criteria_type"] == "goals":
                self.set_goal_of(creator, shape["period"])
            for _ in range(self.random.choice(self.ASSIGNMENTS)):
                self.assign(structure, creator["id"], self.start())

    def rules_of(self, structure: Row) -> Rules:
        events = self.of_organization("conversion_events", structure["organization_id"])
        accounts = self.accounts_of(structure["project_id"])
        return Rules(
            self.random,
            events=[event["id"] for event in events],
            accounts=[account["id"] for account in accounts],
        )

    def add_version(self, structure: Row, rules: Rules, shape: Row) -> None:
        """Add a version after the earlier ones; some share their instant."""
        versions = self.operational["payout_versions"]
        earlier = [row for row in versions if row["structure_id"] == structure["id"]]
        at = self.instant() if earlier or self.sometimes(0.5) else EARLIER
        key = {"structure_id": structure["id"], "organization_id": structure["organization_id"]}
        made = {
            "id": self.id(),
            "number": len(earlier) + 1,
            "hold_anomalies": len(earlier) % 2 == 0,
            "created_at": max(at, *(row["created_at"] for row in earlier)) if earlier else at,
        }
        versions.append({**key, **made, **shape, **rules.terms(shape)})

    def set_goal_of(self, creator: Row, period: str) -> None:
        """Give most creators a goal that can be met."""
        if self.sometimes(0.8):
            self.set_goal(creator)
            state = self.operational["goal_states"][-1]
            state.update(period=period, is_active=True, is_deleted=False)
            state.update(
                start_date=None, end_date=None, target_value=self.random.choice((1, 2, 70))
            )

    def start(self) -> date:
        return (BEGIN + timedelta(days=self.random.randrange(-15, 30))).date()

    def assign(self, structure: Row, creator: UUID, start: date) -> None:
        length = self.random.choice(self.LENGTHS)
        assignment = {
            "id": self.id(),
            "organization_id": structure["organization_id"],
            "structure_id": structure["id"],
            "creator_id": creator,
            "start_date": start,
            "end_date": None if length is None else start + timedelta(days=length),
        }
        self.operational["payout_assignments"].append(assignment)

    def pause(self, creator: Row, at: datetime) -> None:
        length = timedelta(days=self.random.choice((0, 1, 4, 9)), hours=self.random.randrange(24))
        pause = {
            "id": self.id(),
            "organization_id": creator["organization_id"],
            "creator_id": creator["id"],
            "paused_at": at,
            "restarted_at": at + length if self.sometimes(0.7) else None,
        }
        self.operational["payout_pauses"].append(pause)

    # Changes

    def reconsider_assignment(self, assignment: Row) -> None:
        """Cancel it before its start date, end it, or add another after it."""
        if assignment["start_date"] > (self.as_ofs[self.turn - 1] + timedelta(days=1)).date():
            self.operational["payout_assignments"].remove(assignment)
        elif assignment["end_date"] is None:
            assignment["end_date"] = max(assignment["start_date"], self.since_last_run().date())
        else:
            structure = {**assignment, "id": assignment["structure_id"]}
            self.assign(structure, assignment["creator_id"], self.start())

    def reconsider_pause(self, pause: Row) -> None:
        if pause["restarted_at"] is None:
            pause["restarted_at"] = max(pause["paused_at"], self.since_last_run())
        else:
            creator = {"id": pause["creator_id"], "organization_id": pause["organization_id"]}
            self.pause(creator, self.since_last_run())

    def reconsider_structure(self, structure: Row) -> None:
        """Add a version with other terms: the shape is fixed once creators are assigned."""
        versions = self.operational["payout_versions"]
        last = [row for row in versions if row["structure_id"] == structure["id"]][-1]
        shape = {name: last[name] for name in Rules.SHAPE}
        self.add_version(structure, self.rules_of(structure), shape)
