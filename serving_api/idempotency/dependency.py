"""The Idempotency-Key as a dependency of the write session."""

from typing import Annotated

from fastapi import Depends, Request, Response
from fastapi.concurrency import run_in_threadpool

from serving_api.errors import ApiError, InvalidIdempotencyKey
from serving_api.http.error_handlers import refusal_of
from serving_api.idempotency.declaration import HEADER, MAX_LENGTH, declared_by
from serving_api.idempotency.idempotent_request import IdempotentRequest, fingerprint
from serving_api.kit.json_text import SMALL_BYTES
from serving_api.kit.threads import one_by_one


async def idempotent_request(request: Request) -> IdempotentRequest | None:
    """Return the idempotent request, or None without a key or declaration.

    Raises InvalidIdempotencyKey.
    """
    declared, key = declared_by(request.scope["endpoint"]), request.headers.get(HEADER)
    if declared is None or key is None:
        return None
    if not 0 < len(key) <= MAX_LENGTH:
        raise InvalidIdempotencyKey
    body, query = await request.body(), request.query_params.multi_items()
    in_a_thread = run_in_threadpool if len(body) <= SMALL_BYTES else one_by_one

    def response() -> Response:
        answer: Response = request.state.answer
        return answer

    def refusal(error: Exception) -> ApiError | None:
        return refusal_of(request, error)

    return IdempotentRequest(
        organization_id=request.state.caller.organization_id,
        key=key,
        endpoint=f"{request.method} {request.url.path}",
        request_hash=await in_a_thread(fingerprint, body, query),
        secrets=declared.secrets,
        response=response,
        refusal_of=refusal,
    )


MaybeIdempotent = Annotated[IdempotentRequest | None, Depends(idempotent_request)]
