"""Whether the disks of the data folder and the warehouse have room for another run."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from orchestration.cli.doctor.finding import Finding, Installation, Level

GIB = 1 << 30
LIMITS: tuple[tuple[Level, float, int, int], ...] = (
    ("bad", 0.03, GIB // 2, 5 * GIB),
    ("warn", 0.10, 2 * GIB, 20 * GIB),
)
"""Free space below this share of the disk is too little, but the share counts as at least and at
most so many bytes: a twentieth of a large disk is plenty, a twentieth of a small one is not."""


def check_disk(installation: Installation) -> Iterator[Finding]:
    """Find disks that are nearly full."""
    settings = installation.settings
    places = [settings.home_path, settings.warehouse_path.parent]
    disks = {place.stat().st_dev: place for place in map(_that_is_there, reversed(places))}
    for place in disks.values():
        usage = shutil.disk_usage(place)
        level = level_of(free=usage.free, total=usage.total)
        message = (
            f"{usage.free / GIB:.1f} of {usage.total / GIB:.1f} GiB"
            f" ({usage.free / usage.total:.0%}) are free for {place}"
        )
        way_out = "Make room: remove old backups and data set aside, or move to a larger disk."
        yield Finding("disk", level, message, None if level == "ok" else way_out)


def level_of(*, free: int, total: int) -> Level:
    """Judge a disk by its free bytes and its size."""
    for level, share, at_least, at_most in LIMITS:
        if free < min(max(share * total, at_least), at_most):
            return level
    return "ok"


def _that_is_there(path: Path) -> Path:
    return next(step for step in (path, *path.parents) if step.exists())
