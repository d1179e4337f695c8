"""`make demo-cluster`: two days on five machines, in a folder that is gone afterwards."""

import tempfile
from pathlib import Path

from rich.console import Console

from orchestration.cli.demo import stage
from orchestration.cli.demo.answers import show
from orchestration.cli.demo.story import ZONE
from tests.cluster.stage import cluster
from tests.cluster.story import NODES, REQUESTS_A_SECOND, SCRAPERS, STORY, Told, play
from warehouse.operational.organizations import NewOrganization, create_organization
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

OUT = Console()


def main() -> None:
    """Play, and tell what each machine did."""
    with tempfile.TemporaryDirectory(prefix="tracker-cluster-") as name:
        folder = Path(name)
        settings = Settings(_env_file=None, home=folder / "postgresql")
        OUT.print(f"{len(SCRAPERS)} machines scrape, one builds, {len(NODES)} serve: {folder}")
        OUT.print(
            "They share PostgreSQL, a bucket, Redis and a secret; each has a home of its own."
        )
        with stage.database(settings) as store:
            organization = _organization(store)
            with cluster(folder, store.dsn) as (machines, simulator):
                OUT.print(f"{STORY.days} days of {STORY.creators} creators; a minute or two ...")
                told = play(machines, simulator, organization, store.dsn)
        _tell(told)


def _organization(store: OperationalStore) -> NewOrganization:
    with store.write_session() as session:
        return create_organization(session, name="Cluster", plan="starter", analytics_tz=ZONE)


def _tell(told: Told) -> None:
    for node, questions in zip(NODES, told.answers, strict=True):
        OUT.rule(node)
        show(OUT, questions[:1])
    alike = all(answers == told.answers[0] for answers in told.answers)
    OUT.print(f"All nodes answer alike: {alike}")
    OUT.print("On the second day a worker looks at what is due: views may be the first day's.")
    for day, seconds in enumerate(told.behind, start=1):
        OUT.print(f"Day {day}: the last node served it {seconds:.1f} s after the pointer moved")
    asked = told.asked
    OUT.print(
        f"{asked.requests} requests on day 2 ({asked.requests / asked.seconds:.0f} a second,"
        f" {REQUESTS_A_SECOND} at most): {len(asked.failures)} failed"
    )


if __name__ == "__main__":
    main()
