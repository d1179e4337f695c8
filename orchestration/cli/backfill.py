"""`tracker backfill`: recomputes a range of days."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Annotated

import typer
from sqlalchemy import select

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, complain, print_json
from orchestration.cli.run import AsJson, report, run_pipeline_job
from orchestration.running.progress import Days, PipelineResult
from warehouse.imports.layouts import EARLIEST
from warehouse.operational.models import Shard
from warehouse.settings import Settings

DAY = ["%Y-%m-%d"]


def backfill(
    first: Annotated[datetime, typer.Option("--from", formats=DAY, help="First day.")],
    last: Annotated[datetime, typer.Option("--to", formats=DAY, help="Last day, inclusive.")],
    as_json: AsJson = False,
) -> None:
    """Recompute the readings of a range of days, and publish once.

    Days are the organizations' own. Every run includes imported and late data anyway: use a
    backfill only if you doubt computed rows. Dagster's backfills (job `recompute`) do the same.

    With several shards it computes those whose warehouse is on this machine, or only
    TRACKER_SHARD. If others remain, it prints the command to run on the other machine and exits
    with 1.

    Example: `tracker backfill --from 2026-03-01 --to 2026-03-31 --json`
    """
    settings = settings_of_environment()
    days = _range(first.date(), last.date(), today=settings.clock().date())
    shards = [] if settings.shard else _shards(settings)
    if shards:
        _compute(settings, shards, days, as_json=as_json)
    else:
        report(run_pipeline_job(settings, "recompute", days), as_json=as_json)


def _shards(settings: Settings) -> Sequence[str]:
    """Return the names of all shards; none if the installation is not sharded."""
    with current_store(settings) as store, store.read_session() as session:
        return session.scalars(select(Shard.name).order_by(Shard.name)).all()


def _compute(settings: Settings, shards: Sequence[str], days: Days, *, as_json: bool) -> None:
    """Recompute the shards of this machine in turn; a failure does not stop the rest."""
    done: dict[str, PipelineResult] = {}
    failed: dict[str, str] = {}
    here = [name for name in shards if settings.of_shard(name).warehouse_path.exists()]
    for name in here:
        try:
            done[name] = run_pipeline_job(settings.of_shard(name), "recompute", days)
        except CommandFailed as failure:
            if isinstance(failure.__cause__, KeyboardInterrupt | SystemExit):
                raise
            failed[name] = str(failure)
            complain(f"{name}: {failure}", failure.way_out)
    elsewhere = [name for name in shards if name not in here]
    for name in elsewhere:
        _name_elsewhere(name, days)
    if as_json:
        results = {name: asdict(result) for name, result in done.items()}
        print_json({"shards": results, "failed": failed, "elsewhere": elsewhere})
    else:
        _show(done)
    if failed or elsewhere:
        raise typer.Exit(1)


def _name_elsewhere(shard: str, days: Days) -> None:
    first, last = days
    complain(
        f"{shard} was not computed: its warehouse is on another machine.",
        f"Run there: `TRACKER_SHARD={shard} tracker backfill --from {first} --to {last}`.",
    )


def _show(done: Mapping[str, PipelineResult]) -> None:
    for name, result in done.items():
        OUT.print(f"shard       {name}")
        report(result, as_json=False)


def _range(first: date, last: date, *, today: date) -> Days:
    if first > last:
        raise CommandFailed("--from is after --to.", exit_code=2)
    if first < EARLIEST.date() or last > today:
        raise CommandFailed(
            f"--from and --to must be between {EARLIEST.date()} and {today} (UTC).", exit_code=2
        )
    return first, last
