"""422: well-formed, but impossible."""
# ruff: noqa: N818 - named after the codes of the contract, which carry no "error"

from collections.abc import Iterable
from typing import Self
from uuid import UUID

from pydantic import JsonValue

from serving_api.errors.base import ApiError


class Unprocessable(ApiError):
    """The request is well-formed but cannot be processed."""

    status = 422
    code = "unprocessable"
    message = "This cannot be processed"


class IdempotencyKeyReused(Unprocessable):
    """The Idempotency-Key was used with another body."""

    code = "idempotency_key_reused"
    message = "This Idempotency-Key was used with another body. Use a new one"


class TooManyTags(Unprocessable):
    """Items would exceed `meta.max` tags; nothing was written."""

    code = "too_many_tags"

    def __init__(self, item_ids: Iterable[UUID], maximum: int) -> None:
        listed: list[JsonValue] = [*sorted(map(str, item_ids))]
        message = f"An item can have at most {maximum} tags"
        super().__init__(message, max=maximum, entity_ids=listed)

    @classmethod
    def sample(cls) -> Self:
        return cls([UUID("01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e")], 20)


class TagVocabularyFull(Unprocessable):
    """The organization has the maximum number of tags for this type of item."""

    code = "tag_vocabulary_full"

    def __init__(self, entity_type: str, *, current: int, maximum: int) -> None:
        super().__init__(
            f"There can be at most {maximum} tags for one type of item",
            entity_type=entity_type,
            current=current,
            max=maximum,
        )

    @classmethod
    def sample(cls) -> Self:
        return cls("creator", current=500, maximum=500)
