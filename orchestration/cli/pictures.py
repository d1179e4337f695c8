"""`tracker pictures`: downloads pictures of posts; any number can run."""

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.run import AsJson, Stay
from orchestration.cli.staying import Every, report
from orchestration.cli.staying import stay as work_on
from warehouse.pictures.fetching import Fetcher
from warehouse.pictures.keeper import Keeper
from warehouse.storage.opening import open_storage


def pictures(stay: Stay = False, every: Every = 5.0, as_json: AsJson = False) -> None:
    """Download and store the picture of each post once.

    Runs on any machine that reaches PostgreSQL and the files; two workers never download the same
    picture. It requests public addresses only. `tracker up` includes one. Failed downloads retry
    after 1 h, 6 h, 1 day and 4 days with the post's latest URL.

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
