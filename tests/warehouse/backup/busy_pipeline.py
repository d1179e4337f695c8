"""A pipeline that lands, registers and ingests batches until it is killed.

Arguments: the data folder, the URL of PostgreSQL. Prints the id of each landed batch.
"""

import sys
from datetime import timedelta
from itertools import count
from pathlib import Path

from tests.factories.landing import NOON, post
from tests.fixtures.operational import settings_for
from warehouse.connection import open_warehouse
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.store import operational_store
from warehouse.raw.ingest import ingest_registered
from warehouse.registration.register import register_landed

POSTS = 3


def main(home: str, database_url: str) -> None:
    settings = settings_for(Path(home), database_url)
    writer = LandingWriter(open_landing(settings))
    with operational_store(settings) as store:
        for number in count():
            at = NOON + timedelta(seconds=number)
            batch_id = writer.land(
                posts=[post(str(n), "demo", captured_at=at) for n in range(POSTS)]
            )
            sys.stdout.write(f"{batch_id}\n")
            sys.stdout.flush()
            if number % 3 != 1:  # registration and ingestion sometimes lag
                register_landed(store, settings)
            if number % 5 == 4:
                with open_warehouse(settings) as warehouse:
                    ingest_registered(store, settings, warehouse)


if __name__ == "__main__":
    main(*sys.argv[1:])
