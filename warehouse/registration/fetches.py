"""Outcomes of fetches: rows of raw.scrape_outcomes, and notes on accounts."""

from collections.abc import Mapping, Sequence
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
    func,
    null,
    select,
    true,
    update,
)
from sqlalchemy.orm import Session
from sqlalchemy.types import TypeEngine

from warehouse.landing.schema import REGISTERED
from warehouse.operational.models import Account, AccountDeactivation, Video
from warehouse.registration.identities import accounts_of
from warehouse.registration.listings import lacks_from
from warehouse.registration.scrapable import scrapable_video
from warehouse.registration.staging import BATCH, OUTCOMES

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
