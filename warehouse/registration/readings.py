"""Assigns readings to registry rows: one for each project that tracks the post or account.

Returns frames of the registered batch. PostgreSQL finds owners by ids only; the readings are
joined here.
"""

from datetime import timedelta
from functools import cache
from typing import Any

import polars as pl
import structlog
from sqlalchemy import Select, String, and_, case, cast, select
from sqlalchemy.orm import Session

from warehouse.landing.schema import REGISTERED
from warehouse.operational.models import Account, Video
from warehouse.operational.tracked_videos import tracking_ended_at
from warehouse.platforms import PLATFORM_BEGAN
from warehouse.registration.identities import accounts_of
from warehouse.registration.scrapable import accepts_readings
from warehouse.registration.staging import BATCH, POSTS, PROFILES

log = structlog.get_logger(__name__)

CLOCKS_DIFFER = timedelta(minutes=5)
"""A new post's first reading is not lost to a worker's clock that is this much behind."""

POST = pl.Schema({"platform": pl.String(), "platform_video_id": pl.String()})
INSTANT = pl.Datetime("us", "UTC")
TAKER = POST | {"video_id": pl.String(), "ended_at": INSTANT, "posted_at": INSTANT}
PROFILE = pl.Schema({"row": pl.UInt32()})


def video_snapshots(session: Session, readings: pl.DataFrame) -> pl.DataFrame:
    """Return the batch's post readings, once for each registry row that accepts them.

    If tracking ended between a reading and its registration, the row still gets it. Readings from
    before the platform existed, or before the post was published, if that is known exactly, are
    refused.
    """
    taker_rows = pl.DataFrame(session.execute(_takers()).all(), schema=TAKER, orient="row")
    possible = _since_platform_began(readings)
    given = _given(possible, taker_rows, REGISTERED["video_snapshots"], on=POST)
    spans = taker_rows.select("video_id", "ended_at", "posted_at").unique("video_id")
    spanned = given.join(spans, on="video_id", how="left", maintain_order="left")
    is_late = pl.col("captured_at") >= pl.col("ended_at")
    in_time = spanned.filter(~is_late.fill_null(value=False))
    return _possible(in_time, "posted_at", CLOCKS_DIFFER).drop("ended_at", "posted_at")


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
            case((~Video.posted_at_is_estimate, Video.posted_at)),
        )
        .join(Video, same_post)
        .outerjoin(Account, Account.id == Video.account_id)
        .where(accepts_readings(Account))
    )


def account_snapshots(session: Session, readings: pl.DataFrame) -> pl.DataFrame:
    """Return the batch's profile readings, once for each account.

    Readings from before the platform existed are refused.
    """
    about = accounts_of(PROFILES)
    takers = select(about.c.row, cast(about.c.account_id, String))
    taker_rows = pl.DataFrame(
        session.execute(takers).all(), schema=PROFILE | {"account_id": pl.String()}, orient="row"
    )
    possible = _since_platform_began(readings)
    return _given(possible, taker_rows, REGISTERED["account_snapshots"], on=PROFILE)


def _since_platform_began(readings: pl.DataFrame) -> pl.DataFrame:
    began = pl.col("platform").replace_strict(PLATFORM_BEGAN, return_dtype=INSTANT)
    return _possible(readings.with_columns(began=began), "began")


def _possible(
    readings: pl.DataFrame, earliest: str, tolerance: timedelta = timedelta(0)
) -> pl.DataFrame:
    """Return the readings without those before their `earliest` instant, which are reported."""
    is_impossible = (pl.col("captured_at") < pl.col(earliest) - tolerance).fill_null(value=False)
    impossible = readings.filter(is_impossible)
    if impossible.height:
        first = {
            name: str(value)
            for name, value in impossible.row(0, named=True).items()
            if name
            in {"video_id", "platform", "platform_video_id", "handle", "captured_at", earliest}
        }
        log.warning("readings refused: before their subject", count=impossible.height, **first)
    return readings.filter(~is_impossible)


def _given(
    readings: pl.DataFrame, takers: pl.DataFrame, schema: pl.Schema, on: pl.Schema
) -> pl.DataFrame:
    """Return each reading once for each of its rows, without duplicates."""
    given = readings.join(takers, on=on.names()).select(BATCH, *schema.names()).unique()
    return given.sort("captured_at", *schema.names())
