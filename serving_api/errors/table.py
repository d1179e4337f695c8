"""Errors without fields: code, message, and a meaning where it says more than the message."""

from serving_api.errors.base import (
    ApiError,
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    Unauthorized,
    Unprocessable,
)
from serving_api.errors.conflicts import NamesAccruals

# 400
InvalidCursor = InvalidRequest.define(
    "invalid_cursor",
    "The cursor is not valid: pass meta.nextCursor unchanged, or start without one",
    "The cursor is not from this list, or was modified.",
)
InvalidAccount = InvalidRequest.define(
    "invalid_account",
    "This is not an account on the platform",
    "A handle or URL is not an account; `meta.reason` has the reason.",
)
DuplicateAccount = InvalidRequest.define(
    "duplicate_account", "The same account is named twice in this request"
)
InvalidIdempotencyKey = InvalidRequest.define(
    "invalid_idempotency_key", "Idempotency-Key must have 1 to 255 characters"
)
TagTypeMismatch = InvalidRequest.define(
    "tag_type_mismatch", "Only tags for the same type of item can be merged"
)
InvalidEntityType = InvalidRequest.define("invalid_entity_type", "This entity type has no notes")
NotesTooLong = InvalidRequest.define("notes_too_long", "Notes can have at most 50,000 characters")
InvalidPin = InvalidRequest.define("invalid_pin", "A PIN must be a string of exactly 4 digits")
NoSections = InvalidRequest.define(
    "no_sections",
    "Choose at least one section: analytics or payouts",
    "A share page would have no sections.",
)
ActsAsNotMember = InvalidRequest.define(
    "acts_as_not_member", "acts_as_user_id must be a current member of the organization"
)

# 401
InvalidApiKey = Unauthorized.define(
    "invalid_api_key",
    "Send a valid API key: Authorization: Bearer svc_...",
    "The key is missing, malformed, unknown, revoked or expired.",
)
KeyMemberRemoved = Unauthorized.define(
    "key_member_removed", "The member this key acts as is no longer in the organization"
)
KeyCreatorRemoved = Unauthorized.define(
    "key_creator_removed",
    "The admin who created this key is no longer in the organization",
    "The admin who created the key for another member left the organization.",
)
KeyCreatorNotAdmin = Unauthorized.define(
    "key_creator_not_admin",
    "The member who created this key is no longer an org admin",
    "The admin who created the key for another member is no longer an admin.",
)
KeyCreatorBanned = Unauthorized.define(
    "key_creator_banned",
    "The member who created this key is suspended",
    "The admin who created the key for another member is banned.",
)

# 403
NotAnAdmin = Forbidden.define(
    "forbidden",
    "This requires a key that acts as an org admin",
    "Like InsufficientRole, with the code that the contract has for icons.",
)
CreatorBanned = Forbidden.define(
    "creator_banned",
    "The platform has banned this account",
    "The platform banned the account, according to its latest profile fetch.",
)
NotYourDocument = Forbidden.define("not_your_document", "Only the member can write these notes")

# 404
CreatorNotFound = NotFound.define("creator_not_found", "Creator not found in the project")
AccountNotFound = NotFound.define("account_not_found", "Account not found in the project")
VideoNotFound = NotFound.define(
    "video_not_found", "Video not found", "The organization has no such video."
)
ConversionEventNotFound = NotFound.define(
    "conversion_event_not_found", "Conversion event not found in the project"
)

# 409
AlreadyTracked = Conflict.define(
    "already_tracked",
    Conflict.message,
    "The project already tracks this handle: `meta` names the account and its creator.",
)
CreatorInactive = Conflict.define("creator_inactive", "The creator was removed")
HandleInUse = Conflict.define(
    "handle_taken",
    "Another account in the project has this handle",
    "Another account of the project, possibly a removed one, has the handle.",
)
AlreadyDeactivated = Conflict.define(
    "already_deactivated",
    "This is already deactivated",
    "The account, the creator, or the account's creator is already deactivated.",
)
NotDeactivated = Conflict.define(
    "not_deactivated", "This is not deactivated", "There is nothing to reactivate."
)
IdempotencyConflict = Conflict.define(
    "idempotency_conflict", "This Idempotency-Key was used for another endpoint. Use a new one"
)
LostRace = Conflict.define(
    Conflict.code,
    "A concurrent request changed the same resource. Try again",
    "A concurrent request created the same unique value or deleted a referenced row, or there was"
    " a deadlock.",
    is_final=False,
)
NotesBusy = Conflict.define(
    "notes_busy", "Another request is writing these notes. Try again", is_final=False
)
AutoAnnotation = Conflict.define("auto_annotation", "Automatic annotations cannot be changed")
LastAdmin = Conflict.define(
    "last_admin",
    "An organization needs an admin. Make another member an admin first",
    "The organization would have no admin.",
)
ConversionEventInactive = Conflict.define(
    "conversion_event_inactive",
    "The conversion event is deactivated",
    "The conversion event is deactivated and accepts no conversions.",
)
VideoUnattributed = Conflict.define(
    "video_unattributed", "The video is not in the project, or no account owns it"
)
DefaultMethod = Conflict.define(
    "default_method",
    "A default payout method cannot be deleted. Disable it instead",
    "A payout method that came with the organization can be disabled, not deleted.",
)
StructureShapeLocked = Conflict.define(
    "structure_shape_locked",
    "Creators were assigned, so period, cadence and criteria_type cannot change",
    "A structure that was ever assigned keeps its period, cadence and criteria type.",
)
StructureInUse = Conflict.define(
    "structure_in_use",
    "Creators were assigned. Archive the payout structure instead",
    "A structure that was ever assigned cannot be deleted.",
)
AccrualOpen = NamesAccruals.define(
    "accrual_open",
    "The accrual is not final yet",
    "The accrual's period has not ended or has not settled.",
)
AccrualHeld = NamesAccruals.define(
    "accrual_held", "The accrual is on hold because of anomalies. Release it first"
)
AccrualPaid = NamesAccruals.define(
    "accrual_paid",
    "The accrual is already in a payment",
    "The accrual is in a pending or paid payment.",
)
AccrualVoid = NamesAccruals.define("accrual_void", "The accrual is void")

# 402, 408, 414 and 431
RetentionExceeded = ApiError.define(
    "retention_exceeded",
    "The plan does not include history this old",
    "The requested dates are before the history that the plan includes.",
    status=402,
)
RequestTimeout = ApiError.define(
    "request_timeout",
    "The request did not arrive in time. Send it again",
    "The rest of a request did not arrive in time.",
    status=408,
    is_final=False,
)
UriTooLong = ApiError.define(
    "uri_too_long", "Path and query can have at most 8 KiB together", status=414
)
HeadTooLarge = ApiError.define(
    "headers_too_large",
    "A request can have at most 200 headers and 64 KiB of them",
    "Headers or trailers exceed the limit.",
    status=431,
)

# 422
IdempotencyKeyReused = Unprocessable.define(
    "idempotency_key_reused", "This Idempotency-Key was used with another body. Use a new one"
)
