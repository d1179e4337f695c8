"""Two requests at once, of which the second begins when the first has done all but commit.

Every write ends with its line in the audit log, in its own transaction. While that table is held,
the first request keeps all that it wrote and locked, and commits nothing; the second begins, sees
things as they were, and gets as far as it can. Once both wait the table is let go, and both end.
No clock and no chance has a part in it. A race may be held at another place, on the way: there two
requests could come to wait for each other.
"""

import re
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, LiteralString, NamedTuple

import httpx
import psycopg

from tests.contract.cases import CASES, filled
from tests.contract.things import Things
from tests.fixtures.api import Client, Tenant
from tests.fixtures.locks import wait_until_waiting
from tests.fixtures.payouts import Paying

Ids = dict[str, str]

BEFORE_COMMIT = "lock table audit_entries in share mode"
AT_STRUCTURES = "select from payout_structures for no key update"
"""What holds requests up: see the module."""


@dataclass
class Stage:
    """What a race is run in. Ids that no race gives are those of `tests.contract.things`."""

    tenant: Tenant
    given: Ids = field(default_factory=dict)

    @cached_property
    def ids(self) -> Mapping[str, str]:
        return ChainMap(self.given, Things(self.tenant))  # type: ignore[arg-type]

    def data(self, path: str, **query: str) -> Any:
        """What is answered to a look afterwards."""
        return self.tenant.client.data("GET", filled(path, self.ids), params=query)

    def has(self, method: str, path: str, *, status: int = 200, **body: Any) -> Any:
        """Ask for what a race begins with."""
        filled_body = filled(body, self.ids)
        return self.tenant.client.data(
            method, filled(path, self.ids), json=filled_body, status=status
        )


@dataclass(kw_only=True)
class Paid(Stage):
    """A stage on which accruals are published."""

    paying: Paying


class Action(NamedTuple):
    """A request. Refused with `late` where the other was first, with `early` where it is itself.

    None stands for success.
    """

    operation: str
    body: Mapping[str, Any] | None = None
    late: str | None = None
    early: str | None = None
    query: Mapping[str, str] = {}
    about: Mapping[str, str] = {}
    """As in `tests.contract.cases`: what ids of the path are taken from, where not their name."""

    def send(self, client: Client, ids: Mapping[str, str]) -> httpx.Response:
        method, _, path = self.operation.partition(" ")
        body = {} if self.body is None else {"json": filled(self.body, ids)}
        return client.request(method, filled(self.named(path), ids), params=self.query, **body)

    def named(self, path: str) -> str:
        about = {**CASES[self.operation].about, **self.about}
        return re.sub(r"\w+", lambda name: about.get(name[0], name[0]), path)

    def hold(self, response: httpx.Response, refusal: str | None) -> None:
        """Hold that the request was answered as it should have been."""
        if refusal is not None:
            assert response.json()["meta"].get("code") == refusal, response.text
            return
        assert response.status_code == CASES[self.operation].status, response.text


def nothing(_: Stage) -> None:
    """Give nothing, look at nothing."""


@dataclass(frozen=True)
class Race:
    """Two requests, what they begin with, and what is `left` by the order in which they came."""

    name: str
    first_action: Action
    other: Action
    given: Callable[[Any], object] = nothing
    left: Callable[[Any], Any] = nothing
    ends: tuple[Any, Any] = (None, None)
    held: LiteralString = BEFORE_COMMIT

    def __str__(self) -> str:
        return self.name


def run(race: Race, stage: Stage, first: Literal["one", "other"]) -> None:
    """Run a race with `first` ahead, and hold both answers and what is left."""
    race.given(stage)
    ahead, behind = (
        (race.first_action, race.other) if first == "one" else (race.other, race.first_action)
    )
    _fill_in(stage, ahead, behind)
    answers = _at_once(stage, race.held, ahead, behind)
    ahead.hold(answers[0], ahead.early)
    behind.hold(answers[1], behind.late)
    assert race.left(stage) == race.ends[first == "other"]


def _fill_in(stage: Stage, *actions: Action) -> None:
    """Make what the requests name before either of them begins."""
    for action in actions:
        filled([action.named(action.operation), action.body], stage.ids)


def _at_once(
    stage: Stage, held: LiteralString, ahead: Action, behind: Action
) -> tuple[httpx.Response, httpx.Response]:
    api, key = stage.tenant.api, stage.tenant.made.api_key
    with api.client(key) as client, api.client(key) as other, ThreadPoolExecutor(2) as pool:
        with _held_up(api.store.dsn, held) as wait_for:
            first = pool.submit(ahead.send, client, stage.ids)
            wait_for(first)
            second = pool.submit(behind.send, other, stage.ids)
            wait_for(first, second)
        return first.result(), second.result()


@contextmanager
def _held_up(dsn: str, statement: LiteralString) -> Iterator[Callable[..., None]]:
    """Hold requests up in the block; yields what waits until those given wait, or ended."""
    with psycopg.connect(dsn) as holder:
        holder.execute(statement)

        def wait_for(*requests: Future[httpx.Response]) -> None:
            wait_until_waiting(dsn, lambda: sum(not each.done() for each in requests))

        yield wait_for
