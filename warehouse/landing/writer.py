"""Writes scraped rows as an immutable batch in the landing zone.

It knows the landed columns only; registration finds the owners of readings.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import polars as pl

from warehouse.landing.landing import Landing
from warehouse.landing.schema import LANDED

Row = Mapping[str, Any]


class LandingWriter:
    """Lands batches. Any number of writers and processes may land at the same time."""

    def __init__(self, landing: Landing) -> None:
        self._landing = landing

    def land(
        self,
        *,
        profiles: Iterable[Row] = (),
        posts: Iterable[Row] = (),
        outcomes: Iterable[Row] = (),
        comments: Iterable[Row] = (),
        comment_walks: Iterable[Row] = (),
        listings: Iterable[Row] = (),
    ) -> UUID:
        """Write one batch. Returns its id once it is complete and durable.

        Keys of rows are columns of `warehouse.landing.schema` (a missing key is null). Raises
        ValueError for an unknown column or a batch without rows.
        """
        rows = {
            "profiles": profiles,
            "posts": posts,
            "outcomes": outcomes,
            "comments": comments,
            "comment_walks": comment_walks,
            "listings": listings,
        }
        frames = {name: landed_frame(name, rows[name]) for name in LANDED}
        if not any(frame.height for frame in frames.values()):
            raise ValueError("a batch needs at least one row")
        return self._landing.land(partial(write_frames, frames))


def write_frames(frames: Mapping[str, pl.DataFrame], folder: Path) -> None:
    """Write each non-empty frame as `<name>.parquet` in a folder."""
    for name, frame in frames.items():
        if frame.height:
            frame.write_parquet(folder / f"{name}.parquet")


def landed_frame(name: str, rows: Iterable[Row]) -> pl.DataFrame:
    """Return rows as a frame of the landed table `name`."""
    schema = LANDED[name]
    clean = [{key: _storable(value) for key, value in row.items()} for row in rows]
    unknown = {key for row in clean for key in row} - set(schema)
    if unknown:
        raise ValueError(f"{name} has no column {', '.join(sorted(unknown))}")
    return pl.DataFrame(clean, schema=schema)


def _storable(value: object) -> object:
    """Replace what UTF-8 or PostgreSQL cannot store; platforms send such text."""
    if isinstance(value, str):
        return value.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
    return value
