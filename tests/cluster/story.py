"""Two days on a cluster: looked at, built and asked about, with requests all the while."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event

import psycopg

from orchestration.cli.demo.answers import Question, ask
from orchestration.cli.demo.rest import Rest
from orchestration.cli.demo.story import Cast, Story, create_cast
from orchestration.cli.demo.truth import Simulator, TrueViews
from tests.cluster.machines import Cluster, Node
from warehouse.operational.organizations import NewOrganization

STORY = Story(creators=4, campaign_members=2, days=2)
SCRAPERS = ["scraper-one", "scraper-two"]
NODES = ["node-one", "node-two"]
REQUESTS_A_SECOND = 50
ASKERS = 4
"""Of each node, beside each other."""
PATIENCE_SECONDS = 300
POINTED = """
    select publication_id, shared_at from shared_publications
    where shared_at is not null order by place desc limit 1
"""


@dataclass
class Asked:
    """Requests to nodes all the while: how many in how many seconds, and what failed."""

    requests: int = 0
    seconds: float = 0
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Told:
    """What came of it. `behind` is how many seconds after the pointer a node served each day."""

    answers: list[list[Question]]
    behind: list[float]
    asked: Asked


def play(
    cluster: Cluster, simulator: Simulator, organization: NewOrganization, database_url: str
) -> Told:
    """Live through the story: every machine is a process, and every number comes over HTTP."""
    began = STORY.sweeps[0]
    nodes = [cluster.node(name, began) for name in NODES]
    with ExitStack() as stack:
        rests = [
            stack.enter_context(closing(Rest(node.base_url, organization.api_key)))
            for node in nodes
        ]
        handles = simulator.handles_on_both(STORY.creators)
        cast = create_cast(rests[0], STORY, str(organization.organization_id), handles)
        days = _Days(cluster, simulator, nodes, cast, database_url)
        behind = [days.live(began)]
        with asked_all_the_while(rests, cast) as asked:
            behind += [days.live(at) for at in STORY.sweeps[1:]]
        answers = [ask(rest, STORY, cast, days.creator, days.campaign) for rest in rests]
    return Told(answers, behind, asked)


class _Days:
    def __init__(
        self,
        cluster: Cluster,
        simulator: Simulator,
        nodes: list[Node],
        cast: Cast,
        database_url: str,
    ) -> None:
        self._cluster = cluster
        self._simulator = simulator
        self._nodes = nodes
        self._database_url = database_url
        self.creator = TrueViews(cast.campaign_members[:1], STORY.tracked_since)
        self.campaign = TrueViews(cast.campaign_members, STORY.tracked_since)

    def live(self, at: datetime) -> float:
        """Look and build at an instant; return how late the last node serves it."""
        self._simulator.set_now(at)
        for views in (self.creator, self.campaign):
            views.come_by(self._simulator, at.date())
        self._cluster.scrape(SCRAPERS, at)
        with ThreadPoolExecutor(1) as pool:
            watched = pool.submit(_seconds_behind, self._nodes, self._database_url)
            self._cluster.build("builder", at)
            return watched.result()


@contextmanager
def asked_all_the_while(rests: list[Rest], cast: Cast) -> Iterator[Asked]:
    """Ask every node for a creator's posts, so many times a second in all, for the block."""
    over, asked = Event(), Asked()
    creator = next(iter(cast.creators.values()))

    began = time.monotonic()
    each_asks_every = len(rests) * ASKERS / REQUESTS_A_SECOND

    def keep_asking(rest: Rest) -> None:
        due = began
        while not over.wait(max(0, due - time.monotonic())):
            due += each_asks_every
            asked.requests += 1
            try:
                rest.get("/videos", creator_id=creator)
            except Exception as failed:
                asked.failures.append(repr(failed))

    with ThreadPoolExecutor(len(rests) * ASKERS) as pool:
        asking = [pool.submit(keep_asking, rest) for rest in rests for _ in range(ASKERS)]
        try:
            yield asked
        finally:
            over.set()
            asked.seconds = time.monotonic() - began
        for each in asking:
            each.result()


def _seconds_behind(nodes: list[Node], database_url: str) -> float:
    """Wait for the next publication; return how long after the pointer the last node serves it."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        before = connection.execute(POINTED).fetchone()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (now := connection.execute(POINTED).fetchone()) == before or now is None:
            _wait(deadline, "the pointer did not move")
        publication_id, pointed_at = now
        while any(node.publication() != publication_id for node in nodes):
            _wait(deadline, "a node does not serve what is pointed to")
        [[served_at]] = connection.execute("select clock_timestamp()").fetchall()
        return float((served_at - pointed_at).total_seconds())


def _wait(deadline: float, otherwise: str) -> None:
    if time.monotonic() > deadline:
        raise TimeoutError(otherwise)
    time.sleep(0.1)
