"""`tracker pictures`: fetches the pictures of posts, beside any number of others."""

from typing import Annotated

import typer

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, print_json
from orchestration.cli.run import AsJson, Stay
from orchestration.cli.staying import stay as work_on
from warehouse.pictures.fetching import Fetcher
from warehouse.pictures.keeper import Keeper
from warehouse.storage.opening import open_storage

Seconds = Annotated[
    float, typer.Option("--every", min=0.1, help="Seconds between looks for some, with --stay.")
]


def pictures(
    stay: Stay = False,
    every: Seconds = 5.0,
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
    if as_json:
        print_json({"pictures": dict(ended)})
        return
    told = ", ".join(f"{count} {how}" for how, count in sorted(ended.items()))
    OUT.print(f"pictures    {told or 'none'}")
