"""`tracker run`: one complete pipeline run, in this process."""

import os
import signal
from dataclasses import asdict
from typing import Annotated

import typer

from orchestration.cli.doctor.finding import Finding
from orchestration.cli.instants import instant_of
from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import DISK_FULL, OUT, CommandFailed, complain, print_json
from orchestration.cli.progress import ProgressDisplay
from orchestration.cli.simulate import refuse_demo
from orchestration.running.interrupts import signal_numbers
from orchestration.running.pipeline import pipeline_job, run_job
from orchestration.running.progress import Days, PipelineFailed, PipelineResult
from warehouse.full_disk import says_full
from warehouse.publication.layout import current_folder
from warehouse.settings import Settings

REFUSED = 3
"""Exit code of a run that succeeded although a platform refuses requests."""

Stay = Annotated[bool, typer.Option("--stay", help="Keep working until stopped.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def run(
    as_of: Annotated[
        str | None,
        typer.Option(
            help="Leave out what happened later, ISO 8601 with offset. Decisions are the present"
            " ones. Default: now."
        ),
    ] = None,
    no_scrape: Annotated[
        bool, typer.Option("--no-scrape", help="Only compute and publish landed data.")
    ] = False,
    no_comments: Annotated[
        bool, typer.Option("--no-comments", help="Skip comments, which need the most requests.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Scrape, register, ingest, compute and publish once.

    Waits, with a message, while another run writes the warehouse. If a step fails, the last
    publication stays and the exit code is 1. The exit code is 3 if everything succeeded but a
    platform refuses: half of its latest fetches failed. They are repeated later.

    Examples: `tracker run` or `tracker run --no-scrape --as-of 2026-03-01T06:00:00Z --json`
    """
    settings = settings_of_environment()
    if not no_scrape:
        refuse_demo(settings)
    if as_of is not None:
        settings = settings.at(instant_of("--as-of", as_of))
    job_name = pipeline_job(scrape=not no_scrape, comments=not no_comments)
    result = run_pipeline_job(settings, job_name)
    report(result, as_json=as_json)
    if not no_scrape and (refusing := _refusing_platforms(settings)):
        for platform in refusing:
            complain(f"{platform.message}.", platform.way_out)
        raise typer.Exit(REFUSED)


def _refusing_platforms(settings: Settings) -> list[Finding]:
    from orchestration.cli.doctor.checks.publication import platforms_in  # noqa: PLC0415  duckdb
    from warehouse.publication.current import CurrentPublication  # noqa: PLC0415  likewise

    current = CurrentPublication(settings.publications_path)
    try:
        return [platform for platform in platforms_in(current) if platform.level != "ok"]
    finally:
        current.close()


def run_pipeline_job(settings: Settings, job_name: str, days: Days | None = None) -> PipelineResult:
    """Run a job with a progress display, and record it for Dagster's UI."""
    before = current_folder(settings.publications_path)
    with signal_numbers() as (received, writer):  # Dagster's handlers forget which signal it was
        try:
            with current_store(settings), ProgressDisplay() as display:
                return run_job(settings, job_name, days=days, on_progress=display)
        except (KeyboardInterrupt, SystemExit) as interrupted:
            os.write(writer, bytes([signal.SIGINT]))  # reading never waits
            is_unchanged = current_folder(settings.publications_path) == before
            published = "Nothing was" if is_unchanged else "This or another run's numbers were"
            raise CommandFailed(
                f"Interrupted. {published} published; run again.",
                exit_code=128 + os.read(received, 1)[0],
            ) from interrupted
        except PipelineFailed as failed:
            what, way_out = DISK_FULL if says_full(failed) else ("", "Fix this and run again.")
            raise CommandFailed(
                f"{what} {failed}.".lstrip(), f"The last publication is still served. {way_out}"
            ) from failed


def report(result: PipelineResult, *, as_json: bool) -> None:
    for warning in result.warnings:
        complain(warning)
    if as_json:
        print_json(asdict(result))
        return
    fetches = ", ".join(f"{count} {outcome}" for outcome, count in result.outcomes.items())
    OUT.print(f"fetches     {fetches or 'none'}", soft_wrap=True)
    OUT.print(f"as of       {result.as_of.isoformat()}")
    OUT.print(f"published   {result.publication_path}", soft_wrap=True)
    OUT.print(f"seconds     {sum(result.seconds.values()):.1f}")
