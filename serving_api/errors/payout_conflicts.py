"""409 about what is owed: structures, accruals, budgets and disputes as they stand."""

from collections.abc import Iterable, Mapping
from typing import Self
from uuid import UUID

from pydantic import JsonValue

from serving_api.errors.conflicts import Conflict


class DefaultMethod(Conflict):
    """A payout method that came with the organization can be disabled, not deleted."""

    code = "default_method"
    message = "A payout method that came with the organization stays: take it out of use instead"


class StructureShapeLocked(Conflict):
    """A structure that was ever assigned keeps its period, cadence and criteria type."""

    code = "structure_shape_locked"
    message = "Creators were assigned: period, cadence and criteria_type stay as they are"


class StructureInUse(Conflict):
    """A structure that was ever assigned cannot be deleted for good."""

    code = "structure_in_use"
    message = "Creators were assigned: archive the payout structure instead"


class AlreadyAssigned(Conflict):
    """Creators are assigned on days after the new start: `meta.creator_ids`."""

    code = "already_assigned"

    def __init__(self, creator_ids: Iterable[UUID]) -> None:
        listed: list[JsonValue] = [str(each) for each in creator_ids]
        super().__init__("Some creators are assigned after this start already", creator_ids=listed)

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls([UUID("01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b")])


class BudgetExceeded(Conflict):
    """Nothing is left of budgets that then stop assignments: `meta.budgets`, names by id."""

    code = "budget_exceeded"

    def __init__(self, names: Mapping[UUID, str]) -> None:
        listed: dict[str, JsonValue] = {str(each): name for each, name in names.items()}
        super().__init__(f"Nothing is left of: {', '.join(names.values())}", budgets=listed)

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls({UUID("01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b"): "Spring"})


class DisputeOpen(Conflict):
    """The amount is disputed already, and nobody has resolved that: `meta.dispute_id`."""

    code = "dispute_open"

    def __init__(self, dispute_id: UUID) -> None:
        super().__init__("This amount is disputed already", dispute_id=str(dispute_id))

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls(UUID("01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b"))


class NamesAccruals(Conflict):
    """How accruals stand forbids it: `meta.accrual_ids` names them."""

    def __init__(self, accrual_ids: Iterable[UUID]) -> None:
        super().__init__(accrual_ids=[str(accrual_id) for accrual_id in accrual_ids])

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls([UUID("5a1f4b5e-9c7d-5e0a-8f10-2c4d5e6f7a8b")])


class AccrualOpen(NamesAccruals):
    """The period of an accrual is not over, or it has not settled yet."""

    code = "accrual_open"
    message = "The accrual is not final yet"


class AccrualHeld(NamesAccruals):
    """An accrual waits for a check of odd readings."""

    code = "accrual_held"
    message = "The accrual is held: readings behind it are odd. Release it to go on"


class AccrualPaid(NamesAccruals):
    """An accrual is in a payment that is pending or paid."""

    code = "accrual_paid"
    message = "The accrual is in a payment already"


class AccrualVoid(NamesAccruals):
    """An accrual was voided."""

    code = "accrual_void"
    message = "The accrual is void"
