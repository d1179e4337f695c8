"""A form is taken once, however often it is sent: pressed twice, or loaded anew.

Each page gives its forms a number. Number, fields and address are an Idempotency-Key: what is sent
again is answered as it was the first time, also while that is under way. Other fields on the same
page are another form. What was refused is validated again.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Depends, Request, Response

from serving_api.auth import dependencies
from serving_api.auth.access import Access
from serving_api.desk.entry import ONCE, Entry, OwnFields
from serving_api.idempotency.idempotent_request import IdempotentRequest
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.services import services_of
from warehouse.operational.models import IdempotencyOutcome

_NOT_STORED = {"content-length"}


def writes(access: Access) -> Any:
    """Return the dependency that gives a caller a request context that may write, once a form."""

    def context(
        request: Request,
        made: Annotated[WriteContext, dependencies.writes(access)],
        fields: OwnFields,
    ) -> Iterator[WriteContext]:
        idempotent_request = idempotent_request_of(request, made.caller, fields)
        with idempotent_request.within(made.session) if idempotent_request else nullcontext():
            yield made

    return Depends(context, scope="function")


Reader = Annotated[RequestContext, dependencies.reads(Entry("read"))]
AdminReader = Annotated[RequestContext, dependencies.reads(Entry("read", org_admin=True))]
ReadingAdmin = Annotated[RequestContext, dependencies.reads(Entry("admin"))]
Writer = Annotated[WriteContext, writes(Entry("write"))]
AdminWriter = Annotated[WriteContext, writes(Entry("write", org_admin=True))]
Admin = Annotated[WriteContext, writes(Entry("admin"))]


def idempotent_request_of(
    request: Request, caller: Principal, fields: Mapping[str, str]
) -> IdempotentRequest | None:
    """Return the idempotent request that a form is, None where its page gave it no number."""
    if not fields.get(ONCE):
        return None
    identity = [str(caller.user_id), str(request.url), sorted(fields.items())]
    sent = sha256(json.dumps(identity).encode()).digest()
    # The answer may have a secret that is shown once: it is read with the number that the page has.
    encryption, purpose = services_of(request).encryption, f"desk.once.{fields[ONCE]}"

    def response() -> Response:
        answer: Response = request.state.answer
        text = encryption.encrypt(_written(answer), purpose)
        return Response(text, answer.status_code)

    def replay(outcome: IdempotencyOutcome) -> Response:
        return _read(encryption.decrypt(outcome.response_body, purpose), outcome.status)

    return IdempotentRequest(
        organization_id=caller.organization_id,
        key=f"form {sent.hex()}",
        endpoint=f"{request.method} {request.url.path}",
        request_hash=sent,
        secrets=(),
        response=response,
        refusal_of=lambda _error: None,
        replay=replay,
        waits=True,
    )


def _written(answer: Response) -> str:
    headers = {name: value for name, value in answer.headers.items() if name not in _NOT_STORED}
    return json.dumps({"headers": headers, "body": b64encode(bytes(answer.body)).decode()})


def _read(text: str, status: int) -> Response:
    answer = json.loads(text)
    return Response(b64decode(answer["body"]), status, answer["headers"])
