"""409: the request conflicts with the current state."""
# ruff: noqa: N818 - named after the codes of the contract, which carry no "error"

from collections.abc import Mapping
from typing import Self
from uuid import UUID

from pydantic import JsonValue

from serving_api.errors.base import ApiError


class Conflict(ApiError):
    """The request conflicts with the current state."""

    status = 409
    code = "conflict"
    message = "This conflicts with the current state"


class AlreadyTracked(Conflict):
    """The project already tracks this handle: `meta` names the account and its creator."""

    code = "already_tracked"


class CreatorInactive(Conflict):
    """The creator was removed."""

    code = "creator_inactive"
    message = "The creator was removed"


class HandleInUse(Conflict):
    """Another account of the project, possibly a removed one, has the handle."""

    code = "handle_taken"
    message = "Another account in the project has this handle"


class AlreadyDeactivated(Conflict):
    """The account, the creator, or the account's creator is already deactivated."""

    code = "already_deactivated"
    message = "This is already deactivated"


class NotDeactivated(Conflict):
    """There is nothing to reactivate."""

    code = "not_deactivated"
    message = "This is not deactivated"


class IdempotencyConflict(Conflict):
    """The Idempotency-Key was used with another endpoint."""

    code = "idempotency_conflict"
    message = "This Idempotency-Key was used for another endpoint. Use a new one"


class IdempotencyInProgress(Conflict):
    """The first request with this Idempotency-Key is still in progress."""

    code = "idempotency_in_progress"
    retry_after_seconds = 1

    def __init__(self) -> None:
        super().__init__(
            "The first request with this Idempotency-Key is still in progress",
            retry_after_seconds=self.retry_after_seconds,
        )

    @property
    def headers(self) -> Mapping[str, str]:
        """Retry-After (RFC 9110)."""
        return {"Retry-After": str(self.retry_after_seconds)}


class LostRace(Conflict):
    """A concurrent request created the same unique value or deleted a referenced row.

    Also after a deadlock.
    """

    message = "A concurrent request changed the same resource. Try again"
    is_final = False


class NotesConflict(Conflict):
    """The notes changed since the expected version."""

    code = "notes_conflict"
    is_final = False

    def __init__(self, current_version: str) -> None:
        super().__init__(
            "The notes have changed since the version you expected",
            current_readme_version=current_version,
        )

    @classmethod
    def sample(cls) -> Self:
        return cls("9f86d081884c7d65")


class VersionConflict(Conflict):
    """The resource changed since the expected version; `meta` has both versions."""

    code = "version_conflict"

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

    @classmethod
    def sample(cls) -> Self:
        return cls("9f86d081884c7d65", "60303ae22b998861", {"amount_cents": 5_000})


class NotesBusy(Conflict):
    """Another request is writing the same notes; retry soon."""

    code = "notes_busy"
    message = "Another request is writing these notes. Try again"
    is_final = False


class TagNameInUse(Conflict):
    """Another tag for the same type of item has the name, ignoring case."""

    code = "tag_name_taken"

    def __init__(self, existing_tag_id: UUID) -> None:
        super().__init__(
            "Another tag has this name. Merge the two instead", existing_tag_id=str(existing_tag_id)
        )

    @classmethod
    def sample(cls) -> Self:
        return cls(UUID("01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e"))


class AutoAnnotation(Conflict):
    """The annotation is automatic and cannot be changed."""

    code = "auto_annotation"
    message = "Automatic annotations cannot be changed"


class LastAdmin(Conflict):
    """The organization would have no admin."""

    code = "last_admin"
    message = "An organization needs an admin. Make another member an admin first"


class ConversionEventExists(Conflict):
    """The project has a conversion event with this key, possibly deactivated: `meta` has its id."""

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
        return cls(UUID("01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b"), is_active=False)


class ConversionEventInactive(Conflict):
    """The conversion event is deactivated and accepts no conversions."""

    code = "conversion_event_inactive"
    message = "The conversion event is deactivated"


class VideoUnattributed(Conflict):
    """The video is in another project, or no account owns it."""

    code = "video_unattributed"
    message = "The video is not in the project, or no account owns it"
