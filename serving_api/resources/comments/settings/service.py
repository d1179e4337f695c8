"""An organization's comment settings: read and changed. They can be set on every plan."""

from serving_api.kit.errand import Errand, WriteErrand
from serving_api.resources.comments.settings import repository, schemas
from serving_api.resources.organization.organizations import repository as organizations
from warehouse.operational.comment_settings import effective_brand_terms
from warehouse.operational.models import CommentSettings, Organization
from warehouse.operational.models.organizations import DEFAULT_MIN_COMMENT_COUNT
from warehouse.plans import plan


def read(errand: Errand) -> schemas.CommentSettings:
    """Return the settings; the defaults where nothing was ever set."""
    organization = organizations.require(errand.session, errand.organization_id)
    return _shown(organization, repository.find(errand.session, organization.id))


def change(errand: WriteErrand, changes: schemas.CommentSettingsChanges) -> schemas.CommentSettings:
    """Change the settings; one request at a time, so that none undoes another's."""
    organization = organizations.lock(errand.session, errand.organization_id)
    settings = repository.find(errand.session, organization.id)
    if settings is None:
        settings = CommentSettings(organization_id=organization.id)
        errand.session.add(settings)
    for name in ("min_comment_count", "brand_terms", "competitor_terms"):
        if changes.sends(name):
            setattr(settings, name, getattr(changes, name))
    errand.session.flush()
    return _shown(organization, settings)


def _shown(organization: Organization, settings: CommentSettings | None) -> schemas.CommentSettings:
    brand_terms = settings.brand_terms if settings else []
    return schemas.CommentSettings(
        org_id=organization.id,
        org_name=organization.name,
        min_comment_count=settings.min_comment_count if settings else DEFAULT_MIN_COMMENT_COUNT,
        brand_terms=brand_terms,
        effective_brand_terms=effective_brand_terms(organization.name, brand_terms),
        competitor_terms=settings.competitor_terms if settings else [],
        plan=schemas.CommentPlan.model_validate(plan(organization.plan), from_attributes=True),
        updated_at=settings and settings.updated_at,
    )
