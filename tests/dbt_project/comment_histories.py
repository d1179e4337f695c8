"""Random histories of comments, their scores and the owners of their posts."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from tests.dbt_project.harness import Harness, insert
from tests.oracles.comments import SIGNALS, World, text_id
from warehouse.zones import offset_spans

BEGIN = datetime(2026, 3, 4, tzinfo=UTC)
ZONES = ("UTC", "America/St_Johns", "Europe/Berlin")
SENTIMENTS = ("positive", "neutral", "negative", None)
OTHERS = {"brand_mention", "competitor"}
Row = dict[str, Any]


def project_of(organization: UUID) -> UUID:
    return UUID(int=10 * organization.int)


def creators_of(organization: UUID) -> list[UUID]:
    return [UUID(int=10 * organization.int + number) for number in (1, 2)]


class CommentHistory:
    """Comment crawls of twelve posts on thirty days, in batches."""

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
        """Yield batches; some contain crawls older than those of earlier batches."""
        for number in range(1, 9):
            comment_crawls, comments = [], []
            for video_id in self.random.sample(sorted({**self.videos, **self.left}), 8):
                comment_crawl, comment_rows = self._comment_crawl(video_id)
                comment_crawls.append({**comment_crawl, "batch_seq": number})
                comments.extend({**row, "batch_seq": number} for row in comment_rows)
            self.comment_crawls += comment_crawls
            self.comments += comments
            yield {"comments": comments, "comment_walks": comment_crawls}

    def change_decisions(self) -> None:
        """Change owners and statuses, remove and restore posts, and move an organization."""
        for video in self.videos.values():
            if self.random.random() < 0.2:
                video["creator_id"] = self._creator(video["organization_id"])
            if self.random.random() < 0.2:
                video["tracking_status"] = self.random.choice(["included", "excluded"])
        moved = self.random.choice(list(self.organizations))
        self.organizations[moved] = self.random.choice(ZONES)
        left, self.left = self.left, {}
        for video_id in self.random.sample(sorted(self.videos), self.random.randint(0, 1)):
            self.left[video_id] = self.videos.pop(video_id)
        self.videos |= left

    def change_scores(self) -> tuple[dict[str, Row], dict[tuple[UUID, str], list[str]]]:
        """Return new scores and mentions of some texts, as after new scorer versions or terms."""
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
            "creators": [
                {
                    "id": creator,
                    "organization_id": organization,
                    "project_id": project_of(organization),
                }
                for organization in self.organizations
                for creator in creators_of(organization)
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
        organization = self.random.choice(list(self.organizations))
        return {
            "id": UUID(int=1000 + number),
            "organization_id": organization,
            "project_id": project_of(organization),
            "creator_id": self._creator(organization),
            "platform": self.random.choice(["tiktok", "instagram"]),
            "tracking_status": self.random.choice(["included", "auto_tracked", "excluded"]),
        }

    def _creator(self, organization: UUID) -> UUID | None:
        return self.random.choice([None, *creators_of(organization)])

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
            "is_complete": self.random.random() < 0.7,  # even refused ones in earlier versions
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
    """Write what one run of the scoring step writes."""
    versions = {"language": "en", "rules_version": "r", "sentiment_model": "m", "scored_at": BEGIN}
    of_pass = {"score_seq": score_seq}
    scored = [
        {**versions, **row, **of_pass, "text_id": text_id(text)} for text, row in scores.items()
    ]
    mention_rows = [
        {
            **of_pass,
            "organization_id": organization,
            "text_id": text_id(text),
            "signals": signals,
            "terms_version": "t",
        }
        for (organization, text), signals in mentions.items()
    ]
    counted = {"up_to_batch_seq": 0, "texts": len(scored), "mentions": len(mention_rows)}
    noted = {name: versions[name] for name in ("rules_version", "sentiment_model", "scored_at")}
    with harness.connect() as connection:
        insert(connection, "raw.comment_scores", scored)
        insert(connection, "raw.comment_mentions", mention_rows)
        insert(connection, "raw.comment_scorings", [{**of_pass, **counted, **noted}])
