"""Comments, their sums by post and day: against a plain calculation, over random histories.

Runs add to what is published; whatever came, late or in order, was said, rescored, decided or taken
back since, the marts are those of the plain calculation and of a full refresh.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given

from tests.dbt_project.harness import Harness, dbt, insert, selected
from tests.dbt_project.histories import ONE_NEW, SEEDS
from tests.dbt_project.test_published_runs import LATER, publish_marts
from tests.oracles.comments import SIGNALS, World, by_day, comments_there, counts, text_id, told
from warehouse.control import Run
from warehouse.zones import offset_spans

BEGIN = datetime(2026, 3, 4, tzinfo=UTC)
ZONES = ("UTC", "America/St_Johns", "Europe/Berlin")
SENTIMENTS = ("positive", "neutral", "negative", None)
OTHERS = {"brand_mention", "competitor"}
Row = dict[str, Any]
NEEDED = selected("comments", "video_comments", "video_comment_daily")


class CommentHistory:
    """What crawls through the comments of twelve posts showed on thirty days, in batches."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.organizations = {UUID(int=100 + n): zone for n, zone in enumerate(ZONES)}
        self.videos = {UUID(int=1000 + n): self._video(n) for n in range(12)}
        self.texts = [f"text {n} 💬" for n in range(40)]
        self.scores = {text: self._score() for text in self.texts[:35]}
        self.mentions = {
            (organization, text): self._mentioned()
            for organization in self.organizations
            for text in self.texts[:35]
        }
        self.left: dict[UUID, Row] = {}
        self.comments: list[Row] = []
        self.comment_crawls: list[Row] = []

    @property
    def world(self) -> World:
        return World(self.videos, self.organizations, self.scores, self.mentions)

    def batches(self) -> Iterator[dict[str, list[Row]]]:
        """Yield batches, some of them with crawls older than those of earlier ones."""
        for number in range(1, 9):
            comment_crawls, comments = [], []
            for video_id in self.random.sample(sorted({**self.videos, **self.left}), 8):
                comment_crawl, comment_rows = self._comment_crawl(video_id)
                comment_crawls.append({**comment_crawl, "batch_seq": number})
                comments.extend({**row, "batch_seq": number} for row in comment_rows)
            self.comment_crawls += comment_crawls
            self.comments += comments
            yield {"comments": comments, "comment_walks": comment_crawls}

    def decide_anew(self) -> None:
        """Let posts change hands and status, come and go, and an organization move."""
        for video in self.videos.values():
            if self.random.random() < 0.2:
                video["creator_id"] = self.random.choice([None, UUID(int=50), UUID(int=51)])
            if self.random.random() < 0.2:
                video["tracking_status"] = self.random.choice(["included", "excluded"])
        moved = self.random.choice(list(self.organizations))
        self.organizations[moved] = self.random.choice(ZONES)
        left, self.left = self.left, {}
        for video_id in self.random.sample(sorted(self.videos), self.random.randint(0, 1)):
            self.left[video_id] = self.videos.pop(video_id)
        self.videos |= left

    def score_anew(self) -> tuple[dict[str, Row], dict[tuple[UUID, str], list[str]]]:
        """Return what another version of the scorer, and changed terms, say of some texts."""
        scores = {text: self._score() for text in self.random.sample(self.texts, 4)}
        organization = self.random.choice(list(self.organizations))
        mentions = {
            (organization, text): self._mentioned() for text in self.random.sample(self.texts, 6)
        }
        self.scores |= scores
        self.mentions |= mentions
        return scores, mentions

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

    def _mentioned(self) -> list[str]:
        return self.random.sample(sorted(OTHERS), self.random.randint(0, 2))

    def _comment_crawl(self, video_id: UUID) -> tuple[Row, list[Row]]:
        began = BEGIN + timedelta(minutes=self.random.randint(0, 30 * 24 * 60))
        comment_rows = [
            self._comment(video_id, name, began)
            for name in self.random.sample("abcdefghij", self.random.randint(0, 8))
        ]
        ending = self.random.choice(["ok", "ok", "rate_limited", "challenged"])
        comment_crawl = {
            "video_id": video_id,
            "outcome": ending,
            "is_complete": ending == "ok" and self.random.random() < 0.7,
            "collected_count": len(comment_rows),
            "source": "tiktok.comment_list",
            "started_at": began,
            "finished_at": began + timedelta(minutes=5),
        }
        return comment_crawl, comment_rows

    def _comment(self, video_id: UUID, name: str, began: datetime) -> Row:
        posted = BEGIN - timedelta(hours=sum(map(ord, name)) * (video_id.int % 7 + 1) * 3)
        is_told = name < "h" and self.random.random() < 0.9
        return {
            "video_id": video_id,
            "platform_comment_id": name,
            "text": self.random.choice(self.texts),
            "like_count": self.random.choice([None, 0, 3, 12]),
            "author_unique_id": "ann",
            "posted_at": posted if is_told else None,
            "captured_at": began + timedelta(seconds=30),
            "source": "tiktok.comment_list",
        }


def score(
    harness: Harness,
    scores: Mapping[str, Row],
    mentions: Mapping[tuple[UUID, str], list[str]],
    *,
    score_seq: int,
) -> None:
    """Write what a pass of the scoring step would."""
    versions = {"language": "en", "rules_version": "r", "sentiment_model": "m", "scored_at": BEGIN}
    of_pass = {"score_seq": score_seq}
    scored = [
        {**versions, **row, **of_pass, "text_id": text_id(text)} for text, row in scores.items()
    ]
    looked = [
        {
            **of_pass,
            "organization_id": organization,
            "text_id": text_id(text),
            "signals": signals,
            "terms_version": "t",
        }
        for (organization, text), signals in mentions.items()
    ]
    counted = {"up_to_batch_seq": 0, "texts": len(scored), "mentions": len(looked)}
    noted = {name: versions[name] for name in ("rules_version", "sentiment_model", "scored_at")}
    with harness.connect() as connection:
        insert(connection, "raw.comment_scores", scored)
        insert(connection, "raw.comment_mentions", looked)
        insert(connection, "raw.comment_scorings", [{**of_pass, **counted, **noted}])


def chosen(rows: list[Row], names: tuple[str, ...]) -> list[Row]:
    return [{name: row[name] for name in names} for row in rows]


class Story:
    """Plays a history into a warehouse, run by run."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.history, self.harness = CommentHistory(seed), Harness(folder)
        self.harness.decide(**self.history.operational())
        replaced = {"sentiment": "negative", "signals": ["risk"]}
        scores, mentions = self.history.scores, self.history.mentions
        score(self.harness, dict.fromkeys(scores, replaced), {}, score_seq=1)
        score(self.harness, scores, mentions, score_seq=2)
        self.batches = self.history.batches()
        self.passes = 2

    def arrive(self) -> None:
        for batch in islice(self.batches, 2):
            self.harness.ingest(**batch)

    def change(self) -> None:
        """Let the posts' owners decide, and what is said of texts be said anew."""
        self.history.decide_anew()
        self.harness.decide(**self.history.operational())
        self.passes += 1
        score(self.harness, *self.history.score_anew(), score_seq=self.passes)

    def assert_marts_agree(self, as_of: datetime) -> None:
        harness, history = self.harness, self.history
        comments = [row for row in history.comments if row["batch_seq"] <= harness.batch_seq]
        comment_crawls = [
            row for row in history.comment_crawls if row["batch_seq"] <= harness.batch_seq
        ]
        expected = told(comments_there(comments, comment_crawls, as_of), history.world)
        assert expected
        rows = sorted(harness.rows("comments"), key=lambda row: str(row["comment_id"]))
        assert chosen(rows, tuple(expected[0])) == expected
        assert_summed(harness, expected, comment_crawls, history.world, as_of)


@given(seed=SEEDS)
@ONE_NEW
def test_every_run_agrees_with_the_plain_calculation(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """Of which one was built and never published, and one had nothing new but the time.

    Each publication holds what the marts do, also of months that lie in files.
    """
    story = Story(tmp_path_factory.mktemp("comments"), seed)
    for number, days in enumerate((12, 18, 22, 40, 41)):
        story.arrive()
        if number:
            story.change()
        as_of = BEGIN + timedelta(days=days)
        if number == 2:
            story.harness.build(story.harness.begin(as_of=as_of), *NEEDED)
            continue
        run = story.harness.begin(as_of=as_of)
        assert run.is_full_refresh == (number == 0)
        story.harness.build(run, *(NEEDED if number else ()))
        publish_marts(story.harness, as_of + LATER)
        story.harness.promote(run)
        story.assert_marts_agree(as_of)
    go_on(story.harness, later := as_of + timedelta(days=1))
    story.assert_marts_agree(later)
    go_on(story.harness, later, full_refresh=True)
    story.assert_marts_agree(later)


def test_a_run_shows_anew_what_is_new_alone(settled: tuple[Harness, datetime]) -> None:
    """A mark on every row stays with the comments that were there, and goes with sums of the post
    that was crawled since."""
    harness, as_of = settled
    comments = harness.column("marts.comments", "comment_id")
    posts = {mart: sorted(harness.column(f"marts.{mart}", "video_id")) for mart in SUMS}
    crawled = posts["video_comment_daily"][0]
    with harness.connect() as connection:
        connection.execute("update marts.comments set like_count = -1")
        for mart in SUMS:
            connection.execute(f"update marts.{mart} set comment_count = -1")
    comment_crawl(harness, crawled, as_of)

    run = go_on(harness, as_of=as_of + timedelta(minutes=1))

    assert not run.is_full_refresh
    assert harness.column("marts.comments", "comment_id", "like_count = -1") == comments
    assert len(harness.column("marts.comments", "comment_id")) == len(comments) + 1
    for mart in SUMS:
        left = sorted(harness.column(f"marts.{mart}", "video_id", "comment_count = -1"))
        assert left == [post for post in posts[mart] if post != crawled]


def test_what_a_complete_crawl_no_longer_shows_is_gone(settled: tuple[Harness, datetime]) -> None:
    harness, as_of = settled
    comments = harness.column("marts.comments", "comment_id")
    crawled = max(harness.column("marts.comments", "video_id"))
    own = harness.column("marts.comments", "comment_id", f"video_id = uuid '{crawled}'")
    at = as_of + timedelta(minutes=1)
    ended = {"outcome": "ok", "is_complete": True, "collected_count": 0, "source": "web"}
    harness.ingest(
        comment_walks=[{**ended, "video_id": crawled, "started_at": at, "finished_at": at}]
    )

    run = go_on(harness, as_of=at)

    assert not run.is_full_refresh
    assert harness.column("marts.comments", "comment_id") == comments - own


def test_no_comment_is_missed_where_batches_land_in_another_order(
    settled: tuple[Harness, datetime],
) -> None:
    """Crawls of two workers that came to no end; the one that began first lands last."""
    harness, as_of = settled
    crawled = min(harness.column("marts.comments", "video_id"))
    comment_crawl(harness, crawled, as_of + timedelta(minutes=3))
    go_on(harness, as_of=as_of + timedelta(minutes=4))
    comment_crawl(harness, crawled, as_of + timedelta(minutes=2))

    run = go_on(harness, as_of=as_of + timedelta(minutes=5))

    test = "assert_what_was_copied_and_said_is_in_the_marts"
    dbt("test", "--select", test, path=harness.path, state=harness.folder, run=run)


SUMS = ("video_comments", "video_comment_daily")


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Harness, datetime]:
    """A warehouse of which the last run is published, and when that was."""
    story = Story(tmp_path_factory.mktemp("settled"), seed=1)
    for _ in range(4):
        story.arrive()
    as_of = BEGIN + timedelta(days=40)
    story.harness.run(as_of=as_of)
    return story.harness, as_of


def go_on(harness: Harness, as_of: datetime, *, full_refresh: bool = False) -> Run:
    """Run what comments are made of, over a warehouse that has everything."""
    run = harness.begin(as_of=as_of, full_refresh=full_refresh)
    harness.build(run, *NEEDED)
    harness.promote(run)
    return run


def comment_crawl(harness: Harness, video_id: UUID, at: datetime) -> None:
    """Let a crawl end that came to no end and showed what an earlier one did not."""
    seen = {"video_id": video_id, "source": "web"}
    ended = {"outcome": "ok", "is_complete": False, "collected_count": 1}
    harness.ingest(
        comments=[{**seen, "platform_comment_id": "new", "text": "new", "captured_at": at}],
        comment_walks=[{**seen, **ended, "started_at": at, "finished_at": at}],
    )


def assert_summed(
    harness: Harness, comments: list[Row], comment_crawls: list[Row], world: World, as_of: datetime
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
                comment_crawl["finished_at"]
                for comment_crawl in comment_crawls
                if comment_crawl["video_id"] == video["video_id"]
                and comment_crawl["finished_at"] <= as_of
                and (comment_crawl["outcome"] == "ok" or comment_crawl["collected_count"])
            ),
            default=None,
        )
