"""Random histories with runs minutes to hours apart and decisions that reach back.

Each organization decides little between two runs, so that no other change makes a run recompute
what a decision should.
"""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any, ClassVar
from uuid import UUID

from tests.dbt_project.histories import (
    ACCOUNT_COUNTS,
    BEGIN,
    ORGANIC,
    STATUSES,
    VIDEO_COUNTS,
    Row,
)
from tests.dbt_project.payout_histories import PayoutHistory

GAPS = (1, 15, 50, 200, 500, 1000, 1500, 4000)
"""Minutes between two runs."""
TEXTS = ("nice", "love this brand", "where can I buy it", "scam", "not an #ad", "👍")


class ReachingHistory(PayoutHistory):
    """Decisions and readings may be of any time, even before the first run."""

    READINGS = (0, 2, 6, 15)
    STRAYS = 0.1
    ASSIGNMENTS = (1, 1, 1, 2)
    LENGTHS = (None, None, None, None, 2, 15)

    last_run: datetime | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.scores: dict[str, Row] = {}
        self.mentions: dict[tuple[UUID, str], list[str]] = {}
        super().__init__(*arguments, **options)

    def as_of(self, _run: int) -> datetime:
        if self.last_run is None:
            self.last_run = BEGIN + timedelta(
                minutes=self.random.randrange(9 * 24 * 60, 30 * 24 * 60)
            )
        gap = timedelta(minutes=self.random.choice(GAPS), seconds=self.random.randrange(60))
        self.last_run += gap
        return self.last_run

    def last(self) -> datetime:
        return self.as_of(self.runs)

    def instant(self) -> datetime:
        """Return an instant, often in the hours and days before the last run."""
        if self.sometimes(0.4):
            return super().instant()
        hours = self.random.choice((3, 24, 72, 240))
        return self.as_ofs[-1] - timedelta(seconds=self.random.randrange(hours * 3600))

    def since_last_run(self) -> datetime:
        """Return an instant up to the next run, usually before the last one."""
        if self.sometimes(0.3):
            return super().since_last_run()
        return min(self.instant(), self.as_ofs[self.turn])

    # Changes

    def change_decisions(self) -> None:
        self.turn += 1
        for organization in list(self.operational["organizations"]):
            for _ in range(self.random.choice((0, 1, 2, 3, 4))):
                self.random.choice(self.CHANGES)(self, organization)

    def one_of(self, table: str, organization: Row) -> Row | None:
        rows = self.of_organization(table, organization["id"])
        return self.random.choice(rows) if rows else None

    def start(self) -> date:
        return super().start() - timedelta(days=self.random.choice((0, 7, 14)))

    def end_assignment(self, organization: Row) -> None:
        """End it on any of its days, even a paid one."""
        if assignment := self.one_of("payout_assignments", organization):
            day = self.since_last_run().date() + timedelta(days=self.random.randrange(-2, 2))
            assignment["end_date"] = max(assignment["start_date"], day)

    def take_days_out(self, organization: Row) -> None:
        """End an assignment and restart it days later: the API changes no start date."""
        first = self.since_last_run().date()
        covering = [
            row
            for row in self.of_organization("payout_assignments", organization["id"])
            if row["start_date"] < first and row["end_date"] is None
        ]
        for assignment in covering[:2]:
            assignment["end_date"] = first - timedelta(days=1)
            self.assign_from(assignment, first + timedelta(days=self.random.choice((1, 1, 2, 6))))

    def move_assignment(self, organization: Row) -> None:
        """Correct a start date: end the assignment on its first day and add another one."""
        if assignment := self.one_of("payout_assignments", organization):
            assignment["end_date"] = assignment["start_date"]
            self.assign_from(assignment, self.since_last_run().date())

    def assign_again(self, organization: Row) -> None:
        if assignment := self.one_of("payout_assignments", organization):
            self.assign_from(assignment, self.since_last_run().date())

    def assign_from(self, assignment: Row, day: date) -> None:
        structure = {**assignment, "id": assignment["structure_id"]}
        self.assign(structure, assignment["creator_id"], day)

    def assign_creator(self, organization: Row) -> None:
        """Assign a random creator, who may be new to the structure."""
        structure = self.one_of("payout_structures", organization)
        creator = self.one_of("creators", organization)
        if structure and creator:
            self.assign(structure, creator["id"], self.since_last_run().date())

    def reopen_assignment(self, organization: Row) -> None:
        if assignment := self.one_of("payout_assignments", organization):
            assignment["end_date"] = None

    def pause_creator(self, organization: Row) -> None:
        if creator := self.one_of("creators", organization):
            self.pause(creator, self.since_last_run())

    def resume_creator(self, organization: Row) -> None:
        if pause := self.one_of("payout_pauses", organization):
            if pause["restarted_at"] is None:
                pause["restarted_at"] = max(pause["paused_at"], self.since_last_run())
            else:
                self.reconsider_pause(pause)

    def change_rule(self, organization: Row) -> None:
        if structure := self.one_of("payout_structures", organization):
            self.reconsider_structure(structure)

    def change_status(self, organization: Row) -> None:
        if video := self.one_of("videos", organization):
            video["tracking_status"] = self.random.choice(STATUSES)
            self.date_status(video, self.since_last_run())

    def change_owner(self, organization: Row) -> None:
        if video := self.one_of("videos", organization):
            self.hand_over(video, self.accounts_of(video["project_id"]))

    def change_posting(self, organization: Row) -> None:
        if video := self.one_of("videos", organization):
            video["posted_at"] = self.instant() if self.sometimes(0.8) else None

    def give_goal(self, organization: Row) -> None:
        if creator := self.one_of("creators", organization):
            self.set_goal(creator)

    def change_a_goal(self, organization: Row) -> None:
        if state := self.one_of("goal_states", organization):
            self.change_goal(state)

    def convert(self, organization: Row) -> None:
        creator = self.one_of("creators", organization)
        event = self.one_of("conversion_events", organization)
        if creator and event:
            self.add_conversion(creator, event, self.since_last_run())

    def void_conversion(self, organization: Row) -> None:
        if conversion := self.one_of("conversions", organization):
            conversion["voided_at"] = self.since_last_run() if self.sometimes(0.7) else None

    def delete_conversion(self, organization: Row) -> None:
        if conversion := self.one_of("conversions", organization):
            self.operational["conversions"].remove(conversion)

    def switch_conversions(self, organization: Row) -> None:
        self.switch(organization["id"])

    def change_settling(self, organization: Row) -> None:
        organization["payout_settling_days"] = self.random.choice((0, 0, 2, 7))

    def change_account(self, organization: Row) -> None:
        if account := self.one_of("accounts", organization):
            self.reconsider_account(account)
            account["removed_at"] = None if account["is_active"] else self.since_last_run()

    def rest_account(self, organization: Row) -> None:
        if account := self.one_of("accounts", organization):
            self.rest(account)

    def change_campaign(self, organization: Row) -> None:
        campaign = self.one_of("campaigns", organization)
        if campaign is None:
            return
        items = self.operational["campaign_items"]
        mine = [item for item in items if item["campaign_id"] == campaign["id"]]
        if mine and self.sometimes(0.5):
            items.remove(self.random.choice(mine))
        else:
            self.add_item(campaign["id"], *self.of_project(campaign["project_id"]))

    def read_late(self, organization: Row) -> None:
        """Add late readings of one post or account, of any earlier time."""
        table, key, counts = self.random.choice(
            (
                ("video_snapshots", "video_id", VIDEO_COUNTS),
                ("video_snapshots", "video_id", VIDEO_COUNTS),
                ("account_snapshots", "account_id", ACCOUNT_COUNTS),
            )
        )
        if entity := self.one_of(table.replace("_snapshots", "s"), organization):
            for _ in range(self.random.choice((1, 1, 3))):
                level = self.random.choice((0, 40, 900, 60_000, 990_000, 5_000_000))
                counters: dict[str, object] = {
                    name: None if self.sometimes(0.3) else self.later(level) for name in counts
                }
                source = self.random.choice(("web", ORGANIC))
                how = {"is_exact": not self.sometimes(0.3), "source": source}
                at = {key: entity["id"], "captured_at": self.since_last_run()}
                self.arriving[self.turn].append((table, {**at, **how, **counters}))

    def crawl_comments(self, organization: Row) -> None:
        """Add a crawl of any earlier time; comments may be new or gone."""
        video = self.one_of("videos", organization)
        if video is None:
            return
        at = {"captured_at": self.since_last_run(), "source": "web"}
        texts = self.random.sample(TEXTS, self.random.randrange(len(TEXTS)))
        for text in texts:
            comment = {"video_id": video["id"], "platform_comment_id": f"{video['id']} {text}"}
            unknown = {"like_count": None, "posted_at": None}
            self.arriving[self.turn].append(
                ("comments", {**comment, "text": text, **unknown, **at})
            )
        times = {"started_at": at["captured_at"], "finished_at": at["captured_at"]}
        outcome = {"outcome": "ok", "is_complete": self.sometimes(0.7), "source": at["source"]}
        walk = {"video_id": video["id"], "collected_count": len(texts), **times, **outcome}
        self.arriving[self.turn].append(("comment_walks", walk))

    def judge_text(self, organization: Row) -> None:
        """Score a text, or match it with the organization's terms."""
        text = self.random.choice(TEXTS)
        if self.sometimes(0.5):
            sentiment = self.random.choice(("positive", "neutral", "negative"))
            self.scores[text] = {"sentiment": sentiment, "signals": self.signals("risk")}
        else:
            self.mentions[organization["id"], text] = self.signals("brand_mention")

    def signals(self, name: str) -> list[str]:
        return [name] if self.sometimes(0.5) else []

    CHANGES: ClassVar[tuple[Callable[["ReachingHistory", Row], None], ...]] = (
        *(take_days_out,) * 6,
        *(move_assignment,) * 4,
        end_assignment,
        end_assignment,
        assign_again,
        assign_creator,
        reopen_assignment,
        pause_creator,
        resume_creator,
        change_rule,
        change_rule,
        change_status,
        change_owner,
        change_posting,
        give_goal,
        change_a_goal,
        convert,
        void_conversion,
        delete_conversion,
        switch_conversions,
        change_settling,
        change_account,
        rest_account,
        change_campaign,
        read_late,
        read_late,
        read_late,
        crawl_comments,
        crawl_comments,
        judge_text,
        PayoutHistory.move,
    )
    """Decisions of an organization; repeated ones are more frequent."""
