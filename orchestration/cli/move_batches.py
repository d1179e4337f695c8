"""`tracker move-batches`: what a folder keeps of batches, into the bucket."""

from dataclasses import asdict

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json, say
from orchestration.cli.progress import ProgressDisplay
from orchestration.cli.run import AsJson
from orchestration.running.progress import Progress
from warehouse.storage.storage import StorageAwayError
from warehouse.warehouse_lock import warehouse_lock


def move_batches(as_json: AsJson = False) -> None:
    """Copy the archive of batches in TRACKER_HOME/landing into the bucket of TRACKER_LANDING_URL.

    For an installation that lands in a bucket from now on: end what runs, make a last `tracker run
    --no-scrape` without TRACKER_LANDING_URL, set it, and run this. Each part is read back and
    compared before it counts. Ended at any moment it goes on where it was. The folder stays as it
    is; `tracker rebuild` reads the bucket from then on.

    Example: `tracker move-batches --json`
    """
    from warehouse.landing.moving import NotMovableError  # noqa: PLC0415  polars, not for --help
    from warehouse.landing.moving import move_batches as copy  # noqa: PLC0415  likewise

    settings = settings_of_environment()
    with (
        current_store(settings) as store,
        ProgressDisplay() as display,
        warehouse_lock(settings, lambda message: say(f"tracker: {message}")),
    ):
        try:
            moved = copy(
                settings, store, lambda done, total: display(Progress("send parts", done, total))
            )
        except NotMovableError as refused:
            raise CommandFailed(f"{refused}.", "See `tracker move-batches --help`.") from refused
        except StorageAwayError as away:
            raise CommandFailed(f"{away}.", "Run it again: it goes on where it was.") from away
    if as_json:
        print_json(asdict(moved))
    else:
        OUT.print(f"parts       {moved.segments:,}, of which {moved.sent:,} were sent now")
