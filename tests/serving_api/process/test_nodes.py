"""Two machines serve what a third one builds, and none of their answers fails meanwhile."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from uuid import UUID

import httpx
import pytest
from pydantic import SecretStr

from tests.factories.marts import Account, History
from tests.fixtures.api import NOW, Api, Tenant, publish_history, running_api
from tests.fixtures.buckets import Bucket
from tests.fixtures.faulty_bucket import FaultyBucket
from tests.fixtures.processes import Worker, serving
from tests.warehouse.operational.processes import wait_until
from tests.warehouse.publication.shared.world import ALONE
from warehouse.ids import uuid7
from warehouse.publication.shared.following import following
from warehouse.publication.shared.sending import share
from warehouse.settings import Settings

pytestmark = pytest.mark.slow


@pytest.fixture
def common(api: Api, bucket: Bucket, proxy: FaultyBucket) -> Settings:
    """What all machines are told; the rest is the home of each."""
    chosen = {
        "landing_url": f"s3://{bucket.name}/{uuid7()}",
        "s3_endpoint_url": proxy.url,
        "secret_key": SecretStr("the same on every machine, of course"),
    }
    return bucket.settings(api.settings).model_copy(update=chosen)


def ready(node: Worker | Api) -> dict[str, object]:
    answer: dict[str, object] = httpx.get(f"{node.base_url}/readyz", trust_env=False).json()
    return answer


def wait_until_served(
    nodes: list[Worker | Api], homes: list[Settings], publication_id: str
) -> None:
    links = [home.publications_path / "current.duckdb" for home in homes]
    wait_until(lambda: all(has(link, publication_id) for link in links))
    wait_until(lambda: all(ready(node).get("publication_id") == publication_id for node in nodes))


def has(link: Path, publication_id: str) -> bool:
    return link.is_symlink() and link.readlink().parts[0] == publication_id


@contextmanager
def asked_all_the_time(node: Worker | Api, tenant: Tenant, creator: str) -> Iterator[list[int]]:
    """Ask for followers again and again; every answer is a success, and is in the list."""
    over, follower_counts = Event(), list[int]()
    params = {"entity": "creator", "entity_id": creator, "metric": "followers"}

    def ask() -> None:
        with node.client(tenant.made.api_key) as client:
            while not over.wait(0.04):
                answer = client.data("GET", "/analytics", params=params)
                follower_counts.append(answer["series"][0]["points"][-1]["value"])

    with ThreadPoolExecutor(1) as pool:
        asking: Future[None] = pool.submit(ask)
        try:
            yield follower_counts
        finally:
            over.set()
            asking.result()


def wait_for_answers(*nodes: list[int]) -> None:
    """Wait until each node has answered five more requests."""
    enough = [len(counts) + 5 for counts in nodes]
    wait_until(
        lambda: all(len(counts) >= least for counts, least in zip(nodes, enough, strict=True))
    )


def test_two_nodes_follow_what_a_third_machine_builds(
    api: Api, tenant: Tenant, common: Settings, proxy: FaultyBucket, tmp_path: Path
) -> None:
    creator = tenant.creator()["id"]
    builder = common.model_copy(update={"home": tmp_path / "builder"})

    def publish(followers: int) -> str:
        account = Account("account", {NOW: followers}, creator=UUID(creator))
        history = History([], [account], as_of=NOW, organization=tenant.organization_id)
        made = publish_history(builder, history)
        share(builder, api.store, made, ALONE)
        return str(made.publication_id)

    key, homes = (
        tenant.made.api_key,
        [common.model_copy(update={"home": tmp_path / name}) for name in ("one", "other")],
    )
    with (
        serving(api, homes[:1]) as [process],
        following(homes[1]),
        running_api(homes[1], api.store) as served,
    ):
        nodes: list[Worker | Api] = [process, served]
        assert all(ready(node)["publication"] == "none yet" for node in nodes)
        wait_until_served(nodes, homes, publish(10))
        with nodes[0].client(key) as client, nodes[1].client(key) as other:
            client.data("PATCH", f"/creators/{creator}", json={"display_name": "Decided here"})
            assert other.data("GET", f"/creators/{creator}")["display_name"] == "Decided here"
        with (
            asked_all_the_time(nodes[0], tenant, creator) as counts,
            asked_all_the_time(nodes[1], tenant, creator) as other_counts,
        ):
            wait_for_answers(counts, other_counts)
            wait_until_served(nodes, homes, publish(20))
            wait_until_served(nodes, homes, last := publish(30))
            proxy.fault = lambda _: "403"
            publish(40)
            wait_for_answers(counts, other_counts)
            assert all(ready(node)["publication_id"] == last for node in nodes)
            assert all(ready(node)["status"] == "ready" for node in nodes)
        for node_counts in (counts, other_counts):
            assert node_counts == sorted(node_counts)
            assert (node_counts[0], node_counts[-1]) == (10, 30)
