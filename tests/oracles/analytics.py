"""The marts computed slowly in Python, from the rules alone.

No SQL and no code of the models: every mart is a loop over readings in order of time. Rules:
decisions.md, Analytics and Counted; money.md M2 (days) and M7 (rounded readings).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import chain
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from tests.oracles.meanings import on_one_scale
from tests.oracles.milestones import milestones

Row = Mapping[str, Any]
Days = dict[date, dict[str, Any]]

VIDEO_COUNTERS = {
    "view": "views",
    "like": "likes",
    "comment": "comments",
    "share": "shares",
    "save": "saves",
}
ACCOUNT_COUNTERS = ("follower", "following", "total_likes", "video")
COUNTED = ("auto_tracked", "included", "direct_add")


@dataclass(frozen=True)
class Facts:
    """All inputs of the marts; operational rows by table name."""

    as_of: datetime
    operational: Mapping[str, Sequence[Row]]
    video_snapshots: Sequence[Row]
    account_snapshots: Sequence[Row]
    scrape_outcomes: Sequence[Row]


def marts(facts: Facts) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every mart but marts.run, in any order."""
    return _Analytics(facts).marts()


def least_possible(count: int) -> int:
    """Return the smallest count that a rounded count can stand for."""
    if count < 1_000:
        return count
    step = 100
    if count >= 1_000_000_000:
        step = 100_000_000
    elif count >= 1_000_000:
        step = 100_000
    return count - step // 2 if count % step == 0 else count


def read_in_order(readings: Iterable[Row], counters: Iterable[str]) -> list[dict[str, Any]]:
    """Return one entity's counts and changes at each instant."""
    at: dict[datetime, list[Row]] = defaultdict(list)
    for reading in readings:
        at[reading["captured_at"]].append(reading)
    names = list(counters)
    last_used: dict[str, int] = {}
    last_exact: dict[str, int] = {}
    labelled = []
    for instant in sorted(at):
        together = at[instant]
        row: dict[str, Any] = {
            "captured_at": instant,
            "source": ",".join(sorted({reading["source"] for reading in together})),
            "is_first": not labelled,
        }
        rests_on_rounded = False
        for name in names:
            known = [r for r in together if r[f"{name}_count"] is not None]
            exact = [r[f"{name}_count"] for r in known if r["is_exact"]]
            used = None
            if exact:
                used = last_exact_here = max(exact)
            elif known:
                rests_on_rounded = True
                used = max(least_possible(r[f"{name}_count"]) for r in known)
                used = max(used, last_exact.get(name, used))
            row[f"{name}_count"] = used
            row[f"{name}_delta"] = None if used is None else used - last_used.get(name, 0)
            if used is not None:
                last_used[name] = used
            if exact:
                last_exact[name] = last_exact_here
        row["is_exact"] = any(r["is_exact"] for r in together) and not rests_on_rounded
        labelled.append(row)
    _put_on_one_scale(labelled, chain(*at.values()))
    return labelled


def _put_on_one_scale(labelled: Iterable[dict[str, Any]], readings: Iterable[Row]) -> None:
    views = on_one_scale(readings, least_possible) or {}
    for row in labelled:
        if (scaled := views.get(row["captured_at"])) is not None:
            row["view_count"], row["view_delta"] = scaled.count, scaled.delta
            row["is_exact"] = row["is_exact"] and scaled.is_exact


class _Analytics:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.as_of = facts.as_of
        tables = facts.operational
        self.zones = {o["id"]: ZoneInfo(o["analytics_tz"]) for o in tables["organizations"]}
        self.videos = {v["id"]: v for v in tables["videos"]}
        self.accounts = {a["id"]: a for a in tables["accounts"]}
        self.creators = {c["id"]: c for c in tables["creators"]}
        self.campaigns = {c["id"]: c for c in tables["campaigns"]}
        self.items = tables["campaign_items"]
        self.video_rows = self._walk(facts.video_snapshots, "video_id", VIDEO_COUNTERS)
        self.account_rows = self._walk(facts.account_snapshots, "account_id", ACCOUNT_COUNTERS)
        self.video_days = {
            video: self._video_days(rows, self.videos[video])
            for video, rows in self.video_rows.items()
            if video in self.videos
        }
        self.account_days = {
            account: self._account_days(rows, self.accounts[account])
            for account, rows in self.account_rows.items()
            if account in self.accounts
        }
        self.counted = [v for v in self.videos.values() if v["tracking_status"] in COUNTED]
        self.active = [
            a for a in self.accounts.values() if a["is_active"] and a["deactivated_at"] is None
        ]

    def marts(self) -> dict[str, list[dict[str, Any]]]:
        of_campaign = {campaign: self._members(campaign) for campaign in self.campaigns}
        creator_daily = [
            row
            for creator in self.creators.values()
            for row in self._daily(
                "creator_id",
                creator,
                self._counted_of(creator),
                [a for a in self.active if a["creator_id"] == creator["id"]],
            )
        ]
        return {
            "videos": [self._video(v) for v in self.videos.values()],
            "accounts": [self._account(a) for a in self.accounts.values()],
            "view_coverage": list(self._coverage()),
            "video_deltas": _labelled(self.video_rows, "video_id"),
            "account_snapshots": [
                {name: value for name, value in row.items() if name != "is_first"}
                for row in _labelled(self.account_rows, "account_id")
            ],
            "view_baselines": list(self._baselines()),
            "video_daily": _labelled(
                {v: list(days.values()) for v, days in self.video_days.items()}, "video_id"
            ),
            "account_daily": _labelled(
                {a: list(days.values()) for a, days in self.account_days.items()}, "account_id"
            ),
            "creator_daily": creator_daily,
            "creator_milestones": milestones(creator_daily),
            "campaign_daily": [
                row
                for campaign in self.campaigns.values()
                for row in self._daily("campaign_id", campaign, *of_campaign[campaign["id"]])
            ],
            "campaign_creator_daily": [
                row
                for campaign, (videos, _) in of_campaign.items()
                for row in self._days_by_creator(self.campaigns[campaign], videos)
            ],
            "campaign_quarter_hours": [
                row
                for campaign, (videos, _) in of_campaign.items()
                for row in self._quarters("campaign_id", self.campaigns[campaign], videos)
            ],
            "creator_quarter_hours": [
                row
                for creator in self.creators.values()
                for row in self._quarters("creator_id", creator, self._counted_of(creator))
            ],
            "creator_videos": [
                {"creator_id": creator["id"], **self._place_of(video)}
                for creator in self.creators.values()
                for video in self._counted_of(creator)
            ],
            "campaign_videos": [
                {
                    "campaign_id": campaign,
                    "creator_id": video["creator_id"],
                    **self._place_of(video),
                }
                for campaign, (videos, _) in of_campaign.items()
                for video in videos
            ],
            "campaign_accounts": [
                {
                    "campaign_id": campaign,
                    "account_id": account["id"],
                    "organization_id": account["organization_id"],
                    "first_captured_at": self._account(account)["first_captured_at"],
                }
                for campaign, (_, accounts) in of_campaign.items()
                for account in accounts
            ],
            "scrape_freshness": [self._freshness(a) for a in self.active],
        }

    def _walk(
        self, readings: Sequence[Row], key: str, counters: Iterable[str]
    ) -> dict[UUID, list[dict[str, Any]]]:
        by_entity: dict[UUID, list[Row]] = defaultdict(list)
        for reading in readings:
            if reading["captured_at"] <= self.as_of:
                by_entity[reading[key]].append(reading)
        return {entity: read_in_order(rows, counters) for entity, rows in by_entity.items()}

    def _baselines(self) -> Iterator[dict[str, Any]]:
        """Yield the readings at which the meaning of a post's views changed."""
        by_video: dict[UUID, list[Row]] = defaultdict(list)
        for reading in self.facts.video_snapshots:
            if reading["captured_at"] <= self.as_of:
                by_video[reading["video_id"]].append(reading)
        for video, readings in by_video.items():
            for at, scaled in (on_one_scale(readings, least_possible) or {}).items():
                if scaled.is_baseline:
                    yield {
                        "video_id": video,
                        "captured_at": at,
                        "meaning": scaled.meaning,
                        "views_read": scaled.read,
                        "view_count": scaled.count,
                    }

    def _day(self, instant: datetime, entity: Row) -> date:
        return instant.astimezone(self.zones[entity["organization_id"]]).date()

    def _video_days(self, rows: Sequence[Row], video: Row) -> Days:
        days: Days = {}
        total: dict[str, int | None] = dict.fromkeys(VIDEO_COUNTERS)
        for row in rows:
            day = self._day(row["captured_at"], video)
            if day not in days:
                days[day] = {"day": day, "readings": 0}
                for name, counted in VIDEO_COUNTERS.items():
                    days[day][f"new_{counted}"] = None if total[name] is None else 0
            days[day]["readings"] += 1
            for name, counted in VIDEO_COUNTERS.items():
                if row[f"{name}_count"] is not None:
                    total[name] = row[f"{name}_count"]
                    gained = days[day][f"new_{counted}"] or 0
                    days[day][f"new_{counted}"] = gained + row[f"{name}_delta"]
                days[day][f"cumulative_{counted}"] = total[name]
        return days

    def _account_days(self, rows: Sequence[Row], account: Row) -> Days:
        days: Days = {}
        total: dict[str, int | None] = dict.fromkeys(ACCOUNT_COUNTERS)
        for row in rows:
            day = self._day(row["captured_at"], account)
            if day not in days:
                before = total["follower"]
                days[day] = {
                    "day": day,
                    "readings": 0,
                    "new_followers": None if before is None else 0,
                }
            days[day]["readings"] += 1
            if row["follower_delta"] is not None:
                gained = days[day]["new_followers"] or 0
                days[day]["new_followers"] = gained + row["follower_delta"]
            for name in ACCOUNT_COUNTERS:
                if row[f"{name}_count"] is not None:
                    total[name] = row[f"{name}_count"]
                days[day][f"{name}_count"] = total[name]
        return days

    def _latest(self, rows: Sequence[Row], counters: Iterable[str]) -> dict[str, Any]:
        return {
            "first_captured_at": rows[0]["captured_at"] if rows else None,
            "last_captured_at": rows[-1]["captured_at"] if rows else None,
            **{
                name: value
                for counter in counters
                for name, value in self._last(rows, counter).items()
            },
        }

    def _last(self, rows: Sequence[Row], counter: str) -> dict[str, Any]:
        """Return the last known count, its time, and the time of the first count."""
        known_rows = [row for row in rows if row[f"{counter}_count"] is not None]
        return {
            f"{counter}_count": known_rows[-1][f"{counter}_count"] if known_rows else None,
            f"{counter}_captured_at": known_rows[-1]["captured_at"] if known_rows else None,
            f"{counter}_first_captured_at": known_rows[0]["captured_at"] if known_rows else None,
        }

    def _video(self, video: Row) -> dict[str, Any]:
        same = (
            "organization_id",
            "project_id",
            "account_id",
            "creator_id",
            "platform",
            "platform_video_id",
            "url",
            "caption",
            "media_type",
            "duration_seconds",
            "tracking_status",
            "posted_at",
        )
        return {
            "video_id": video["id"],
            "title": self._title(video),
            **{name: video.get(name) for name in same},
            "is_counted": video["tracking_status"] in COUNTED,
            "posted_at_awaited_until": (
                video["created_at"] + timedelta(hours=48)
                if video["posted_at_is_estimate"]
                else None
            ),
            "views_due_from": video["created_at"] if self._shows_views(video) else None,
            "views_due_until": min((at for at in self._off(video) if at), default=None),
            **self._latest(self.video_rows.get(video["id"], []), VIDEO_COUNTERS),
            **{f"{name}_before_tracking": self._before(video, name) for name in VIDEO_COUNTERS},
        }

    def _before(self, video: Row, counter: str) -> int | None:
        """Return the first count of a post that is older than its tracking, else 0."""
        counts = [row[f"{counter}_count"] for row in self.video_rows.get(video["id"], [])]
        counts = [count for count in counts if count is not None]
        if not counts:
            return None
        was_made = video["posted_at"]
        return 0 if was_made is not None and was_made > self._tracked_from(video) else counts[0]

    def _tracked_from(self, video: Row) -> datetime:
        """Return the first reading of the post, its account or another post of the account."""
        read = [self.video_rows[video["id"]]]
        if video["account_id"] is not None:
            read += [
                self.video_rows.get(other["id"], [])
                for other in self.videos.values()
                if other["account_id"] == video["account_id"]
            ]
            read.append(self.account_rows.get(video["account_id"], []))
        return min(row["captured_at"] for rows in read for row in rows)

    @staticmethod
    def _title(video: Row) -> str | None:
        """Return the custom title or, on TikTok, the caption's first line that is not blank."""
        if video.get("custom_title") is not None or video["platform"] != "tiktok":
            return video.get("custom_title")
        lines = [line.strip() for line in (video.get("caption") or "").splitlines()]
        return next((line[:100] for line in lines if line), None)

    @staticmethod
    def _shows_views(video: Row) -> bool:
        is_still = video["media_type"] in {"photo", "carousel"}
        return not (video["tracking_disabled"] or (video["platform"] == "instagram" and is_still))

    @staticmethod
    def _off(video: Row) -> list[datetime | None]:
        return [video[name] for name in ("plan_limit_paused_at", "frozen_at", "stopped_at")]

    def _account(self, account: Row) -> dict[str, Any]:
        same = (
            "organization_id",
            "project_id",
            "creator_id",
            "platform",
            "handle",
            "display_name",
            "is_active",
        )
        return {
            "account_id": account["id"],
            **{name: account.get(name) for name in same},
            "is_deactivated": account["deactivated_at"] is not None,
            **self._latest(self.account_rows.get(account["id"], []), ACCOUNT_COUNTERS),
        }

    def _coverage(self) -> Iterator[dict[str, Any]]:
        """Yield planned and successful readings of views of seven days, by account and campaign."""
        members = {("account", account): [] for account in self.accounts}
        for video in self.counted:
            if video["account_id"] is not None:
                members["account", video["account_id"]].append(video)
        for campaign in self.campaigns:
            members["campaign", campaign] = self._members(campaign)[0]
        for (entity, entity_id), videos in members.items():
            days = [day for video in videos for day in self._due_days(video)]
            if days:
                owner = (
                    self.accounts[entity_id] if entity == "account" else self.campaigns[entity_id]
                )
                today = self._day(self.as_of, owner)
                yield {
                    "organization_id": owner["organization_id"],
                    "entity": entity,
                    "entity_id": entity_id,
                    "from_day": today - timedelta(days=7),
                    "to_day": today - timedelta(days=1),
                    "readings_due": len(days),
                    "readings_came": sum(days),
                }

    def _due_days(self, video: Row) -> Iterator[bool]:
        """Yield for each of the last seven planned days whether views were read."""
        account = self.accounts.get(video["account_id"])
        if account is not None and not account["is_active"]:
            return
        if not self._shows_views(video):
            return
        days_read = {
            self._day(row["captured_at"], video)
            for row in self.video_rows.get(video["id"], [])
            if row["view_count"] is not None
        }
        until = min((self._day(at, video) for at in self._off(video) if at), default=date.max)
        for back in range(7, 0, -1):
            day = self._day(self.as_of, video) - timedelta(days=back)
            if self._day(video["created_at"], video) < day < until:
                yield day in days_read

    def _members(self, campaign: UUID) -> tuple[list[Row], list[Row]]:
        inside, todo = {campaign}, [campaign]
        while todo:
            parent = todo.pop()
            for item in self.items:
                child = item["child_campaign_id"]
                if item["campaign_id"] == parent and child is not None and child not in inside:
                    inside.add(child)
                    todo.append(child)
        items = [item for item in self.items if item["campaign_id"] in inside]
        creators = {item["creator_id"] for item in items} - {None}
        direct = {item["video_id"] for item in items} - {None}
        videos = [v for v in self.counted if v["creator_id"] in creators or v["id"] in direct]
        creators |= {v["creator_id"] for v in videos} - {None}
        return videos, [a for a in self.active if a["creator_id"] in creators]

    def _counted_of(self, creator: Row) -> list[Row]:
        return [v for v in self.counted if v["creator_id"] == creator["id"]]

    def _appeared_at(self, video: Row) -> datetime | None:
        rows = self.video_rows.get(video["id"], [])
        instant: datetime | None = video["posted_at"] or (rows[0]["captured_at"] if rows else None)
        return None if instant is None or instant > self.as_of else instant

    def _appeared_on(self, video: Row) -> date | None:
        instant = self._appeared_at(video)
        return self._day(instant, video) if instant else None

    def _place_of(self, video: Row) -> dict[str, Any]:
        return {
            "video_id": video["id"],
            "organization_id": video["organization_id"],
            "appeared_at": self._appeared_at(video),
            "first_captured_at": self._video(video)["first_captured_at"],
        }

    def _days_by_creator(self, campaign: Row, videos: Sequence[Row]) -> list[dict[str, Any]]:
        rows = []
        for creator in {video["creator_id"] for video in videos}:
            own = [video for video in videos if video["creator_id"] == creator]
            read = [self.video_days.get(video["id"], {}) for video in own]
            appeared = [self._appeared_on(video) for video in own]
            days = {day for day in appeared if day is not None}.union(*read)
            for day in days:
                today = [of_video[day] for of_video in read if day in of_video]
                rows.append(
                    {
                        "organization_id": campaign["organization_id"],
                        "project_id": campaign["project_id"],
                        "campaign_id": campaign["id"],
                        "creator_id": creator,
                        "day": day,
                        "new_videos": appeared.count(day),
                        **{
                            f"new_{counted}": _sum(row[f"new_{counted}"] for row in today)
                            for counted in VIDEO_COUNTERS.values()
                        },
                    }
                )
        return rows

    def _quarters(self, key: str, entity: Row, videos: Sequence[Row]) -> list[dict[str, Any]]:
        read: dict[datetime, list[Row]] = defaultdict(list)
        for video in videos:
            for row in self.video_rows.get(video["id"], []):
                at = row["captured_at"]
                read[at.replace(minute=at.minute // 15 * 15, second=0, microsecond=0)].append(row)
        return [
            {
                "organization_id": entity["organization_id"],
                key: entity["id"],
                "quarter_at": quarter,
                **{
                    f"new_{counted}": _sum(row[f"{name}_delta"] for row in rows)
                    for name, counted in VIDEO_COUNTERS.items()
                },
            }
            for quarter, rows in read.items()
        ]

    def _daily(
        self, key: str, entity: Row, videos: Sequence[Row], accounts: Sequence[Row]
    ) -> list[dict[str, Any]]:
        appeared = [self._appeared_on(video) for video in videos]
        read = [self.video_days.get(video["id"], {}) for video in videos]
        followed = [self.account_days.get(account["id"], {}) for account in accounts]
        days = sorted({day for day in appeared if day is not None}.union(*read, *followed))
        rows: list[dict[str, Any]] = []
        for day in days:
            row = {
                "organization_id": entity["organization_id"],
                "project_id": entity["project_id"],
                key: entity["id"],
                "day": day,
                "new_videos": sum(1 for other in appeared if other == day),
                "cumulative_videos": sum(1 for other in appeared if other and other <= day),
                "followers": _sum(_last_by(days_, day, "follower_count") for days_ in followed),
            }
            for counted in VIDEO_COUNTERS.values():
                column = f"cumulative_{counted}"
                row[column] = _sum(_last_by(days_, day, column) for days_ in read)
            before = rows[-1] if rows else {}
            for total, gain in _GAINS.items():
                known = row[total] is not None
                row[gain] = row[total] - (before.get(total) or 0) if known else None
            rows.append(row)
        return rows

    def _freshness(self, account: Row) -> dict[str, Any]:
        fetches = sorted(
            (
                fetch
                for fetch in self.facts.scrape_outcomes
                if fetch["account_id"] == account["id"]
                and fetch["video_id"] is None
                and fetch["finished_at"] <= self.as_of
            ),
            key=lambda fetch: (fetch["finished_at"], fetch["job_type"], fetch["outcome"]),
        )
        profile = _last_success(fetches, lambda fetch: fetch["job_type"] == "creator_profiles")
        discovery = _last_success(fetches, lambda fetch: fetch["job_type"] == "discover_videos")
        success = _last_success(fetches, lambda _: True)
        same = ("organization_id", "project_id", "creator_id", "platform", "handle")
        return {
            "account_id": account["id"],
            **{name: account[name] for name in same},
            "last_profile_at": profile,
            "last_discovery_at": discovery,
            "last_outcome": fetches[-1]["outcome"] if fetches else None,
            "last_outcome_at": fetches[-1]["finished_at"] if fetches else None,
            "failures_since_success": sum(
                1 for fetch in fetches if success is None or fetch["finished_at"] > success
            ),
            "is_stale_profile": profile is None or self.as_of - profile > timedelta(hours=28),
            "is_stale_discovery": (
                discovery is None or self.as_of - discovery > timedelta(hours=48)
            ),
        }


_GAINS = {
    **{f"cumulative_{counted}": f"new_{counted}" for counted in VIDEO_COUNTERS.values()},
    "followers": "new_followers",
}


def _labelled(rows_of: Mapping[UUID, Sequence[Row]], key: str) -> list[dict[str, Any]]:
    return [{key: entity, **row} for entity, rows in rows_of.items() for row in rows]


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _last_by(days: Days, day: date, column: str) -> int | None:
    """Return the value on the last of `days` up to `day`."""
    until = [other for other in days if other <= day]
    value: int | None = days[max(until)][column] if until else None
    return value


def _last_success(fetches: Iterable[Row], condition: Callable[[Row], bool]) -> datetime | None:
    return max(
        (
            fetch["finished_at"]
            for fetch in fetches
            if fetch["outcome"] == "ok" and condition(fetch)
        ),
        default=None,
    )
