"""The kinds of import files and their columns (design, 'Interfaces that stay fixed').

A column's rules follow from its name, so they are the same in every kind: see `values`.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from warehouse.catalogue.counters import ACCOUNT_COUNTERS, VIDEO_COUNTERS
from warehouse.imports.report import UnusableFileError

VIDEOS = "videos"
VIDEO_SNAPSHOTS = "video-snapshots"
ACCOUNT_SNAPSHOTS = "account-snapshots"

COLUMNS = {
    VIDEOS: ("platform", "handle", "platform_video_id", "posted_at", "caption"),
    VIDEO_SNAPSHOTS: (
        "platform",
        "platform_video_id",
        "captured_at",
        *(counter.count for counter in VIDEO_COUNTERS),
    ),
    ACCOUNT_SNAPSHOTS: (
        "platform",
        "handle",
        "captured_at",
        *(counter.count for counter in ACCOUNT_COUNTERS),
    ),
}
"""A file has exactly these columns, in any order."""

MAY_LACK = {c.count for c in (*VIDEO_COUNTERS, *ACCOUNT_COUNTERS) if c.came_later}
"""Columns that older files may lack; they are unknown in all rows."""

OTHER_EXPORTS = {
    "profile_views": ("TikTok Studio: Overview", "changes per day, not counts; nothing to import"),
    "difference_in_followers_from_previous_day": (
        "TikTok Studio: Followers",
        "Followers is follower_count; add platform, handle, a year and an offset",
    ),
    "video_link": ("TikTok Studio: Content", "Video link is the post; Post time needs an offset"),
    "permalink": ("Meta Business Suite: posts", "Permalink is the post, Post ID another number"),
    "followers": (
        "Social Blade",
        "Followers is follower_count; add platform, handle, and a time with an offset to Date",
    ),
}
"""The section of the guide and what to use, by a column of the exports of other tools."""

EARLIEST = datetime(2010, 1, 1, tzinfo=UTC)
"""No platform existed before; `PLATFORM_BEGAN` says when each one began."""

LARGEST_COUNT = 10**12
"""A hundred times the largest counter of any platform. A larger count is a mistake, and sums of
such counts would overflow BIGINT."""


def counts_of(kind: str) -> tuple[str, ...]:
    """Return the columns of counts. An empty count is unknown."""
    return tuple(column for column in COLUMNS[kind] if column.endswith("_count"))


def check_columns(
    path: Path,
    actual: Sequence[str],
    expected: Sequence[str],
    first_line: tuple[int, str] | None = None,
) -> None:
    """Raise UnusableFileError unless the names are the expected ones, in any order.

    Columns in MAY_LACK may be missing. A text file's first line is named if it has no columns.
    """
    needed = [name for name in expected if name not in MAY_LACK]
    if first_line and not set(actual) & set(expected):
        for section, advice in (OTHER_EXPORTS[name] for name in OTHER_EXPORTS if name in actual):
            guide = f"(guide: Exports of other tools, {section})"
            raise UnusableFileError(path, f"is an export of {section}: {advice} {guide}")
        number, line = first_line
        must = f"the first line must name the columns {','.join(needed)}"
        raise UnusableFileError(path, f"{must}; line {number} is {line.strip()!r:.80}")
    faults = [
        *(f"has no column {name}" for name in needed if name not in actual),
        *(
            f"has an unknown column {name!r:.80}: remove it or rename it"
            for name in actual
            if name not in expected
        ),
        *(f"has the column {name} twice" for name in expected if actual.count(name) > 1),
    ]
    if faults:
        must_have = f"it must have the columns {','.join(expected)}, with unknown counts left empty"
        raise UnusableFileError(path, f"{'; '.join(faults[:5])}; {must_have}")
