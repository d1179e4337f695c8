"""Two days on a cluster: looked at, built and asked about, with requests all the while."""

import time
from collections.abc import Iterator, Mapping, Sequence
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
from tests.cluster.analyst import views_by_organization
from tests.cluster.machines import Cluster, Node
from warehouse.operational.organizations import NewOrganization
from warehouse.settings import MAIN_SHARD

STORY = Story(creators=2, campaign_members=2, days=2)
"""Of each organization."""
SCRAPERS = ["scraper-one", "scraper-two"]
BUILDERS = {"builder-one": MAIN_SHARD, "builder-two": "east"}
"""Machines that compute, each its shard, with an organization in it."""
NODES = ["node-one", "node-two"]
REQUESTS_A_SECOND = 50
ASKERS = 2
"""Of each organization at each node, beside each other."""
PATIENCE_SECONDS = 300
POINTED = """
    select distinct on (shard) publication_id::text, shared_at
    from shared_publications
    where shared_at is not null
    order by shard, place desc
"""

Pointed = Mapping[str, datetime]
"""The publications to serve, one of each shard, and since when."""


@dataclass
class Asked:
    """Requests to nodes all the while: how many in how many seconds, and what failed."""

    requests: int = 0
    seconds: float = 0
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Views:
    """The views of all posts of an organization: as each node says, and as the lake does."""

    organization: str
    of_nodes: list[int]
    of_lake: int | None


@dataclass(frozen=True)
class Told:
    """What came of it. `behind` is how many seconds after the pointer a node served each day.

    `answers` are those of each organization at each node.
    """

    answers: list[list[list[Question]]]
    views: list[Views]
    behind: list[float]
    asked: Asked


@dataclass(frozen=True)
class Tenant:
    """An organization with its cast, which each node is asked about in its name."""

    organization_id: str
    rests: list[Rest]
    cast: Cast
    creator: TrueViews
    campaign: TrueViews

    def answers(self) -> list[list[Question]]:
        """Ask every node for what the demo asks."""
        return [ask(rest, STORY, self.cast, self.creator, self.campaign) for rest in self.rests]

    def views(self, of_lake: Mapping[str, int]) -> Views:
        """Add up the posts that every node lists, beside what the lake says."""
        lists = [rest.every("/videos", project_id=self.cast.project_id) for rest in self.rests]
        of_nodes = [sum(post["view_count"] or 0 for post in posts) for posts in lists]
        return Views(self.organization_id, of_nodes, of_lake.get(self.organization_id))


def play(
    cluster: Cluster,
    simulator: Simulator,
    organizations: Sequence[NewOrganization],
    database_url: str,
) -> Told:
    """Live through the story: every machine is a process, and every number comes over HTTP."""
    began, *later = STORY.sweeps
    nodes = [cluster.node(name, began) for name in NODES]
    with ExitStack() as stack:
        handles = iter(simulator.handles_on_both(STORY.creators * len(organizations)))
        tenants = []
        for each in organizations:
            rests = [stack.enter_context(closing(Rest(n.base_url, each.api_key))) for n in nodes]
            tenants.append(_tenant(each, rests, [next(handles) for _ in range(STORY.creators)]))
        days = _Days(cluster, simulator, nodes, tenants, database_url)
        behind = [days.live(began)]
        with asked_all_the_while(tenants) as asked:
            behind += [days.live(at) for at in later]
        answers = [tenant.answers() for tenant in tenants]
        of_lake = views_by_organization(cluster.lake_lines(STORY.sweeps[-1]))
        views = [tenant.views(of_lake) for tenant in tenants]
    return Told(answers, views, behind, asked)


def _tenant(new: NewOrganization, rests: list[Rest], handles: list[str]) -> Tenant:
    organization_id = str(new.organization_id)
    cast = create_cast(rests[0], STORY, organization_id, handles)
    creator, campaign = STORY.true_views(handles[:1]), STORY.true_views(cast.campaign_members)
    return Tenant(organization_id, rests, cast, creator, campaign)


@dataclass(frozen=True)
class _Days:
    cluster: Cluster
    simulator: Simulator
    nodes: list[Node]
    tenants: list[Tenant]
    database_url: str

    def live(self, at: datetime) -> float:
        """Look and build at an instant; return how late the last node serves it."""
        self.simulator.set_now(at)
        for tenant in self.tenants:
            for views in (tenant.creator, tenant.campaign):
                views.come_by(self.simulator, at.date())
        self.cluster.scrape(SCRAPERS, at)
        with ThreadPoolExecutor(1) as pool, psycopg.connect(self.database_url) as connection:
            connection.autocommit = True
            before = _pointed(connection)
            watched = pool.submit(_seconds_behind, self.nodes, connection, before)
            self.cluster.build(BUILDERS, at)
            return watched.result()


@contextmanager
def asked_all_the_while(tenants: Sequence[Tenant]) -> Iterator[Asked]:
    """Ask every node for a creator's posts, so many times a second in all, for the block."""
    over, asked = Event(), Asked()
    asking = [(rest, tenant) for tenant in tenants for rest in tenant.rests for _ in range(ASKERS)]
    began = time.monotonic()
    each_asks_every = len(asking) / REQUESTS_A_SECOND

    def keep_asking(rest: Rest, creator: str) -> None:
        due = began
        while not over.wait(max(0, due - time.monotonic())):
            due += each_asks_every
            asked.requests += 1
            try:
                rest.get("/videos", creator_id=creator)
            except Exception as failed:
                asked.failures.append(repr(failed))

    with ThreadPoolExecutor(len(asking)) as pool:
        started = [
            pool.submit(keep_asking, rest, next(iter(tenant.cast.creators.values())))
            for rest, tenant in asking
        ]
        try:
            yield asked
        finally:
            over.set()
            asked.seconds = time.monotonic() - began
        for each in started:
            each.result()


def _seconds_behind(nodes: list[Node], connection: psycopg.Connection, before: Pointed) -> float:
    """Wait for each shard's next publication; return how long after its pointer it is served.

    By the last node, of the shard that took longest.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    late: dict[str, float] = {}
    while len(late) < len(BUILDERS):
        if time.monotonic() > deadline:
            raise TimeoutError(f"served by all nodes: {sorted(late)}, before: {sorted(before)}")
        served = set.intersection(*(set(node.publications()) for node in nodes))
        [[now]] = connection.execute("select clock_timestamp()").fetchall()
        for publication_id, pointed_at in _pointed(connection).items():
            if publication_id in served and publication_id not in before:
                late.setdefault(publication_id, (now - pointed_at).total_seconds())
        time.sleep(0.1)
    return max(late.values())


def _pointed(connection: psycopg.Connection) -> Pointed:
    return dict(connection.execute(POINTED).fetchall())
