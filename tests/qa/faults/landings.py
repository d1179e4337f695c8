"""What the killed processes land: numbered landings, and a diary of them.

Landing number `n` reads the posts and profiles of all handles at one instant. Its rows follow from
`n` alone, so a test knows the warehouse's contents without reading it. The diary is outside the
service's data: a line before each landing, and a line after it.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.factories.landing import fetch, post, profile
from warehouse.landing.writer import LandingWriter

START = datetime(2026, 2, 20, tzinfo=UTC)
APART = timedelta(hours=7)
HANDLES = ("anna", "ben", "cleo")
POSTS_AT_ONCE = 4
LANDINGS_UNTIL_NEXT_POST = 6

Row = dict[str, Any]


def instant_of(number: int) -> datetime:
    """The instant of a landing's readings; every second landing is older than the one before."""
    return START + (number ^ 1) * APART


def business_time(numbers: int) -> datetime:
    """A time after the readings of the first `numbers` landings."""
    return START + (numbers + 1) * APART


def profiles_of(number: int) -> list[Row]:
    return [
        profile(
            handle,
            captured_at=instant_of(number),
            follower_count=number * 17 % 400,
            following_count=None if number % 3 else number,
        )
        for handle in HANDLES
    ]


def posts_of(number: int) -> list[Row]:
    """The newest posts of each handle; counts rise, fall, and are sometimes unknown."""
    newest = number // LANDINGS_UNTIL_NEXT_POST + POSTS_AT_ONCE
    return [
        post(
            f"{handle}-{which}",
            handle,
            captured_at=instant_of(number),
            posted_at=START,
            view_count=(number * 37 + which * 11) % 1000,
            like_count=None if (number + which) % 5 == 0 else number + which,
            share_count=number % 7,
        )
        for handle in HANDLES
        for which in range(newest - POSTS_AT_ONCE, newest)
    ]


def fetches_of(number: int) -> list[Row]:
    at = instant_of(number)
    return [fetch(handle, started_at=at, finished_at=at) for handle in HANDLES]


@dataclass(frozen=True)
class Diary:
    """The started landings and those known to be finished."""

    path: Path

    def land(self, writer: LandingWriter) -> None:
        """Land the next number, with a line before and a line after."""
        number = len(self.begun())
        self._write({"begun": number})
        writer.land(
            profiles=profiles_of(number), posts=posts_of(number), outcomes=fetches_of(number)
        )
        self._write({"finished": number})

    def begun(self) -> list[int]:
        return [entry["begun"] for entry in self._entries() if "begun" in entry]

    def finished(self) -> set[int]:
        return {entry["finished"] for entry in self._entries() if "finished" in entry}

    def _entries(self) -> Iterator[dict[str, int]]:
        if self.path.exists():
            yield from (json.loads(line) for line in self.path.read_text().splitlines())

    def _write(self, entry: dict[str, int]) -> None:
        """Append a line by a single system call: a kill leaves all of it or nothing."""
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(descriptor, (json.dumps(entry) + "\n").encode())
        finally:
            os.close(descriptor)
