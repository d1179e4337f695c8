"""400 errors with fields in `meta`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self
from uuid import UUID

from pydantic import JsonValue

from serving_api.errors.base import InvalidRequest, Issue

MAX_ISSUES = 100
_LONGEST = 300
"""Characters of a path or message: an unknown field's name may be as long as the body."""


class NamesFields(InvalidRequest):
    """An invalid request with its fields in `meta.issues`, at most 100.

    `meta.more_issues` counts the others, including `more` that are not passed here.
    """

    example: Mapping[str, Any] = {"issues": [Issue(path="field", message="What is wrong with it")]}

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
        return cls([Issue(path=path, message=message)])

    def inside(self, field: str) -> Self:
        """Return the same error with its paths below a field."""
        return type(self)(
            [
                Issue(path=f"{field}.{issue['path']}", message=issue["message"])
                for issue in self.issues
            ]
        )


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


class SimulationTooLarge(InvalidBody):
    """The creators' posts have more readings than one simulation takes."""

    status = 422
    code = "simulation_too_large"
    message = "The simulation is too large"


class InvalidBatch(InvalidBody):
    """An invalid batch: `meta.index` is the position of the first invalid row."""

    example: Mapping[str, Any] = {
        "issues": [
            Issue(
                path="conversions.3.quantity", message="Input should be greater than or equal to 1"
            )
        ]
    }

    def __init__(self, issues: Sequence[Issue], *, more: int = 0) -> None:
        super().__init__(issues, more=more)
        positions = [part for issue in issues for part in issue["path"].split(".")[1:2]]
        at_fault = [int(position) for position in positions if position.isdecimal()]
        if at_fault:
            self.meta["index"] = min(at_fault)


class InvalidParams(NamesFields):
    """An id in the path, or a parameter of analytics, is invalid."""

    code = "invalid_params"
    message = "Invalid parameters"


class PayoutsRequired(InvalidRequest):
    """The request must decide about the creator's payouts: `meta.assignments` are active."""

    code = "payouts_required"
    example: Mapping[str, Any] = {"assignments": 1}

    def __init__(self, assignments: int) -> None:
        super().__init__(
            "The creator has payout structures assigned: send `payouts` as `pause` or `keep`",
            assignments=assignments,
        )


class ExistingVideosRequired(InvalidRequest):
    """The request must decide about frozen and stopped videos: `meta.frozen` and `meta.stopped`."""

    code = "existing_videos_required"
    example: Mapping[str, Any] = {"frozen": 12, "stopped": 0}

    def __init__(self, *, frozen: int, stopped: int) -> None:
        super().__init__(
            "Videos are frozen or stopped: send `existing_videos` as `resume`, `keep` or `stop`",
            frozen=frozen,
            stopped=stopped,
        )


class InvalidTagName(InvalidRequest):
    """Invalid tag names: `meta.invalid` lists each `input` and its `problem`."""

    code = "invalid_tag_name"
    example: Mapping[str, Any] = {"invalid": [("spring, summer", "must not contain a comma")]}

    def __init__(self, invalid: Sequence[tuple[str, str]]) -> None:
        listed: list[JsonValue] = [{"input": text, "problem": why} for text, why in invalid]
        super().__init__(f"A tag's name {invalid[0][1]}", invalid=listed)


class UnknownTagIds(InvalidRequest):
    """Ids that are not tags of this type: `meta.unknown_tag_ids`."""

    code = "unknown_tag_ids"
    message = "Some ids are not tags for this type of item"
    example: Mapping[str, Any] = {"unknown": [UUID("01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e")]}

    def __init__(self, unknown: Iterable[UUID]) -> None:
        super().__init__(unknown_tag_ids=[*sorted(map(str, unknown))])


class ContentTypeMismatch(InvalidRequest):
    """The file is not of its `content_type`, is damaged, or has trailing bytes."""

    code = "content_type_mismatch"
    example: Mapping[str, Any] = {"content_type": "image/png"}

    def __init__(self, content_type: str) -> None:
        super().__init__(f"This is not a complete file of type {content_type}")
