"""What GET /analytics takes in the handler, from the publication and from PostgreSQL.

Each question is another one (its days are), so that none is answered from figures that were kept;
what a publication knows of an entity, whatever is asked of it, is looked up once, as in a server:
when it was first read, and all of its days. What that takes is measured by itself.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from copy import copy
from dataclasses import dataclass, replace
from datetime import timedelta
from statistics import median
from time import perf_counter
from typing import Any
from uuid import UUID

from serving_api.kit.cache import AnswerCache
from serving_api.kit.principals import Principal
from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.process.application import spare_collecting_what_stays
from serving_api.resources.analytics.series.figures import FigureCache
from serving_api.resources.analytics.series.schemas import AnalyticsQuery
from serving_api.resources.analytics.series.service import read_series
from tests.fixtures.within import services_within
from tests.qa.benchmarks.postgresql import Numbers, answering_from_postgresql, copy_marts
from tests.qa.benchmarks.registry import register
from tests.qa.benchmarks.world import ENDS, World, run_script
from warehouse.connection import open_warehouse
from warehouse.ids import uuid7
from warehouse.loading import spare_looking_for_pandas
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.shards.publications import ShardPublications

CAMPAIGN = UUID(int=1)
ASKED = 30
"""How often each kind of question is asked; the median counts."""
CREATORS = 5
"""How many creators are asked about in turn."""
ONE_DAY = timedelta(days=1)

OF_CREATOR = {"entity": "creator", "metric": "views"}
OF_CAMPAIGN = {"entity": "campaign", "entity_id": str(CAMPAIGN), "metric": "views"}
BESIDE = {"compare": "prior_period"}


@dataclass(frozen=True)
class Kind:
    """A kind of question: over how many days, its parameters, and what it may take.

    Milliseconds, and how many times as long as PostgreSQL.
    """

    days: int
    parameters: Mapping[str, str]
    most_ms: float
    most_ratio: float


KINDS: Mapping[str, Kind] = {
    "creator, 30 days": Kind(30, OF_CREATOR, 3.0, 2.0),
    "campaign, 180 days, by creator, prior period": Kind(
        180, {**OF_CAMPAIGN, **BESIDE, "breakdown": "creator"}, 45.0, 1.0
    ),
    "campaign, 180 days, by video, prior period": Kind(
        180, {**OF_CAMPAIGN, **BESIDE, "breakdown": "video"}, 120.0, 1.0
    ),
    "campaign, 180 days, another zone": Kind(
        180, {**OF_CAMPAIGN, "tz": "Asia/Kolkata"}, 120.0, 1.0
    ),
}


class Unequal(Exception):  # noqa: N818 (reads as what happened)
    """The publication and PostgreSQL gave different answers."""


@dataclass(frozen=True)
class Took:
    """Median seconds from the publication, from PostgreSQL, and of answers that were kept.

    And of the first questions about entities, of which nothing was kept yet.
    """

    ours: float
    theirs: float
    cached: float
    first: float


def make_large_campaign(world: World) -> None:
    """Give the first organization a campaign of (at scale 1) 5,000 counted posts."""
    first = world.organizations[0]
    with open_warehouse(world.settings) as connection:
        run_script(
            connection,
            "large_campaign",
            organization_id=first.organization_id,
            project_id=first.project_id,
            campaign_id=CAMPAIGN,
        )


def handler_seconds(world: World) -> Mapping[str, Took]:
    """Return what each kind of question takes. Raises Unequal."""
    with ExitStack() as stack:
        store = stack.enter_context(operational_store(world.settings))
        creators = register(world, store).creators
        copy_marts(world.settings, store)
        shards = stack.enter_context(closing(ShardPublications(world.settings)))
        ours = Asker(world, store, Published(shards), creators)
        theirs = Asker(world, store, Numbers(store, shards), creators)
        spare_looking_for_pandas()  # as the server does before it serves
        spare_collecting_what_stays()
        return {name: _took(name, ours, theirs) for name in KINDS}


def _took(name: str, ours: "Asker", theirs: "Asker") -> Took:
    """Ask both in turn, so that what else the machine does meets both."""
    seconds: dict[str, list[float]] = {"ours": [], "theirs": [], "cached": [], "first": []}
    for query in ours.queries(name):
        seconds["first"].append(ours.forgetful().ask(query)[1])
        answer, took = ours.ask(query)
        seconds["ours"].append(took)
        seconds["cached"].append(ours.ask(query)[1])
        with answering_from_postgresql():
            other, took = theirs.ask(query)
        seconds["theirs"].append(took)
        if answer != other:
            raise Unequal(name)
    return Took(**{whose: median(of) for whose, of in seconds.items()})


class Asker:
    """Asks the handler's service, which reads from one place."""

    def __init__(
        self, world: World, store: OperationalStore, numbers: Any, creators: list[UUID]
    ) -> None:
        self._store = store
        self._numbers = numbers
        self._creators = creators
        self._caller = _caller(world)
        self._services = services_within(world.settings, store)

    def forgetful(self) -> "Asker":
        """Return one who asks the same, of whose answers nothing was kept yet."""
        other, other._numbers = copy(self), copy(self._numbers)
        other._numbers.answers = AnswerCache()
        parts = {**self._services.parts, FigureCache: FigureCache()}
        other._services = replace(self._services, parts=parts)
        return other

    def ask(self, query: AnalyticsQuery) -> tuple[Any, float]:
        """Return the answer's data, and the seconds that it took up to its JSON."""
        began = perf_counter()
        with self._store.read_session() as session:
            context = RequestContext(self._caller, session, self._numbers, self._services)
            answer = read_series(context, query)
            answer.model_dump_json()
        return answer.data, perf_counter() - began

    def queries(self, name: str) -> Iterator[AnalyticsQuery]:
        kind = KINDS[name]
        for number in range(ASKED):
            creator = self._creators[number % CREATORS]
            last = ENDS.date() - (1 + number) * ONE_DAY
            days = {"from": str(last - (kind.days - 1) * ONE_DAY), "to": str(last)}
            parameters = {"entity_id": str(creator), **kind.parameters, **days}
            yield AnalyticsQuery.model_validate(parameters)


def _caller(world: World) -> Principal:
    first = world.organizations[0]
    return Principal(
        key_id=uuid7(),
        key_name="Benchmark",
        organization_id=first.organization_id,
        organization_name="UTC",
        plan_name="ultra",
        analytics_tz="UTC",
        user_id=first.user_id,
        maker_id=first.user_id,
        display_name="Benchmark",
        role="admin",
        is_platform_admin=False,
        granted=["read"],
    )
