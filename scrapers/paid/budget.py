"""What may be spent on a provider. Who counts it, and where, is decided by whoever builds one."""

from typing import Protocol

from scrapers.outcomes import Outcome
from scrapers.transport.breaker import BackingOffError


class BudgetSpentError(BackingOffError):
    """Nothing was asked: the day's budget does not allow another request."""

    def __init__(self, detail: str) -> None:
        super().__init__(Outcome.BUDGET_SPENT, f"not asked: {detail}")


class Reservation(Protocol):
    """Units that are counted as spent until it is known how many were."""

    async def settle(self, units: int) -> None:
        """Count these units in place of those reserved. Never refuses."""
        ...


class Budget(Protocol):
    """Counts what one provider costs, in its own units, before it is spent."""

    async def admit(self, units: int) -> None:
        """Count one request that is about to be sent. Raises BudgetSpentError, counting nothing."""
        ...

    async def charge(self, units: int) -> None:
        """Count units that an answer said it cost beyond those admitted. Never refuses."""
        ...

    async def reserve(self, units: int) -> Reservation:
        """Count what a run may cost at most. Raises BudgetSpentError, counting nothing."""
        ...


class Unlimited:
    """Counts nothing and admits everything: for a look at what a provider answers."""

    async def admit(self, units: int) -> None:
        """Let the request be sent."""

    async def charge(self, units: int) -> None:
        """Let it be."""

    async def reserve(self, units: int) -> "Unlimited":  # noqa: ARG002  whatever it is
        """Reserve nothing: there is enough."""
        return self

    async def settle(self, units: int) -> None:
        """Let it be."""
