"""The same code or token presented by many at the same moment: it is used once, or not at all."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx

from tests.fixtures.programs import Browser, Program, error_of

THIEVES = 8


def at_once(*calls: Callable[[], httpx.Response]) -> list[httpx.Response]:
    """The answers to calls that start together."""
    start = Barrier(len(calls))

    def wait_and(call: Callable[[], httpx.Response]) -> httpx.Response:
        start.wait(timeout=30)
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(wait_and, calls))


def ends_with(program: Program, answers: list[httpx.Response]) -> None:
    """Exactly one got tokens, and they are worth nothing."""
    assert Counter(each.status_code for each in answers) == {200: 1, 400: THIEVES - 1}
    [given] = [each.json() for each in answers if each.status_code == 200]
    refused = [each for each in answers if each.status_code != 200]
    assert {error_of(each) for each in refused} == {"invalid_grant"}
    assert program.call(given["access_token"]).status_code == 401
    assert error_of(program.refresh(given["refresh_token"])) == "invalid_grant"


def test_one_gets_tokens_for_a_code_and_keeps_none(program: Program, member: Browser) -> None:
    code = member.authorize(program)
    ends_with(program, at_once(*[lambda: program.exchange(code)] * THIEVES))


def test_one_refreshes_by_a_token_and_keeps_none(program: Program, member: Browser) -> None:
    first = program.tokens(member)
    token = first["refresh_token"]
    ends_with(program, at_once(*[lambda: program.refresh(token)] * THIEVES))
    assert program.call(first["access_token"]).status_code == 401


def test_what_is_revoked_meanwhile_stays_revoked(program: Program, member: Browser) -> None:
    tokens = program.tokens(member)
    revoked, refreshed = at_once(
        lambda: program.revoke(tokens["access_token"]),
        lambda: program.refresh(tokens["refresh_token"]),
    )
    assert revoked.status_code == 200
    if refreshed.status_code == 200:
        assert program.call(refreshed.json()["access_token"]).status_code == 401
    else:
        assert error_of(refreshed) == "invalid_grant"
    assert program.call(tokens["access_token"]).status_code == 401
