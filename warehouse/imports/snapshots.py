"""Imports readings: `video-snapshots` and `account-snapshots`.

They become a registered batch of kind `import`, which is ingested like any other. Readings of
earlier imports are skipped, so that a file counts once, however often, in whatever order and with
whatever other rows it is imported. DuckDB computes the set difference, which spills to disk; a
scrape of the same values at the same instant is another observation.
"""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from uuid import UUID

import polars as pl
from sqlalchemy import select

from warehouse.connection import OnWait, open_warehouse
from warehouse.ids import uuid7
from warehouse.imports.checking import Checks, OnRows, check_file
from warehouse.imports.fresh import write_fresh
from warehouse.imports.layouts import ACCOUNT_SNAPSHOTS, VIDEO_SNAPSHOTS, counts_of
from warehouse.imports.recording import KIND, Source, record, retracted_batches
from warehouse.imports.registry import (
    KnownVideos,
    identify,
    require_copies_of,
    require_member,
    tracked_accounts,
)
from warehouse.imports.repeats import opened, report_contradictions, write_lines
from warehouse.imports.report import Report
from warehouse.imports.values import ROUNDED, ZEROS, Rule, Spelling, before
from warehouse.landing.batches import Batch
from warehouse.landing.folders import scratch_folder
from warehouse.landing.landing import Landing
from warehouse.landing.opening import open_landing
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.store import OperationalStore
from warehouse.publication.sql import ALONE
from warehouse.registration.order import give_number, wait_turn
from warehouse.settings import Settings
from warehouse.shards.members import Members

# The caller holds the warehouse lock, so the shard has no other import or ingestion under way.


def register(
    store: OperationalStore, landing: Landing, file: Path, source: Source, rows: int
) -> None:
    """Register a file as the batch of one table. It counts from the commit on.

    The batch is complete and stored before the commit. If killed in between, it has no row, and
    `waiting_imports` removes it.
    """
    batch_id = uuid7()
    with store.write_session() as session:
        wait_turn(session)
        session.add(RegisteredBatch(batch_id=batch_id, kind=KIND, registered_at=store.clock()))
        session.flush()
        name = f"{TABLES[source.kind]}.parquet"
        form = landing.register(batch_id, lambda folder: file.rename(folder / name))
        give_number(session, batch_id, form)
        record(session, source, batch_id, rows)


def waiting_imports(store: OperationalStore, landing: Landing) -> list[Batch]:
    """Return the imports that are registered and not yet ingested, oldest first.

    Removes batches that a killed import left without a row. A scrape's batch is not confused with
    these, because its landed batch is removed only after the commit, which is checked last. Nor is
    an import of another shard, which waits for its turn until the commit.
    """
    with store.write_session() as session:
        wait_turn(session)
        written = landing.registered()
        landed = {batch.batch_id for batch in landing.incoming()}
        statement = select(RegisteredBatch.batch_id, RegisteredBatch.kind).where(
            RegisteredBatch.batch_id.in_([batch.batch_id for batch in written])
        )
        kinds = {row.batch_id: row.kind for row in session.execute(statement)}
        for batch in written:
            if batch.batch_id not in kinds and batch.batch_id not in landed:
                landing.drop(batch)
    return [batch for batch in written if kinds.get(batch.batch_id) == KIND]


TABLES = {VIDEO_SNAPSHOTS: "video_snapshots", ACCOUNT_SNAPSHOTS: "account_snapshots"}


def import_snapshots(
    store: OperationalStore,
    settings: Settings,
    path: Path,
    *,
    kind: str,
    project_id: UUID,
    spelling: Spelling,
    skip_bad: bool,
    on_rows: OnRows,
    on_wait: OnWait,
) -> Report:
    """Load readings of posts or accounts that the project has. A bad row prevents all.

    With `skip_bad`, only bad rows are skipped. Readings are exact, with source `import`, and are
    in the marts after the next run. Raises ImportRefusedError.
    """
    members = require_member(store, settings, project_id)
    checks = Checks(
        kind=kind,
        spelling=spelling,
        now=store.clock(),
        look_up=_look_up(store, kind, project_id, spelling),
        column_rules=_rules_of(kind),
    )
    with scratch_folder(settings.landing_path / "imports") as scratch:
        good_rows = scratch / "kept.parquet"
        report = check_file(path, checks, good_rows, on_rows)
        good_rows = _leave_out_contradictions(settings, kind, good_rows, report)
        if skip_bad or not report.bad:
            source = Source(project_id=project_id, kind=kind, file=path.name)
            report.loaded = _load(store, settings, source, good_rows, on_wait, members=members)
            report.known = report.good - report.loaded
    return report


def _leave_out_contradictions(
    settings: Settings, kind: str, good_rows: Path, report: Report
) -> Path:
    """Report two counts of one subject at one instant; return the file without them."""
    differs = " or ".join(f"min({count}) < max({count})" for count in counts_of(kind))
    lines = f"""
        with lines as (from read_parquet($rows, {ALONE})),

        differing as (
            select id, captured_at, min(line) as first_line, max(line) as last_line
            from lines
            group by id, captured_at
            having {differs}
        )
    """  # noqa: S608  names of our schema
    contradictions = f"""{lines}
        select line, captured_at::varchar, if(line = first_line, last_line, first_line)
        from lines
        inner join differing using (id, captured_at)
        order by line
    """  # noqa: S608  as above
    with opened(settings, good_rows.parent) as connection:
        if not report_contradictions(connection, good_rows, report, contradictions, "captured_at"):
            return good_rows
        others = good_rows.with_name("others.parquet")
        statement = f"{lines} from lines anti join differing using (id, captured_at)"
        write_lines(connection, good_rows, others, statement)
        return others


def _look_up(
    store: OperationalStore, kind: str, project_id: UUID, spelling: Spelling
) -> Callable[[pl.DataFrame], pl.DataFrame]:
    if kind == VIDEO_SNAPSHOTS:
        return KnownVideos(store, project_id, spelling).identify
    with store.read_session() as session:
        accounts = tracked_accounts(session, project_id)
    return lambda rows: identify(rows, accounts)


def _rules_of(kind: str) -> list[Rule]:
    unknown = pl.col("id").is_null()
    if kind == ACCOUNT_SNAPSHOTS:
        return [Rule("handle", unknown, "is not an account of this project")]
    reason = "is not a post of this project"
    rounded = pl.lit(f"{reason}: it ends in 0000, {ROUNDED}")
    load = pl.lit(f"{reason}: load posts first, by `tracker import videos`")
    ends_in_zeros = pl.col("text_platform_video_id").str.contains(ZEROS)
    too_early = before(pl.col("captured_at"), pl.col("made_at"), "the post was made,")
    return [
        Rule(
            "platform_video_id",
            unknown,
            pl.when(ends_in_zeros).then(rounded).otherwise(load),
        ),
        Rule("captured_at", *too_early),
    ]


def _load(
    store: OperationalStore,
    settings: Settings,
    source: Source,
    good_rows: Path,
    on_wait: OnWait,
    *,
    members: Members | None,
) -> int:
    """Register the new readings. Returns their number."""
    landing, table = open_landing(settings), TABLES[source.kind]
    with store.read_session() as session:
        retracted = retracted_batches(session, source.project_id)
    fresh = good_rows.with_name("fresh.parquet")
    with open_warehouse(settings, on_wait=on_wait) as connection:
        require_copies_of(connection, members)
        with ExitStack() as hands:
            here = [
                hands.enter_context(landing.at_hand(batch))
                for batch in waiting_imports(store, landing)
                if batch.batch_id not in retracted
            ]
            waiting = [file for batch in here if (file := batch.file(table))]
            count = write_fresh(connection, table, good_rows, waiting, fresh, retracted=retracted)
        if count:
            register(store, landing, fresh, source, count)
    return count
