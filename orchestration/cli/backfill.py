"""`tracker backfill`: a range of days computed once more."""

from datetime import date, datetime
from typing import Annotated

import typer

from orchestration.cli.opening import settings_of_environment
from orchestration.cli.output import CommandFailed
from orchestration.cli.run import AsJson, make_pass, report
from orchestration.running.passes import Days
from warehouse.imports.layouts import EARLIEST

DAY = ["%Y-%m-%d"]


def backfill(
    first: Annotated[datetime, typer.Option("--from", formats=DAY, help="First day.")],
    last: Annotated[datetime, typer.Option("--to", formats=DAY, help="Last day, inclusive.")],
    as_json: AsJson = False,
) -> None:
    """Compute the readings of a range of days once more, and publish once.

    Days are the organizations' own. What was imported or came late is computed by every run without
    being asked; a backfill is for days whose computed rows are doubted. Dagster's backfills of
    daily partitions (job `recompute`) do the same.

    Example: `tracker backfill --from 2026-03-01 --to 2026-03-31 --json`
    """
    settings = settings_of_environment()
    days = _range(first.date(), last.date(), today=settings.clock().date())
    report(make_pass(settings, "recompute", days), as_json=as_json)


def _range(first: date, last: date, *, today: date) -> Days:
    if first > last:
        raise CommandFailed("--from lies after --to.", exit_code=2)
    if first < EARLIEST.date() or last > today:
        raise CommandFailed(
            f"the days must lie between {EARLIEST.date()} and {today} (UTC).", exit_code=2
        )
    return first, last
