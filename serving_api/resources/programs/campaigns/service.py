"""Read, create, change and delete campaigns; `endpoints` changes their members."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.errors import InsufficientRole
from serving_api.kit.counters import coverage_of
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.published import Published
from serving_api.kit.readme import readme_version, replace_readme
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, lock_own, require_own, rows_of
from serving_api.resources.analytics.annotations import service as annotations
from serving_api.resources.organization import projects
from serving_api.resources.programs.campaigns import repository, schemas
from serving_api.resources.programs.tags import tagging
from serving_api.resources.programs.tags.items import Labels, labels_of
from warehouse.operational import models


def list_campaigns(context: RequestContext, query: schemas.CampaignQuery) -> Page[schemas.Campaign]:
    """Return a page of the organization's campaigns, newest first."""
    statement = repository.filtered(context.session, context.organization_id, query)
    keyset = repository.NEWEST_FIRST.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(partial(present, context))


def read_campaign(context: RequestContext, campaign_id: UUID) -> schemas.CampaignDetail:
    """Return one campaign. Raises NotFound."""
    return _detail(context.session, context.marts, require_campaign(context, campaign_id))


def create(context: WriteContext, project_id: UUID, body: schemas.NewCampaign) -> schemas.Campaign:
    """Create a campaign. Raises NotFound for the project."""
    projects.require(context.session, context.organization_id, project_id)
    campaign = models.Campaign(
        organization_id=context.organization_id, project_id=project_id, name=body.name, details={}
    )
    context.session.add(campaign)
    context.session.flush()
    return present(context, [campaign])[0]


def has_named(context: RequestContext, project_id: UUID, name: str) -> bool:
    named = rows_of(models.Campaign, context.organization_id).where(
        models.Campaign.project_id == project_id, models.Campaign.name == name
    )
    return context.session.scalar(select(named.exists())) is True


def change(
    context: WriteContext, campaign_id: UUID, changes: schemas.CampaignChanges
) -> schemas.CampaignDetail:
    """Change a campaign. Raises NotFound, NotesConflict and NotesTooLong."""
    campaign = lock_own(context, models.Campaign, campaign_id, "Campaign")
    changes.apply_to(campaign, "name", "target_views", "target_at")
    if changes.sends("readme"):
        replace_readme(context.session, campaign, changes.readme, changes.expected_readme_version)
    context.session.flush()
    return _detail(context.session, context.marts, campaign)


def delete(context: WriteContext, campaign_id: UUID) -> None:
    """Delete a campaign, its memberships, tags, annotations, budgets and reports.

    Raises NotFound, and InsufficientRole if it has budgets or reports and the caller is no admin.
    """
    campaign = lock_in_project(context, campaign_id)
    budgets = repository.lock_of(context.session, models.PayoutBudget, campaign)
    reports = repository.lock_of(context.session, models.ReportLink, campaign)
    if (budgets or reports) and not context.caller.is_org_admin:
        raise InsufficientRole(
            budget_ids=[str(budget.id) for budget in budgets],
            report_ids=[str(report.id) for report in reports],
        )
    for each in (*budgets, *reports):
        context.session.delete(each)
    tagging.clear(context.session, context.organization_id, "campaign", campaign.id)
    annotations.clear(context.session, context.organization_id, "campaign", campaign.id)
    repository.delete_with_memberships(context.session, campaign)


def require_campaign(context: RequestContext, campaign_id: UUID) -> models.Campaign:
    """Return the campaign's row. Raises NotFound."""
    return require_own(context, models.Campaign, campaign_id, "Campaign")


def lock_in_project(context: WriteContext, campaign_id: UUID) -> models.Campaign:
    """Lock the project and return the locked campaign. Raises NotFound.

    Membership changes are serialized in each project: two at once could close a cycle that neither
    sees, or add to a campaign that is being deleted.
    """
    projects.lock(context, require_campaign(context, campaign_id).project_id)
    return lock_own(context, models.Campaign, campaign_id, "Campaign")


def present(context: RequestContext, rows: Sequence[models.Campaign]) -> list[schemas.Campaign]:
    """Return campaigns as lists have them, with one query for all tags."""
    labels = labels_of(context.session, context.organization_id, [row.id for row in rows])
    return [_campaign(row, labels) for row in rows]


def _campaign(row: models.Campaign, labels: Labels) -> schemas.Campaign:
    return from_row(schemas.Campaign, row, tags=labels[row.id])


def _detail(session: Session, numbers: Published, row: models.Campaign) -> schemas.CampaignDetail:
    labels = labels_of(session, row.organization_id, [row.id])
    campaign = _campaign(row, labels)
    return schemas.CampaignDetail(
        **dict(campaign),
        view_coverage=coverage_of(numbers, row.organization_id, row.id),
        readme_version=readme_version(row.readme),
    )
