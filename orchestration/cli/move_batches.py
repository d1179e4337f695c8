"""`tracker move-batches`: copies the archive of batches from a folder to the bucket."""

from dataclasses import asdict

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json, say
from orchestration.cli.progress import ProgressDisplay
from orchestration.cli.run import AsJson
from orchestration.running.progress import Progress
from warehouse.storage.storage import StorageAwayError
from warehouse.warehouse_lock import warehouse_lock


def move_batches(as_json: AsJson = False) -> None:
    """Copy the archive of batches in TRACKER_HOME/landing to the bucket of TRACKER_LANDING_URL.

    Use it to switch an installation to a bucket: stop the service, run `tracker run --no-scrape`
    once more without TRACKER_LANDING_URL, set it, and run this. Each segment is read back and
    compared. An interrupted copy can be repeated and continues. The folder is not changed;
    `tracker rebuild` reads the bucket from then on.

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
            raise CommandFailed(
                f"{away}.", "Run it again: it continues where it stopped."
            ) from away
    if as_json:
        print_json(asdict(moved))
    else:
        OUT.print(f"segments    {moved.segments:,}, of which {moved.sent:,} were copied now")
