"""The interface of provider budgets; implementations decide where to count."""

from dataclasses import dataclass
from typing import Protocol

from scrapers.outcomes import Outcome
from scrapers.transport.breaker import BackingOffError


class BudgetSpentError(BackingOffError):
    """No request was sent: the day's budget is spent."""

    def __init__(self, detail: str) -> None:
        super().__init__(Outcome.BUDGET_SPENT, f"not sent: {detail}")


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A paid run of a provider, and the id of its items."""

    id: str
    items_id: str
    seconds_ago: float = 0.0


class Reservation(Protocol):
    """Units counted as spent until the actual number is known."""

    async def note_run(self, key: str, run: StartedRun) -> None:
        """Store the run, so that the next request for `key` follows it and starts no other."""
        ...

    async def forget_run(self) -> None:
        """Delete the run; its units stay counted."""
        ...

    async def settle(self, units: int) -> None:
        """Count the actual cost of the run instead of its maximum."""
        ...


class Budget(Protocol):
    """Counts what one provider costs, in its own units, before it is spent."""

    async def authorize(self, units: int) -> None:
        """Count a request before it is sent. Raises BudgetSpentError, and then counts nothing."""
        ...

    async def charge(self, units: int) -> None:
        """Count units that a response cost beyond those authorized. Never refuses."""
        ...

    async def reserve(self, units: int) -> Reservation:
        """Count the maximum cost of a run. Raises BudgetSpentError, and then counts nothing."""
        ...

    async def unsettled(self, key: str) -> tuple[Reservation, StartedRun] | None:
        """Return the run that was started for `key` and whose items have not landed."""
        ...


class Unlimited:
    """A budget that counts nothing and allows everything, for requests by hand."""

    async def authorize(self, units: int) -> None:
        """Allow the request."""

    async def charge(self, units: int) -> None:
        """Count nothing."""

    async def reserve(self, units: int) -> "Unlimited":  # noqa: ARG002  any number is allowed
        return self

    async def unsettled(self, key: str) -> None:
        """Return None: runs are not stored."""

    async def note_run(self, key: str, run: StartedRun) -> None:
        """Store nothing."""

    async def forget_run(self) -> None:
        """Delete nothing."""

    async def settle(self, units: int) -> None:
        """Count nothing."""
