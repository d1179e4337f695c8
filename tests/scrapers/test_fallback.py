"""Routes are asked in order until one is not refused; what is gone only the first one says."""

from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from scrapers.fallback import REFUSED, first_answer
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.transport.breaker import BackingOffError


class Routes:
    """Routes that end as a test says; remembers which were asked."""

    def __init__(self, *endings: str | Outcome) -> None:
        self._endings = endings
        self.asked: list[int] = []

    def __iter__(self) -> "Routes":
        self._numbers = iter(range(len(self._endings)))
        return self

    def __next__(self) -> tuple[str, Callable[[], Awaitable[str]]]:
        number = next(self._numbers)
        return f"route {number}", lambda: self._ask(number)

    async def _ask(self, number: int) -> str:
        self.asked.append(number)
        ending = self._endings[number]
        if isinstance(ending, Outcome):
            raise ScrapeError(ending, f"{number}", http_status=200)
        return ending


@pytest.mark.parametrize("refusal", sorted(REFUSED))
async def test_the_next_is_asked_where_one_is_refused(refusal: Outcome) -> None:
    routes = Routes(refusal, refusal, "answer", "unasked")
    assert await first_answer(routes) == "answer"
    assert routes.asked == [0, 1, 2]


@pytest.mark.parametrize("ending", sorted(set(Outcome) - REFUSED - {Outcome.OK}))
async def test_what_the_first_says_of_the_account_itself_is_the_end(ending: Outcome) -> None:
    routes = Routes(ending, "unasked")
    with pytest.raises(ScrapeError) as error:
        await first_answer(routes)
    assert (error.value.outcome, routes.asked) == (ending, [0])


@pytest.mark.parametrize("later", sorted(set(Outcome) - {Outcome.OK}))
async def test_what_a_later_one_does_not_show_is_not_gone(later: Outcome) -> None:
    with pytest.raises(ScrapeError) as error:
        await first_answer(Routes(Outcome.CHALLENGED, later))
    refusal = error.value
    assert (refusal.outcome, refusal.http_status) == (Outcome.CHALLENGED, 200)
    assert refusal.detail == f"0; route 1: {later}: 1"
    assert refusal.was_sent


@pytest.mark.parametrize(("first", "second"), [(True, False), (False, True), (False, False)])
async def test_that_nothing_was_asked_is_said_where_no_route_was(
    *, first: bool, second: bool
) -> None:
    async def refuse(*, was_sent: bool) -> str:
        raise (ScrapeError if was_sent else BackingOffError)(Outcome.CHALLENGED, "wall")

    routes = [(str(was_sent), partial(refuse, was_sent=was_sent)) for was_sent in (first, second)]
    with pytest.raises(ScrapeError) as error:
        await first_answer(routes)
    assert error.value.was_sent is (first or second)


async def test_without_routes_there_is_nothing_to_ask() -> None:
    with pytest.raises(ValueError, match="no routes"):
        await first_answer(Routes())
