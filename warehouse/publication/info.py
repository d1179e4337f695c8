"""The row of a publication's table `publication`."""

from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

import duckdb

from warehouse.models_version import models_version

CREATE = """
    create or replace table marts.publication as
    select
        $publication_id::uuid as publication_id,
        $as_of::timestamptz as as_of,
        $published_at::timestamptz as published_at,
        $models_version::varchar as models_version,
        $first_reading_at::timestamptz as first_reading_at
"""

MEANS = (
    "This publication: one row.",
    {
        "publication_id": "Id of the publication.",
        "as_of": "Up to when it has data (UTC).",
        "published_at": "When it was published, by the real clock (UTC).",
        "models_version": "Digest of the models that computed it.",
        "first_reading_at": "When the earliest reading in it was taken (UTC); null without one.",
    },
)
"""Descriptions of the table and its columns."""

NOT_YET_NOTED = {"models_version": None, "first_reading_at": None}
"""Columns that publications of earlier versions lack."""


@dataclass(frozen=True)
class PublicationInfo:
    """A publication's id, business time, time of publication (UTC) and models.

    `models_version` identifies its models, `first_reading_at` is its earliest reading; None if not
    recorded, or without reading.
    """

    publication_id: UUID
    as_of: datetime
    published_at: datetime
    models_version: str | None
    first_reading_at: datetime | None

    @property
    def is_of_other_models(self) -> bool:
        """Whether another version computed it, so that it may lack what this version reads."""
        return self.models_version != models_version()


def read_info(connection: duckdb.DuckDBPyConnection) -> PublicationInfo:
    """Return the row of the publication of `connection`."""
    cursor = connection.execute("from marts.publication")
    names = [column[0] for column in cursor.description or ()]
    row = dict(zip(names, cursor.fetchall()[0], strict=True))
    return PublicationInfo(**{**NOT_YET_NOTED, **row})


def info_of(database: Path) -> PublicationInfo:
    with duckdb.connect(database, read_only=True) as connection:
        connection.execute("set TimeZone = 'UTC'")
        return read_info(connection)


def write_info(connection: duckdb.DuckDBPyConnection, info: PublicationInfo) -> None:
    connection.execute(CREATE, asdict(info))
