"""Forms are idempotent: a double click or a reload submits once.

Each rendered form has a unique number. Number, fields and URL make an idempotency key: a repeated
request gets the first response, and waits for it if it is in progress. Other fields make another
key. An error is not stored, so that the form can be submitted again.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Depends, Request, Response

from serving_api.auth import dependencies
from serving_api.auth.dependencies import Access
from serving_api.desk.entry import Entry, OwnFields
from serving_api.desk.project_pages import ONCE
from serving_api.idempotency.idempotent_request import IdempotentRequest
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.services import services_of
from warehouse.operational.models import IdempotencyOutcome

_NOT_STORED = {"content-length"}


def writes(access: Access) -> Any:
    """Return the dependency for a write context that is idempotent per form."""

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
    """Return the form's idempotent request, or None if the page has no number."""
    if not fields.get(ONCE):
        return None
    identity = [str(caller.user_id), str(request.url), sorted(fields.items())]
    sent = sha256(json.dumps(identity).encode()).digest()
    # The response may contain a secret that is shown once: only the form's number decrypts it.
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
