"""Checks the machine: clock, disks, data folder, file permissions, files, the sentiment model."""

import os
import shlex
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Any

from sqlalchemy import text

from orchestration.cli.doctor.finding import Finding, Installation, Level, answered, bad, ok, warn
from warehouse.backup.dump import ASIDE
from warehouse.backup.unfinished import unfinished_restore
from warehouse.clock import system_clock
from warehouse.dagster_settings import DAGSTER_SCHEMA
from warehouse.full_disk import disks
from warehouse.privacy import opened_too_far
from warehouse.removed_settings import given_variables, removed_settings
from warehouse.settings import ENV_FILE, unknown_settings
from warehouse.step_metrics import BACKUP, last_ended
from warehouse.storage.opening import open_storage
from warehouse.storage.storage import StorageAwayError


def check_clock(installation: Installation) -> Iterator[Finding]:
    """Warn if TRACKER_NOW fixes business time."""
    fixed = installation.settings.now
    if fixed is None:
        yield ok("clock", "business time is the system clock")
    else:
        yield warn(
            "clock",
            f"TRACKER_NOW fixes business time at {fixed.isoformat()}",
            "Unset it unless this is a demo, a test or a recomputation.",
        )


def check_settings(_installation: Installation) -> Iterator[Finding]:
    """Warn about TRACKER_ variables that are not settings, or no longer are."""
    for removed, instead in removed_settings(given_variables(ENV_FILE)):
        yield warn("settings", removed.rstrip("."), instead)
    for name, nearest in unknown_settings().items():
        way_out = f"Rename it to {nearest}." if nearest else "Remove it."
        yield warn("settings", f"{name} is not a setting", way_out)


LANDING = ("landing", "landing/incoming", "landing/registered")
PARTS = ("", *LANDING, "publications", "dagster", "logs")


def check_data_folder(installation: Installation) -> Iterator[Finding]:
    """Report a data folder that is missing or not writable."""
    home = installation.settings.home_path
    if not home.is_dir():
        yield bad(
            "data folder", f"{home} does not exist", "Set TRACKER_HOME, or run `tracker init`."
        )
        return
    folders = [home / part for part in PARTS if (home / part).exists()]
    closed = [folder for folder in folders if not _is_writable(folder)]
    if closed:
        yield bad(
            "data folder",
            f"user id {os.geteuid()} cannot write to {closed[0]}",
            "Run as its owner, or change the owner. Check that the disk is not mounted read-only.",
        )
    else:
        yield ok("data folder", f"{home} is writable")


def check_restore(installation: Installation) -> Iterator[Finding]:
    """Report a restore that was interrupted or is running."""
    home = installation.settings.home_path
    restore = unfinished_restore(home)
    if restore is not None:
        older = f"; older data is in {restore.aside}" if Path(restore.aside).exists() else ""
        yield bad(
            "restore",
            f"a restore of {restore.backup} has not ended{older}",
            f"Unless it is running, run `{restore.command}` again.",
        )
        return
    folders = {home, installation.settings.warehouse_path.parent}
    replaced = sorted(path for folder in folders for path in folder.glob("*before-restore-*"))
    if replaced:
        files = (file for path in replaced for file in (path, *path.rglob("*")))
        size = sum(file.lstat().st_size for file in files)
        yield warn(
            "restore",
            f"data that restores replaced takes {size / GIB:.1f} GiB",
            f"Once you no longer need them: `{shlex.join(['rm', '-r', *map(str, replaced)])}`.",
        )


SCHEMAS_SET_ASIDE = text("""
    select nspname, sum(pg_total_relation_size(pg_class.oid))::bigint
    from pg_namespace join pg_class on relnamespace = pg_namespace.oid and relkind = 'r'
    where starts_with(nspname, :by_restore) or starts_with(nspname, :damaged) group by 1 order by 1
""")


def check_schemas_set_aside(installation: Installation) -> Iterator[Finding]:
    """Report schemas with what a restore replaced, and with damaged histories of Dagster."""
    prefixes = {"by_restore": ASIDE, "damaged": f"{DAGSTER_SCHEMA}_"}
    with installation.session() as session:
        rows: Sequence[Any] = session.execute(SCHEMAS_SET_ASIDE, prefixes).all()
    if rows:
        names = ", ".join(name for name, _ in rows)
        yield warn(
            "restore",
            f"{len(rows)} schemas set aside take {sum(size for _, size in rows) / GIB:.1f} GiB",
            f"Once you no longer need them: `drop schema {names} cascade` in PostgreSQL.",
        )


OLD_BACKUP = timedelta(days=2)


def check_backup(installation: Installation) -> Iterator[Finding]:
    """Report a last backup that failed or is old; a new installation has none yet."""
    settings = installation.settings
    at = last_ended(settings.metrics_path, "succeeded").get(BACKUP)
    failed_at = last_ended(settings.metrics_path, "failed").get(BACKUP)
    if failed_at and failed_at >= (at or failed_at):
        failed = f"the last one failed at {failed_at:%Y-%m-%d %H:%M} UTC"
        yield warn("backup", failed, "`tracker backup DIR` prints the reason, as its log does.")
    if at is None and not settings.warehouse_path.exists():
        return
    made = f"the last one was made at {at:%Y-%m-%d %H:%M} UTC" if at else "none was made"
    if at and abs(system_clock() - at) <= OLD_BACKUP:  # later: of a clock that was ahead
        yield ok("backup", made)
    else:
        yield warn("backup", made, "Run `tracker backup DIR` each day (docs/operations/backup.md).")


def _is_writable(folder: os.PathLike[str]) -> bool:
    return os.access(folder, os.W_OK | os.X_OK, effective_ids=True)


WAY_OUT = (
    "Run `tracker init` for your own files; for others, their owner runs `chmod -R go= PATH`."
    " TRACKER_READERS_GROUP opens publications to a group."
)


def check_privacy(installation: Installation) -> Iterator[Finding]:
    """Report files that other users can read, or that the readers' group cannot."""
    settings = installation.settings
    opened = list(opened_too_far(settings))
    if opened:
        more = f" and {len(opened) - 1:,} more" if len(opened) > 1 else ""
        wrong = f"wrong permissions: {opened[0].path}{more}"
        yield warn("privacy", wrong, WAY_OUT)
    elif settings.readers_group:
        yield ok(
            "privacy",
            f"group {settings.readers_group} can read publications, which have the numbers of all"
            f" organizations",
        )
    else:
        yield ok("privacy", "only its owner can read the data folder")


GIB = 1 << 30
LIMITS: tuple[tuple[Level, float, int, int], ...] = (
    ("bad", 0.03, GIB // 2, 5 * GIB),
    ("warn", 0.10, 2 * GIB, 20 * GIB),
)
"""A disk has too little free space below this share of its size. The share counts as at least and
at most so many bytes: 5% of a large disk is plenty, 5% of a small one is not."""


def check_disk(installation: Installation) -> Iterator[Finding]:
    """Report disks that are nearly full."""
    for path, total, free in disks(installation.settings):
        level = level_of(free=free, total=total)
        gib = f"{free / GIB:.1f} of {total / GIB:.1f} GiB"
        message = f"{gib} ({free / total:.0%}) free for {path}"
        way_out = "Remove old backups and data set aside, or use a larger disk."
        yield Finding("disk", level, message, None if level == "ok" else way_out)


def level_of(*, free: int, total: int) -> Level:
    for level, share, at_least, at_most in LIMITS:
        if free < min(max(share * total, at_least), at_most):
            return level
    return "ok"


NEVER_PUT = "doctor"


def check_files(installation: Installation) -> Iterator[Finding]:
    """Report a bucket or folder for files that does not answer."""
    settings = installation.settings
    where = f"bucket {settings.s3_bucket}" if settings.s3_bucket else str(settings.files_path)
    began = monotonic()
    try:
        open_storage(settings).find(NEVER_PUT)
    except StorageAwayError as away:
        way_out = (
            "Check the TRACKER_S3_ settings. The key must list, get, put and delete objects."
            if settings.s3_bucket
            else "Make the folder writable for the user that runs the service."
        )
        yield bad("files", f"{where} cannot be used: {away}", way_out)
    else:
        timing = answered(began)
        yield ok("files", f"{where} {timing}: icons and receipts")


def check_sentiment_model(installation: Installation) -> Iterator[Finding]:
    """Report a custom model that cannot be loaded and used."""
    # Without a custom model, numpy and the scorer are not loaded.
    from warehouse.comment_scoring.chosen import chosen_model  # noqa: PLC0415
    from warehouse.comment_scoring.model_folder import UnusableModelError  # noqa: PLC0415

    folder = installation.settings.sentiment_model
    if folder is None:
        return
    try:
        yield ok("sentiment", f"comments are scored by {chosen_model(folder).name}")
    except UnusableModelError as error:
        left = "Comments have no sentiment until you fix it and run `tracker rescore`."
        yield bad("sentiment", str(error), left)
