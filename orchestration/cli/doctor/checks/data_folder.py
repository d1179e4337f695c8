"""Whether the data folder is there, ours to write, and whole."""

import os
from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, bad, ok
from warehouse.backup.unfinished import unfinished_restore

PARTS = ("", "landing", "publications", "dagster", "logs")


def check_data_folder(installation: Installation) -> Iterator[Finding]:
    """Find a data folder that is missing or that this user cannot write to."""
    home = installation.settings.home_path
    if not home.is_dir():
        yield bad("data folder", f"{home} is not there", "Set TRACKER_HOME, or run `tracker init`.")
        return
    folders = [home / part for part in PARTS if (home / part).exists()]
    closed = [folder for folder in folders if not _is_writable(folder)]
    if closed:
        yield bad(
            "data folder",
            f"user id {os.geteuid()} cannot write to {closed[0]}",
            "Run as its owner, or change the owner; see that the disk is not mounted read-only.",
        )
    else:
        yield ok("data folder", f"{home} can be written")


def check_restore(installation: Installation) -> Iterator[Finding]:
    """Find a restore that was interrupted (or is at work)."""
    home = installation.settings.home_path
    restore = unfinished_restore(home)
    if restore is not None:
        yield bad(
            "restore",
            f"a restore of {restore.backup} has not ended; older data is in {restore.aside}",
            f"Unless it is at work, run `tracker restore --force {restore.backup}` again.",
        )


def _is_writable(folder: os.PathLike[str]) -> bool:
    return os.access(folder, os.W_OK | os.X_OK, effective_ids=True)
