"""`tracker pictures`: fetches the pictures of posts, beside any number of others."""

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.run import AsJson, Stay
from orchestration.cli.staying import Every, report
from orchestration.cli.staying import stay as work_on
from warehouse.pictures.fetching import Fetcher
from warehouse.pictures.keeper import Keeper
from warehouse.storage.opening import open_storage


def pictures(
    stay: Stay = False,
    every: Every = 5.0,
    as_json: AsJson = False,
) -> None:
    """Fetch the pictures that platforms show posts with, once each, and keep them.

    Runs wherever PostgreSQL and the files are reached; no two fetch the same. Public addresses
    alone are asked. `tracker up` has one of its own. What could not be had is tried again after an
    hour, six, a day and four days, by the address that the post was last shown with.

    Examples: `tracker pictures` or `tracker pictures --stay`
    """
    settings = settings_of_environment()
    with current_store(settings) as store:
        fetcher = Fetcher(loopback=settings.pictures_from_loopback)
        keeper = Keeper(store, open_storage(settings), fetcher)
        if stay:
            work_on(keeper.work, every, "pictures")
        ended = keeper.work()
    report("pictures", ended, as_json=as_json)
