"""Stages a batch in temporary tables of the registering transaction.

Cleans impossible times and lengths, normalizes handles and merges the rows of a post. Owners are
decided elsewhere. PostgreSQL gets only which posts and profiles have readings, and when; readings
stay in frames, which are joined with its results (`readings`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Integer,
    MetaData,
    String,
    Table,
    Uuid,
    bindparam,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session
from sqlalchemy.schema import CreateTable

from warehouse.catalogue.counters import ACCOUNT_COUNTERS, VIDEO_COUNTERS
from warehouse.operational.session import driver_of
from warehouse.zones import FIRST_INSTANT, LAST_INSTANT

BATCH = "batch"
"""Column with the position of each row's batch, in frames of several landed batches."""
TEMPORARY = MetaData()
NOW = bindparam("now", type_=DateTime(timezone=True))
"""The business time, in statements that are built once: to build one costs more than to run it."""
VIDEO_COUNTS = [counter.count for counter in VIDEO_COUNTERS]
ACCOUNT_COUNTS = [counter.count for counter in ACCOUNT_COUNTERS]
LONGEST_SECONDS = 2**31 - 1


def _table(name: str, columns: dict[str, Any]) -> Table:
    return Table(
        name,
        TEMPORARY,
        *(Column(column, dtype) for column, dtype in columns.items()),
        prefixes=["temporary"],
        postgresql_on_commit="DROP",
    )


_ID = {"row": Integer(), "platform": String(), "platform_user_id": String(), "handle": String()}
_ID_IN_BATCH = _ID | {BATCH: Integer()}
PROFILES = _table(
    "staged_profiles",
    _ID_IN_BATCH
    | dict.fromkeys(["platform_alt_id", "display_name", "avatar_url", "bio_link"], String())
    | {"is_private": Boolean(), "is_reading": Boolean(), "captured_at": DateTime(timezone=True)},
)
"""Every profile, a reading if it showed a counter. `handle` is the one shown."""

POSTS = _table(
    "staged_posts",
    _ID
    | dict.fromkeys(
        ["platform_video_id", "url", "caption", "media_type", "thumbnail_url"], String()
    )
    | {"duration_seconds": Integer(), "posted_at_is_estimate": Boolean()}
    | dict.fromkeys(["posted_at", "captured_at", "read_at"], DateTime(timezone=True)),
)
"""One row per post, merged from its rows. `read_at` is when a counter was last known."""

COAUTHORS = _table("staged_coauthors", _ID)
"""Co-authors under whom a post of POSTS (`row`) was shown."""

OUTCOMES = _table("staged_outcomes", _ID_IN_BATCH | {"platform_video_id": String()})
"""Every fetch. `handle` is the requested one, `platform_user_id` the one known or found."""

LISTINGS = _table("staged_listings", _ID_IN_BATCH)
"""Every page of a listing. `handle` is the requested one, `platform_user_id` the known one."""

POST_ACCOUNTS = _table(
    "post_accounts",
    {"row": Integer()}
    | dict.fromkeys(["account_id", "creator_id", "project_id", "organization_id"], Uuid()),
)
"""The account of each post, at most one per project (filled by `identities`)."""

SEEN = _table(
    "staged_seen",
    {"platform": String(), "platform_video_id": String()}
    | {"captured_at": DateTime(timezone=True), "views": BigInteger()},
)
"""The last reading of each read post, for the fetch schedule."""

NEW_VIDEOS = _table(
    "new_videos",
    {"row": Integer()}
    | dict.fromkeys(
        [
            "id",
            "status_id",
            "owner_id",
            "account_id",
            "creator_id",
            "project_id",
            "organization_id",
        ],
        Uuid(),
    )
    | {"tracking_status": String()},
)
"""Registry rows to insert, with the ids of their dated rows (filled by `registry`)."""

_CREATE = ";".join(
    str(CreateTable(table).compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]
    for table in TEMPORARY.sorted_tables
)


@dataclass(frozen=True, slots=True)
class Readings:
    """The batch's readings: of posts by `platform` and `platform_video_id`, of profiles by `row`.

    Each has at least one known counter.
    """

    posts: pl.DataFrame
    profiles: pl.DataFrame


def stage(session: Session, landed: dict[str, pl.DataFrame]) -> Readings:
    """Create and fill the temporary tables from landed batches. Returns their readings."""
    driver_of(session).execute(_CREATE.encode(), prepare=False)
    user_ids = _user_ids(landed["profiles"])
    posts = _clean_posts(landed["posts"])
    profiles = _profiles(landed["profiles"])
    copy_into(session, PROFILES, profiles)
    merged = _merged(posts, user_ids)
    copy_into(session, POSTS, merged)
    copy_into(session, COAUTHORS, _coauthors(posts, merged))
    copy_into(session, OUTCOMES, _requested_accounts(landed["outcomes"], landed["profiles"]))
    copy_into(session, LISTINGS, _of_handles(landed["listings"]))
    return Readings(posts.filter(_any_known(VIDEO_COUNTS)), profiles.filter("is_reading"))


def copy_into(session: Session, table: Table, frame: pl.DataFrame) -> None:
    """Copy a frame into a temporary table by column name, and analyze the table."""
    columns = [column.name for column in table.columns]
    names = ", ".join(f'"{name}"' for name in columns)
    with driver_of(session).cursor() as cursor:
        if frame.height:
            statement = f"copy {table.name} ({names}) from stdin (format csv, header)"
            with cursor.copy(statement) as copy:
                copy.write(frame.select(columns).write_csv(quote_style="non_numeric"))
        cursor.execute(f"analyze {table.name}")


def _any_known(counts: Iterable[str]) -> pl.Expr:
    return pl.any_horizontal(pl.col(name).is_not_null() for name in counts)


def _profiles(profiles: pl.DataFrame) -> pl.DataFrame:
    return profiles.with_columns(
        handle=pl.col("observed_handle").str.to_lowercase(),
        is_reading=_any_known(ACCOUNT_COUNTS),
    ).with_row_index("row")


def _user_ids(profiles: pl.DataFrame, handle: str = "observed_handle") -> pl.DataFrame:
    """Return user ids by handle, from the batch's profiles."""
    return (
        profiles.sort("captured_at")
        .group_by("platform", pl.col(handle).str.to_lowercase().alias("handle"))
        .agg(latest_user_id=pl.col("platform_user_id").drop_nulls().last())
    )


def _clean_posts(posts: pl.DataFrame) -> pl.DataFrame:
    possible = pl.col("posted_at").is_between(FIRST_INSTANT, LAST_INSTANT, closed="left")
    length = pl.col("duration_seconds").is_between(0, LONGEST_SECONDS)
    return posts.with_columns(
        handle=pl.col("handle").str.to_lowercase(),
        posted_at=pl.when(possible).then("posted_at"),
        duration_seconds=pl.when(length).then("duration_seconds"),
    )


def _merged(posts: pl.DataFrame, user_ids: pl.DataFrame) -> pl.DataFrame:
    """Return one row per post with the last known facts; an exact posted_at wins.

    Posts are in the order of their batches, and so are the ids of new ones.
    A post without posting time has no estimate, so no true time is awaited (posting_times).
    """
    facts = ["platform_user_id", "handle", "url", "caption", "media_type", "thumbnail_url"]
    exact = pl.col("posted_at").filter(~pl.col("posted_at_is_estimate")).drop_nulls().last()
    last_posted_at = pl.col("posted_at").drop_nulls().last()
    return (
        posts.sort(BATCH, "captured_at", maintain_order=True)
        .group_by("platform", "platform_video_id", maintain_order=True)
        .agg(
            pl.col(*facts, "duration_seconds").drop_nulls().last(),
            pl.col("captured_at").last(),
            read_at=pl.col("captured_at").filter(_any_known(VIDEO_COUNTS)).last(),
            posted_at=pl.coalesce(exact, last_posted_at),
            posted_at_is_estimate=exact.is_null() & last_posted_at.is_not_null(),
        )
        .join(user_ids, on=["platform", "handle"], how="left")
        .with_columns(platform_user_id=pl.coalesce("platform_user_id", "latest_user_id"))
        .with_row_index("row")
    )


def _coauthors(posts: pl.DataFrame, merged: pl.DataFrame) -> pl.DataFrame:
    """Return further user ids under which posts were shown."""
    key = ["platform", "platform_video_id"]
    main = merged.select(*key, "row", main_id="platform_user_id")
    return (
        posts.filter(pl.col("platform_user_id").is_not_null())
        .group_by(*key, "platform_user_id", maintain_order=True)
        .agg(pl.col("handle").drop_nulls().last())
        .join(main, on=key)
        .filter(pl.col("platform_user_id") != pl.col("main_id"))
    )


def _of_handles(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(handle=pl.col("handle").str.to_lowercase()).with_row_index("row")


def _requested_accounts(outcomes: pl.DataFrame, profiles: pl.DataFrame) -> pl.DataFrame:
    return (
        _of_handles(outcomes)
        .join(_user_ids(profiles, "handle"), on=["platform", "handle"], how="left")
        .with_columns(platform_user_id=pl.coalesce("platform_user_id", "latest_user_id"))
    )
