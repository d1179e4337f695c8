"""What may be spent on a provider. Who counts it, and where, is decided by whoever builds one."""

from dataclasses import dataclass
from typing import Protocol

from scrapers.outcomes import Outcome
from scrapers.transport.breaker import BackingOffError


class BudgetSpentError(BackingOffError):
    """Nothing was asked: the day's budget does not allow another request."""

    def __init__(self, detail: str) -> None:
        super().__init__(Outcome.BUDGET_SPENT, f"not sent: {detail}")


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that a provider is paid for, and where its items are."""

    id: str
    items_id: str
    seconds_ago: float = 0.0


class Reservation(Protocol):
    """Units that are counted as spent until it is known how many were."""

    async def note_run(self, key: str, run: StartedRun) -> None:
        """Store the run, so that the next request for `key` follows it instead of another."""
        ...

    async def forget_run(self) -> None:
        """Delete the run; its units stay counted."""
        ...

    async def settle(self, units: int) -> None:
        """Count these units in place of those reserved; the run stays stored. Never refuses."""
        ...


class Budget(Protocol):
    """Counts what one provider costs, in its own units, before it is spent."""

    async def authorize(self, units: int) -> None:
        """Count one request that is about to be sent. Raises BudgetSpentError, counting nothing."""
        ...

    async def charge(self, units: int) -> None:
        """Count units that an answer said it cost beyond those authorized. Never refuses."""
        ...

    async def reserve(self, units: int) -> Reservation:
        """Count what a run may cost at most. Raises BudgetSpentError, counting nothing."""
        ...

    async def unsettled(self, key: str) -> tuple[Reservation, StartedRun] | None:
        """Return the run that was started for `key` and whose items have not landed."""
        ...


class Unlimited:
    """Counts nothing and admits everything: for a fetch of what a provider answers."""

    async def authorize(self, units: int) -> None:
        """Let the request be sent."""

    async def charge(self, units: int) -> None:
        """Let it be."""

    async def reserve(self, units: int) -> "Unlimited":  # noqa: ARG002  whatever it is
        """Reserve nothing: there is enough."""
        return self

    async def unsettled(self, key: str) -> None:
        """Return nothing: runs are not stored."""

    async def note_run(self, key: str, run: StartedRun) -> None:
        """Let it be."""

    async def forget_run(self) -> None:
        """Let it be."""

    async def settle(self, units: int) -> None:
        """Let it be."""
