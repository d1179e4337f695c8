"""`make demo-cluster`: two days on six machines, in a temporary folder."""

import logging
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from orchestration.cli.demo import stage
from orchestration.cli.demo.answers import show
from tests.qa.cluster.stage import cluster, tenants
from tests.qa.cluster.story import (
    BUILDERS,
    CREATORS,
    NODES,
    REQUESTS_A_SECOND,
    SCRAPERS,
    STORY,
    Results,
    Views,
    play,
)
from warehouse.settings import Settings

OUT = Console()


def main() -> None:
    if shutil.which("redis-server") is None:
        sys.exit("redis-server is not installed (Debian: apt-get install redis-server)")
    with tempfile.TemporaryDirectory(prefix="tracker-cluster-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # PostgreSQL for root runs as another user
        settings = Settings(_env_file=None, home=folder / "postgresql")
        logging.getLogger("werkzeug").setLevel(logging.WARNING)  # logs each request to the bucket
        OUT.print(
            f"{len(SCRAPERS)} machines scrape, {len(BUILDERS)} compute a shard each,"
            f" {len(NODES)} serve: {folder}"
        )
        OUT.print(
            "They share PostgreSQL, a bucket, Redis and a secret; each has a home of its own."
        )
        with stage.database(settings, settings.clock) as store:
            organizations = tenants(store)
            with cluster(folder, store.dsn) as (machines, simulator):
                OUT.print(
                    f"{STORY.days} days of {len(organizations)} organizations with"
                    f" {CREATORS} creators each; two minutes or three ..."
                )
                outcome = play(machines, simulator, organizations, store.dsn)
        _tell(outcome)


def _tell(outcome: Results) -> None:
    for shard, of_nodes in zip(BUILDERS.values(), outcome.answers, strict=True):
        OUT.rule(f"the organization of {shard}")
        show(OUT, of_nodes[0][:1])
        OUT.print(f"All nodes answer alike: {all(each == of_nodes[0] for each in of_nodes)}")
    OUT.print("On the second day a worker looks at what is due: views may be the first day's.")
    _tell_of_lake(outcome.views)
    for day, seconds in enumerate(outcome.behind, start=1):
        OUT.print(f"Day {day}: the last node served it {seconds:.1f} s after the pointer moved")
    load = outcome.load
    OUT.print(
        f"{load.requests} requests on day 2 ({load.requests / load.seconds:.0f} a second,"
        f" {REQUESTS_A_SECOND} at most): {len(load.failures)} failed"
    )


def _tell_of_lake(views: Sequence[Views]) -> None:
    table = Table("organization", *NODES, "lake", title="Views, by organization over both shards")
    for each in views:
        counts = (*each.of_nodes, each.of_lake)
        table.add_row(each.organization, *(f"{number:,}" for number in counts))
    OUT.print(table)


if __name__ == "__main__":
    main()
