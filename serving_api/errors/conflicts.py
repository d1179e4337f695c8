"""409: the request is fine, but what is there stands against it."""
# ruff: noqa: N818 - named after the codes of the contract, which carry no "error"

from collections.abc import Iterable, Mapping
from typing import Self
from uuid import UUID

from pydantic import JsonValue

from serving_api.errors.base import ApiError


class Conflict(ApiError):
    """The request contradicts what is there."""

    status = 409
    code = "conflict"
    message = "This contradicts the present state"


class AlreadyTracked(Conflict):
    """The project tracks this handle already: `meta` names the account and its creator."""

    code = "already_tracked"


class CreatorInactive(Conflict):
    """The creator was removed."""

    code = "creator_inactive"
    message = "The creator was removed"


class HandleTaken(Conflict):
    """Another account of the project, maybe a removed one, has the handle."""

    code = "handle_taken"
    message = "Another account in the project has this handle"


class AlreadyDeactivated(Conflict):
    """The account, the creator, or the account's creator is deactivated already."""

    code = "already_deactivated"
    message = "This is deactivated already"


class NotDeactivated(Conflict):
    """There is nothing to reactivate."""

    code = "not_deactivated"
    message = "This is not deactivated"


class IdempotencyConflict(Conflict):
    """The Idempotency-Key was used with another endpoint."""

    code = "idempotency_conflict"
    message = "This Idempotency-Key was used for another endpoint"


class IdempotencyInProgress(Conflict):
    """The request that came first with this Idempotency-Key is not done yet."""

    code = "idempotency_in_progress"
    retry_after_seconds = 1

    def __init__(self) -> None:
        super().__init__(
            "The first request with this Idempotency-Key is still under way",
            retry_after_seconds=self.retry_after_seconds,
        )

    @property
    def headers(self) -> Mapping[str, str]:
        """When to ask for its outcome."""
        return {"Retry-After": str(self.retry_after_seconds)}


class LostRace(Conflict):
    """Two requests wanted the same unique thing at once, or waited for each other."""

    message = "Somebody else changed the same thing just now; try again"
    is_final = False


class NotesConflict(Conflict):
    """The notes changed since the version that the caller expected."""

    code = "notes_conflict"
    is_final = False

    def __init__(self, current_version: str) -> None:
        super().__init__(
            "The notes were changed in the meantime", current_readme_version=current_version
        )

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls("9f86d081884c7d65")


class NotesBusy(Conflict):
    """Somebody else is writing the same notes; the same request may succeed a moment later."""

    code = "notes_busy"
    message = "Somebody else is writing these notes; try again"
    is_final = False


class TagNameTaken(Conflict):
    """Another tag for the same type of item has the name, in some casing."""

    code = "tag_name_taken"

    def __init__(self, existing_tag_id: UUID) -> None:
        super().__init__(
            "Another tag has this name: merge the two instead", existing_tag_id=str(existing_tag_id)
        )

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls(UUID("01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e"))


class DefaultMethod(Conflict):
    """A payout method that came with the organization can be disabled, not deleted."""

    code = "default_method"
    message = "A default payout method can't be deleted: disable it with PATCH is_active false"


class AutoAnnotation(Conflict):
    """The annotation follows from what happened and can't be changed."""

    code = "auto_annotation"
    message = "Automatic annotations can't be changed"


class LastAdmin(Conflict):
    """The organization would be left without an admin."""

    code = "last_admin"
    message = "An organization needs an admin: make another member admin first"


class ConversionEventExists(Conflict):
    """The key is taken in the project, maybe by a deactivated event: `meta` names it."""

    code = "conversion_event_exists"

    def __init__(self, event_id: UUID, *, is_active: bool) -> None:
        super().__init__(
            "The project has a conversion event with this key"
            if is_active
            else "A deactivated conversion event has this key: reactivate it with PATCH"
            " is_active true",
            conversion_event_id=str(event_id),
            is_active=is_active,
        )

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls(UUID("01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b"), is_active=False)


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


class ConversionEventInactive(Conflict):
    """A deactivated conversion event takes no new conversions."""

    code = "conversion_event_inactive"
    message = "The conversion event is deactivated"


class VideoUnattributed(Conflict):
    """The video is in another project, or belongs to no account that could be credited."""

    code = "video_unattributed"
    message = "The video is not in the project, or no account owns it"


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


class AccrualPaid(NamesAccruals):
    """An accrual is in a payment that is pending or paid."""

    code = "accrual_paid"
    message = "The accrual is in a payment already"


class AccrualVoid(NamesAccruals):
    """An accrual was voided."""

    code = "accrual_void"
    message = "The accrual is void"
