"""`/user/organizations`."""

from fastapi import APIRouter

from serving_api.auth.dependencies import Admin
from serving_api.errors import InsufficientRole, InvalidBody
from serving_api.kit.envelope import Envelope
from serving_api.kit.sessions import WriteDb
from serving_api.openapi import answers
from serving_api.resources.organizations import schemas, service

router = APIRouter(tags=["organizations"])


@router.post(
    "/user/organizations", status_code=201, responses=answers(InsufficientRole, InvalidBody)
)
def create_organization(
    *, caller: Admin, session: WriteDb, body: schemas.NewOrganization
) -> Envelope[schemas.Organization]:
    """Create an organization whose admin is the acting member. Requires an org admin."""
    return Envelope(data=service.create(caller, session, body))
