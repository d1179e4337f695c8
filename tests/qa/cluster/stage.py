"""The services under a cluster: a bucket, Redis and the simulated platforms, all on loopback."""

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from orchestration.cli.children import Children
from orchestration.cli.demo import stage
from orchestration.cli.demo.story import ZONE
from orchestration.cli.demo.truth import Simulator
from orchestration.cli.ports import free_port
from tests.fixtures.buckets import running_bucket
from tests.fixtures.redis import running_redis
from tests.qa.cluster.machines import Cluster, Common
from tests.qa.cluster.story import BUILDERS, STORY
from warehouse.operational.organizations import NewOrganization, create_organization
from warehouse.operational.store import OperationalStore
from warehouse.settings import MAIN_SHARD
from warehouse.shards.assigning import add_shard, carry_out, planned_move


def tenants(store: OperationalStore) -> list[NewOrganization]:
    """Make an organization for each builder, in the builder's shard."""
    made = []
    with store.write_session() as session:
        for shard in BUILDERS.values():
            new = create_organization(session, name=shard, plan="starter", analytics_tz=ZONE)
            made.append(new)
            if shard != MAIN_SHARD:
                add_shard(session, shard)
                carry_out(session, [planned_move(session, new.organization_id, shard)])
    return made


@contextmanager
def cluster(folder: Path, database_url: str) -> Iterator[tuple[Cluster, Simulator]]:
    """Machines without data that share a migrated database, and the simulated world."""
    redis = shutil.which("redis-server") or "redis-server"
    (folder / "redis").mkdir(parents=True)
    with (
        running_bucket() as bucket,
        running_redis(redis, free_port(), folder / "redis") as redis_url,
        Children(folder / "logs") as children,
        _simulator(children) as simulator,
    ):
        simulator.set_now(STORY.first_run)
        common = Common(database_url, bucket, redis_url, simulator.base_url)
        yield Cluster(folder, common, children), simulator


@contextmanager
def _simulator(children: Children) -> Iterator[Simulator]:
    child, simulator = stage.start_simulator(children, STORY.seed)
    with closing(simulator):
        stage.wait_for(child, simulator)
        yield simulator
