"""What may happen to an organization."""

from serving_api.auth.principals import Principal
from serving_api.resources.organizations import schemas
from warehouse.operational.base import business_now
from warehouse.operational.models import Member
from warehouse.operational.organizations import add_organization
from warehouse.operational.session import WriteSession


def create(
    caller: Principal, session: WriteSession, body: schemas.NewOrganization
) -> schemas.Organization:
    """Make an organization on the free plan, with the acting member as its admin."""
    organization = add_organization(session, body.name, "free", body.analytics_tz)
    session.add(
        Member(
            organization_id=organization.id,
            user_id=caller.user_id,
            role="admin",
            joined_at=business_now(session),
        )
    )
    session.flush()
    return schemas.Organization.model_validate(organization, from_attributes=True)
