"""A few weeks of tracking through all steps of a pipeline run, without platforms.

For tests of rebuilding, backfilling and importing. Dagster's scheduling, retries and records are
left out: they take as long as the steps themselves.
"""

from datetime import UTC, datetime, timedelta

from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running.publishing import publish_run
from tests.dbt_project import statements
from tests.factories.landing import fetch, post, profile
from tests.factories.tracking import add_account
from warehouse.control import begin_run
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.raw.ingest import ingest_registered
from warehouse.raw.operational_copy import copy_operational
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.shards.members import members_now

BEGINNING = datetime(2026, 4, 29, 6, tzinfo=UTC)
HANDLES = ("ada", "ben")
POSTS = 4


def day(number: int) -> datetime:
    """Return the time of the run on a day of the history, counted from 0."""
    return BEGINNING + timedelta(days=number)


def land_day(settings: Settings, number: int) -> None:
    """Land one day: growing counts, followers and successful fetches."""
    at = day(number)
    LandingWriter(open_landing(settings)).land(
        profiles=[profile(h, captured_at=at, follower_count=100 + 7 * number) for h in HANDLES],
        posts=[
            post(
                f"7{who}{which}",
                handle,
                captured_at=at,
                posted_at=BEGINNING - timedelta(days=1 + which),
                view_count=1000 * (which + 1) + 37 * number * (who + 1),
                like_count=None if number % 3 == 1 else 10 * number,
            )
            for who, handle in enumerate(HANDLES)
            for which in range(POSTS)
        ],
        outcomes=[fetch(handle, started_at=at, finished_at=at) for handle in HANDLES],
    )


def track(store: OperationalStore, organization: NewOrganization) -> None:
    for handle in HANDLES:
        add_account(store, organization, handle)


def roll_up(settings: Settings, store: OperationalStore, *, full_refresh: bool = False) -> None:
    """Run the steps of a pipeline run: register, copy, ingest, build and publish."""
    register_landed(store, settings)
    warehouse = WarehouseWriter(settings, store, print)
    try:
        with warehouse.connection() as connection:
            copy_operational(store, connection, members_now(store, settings))
            ingest_registered(store, settings, connection)
            run = begin_run(connection, as_of=settings.clock(), full_refresh=full_refresh)
        statements.build(settings.warehouse_path, run, is_tested=True)
        with warehouse.connection() as connection:
            publish_run(settings, store, connection, run, warehouse.hold())
    finally:
        warehouse.release()


def live_through(settings: Settings, days: int) -> Settings:
    """Land and publish each day; return the settings of the last one."""
    with operational_store(settings) as store:
        for number in range(days):
            land_day(settings, number)
            roll_up(settings.at(day(number)), store)
    return settings.at(day(days - 1))
