"""Assigns readings to registry rows: one for each project that tracks the post or account.

Returns frames of the registered batch. PostgreSQL finds owners by ids only; the readings are
joined here.
"""

from functools import cache
from typing import Any

import polars as pl
from sqlalchemy import Select, String, and_, cast, select
from sqlalchemy.orm import Session

from warehouse.landing.schema import REGISTERED
from warehouse.operational.models import Account, Video
from warehouse.operational.tracked_videos import tracking_ended_at
from warehouse.registration.identities import accounts_of
from warehouse.registration.scrapable import accepts_readings
from warehouse.registration.staging import BATCH, POSTS, PROFILES

POST = pl.Schema({"platform": pl.String(), "platform_video_id": pl.String()})
TAKER = POST | {"video_id": pl.String(), "ended_at": pl.Datetime("us", "UTC")}
PROFILE = pl.Schema({"row": pl.UInt32()})


def video_snapshots(session: Session, readings: pl.DataFrame) -> pl.DataFrame:
    """Return the batch's post readings, once for each registry row that accepts them.

    If tracking ended between a reading and its registration, the row still gets it.
    """
    taker_rows = pl.DataFrame(session.execute(_takers()).all(), schema=TAKER, orient="row")
    given = _given(readings, taker_rows, REGISTERED["video_snapshots"], on=POST)
    ends = taker_rows.drop_nulls("ended_at").select("video_id", "ended_at").unique()
    ended = given.join(ends, on="video_id", how="left", maintain_order="left")
    is_late = pl.col("captured_at") >= pl.col("ended_at")
    return ended.filter(~is_late.fill_null(value=False)).drop("ended_at")


@cache
def _takers() -> Select[Any]:
    same_post = and_(
        Video.platform == POSTS.c.platform,
        Video.platform_video_id == POSTS.c.platform_video_id,
    )
    return (
        select(
            POSTS.c.platform,
            POSTS.c.platform_video_id,
            cast(Video.id, String),
            tracking_ended_at(Account),
        )
        .join(Video, same_post)
        .outerjoin(Account, Account.id == Video.account_id)
        .where(accepts_readings(Account))
    )


def account_snapshots(session: Session, readings: pl.DataFrame) -> pl.DataFrame:
    """Return the batch's profile readings, once for each account."""
    about = accounts_of(PROFILES)
    takers = select(about.c.row, cast(about.c.account_id, String))
    taker_rows = pl.DataFrame(
        session.execute(takers).all(), schema=PROFILE | {"account_id": pl.String()}, orient="row"
    )
    return _given(readings, taker_rows, REGISTERED["account_snapshots"], on=PROFILE)


def _given(
    readings: pl.DataFrame, takers: pl.DataFrame, schema: pl.Schema, on: pl.Schema
) -> pl.DataFrame:
    """Return each reading once for each of its rows, without duplicates."""
    given = readings.join(takers, on=on.names()).select(BATCH, *schema.names()).unique()
    return given.sort("captured_at", *schema.names())
