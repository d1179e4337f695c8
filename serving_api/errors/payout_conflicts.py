"""409 of payouts: structures, accruals, budgets and disputes."""

from collections.abc import Iterable, Mapping
from typing import Self
from uuid import UUID

from pydantic import JsonValue

from serving_api.errors.conflicts import Conflict


class DefaultMethod(Conflict):
    """A payout method that came with the organization can be disabled, not deleted."""

    code = "default_method"
    message = "A default payout method cannot be deleted. Disable it instead"


class StructureShapeLocked(Conflict):
    """A structure that was ever assigned keeps its period, cadence and criteria type."""

    code = "structure_shape_locked"
    message = "Creators were assigned, so period, cadence and criteria_type cannot change"


class StructureInUse(Conflict):
    """A structure that was ever assigned cannot be deleted."""

    code = "structure_in_use"
    message = "Creators were assigned. Archive the payout structure instead"


class AlreadyAssigned(Conflict):
    """Creators are assigned on days after the new start: `meta.creator_ids`."""

    code = "already_assigned"

    def __init__(self, creator_ids: Iterable[UUID]) -> None:
        listed: list[JsonValue] = [str(each) for each in creator_ids]
        super().__init__("Some creators are already assigned after this start", creator_ids=listed)

    @classmethod
    def sample(cls) -> Self:
        return cls([UUID("01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b")])


class BudgetExceeded(Conflict):
    """Budgets that block assignments are used up: `meta.budgets`, names by id."""

    code = "budget_exceeded"

    def __init__(self, names: Mapping[UUID, str]) -> None:
        listed: dict[str, JsonValue] = {str(each): name for each, name in names.items()}
        super().__init__(f"Budget used up: {', '.join(names.values())}", budgets=listed)

    @classmethod
    def sample(cls) -> Self:
        return cls({UUID("01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b"): "Spring"})


class DisputeOpen(Conflict):
    """The amount has an unresolved dispute: `meta.dispute_id`."""

    code = "dispute_open"

    def __init__(self, dispute_id: UUID) -> None:
        super().__init__("This amount is already disputed", dispute_id=str(dispute_id))

    @classmethod
    def sample(cls) -> Self:
        return cls(UUID("01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b"))


class NamesAccruals(Conflict):
    """The status of accruals does not allow the request: `meta.accrual_ids`."""

    def __init__(self, accrual_ids: Iterable[UUID]) -> None:
        super().__init__(accrual_ids=[str(accrual_id) for accrual_id in accrual_ids])

    @classmethod
    def sample(cls) -> Self:
        return cls([UUID("5a1f4b5e-9c7d-5e0a-8f10-2c4d5e6f7a8b")])


class AccrualOpen(NamesAccruals):
    """The accrual's period has not ended or has not settled."""

    code = "accrual_open"
    message = "The accrual is not final yet"


class AccrualHeld(NamesAccruals):
    """The accrual is on hold because of anomalies."""

    code = "accrual_held"
    message = "The accrual is on hold because of anomalies. Release it first"


class AccrualPaid(NamesAccruals):
    """The accrual is in a pending or paid payment."""

    code = "accrual_paid"
    message = "The accrual is already in a payment"


class AccrualVoid(NamesAccruals):
    """The accrual is void."""

    code = "accrual_void"
    message = "The accrual is void"
