"""Publications of one UTC day continue each other's file, and hold what one written whole would."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from tests.factories.marts import FEW, TABLES, Account, History, Video
from tests.warehouse.publication.conftest import JULY, Marts
from tests.warehouse.publication.runs import begin_next
from warehouse.publication.publish import Publication, publish
from warehouse.settings import Settings

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
JUNE, EARLIER, YESTERDAY = JULY - 40 * DAY, JULY - 10 * DAY, JULY - 5 * HOUR
READ = (JUNE, EARLIER, YESTERDAY, JULY + HOUR)
FACTS = ("video_deltas", "video_daily", "account_snapshots")


@pytest.fixture
def published(marts: Marts) -> Marts:
    """Marts that a run published on the day."""
    counts = {at: 100 * number for number, at in enumerate(READ, 1)}
    videos = [Video(name, {at: {"view": count} for at, count in counts.items()}) for name in "abcd"]
    marts.fill(History(videos=videos, accounts=[Account("account", dict(counts))]))
    begin_next(marts.warehouse)
    marts.publish(JULY + HOUR)
    return marts


def change(marts: Marts, at: datetime, count: int = 7) -> None:
    """Change what was read on a day, in all facts."""
    on = {"count": count, "at": at}
    marts.warehouse.execute(
        "update marts.video_deltas set view_delta = $count where captured_at = $at", on
    )
    marts.warehouse.execute(
        "update marts.video_daily set new_views = $count where day = $at::date", on
    )
    marts.warehouse.execute(
        "update marts.account_snapshots set follower_delta = $count where captured_at = $at", on
    )


def shows(marts: Marts, fact: str) -> list[int]:
    """Return by day what the publication has of a fact."""
    column, time = {
        "video_deltas": ("view_delta", "captured_at"),
        "video_daily": ("new_views", "day"),
        "account_snapshots": ("follower_delta", "captured_at"),
    }[fact]
    with marts.cursor() as cursor:
        rows = cursor.execute(
            f"select {time}, max({column})::int from marts.{fact} group by 1 order by 1"
        ).fetchall()
    return [count for _, count in rows][-len(READ) :]


def changed(marts: Marts, fact: str) -> list[bool]:
    return [count == 7 for count in shows(marts, fact)]


def assert_holds(marts: Marts, tables: Sequence[str] = FEW) -> None:
    with marts.cursor() as cursor:
        for name in tables:
            schema = "machinery" if name == "payout_earned" else "marts"
            every_row = f"from {schema}.{name} order by all"
            rows = marts.warehouse.execute(every_row).fetchall()
            assert cursor.execute(every_row).fetchall() == rows, name


class TestWhatIsWritten:
    """Of changes on all days, a publication has those of the days that it wrote."""

    def publish(self, marts: Marts, after: timedelta = HOUR) -> list[bool]:
        for at in READ:
            change(marts, at)
        marts.publish(JULY + HOUR + after)
        in_facts = [changed(marts, fact) for fact in FACTS]
        assert in_facts == in_facts[:1] * len(FACTS)
        return in_facts[0]

    def test_days_from_the_one_before_yesterday(self, published: Marts) -> None:
        begin_next(published.warehouse, YESTERDAY, YESTERDAY)
        assert self.publish(published) == [False, False, True, True]

    def test_nothing_of_what_no_run_touched(self, published: Marts) -> None:
        begin_next(published.warehouse)
        assert self.publish(published) == [False] * 4

    def test_all_of_a_month_that_was_touched_earlier(self, published: Marts) -> None:
        begin_next(published.warehouse, EARLIER, EARLIER)
        assert self.publish(published) == [False, True, True, True]

    def test_the_whole_month_on_the_next_day(self, published: Marts) -> None:
        begin_next(published.warehouse, YESTERDAY, YESTERDAY)
        assert self.publish(published, DAY) == [False, True, True, True]

    def test_everything_after_a_full_refresh(self, published: Marts) -> None:
        begin_next(published.warehouse, YESTERDAY, YESTERDAY, is_full_refresh=True)
        assert self.publish(published) == [True] * 4

    def test_everything_after_an_unpublished_run(self, published: Marts) -> None:
        begin_next(published.warehouse, YESTERDAY, YESTERDAY)
        begin_next(published.warehouse, YESTERDAY, YESTERDAY)
        assert self.publish(published) == [True] * 4


def test_a_fact_touched_earlier_leaves_others_as_they_are(published: Marts) -> None:
    begin_next(published.warehouse, YESTERDAY, EARLIER)
    for at in READ:
        change(published, at)
    published.publish(JULY + 2 * HOUR)
    assert changed(published, "video_deltas") == [False, False, True, True]
    assert changed(published, "account_snapshots") == [False, True, True, True]


def test_rows_that_went_are_gone(published: Marts) -> None:
    begin_next(published.warehouse, YESTERDAY)
    published.warehouse.execute(
        "delete from marts.video_deltas where captured_at >= $1", [YESTERDAY]
    )
    published.publish(JULY + 2 * HOUR)
    assert_holds(published)


def test_a_month_without_rows_is_gone(marts: Marts) -> None:
    marts.fill(History(videos=[Video("a", {JUNE: {"view": 1}, YESTERDAY: {"view": 2}})]))
    begin_next(marts.warehouse)
    marts.publish(JULY + HOUR)
    begin_next(marts.warehouse, YESTERDAY)
    marts.warehouse.execute("delete from marts.video_deltas where captured_at = $1", [YESTERDAY])
    made = marts.publish(JULY + 2 * HOUR)
    assert_holds(marts)
    with duckdb.connect(made.path, read_only=True) as connection:
        months = connection.execute("select month from files.months where fact = 'video_deltas'")
        assert [month.month for (month,) in months.fetchall()] == [6]


def test_tables_and_views_that_went_are_gone(published: Marts) -> None:
    published.warehouse.execute("create table marts.later as select 1 as cents")
    published.warehouse.execute("create view marts.seen as from marts.later")
    for exists in (True, False):
        begin_next(published.warehouse, YESTERDAY)
        made = published.publish(JULY + 2 * HOUR)
        with duckdb.connect(made.path, read_only=True) as connection:
            names = "select count(*) from information_schema.tables where table_name in $1"
            assert connection.execute(names, [["later", "seen"]]).fetchall() == [(2 * exists,)]
        published.warehouse.execute("drop view if exists marts.seen")
        published.warehouse.execute("drop table if exists marts.later")


@pytest.mark.parametrize("rows", [0, 1])
def test_a_fact_that_is_new_is_published(published: Marts, rows: int) -> None:
    published.warehouse.execute(f"create table marts.account_daily ({TABLES['account_daily']})")
    published.warehouse.execute(
        "insert into marts.account_daily by name"
        " select uuid() as account_id, $1::date as day from range($2)",
        [EARLIER, rows],
    )
    begin_next(published.warehouse, YESTERDAY)
    published.publish(JULY + 2 * HOUR)
    assert_holds(published, ["account_daily"])


def test_a_version_with_fewer_native_months_is_not_continued(published: Marts) -> None:
    made = published.publish(JULY + HOUR)
    with duckdb.connect(made.path) as connection:
        connection.execute("delete from recent.video_deltas where captured_at < $1", [EARLIER])
        connection.execute("delete from files.months where month = '2026-06-01'")
    begin_next(published.warehouse, YESTERDAY)
    published.publish(JULY + 2 * HOUR)
    assert_holds(published)


@pytest.mark.parametrize("as_of", [JULY + HOUR, datetime(2026, 7, 1, 1, tzinfo=UTC)], ids=str)
def test_rows_lie_as_in_a_file_written_whole(marts: Marts, as_of: datetime, tmp_path: Path) -> None:
    days = range(40)
    videos = [
        Video(name, {as_of - day * DAY: {"view": 100 - day} for day in days}) for name in "abcdef"
    ]
    marts.fill(History(videos=videos))
    begin_next(marts.warehouse)
    marts.publish(as_of)
    for hour in range(1, 4):
        begin_next(marts.warehouse, as_of - DAY)
        marts.warehouse.execute(
            "insert into marts.video_deltas by name select video_id, $1 as captured_at"
            " from marts.video_deltas where captured_at = $2",
            [as_of + hour * HOUR, as_of],
        )
        made = marts.publish(as_of + hour * HOUR)
    whole = publish(Settings(home=tmp_path / "whole"), marts.warehouse, as_of=as_of + 3 * HOUR)
    assert rows_as_they_lie(made) == rows_as_they_lie(whole)


def rows_as_they_lie(publication: Publication) -> list[tuple[object, ...]]:
    with duckdb.connect(publication.path, read_only=True) as connection:
        return connection.execute("from recent.video_deltas").fetchall()


def test_the_file_does_not_grow(published: Marts) -> None:
    sizes = []
    for _ in range(8):
        begin_next(published.warehouse, YESTERDAY)
        sizes.append(published.publish(JULY + 2 * HOUR).path.stat().st_size)
    assert max(sizes[1:]) <= 1.1 * sizes[0]


@pytest.mark.parametrize("touched", [YESTERDAY, JUNE], ids=["tail", "all"])
def test_a_copy_has_few_free_blocks(marts: Marts, touched: datetime, tmp_path: Path) -> None:
    marts.warehouse.execute(
        "insert into marts.video_deltas by name select uuid() as video_id,"
        " $1 - to_minutes(number // 2) as captured_at, hash(number) // 1000 as view_delta"
        " from range(100_000) as numbers (number)",
        [JULY],
    )
    begin_next(marts.warehouse)
    marts.publish(JULY)
    for _ in range(3):
        begin_next(marts.warehouse, touched)
        made = marts.publish(JULY)
    whole = publish(Settings(home=tmp_path / "whole"), marts.warehouse, as_of=JULY)
    assert made.path.stat().st_size <= whole.path.stat().st_size


def test_a_file_after_a_full_refresh_has_no_free_blocks_of_the_last_one(
    published: Marts, tmp_path: Path
) -> None:
    begin_next(published.warehouse, is_full_refresh=True)
    made = published.publish(JULY + 2 * HOUR)
    whole = publish(Settings(home=tmp_path / "whole"), published.warehouse, as_of=JULY + 2 * HOUR)
    assert made.path.stat().st_size == whole.path.stat().st_size


def test_a_publication_without_its_file_is_not_continued(published: Marts) -> None:
    current = published.settings.publications_path / "current.duckdb"
    current.resolve().unlink()
    begin_next(published.warehouse, YESTERDAY)
    published.publish(JULY + 2 * HOUR)
    assert_holds(published)
