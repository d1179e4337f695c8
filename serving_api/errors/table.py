"""Errors without fields: code and sentence by status, and a meaning where it says more."""

from serving_api.errors.base import (
    ApiError,
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    Unauthorized,
    Unavailable,
    Unprocessable,
)
from serving_api.errors.conflicts import NamesAccruals

_of_400 = InvalidRequest.define
InvalidCursor = _of_400(
    "invalid_cursor",
    "The cursor is not valid: pass meta.nextCursor unchanged, or start without one",
)
InvalidAccount = _of_400(
    "invalid_account",
    "This is not an account on the platform",
    "A handle or URL is not an account; `meta.reason` has the reason.",
)
DuplicateAccount = _of_400("duplicate_account", "The same account is named twice in this request")
InvalidIdempotencyKey = _of_400(
    "invalid_idempotency_key", "Idempotency-Key must have 1 to 255 characters"
)
TagTypeMismatch = _of_400("tag_type_mismatch", "Only tags for the same type of item can be merged")
InvalidEntityType = _of_400("invalid_entity_type", "This entity type has no notes")
NotesTooLong = _of_400("notes_too_long", "Notes can have at most 50,000 characters")
InvalidPin = _of_400("invalid_pin", "A PIN must be a string of exactly 4 digits")
NoSections = _of_400("no_sections", "Choose at least one section: analytics or payouts")
ActsAsNotMember = _of_400(
    "acts_as_not_member", "acts_as_user_id must be a current member of the organization"
)

_of_401 = Unauthorized.define
InvalidApiKey = _of_401(
    "invalid_api_key",
    "Send a valid API key: Authorization: Bearer svc_...",
    "The key is missing, malformed, unknown, revoked or expired.",
)
KeyMemberRemoved = _of_401(
    "key_member_removed", "The member this key acts as is no longer in the organization"
)
KeyCreatorRemoved = _of_401(
    "key_creator_removed", "The admin who created this key is no longer in the organization"
)
KeyCreatorNotAdmin = _of_401(
    "key_creator_not_admin", "The member who created this key is no longer an org admin"
)
KeyCreatorBanned = _of_401("key_creator_banned", "The member who created this key is suspended")

_of_403 = Forbidden.define
NotAnAdmin = _of_403("forbidden", "This requires a key that acts as an org admin")  # of icons
CreatorBanned = _of_403("creator_banned", "The platform has banned this account")
NotYourDocument = _of_403("not_your_document", "Only the member can write these notes")

_of_404 = NotFound.define
CreatorNotFound = _of_404(
    "creator_not_found",
    "Creator not found in the project",
    "The creator of a conversion is not in the project. Elsewhere this is `not_found`.",
)
AccountNotFound = _of_404(
    "account_not_found",
    "Account not found in the project",
    "The account of a conversion is not in the project. Elsewhere this is `not_found`.",
)
VideoNotFound = _of_404(
    "video_not_found",
    "Video not found",
    "The video of a conversion does not exist. Elsewhere this is `not_found`.",
)
ConversionEventNotFound = _of_404(
    "conversion_event_not_found", "Conversion event not found in the project"
)

_of_409 = Conflict.define
AlreadyTracked = _of_409(
    "already_tracked",
    Conflict.message,
    "The project already tracks this handle: `meta` names the account and its creator.",
)
CreatorInactive = _of_409("creator_inactive", "The creator was removed")
HandleInUse = _of_409("handle_taken", "Another account in the project has this handle")
AlreadyDeactivated = _of_409("already_deactivated", "This is already deactivated")
NotDeactivated = _of_409("not_deactivated", "This is not deactivated")
IdempotencyConflict = _of_409(
    "idempotency_conflict", "This Idempotency-Key was used for another endpoint. Use a new one"
)
LostRace = _of_409(
    Conflict.code,
    "A concurrent request changed the same resource. Try again",
    is_final=False,
)
NotesBusy = _of_409(
    "notes_busy", "Another request is writing these notes. Try again", is_final=False
)
AutoAnnotation = _of_409("auto_annotation", "Automatic annotations cannot be changed")
LastAdmin = _of_409(
    "last_admin", "An organization needs an admin. Make another member an admin first"
)
ConversionEventInactive = _of_409(
    "conversion_event_inactive", "The conversion event is deactivated"
)
VideoUnattributed = _of_409(
    "video_unattributed", "The video is not in the project, or no account owns it"
)
DefaultMethod = _of_409(
    "default_method", "A default payout method cannot be deleted. Disable it instead"
)
StructureShapeLocked = _of_409(
    "structure_shape_locked",
    "Creators were assigned, so period, cadence and criteria_type cannot change",
)
StructureInUse = _of_409(
    "structure_in_use", "Creators were assigned. Archive the payout structure instead"
)

_of_accruals = NamesAccruals.define
AccrualOpen = _of_accruals("accrual_open", "The accrual is not final yet")
AccrualHeld = _of_accruals("accrual_held", "The accrual is on hold. Release it first")
AccrualPaid = _of_accruals("accrual_paid", "The accrual is already in a payment")
AccrualVoid = _of_accruals("accrual_void", "The accrual is void")

RetentionExceeded = ApiError.define(
    "retention_exceeded", "The plan does not include history this old", status=402
)
RequestTimeout = ApiError.define(
    "request_timeout",
    "The request did not arrive in time. Send it again",
    status=408,
    is_final=False,
)
UriTooLong = ApiError.define(
    "uri_too_long", "Path and query can have at most 8 KiB together", status=414
)
IdempotencyKeyReused = Unprocessable.define(
    "idempotency_key_reused", "This Idempotency-Key was used with another body. Use a new one"
)
HeadTooLarge = ApiError.define(
    "headers_too_large", "A request can have at most 200 headers and 64 KiB of them", status=431
)

_of_503 = Unavailable.define
Busy = _of_503(
    Unavailable.code, "The service is too busy; nothing was written. Try again", retry_after=2
)
OutdatedNumbers = _of_503(
    Unavailable.code,
    "The current numbers were computed by an earlier version, which lacks data of this endpoint."
    " The next pipeline run computes it",
    retry_after=300,
)
NumbersNotHereYet = _of_503(
    Unavailable.code, "This server is still fetching these numbers. Try again"
)
