"""Outcomes of fetches: rows of raw.scrape_outcomes, notes on accounts, results of jobs."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import polars as pl
from sqlalchemy import (
    ARRAY,
    ColumnElement,
    DateTime,
    Select,
    String,
    TableValuedAlias,
    Uuid,
    and_,
    cast,
    column,
    exists,
    false,
    func,
    null,
    select,
    true,
    update,
)
from sqlalchemy.orm import Session
from sqlalchemy.types import TypeEngine

from warehouse.landing.schema import REGISTERED
from warehouse.operational.clock import clock_of_database
from warehouse.operational.models import Account, AccountDeactivation, ScrapeJob, Video
from warehouse.registration.identities import accounts_of
from warehouse.registration.listings import lacks_from
from warehouse.registration.scrapable import scrapable_video
from warehouse.registration.staging import BATCH, OUTCOMES
from warehouse.scrape_jobs.queue import LONGEST_WAIT, WAIT, let_wait

PASSING = ({"rate_limited"}, {"unreachable"})
"""If all fetches of a job ended so, it waits, because the platform may answer soon."""
NOT_THIS_ACCOUNT = "the handle now belongs to another account, or this one is no longer tracked"
FETCHED = pl.Schema({"row": pl.Int64, "account_id": pl.String, "video_id": pl.String})


def fetched_accounts(session: Session) -> pl.DataFrame:
    """Return the accounts of fetches, as rows of FETCHED.

    Call this before renames are applied, because a fetch names the requested handle.
    """
    account_rows = accounts_of(OUTCOMES)
    accounts = (
        select(account_rows.c.row, cast(account_rows.c.account_id, String), cast(null(), String))
        .join(OUTCOMES, OUTCOMES.c.row == account_rows.c.row)
        .where(OUTCOMES.c.platform_video_id.is_(None))
    )
    return _about(session, accounts)


def fetched_posts(session: Session) -> pl.DataFrame:
    same_post = and_(
        Video.platform == OUTCOMES.c.platform,
        Video.platform_video_id == OUTCOMES.c.platform_video_id,
    )
    posts = (
        select(OUTCOMES.c.row, cast(Video.account_id, String), cast(Video.id, String))
        .join(Video, same_post)
        .where(scrapable_video())
    )
    return _about(session, posts)


def _about(session: Session, query: Select[Any]) -> pl.DataFrame:
    rows = [tuple(row) for row in session.execute(query)]
    return pl.DataFrame(rows, schema=FETCHED, orient="row")


def scrape_outcomes(outcomes: pl.DataFrame, about: pl.DataFrame) -> pl.DataFrame:
    """Return the fetches, one row for each registry row that they concern."""
    columns = REGISTERED["scrape_outcomes"].names()
    return _with_ids(outcomes, about).select(BATCH, *columns).sort("finished_at")


def _with_ids(outcomes: pl.DataFrame, about: pl.DataFrame) -> pl.DataFrame:
    rows = outcomes.with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    return rows.join(about, on="row")


def set_discovered(
    session: Session,
    outcomes: pl.DataFrame,
    about: pl.DataFrame,
    now: datetime,
    listed: Mapping[UUID, datetime | None],
) -> None:
    """Record the start of discoveries that reached known posts, so that no gap remains.

    For accounts `listed` page by page it is the start of the listing, if it has no gap
    (`listings`). All posts published before that instant are in the registry. A discovery for
    another project may have stopped after posts that this one lacks: at a later start of its
    window, or at known posts before this account was added or searched again. It counts only if it
    showed all from the last one on, or else from the start of the account's window on. Nor does one
    count that was under way when the account was reactivated.
    """
    ended = (
        _with_ids(outcomes, about)
        .filter((pl.col("job_type") == "discover_videos") & pl.col("reached_known"))
        .drop_nulls("account_id")
    )
    discoveries = [
        (UUID(account_id), started_at, searched_from)
        for account_id, started_at, searched_from in ended.select(
            "account_id", "started_at", "searched_from"
        ).iter_rows()
    ]
    discoveries += [
        (account_id, None, None) for account_id in listed.keys() - {row[0] for row in discoveries}
    ]
    lacking = lacks_from(session, {account_id for account_id, *_ in discoveries})
    starts: dict[UUID, datetime] = {}
    for account_id, started_at, searched_from in discoveries:
        start = listed.get(account_id, started_at)
        if start and (searched_from is None or searched_from <= lacking[account_id]):
            starts[account_id] = max(start, starts.get(account_id, start))
    if not starts:
        return
    began = _table(sorted(starts.items()), started_at=DateTime(timezone=True))
    came_back_since = exists().where(
        AccountDeactivation.account_id == Account.id,
        AccountDeactivation.reactivated_at > began.c.started_at,
    )
    since = func.greatest(Account.last_discovered_at, began.c.started_at)
    _update(session, began, ~came_back_since, last_discovered_at=since, updated_at=now)


def note_profile_outcomes(session: Session, fetches: pl.DataFrame) -> None:
    """Record the outcome of each account's last profile fetch; a platform may have banned it.

    `fetches` are registered outcomes.
    """
    last = (
        fetches.filter(pl.col("job_type") == "creator_profiles")
        .drop_nulls("account_id")
        .sort("finished_at")
        .group_by("account_id", maintain_order=True)
        .last()
    )
    names = ("account_id", "outcome", "finished_at")
    rows = [(UUID(account_id), *columns) for account_id, *columns in last.select(names).iter_rows()]
    if not rows:
        return
    ended = _table(rows, outcome=String(), finished_at=DateTime(timezone=True))
    newer = func.coalesce(Account.profile_looked_at <= ended.c.finished_at, true())
    values = {"profile_outcome": ended.c.outcome, "profile_looked_at": ended.c.finished_at}
    _update(session, ended, newer, **values)


def _table(rows: Sequence[tuple[Any, ...]], **types: TypeEngine[Any]) -> TableValuedAlias:
    """Return account facts as a table: `account_id`, then columns of these types."""
    columns = {"account_id": Uuid(), **types}
    arrays = [
        cast(list(of_column), ARRAY(kind))
        for of_column, kind in zip(zip(*rows, strict=True), columns.values(), strict=True)
    ]
    named = [column(name, kind) for name, kind in columns.items()]
    return func.unnest(*arrays).table_valued(*named).render_derived(name="known")


def _update(
    session: Session, known: TableValuedAlias, condition: ColumnElement[bool], **values: Any
) -> None:
    """Update the accounts of a table, which `lock_accounts` has locked."""
    session.execute(
        update(Account)
        .where(Account.id == known.c.account_id, condition)
        .values(**values)
        .execution_options(synchronize_session=False)
    )


def finish_jobs(session: Session, outcomes: pl.DataFrame, about: pl.DataFrame) -> None:
    """Write the results of the jobs whose fetches are in the batch.

    A job of several fetches succeeds if one of them does. It goes on later if it ended without an
    answer because the platform was away. A failed job can still succeed, if its
    lease expired and the other worker's batch is registered later. A late failure leaves a queued
    job as it is.
    """
    of_jobs = outcomes.with_row_index("row").drop_nulls("job_id").sort("row")
    if of_jobs.is_empty():
        return
    jobs = _jobs(session, of_jobs["job_id"].unique())
    answered = {(row, account) for row, account, _ in about.iter_rows()}
    for (job_id,), fetches in of_jobs.group_by("job_id", maintain_order=True):
        if job := jobs.get(UUID(str(job_id))):
            errors = [_error(job, fetch, answered) for fetch in fetches.iter_rows(named=True)]
            _finish(session, job, fetches, errors)


def _jobs(session: Session, ids: Iterable[str]) -> dict[UUID, ScrapeJob]:
    statement = select(ScrapeJob).where(ScrapeJob.id.in_([UUID(job_id) for job_id in ids]))
    locked = statement.order_by(ScrapeJob.id).with_for_update()
    return {job.id: job for job in session.scalars(locked)}


def _error(job: ScrapeJob, fetch: dict[str, Any], answered: set[tuple[int, str]]) -> str | None:
    if fetch["outcome"] != "ok":
        return ": ".join(filter(None, (fetch["outcome"], fetch["detail"])))
    if fetch["platform_video_id"] is None and (fetch["row"], str(job.account_id)) not in answered:
        return NOT_THIS_ACCOUNT
    return None


def _count_posts(
    session: Session, job: ScrapeJob, fetches: pl.DataFrame, since: datetime
) -> tuple[int | None, int]:
    """Return how many posts a job saw (None: unknown), and how many of its account it did not."""
    seen = fetches["videos_seen"].drop_nulls()
    if not seen.len() or job.account_id is None or job.job_type != "video_stats":
        return (int(seen.sum()) if seen.len() else None), 0
    is_read = func.coalesce(Video.last_scraped_at >= since, false())
    counts = select(func.count().filter(is_read), func.count().filter(~is_read, scrapable_video()))
    read, unread = session.execute(counts.where(Video.account_id == job.account_id)).one()
    return read, unread


def _finish(
    session: Session, job: ScrapeJob, fetches: pl.DataFrame, errors: list[str | None]
) -> None:
    since = job.started_at or min(fetches["started_at"])
    seen, unread = _count_posts(session, job, fetches, since)
    succeeded = None in errors or (job.job_type == "video_stats" and bool(seen))
    if job.status == "succeeded" or (job.status != "running" and not succeeded):
        return
    is_passing = set(fetches["outcome"]) in PASSING
    may_wait = is_passing and max(fetches["finished_at"]) - job.created_at < LONGEST_WAIT
    if job.status == "running" and may_wait:
        let_wait(job, clock_of_database(session) + WAIT)
        return
    job.status = "succeeded" if succeeded else "failed"
    job.error = None if None in errors else errors[0]
    if succeeded and job.error:
        job.error = f"posts not read: {unread}; {job.error}" if unread else None
    job.videos_seen = seen
    job.started_at = since
    job.finished_at = max(fetches["finished_at"])
    job.lease_expires_at = None
