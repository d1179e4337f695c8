"""What may be spent on a provider. Who counts it, and where, is decided by whoever builds one."""

from typing import Protocol

from scrapers.outcomes import Outcome
from scrapers.transport.breaker import BackingOffError


class BudgetSpentError(BackingOffError):
    """Nothing was asked: the day's budget does not allow another request."""

    def __init__(self, detail: str) -> None:
        super().__init__(Outcome.BUDGET_SPENT, f"not asked: {detail}")


class Budget(Protocol):
    """Counts what one provider costs, in its own units, before it is spent."""

    async def admit(self, units: int) -> None:
        """Count one request that is about to be sent. Raises BudgetSpentError, counting nothing."""
        ...

    async def charge(self, units: int) -> None:
        """Count units that an answer said it cost beyond those admitted. Never refuses."""
        ...


class Unlimited:
    """Counts nothing and admits everything: for a look at what a provider answers."""

    async def admit(self, units: int) -> None:
        """Let the request be sent."""

    async def charge(self, units: int) -> None:
        """Let it be."""
