"""Every error the API answers with, and its stable code (contract, Errors).

What belongs here: the tree below. How an error becomes a response is `error_handlers`; services
raise these and nothing else.

    ApiError
    ├── InvalidRequest 400            invalid_request
    │   ├── InvalidQuery              invalid_query
    │   ├── InvalidBody               invalid_body
    │   ├── InvalidParams             invalid_params
    │   ├── InvalidCursor             invalid_cursor
    │   ├── InvalidAccount            invalid_account
    │   ├── DuplicateAccount          duplicate_account
    │   ├── InvalidIdempotencyKey     invalid_idempotency_key
    │   ├── InvalidEntityType         invalid_entity_type
    │   ├── NotesTooLong              notes_too_long
    │   └── ActsAsNotMember           acts_as_not_member
    ├── Unauthorized 401              unauthorized
    │   ├── InvalidApiKey             invalid_api_key
    │   ├── KeyMemberRemoved          key_member_removed
    │   ├── KeyCreatorRemoved         key_creator_removed
    │   ├── KeyCreatorNotAdmin        key_creator_not_admin
    │   └── KeyCreatorBanned          key_creator_banned
    ├── LimitReached 402              limit_reached
    ├── RetentionExceeded 402         retention_exceeded
    ├── Forbidden 403                 forbidden
    │   ├── InsufficientScope         insufficient_scope
    │   ├── InsufficientRole          insufficient_role
    │   └── NotYourDocument           not_your_document
    ├── NotFound 404                  not_found
    │   └── RouteNotFound             route_not_found
    ├── MethodNotAllowed 405          method_not_allowed
    ├── Conflict 409                  conflict
    │   ├── AlreadyTracked            already_tracked
    │   ├── CreatorInactive           creator_inactive
    │   ├── HandleTaken               handle_taken
    │   ├── IdempotencyConflict       idempotency_conflict
    │   ├── IdempotencyInProgress     idempotency_in_progress
    │   ├── LostRace                  conflict
    │   ├── NotesConflict             notes_conflict
    │   ├── NotesBusy                 notes_busy
    │   └── LastAdmin                 last_admin
    ├── Gone 410                      gone
    │   └── ApiVersionRemoved         api_version_removed
    ├── PayloadTooLarge 413           payload_too_large
    ├── Unprocessable 422             unprocessable
    │   └── IdempotencyKeyReused      idempotency_key_reused
    ├── RateLimitExceeded 429         rate_limit_exceeded
    └── InternalError 500             internal_error
"""
# ruff: noqa: N818 - named after the codes of the contract, which carry no "error"

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self, TypedDict

from pydantic import JsonValue


class Issue(TypedDict):
    """One thing wrong with a request: the field's path (`accounts.0.handle`) and what is wrong."""

    path: str
    message: str


class ApiError(Exception):
    """An answer other than success. `meta` holds what the contract adds beside the code.

    `is_final` tells whether an Idempotency-Key keeps the answer: not where the same request may
    succeed a moment later. Classes with parameters of their own give an example in `sample`.
    """

    status = 500
    code = "internal_error"
    message = "Something went wrong on our side"
    is_final: ClassVar[bool] = True

    def __init__(self, message: str | None = None, **meta: JsonValue) -> None:
        self.message = message or self.message
        self.meta: dict[str, JsonValue] = meta
        super().__init__(self.message)

    @property
    def headers(self) -> Mapping[str, str]:
        """Response headers that go with the error."""
        return {}

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls()


class InvalidRequest(ApiError):
    """The request is malformed in a way that nothing more specific names."""

    status = 400
    code = "invalid_request"
    message = "The request is not valid"


class NamesFields(InvalidRequest):
    """A bad request that names the fields at fault in `meta.issues`."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        said = "; ".join(f"{issue['path']}: {issue['message']}" for issue in issues[:3])
        listed: list[JsonValue] = [
            {"path": issue["path"], "message": issue["message"]} for issue in issues
        ]
        super().__init__(f"{self.message}: {said}", issues=listed)

    @classmethod
    def at(cls, path: str, message: str) -> Self:
        """Return the error for a single field."""
        return cls([Issue(path=path, message=message)])

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls.at("field", "What is wrong with it")


class InvalidQuery(NamesFields):
    """A query parameter is unknown or has a bad value."""

    code = "invalid_query"
    message = "Invalid query parameters"


class InvalidBody(NamesFields):
    """The body is not JSON, has unknown fields or bad values."""

    code = "invalid_body"
    message = "Invalid request body"


class InvalidParams(NamesFields):
    """An id in the path, or a parameter of analytics, is not acceptable."""

    code = "invalid_params"
    message = "Invalid parameters"


class InvalidCursor(InvalidRequest):
    """The cursor was not made by this list, or was changed."""

    code = "invalid_cursor"
    message = "The cursor is not valid: pass meta.nextCursor unchanged, or start without one"


class InvalidAccount(InvalidRequest):
    """A handle or URL names no account; `meta.reason` says why."""

    code = "invalid_account"
    message = "This is not an account on the platform"


class DuplicateAccount(InvalidRequest):
    """One request names the same account twice."""

    code = "duplicate_account"
    message = "The same account is named twice in this request"


class InvalidIdempotencyKey(InvalidRequest):
    """The Idempotency-Key is empty or longer than 255 characters."""

    code = "invalid_idempotency_key"
    message = "An Idempotency-Key has 1 to 255 characters"


class InvalidEntityType(InvalidRequest):
    """No kind of thing of this name has notes."""

    code = "invalid_entity_type"
    message = "No such entity type has notes"


class NotesTooLong(InvalidRequest):
    """Notes past 50,000 characters."""

    code = "notes_too_long"
    message = "Notes can have at most 50,000 characters"


class ActsAsNotMember(InvalidRequest):
    """The user that a key is to act as is no member of the organization."""

    code = "acts_as_not_member"
    message = "acts_as_user_id must be a current member of the organization"


class Unauthorized(ApiError):
    """The caller is not known."""

    status = 401
    code = "unauthorized"
    message = "Authentication is required"

    @property
    def headers(self) -> Mapping[str, str]:
        """RFC 9110 asks every 401 to name the scheme."""
        return {"WWW-Authenticate": "Bearer"}


class InvalidApiKey(Unauthorized):
    """The key is missing, malformed, unknown, revoked or expired."""

    code = "invalid_api_key"
    message = "Send a valid API key: Authorization: Bearer svc_..."


class KeyMemberRemoved(Unauthorized):
    """The member that the key acts as left the organization."""

    code = "key_member_removed"
    message = "The member this key acts as is no longer in the organization"


class KeyCreatorRemoved(Unauthorized):
    """The admin who made the key for someone else left the organization."""

    code = "key_creator_removed"
    message = "The admin who created this key is no longer in the organization"


class KeyCreatorNotAdmin(Unauthorized):
    """The admin who made the key for someone else is an admin no longer."""

    code = "key_creator_not_admin"
    message = "The member who created this key is no longer an org admin"


class KeyCreatorBanned(Unauthorized):
    """The admin who made the key for someone else is banned."""

    code = "key_creator_banned"
    message = "The member who created this key is suspended"


class LimitReached(ApiError):
    """A limit of the plan: `meta.limitKey`, `current` and `max`."""

    status = 402
    code = "limit_reached"

    def __init__(self, limit_key: str, *, current: int, maximum: int) -> None:
        super().__init__(
            f"The plan's limit {limit_key} of {maximum} is reached",
            limitKey=limit_key,
            current=current,
            max=maximum,
        )

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls("max_accounts_per_org", current=10, maximum=10)


class RetentionExceeded(ApiError):
    """The dates asked for lie before the history that the plan keeps."""

    status = 402
    code = "retention_exceeded"
    message = "The plan does not reach back this far"


class Forbidden(ApiError):
    """The caller is known and may not do this."""

    status = 403
    code = "forbidden"
    message = "This is not allowed"


class InsufficientScope(Forbidden):
    """The key lacks a scope."""

    code = "insufficient_scope"

    def __init__(self, required: str, granted: Sequence[str]) -> None:
        super().__init__(
            f"This needs a key with the scope '{required}'",
            required=required,
            granted=list(granted),
        )

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls("write", ["read"])


class InsufficientRole(Forbidden):
    """The member that the key acts as is not an org admin."""

    code = "insufficient_role"

    def __init__(self) -> None:
        super().__init__(
            "This needs a key that acts as an org admin",
            required="org_admin",
        )


class NotYourDocument(Forbidden):
    """The notes of a member are written by that member alone."""

    code = "not_your_document"
    message = "Only the member itself can write its notes"


class NotFound(ApiError):
    """Absent, or in another organization: the two are not told apart."""

    status = 404
    code = "not_found"
    message = "Not found"

    @classmethod
    def named(cls, noun: str) -> "NotFound":
        """Return the error that says which kind of thing was not found."""
        return cls(f"{noun} not found")


class RouteNotFound(NotFound):
    """No endpoint has this path, whatever the method; `meta.hint` is the nearest that has one."""

    code = "route_not_found"

    def __init__(self, *, method: str, path: str, hint: str | None) -> None:
        super().__init__(
            f"No endpoint has the path {path}",
            method=method,
            path=path,
            hint=hint,
            openapi="/api/v2/openapi.json",
        )

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls(method="GET", path="/api/v2/creatros", hint="/api/v2/creators")


class MethodNotAllowed(ApiError):
    """The path exists, the method does not; `Allow` lists those that do."""

    status = 405
    code = "method_not_allowed"

    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        self._allow = ", ".join(allowed)
        super().__init__(f"{method} is not supported here; {self._allow} is", allowed=list(allowed))

    @property
    def headers(self) -> Mapping[str, str]:
        """RFC 9110: a 405 says which methods there are."""
        return {"Allow": self._allow}

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls("PUT", ["GET"])


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


class LastAdmin(Conflict):
    """The organization would be left without an admin."""

    code = "last_admin"
    message = "An organization needs an admin: make another member admin first"


class Gone(ApiError):
    """An endpoint that was removed."""

    status = 410
    code = "gone"
    message = "This endpoint was removed"


class ApiVersionRemoved(Gone):
    """The first version of the API; `meta.successor` is the one that is served."""

    code = "api_version_removed"

    def __init__(self) -> None:
        super().__init__("Version 1 of the API was removed; use /api/v2", successor="/api/v2")

    @property
    def headers(self) -> Mapping[str, str]:
        """RFC 8288: where it went on."""
        return {"Link": '</api/v2>; rel="successor-version"'}


class PayloadTooLarge(ApiError):
    """The request's body is larger than the API reads."""

    status = 413
    code = "payload_too_large"
    message = "A request body has at most 5 MB"


class Unprocessable(ApiError):
    """The request is well formed and cannot be acted on."""

    status = 422
    code = "unprocessable"
    message = "This cannot be processed"


class IdempotencyKeyReused(Unprocessable):
    """The Idempotency-Key was used with another body."""

    code = "idempotency_key_reused"
    message = "This Idempotency-Key was used with another body"


class RateLimitExceeded(ApiError):
    """An allowance is used up: `meta.bucket` names it, `Retry-After` says until when (seconds)."""

    status = 429
    code = "rate_limit_exceeded"
    is_final = False

    def __init__(self, bucket: str, *, retry_after: int) -> None:
        self._retry_after = retry_after
        super().__init__(
            f"The allowance '{bucket}' is used up; try again in {retry_after} seconds",
            bucket=bucket,
            retryAfter=retry_after,
        )

    @property
    def headers(self) -> Mapping[str, str]:
        """RFC 9110: when to come back."""
        return {"Retry-After": str(self._retry_after)}

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls("apiKey", retry_after=12)


class InternalError(ApiError):
    """A fault of ours: `meta.request_id` finds it in the log."""
