"""For which registry rows a reading counts: one for each project that tracks the post or account.

Returns frames of the registered batch. A reading without a single known counter is none.
"""

from typing import Any

import polars as pl
from sqlalchemy import Select, String, and_, cast, func, select
from sqlalchemy.orm import Session

from warehouse.landing.schema import ACCOUNT_SNAPSHOTS, VIDEO_SNAPSHOTS
from warehouse.operational.models import Video
from warehouse.registration.identities import accounts_of
from warehouse.registration.scrapable import scrapable_video
from warehouse.registration.staging import ACCOUNT_COUNTS, PROFILES, READINGS


def video_snapshots(session: Session) -> pl.DataFrame:
    """Return the batch's post readings, each once for every registry row that may take it."""
    columns = [READINGS.c[name] for name in VIDEO_SNAPSHOTS if name != "video_id"]
    same_post = and_(
        Video.platform == READINGS.c.platform,
        Video.platform_video_id == READINGS.c.platform_video_id,
    )
    statement = (
        select(cast(Video.id, String), *columns).join(Video, same_post).where(scrapable_video())
    )
    return _frame(session, statement, VIDEO_SNAPSHOTS)


def account_snapshots(session: Session) -> pl.DataFrame:
    """Return the batch's profile readings, each once for every account that it is about."""
    found = accounts_of(PROFILES)
    columns = [PROFILES.c[name] for name in ACCOUNT_SNAPSHOTS if name != "account_id"]
    some_count = func.num_nonnulls(*(PROFILES.c[name] for name in ACCOUNT_COUNTS)) > 0
    statement = (
        select(cast(found.c.account_id, String), *columns)
        .join(PROFILES, PROFILES.c.row == found.c.row)
        .where(some_count)
    )
    return _frame(session, statement, ACCOUNT_SNAPSHOTS)


def _frame(session: Session, statement: Select[Any], schema: pl.Schema) -> pl.DataFrame:
    rows = [tuple(row) for row in session.execute(statement.distinct())]
    return pl.DataFrame(rows, schema=schema, orient="row").sort("captured_at", *schema.names()[:1])
