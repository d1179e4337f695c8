"""Checks that batches move through the landing zone and that the warehouse can be written."""

import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic

import duckdb
from sqlalchemy import select

from orchestration.cli.doctor.finding import (
    Finding,
    Installation,
    Level,
    StoreUnusableError,
    answered,
    bad,
    ok,
    warn,
)
from warehouse.backup.files import whole_entries
from warehouse.connection import open_warehouse
from warehouse.landing.archive import days_before
from warehouse.landing.object_names import batch_of
from warehouse.landing.opening import open_landing
from warehouse.operational.models import RegisteredBatch
from warehouse.raw.history_view import missing_files
from warehouse.settings import Settings
from warehouse.storage.storage import StorageAwayError
from warehouse.warehouse_lock import writers_locked_out

HOUR = 3600
SLOW_HOURS = 3
STUCK_HOURS = 26
"""Scrapes request a rollup when they land, and one runs daily: after that time something failed."""

STAGES = {
    "incoming": "batches waiting for registration",
    "registered": "batches waiting for ingestion",
}


def check_landing(installation: Installation) -> Iterator[Finding]:
    """Report batches that wait too long, by the real clock."""
    unknown = _unknown(installation)
    for stage, state in STAGES.items():
        waiting = [path for path in _folders(installation, stage) if path not in unknown]
        ages = [_age_hours(path) for path in waiting]
        oldest = max(ages, default=0.0)
        level: Level = "ok"
        if oldest >= SLOW_HOURS:
            level = "bad" if oldest >= STUCK_HOURS else "warn"
        since = f", the oldest for {oldest:.1f} h" if ages else ""
        way_out = "Run `tracker run --no-scrape` and see where it fails."
        yield Finding(
            "landing", level, f"{state}: {len(ages)}{since}", None if level == "ok" else way_out
        )

    if unknown:
        yield warn(
            "landing",
            f"batches that PostgreSQL does not know: {len(unknown)}",
            "A killed import left them, and the next one removes them. If PostgreSQL was set back"
            " without `tracker restore`, they are readings that it lost: copy them first.",
        )


def _unknown(installation: Installation) -> list[Path]:
    """Return registered batches without a row, which no run ingests; none if unreachable.

    After SLOW_HOURS no registration is under way that would still write the row.
    """
    written = {
        path: batch_of(path.name)
        for path in _folders(installation, "registered")
        if _age_hours(path) >= SLOW_HOURS
    }
    is_there = RegisteredBatch.batch_id.in_([each for each in written.values() if each])
    with suppress(StoreUnusableError), installation.session() as session:
        known = set(session.scalars(select(RegisteredBatch.batch_id).where(is_there)))
        return [path for path, batch_id in written.items() if batch_id not in known]
    return []


def check_bucket(installation: Installation) -> Iterator[Finding]:
    """Report a landing bucket that does not answer, and batches that wait in it."""
    settings = installation.settings
    if settings.landing_url is None:
        return
    landing, began = open_landing(settings), monotonic()
    try:
        waiting = [*landing.incoming(), *landing.registered()]
        aside = len(landing.rejected_ids())
        timing = answered(began)
    except StorageAwayError as away:
        yield bad(
            "landing",
            f"{settings.landing_url} cannot be used: {away}",
            "Batches stay on the machines that scrape. Check TRACKER_LANDING_URL and the "
            "TRACKER_S3_ settings. The key must list, get, put and delete objects.",
        )
        return
    message = f"{settings.landing_url} {timing}: {len(waiting)} batches wait, {aside} set aside"
    if not aside:
        yield ok("landing", message)
        return
    yield warn(
        "landing",
        message,
        "Their readings are not counted. `reason` in each object below rejected/ says why, and"
        " under which name it was: move it back there once the reason is gone.",
    )


def check_rejected(installation: Installation) -> Iterator[Finding]:
    """Report damaged batches that were set aside, with the newest one's reason."""
    rejected = _folders(installation, "rejected")
    if not rejected:
        yield ok("landing", "damaged batches set aside: none")
        return
    newest = min(rejected, key=_age_hours)
    reason, back = _reason(newest)
    yield warn(
        "landing",
        f"damaged batches set aside: {len(rejected)}; the newest: {reason[:200]}",
        f"Their readings are not counted: read reason.txt in each folder of {newest.parent}. Repair"
        f" them, or upgrade, and bring them back{back}, or leave them there: backups and rebuilds"
        " fail without a registered one.",
    )


def check_archive(installation: Installation) -> Iterator[Finding]:
    """Report days of an archive in folders that no run has compacted."""
    settings = installation.settings
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    days = days_before(settings.landing_path, yesterday) if settings.landing_url is None else []
    if days:
        yield warn(
            "landing",
            f"archived days that are not compacted: {len(days)}, the first {days[0].name}",
            "Run `tracker run --no-scrape`. If its log names a damaged file, copy that file from"
            " a backup: a rebuild needs it.",
        )


def _folders(installation: Installation, stage: str) -> list[Path]:
    folder = installation.settings.landing_path / stage
    return [path for path in whole_entries(folder) if path.is_dir()]


def _age_hours(path: Path) -> float:
    try:
        return (time.time() - path.stat().st_mtime) / HOUR
    except FileNotFoundError:  # it moved to the next stage
        return 0.0


def _reason(rejected: Path) -> tuple[str, str]:
    """Return why a batch was set aside, and the command that brings it back."""
    file = rejected / "reason.txt"
    text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else "no reason"
    reason, has_command, back = text.strip().rpartition("\n\n")
    return (reason, f" (`{back}`)") if has_command else (back, "")  # older ones have none


NEWER = "version number"
"""Part of DuckDB's error for a file written by a newer DuckDB."""


def check_warehouse(installation: Installation) -> Iterator[Finding]:
    """Report who writes the warehouse, or a file that cannot be read."""
    settings = installation.settings
    with writers_locked_out(settings) as writer:
        if writer is not None:
            yield warn(
                "warehouse",
                f"{writer} is writing; others wait for it",
                "Wait for it. If it hangs, end that process: this releases the lock.",
            )
        elif not settings.warehouse_path.exists():
            yield warn("warehouse", "none yet", "Run `tracker run`.")
        else:
            yield _file(settings)


def _file(settings: Settings) -> Finding:
    try:
        with open_warehouse(settings, read_only=True) as connection:
            [(batches,)] = connection.execute("select count(*) from raw.batches").fetchall()
            missing = missing_files(connection)
    except (duckdb.Error, OSError) as error:
        return _unreadable(str(error))
    if missing:
        return bad(
            "warehouse",
            f"{missing[0]} is missing",
            "Copy it from a backup, or run `tracker rebuild`.",
        )
    return ok("warehouse", f"free, {batches} batches ingested")


def _unreadable(reason: str) -> Finding:
    if NEWER in reason:
        way_out = "A newer DuckDB wrote it: install that version (`make install`)."
    else:
        way_out = "Stop other programs that use it; if damaged, move it and run `tracker rebuild`."
    return bad("warehouse", f"cannot be read: {reason}", way_out)
