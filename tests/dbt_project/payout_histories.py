"""Random histories with payouts: rules, days, conversions and their changes.

Each organization is independent, so that one build holds hundreds. tests.dbt_project.payout_ledger
decides what is paid.
"""

from datetime import datetime, timedelta
from uuid import UUID

from tests.dbt_project.histories import BEGIN, LAST, STATUSES, ZONES, Row
from tests.dbt_project.payout_arrangements import EARLIER, Arrangements

TABLES = (
    "video_statuses",
    "conversion_events",
    "conversions",
    "organization_conversion_payouts",
    "payout_structures",
    "payout_versions",
    "payout_assignments",
    "payout_pauses",
    "payout_accrual_decisions",
    "payout_payments",
    "payout_payment_accruals",
)


class PayoutHistory(Arrangements):
    """Structures of all five types with changing creators, rules, pauses and facts."""

    ZONES = (*ZONES, "America/Havana", "America/Santiago", "Asia/Beirut")
    """Adds three zones whose clocks change at midnight: to 01:00, and on 5 April back to 23:00."""

    READINGS = (1, 4, 12, 25, 40)
    STRAYS = 0.3

    def as_of(self, run: int) -> datetime:
        """Space the runs by a week or more, so that periods end and are paid between them."""
        return (
            BEGIN
            + (LAST - BEGIN) * run / self.runs
            + timedelta(minutes=self.random.randrange(5000))
        )

    def add_organization(self) -> None:
        for table in TABLES:
            self.operational.setdefault(table, [])
        super().add_organization()
        organization = self.operational["organizations"][-1]
        organization["payout_settling_days"] = self.random.choice((0, 0, 0, 1, 3, 30))
        creators = self.of_organization("creators", organization["id"])
        self.add_posts(creators)
        for _ in range(self.random.randint(0, 3)):
            self.add_event(organization["id"], creators[0]["project_id"])
        for creator in creators:
            self.add_conversions(creator)
            if self.sometimes(0.4):
                self.pause(creator, self.instant())
        for _ in range(self.random.randint(2, 6)):
            self.add_structure(organization["id"], creators)
        if self.sometimes(0.1):
            self.switch(organization["id"])

    # Posts

    def add_posts(self, creators: list[Row]) -> None:
        """Give most creators an account and every account some posts."""
        project = creators[0]["project_id"]
        owned = {"organization_id": creators[0]["organization_id"], "project_id": project}
        with_account = {row["creator_id"] for row in self.accounts_of(project)}
        for creator in creators:
            if creator["id"] not in with_account and self.sometimes(0.8):
                self.add_account(owned, creator["id"])["removed_at"] = None
        accounts = self.accounts_of(project)
        for account in accounts:
            for _ in range(self.random.randint(1, 3)):
                self.add_video(owned, [account])
                self.hand_over(self.operational["videos"][-1], accounts)

    def add_video(self, owned: Row, accounts: list[Row]) -> UUID:
        """Give most posts an owner, and count most of them."""
        identifier = super().add_video(owned, accounts)
        video = self.operational["videos"][-1]
        if self.sometimes(0.8):
            account = self.random.choice(accounts)
            video["account_id"], video["creator_id"] = account["id"], account["creator_id"]
            video["platform"] = account["platform"]
        else:
            video["account_id"] = video["creator_id"] = None
        if self.sometimes(0.6):
            video["tracking_status"] = "auto_tracked"
        self.date_status(video, EARLIER if self.sometimes(0.8) else self.instant())
        return identifier

    def date_status(self, video: Row, at: datetime) -> None:
        dated = {"id": self.id(), "video_id": video["id"], "valid_from": at}
        status = {"tracking_status": video["tracking_status"]}
        self.operational["video_statuses"].append({**dated, **status})

    def hand_over(self, video: Row, accounts: list[Row]) -> None:
        """Change the owner of some posts within their platform."""
        if self.sometimes(0.4):
            same = [row for row in accounts if row["platform"] == video["platform"]]
            super().hand_over(video, same)

    def reconsider_video(self, video: Row) -> None:
        if self.sometimes(0.6):
            video["tracking_status"] = self.random.choice(STATUSES)
            self.date_status(video, self.since_last_run())
        if self.sometimes(0.2):
            video["posted_at"] = self.instant() if self.sometimes(0.7) else None

    def later(self, level: int) -> int:
        """Some counts fall by half, an anomaly that can put amounts on hold."""
        return level // 2 if self.sometimes(0.1) else super().later(level)

    # Conversions

    def add_event(self, organization: UUID, project: UUID) -> None:
        event = {"id": self.id(), "organization_id": organization, "project_id": project}
        self.operational["conversion_events"].append({**event, "name": "e", "currency": "USD"})

    def add_conversions(self, creator: Row) -> None:
        events = self.of_organization("conversion_events", creator["organization_id"])
        for _ in range(self.random.choice((0, 4, 9)) if events else 0):
            self.add_conversion(creator, self.random.choice(events), self.instant())

    def add_conversion(self, creator: Row, event: Row, at: datetime) -> None:
        account = self.random.choice([*self.accounts_of(creator["project_id"]), None])
        videos = self.of_organization("videos", creator["organization_id"])
        value, quantity = (
            self.random.choice((0, 1, 33, 999, 100_001)),
            self.random.choice((1, 1, 3)),
        )
        self.operational["conversions"].append(
            {
                "id": self.id(),
                "organization_id": creator["organization_id"],
                "project_id": creator["project_id"],
                "conversion_event_id": event["id"],
                "target_type": "account" if account else "creator",
                "creator_id": account["creator_id"] if account else creator["id"],
                "account_id": account and account["id"],
                "video_id": self.random.choice(videos)["id"] if account else None,
                "value_cents": value,
                "quantity": quantity,
                "total_value_cents": value * quantity,
                "voided_at": self.instant() if self.sometimes(0.1) else None,
                "occurred_at": at,
                "created_at": self.recorded(creator["organization_id"], at),
            }
        )

    def recorded(self, organization: UUID, occurred_at: datetime) -> datetime:
        """Return when a conversion is recorded: at once, at another time, or at a switch."""
        switches = self.of_organization("organization_conversion_payouts", organization)
        at_switches = [row["valid_from"] for row in switches] or [occurred_at]
        return self.random.choice((occurred_at, self.instant(), self.random.choice(at_switches)))

    def switch(self, organization: UUID) -> None:
        """Turn conversion payouts off or on at an instant."""
        rows = self.of_organization("organization_conversion_payouts", organization)
        at = self.instant()
        if all(row["valid_from"] != at for row in rows):
            row = {"organization_id": organization, "is_enabled": self.sometimes(0.4)}
            self.operational["organization_conversion_payouts"].append({**row, "valid_from": at})

    # Changes

    def change_decisions(self) -> None:
        self.turn += 1
        super().change_decisions()
        for change, share, table in (
            (self.reconsider_conversions, 0.3, "organizations"),
            (self.reconsider_assignment, 0.1, "payout_assignments"),
            (self.reconsider_pause, 0.3, "payout_pauses"),
            (self.reconsider_structure, 0.15, "payout_structures"),
            (self.reconsider_settings, 0.1, "organizations"),
        ):
            for row in list(self.operational[table]):
                if self.sometimes(share):
                    change(row)

    def move(self, organization: Row) -> None:
        """Structures with frozen accruals keep their zone (money.md M15)."""
        frozen = {
            row["structure_id"]
            for row in self.operational["payout_payment_accruals"]
            if row["is_live"]
        }
        for structure in self.of_organization("payout_structures", organization["id"]):
            if structure["id"] in frozen and structure["timezone"] is None:
                structure["timezone"] = organization["analytics_tz"]
        organization["analytics_tz"] = self.random.choice(self.ZONES)

    def reconsider_conversions(self, organization: Row) -> None:
        """Void some, delete some, and record some more."""
        conversions = self.operational["conversions"]
        for row in self.of_organization("conversions", organization["id"]):
            if self.sometimes(0.15):
                row["voided_at"] = self.since_last_run()
            elif self.sometimes(0.1):
                conversions.remove(row)
        for creator in self.of_organization("creators", organization["id"]):
            self.add_conversions(creator)

    def reconsider_settings(self, organization: Row) -> None:
        organization["payout_settling_days"] = self.random.choice((0, 0, 2, 7))
        if self.sometimes(0.3):
            self.switch(organization["id"])
