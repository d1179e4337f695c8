"""Creators and campaigns of a project: their names, searching them, and choices of filters."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from uuid import UUID

from sqlalchemy import select

from serving_api.desk.forms import search_of
from serving_api.errors import Conflict, InvalidRequest, NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.leaderboards import repository
from serving_api.resources.payouts.structures.bonuses import bonus_day
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import CampaignQuery
from serving_api.resources.tracking.creators import service as creators
from serving_api.resources.tracking.creators.repository import filtered, is_named
from serving_api.resources.tracking.creators.schemas import Creator, CreatorDetail, CreatorQuery
from warehouse.operational import models

UNNAMED = "Creator without a name"


def names_of(context: RequestContext, creator_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return creators' names by id, including removed ones."""
    labels = repository.creators(context.session, context.organization_id, creator_ids)
    return {label.id: label.label or UNNAMED for label in labels.values()}


ON_A_PAGE = 25
MANY = 100
CHOSEN = "creator."
"""Prefix of a selected creator's field; the id follows."""


def creators_in(fields: Mapping[str, str]) -> list[UUID]:
    """Return the selected creators. Raises InvalidRequest."""
    try:
        return [UUID(name.removeprefix(CHOSEN)) for name in fields if name.startswith(CHOSEN)]
    except ValueError:
        raise InvalidRequest("Choose items on this page") from None


def search_creators(
    context: RequestContext,
    project_id: UUID,
    search: str,
    cursor: str | None,
    limit: int = ON_A_PAGE,
) -> Page[Creator]:
    """Return a project's creators whose name or handle contains the text, newest first."""
    query = CreatorQuery(
        project_id=project_id, search=search_of(search), limit=limit, cursor=cursor
    )
    return creators.list_creators(context, query)


def creators_matching(
    context: RequestContext, project_id: UUID, search: str, limit: int | None = None
) -> Sequence[UUID]:
    """Return the ids, sorted, of the creators on all pages of `search_creators`."""
    query = CreatorQuery(project_id=project_id, search=search_of(search))
    statement = filtered(context.session, context.organization_id, query)
    ids = statement.with_only_columns(models.Creator.id).order_by(models.Creator.id)
    return context.session.scalars(ids.limit(limit)).all()


def creators_named(context: RequestContext, project_id: UUID, search: str) -> Collection[UUID]:
    """Return a project's creators whose name or handle contains the text, removed ones too."""
    whose = context.organization_id
    owners = select(models.Account.creator_id).where(models.Account.organization_id == whose)
    statement = select(models.Creator.id).where(
        models.Creator.organization_id == whose,
        models.Creator.project_id == project_id,
        is_named(search, owners),
    )
    return context.session.scalars(statement).all()


@contextmanager
def naming_creators(context: RequestContext) -> Iterator[None]:
    """Add the names of affected creators to a Conflict, and raise it again."""
    try:
        yield
    except Conflict as error:
        ids = error.meta.get("creator_ids")
        if isinstance(ids, list) and ids:
            names = names_of(context, [UUID(str(creator_id)) for creator_id in ids])
            error.message = f"{error.message}: {', '.join(sorted(names.values()))}"
        raise


def creator_in(context: RequestContext, project_id: UUID, creator_id: UUID) -> CreatorDetail:
    """Return a project's creator. Raises NotFound."""
    creator = creators.read_creator(context, creator_id, include_pin=False)
    if creator.project_id != project_id:
        raise NotFound.named("Creator")
    return creator


def name_of(creator: Creator) -> str:
    return creator.display_name or creator.handle or UNNAMED


MOST_CAMPAIGNS = 100


def campaign_choices(
    context: RequestContext, project_id: UUID, chosen: UUID | None = None
) -> dict[str, str]:
    """Return the names of a project's latest campaigns, and of the chosen one, by id.

    Raises NotFound.
    """
    query = CampaignQuery(project_id=project_id, limit=MOST_CAMPAIGNS)
    listed = campaigns.list_campaigns(context, query).data
    names = {str(campaign.id): campaign.name for campaign in listed}
    if chosen and str(chosen) not in names:
        names[str(chosen)] = campaigns.read_campaign(context, chosen).name
    return names


MOST_RULES = 100


def rule_choices(
    context: RequestContext, project_id: UUID, *, is_active: bool | None = None
) -> dict[str, str]:
    """Return the names of a project's latest structures by id, without bonuses."""
    structure = models.PayoutStructure
    statement = select(structure.id, structure.name).where(
        structure.organization_id == context.organization_id,
        structure.project_id == project_id,
        bonus_day().is_(None),
    )
    if is_active is not None:
        statement = statement.where(structure.is_active == is_active)
    statement = statement.order_by(structure.created_at.desc(), models.PayoutStructure.id.desc())
    latest = context.session.execute(statement.limit(MOST_RULES))
    return {str(rule_id): name for rule_id, name in latest}
