"""Causes that may change rows of each int_touched_* model, as listed in its description."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from tests.dbt_project.changed_worlds import ChangedWorld
from tests.dbt_project.histories import ORGANIC
from tests.oracles.payout_world import (
    ACCOUNT,
    CREATOR,
    EVENT,
    OTHER,
    OTHERS_ACCOUNT,
    OWNER,
    at,
    day,
)

SCOPE = {"platform_scope": "all", "platform": None, "account_id": None}
GOALS = {"mode": "all", "n": None, "partial_allowed": True, "partial_multiplier": 1}
RATES = [{"conversion_event_id": str(EVENT), "rate_type": "flat", "amount_cents": 50}]
THRESHOLDS = [{"view_count": 1_500, "amount_cents": 700, "currency": "USD"}]
TERMS: dict[str, dict[str, Any]] = {
    "cpm": {},
    "recurring": {"amount_cents": 300, "proration_mode": "prorate"},
    "goals": {"amount_cents": 900, "criteria_params": {**GOALS, "min_completion_pct": 0}},
    "conversion": {"criteria_params": {"cadence": "weekly", "rates": RATES}},
    "view_threshold": {"criteria_params": {"thresholds": THRESHOLDS}},
}
CAMPAIGN = UUID(int=9)
WEB = {"source": "web"}


class CauseWorld(ChangedWorld):
    """A post read once a day, a conversion, a goal, a campaign, and one rule that pays."""

    def __init__(self, kind: str, zone: str, *, is_backfilled: bool) -> None:
        super().__init__(zone)
        self.kind = kind
        period = {"cpm": "daily", "view_threshold": None}.get(kind, "weekly")
        if kind == "cpm":
            self.cpm(period)
        else:
            self.rule(kind, period, backfill_on_assignment=is_backfilled, **TERMS[kind])
        self.assign(2)
        self.own_post = self.post(at(2))
        for number in range(3, 11):
            self.read(self.own_post, at(number), 400 * number)
            self.follow(ACCOUNT, at(number), 10 * number)
        self.others_post = self.post(at(2))
        self.others_post.update(account_id=OTHERS_ACCOUNT, creator_id=OTHER)
        self.read(self.others_post, at(5), 70)
        self.goal = self.add_goal("views", 10_000)
        self.converted = self.conversion(at(5))
        self.tables["campaigns"].append({"id": CAMPAIGN, **OWNER})
        self.item = self.add_item(video_id=self.own_post["id"])
        self.see("first", at(9))

    def follow(self, account: UUID, instant: datetime, followers: int) -> None:
        reading = {"account_id": account, "captured_at": instant, "is_exact": True, **WEB}
        self.observed["account_snapshots"].append({**reading, "follower_count": followers})

    def add_goal(self, metric: str, target: int) -> dict[str, Any]:
        state = {"metric": metric, "target_value": target, "period": "weekly", **SCOPE}
        dates = {"start_date": None, "end_date": None, "valid_from": at(1)}
        live = {"is_active": True, "is_deleted": False, "creator_id": CREATOR}
        goal = self.add("goal_states", **live, **state, **dates)
        goal["goal_id"] = goal["id"]
        return goal

    def conversion(self, instant: datetime) -> dict[str, Any]:
        row = self.convert(instant)
        row["created_at"] = instant
        return row

    def add_item(self, **member: UUID) -> dict[str, Any]:
        item = {"campaign_id": CAMPAIGN, "creator_id": None, "video_id": None}
        self.tables["campaign_items"].append({**item, "child_campaign_id": None, **member})
        return self.tables["campaign_items"][-1]

    def see(self, text: str, instant: datetime) -> None:
        """Add a comment and a complete crawl with it."""
        about = {"video_id": self.own_post["id"], "captured_at": instant, **WEB}
        self.observed["comments"].append({**about, "platform_comment_id": text, "text": text})
        self.crawl(instant, comments=1)

    def score(self) -> None:
        """Score a comment's text that no other cause uses."""
        self.scores["scored"] = {"sentiment": "negative", "signals": ["risk"]}

    def mention(self) -> None:
        """Match the comment's text with the organization's terms."""
        self.mentions[OWNER["organization_id"], "first"] = ["brand_mention"]

    def crawl(self, instant: datetime, *, comments: int) -> None:
        times = {"started_at": instant, "finished_at": instant}
        outcome = {"outcome": "ok", "is_complete": True, "collected_count": comments, **WEB}
        self.observed["comment_walks"].append({"video_id": self.own_post["id"], **times, **outcome})


Change = Callable[[CauseWorld], object]


@dataclass(frozen=True)
class Cause:
    """A change between two runs, in a world with one rule of this kind."""

    change: Change
    kind: str = "cpm"
    before: Change = lambda _: None
    zone: str = "UTC"
    is_backfilled: bool = False

    def world(self) -> ChangedWorld:
        return CausedWorld(self)


class CausedWorld(CauseWorld):
    """A world that a cause changes."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(cause.kind, cause.zone, is_backfilled=cause.is_backfilled)
        self.cause = cause
        cause.before(self)

    def change(self) -> None:
        self.cause.change(self)


def move(zone: str) -> Change:
    return lambda world: world.tables["organizations"][0].update(analytics_tz=zone)


def own_post(**columns: Any) -> Change:
    return lambda world: world.own_post.update(columns)


def hand_over(world: CauseWorld) -> None:
    """Give the post to the other creator from the 6th on."""
    owner = {"account_id": OTHERS_ACCOUNT, "creator_id": OTHER}
    first = {"account_id": ACCOUNT, "creator_id": CREATOR, "valid_from": at(1)}
    about = {"video_id": world.own_post["id"]}
    world.own_post.update(owner)
    world.tables["video_owners"] += [{**about, **first}, {**about, **owner, "valid_from": at(6)}]


def without_days(first: int, following: int) -> Change:
    """End the assignment before a day of March, and start another on a later day."""

    def change(world: CauseWorld) -> None:
        world.tables["payout_assignments"][0]["end_date"] = day(first - 1)
        world.assign(following)

    return change


def read_organic(world: CauseWorld) -> None:
    """Add organic views between two readings with paid ones, which then start again."""
    for hour, views in ((6, 1_000), (7, 1_070)):
        world.read(world.own_post, at(6, hour), views, source=ORGANIC)


def rest(world: CauseWorld) -> None:
    about = {"account_id": ACCOUNT, "deactivated_at": at(7), "reactivated_at": None}
    world.tables["account_deactivations"].append(about)


def remove_account(world: CauseWorld) -> None:
    world.tables["accounts"][0].update(is_active=False, removed_at=at(8))


def switch_off(world: CauseWorld) -> None:
    owner = {"organization_id": OWNER["organization_id"]}
    row = {**owner, "is_enabled": False, "valid_from": at(4)}
    world.tables["organization_conversion_payouts"].append(row)


def change_goal(**terms: Any) -> Change:
    return lambda world: world.add("goal_states", **{**world.goal, "valid_from": at(6), **terms})


def begin_today(world: CauseWorld) -> None:
    world.tables["payout_assignments"].clear()
    world.assign(11)


READINGS: dict[str, Cause] = {
    "a new reading": Cause(lambda world: world.read(world.own_post, at(11), 9_000)),
    "a late reading": Cause(lambda world: world.read(world.own_post, at(6, 20), 3_900)),
    "a late reading of organic views": Cause(read_organic),
    "a reading of a time that was to come": Cause(
        lambda _: None, before=lambda world: world.read(world.own_post, at(11), 9_000)
    ),
    "another zone": Cause(move("Pacific/Apia")),
}
FOLLOWERS: dict[str, Cause] = {
    "a new reading": Cause(lambda world: world.follow(ACCOUNT, at(11), 900)),
    "a late reading": Cause(lambda world: world.follow(ACCOUNT, at(6, 20), 900)),
    "a reading of a time that was to come": Cause(
        lambda _: None, before=lambda world: world.follow(ACCOUNT, at(11), 900)
    ),
    "another zone": Cause(move("Pacific/Apia")),
}
POSTS: dict[str, Cause] = {
    "an excluded post": Cause(own_post(tracking_status="excluded")),
    "a post that counts now": Cause(
        own_post(tracking_status="included"), before=own_post(tracking_status="pending_review")
    ),
    "another owner": Cause(hand_over),
    "another day of posting": Cause(own_post(posted_at=at(1))),
}
CAUSES: dict[str, dict[str, Cause]] = {
    "int_touched_videos": READINGS,
    "int_touched_accounts": FOLLOWERS,
    "int_touched_creators": {
        **{f"{name} of a post": cause for name, cause in READINGS.items()},
        **{f"{name} of an account": cause for name, cause in FOLLOWERS.items()},
        **POSTS,
        "a removed account": Cause(remove_account),
    },
    "int_touched_campaigns": {
        **{f"{name} of a post": cause for name, cause in READINGS.items()},
        **POSTS,
        "a member that comes": Cause(lambda world: world.add_item(creator_id=OTHER)),
        "a member that goes": Cause(lambda world: world.tables["campaign_items"].clear()),
    },
    "int_touched_goals": {
        **{f"{name} of a post": cause for name, cause in READINGS.items()},
        **POSTS,
        "another day of posting": Cause(
            own_post(posted_at=at(10)), before=lambda world: world.add_goal("posts", 9)
        ),
        "followers": Cause(
            lambda world: world.follow(ACCOUNT, at(11), 900),
            before=lambda world: world.add_goal("followers", 100),
        ),
        "a removed account": Cause(
            remove_account, before=lambda world: world.add_goal("followers", 100)
        ),
        "an account at rest": Cause(rest, before=lambda world: world.add_goal("followers", 100)),
        "a goal that is set": Cause(lambda world: world.add_goal("views", 7)),
        "a goal that changes": Cause(change_goal(target_value=7)),
        "a goal that is deleted": Cause(change_goal(is_deleted=True)),
        "a post whose time has come": Cause(
            lambda _: None,
            before=lambda world: (world.add_goal("posts", 9), world.post(at(11))),
        ),
    },
    "int_touched_payees": {
        **{f"{name} of a post": cause for name, cause in READINGS.items()},
        **POSTS,
        "an assignment that ends": Cause(without_days(9, 31)),
        "an assignment that loses days": Cause(without_days(9, 11)),
        "an assignment that begins": Cause(lambda world: world.assign(2, creator=OTHER)),
        "an assignment that begins earlier": Cause(
            lambda world: world.assign(2), before=begin_today
        ),
        "a pause that is recorded late": Cause(lambda world: world.pause(at(8))),
        "a pause that ends": Cause(
            lambda world: world.tables["payout_pauses"][0].update(restarted_at=at(9)),
            before=lambda world: world.pause(at(8)),
        ),
        "a pause between assignments": Cause(
            lambda world: world.pause(at(4), at(4)),
            kind="conversion",
            before=lambda world: (without_days(4, 16)(world), world.conversion(at(3))),
            is_backfilled=True,
        ),
        "a pause between assignments, of thresholds": Cause(
            lambda world: world.pause(at(3), at(5)),
            kind="view_threshold",
            before=without_days(4, 10),
            is_backfilled=True,
        ),
        "a version of before the last run": Cause(
            lambda world: world.cpm("daily", min_impressions=500, created_at=at(9))
        ),
        "a period that begins": Cause(
            lambda _: None,
            kind="recurring",
            before=lambda world: world.tables["payout_versions"][0].update(period="daily"),
            zone="America/Los_Angeles",
        ),
        "a first covered day that comes": Cause(
            lambda _: None,
            kind="conversion",
            before=begin_today,
            zone="America/Los_Angeles",
            is_backfilled=True,
        ),
        "a conversion": Cause(lambda world: world.conversion(at(6)), kind="conversion"),
        "a voided conversion": Cause(
            lambda world: world.converted.update(voided_at=at(6)), kind="conversion"
        ),
        "a deleted conversion": Cause(
            lambda world: world.tables["conversions"].clear(), kind="conversion"
        ),
        "conversions that pay no longer": Cause(switch_off, kind="conversion"),
        "a goal that changes": Cause(change_goal(target_value=9_000), kind="goals"),
        "a goal that is deleted": Cause(change_goal(is_deleted=True), kind="goals"),
    },
    "int_touched_comments": {
        "a comment": Cause(lambda world: world.see("second", at(11))),
        "a score": Cause(CauseWorld.score, before=lambda world: world.see("scored", at(10))),
        "a mention": Cause(CauseWorld.mention),
        "a comment that is no longer shown": Cause(lambda world: world.crawl(at(11), comments=0)),
        "another zone": Cause(move("Pacific/Apia")),
        "another owner": Cause(own_post(creator_id=OTHER)),
        "an excluded post": Cause(own_post(tracking_status="excluded")),
    },
}
CAUSES["int_touched_suspects"] = {
    "a reading that falls": Cause(lambda world: world.read(world.own_post, at(11), 900)),
    "a late reading that falls": Cause(lambda world: world.read(world.own_post, at(6, 20), 900)),
    "a reading of a time that was to come": Cause(
        lambda _: None, before=lambda world: world.read(world.own_post, at(11), 900)
    ),
}
CAUSES["int_touched_commented_videos"] = CAUSES["int_touched_comments"]

SHOWN_BY = {
    "int_touched_videos": ("video_deltas", "video_daily"),
    "int_touched_suspects": ("reading_anomalies",),
    "int_touched_accounts": ("account_snapshots", "account_daily"),
    "int_touched_creators": ("creator_daily",),
    "int_touched_campaigns": ("campaign_daily",),
    "int_touched_goals": ("goal_compliance",),
    "int_touched_payees": ("payout_earnings",),
    "int_touched_comments": ("comments", "video_comments", "video_comment_daily"),
    "int_touched_commented_videos": ("video_comments", "video_comment_daily"),
}
"""Marts whose rows a model selects for recomputation."""

ELSEWHERE = {
    "int_touched_accruals": "test_touched_accruals: decisions and payments name accruals of a run",
    "int_touched_forecasts": "its unit test: forecasts begin after four weeks",
    "int_touched_payees_by_conversions": "a part of int_touched_payees",
    "int_touched_payees_by_goals": "a part of int_touched_payees",
}
"""Models whose causes are tested elsewhere, and where."""
