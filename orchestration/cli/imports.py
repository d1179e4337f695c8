"""`tracker import`: loads history from files into a project."""

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, complain, print_json, say
from orchestration.cli.progress import ProgressDisplay
from orchestration.cli.run import AsJson
from orchestration.running.progress import Progress
from orchestration.scraping.spelling import PlatformSpelling
from warehouse.imports import layouts
from warehouse.imports.report import ImportRefusedError, Problem, Report
from warehouse.settings import Settings

MOST_PRINTED = 50
"""Maximum number of printed problems; `--json` has up to 1,000."""


class Kind(StrEnum):
    VIDEOS = layouts.VIDEOS
    VIDEO_SNAPSHOTS = layouts.VIDEO_SNAPSHOTS
    ACCOUNT_SNAPSHOTS = layouts.ACCOUNT_SNAPSHOTS


def import_file(
    kind: Annotated[Kind, typer.Argument(help="Kind of file.")],
    file: Annotated[Path, typer.Argument(help="CSV (UTF-8, with a header) or Parquet.")],
    project: Annotated[UUID, typer.Option(help="Project to load into.")],
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Load the valid rows although others are invalid.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Load history from a file into a project.

    Columns, exactly these, in any order:

    `videos`: platform, handle, platform_video_id, posted_at, caption

    `video-snapshots`: platform, platform_video_id, captured_at, view_count, like_count,
    comment_count, share_count, save_count

    `account-snapshots`: platform, handle, captured_at, follower_count, following_count,
    total_likes_count, video_count

    Times need an offset (2026-03-01T06:00:00Z), and an empty count is unknown. Instagram posts may
    be given by shortcode. Posts of known accounts are registered according to the account's
    tracking mode; readings are loaded for known posts and accounts. If rows are invalid, each is
    printed with its line, nothing is loaded and the exit code is 1. Importing a row twice changes
    nothing. Computed tables include the history after the next `tracker run`.

    Examples: `tracker import videos posts.csv --project ID`, then
    `tracker import video-snapshots history.parquet --project ID --skip-bad --json`
    """
    settings = settings_of_environment()
    try:
        report = _import(settings, kind, file, project, skip_bad=skip_bad)
    except ImportRefusedError as refused:
        raise CommandFailed(f"{refused}.", "Nothing was loaded.") from refused
    _print_report(report, as_json=as_json)
    if report.bad and not skip_bad:
        raise CommandFailed(
            f"nothing was loaded: {report.bad:,} of {report.rows:,} rows are invalid.",
            "Fix them, or load the others with --skip-bad.",
        )


def _import(settings: Settings, kind: Kind, file: Path, project: UUID, *, skip_bad: bool) -> Report:
    # polars and pyarrow: `serve` must not load them.
    from warehouse.imports.snapshots import import_snapshots  # noqa: PLC0415
    from warehouse.imports.videos import import_videos  # noqa: PLC0415

    with current_store(settings) as store, ProgressDisplay() as display:

        def on_rows(rows: int) -> None:
            display(Progress("read file", rows))

        if kind is Kind.VIDEOS:
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
            on_wait=lambda message: say(f"tracker: {message}"),
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
