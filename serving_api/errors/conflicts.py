"""409 errors with fields in `meta`."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from pydantic import JsonValue

from serving_api.errors.base import Conflict


class IdempotencyInProgress(Conflict):
    """The first request with this Idempotency-Key is still in progress."""

    code = "idempotency_in_progress"
    message = "The first request with this Idempotency-Key is still in progress"
    headers: Mapping[str, str] = {"Retry-After": "1"}

    def __init__(self) -> None:
        super().__init__(retry_after_seconds=1)


class NotesConflict(Conflict):
    """The notes changed since the expected version."""

    code = "notes_conflict"
    is_final = False
    example: Mapping[str, Any] = {"current_version": "9f86d081884c7d65"}

    def __init__(self, current_version: str) -> None:
        super().__init__(
            "The notes have changed since the version you expected",
            current_readme_version=current_version,
        )


class VersionConflict(Conflict):
    """The resource changed since the expected version; `meta` has both versions."""

    code = "version_conflict"
    example: Mapping[str, Any] = {
        "expected": "9f86d081884c7d65",
        "current": "60303ae22b998861",
        "values": {"amount_cents": 5_000},
    }

    def __init__(
        self, expected: str | int, current: str | int, values: Mapping[str, JsonValue]
    ) -> None:
        listed = "; ".join(f"{name}: {value}" for name, value in values.items())
        super().__init__(
            f"This changed in the meantime. It is now {listed}. Review it and save again.",
            expected_version=expected,
            current_version=current,
            current=dict(values),
        )


class TagNameInUse(Conflict):
    """Another tag for the same type of item has the name, ignoring case."""

    code = "tag_name_taken"
    example: Mapping[str, Any] = {"existing_tag_id": UUID("01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e")}

    def __init__(self, existing_tag_id: UUID) -> None:
        super().__init__(
            "Another tag has this name. Merge the two instead", existing_tag_id=str(existing_tag_id)
        )


class ConversionEventExists(Conflict):
    """The project has a conversion event with this key, possibly deactivated: `meta` has its id."""

    code = "conversion_event_exists"
    example: Mapping[str, Any] = {
        "event_id": UUID("01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b"),
        "is_active": False,
    }

    def __init__(self, event_id: UUID, *, is_active: bool) -> None:
        super().__init__(
            "The project has a conversion event with this key"
            if is_active
            else "A deactivated conversion event has this key: reactivate it with PATCH"
            " is_active true",
            conversion_event_id=str(event_id),
            is_active=is_active,
        )


class AlreadyAssigned(Conflict):
    """Creators are assigned on days after the new start: `meta.creator_ids`."""

    code = "already_assigned"
    message = "Some creators are already assigned after this start"
    example: Mapping[str, Any] = {"creator_ids": [UUID("01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b")]}

    def __init__(self, creator_ids: Iterable[UUID]) -> None:
        super().__init__(creator_ids=[*map(str, creator_ids)])


class BudgetExceeded(Conflict):
    """Budgets that block assignments are used up: `meta.budgets`, names by id."""

    code = "budget_exceeded"
    example: Mapping[str, Any] = {"names": {UUID("01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b"): "Spring"}}

    def __init__(self, names: Mapping[UUID, str]) -> None:
        listed: dict[str, JsonValue] = {str(each): name for each, name in names.items()}
        super().__init__(f"Budget used up: {', '.join(names.values())}", budgets=listed)


class DisputeOpen(Conflict):
    """The amount has an unresolved dispute: `meta.dispute_id`."""

    code = "dispute_open"
    message = "This amount is already disputed"
    example: Mapping[str, Any] = {"dispute_id": UUID("01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b")}

    def __init__(self, dispute_id: UUID) -> None:
        super().__init__(dispute_id=str(dispute_id))


class NamesAccruals(Conflict):
    """The status of accruals does not allow the request: `meta.accrual_ids`."""

    example: Mapping[str, Any] = {"accrual_ids": [UUID("5a1f4b5e-9c7d-5e0a-8f10-2c4d5e6f7a8b")]}

    def __init__(self, accrual_ids: Iterable[UUID]) -> None:
        super().__init__(accrual_ids=[*map(str, accrual_ids)])
