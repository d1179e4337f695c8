"""Publications share a base of their rows and equal a publication written from scratch."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from tests.factories.marts import FEW, TABLES, Account, History, Video
from tests.warehouse.publication.conftest import JULY, Marts
from tests.warehouse.publication.runs import begin_next
from warehouse.publication.publish import Publication

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MAY, JUNE, EARLIER, YESTERDAY = JULY - 62 * DAY, JULY - 40 * DAY, JULY - 10 * DAY, JULY - 5 * HOUR
READ = (JUNE, EARLIER, YESTERDAY, JULY + HOUR)
MONTHS = range(1, 13)
FACTS = ("video_deltas", "video_daily", "account_snapshots")


@pytest.fixture
def published(marts: Marts) -> Marts:
    """Marts with a publication of the same day."""
    counts = {at: 100 * number for number, at in enumerate(READ, 1)}
    videos = [Video(name, {at: {"view": count} for at, count in counts.items()}) for name in "abcd"]
    marts.fill(History(videos=videos, accounts=[Account("account", dict(counts))]))
    begin_next(marts.warehouse)
    marts.publish(JULY + HOUR)
    return marts


def change(marts: Marts, at: datetime, count: int = 7) -> None:
    """Change the readings at a time in all facts."""
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
    """Return a fact's daily values in the publication."""
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


class TestWrittenRows:
    """After changes on all days, a publication includes only those of the days it wrote."""

    def publish(self, marts: Marts, after: timedelta = HOUR) -> list[bool]:
        for at in READ:
            change(marts, at)
        marts.publish(JULY + HOUR + after)
        in_facts = [changed(marts, fact) for fact in FACTS]
        assert in_facts == in_facts[:1] * len(FACTS)
        return in_facts[0]

    @pytest.mark.slow
    def test_days_after_the_base(self, published: Marts) -> None:
        begin_next(published.warehouse)
        assert self.publish(published) == [False, False, True, True]

    @pytest.mark.slow
    def test_the_same_on_the_next_day(self, published: Marts) -> None:
        begin_next(published.warehouse, YESTERDAY, YESTERDAY)
        assert self.publish(published, DAY) == [False, False, True, True]

    @pytest.mark.slow
    def test_days_from_one_that_was_touched_earlier(self, published: Marts) -> None:
        begin_next(published.warehouse, EARLIER, EARLIER)
        assert self.publish(published) == [False, True, True, True]

    @pytest.mark.slow
    def test_days_that_an_earlier_run_touched(self, published: Marts) -> None:
        begin_next(published.warehouse, EARLIER, EARLIER)
        published.publish(JULY + HOUR)
        begin_next(published.warehouse, YESTERDAY, YESTERDAY)
        assert self.publish(published) == [False, True, True, True]

    @pytest.mark.slow
    def test_days_from_the_first_that_differs_after_a_full_refresh(self, published: Marts) -> None:
        begin_next(published.warehouse, is_full_refresh=True)
        change(published, EARLIER)
        latest = published.publish(JULY + 2 * HOUR)
        assert all(changed(published, fact) == [False, True, False, False] for fact in FACTS)
        assert {read_from_base(latest)[fact] for fact in FACTS} == {EARLIER.date()}

    @pytest.mark.slow
    def test_everything_after_a_full_refresh(self, published: Marts) -> None:
        begin_next(published.warehouse, YESTERDAY, YESTERDAY, is_full_refresh=True)
        assert self.publish(published) == [True] * 4

    @pytest.mark.slow
    def test_everything_after_an_unpublished_run(self, published: Marts) -> None:
        begin_next(published.warehouse, YESTERDAY, YESTERDAY)
        begin_next(published.warehouse, YESTERDAY, YESTERDAY)
        assert self.publish(published) == [True] * 4


class TestBase:
    @pytest.mark.slow
    def test_days_later_it_is_the_same(self, published: Marts) -> None:
        assert shares_base(published, 6 * DAY)
        assert_holds(published)

    @pytest.mark.slow
    def test_rows_that_swap_a_value_are_different(self, published: Marts) -> None:
        for is_first in ("video_id = $2", "not is_first"):
            published.warehouse.execute(
                f"update marts.video_deltas set is_first = {is_first} where captured_at = $1"
                " and $2::uuid is not null",
                [EARLIER, Video("a").id],
            )
            begin_next(published.warehouse, is_full_refresh=True)
            published.publish(JULY + HOUR)
        assert_holds(published)

    @pytest.mark.slow
    def test_a_fact_with_another_column_is_written_whole(self, published: Marts) -> None:
        begin_next(published.warehouse, YESTERDAY)
        published.warehouse.execute("alter table marts.video_deltas add column note varchar")
        latest = published.publish(JULY + 2 * HOUR)
        assert "video_deltas" not in read_from_base(latest)
        assert_holds(published)

    @pytest.mark.slow
    def test_rows_that_it_lacks_make_a_new_one_once_they_are_many(self, published: Marts) -> None:
        add_rows(published, EARLIER, 60_000)
        assert shares_base(published, HOUR, touched=EARLIER)
        assert not shares_base(published, 2 * HOUR)
        assert_counts(published, "account_snapshots")
        assert shares_base(published, 3 * HOUR)
        assert shares_base(published, 4 * HOUR)

    @pytest.mark.slow
    def test_it_lasts_until_as_many_rows_as_it_has_were_written_again(
        self, published: Marts
    ) -> None:
        add_rows(published, EARLIER, 150_000)
        assert not shares_base(published, HOUR, touched=JUNE)
        add_rows(published, YESTERDAY, 70_000)
        assert [shares_base(published, days * DAY) for days in range(3, 9)] == [
            *(True, True),
            *(False, True, True, True),
        ]
        assert_counts(published, "account_snapshots")

    @pytest.mark.slow
    def test_rows_of_the_last_days_are_in_no_base(self, published: Marts) -> None:
        add_rows(published, YESTERDAY, 110_000)
        assert shares_base(published, HOUR)
        assert shares_base(published, 2 * HOUR)

    def test_it_has_the_days_that_readings_in_time_no_longer_change(self, marts: Marts) -> None:
        videos = [Video("a", {at: {"view": 1} for at in READ})]
        marts.fill(History(videos=videos, accounts=[Account("account", dict.fromkeys(READ, 1))]))
        begin_next(marts.warehouse)
        days = read_from_base(marts.publish(JULY + 7 * HOUR))
        today = JULY.date()
        assert [(today - days[fact]).days for fact in FACTS] == [0, 1, 2]

    @pytest.mark.slow
    def test_one_of_fewer_months_is_not_used(self, published: Marts) -> None:
        """A run for an earlier day has other months than the base."""
        add_rows(published, MAY, 1)
        for touched, as_of in ((MAY, JULY), (YESTERDAY, MAY), (YESTERDAY, JULY)):
            begin_next(published.warehouse, touched, touched)
            published.publish(as_of)
            assert_holds(published)

    @pytest.mark.slow
    def test_an_hour_writes_as_much_after_a_history_ten_times_as_long(
        self, marts: Marts, tmp_path: Path
    ) -> None:
        marts.warehouse.execute("drop table marts.account_snapshots")
        marts.warehouse.execute("drop table marts.video_daily")
        written = []
        for day, last in ((1, 5), (5, 50)):
            marts.warehouse.execute(ADD_DAYS, {"ends": JULY, "first": day, "last": last})
            begin_next(marts.warehouse, is_full_refresh=True)
            marts.publish(JULY)
            begin_next(marts.warehouse, JULY)
            written.append(bytes_written(marts.publish(JULY + HOUR)))
        assert written[1] <= 1.02 * written[0]
        assert written[1] < 0.2 * bytes_of_base(marts)


ADD_DAYS = """
    insert into marts.video_deltas by name
    select
        uuid() as video_id,
        $ends - to_days(day::integer) as captured_at,
        hash(day, number) // 1000 as view_delta
    from range($first, $last) as days (day)
    cross join range(20_000) as numbers (number)
"""


def bytes_written(latest: Publication) -> int:
    """Return the bytes of files that a publication does not share."""
    files = [latest.path, *(latest.path.parent / "months").iterdir()]
    return sum(file.stat().st_size for file in files if file.stat().st_nlink == 1)


def bytes_of_base(marts: Marts) -> int:
    current = marts.settings.publications_path / "current.duckdb"
    return (current.resolve().parent / "months" / "base.duckdb").stat().st_size


def shares_base(marts: Marts, after: timedelta, touched: datetime = YESTERDAY) -> bool:
    """Publish later; return whether the base is the preceding publication's."""
    current = marts.settings.publications_path / "current.duckdb"
    before = current.resolve().parent / "months" / "base.duckdb"
    begin_next(marts.warehouse, touched, touched)
    latest = marts.publish(JULY + after)
    return before.samefile(latest.path.parent / "months" / "base.duckdb")


def read_from_base(latest: Publication) -> dict[str, date]:
    """Return the first day of each fact that is not read from the base."""
    with duckdb.connect(latest.path, read_only=True) as connection:
        rows = connection.execute("select fact, until from files.base where start < until")
        return dict(rows.fetchall())


def add_rows(marts: Marts, at: datetime, rows: int) -> None:
    marts.warehouse.execute(
        "insert into marts.account_snapshots by name select uuid() as account_id,"
        " $1::timestamptz as captured_at, 1 as follower_delta from range($2)",
        [at, rows],
    )


def assert_counts(marts: Marts, fact: str) -> None:
    query = f"select count(*) from marts.{fact}"
    with marts.cursor() as cursor:
        assert cursor.execute(query).fetchall() == marts.warehouse.execute(query).fetchall()


@pytest.mark.slow
def test_a_fact_touched_earlier_leaves_others_as_they_are(published: Marts) -> None:
    begin_next(published.warehouse, YESTERDAY, EARLIER)
    for at in READ:
        change(published, at)
    published.publish(JULY + 2 * HOUR)
    assert changed(published, "video_deltas") == [False, False, True, True]
    assert changed(published, "account_snapshots") == [False, True, True, True]


@pytest.mark.slow
def test_months_of_earlier_years_are_read_by_half_years(marts: Marts) -> None:
    reads = [datetime(year, month, 1, tzinfo=UTC) for year in range(2023, 2027) for month in MONTHS]
    reads = [at for at in reads if at <= JULY and at.month != 5]
    marts.fill(History(videos=[Video("a", {at: {"view": at.year} for at in reads})]))
    begin_next(marts.warehouse)
    latest = marts.publish(JULY)
    sources = "select len(string_split(sql, 'read_parquet(')) - 1 from duckdb_views()"
    with duckdb.connect(latest.path, read_only=True) as connection:
        of_deltas = connection.execute(f"{sources} where view_name = 'video_deltas'").fetchall()
        assert of_deltas == [(3 * 2 + 4,)]
    assert_holds(marts)
    for at in (reads[0], reads[12], reads[-4]):
        change(marts, at)
        begin_next(marts.warehouse, at)
        latest = marts.publish(JULY)
        assert_holds(marts)
        with duckdb.connect(latest.path, read_only=True) as connection:
            connection.execute("set TimeZone = 'UTC'")
            every_row = "from marts.video_deltas order by all"
            held = marts.warehouse.execute(every_row).fetchall()
            assert connection.execute(every_row).fetchall() == held


@pytest.mark.slow
def test_removed_tables_and_views_are_gone(published: Marts) -> None:
    published.warehouse.execute("create table marts.later as select 1 as cents")
    published.warehouse.execute("create view marts.seen as from marts.later")
    for exists in (True, False):
        begin_next(published.warehouse, YESTERDAY)
        latest = published.publish(JULY + 2 * HOUR)
        with duckdb.connect(latest.path, read_only=True) as connection:
            names = "select count(*) from information_schema.tables where table_name in $1"
            assert connection.execute(names, [["later", "seen"]]).fetchall() == [(2 * exists,)]
        published.warehouse.execute("drop view if exists marts.seen")
        published.warehouse.execute("drop table if exists marts.later")


@pytest.mark.slow
@pytest.mark.parametrize("rows", [0, 1])
def test_a_new_fact_is_published(published: Marts, rows: int) -> None:
    published.warehouse.execute(f"create table marts.account_daily ({TABLES['account_daily']})")
    published.warehouse.execute(
        "insert into marts.account_daily by name"
        " select uuid() as account_id, $1::date as day from range($2)",
        [EARLIER, rows],
    )
    begin_next(published.warehouse, YESTERDAY)
    published.publish(JULY + 2 * HOUR)
    assert_holds(published, ["account_daily"])


@pytest.mark.slow
@pytest.mark.parametrize("file", ["publication.duckdb", "months/base.duckdb"])
def test_a_publication_without_a_file_is_not_continued(published: Marts, file: str) -> None:
    current = published.settings.publications_path / "current.duckdb"
    (current.resolve().parent / file).unlink()
    begin_next(published.warehouse, YESTERDAY)
    published.publish(JULY + 2 * HOUR)
    assert_holds(published)
