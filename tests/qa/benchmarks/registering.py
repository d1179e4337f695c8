"""Registration of landed batches: new posts first, then known posts, the common case.

Each batch has a reading of each of its accounts and their posts, as many as a crawl lands.
PostgreSQL has table statistics by then, as after autovacuum.
"""

from datetime import timedelta
from pathlib import Path

from tests.factories.landing import NOON, fetch, post, profile
from tests.factories.tracking import add_account, add_organization
from tests.qa.benchmarks.child import Watch
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.migrations import migrate
from warehouse.operational.store import operational_store
from warehouse.registration.register import register_landed
from warehouse.settings import Settings

POSTS_OF_EACH = 20
ACCOUNTS_A_BATCH = 35


def make_registry(folder: Path, accounts: int) -> Settings:
    """Make an installation that tracks this many accounts."""
    settings = Settings(home=folder, _env_file=None)
    with operational_store(settings) as store:
        migrate(store)
        organization = add_organization(store, "Acme")
        for number in range(accounts):
            add_account(store, organization, f"creator{number}")
    return settings


def register(watch: Watch, home: Path, accounts: int, first: int, rounds: int) -> None:
    """Land readings `first` to `first + rounds` of every post; time registering them."""
    settings = Settings(home=home, _env_file=None)
    writer = LandingWriter(open_landing(settings))
    for number in range(first, first + rounds):
        for begin in range(0, accounts, ACCOUNTS_A_BATCH):
            _land(writer, number, range(begin, begin + ACCOUNTS_A_BATCH))
    with operational_store(settings) as store:
        with store.statements() as connection:
            connection.execute("analyze")
        with watch.running():
            register_landed(store, settings)


def _land(writer: LandingWriter, number: int, accounts: range) -> None:
    at = NOON + number * timedelta(hours=6)
    handles = [f"creator{account}" for account in accounts]
    writer.land(
        profiles=[profile(handle, captured_at=at) for handle in handles],
        posts=[
            post(f"{handle}-{which}", handle, captured_at=at, view_count=10 * number + which)
            for handle in handles
            for which in range(POSTS_OF_EACH)
        ],
        outcomes=[fetch(handle, started_at=at, finished_at=at) for handle in handles],
    )
