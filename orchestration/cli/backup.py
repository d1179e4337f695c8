"""`tracker backup` and `tracker restore`: the whole service in one folder, and back."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, complain, print_json, reason_of, say
from orchestration.cli.progress import ProgressDisplay
from orchestration.cli.run import AsJson
from orchestration.running.progress import Progress
from warehouse.backup.errors import BackupError
from warehouse.backup.files import OnProgress
from warehouse.backup.manifest import NAME as MANIFEST
from warehouse.backup.manifest import Manifest
from warehouse.clock import system_clock
from warehouse.operational.errors import OperationalStoreError
from warehouse.sealed import WAY_BACK
from warehouse.settings import Settings
from warehouse.step_metrics import BACKUP, note_failure, note_success
from warehouse.storage.storage import StorageAwayError

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the backup.")]


Retain = Annotated[
    int | None,
    typer.Option(min=1, help="Name the backup by the time, in DIR, and delete all but the last N."),
]


def backup(folder: Folder, retain: Retain = None, as_json: AsJson = False) -> None:
    """Back up everything to a new folder DIR, which appears once it is complete.

    It has a dump of PostgreSQL, all batches with their archive, the warehouse and the current
    publication, as of one moment. It waits, with a message, while a run writes the warehouse;
    later runs wait for the backup. Scrapes and the API continue. Settings and secrets are not
    included: keep `.env` yourself.

    Examples: `tracker backup /backups/2026-03-01`, `tracker backup --retain 14 /backups`
    """
    from warehouse.backup.create import create_backup  # noqa: PLC0415  polars: `serve` must not load it

    settings = settings_of_environment()
    target = folder.resolve()  # `.` has no name
    if retain:
        target /= f"{system_clock():%Y-%m-%dT%H%M%SZ}"
    with current_store(settings) as store, _noted(settings), _spoken() as on_progress:
        made = create_backup(settings, store, target, on_wait=_say_wait, on_progress=on_progress)
    if retain:
        _delete_older(target, retain)
    report = {"path": str(target), **_figures(made)}
    _print(report, as_json=as_json)


def restore(
    folder: Folder,
    force: Annotated[
        bool, typer.Option("--force", help="Move existing data aside; delete nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Restore TRACKER_HOME and PostgreSQL from the backup DIR.

    The whole backup is verified before anything changes. The data folder and the database must be
    empty, unless you add --force. Then the folder's content moves to
    TRACKER_HOME/before-restore-TIME. Tables of the database at TRACKER_DATABASE_URL move to its
    schema before_restore_TIME. Remove both when you no longer need them. Stop the service first.
    An interrupted restore can only be repeated, with --force.

    Examples: `TRACKER_HOME=/srv/new tracker restore /backups/2026-03-01`, or over old data
    `tracker restore /backups/2026-03-01 --force`
    """
    from warehouse.backup.restore import restore_backup  # noqa: PLC0415  likewise

    settings = settings_of_environment()
    with _spoken() as on_progress:
        done = restore_backup(
            settings, folder, force=force, on_wait=_say_wait, on_progress=on_progress
        )
    report = {
        "home": str(settings.home_path),
        "publication_path": done.publication and str(done.publication.path),
        "as_of": done.publication and done.publication.as_of.isoformat(),
        "aside": done.aside,
        "unreadable": done.unreadable,
        **_figures(done.manifest),
    }
    _print(report, as_json=as_json)
    if done.unreadable:
        complain(f"The secret key does not open: {', '.join(done.unreadable)}.", WAY_BACK)


def _delete_older(made: Path, retain: int) -> None:
    """Delete all but the newest backups that are named by the time, and never the one just made.

    One from a clock that was ahead has a later name.
    """
    manifests = made.parent.glob(f"20??-??-??T??????Z/{MANIFEST}")
    others = sorted(manifest.parent for manifest in manifests if manifest.parent != made)
    for backup_before in others[: max(0, len(others) + 1 - retain)]:
        for entry in backup_before.iterdir():  # the manifest last: if killed, the next one goes on
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry.name != MANIFEST:
                entry.unlink()
        shutil.rmtree(backup_before)


@contextmanager
def _noted(settings: Settings) -> Iterator[None]:
    """Note how the backup ended, for metrics and `tracker doctor`."""
    began = monotonic()
    try:
        yield
    except Exception:
        with suppress(OSError):  # the disk may be full
            note_failure(settings.metrics_path, BACKUP)
        raise
    with suppress(OSError):
        note_success(settings.metrics_path, BACKUP, monotonic() - began, [])


@contextmanager
def _spoken() -> Iterator[OnProgress]:
    """Show progress, and turn errors of the block into CommandFailed."""
    with ProgressDisplay() as display:
        try:
            yield lambda step, done, total: display(Progress(step, done, total))
        except (BackupError, OperationalStoreError, StorageAwayError) as failed:
            raise CommandFailed(f"{failed}.") from failed
        except OSError as failed:
            raise CommandFailed(reason_of(failed), "Correct it and try again.") from failed


def _say_wait(message: str) -> None:
    say(f"tracker: {message}")


def _figures(manifest: Manifest) -> dict[str, object]:
    return {
        "made_at": manifest.made_at.isoformat(),
        "files": len(manifest.files),
        "bytes": manifest.size,
    }


def _print(report: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        print_json(report)
        return
    for name, value in report.items():
        text = ", ".join(value) if isinstance(value, list) else value
        OUT.print(f"{name.replace('_', ' '):<17} {text or '-'}", soft_wrap=True)
