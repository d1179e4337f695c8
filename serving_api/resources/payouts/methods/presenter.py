"""From a row to the payout method that clients see."""

from sqlalchemy.orm import Session

from serving_api.files.signed_urls import PATH
from serving_api.kit.sessions import ORIGIN
from serving_api.resources.payouts.methods import schemas
from warehouse.operational import models


def present(session: Session, method: models.PayoutMethod) -> schemas.PayoutMethod:
    """Return a payout method, its icon as an address."""
    icon = method.icon_path
    return schemas.PayoutMethod(
        id=method.id,
        org_id=method.organization_id,
        name=method.name,
        icon_url=None if icon is None else f"{session.info[ORIGIN]}{PATH}/{icon}",
        is_default=method.is_default,
        is_active=method.is_active,
        metadata=method.details,
        readme=method.readme,
        created_at=method.created_at,
    )
