"""The expected contents after all landings, computed from the diary, and the actual ones."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import duckdb
from sqlalchemy import text

from tests.oracles.analytics import Facts, marts
from tests.qa.faults.landings import (
    HANDLES,
    Diary,
    Row,
    fetches_of,
    instant_of,
    posts_of,
    profiles_of,
)
from warehouse.catalogue.models import relation_of
from warehouse.connection import open_warehouse
from warehouse.landing.folders import scratch_folder
from warehouse.landing.opening import open_landing
from warehouse.operational.store import OperationalStore
from warehouse.publication.current import CurrentPublication
from warehouse.settings import Settings

COUNTS = ("view_count", "like_count", "comment_count", "share_count", "save_count")
ACCOUNT_COUNTS = ("follower_count", "following_count", "total_likes_count", "video_count")
REGISTERED_POSTS = """
    select id, project_id, platform_video_id,
        (select count(*) from video_owners where video_id = videos.id) as owners,
        (select count(*) from video_statuses where video_id = videos.id) as statuses
    from videos
"""

MARTS = (
    "videos",
    "accounts",
    "video_deltas",
    "video_daily",
    "account_snapshots",
    "account_daily",
    "creator_daily",
    "creator_quarter_hours",
    "campaign_daily",
    "campaign_creator_daily",
    "campaign_quarter_hours",
    "scrape_freshness",
)
"""The marts with counts or outcomes, which a full refresh must reproduce."""

Marts = dict[str, "Counter[tuple[Any, ...]]"]


class Truth:
    """The facts of the landings in a warehouse.

    An unfinished landing may be there or not, but if it is, it is whole.
    """

    def __init__(
        self, store: OperationalStore, connection: duckdb.DuckDBPyConnection, diary: Diary
    ) -> None:
        self.connection = connection
        rows = connection.sql("select distinct captured_at from raw.video_snapshots").fetchall()
        finished = diary.finished()
        self.landed = [n for n in diary.begun() if n in finished or (instant_of(n),) in rows]
        with store.read_session() as session:
            self.videos = [dict(r) for r in session.execute(text(REGISTERED_POSTS)).mappings()]
            accounts = session.execute(text("select id, handle from accounts")).all()
        self.accounts_of: dict[Any, list[Any]] = {handle: [] for handle in HANDLES}
        for account_id, handle in accounts:
            self.accounts_of[handle].append(account_id)

    def video_snapshots(self) -> list[Row]:
        videos_of: dict[str, list[Any]] = {}
        for video in self.videos:
            videos_of.setdefault(video["platform_video_id"], []).append(video["id"])
        return [
            {"video_id": video_id, **_reading(row, COUNTS)}
            for number in self.landed
            for row in posts_of(number)
            for video_id in videos_of[row["platform_video_id"]]
        ]

    def account_snapshots(self) -> list[Row]:
        return [
            {"account_id": account_id, **_reading(row, ACCOUNT_COUNTS)}
            for number in self.landed
            for row in profiles_of(number)
            for account_id in self.accounts_of[row["handle"]]
        ]

    def scrape_outcomes(self) -> list[Row]:
        names = ("job_type", "outcome", "started_at", "finished_at")
        return [
            {"account_id": account_id, "video_id": None, **{name: row[name] for name in names}}
            for number in self.landed
            for row in fetches_of(number)
            for account_id in self.accounts_of[row["handle"]]
        ]

    def marts(self) -> Marts:
        """Every mart by the oracle, from the landings and decisions."""
        as_of = self.connection.sql("select as_of from control.run").fetchall()[0][0]
        tables = ("organizations", "creators", "accounts", "videos", "campaigns", "campaign_items")
        operational = {name: rows_of(self.connection, f"operational.{name}") for name in tables}
        facts = Facts(
            as_of=as_of,
            operational=operational,
            video_snapshots=self.video_snapshots(),
            account_snapshots=self.account_snapshots(),
            scrape_outcomes=self.scrape_outcomes(),
        )
        return {mart: bag(rows) for mart, rows in marts(facts).items()}


def assert_raw_is(connection: duckdb.DuckDBPyConnection, truth: Truth) -> None:
    """Check that the raw tables have every landed reading exactly once, and nothing else."""
    for table, expected in (
        ("video_snapshots", truth.video_snapshots()),
        ("account_snapshots", truth.account_snapshots()),
        ("scrape_outcomes", truth.scrape_outcomes()),
    ):
        rows = rows_of(connection, f"raw.{table}", list(expected[0]))
        assert_same(table, bag(rows), bag(expected))


def assert_registry_is(
    store: OperationalStore,
    settings: Settings,
    connection: duckdb.DuckDBPyConnection,
    truth: Truth,
) -> None:
    """Check that PostgreSQL, the warehouse and the archive have the same batches and posts."""
    expected = {row["platform_video_id"] for n in truth.landed for row in posts_of(n)}
    projects = {video["project_id"] for video in truth.videos}
    post_counts = Counter((v["project_id"], v["platform_video_id"]) for v in truth.videos)
    assert post_counts == Counter((project, post) for project in projects for post in expected)
    assert {(v["owners"], v["statuses"]) for v in truth.videos} == {(1, 1)}
    with store.read_session() as session:
        registered = set(session.scalars(text("select batch_id from registered_batches")))
    ingested = connection.sql("select batch_id, batch_seq from raw.batches order by 2").fetchall()
    archived = [batch for part in open_landing(settings).segments() for batch in part.batches]
    assert [batch_id for batch_id, _ in ingested] == [batch.batch_id for batch in archived]
    assert [batch_seq for _, batch_seq in ingested] == list(range(1, len(truth.landed) + 1))
    assert {batch_id for batch_id, _ in ingested} == registered


def assert_nothing_lies_around(settings: Settings) -> None:
    """Check that no temporary file or folder is left, and no batch waits or was rejected.

    Files that a killed process fetched from a bucket stay until the next fetch, so this fetches.
    """
    with scratch_folder(settings.landing_path / "fetched"):
        pass
    folders = (settings.landing_path, settings.publications_path)
    left = [path for folder in folders for path in folder.rglob(".*")]
    here, landing = settings.landing_path, open_landing(settings)
    waiting = [path for name in ("incoming", "registered") for path in (here / name).glob("*")]
    waiting += [batch.path for batch in (*landing.incoming(), *landing.registered())]
    assert (left, waiting, landing.rejected_ids()) == ([], [], set())


def marts_of(settings: Settings, names: Iterable[str]) -> Marts:
    with open_warehouse(settings) as connection:
        return {name: bag(rows_of(connection, relation_of(name))) for name in names}


def published_marts(settings: Settings, names: Iterable[str]) -> Marts:
    current = CurrentPublication(settings.publications_path)
    with current.cursor() as cursor:
        marts = {name: bag(rows_of(cursor, relation_of(name))) for name in names}
    current.close()
    return marts


def rows_of(
    connection: duckdb.DuckDBPyConnection, table: str, names: list[str] | None = None
) -> list[Row]:
    cursor = connection.execute(f"select {', '.join(names) if names else '*'} from {table}")
    columns = [column[0] for column in cursor.description or []]
    return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def bag(rows: Iterable[Row]) -> "Counter[tuple[Any, ...]]":
    """Rows as a multiset, whatever the order of rows and columns."""
    return Counter(tuple(sorted(row.items())) for row in rows)


def assert_same(what: str, actual: "Counter[Any]", expected: "Counter[Any]") -> None:
    missing, extra = expected - actual, actual - expected
    assert not missing, f"{what}: {missing.total()} missing, e.g. {next(iter(missing))}"
    assert not extra, f"{what}: {extra.total()} too many, e.g. {next(iter(extra))}"


def _reading(row: Row, counts: tuple[str, ...]) -> Row:
    names = ("captured_at", "is_exact", "source")
    return {name: row[name] for name in names} | {name: row.get(name) for name in counts}
