"""What a publication says of itself: the one row of its table `publication`."""

from dataclasses import asdict, dataclass
from datetime import datetime
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
    "Which publication this is: one row.",
    {
        "publication_id": "The publication, another one each time.",
        "as_of": "Up to when its data go (UTC).",
        "published_at": "When it was published, by the real clock (UTC).",
        "models_version": "Which models computed it: a digest of them.",
        "first_reading_at": "When the earliest reading in it was taken (UTC); null without one.",
    },
)
"""What the table means, and its columns."""

NOT_YET_NOTED = {"models_version": None, "first_reading_at": None}
"""What publications of earlier versions do not say."""


@dataclass(frozen=True)
class PublicationInfo:
    """Which publication it is, its run's business time and when it was published (UTC).

    `models_version` says which models computed it, `first_reading_at` when the earliest reading in
    it was taken; None where that was not yet noted, or there is no reading.
    """

    publication_id: UUID
    as_of: datetime
    published_at: datetime
    models_version: str | None
    first_reading_at: datetime | None

    @property
    def is_of_other_models(self) -> bool:
        """Whether another version computed it, which may lack what this one reads."""
        return self.models_version != models_version()


def read_info(connection: duckdb.DuckDBPyConnection) -> PublicationInfo:
    """Return what the publication that `connection` is on says of itself."""
    cursor = connection.execute("from marts.publication")
    names = [column[0] for column in cursor.description or ()]
    row = dict(zip(names, cursor.fetchall()[0], strict=True))
    return PublicationInfo(**{**NOT_YET_NOTED, **row})


def write_info(connection: duckdb.DuckDBPyConnection, info: PublicationInfo) -> None:
    """Write what a publication says of itself, in place of what it said before."""
    connection.execute(CREATE, asdict(info))
