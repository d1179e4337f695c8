"""A large write pauses between its statements while other organizations are served.

Threads that compute take turns at Python's lock, so each of them slows every request: a batch of
1,000 accounts computes for a quarter of a second, in pieces of up to 36 ms between its statements.
"""

from collections.abc import Callable, Hashable
from time import monotonic, sleep
from typing import Any

from sqlalchemy import event
from sqlalchemy.orm import Session

from serving_api.kit.shares import RequestShares

OF_STATEMENT, OF_WRITE = 0.05, 1.0
"""The most seconds of pauses: before one statement, and in all, while the write holds its locks."""
STEP = 0.001


def give_way(session: Session, shares: RequestShares, customer: Hashable) -> None:
    """Let the session pause before each statement while others have places among requests."""
    pause = _pauses(lambda: shares.serves_others(customer), monotonic, sleep)

    def begin(_session: Session, _transaction: Any, connection: Any) -> None:
        event.listen(connection, "before_cursor_execute", lambda *_: pause())

    event.listen(session, "after_begin", begin)


def _pauses(
    has_reason: Callable[[], bool],
    clock: Callable[[], float],
    wait: Callable[[float], None],
) -> Callable[[], None]:
    left = OF_WRITE

    def pause() -> None:
        nonlocal left
        began = clock()
        until = began + min(OF_STATEMENT, left)
        while clock() < until and has_reason():
            wait(STEP)
        left -= clock() - began

    return pause
