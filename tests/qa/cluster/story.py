"""Two days on a cluster: scraped, built and queried, with constant requests."""

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import Event
from uuid import UUID

import psycopg

from orchestration.cli.demo.answers import Question, ask
from orchestration.cli.demo.program import ON_BOTH, TRACKED_FROM, Program
from orchestration.cli.demo.rest import Rest
from orchestration.cli.demo.story import Story
from orchestration.cli.demo.truth import Simulator, TrueViews
from tests.qa.cluster.analyst import views_by_organization
from tests.qa.cluster.machines import Cluster, Node
from warehouse.operational.organizations import NewOrganization
from warehouse.platforms import PLATFORMS
from warehouse.settings import MAIN_SHARD

STORY = Story(days=2)
CREATORS = 2
"""In each organization, all on both platforms and in one campaign."""
SCRAPERS = ["scraper-one", "scraper-two"]
BUILDERS = {"builder-one": MAIN_SHARD, "builder-two": "east"}
"""The builders with their shards; each shard has an organization."""
NODES = ["node-one", "node-two"]
REQUESTS_A_SECOND = 50
ASKERS = 2
"""Concurrent clients of each organization at each node."""
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
class Load:
    """The constant requests to nodes: their number, duration and failures."""

    requests: int = 0
    seconds: float = 0
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Views:
    """The views of all posts of an organization, by each node and by the lake."""

    organization: str
    of_nodes: list[int]
    of_lake: int | None


@dataclass(frozen=True)
class Results:
    """The results. `behind` is the delay in seconds from pointer to node for each day.

    `answers` are those of each organization at each node.
    """

    answers: list[list[list[Question]]]
    views: list[Views]
    behind: list[float]
    load: Load


@dataclass(frozen=True)
class Tenant:
    """An organization, its program on each node, and the expected views."""

    organization_id: str
    programs: list[Program]
    creator: TrueViews
    campaign: TrueViews

    def answers(self) -> list[list[Question]]:
        return [ask(program, STORY, self.creator, self.campaign) for program in self.programs]

    def views(self, of_lake: Mapping[str, int]) -> Views:
        """Add up the posts that every node lists, beside the lake's sum."""
        lists = [each.rest.every("/videos", project_id=each.project_id) for each in self.programs]
        of_nodes = [sum(post["view_count"] or 0 for post in posts) for posts in lists]
        return Views(self.organization_id, of_nodes, of_lake.get(self.organization_id))


def play(
    cluster: Cluster,
    simulator: Simulator,
    organizations: Sequence[NewOrganization],
    database_url: str,
    requests_a_second: int = REQUESTS_A_SECOND,
) -> Results:
    """Play the story: every machine is a process, and every number comes over HTTP."""
    began, *later = STORY.crawls
    nodes = [cluster.node(name, began) for name in NODES]
    with ExitStack() as stack:
        handles = iter(simulator.handles_on_both(CREATORS * len(organizations)))
        tenants = []
        for each in organizations:
            rests = [stack.enter_context(closing(Rest(n.base_url, each.api_key))) for n in nodes]
            tenants.append(_tenant(each, rests, [next(handles) for _ in range(CREATORS)]))
        days = _Days(cluster, simulator, nodes, tenants, database_url)
        behind = [days.live(began)]
        with asked_all_the_while(tenants, requests_a_second) as load:
            behind += [days.live(at) for at in later]
        answers = [tenant.answers() for tenant in tenants]
        of_lake = views_by_organization(cluster.lake_lines(STORY.crawls[-1]))
        views = [tenant.views(of_lake) for tenant in tenants]
    return Results(answers, views, behind, load)


def _tenant(new: NewOrganization, rests: list[Rest], handles: list[str]) -> Tenant:
    program = _program(rests[0], new, handles)
    accounts = [(site, handle) for handle in handles for site in PLATFORMS]
    creator = TrueViews(accounts[: len(PLATFORMS)], STORY.tracked_since)
    campaign = TrueViews(accounts, STORY.tracked_since)
    programs = [replace(program, rest=rest) for rest in rests]
    return Tenant(str(new.organization_id), programs, creator, campaign)


def _program(rest: Rest, new: NewOrganization, handles: list[str]) -> Program:
    """Create a project with its creators, and a campaign with all of them, over REST."""
    path = f"/organizations/{new.organization_id}/projects"
    project_id = rest.post(path, {"name": "Autumn launch"})["id"]
    creators = [
        {
            "accounts": [
                {"platform": site, "handle": handle, "tracking_start_date": TRACKED_FROM}
                for site in PLATFORMS
            ]
        }
        for handle in handles
    ]
    made = rest.post(f"/projects/{project_id}/creators", {"creators": creators})
    path = f"/projects/{project_id}/campaigns"
    campaign_id = rest.post(path, {"name": "First wave"})["id"]
    for creator in made:
        item = {"item_type": "creator", "item_id": creator["id"]}
        rest.post(f"/campaigns/{campaign_id}/items", item)
    organization = replace(new, project_id=UUID(project_id))
    ids = {number: creator["id"] for number, creator in enumerate(made, start=ON_BOTH)}
    return Program(rest, organization, dict(enumerate(handles, ON_BOTH)), ids, campaign_id)


@dataclass(frozen=True)
class _Days:
    cluster: Cluster
    simulator: Simulator
    nodes: list[Node]
    tenants: list[Tenant]
    database_url: str

    def live(self, at: datetime) -> float:
        """Scrape and build at an instant; return the delay of the last node."""
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
def asked_all_the_while(tenants: Sequence[Tenant], requests_a_second: int) -> Iterator[Load]:
    """Request a creator's posts from every node during the block, at this total rate."""
    over, load = Event(), Load()
    asking = [each for tenant in tenants for each in tenant.programs for _ in range(ASKERS)]
    began = time.monotonic()
    each_asks_every = len(asking) / requests_a_second

    def keep_asking(rest: Rest, creator: str) -> None:
        due = began
        while not over.wait(max(0, due - time.monotonic())):
            due += each_asks_every
            load.requests += 1
            try:
                rest.get("/videos", creator_id=creator)
            except Exception as failed:
                load.failures.append(repr(failed))

    with ThreadPoolExecutor(len(asking)) as pool:
        started = [
            pool.submit(keep_asking, program.rest, program.creators[ON_BOTH]) for program in asking
        ]
        try:
            yield load
        finally:
            over.set()
            load.seconds = time.monotonic() - began
        for each in started:
            each.result()


def _seconds_behind(nodes: list[Node], connection: psycopg.Connection, before: Pointed) -> float:
    """Wait for each shard's next publication; return the longest delay until all nodes serve it."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    late: dict[str, float] = {}
    while len(late) < len(BUILDERS):
        if time.monotonic() > deadline:
            raise TimeoutError(f"served by all nodes: {sorted(late)}, before: {sorted(before)}")
        time.sleep(0.1)
        new = {each: at for each, at in _pointed(connection).items() if each not in before}
        if not new.keys() - late.keys():
            continue  # no load on the nodes without a new publication
        served = set.intersection(*(set(node.publications()) for node in nodes))
        [[now]] = connection.execute("select clock_timestamp()").fetchall()
        for publication_id in served & new.keys():
            late.setdefault(publication_id, (now - new[publication_id]).total_seconds())
    return max(late.values())


def _pointed(connection: psycopg.Connection) -> Pointed:
    return dict(connection.execute(POINTED).fetchall())
