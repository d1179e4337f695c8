"""`tracker pictures`, and the loop of workers with --stay.

Any number of workers can run.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Annotated

import psycopg
import structlog
import typer
from sqlalchemy.exc import SQLAlchemyError

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, print_json
from orchestration.cli.run import AsJson, Stay
from warehouse.full_disk import says_full
from warehouse.operational.clock import WrongClockError, clock_of_database
from warehouse.operational.errors import OperationalStoreError
from warehouse.storage.storage import StorageAwayError

log = structlog.get_logger(__name__)

Every = Annotated[
    float, typer.Option("--every", min=0.1, help="Seconds between checks, with --stay.")
]


def pictures(stay: Stay = False, every: Every = 5.0, as_json: AsJson = False) -> None:
    """Download and store the picture of each post once; delete uploads that nothing names.

    Runs on any machine that reaches PostgreSQL and the files; two workers never download the same
    picture. It requests public addresses only. `tracker up` includes one. Failed downloads retry
    after 1 h, 6 h, 1 day and 4 days with the post's latest URL.

    Examples: `tracker pictures` or `tracker pictures --stay`
    """
    # A worker loads only what it needs.
    from warehouse.pictures.fetching import Fetcher  # noqa: PLC0415
    from warehouse.pictures.keeper import Keeper  # noqa: PLC0415
    from warehouse.storage.opening import open_storage  # noqa: PLC0415
    from warehouse.storage.uploads import UploadTidier  # noqa: PLC0415

    settings = settings_of_environment()
    with current_store(settings) as store:
        fetcher, files = Fetcher(loopback=settings.pictures_from_loopback), open_storage(settings)
        keeper, tidier = Keeper(store, files, fetcher), UploadTidier(files)

        def work() -> Counter[str]:
            with store.read_session() as session:
                now = clock_of_database(session)  # this machine's may be wrong
            tidier.tidy(now)
            return keeper.work()

        if stay:
            stay_at(work, every, "pictures")
        ended = work()
    report("pictures", ended, as_json=as_json)


def stay_at(work: Callable[[], object], every: float, what: str) -> None:
    """Work every `every` seconds forever, and wait for what is away."""
    has_waited = False
    while True:
        try:
            work()
        except Exception as error:
            if not waits_after(error, f"{what}_wait"):
                raise
            has_waited = True
        else:
            if has_waited:
                log.info(f"{what}_go_on")
            has_waited = False
        time.sleep(every)


def waits_after(error: Exception, event: str) -> bool:
    """Return whether a staying worker can go on once what it needs is back; log what it is."""
    match error:
        case _ if says_full(error):
            what = "the_disk"
        case WrongClockError():
            what = "the_clock"
        case OSError() if error.filename is not None:
            what = "the_folder"
        case StorageAwayError():
            what = "the_bucket"
        case SQLAlchemyError() | psycopg.OperationalError() | OperationalStoreError():
            what = "postgresql"
        case _:
            return False
    log.warning(f"{event}_for_{what}", error=str(error))
    return True


def report(what: str, ended: Mapping[str, int], *, as_json: bool) -> None:
    """Print the counts by outcome."""
    if as_json:
        print_json({what: dict(ended)})
        return
    counts = ", ".join(f"{count} {how}" for how, count in sorted(ended.items()))
    OUT.print(f"{what}    {counts or 'none'}")
