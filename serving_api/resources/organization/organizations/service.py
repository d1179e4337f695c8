"""What may happen to an organization."""

from uuid import UUID

from serving_api.kit.errand import Errand, WriteErrand
from serving_api.kit.readme import readme_version, replace_readme
from serving_api.resources.organization.organizations import repository, schemas
from serving_api.resources.payouts.structures import zones
from warehouse.operational import models
from warehouse.operational.base import business_now
from warehouse.operational.dated import set_zone
from warehouse.operational.organizations import add_organization


def create(errand: WriteErrand, body: schemas.NewOrganization) -> schemas.Organization:
    """Make an organization on the free plan, with the acting member as its admin."""
    organization = add_organization(errand.session, body.name, "free", body.analytics_tz)
    errand.session.add(
        models.Member(
            organization_id=organization.id,
            user_id=errand.caller.user_id,
            role="admin",
            joined_at=business_now(errand.session),
        )
    )
    errand.session.flush()
    return schemas.Organization.model_validate(organization, from_attributes=True)


def read_organization(errand: Errand, organization_id: UUID) -> schemas.OrganizationDetail:
    """Return the key's organization. Raises NotFound for any other."""
    errand.caller.require_organization(organization_id)
    return _detail(repository.require(errand.session, organization_id))


def change(
    errand: WriteErrand,
    organization_id: UUID,
    changes: schemas.OrganizationChanges,
) -> schemas.OrganizationDetail:
    """Change the key's organization; a zone is a dated decision (money.md M3, M15).

    Raises NotFound, NotesConflict and NotesTooLong.
    """
    errand.caller.require_organization(organization_id)
    organization = repository.lock(errand.session, organization_id)
    for name in ("name", "payout_settling_days"):
        if changes.sends(name):
            setattr(organization, name, getattr(changes, name))
    if changes.sends("readme"):
        replace_readme(
            errand.session, organization, changes.readme, changes.expected_readme_version
        )
    if changes.sends("analytics_tz"):
        zones.keep_zones(errand.session, organization, changes.analytics_tz)
        set_zone(errand.session, organization, changes.analytics_tz, business_now(errand.session))
    errand.session.flush()
    return _detail(organization)


def _detail(row: models.Organization) -> schemas.OrganizationDetail:
    shown = schemas.Organization.model_validate(row, from_attributes=True)
    return schemas.OrganizationDetail(**dict(shown), readme_version=readme_version(row.readme))
