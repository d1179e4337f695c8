"""`/me`."""

from fastapi import APIRouter

from serving_api.auth.dependencies import Reader
from serving_api.kit.envelope import Envelope
from serving_api.kit.sessions import ReadDb
from serving_api.openapi import answers
from serving_api.resources.me import schemas, service

router = APIRouter(tags=["me"])


@router.get("/me", responses=answers())
def get_me(*, caller: Reader, session: ReadDb) -> Envelope[schemas.CurrentMember]:
    """Return the member that the key acts as."""
    return Envelope(data=service.current_member(caller, session))
