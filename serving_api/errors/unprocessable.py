"""422: understood, and impossible all the same."""
# ruff: noqa: N818 - named after the codes of the contract, which carry no "error"

from serving_api.errors.base import ApiError


class Unprocessable(ApiError):
    """The request is well formed and cannot be acted on."""

    status = 422
    code = "unprocessable"
    message = "This cannot be processed"


class IdempotencyKeyReused(Unprocessable):
    """The Idempotency-Key was used with another body."""

    code = "idempotency_key_reused"
    message = "This Idempotency-Key was used with another body"
