"""`tracker import`: loads history from files into a project, lists and retracts it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer
from sqlalchemy import select

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, complain, print_json, say
from orchestration.cli.progress import ProgressDisplay
from orchestration.cli.run import AsJson
from orchestration.running.progress import Progress
from orchestration.scraping.spelling import PlatformSpelling
from warehouse.imports import layouts
from warehouse.imports.report import ImportRefusedError, Problem, Report
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.operational.clock import WrongClockError
from warehouse.operational.models import Import
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

LISTED_COLUMNS = (
    "id",
    "project_id",
    "kind",
    "file",
    "row_count",
    "imported_by",
    "imported_at",
    "retracted_at",
    "retraction_reason",
)
MOST_PRINTED = 50
"""Maximum number of printed problems; `--json` has up to 1,000."""


File = Annotated[
    Path,
    typer.Argument(help="CSV with a header (also UTF-16 or gzip), or Parquet."),
]
ProjectId = Annotated[UUID, typer.Option("--project", help="Project to load into.")]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Load the valid rows although others are invalid.")
]


def videos(
    file: File, project: ProjectId, *, skip_bad: SkipBad = False, as_json: AsJson = False
) -> None:
    """Load posts: platform, handle, platform_video_id, posted_at, caption.

    These are the columns, in any order. Posts of known accounts are registered according to the
    account's tracking mode. Times need an offset (2026-03-01T06:00:00Z). Posts may be given by
    link, Instagram's by shortcode. If rows are invalid, each is printed with its line, nothing is
    loaded and the exit code is 1. Importing a row twice changes nothing.

    Example: `tracker import videos posts.csv --project ID`
    """
    _import_file(layouts.VIDEOS, file, project, skip_bad=skip_bad, as_json=as_json)


def video_snapshots(
    file: File, project: ProjectId, *, skip_bad: SkipBad = False, as_json: AsJson = False
) -> None:
    """Load readings of posts: platform, platform_video_id, captured_at and counts.

    The counts are view_count, like_count, comment_count, share_count and save_count. Columns are in
    any order, an empty count is unknown, times need an offset. Readings are loaded for known posts.
    If rows are invalid, each is printed with its line, nothing is loaded and the exit code is 1.
    Importing a row twice changes nothing. Computed tables include the history after the next run.

    Example: `tracker import video-snapshots history.parquet --project ID --skip-bad --json`
    """
    _import_file(layouts.VIDEO_SNAPSHOTS, file, project, skip_bad=skip_bad, as_json=as_json)


def account_snapshots(
    file: File, project: ProjectId, *, skip_bad: SkipBad = False, as_json: AsJson = False
) -> None:
    """Load readings of accounts: platform, handle, captured_at and counts.

    The counts are follower_count, following_count, total_likes_count and video_count. As for posts
    (`video-snapshots`), of known accounts.

    Example: `tracker import account-snapshots followers.csv --project ID`
    """
    _import_file(layouts.ACCOUNT_SNAPSHOTS, file, project, skip_bad=skip_bad, as_json=as_json)


def list_imports(
    project: Annotated[UUID | None, typer.Option(help="Only this project.")] = None,
    as_json: AsJson = False,
) -> None:
    """List what was loaded: file, rows, who and when; also what was retracted.

    Example: `tracker import list --project ID`
    """
    with _recorded_store() as store, store.read_session() as session:
        statement = select(Import).order_by(Import.imported_at, Import.id)
        rows = session.scalars(
            statement if project is None else statement.filter_by(project_id=project)
        )
        listed = [{column: getattr(row, column) for column in LISTED_COLUMNS} for row in rows]
    if as_json:
        print_json(listed)
        return
    for row in listed:
        who = f"{row['file'] or 'file unknown'}, by {row['imported_by'] or 'unknown'}"
        line = f"{row['id']}  {row['imported_at']:%Y-%m-%d %H:%M}Z  {row['kind']}  "
        line += f"{row['row_count']:,} rows  {who}"
        OUT.print(line, soft_wrap=True, markup=False)
        if row["retracted_at"]:
            why = f"  retracted {row['retracted_at']:%Y-%m-%d %H:%M}Z: {row['retraction_reason']}"
            OUT.print(why, soft_wrap=True, markup=False)


def retract(
    import_id: Annotated[UUID, typer.Argument(help="Its id, from `tracker import list`.")],
    reason: Annotated[str, typer.Option(help="Why its readings must not count.")],
) -> None:
    """Stop counting the readings of an import. This is final: load the corrected file afterwards.

    The readings stay stored. The next run computes everything without them, and adjustments correct
    what was paid. Rows that a later file repeated belong to the first: load that file again.

    Example: `tracker import retract ID --reason "one digit too many"`
    """
    from warehouse.imports import recording  # noqa: PLC0415  DuckDB is not for --help

    if not reason.strip():
        raise CommandFailed("--reason is empty: say why.", exit_code=2)
    with _recorded_store() as store, store.write_session() as session:
        loaded = session.get(Import, import_id, with_for_update=True)
        if loaded is None:
            raise CommandFailed(
                f"there is no import {import_id}.", "`tracker import list` has all."
            )
        event = AuditEvent(
            channel="cli",
            action="import retract",
            organization_id=loaded.organization_id,
            ids={"import_id": str(import_id)},
        )
        try:
            with recorded(session, lambda: event):
                recording.retract(session, loaded, reason.strip())
        except recording.NotRetractableError as refused:
            raise CommandFailed(f"the import cannot be retracted: {refused}.") from refused
    say(f"tracker: retracted {import_id}. `tracker run` computes without its readings.")


@contextmanager
def _recorded_store() -> Iterator[OperationalStore]:
    """Yield the store, in which also the imports of older versions are recorded."""
    from warehouse.imports.recording import record_older  # noqa: PLC0415  as in `retract`

    settings = settings_of_environment()
    with current_store(settings) as store:
        record_older(store, settings, _on_wait)
        yield store


def _on_wait(message: str) -> None:
    say(f"tracker: {message}")


def _import_file(kind: str, file: Path, project: UUID, *, skip_bad: bool, as_json: bool) -> None:
    settings = settings_of_environment()
    try:
        report = _import(settings, kind, file, project, skip_bad=skip_bad)
    except (ImportRefusedError, WrongClockError) as refused:
        raise CommandFailed(f"{refused}.", "Nothing was loaded.") from refused
    _print_report(report, as_json=as_json)
    if report.bad and not skip_bad:
        raise CommandFailed(
            f"nothing was loaded: {report.bad:,} of {report.rows:,} rows are invalid.",
            "Fix them, or load the others with --skip-bad.",
        )
    if not (report.loaded or report.known):
        reason = f"{report.bad:,} of {report.rows:,} rows are invalid"
        if report.outside_window:
            reason += f", {report.outside_window:,} are outside of their account's tracking window"
        raise CommandFailed(
            f"nothing was loaded: {reason if report.rows else 'the file has no rows'}."
        )


def _import(settings: Settings, kind: str, file: Path, project: UUID, *, skip_bad: bool) -> Report:
    # polars and pyarrow: `serve` must not load them.
    from warehouse.imports.snapshots import import_snapshots  # noqa: PLC0415
    from warehouse.imports.videos import import_videos  # noqa: PLC0415

    with current_store(settings) as store, ProgressDisplay() as display:

        def on_rows(rows: int) -> None:
            display(Progress("read file", rows))

        if kind == layouts.VIDEOS:
            return import_videos(
                store,
                settings,
                file,
                project_id=project,
                spelling=PlatformSpelling(),
                skip_bad=skip_bad,
                on_rows=on_rows,
            )
        return import_snapshots(
            store,
            settings,
            file,
            kind=kind,
            project_id=project,
            spelling=PlatformSpelling(),
            skip_bad=skip_bad,
            on_rows=on_rows,
            on_wait=_on_wait,
        )


def _print_report(report: Report, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(report))
        return
    for problem in report.problems[:MOST_PRINTED]:
        complain(_line(problem))
    if report.bad > MOST_PRINTED:
        complain(f"and {report.bad - MOST_PRINTED:,} more invalid rows")
    for name in ("rows", "bad", "loaded", "known", "outside_window"):
        OUT.print(f"{name.replace('_', ' '):<15} {getattr(report, name):,}")


def _line(problem: Problem) -> str:
    """Return a problem as a line; `!a` escapes values from the file."""
    where = f"line {problem.line}:"
    if problem.column is None:
        return f"{where} {problem.reason}"
    value = "" if problem.value is None else f" {problem.value!a}"
    return f"{where} {problem.column}{value} {problem.reason}"
