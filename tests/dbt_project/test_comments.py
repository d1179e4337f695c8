"""Comments, their sums by post and day: against a plain calculation, over random histories."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

from tests.dbt_project.harness import Harness, insert
from tests.oracles.comments import SIGNALS, World, by_day, comments_there, counts, text_id, told
from warehouse.zone_offsets import offset_spans

BEGIN = datetime(2026, 3, 4, tzinfo=UTC)
ZONES = ("UTC", "America/St_Johns", "Europe/Berlin")
SENTIMENTS = ("positive", "neutral", "negative", None)
OTHERS = {"brand_mention", "competitor"}
Row = dict[str, Any]


class CommentHistory:
    """What walks through the comments of twelve posts showed on thirty days, in batches."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.organizations = {UUID(int=100 + n): zone for n, zone in enumerate(ZONES)}
        self.videos = {UUID(int=1000 + n): self._video(n) for n in range(12)}
        self.texts = [f"text {n} 💬" for n in range(40)]
        self.scores = {text: self._score() for text in self.texts[:35]}
        self.mentions = {
            (organization, text): self.random.sample(sorted(OTHERS), self.random.randint(0, 2))
            for organization in self.organizations
            for text in self.texts[:35]
        }
        self.comments: list[Row] = []
        self.walks: list[Row] = []

    @property
    def world(self) -> World:
        return World(self.videos, self.organizations, self.scores, self.mentions)

    def batches(self) -> Iterator[dict[str, list[Row]]]:
        """Yield batches, some of them with walks that took place before those of the one before."""
        for number in range(1, 9):
            walks, comments = [], []
            for video_id in self.random.sample(sorted(self.videos), 8):
                walk, shown = self._walk(video_id)
                walks.append({**walk, "batch_seq": number})
                comments.extend({**row, "batch_seq": number} for row in shown)
            self.walks += walks
            self.comments += comments
            yield {"comments": comments, "comment_walks": walks}

    def operational(self) -> dict[str, list[Row]]:
        return {
            "organizations": [
                {"id": organization, "name": "one", "analytics_tz": zone}
                for organization, zone in self.organizations.items()
            ],
            "videos": list(self.videos.values()),
            "zone_offsets": [
                {
                    "zone": zone,
                    "starts_at": span.starts_at,
                    "ends_at": span.ends_at,
                    "utc_offset_seconds": span.utc_offset_seconds,
                }
                for zone in ZONES
                for span in offset_spans(zone, BEGIN - timedelta(900), BEGIN + timedelta(900))
            ],
        }

    def _video(self, number: int) -> Row:
        return {
            "id": UUID(int=1000 + number),
            "organization_id": self.random.choice(list(self.organizations)),
            "project_id": UUID(int=7),
            "creator_id": self.random.choice([None, UUID(int=50), UUID(int=51)]),
            "platform": self.random.choice(["tiktok", "instagram"]),
            "tracking_status": self.random.choice(["included", "auto_tracked", "excluded"]),
        }

    def _score(self) -> Row:
        names = sorted(set(SIGNALS) - OTHERS)
        return {
            "sentiment": self.random.choice(SENTIMENTS),
            "signals": self.random.sample(names, self.random.randint(0, 3)),
        }

    def _walk(self, video_id: UUID) -> tuple[Row, list[Row]]:
        began = BEGIN + timedelta(minutes=self.random.randint(0, 30 * 24 * 60))
        shown = [
            self._comment(video_id, name, began)
            for name in self.random.sample("abcdefghij", self.random.randint(0, 8))
        ]
        ending = self.random.choice(["ok", "ok", "rate_limited", "challenged"])
        walk = {
            "video_id": video_id,
            "outcome": ending,
            "is_complete": ending == "ok" and self.random.random() < 0.7,
            "collected_count": len(shown),
            "source": "tiktok.comment_list",
            "started_at": began,
            "finished_at": began + timedelta(minutes=5),
        }
        return walk, shown

    def _comment(self, video_id: UUID, name: str, began: datetime) -> Row:
        posted = BEGIN - timedelta(minutes=sum(map(ord, name)) * (video_id.int % 7 + 1) * 13)
        return {
            "video_id": video_id,
            "platform_comment_id": name,
            "text": self.random.choice(self.texts),
            "like_count": self.random.choice([None, 0, 3, 12]),
            "author_unique_id": "ann",
            "posted_at": posted if name < "h" else None,
            "captured_at": began + timedelta(seconds=30),
            "source": "tiktok.comment_list",
        }


def score(harness: Harness, history: CommentHistory) -> None:
    """Write what the scoring step would, and a score that a later one replaced."""
    said = {"language": "en", "rules_version": "r", "scored_at": BEGIN}
    rows = [
        {
            **said,
            "text_id": text_id(text),
            "sentiment": row["sentiment"],
            "sentiment_model": "m",
            "signals": row["signals"],
            "score_seq": 2,
        }
        for text, row in history.scores.items()
    ]
    replaced = [
        {**row, "signals": ["risk"], "sentiment": "negative", "score_seq": 1} for row in rows
    ]
    mentions = [
        {
            "organization_id": organization,
            "text_id": text_id(text),
            "signals": signals,
            "terms_version": "t",
            "score_seq": 1,
        }
        for (organization, text), signals in history.mentions.items()
    ]
    with harness.connect() as connection:
        insert(connection, "raw.comment_scores", rows + replaced)
        insert(connection, "raw.comment_mentions", mentions)


def chosen(rows: list[Row], names: tuple[str, ...]) -> list[Row]:
    return [{name: row[name] for name in names} for row in rows]


def test_every_run_agrees_with_the_plain_calculation(tmp_path: Path) -> None:
    history = CommentHistory(seed=0)
    harness = Harness(tmp_path)
    harness.decide(**history.operational())
    score(harness, history)
    batches = list(history.batches())
    for part, days in ((batches[:4], 18), (batches[4:], 40)):
        for batch in part:
            harness.ingest(**batch)
        as_of = BEGIN + timedelta(days=days)
        harness.run(as_of=as_of)
        known = [row for row in history.comments if row["batch_seq"] <= harness.batch_seq]
        walks = [row for row in history.walks if row["batch_seq"] <= harness.batch_seq]
        expected = told(comments_there(known, walks, as_of), history.world)
        assert expected
        found = sorted(harness.rows("comments"), key=lambda row: str(row["comment_id"]))
        assert chosen(found, tuple(expected[0])) == expected
        assert_summed(harness, expected, walks, history.world, as_of)


def assert_summed(
    harness: Harness, comments: list[Row], walks: list[Row], world: World, as_of: datetime
) -> None:
    days = {(row["video_id"], row["day"]): row for row in harness.rows("video_comment_daily")}
    expected = by_day(comments, world)
    assert {
        key: {name: days[key][name] for name in each} for key, each in expected.items()
    } == expected
    assert set(days) == set(expected)
    for video in harness.rows("video_comments"):
        of_video = counts(row for row in comments if row["video_id"] == video["video_id"])
        assert {name: video[name] for name in of_video} == of_video
        assert video["last_collected_at"] == max(
            (
                walk["finished_at"]
                for walk in walks
                if walk["video_id"] == video["video_id"]
                and walk["finished_at"] <= as_of
                and (walk["outcome"] == "ok" or walk["collected_count"])
            ),
            default=None,
        )
