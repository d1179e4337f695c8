"""Required access and working context in an endpoint's signature.

`Reader`, `Writer` and `Admin` name the scope; `AdminReader` and `AdminWriter` also require an org
admin (decisions.md lists those); `PlatformAdmin` manages all organizations. Each provides a request
context; `Reading...` and `Uploading...` provide a read context where others write.

`AnyKey` is any caller with a valid key, `ReadKey` one with the scope `read`, and `Myself` one that
reads about itself. They provide only the caller, without a session.
"""

from typing import Annotated, Any

from fastapi import Depends, Request

from serving_api.auth.access import Access
from serving_api.http.sessions import ReadDb, WriteDb
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.services import Numbers, services_of


def reads(access: Access) -> Any:
    async def context(
        request: Request,
        caller: Annotated[Principal, Depends(access)],
        session: ReadDb,
        numbers: Numbers,
    ) -> RequestContext:
        own = numbers.of(caller.organization_id)
        return RequestContext(caller, session, own, services_of(request))

    return Depends(context)


def writes(access: Access) -> Any:
    async def context(
        request: Request,
        caller: Annotated[Principal, Depends(access)],
        session: WriteDb,
        numbers: Numbers,
    ) -> WriteContext:
        return WriteContext(
            caller, session, numbers.of(caller.organization_id), services_of(request)
        )

    return Depends(context)


_admin = Access("admin")
_admin_writer = Access("write", org_admin=True)
_platform_admin = Access("admin", platform_admin=True)

Myself = Annotated[Principal, Depends(Access("read", own_notes=True))]
AnyKey = Annotated[Principal, Depends(Access())]
ReadKey = Annotated[Principal, Depends(Access("read"))]
Reader = Annotated[RequestContext, reads(Access("read"))]
Writer = Annotated[WriteContext, writes(Access("write"))]
Admin = Annotated[WriteContext, writes(_admin)]
ReadingAdmin = Annotated[RequestContext, reads(_admin)]
AdminReader = Annotated[RequestContext, reads(Access("read", org_admin=True))]
AdminWriter = Annotated[WriteContext, writes(_admin_writer)]
UploadingAdmin = Annotated[RequestContext, reads(_admin_writer)]
PlatformAdmin = Annotated[WriteContext, writes(_platform_admin)]
ReadingPlatformAdmin = Annotated[RequestContext, reads(_platform_admin)]
