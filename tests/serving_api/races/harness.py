"""Two requests at once: the second one starts when the first has done everything except commit.

Every write ends with its line in the audit log, in its own transaction. While that table is locked,
the first request keeps its writes and locks, and commits nothing. The second one starts, sees the
old rows, and gets as far as it can. Once both wait, the table is unlocked, and both end. Neither
time nor chance matters. A race may use another lock, earlier in the request, if the requests could
otherwise deadlock.
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
"""The lock that delays requests: see the module."""


@dataclass
class Stage:
    """The data of a race. Ids that the race does not set are those of `tests.contract.things`."""

    tenant: Tenant
    given: Ids = field(default_factory=dict)

    @cached_property
    def ids(self) -> Mapping[str, str]:
        return ChainMap(self.given, Things(self.tenant))  # type: ignore[arg-type]

    def data(self, path: str, **query: str) -> Any:
        """Read data after the race."""
        return self.tenant.client.data("GET", filled(path, self.ids), params=query)

    def has(self, method: str, path: str, *, status: int = 200, **body: Any) -> Any:
        """Set up data before the race."""
        filled_body = filled(body, self.ids)
        return self.tenant.client.data(
            method, filled(path, self.ids), json=filled_body, status=status
        )


@dataclass(kw_only=True)
class Paid(Stage):
    """A stage with published accruals."""

    paying: Paying


class Action(NamedTuple):
    """A request. Its error is `late` if the other request came first, `early` if this one did.

    None means success.
    """

    operation: str
    body: Mapping[str, Any] | None = None
    late: str | None = None
    early: str | None = None
    query: Mapping[str, str] = {}
    about: Mapping[str, str] = {}
    """As in `tests.contract.cases`: the names that ids of the path come from, if others."""

    def send(self, client: Client, ids: Mapping[str, str]) -> httpx.Response:
        method, _, path = self.operation.partition(" ")
        body = {} if self.body is None else {"json": filled(self.body, ids)}
        return client.request(method, filled(self.named(path), ids), params=self.query, **body)

    def named(self, path: str) -> str:
        about = {**CASES[self.operation].about, **self.about}
        return re.sub(r"\w+", lambda name: about.get(name[0], name[0]), path)

    def hold(self, response: httpx.Response, refusal: str | None) -> None:
        """Assert the expected outcome of the request."""
        if refusal is not None:
            assert response.json()["meta"].get("code") == refusal, response.text
            return
        assert response.status_code == CASES[self.operation].status, response.text


def nothing(_: Stage) -> None:
    """Set up and read nothing."""


@dataclass(frozen=True)
class Race:
    """Two requests, their set-up, and what is `left` in either order."""

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
    """Run a race with `first` ahead; assert both responses and the resulting data."""
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
    """Create the rows that the requests name before either of them starts."""
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
    """Delay requests in the block; yield a function that waits until the given ones wait or end."""
    with psycopg.connect(dsn) as holder:
        holder.execute(statement)

        def wait_for(*requests: Future[httpx.Response]) -> None:
            wait_until_waiting(dsn, lambda: sum(not each.done() for each in requests))

        yield wait_for
