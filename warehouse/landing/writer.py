"""Writes what a scrape saw as one immutable batch in the landing zone.

Knows the landed columns, not what they mean: registration decides whose a reading is.
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
    """Lands batches. Any number of writers, in any number of processes, may work side by side."""

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
        """Write one batch and return its id once it is whole and nothing can lose it.

        The rows' keys are columns of `warehouse.landing.schema` (a missing key is null). Raises
        ValueError where a key is no column or there is no row at all.
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
    """Write each frame that has rows as `<name>.parquet` in a folder."""
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
    """Return text without what neither UTF-8 nor PostgreSQL can hold: platforms send it."""
    if isinstance(value, str):
        return value.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
    return value
