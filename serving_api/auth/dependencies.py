"""What an endpoint's signature says of its caller.

`Reader`, `Writer` and `Admin` name the scope; `AdminReader` and `AdminWriter` also need an org
admin (decisions.md lists those); `PlatformAdmin` looks after all organizations; `AnyKey` is any
caller whose key is in force, `Myself` one that reads about itself.
"""

from typing import Annotated

from fastapi import Depends

from serving_api.auth.access import Access
from serving_api.auth.principals import Principal

Myself = Annotated[Principal, Depends(Access("read", own_notes=True))]
AnyKey = Annotated[Principal, Depends(Access())]
Reader = Annotated[Principal, Depends(Access("read"))]
Writer = Annotated[Principal, Depends(Access("write"))]
Admin = Annotated[Principal, Depends(Access("admin"))]
AdminReader = Annotated[Principal, Depends(Access("read", org_admin=True))]
AdminWriter = Annotated[Principal, Depends(Access("write", org_admin=True))]
PlatformAdmin = Annotated[Principal, Depends(Access("admin", platform_admin=True))]
