"""400: the request is invalid."""
# ruff: noqa: N818 - named after the codes of the contract, which carry no "error"

from collections.abc import Iterable, Sequence
from typing import Self
from uuid import UUID

from pydantic import JsonValue

from serving_api.errors.base import ApiError, Issue


class InvalidRequest(ApiError):
    """The request is invalid in a way that no other code describes."""

    status = 400
    code = "invalid_request"
    message = "The request is not valid"


MAX_ISSUES = 100
_LONGEST = 300
"""Characters of a path or message: an unknown field's name may be as long as the body."""


class NamesFields(InvalidRequest):
    """An invalid request with its fields in `meta.issues`, at most 100.

    `meta.more_issues` counts the others, including `more` that are not passed here.
    """

    def __init__(self, issues: Sequence[Issue], *, more: int = 0) -> None:
        named = [_cut(issue) for issue in issues[:MAX_ISSUES]]
        summary = "; ".join(f"{issue['path']}: {issue['message']}" for issue in named[:3])
        listed: list[JsonValue] = [
            {"path": issue["path"], "message": issue["message"]} for issue in named
        ]
        super().__init__(f"{self.message}: {summary}", issues=listed)
        self.issues = issues
        if unnamed := len(issues) - len(named) + more:
            self.meta["more_issues"] = unnamed

    @classmethod
    def at(cls, path: str, message: str) -> Self:
        """Return the error for one field."""
        return cls([Issue(path=path, message=message)])

    def inside(self, field: str) -> Self:
        """Return the same error with its paths below a field."""
        return type(self)(
            [
                Issue(path=f"{field}.{issue['path']}", message=issue["message"])
                for issue in self.issues
            ]
        )

    @classmethod
    def sample(cls) -> Self:
        return cls.at("field", "What is wrong with it")


def _cut(issue: Issue) -> Issue:
    return Issue(path=issue["path"][:_LONGEST], message=issue["message"][:_LONGEST])


class InvalidQuery(NamesFields):
    """A query parameter is unknown or invalid."""

    code = "invalid_query"
    message = "Invalid query parameters"


class InvalidBody(NamesFields):
    """The body is not JSON, or has unknown or invalid fields."""

    code = "invalid_body"
    message = "Invalid request body"


class InvalidBatch(InvalidBody):
    """An invalid batch: `meta.index` is the position of the first invalid row."""

    def __init__(self, issues: Sequence[Issue], *, more: int = 0) -> None:
        super().__init__(issues, more=more)
        positions = [part for issue in issues for part in issue["path"].split(".")[1:2]]
        at_fault = [int(position) for position in positions if position.isdecimal()]
        if at_fault:
            self.meta["index"] = min(at_fault)

    @classmethod
    def sample(cls) -> Self:
        return cls.at("conversions.3.quantity", "Input should be greater than or equal to 1")


class InvalidParams(NamesFields):
    """An id in the path, or a parameter of analytics, is invalid."""

    code = "invalid_params"
    message = "Invalid parameters"


class InvalidCursor(InvalidRequest):
    """The cursor is not from this list, or was modified."""

    code = "invalid_cursor"
    message = "The cursor is not valid: pass meta.nextCursor unchanged, or start without one"


class InvalidAccount(InvalidRequest):
    """A handle or URL is not an account; `meta.reason` has the reason."""

    code = "invalid_account"
    message = "This is not an account on the platform"


class DuplicateAccount(InvalidRequest):
    """The request contains the same account twice."""

    code = "duplicate_account"
    message = "The same account is named twice in this request"


class PayoutsRequired(InvalidRequest):
    """The request must decide about the creator's payouts: `meta.assignments` are active."""

    code = "payouts_required"

    def __init__(self, assignments: int) -> None:
        super().__init__(
            "The creator has payout structures assigned: send `payouts` as `pause` or `keep`",
            assignments=assignments,
        )

    @classmethod
    def sample(cls) -> Self:
        return cls(1)


class ExistingVideosRequired(InvalidRequest):
    """The request must decide about frozen and stopped videos: `meta.frozen` and `meta.stopped`."""

    code = "existing_videos_required"

    def __init__(self, *, frozen: int, stopped: int) -> None:
        super().__init__(
            "Videos are frozen or stopped: send `existing_videos` as `resume`, `keep` or `stop`",
            frozen=frozen,
            stopped=stopped,
        )

    @classmethod
    def sample(cls) -> Self:
        return cls(frozen=12, stopped=0)


class InvalidIdempotencyKey(InvalidRequest):
    """The Idempotency-Key is empty or longer than 255 characters."""

    code = "invalid_idempotency_key"
    message = "Idempotency-Key must have 1 to 255 characters"


class InvalidTagName(InvalidRequest):
    """Invalid tag names: `meta.invalid` lists each `input` and its `problem`."""

    code = "invalid_tag_name"

    def __init__(self, invalid: Sequence[tuple[str, str]]) -> None:
        listed: list[JsonValue] = [{"input": text, "problem": why} for text, why in invalid]
        super().__init__(f"A tag's name {invalid[0][1]}", invalid=listed)

    @classmethod
    def sample(cls) -> Self:
        return cls([("spring, summer", "must not contain a comma")])


class UnknownTagIds(InvalidRequest):
    """Ids that are not tags of this type: `meta.unknown_tag_ids`."""

    code = "unknown_tag_ids"

    def __init__(self, unknown: Iterable[UUID]) -> None:
        listed: list[JsonValue] = [*sorted(map(str, unknown))]
        super().__init__("Some ids are not tags for this type of item", unknown_tag_ids=listed)

    @classmethod
    def sample(cls) -> Self:
        return cls([UUID("01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e")])


class TagTypeMismatch(InvalidRequest):
    """Tags for different types of items cannot be merged."""

    code = "tag_type_mismatch"
    message = "Only tags for the same type of item can be merged"


class InvalidEntityType(InvalidRequest):
    """This entity type has no notes."""

    code = "invalid_entity_type"
    message = "This entity type has no notes"


class NotesTooLong(InvalidRequest):
    """The notes are longer than 50,000 characters."""

    code = "notes_too_long"
    message = "Notes can have at most 50,000 characters"


class InvalidPin(InvalidRequest):
    """The PIN is malformed."""

    code = "invalid_pin"
    message = "A PIN must be a string of exactly 4 digits"


class NoSections(InvalidRequest):
    """A share page would have no sections."""

    code = "no_sections"
    message = "Choose at least one section: analytics or payouts"


class ActsAsNotMember(InvalidRequest):
    """The user that a key should act as is not a member of the organization."""

    code = "acts_as_not_member"
    message = "acts_as_user_id must be a current member of the organization"


class ContentTypeMismatch(InvalidRequest):
    """The file is not of its `content_type`, is damaged, or has trailing bytes."""

    code = "content_type_mismatch"

    def __init__(self, content_type: str) -> None:
        super().__init__(f"This is not a complete file of type {content_type}")

    @classmethod
    def sample(cls) -> Self:
        return cls("image/png")
