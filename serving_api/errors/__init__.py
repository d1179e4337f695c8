"""Every error the API answers with, and its stable code (contract, Errors).

What belongs here: the tree below, a module for each kind of answer. How an error becomes a
response is `error_handlers`; services raise these and nothing else.

    ApiError
    ├── InvalidRequest 400            invalid_request
    │   ├── InvalidQuery              invalid_query
    │   ├── InvalidBody               invalid_body
    │   │   └── InvalidBatch          invalid_body
    │   ├── InvalidParams             invalid_params
    │   ├── InvalidCursor             invalid_cursor
    │   ├── InvalidAccount            invalid_account
    │   ├── DuplicateAccount          duplicate_account
    │   ├── PayoutsRequired           payouts_required
    │   ├── ExistingVideosRequired    existing_videos_required
    │   ├── InvalidIdempotencyKey     invalid_idempotency_key
    │   ├── InvalidEntityType         invalid_entity_type
    │   ├── InvalidTagName            invalid_tag_name
    │   ├── UnknownTagIds             unknown_tag_ids
    │   ├── TagTypeMismatch           tag_type_mismatch
    │   ├── NotesTooLong              notes_too_long
    │   ├── InvalidPin                invalid_pin
    │   ├── NoSections                no_sections
    │   ├── ContentTypeMismatch       content_type_mismatch
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
    │   ├── NotAnAdmin                forbidden
    │   ├── CreatorBanned             creator_banned
    │   ├── PlanFeatureUnavailable    plan_feature_unavailable
    │   └── NotYourDocument           not_your_document
    ├── NotFound 404                  not_found
    │   ├── CreatorNotFound           creator_not_found
    │   ├── AccountNotFound           account_not_found
    │   ├── VideoNotFound             video_not_found
    │   ├── ConversionEventNotFound   conversion_event_not_found
    │   └── RouteNotFound             route_not_found
    ├── MethodNotAllowed 405          method_not_allowed
    ├── Conflict 409                  conflict
    │   ├── AccrualHeld               accrual_held
    │   ├── AccrualOpen               accrual_open
    │   ├── AccrualPaid               accrual_paid
    │   ├── AccrualVoid               accrual_void
    │   ├── AlreadyAssigned           already_assigned
    │   ├── AlreadyTracked            already_tracked
    │   ├── AutoAnnotation            auto_annotation
    │   ├── BudgetExceeded            budget_exceeded
    │   ├── CreatorInactive           creator_inactive
    │   ├── DisputeOpen               dispute_open
    │   ├── HandleTaken               handle_taken
    │   ├── AlreadyDeactivated        already_deactivated
    │   ├── NotDeactivated            not_deactivated
    │   ├── IdempotencyConflict       idempotency_conflict
    │   ├── IdempotencyInProgress     idempotency_in_progress
    │   ├── LostRace                  conflict
    │   ├── NotesConflict             notes_conflict
    │   ├── VersionConflict           version_conflict
    │   ├── NotesBusy                 notes_busy
    │   ├── TagNameTaken              tag_name_taken
    │   ├── DefaultMethod             default_method
    │   ├── ConversionEventExists     conversion_event_exists
    │   ├── ConversionEventInactive   conversion_event_inactive
    │   ├── StructureInUse            structure_in_use
    │   ├── StructureShapeLocked      structure_shape_locked
    │   ├── VideoUnattributed         video_unattributed
    │   └── LastAdmin                 last_admin
    ├── Gone 410                      gone
    │   └── ApiVersionRemoved         api_version_removed
    ├── RequestTimeout 408            request_timeout
    ├── PayloadTooLarge 413           payload_too_large
    ├── UriTooLong 414                uri_too_long
    ├── Unprocessable 422             unprocessable
    │   ├── IdempotencyKeyReused      idempotency_key_reused
    │   ├── TooManyTags               too_many_tags
    │   └── TagVocabularyFull         tag_vocabulary_full
    ├── RateLimitExceeded 429         rate_limit_exceeded
    ├── HeadTooLarge 431              headers_too_large
    ├── InternalError 500             internal_error
    └── Unavailable 503               unavailable
        ├── Busy                      unavailable
        ├── OutdatedNumbers           unavailable
        └── NumbersNotHereYet         unavailable
"""

from serving_api.errors.base import *
from serving_api.errors.conflicts import *
from serving_api.errors.invalid import *
from serving_api.errors.limits import *
from serving_api.errors.missing import *
from serving_api.errors.payout_conflicts import *
from serving_api.errors.refused import *
from serving_api.errors.unprocessable import *
