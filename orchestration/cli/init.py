"""`tracker init`: make the data folder and bring the database schema up to date."""

from orchestration.cli.opening import opened_store, settings_of_environment
from orchestration.cli.output import say
from warehouse.landing.folders import make_way
from warehouse.operational.migrations import migrate


def init() -> None:
    """Prepare the data folder and the database. Safe to repeat; run it after each upgrade.

    Example: `TRACKER_HOME=/srv/tracker tracker init`
    """
    settings = settings_of_environment()
    make_way(settings.home_path)
    with opened_store(settings) as store:
        migrate(store)
    say(f"Ready: {settings.home_path}. Next: `tracker org create --name NAME`.")
