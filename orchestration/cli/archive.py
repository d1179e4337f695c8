"""`tracker rebuild` from the archive of batches, and `tracker move-batches` to a bucket."""

from dataclasses import asdict

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json, say
from orchestration.cli.progress import ProgressDisplay
from orchestration.cli.run import AsJson
from orchestration.running.progress import PipelineFailed, Progress
from warehouse.storage.storage import StorageAwayError
from warehouse.warehouse_lock import warehouse_lock


def rebuild(as_json: AsJson = False) -> None:
    """Rebuild the warehouse from the archive of ingested batches, compute everything, publish.

    Use it if the warehouse file is lost or damaged. It publishes the same numbers as before. The
    new file replaces the old one once it is complete, so it needs the disk space of both.

    Examples: `tracker rebuild` or `tracker rebuild --json`
    """
    # dbt takes seconds to load; other commands do not load it.
    from orchestration.running.publishing import NotRecordedError  # noqa: PLC0415
    from orchestration.running.rebuild import rebuild as rebuild_warehouse  # noqa: PLC0415

    settings = settings_of_environment()
    with current_store(settings) as store, ProgressDisplay() as display:
        try:
            result = rebuild_warehouse(settings, store, on_progress=display)
        except PipelineFailed as failed:
            raise CommandFailed(
                f"{failed}.", "The warehouse and the last publication are unchanged."
            ) from failed
        except NotRecordedError as failed:
            raise CommandFailed(f"Rebuilt and {failed}.") from failed
    if as_json:
        print_json(asdict(result))
        return
    OUT.print(f"batches     {result.batches:,}")
    OUT.print(f"as of       {result.as_of.isoformat()}")
    OUT.print(f"published   {result.publication_path}", soft_wrap=True)


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
