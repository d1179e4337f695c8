"""Imports posts: `videos`. They enter the registry as if a scrape had found them.

Each goes under a known account of the project, with the status of the account's tracking mode, if
it is in the account's tracking window. Existing posts stay as they are. The whole file is one
transaction, which enforces the plan's limit of tracked videos at its end.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import polars as pl
import pyarrow.parquet as pq
from sqlalchemy import and_, exists, func, insert, select, text
from sqlalchemy.orm import Session

from warehouse.ids import uuid7
from warehouse.imports.checking import Checks, OnRows, check_file
from warehouse.imports.layouts import VIDEOS
from warehouse.imports.recording import Source, record
from warehouse.imports.registry import discovering_accounts, identify, require_project
from warehouse.imports.repeats import opened, report_contradictions, write_lines
from warehouse.imports.report import Report
from warehouse.imports.values import AS_WRITTEN, ROUNDED, WHOLE_NUMBER, ZEROS, Rule, Spelling
from warehouse.landing.folders import scratch_folder
from warehouse.landing.schema import UTC
from warehouse.operational.clock import refuse_wrong_dates
from warehouse.operational.models import Account, Organization, Project, Video
from warehouse.operational.store import OperationalStore
from warehouse.operational.tracked_videos import hold_limit
from warehouse.publication.sql import ALONE
from warehouse.registration import registry
from warehouse.registration.order import wait_turn
from warehouse.registration.scrapable import scrapable_account
from warehouse.registration.staging import NEW_VIDEOS, POST_ACCOUNTS, POSTS, TEMPORARY, copy_into
from warehouse.settings import Settings

NUMBERED = f"""
    with lines as (
        select *, row(handle, posted_at, caption) as facts
        from read_parquet($rows, {ALONE})
    )

    select
        *,
        first_value(line) over post as first_line,
        facts is distinct from first_value(facts) over post as differs
    from lines
    window post as (partition by platform, platform_video_id order by line)
"""  # noqa: S608  (ours)
FIRST_LINES = f"select * exclude (facts, differs) from ({NUMBERED}) where line = first_line"  # noqa: S608
CONTRADICTIONS = (
    f"select line, platform_video_id, first_line from ({NUMBERED}) where differs order by line"  # noqa: S608
)

AT_ONCE = 20_000
STAGED = (POSTS, POST_ACCOUNTS, NEW_VIDEOS)
UNTOLD = ("platform_user_id", "media_type", "thumbnail_url", "duration_seconds", "read_at")
"""Columns of a scraped post that a file lacks."""
MADE_AFTER, MADE_BEFORE = timedelta(days=1), timedelta(days=100)
"""How far the time inside an id may be from the posting time: scheduled posts have older ids."""
THREE_ZEROS = r"^[0-9]{16}[0-9]*000$"
"""What programs leave that keep 53 bits of a number, such as JavaScript."""
FEW = 2
BY_CHANCE = 0.01
"""Largest share of ids in a chunk that may end in zeros by themselves."""


def import_videos(
    store: OperationalStore,
    settings: Settings,
    path: Path,
    *,
    project_id: UUID,
    spelling: Spelling,
    skip_bad: bool,
    on_rows: OnRows,
) -> Report:
    """Register the posts of a file. A bad row prevents all; `skip_bad` skips only bad rows.

    Raises ImportRefusedError.
    """
    require_project(store, project_id)
    with store.read_session() as session:
        accounts = discovering_accounts(session, project_id)
    checks = Checks(
        kind=VIDEOS,
        spelling=spelling,
        now=store.clock(),
        look_up=lambda rows: identify(rows, accounts).with_columns(_made_at(rows, spelling)),
        column_rules=[
            Rule("handle", pl.col("id").is_null(), "is not a tracked account of this project"),
            *_id_rules(),
        ],
    )
    with scratch_folder(settings.landing_path / "imports") as scratch:
        good_rows, posts = scratch / "kept.parquet", scratch / "posts.parquet"
        report = check_file(path, checks, good_rows, on_rows)
        with opened(settings, scratch) as connection:
            write_lines(connection, good_rows, posts, FIRST_LINES)
            report_contradictions(
                connection, good_rows, report, CONTRADICTIONS, "platform_video_id"
            )
        if skip_bad or not report.bad:
            source = Source(project_id=project_id, kind=VIDEOS, file=path.name)
            _load(store, source, spelling, posts, report)
    return report


def _made_at(rows: pl.DataFrame, spelling: Spelling) -> pl.Series:
    """Return the times inside the posts' ids, null where unknown."""
    posts = rows.select("platform", "platform_video_id").iter_rows()
    times = [None if None in post else spelling.made_at(*post) for post in posts]
    return pl.Series("made_at", times, UTC)


def _id_rules() -> Iterator[Rule]:
    """Yield the rules about ids of other numbers: rounded ones, and those of Meta's API."""
    text, made_at, posted_at = map(pl.col, ("text_platform_video_id", "made_at", "posted_at"))
    is_rounded = text.str.contains(ZEROS)
    differs = (posted_at < made_at - MADE_AFTER) | (posted_at > made_at + MADE_BEFORE)
    times = pl.format(
        "was made at {} by its id, not at {}",
        *(time.dt.to_string(AS_WRITTEN) for time in (made_at, posted_at)),
    )
    advice = (
        pl.when(is_rounded)
        .then(pl.lit(f": it ends in 0000, {ROUNDED}"))
        .when((pl.col("platform") == "instagram") & text.str.contains(WHOLE_NUMBER))
        .then(pl.lit(": an id of Meta's API or exports is not the post's, give the permalink"))
        .otherwise(pl.lit(": give the post's link"))
    )
    yield Rule("platform_video_id", differs, times + advice)
    are_many = is_rounded.mean() > BY_CHANCE
    yield Rule("platform_video_id", is_rounded & are_many, f"ends in 0000, {ROUNDED}")
    is_cut = text.str.contains(THREE_ZEROS)
    are_cut = (is_cut.mean() > BY_CHANCE) & (is_cut.sum() > FEW)
    yield Rule("platform_video_id", is_cut & are_cut, f"ends in 000 as others, {ROUNDED}")


def _load(
    store: OperationalStore, source: Source, spelling: Spelling, posts: Path, report: Report
) -> None:
    project_id = source.project_id
    with store.write_session() as session:
        wait_turn(session)
        refuse_wrong_dates(session)
        organization_id = _lock_organization(session, project_id)
        TEMPORARY.create_all(session.connection(), STAGED, checkfirst=False)
        for batch in pq.ParquetFile(posts).iter_batches(AT_ONCE):
            frame = pl.DataFrame(batch)
            _stage(session, project_id, _as_posts(frame, spelling, store.clock()))
            there = _count_there(session, project_id)
            registry.file_under_accounts(session, store.clock())
            new = registry.add_new_videos(session, store.clock()).total()
            report.loaded += new
            report.outside_window += frame.height - there - new
        if report.loaded:
            record(session, source, uuid7(), report.loaded)
        hold_limit(session, organization_id)
    report.known = report.good - report.loaded - report.outside_window


def _lock_organization(session: Session, project_id: UUID) -> UUID:
    """Lock the project's organization first, like all writers under the plan's limit."""
    its = select(Project.organization_id).where(Project.id == project_id)
    locked = select(Organization.id).where(Organization.id.in_(its))
    return session.scalars(locked.with_for_update(key_share=True)).one()


def _as_posts(posts: pl.DataFrame, spelling: Spelling, now: datetime) -> pl.DataFrame:
    named = posts.select("platform", "platform_video_id", "handle")
    return posts.with_row_index("row").with_columns(
        pl.Series("url", [spelling.post_url(*post) for post in named.iter_rows()], pl.String),
        *(pl.lit(None).alias(name) for name in UNTOLD),
        posted_at_is_estimate=pl.lit(value=False),
        captured_at=pl.lit(now),
    )


def _stage(session: Session, project_id: UUID, posts: pl.DataFrame) -> None:
    """Fill the staged tables with these posts and their accounts in the project."""
    session.execute(text(f"truncate {', '.join(table.name for table in STAGED)}"))
    copy_into(session, POSTS, posts)
    named = and_(Account.platform == POSTS.c.platform, Account.handle == POSTS.c.handle)
    owners = (
        select(
            POSTS.c.row, Account.id, Account.creator_id, Account.project_id, Account.organization_id
        )
        .join(Account, named)
        .where(Account.project_id == project_id, scrapable_account())
    )
    columns = [column.name for column in POST_ACCOUNTS.columns]
    session.execute(insert(POST_ACCOUNTS).from_select(columns, owners))


def _count_there(session: Session, project_id: UUID) -> int:
    """Return how many of the staged posts the project has."""
    in_project = exists().where(registry.SAME_POST, Video.project_id == project_id)
    return session.scalar(select(func.count()).select_from(POSTS).where(in_project)) or 0
