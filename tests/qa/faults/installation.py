"""An installation of the service as the fault tests use it: land, build, compare."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from tests.factories.tracking import add_account, add_organization
from tests.fixtures.buckets import Bucket
from tests.fixtures.operational import settings_for
from tests.qa.faults import truth
from tests.qa.faults.landings import HANDLES, Diary, business_time
from tests.qa.faults.passes import run_pipeline_job
from warehouse.connection import open_warehouse
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.migrations import migrate
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.publication.current import CurrentPublication, PublicationInfo
from warehouse.settings import Settings


@dataclass(frozen=True)
class Installation:
    """An installation; `diary` records the landings outside the data folder."""

    settings: Settings
    store: OperationalStore
    diary: Diary

    def land(self, landings: int = 1) -> None:
        for _ in range(landings):
            self.diary.land(LandingWriter(open_landing(self.settings)))

    def now(self) -> datetime:
        """A business time after all landings' readings."""
        return business_time(len(self.diary.begun()))

    def run_pipeline_job(self, *, at: datetime | None = None) -> None:
        run_pipeline_job(self.settings.at(at or self.now()), self.store)

    def served(self) -> PublicationInfo:
        """The publication that a new reader finds, with readable marts."""
        current = CurrentPublication(self.settings.publications_path)
        with current.cursor() as cursor:
            cursor.execute("from marts.video_deltas").fetchall()
        info = current.info()
        current.close()
        return info

    def compare(self) -> None:
        """Compare all stored data with the diary, and the marts with the oracle."""
        with open_warehouse(self.settings) as connection:
            facts = truth.Truth(self.store, connection, self.diary)
            truth.assert_raw_is(connection, facts)
            truth.assert_registry_is(self.store, self.settings, connection, facts)
            expected = facts.marts()
        for mart, rows in truth.marts_of(self.settings, expected).items():
            truth.assert_same(mart, rows, expected[mart])
        for mart, rows in truth.published_marts(self.settings, truth.MARTS).items():
            truth.assert_same(f"{mart} as published", rows, expected[mart])
        truth.assert_nothing_lies_around(self.settings)


@contextmanager
def installed(
    home: Path, diary: Path, url: str | None = None, bucket: Bucket | None = None
) -> Iterator[Installation]:
    """An installation whose handles are tracked by two organizations in different zones.

    `url` names an empty, migrated database; without one it is the embedded server's. With a bucket,
    batches are stored there.
    """
    settings = settings_for(home, url)
    if bucket is not None:
        place = {"landing_url": f"s3://{bucket.name}/{uuid4()}"}
        settings = bucket.settings(settings).model_copy(update=place)
    with operational_store(settings) as store:
        if url is None:
            migrate(store)
        for zone in ("UTC", "America/New_York"):
            organization = add_organization(store, zone, zone)
            for handle in HANDLES:
                add_account(store, organization, handle)
        yield Installation(settings, store, Diary(diary / "diary.jsonl"))
