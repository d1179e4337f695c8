"""The life of a build: begun before the models, promoted after publishing.

control.run has the parameters of the build under way; control.published has the last published one.
A build that dies in between leaves the latter unchanged, so the next build covers the same facts
again.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from duckdb import DuckDBPyConnection

from warehouse.catalogue.models import incremental, relation_of, touching
from warehouse.connection import transaction
from warehouse.control.copies import copies_so_far, require_columns
from warehouse.control.parameters import create_parameters
from warehouse.control.records import (
    Published,
    Run,
    create_tables,
    last_begun,
    last_published,
    last_unfinished,
    replace_past,
    replace_row,
)
from warehouse.ids import uuid7
from warehouse.raw.scoring_runs import last_score_seq
from warehouse.rules import create_rules

ONE_DAY = timedelta(days=1)

OTHER_OFFSETS = """
    select 1
    from intermediate.int_utc_offsets
    semi join control.utc_offsets using (zone)
    anti join control.utc_offsets using (zone, starts_at, ends_at, utc_offset_seconds)
"""
"""Finds a zone with computed days whose offsets differ in the present time zone data."""


RETRACTED = """
    select coalesce(string_agg(batches.batch_seq, ', ' order by batches.batch_seq), '0')
    from raw.batches
    semi join operational.imports on batches.batch_id = imports.id and retracted_at is not null
"""
"""The batches of retracted imports that are ingested, as the models' SQL lists them."""


class RunSupersededError(RuntimeError):
    """Another build began since, so this one's tables are gone."""


def begin_run(
    connection: DuckDBPyConnection,
    *,
    as_of: datetime,
    full_refresh: bool = False,
    from_day: date | None = None,
    to_day: date | None = None,
) -> Run:
    """Decide what the next build computes, write it to control.run, and create the models' macros.

    `as_of` is aware. `from_day` and `to_day` (org-local days, inclusive; None is open) name a
    range to compute again in addition to what is new. Everything is computed at the first build,
    after the models or the offsets of a zone changed, after an import was retracted, if as_of moved
    back or paid accruals were copied again, and after an unpublished full refresh. Raises
    ValueError for a naive `as_of`, and OlderCopyError.
    """
    if as_of.tzinfo is None:
        raise ValueError(f"as_of needs a UTC offset: {as_of.isoformat()}")
    require_columns(connection)
    create_tables(connection)
    create_rules(connection)
    last = last_published(connection)
    unfinished = last_unfinished(connection, last)
    to_batch_seq = _last_batch_seq(connection)
    copied = copies_so_far(connection)
    (retracted,) = _one(connection, RETRACTED)
    if (
        full_refresh
        or last is None
        or not copied.go_on_from(last.to_copy)
        or retracted != last.retracted
        or not _is_incremental(connection, last, unfinished, as_of=as_of, to_batch_seq=to_batch_seq)
    ):
        last = from_day = to_day = None
    from_batch_seq = last.to_batch_seq if last else 0
    backfill_from, backfill_to = _days(from_day, to_day)
    run = Run(
        run_id=uuid7(),
        as_of=as_of,
        is_full_refresh=last is None,
        follows_unfinished=last is not None and unfinished is not None,
        from_batch_seq=from_batch_seq,
        to_batch_seq=to_batch_seq,
        from_copy=last.to_copy if last else 0,
        to_copy=copied.copies,
        from_score_seq=last.to_score_seq if last else 0,
        to_score_seq=last_score_seq(connection),
        retracted=retracted,
        previous_as_of=last.as_of if last else None,
        first_reading_at=_earlier(
            last.first_reading_at if last else None,
            _first_reading_at(connection, from_batch_seq, retracted),
        ),
        backfill_from=backfill_from,
        backfill_to=backfill_to,
    )
    with transaction(connection):
        replace_row(connection, "run", run)
        create_parameters(connection, run)
    return run


def promote(connection: DuckDBPyConnection, run: Run) -> None:
    """Record that `run` was published, so that the next build continues from it.

    Raises RunSupersededError if another build began since.
    """
    begun = last_begun(connection)
    if begun is None or begun.run_id != run.run_id:
        raise RunSupersededError(f"run {run.run_id} was superseded: another run began after it")
    published = Published(
        run_id=run.run_id,
        as_of=run.as_of,
        to_batch_seq=run.to_batch_seq,
        to_copy=run.to_copy,
        to_score_seq=run.to_score_seq,
        retracted=run.retracted,
        first_reading_at=run.first_reading_at,
    )
    with transaction(connection):
        replace_past(connection)
        replace_row(connection, "published", published)


def _is_incremental(
    connection: DuckDBPyConnection,
    last: Published,
    unfinished: Run | None,
    *,
    as_of: datetime,
    to_batch_seq: int,
) -> bool:
    """Return whether the tables of the last build stay valid, apart from what is new.

    An unfinished build may have left its own rows. Those of a full refresh or of a later as_of
    cannot be distinguished.
    """
    if unfinished and (unfinished.is_full_refresh or unfinished.as_of > as_of):
        return False
    moved_back = as_of < last.as_of or to_batch_seq < last.to_batch_seq
    return not moved_back and _past_exists(connection) and not _has_other_offsets(connection)


def _days(
    from_day: date | None, to_day: date | None
) -> tuple[datetime, datetime] | tuple[None, None]:
    """Return instants before and after the range in all zones; None without a range."""
    if from_day is None and to_day is None:
        return None, None
    earliest, latest = date(1970, 1, 1), date(9999, 1, 1)
    first, last = max(from_day or earliest, earliest), min(to_day or latest, latest)
    midnight = time(tzinfo=UTC)
    return datetime.combine(first, midnight) - ONE_DAY, datetime.combine(
        last, midnight
    ) + 2 * ONE_DAY


def _past_exists(connection: DuckDBPyConnection) -> bool:
    """Return whether all incremental models exist, and those that record what a build touched."""
    needed = [relation_of(model) for model in incremental() | touching()]
    (count,) = _one(
        connection,
        "select count(*) from duckdb_tables()"
        " where database_name = current_database()"
        " and schema_name || '.' || table_name in $1",
        [needed],
    )
    return bool(count == len(needed))


def _has_other_offsets(connection: DuckDBPyConnection) -> bool:
    """Return whether time zone data changed, so that computed days have other bounds."""
    return bool(connection.execute(OTHER_OFFSETS).fetchone())


def _last_batch_seq(connection: DuckDBPyConnection) -> int:
    (batch_seq,) = _one(connection, "select coalesce(max(batch_seq), 0) from raw.batches")
    return int(batch_seq)


def _first_reading_at(
    connection: DuckDBPyConnection, after: int, retracted: str
) -> datetime | None:
    """Return the earliest reading in batches after `after`, without the `retracted` ones."""
    counted = f"where batch_seq > {after} and batch_seq not in (select unnest([{retracted}]))"
    videos, accounts = _one(
        connection,
        f"""
            select
                (select min(captured_at) from raw.all_video_snapshots {counted}),
                (select min(captured_at) from raw.account_snapshots {counted})
        """,  # noqa: S608  numbers of our tables
    )
    return _earlier(videos, accounts)


def _earlier(first: datetime | None, second: datetime | None) -> datetime | None:
    return min((instant for instant in (first, second) if instant is not None), default=None)


def _one(
    connection: DuckDBPyConnection, query: str, values: Sequence[object] = ()
) -> tuple[Any, ...]:
    row = connection.execute(query, list(values)).fetchone()
    if row is None:
        raise LookupError(f"no row from: {query}")
    return row
