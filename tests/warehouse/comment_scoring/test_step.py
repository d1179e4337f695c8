"""The comment scoring step: each text once, configured terms, nothing lost when killed."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import duckdb
import pytest

from tests.dbt_project.harness import insert
from tests.factories.tables import taking_nulls
from tests.oracles.comments import text_id
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.comment_scoring import pending
from warehouse.comment_scoring.scorer import Sentiment
from warehouse.comment_scoring.step import Scoring, score_comments
from warehouse.connection import create_tables

ACME, OTHER = UUID(int=1), UUID(int=2)
VIDEOS = {ACME: UUID(int=11), OTHER: UUID(int=12)}
NOON = datetime(2026, 5, 20, 12, tzinfo=UTC)
BUDGET = 10.0
SCORED_UP_TO = "select max(up_to_batch_seq) from raw.comment_scorings"
Connection = duckdb.DuckDBPyConnection


class Model:
    """A sentiment model that finds every text positive and records its calls."""

    def __init__(self, name: str = "fan-1", fails_at: str | None = None) -> None:
        self.name = name
        self.fails_at = fails_at
        self.asked: list[str] = []
        self.seconds = 0.0

    def now(self) -> float:
        """Return the time of a clock that each text advances by four seconds."""
        return self.seconds

    def score(self, texts: Sequence[str]) -> list[Sentiment]:
        if self.fails_at in texts:
            raise KeyboardInterrupt
        self.asked += texts
        self.seconds += 4 * len(texts)
        return [Sentiment("en", "positive", 0.75) for _ in texts]


@pytest.fixture
def warehouse() -> Iterator[Connection]:
    with duckdb.connect() as connection:
        connection.execute("set TimeZone = 'UTC'")
        create_tables(connection)
        for table in OPERATIONAL:
            connection.execute(taking_nulls(table))
        insert(
            connection,
            "operational.organizations",
            [{"id": ACME, "name": "Acme"}, {"id": OTHER, "name": "Other"}],
        )
        insert(
            connection,
            "operational.videos",
            [{"id": video, "organization_id": owner} for owner, video in VIDEOS.items()],
        )
        yield connection


def collect(warehouse: Connection, batch_seq: int, *texts: str, owner: UUID = ACME) -> None:
    rows = [
        {
            "video_id": VIDEOS[owner],
            "platform_comment_id": f"{batch_seq}-{number}",
            "text": text,
            "captured_at": NOON,
            "source": "test",
            "batch_seq": batch_seq,
        }
        for number, text in enumerate(texts)
    ]
    batch = {"batch_id": UUID(int=batch_seq), "batch_seq": batch_seq, "kind": "scrape"}
    counts = {"video_snapshots": 0, "account_snapshots": 0, "scrape_outcomes": 0}
    insert(warehouse, "raw.comments", rows)
    insert(warehouse, "raw.batches", [{**batch, **counts, "ingested_at": NOON}])


def set_terms(warehouse: Connection, owner: UUID, brand: list[str], competitors: list[str]) -> None:
    warehouse.execute("delete from operational.comment_settings where organization_id = ?", [owner])
    row = {"organization_id": owner, "min_comment_count": 5, "brand_terms": brand}
    insert(warehouse, "operational.comment_settings", [{**row, "competitor_terms": competitors}])


def scores(warehouse: Connection) -> list[tuple[Any, ...]]:
    return warehouse.sql(
        "select text_id, sentiment, sentiment_score::double, signals, sentiment_model, score_seq"
        " from raw.comment_scores order by score_seq, text_id"
    ).fetchall()


def mentions(warehouse: Connection) -> dict[tuple[UUID, UUID], list[str]]:
    """Return the current mentions: those of the latest scoring."""
    rows = warehouse.sql(
        "select organization_id, text_id, signals from raw.comment_mentions"
        " qualify score_seq = max(score_seq) over (partition by organization_id, text_id)"
        " order by score_seq"
    ).fetchall()
    return {(owner, text): signals for owner, text, signals in rows}


def test_scores_equal_texts_once(warehouse: Connection) -> None:
    model = Model()
    collect(warehouse, 1, "is this an ad?", "hello", "hello")
    collect(warehouse, 2, "hello", owner=OTHER)

    assert score_comments(warehouse, model) == Scoring(texts=2, mentions=3)
    assert sorted(model.asked) == ["hello", "is this an ad?"]
    ad, hello = text_id("is this an ad?"), text_id("hello")
    assert set(warehouse.sql("select text_id, signals[1] from raw.comment_scores").fetchall()) == {
        (ad, "ad_disclosure"),
        (hello, None),
    }
    assert {row[1:3] for row in scores(warehouse)} == {("positive", 0.75)}


def test_a_second_run_reads_only_new_comments(warehouse: Connection) -> None:
    model = Model()
    collect(warehouse, 1, "hello")
    score_comments(warehouse, model)
    collect(warehouse, 2, "hello", "bye")

    assert score_comments(warehouse, model) == Scoring(texts=1, mentions=1)
    assert score_comments(warehouse, model) == Scoring(texts=0, mentions=0)
    assert model.asked == ["hello", "bye"]


@pytest.mark.slow
def test_comments_ingested_before_their_post_is_copied_are_searched_by_the_next_run(
    warehouse: Connection,
) -> None:
    score_comments(warehouse, Model())
    warehouse.execute("create temp table posts as from operational.videos")
    warehouse.execute("delete from operational.videos")
    collect(warehouse, 1, "I use acme")
    assert score_comments(warehouse, Model()) == Scoring(texts=1, mentions=0)

    warehouse.execute("insert into operational.videos from posts")
    collect(warehouse, 2, "bye")

    assert score_comments(warehouse, Model()) == Scoring(texts=1, mentions=2)
    assert mentions(warehouse)[ACME, text_id("I use acme")] == ["brand_mention"]
    assert score_comments(warehouse, Model()) == Scoring(texts=0, mentions=0)


@pytest.mark.slow
def test_another_version_scores_only_old_texts_again(warehouse: Connection) -> None:
    collect(warehouse, 1, "hello")
    score_comments(warehouse, Model("fan-1"))

    assert score_comments(warehouse, Model("fan-2")).texts == 0
    assert score_comments(warehouse, Model("fan-2"), rescores=True).texts == 1
    assert score_comments(warehouse, Model("fan-2"), rescores=True).texts == 0
    assert [row[4:] for row in scores(warehouse)] == [("fan-1", 1), ("fan-2", 2)]


def test_searches_the_name_without_configured_terms(warehouse: Connection) -> None:
    collect(warehouse, 1, "I use acme", "other things")
    collect(warehouse, 2, "other is better", owner=OTHER)
    score_comments(warehouse, Model())

    assert mentions(warehouse) == {
        (ACME, text_id("I use acme")): ["brand_mention"],
        (ACME, text_id("other things")): [],
        (OTHER, text_id("other is better")): ["brand_mention"],
    }


def test_changed_terms_search_all_comments_of_the_organization(
    warehouse: Connection,
) -> None:
    collect(warehouse, 1, "acme or zeta")
    collect(warehouse, 2, "acme or zeta", owner=OTHER)
    score_comments(warehouse, Model())
    set_terms(warehouse, ACME, ["Alpha"], ["Zeta"])

    assert score_comments(warehouse, Model()) == Scoring(texts=0, mentions=1)
    assert score_comments(warehouse, Model()) == Scoring(texts=0, mentions=0)
    text = text_id("acme or zeta")
    assert mentions(warehouse) == {(ACME, text): ["competitor"], (OTHER, text): []}


def test_restored_terms_count_again(warehouse: Connection) -> None:
    collect(warehouse, 1, "acme or zeta")
    for brand in (["Acme"], ["Zeta x"], ["Acme"]):
        set_terms(warehouse, ACME, brand, [])
        score_comments(warehouse, Model())

    assert mentions(warehouse) == {(ACME, text_id("acme or zeta")): ["brand_mention"]}


def test_a_killed_run_is_continued(warehouse: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "SCORED_AT_ONCE", 1)
    collect(warehouse, 1, "one", "two", "three")
    killed, next_one = Model(fails_at="three"), Model()
    with pytest.raises(KeyboardInterrupt):
        score_comments(warehouse, killed)
    done = set(killed.asked)

    score_comments(warehouse, next_one)

    assert set(next_one.asked) == {"one", "two", "three"} - done
    assert len(scores(warehouse)) == 3
    assert len(mentions(warehouse)) == 3


@pytest.mark.slow
def test_a_run_stops_after_its_budget_and_the_next_continues(
    warehouse: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two texts take 8 s: the second batch ends after the budget of 10 s."""
    monkeypatch.setattr(pending, "SCORED_AT_ONCE", 2)
    collect(warehouse, 2, "two", "four", "five", "is this an ad?", owner=OTHER)
    collect(warehouse, 1, "one", "two", "acme")
    model = Model()

    first = score_comments(warehouse, model, budget_seconds=BUDGET, now=model.now)

    assert first == Scoring(texts=4, mentions=7, waiting=2)
    assert set(model.asked[:3]) == {"one", "two", "acme"}, "oldest first"
    assert warehouse.sql(SCORED_UP_TO).fetchall() == [(1,)]

    collect(warehouse, 3, "one", "five", "six")
    second = score_comments(warehouse, model, budget_seconds=BUDGET, now=model.now)

    assert second == Scoring(texts=3, mentions=2)
    assert sorted(model.asked) == ["acme", "five", "four", "is this an ad?", "one", "six", "two"]
    assert warehouse.sql(SCORED_UP_TO).fetchall() == [(3,)]


@pytest.mark.slow
@pytest.mark.parametrize("budget_seconds", [0, BUDGET, 20])
def test_runs_with_a_budget_together_equal_one_without(
    warehouse: Connection, monkeypatch: pytest.MonkeyPatch, budget_seconds: float
) -> None:
    """Each run scores one batch even if its budget is already spent. One post is copied late."""
    monkeypatch.setattr(pending, "SCORED_AT_ONCE", 2)
    model = Model()
    warehouse.execute("create temp table posts as from operational.videos")
    for batch_seq in range(1, 6):
        collect(warehouse, batch_seq, *(f"acme {batch_seq} {number}" for number in range(5)))
        warehouse.execute("delete from operational.videos")
        if batch_seq != 3:
            warehouse.execute("insert into operational.videos from posts")
        score_comments(warehouse, model, budget_seconds=budget_seconds, now=model.now)
    for _ in range(25):
        score_comments(warehouse, model, budget_seconds=budget_seconds, now=model.now)
    together = [row[:-1] for row in scores(warehouse)], mentions(warehouse)

    for table in ("comment_scores", "comment_mentions", "comment_scorings"):
        warehouse.execute(f"delete from raw.{table}")
    score_comments(warehouse, Model())

    assert len(model.asked) == len(set(model.asked)) == 25
    assert sorted(together[0]) == sorted(row[:-1] for row in scores(warehouse))
    assert together[1] == mentions(warehouse)
