"""Checks a simulation's body as the structure that it proposes would be checked."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.errors import InvalidBody, NotFound
from serving_api.kit.days import ONE_DAY, require_order
from serving_api.kit.request_context import RequestContext
from serving_api.resources.organization import projects
from serving_api.resources.payouts.simulations import schemas
from serving_api.resources.payouts.structures import service as structures
from serving_api.resources.payouts.structures import versions
from serving_api.resources.payouts.structures.repository import today_of, zone_of
from serving_api.resources.payouts.structures.rules import RULE
from serving_api.resources.programs.campaigns import service as campaigns
from warehouse.operational.campaign_reach import has_creator
from warehouse.operational.models import Creator, PayoutStructure, PayoutVersion
from warehouse.simulation.proposal import Proposal


def in_project(
    session: Session, organization_id: UUID, project_id: UUID, creators: Sequence[UUID]
) -> frozenset[UUID]:
    """Return the creators that belong to the project, including removed ones."""
    statement = select(Creator.id).where(
        Creator.organization_id == organization_id,
        Creator.project_id == project_id,
        Creator.id.in_(creators),
    )
    return frozenset(session.scalars(statement))


def of_campaign(
    session: Session, organization_id: UUID, campaign_id: UUID, most: int
) -> Sequence[UUID]:
    """Return up to `most` creators of a campaign, ordered by id."""
    statement = select(Creator.id).where(
        Creator.organization_id == organization_id, has_creator(organization_id, campaign_id)
    )
    return session.scalars(statement.order_by(Creator.id).limit(most)).all()


def proposal_of(context: RequestContext, body: schemas.Asked) -> Proposal:
    """Return what the body proposes.

    Raises NotFound, StructureShapeLocked, and InvalidBody where creating or changing the structure
    would, or beyond the limits of one simulation.
    """
    structure, version = _proposed(context, body)
    zone = zone_of(structure, context.caller.analytics_tz)
    _require_past(body, today_of(context.session, structure, context.caller.analytics_tz))
    return Proposal(
        organization_id=context.organization_id,
        project_id=structure.project_id,
        version={name: getattr(version, name) for name in RULE},
        creators=_creators(context, structure, body),
        from_day=body.from_day,
        to_day=body.to_day,
        zone=zone,
    )


def _proposed(
    context: RequestContext, body: schemas.Asked
) -> tuple[PayoutStructure, PayoutVersion]:
    """Return the structure and its proposed version, both unsaved."""
    if body.structure is not None and body.structure_id is None and body.rule is None:
        project = projects.require(
            context.session, context.organization_id, body.structure.project_id
        )
        structure = PayoutStructure(organization_id=context.organization_id, project_id=project.id)
        with _about("structure"):
            return structure, versions.first(context, structure, body.structure)
    if body.structure is None and body.structure_id is not None and body.rule is not None:
        structure = structures.require(context, body.structure_id)
        with _about("rule"):
            return structure, versions.following(context, structure, body.rule)
    raise InvalidBody.at("structure", "send either structure, or structure_id and rule")


@contextmanager
def _about(field: str) -> Iterator[None]:
    """Prefix the field of a rule's error with its place in the body."""
    try:
        yield
    except InvalidBody as error:
        raise error.inside(field) from None


def _require_past(body: schemas.Asked, today: date) -> None:
    require_order(body.from_day, body.to_day, InvalidBody)
    if body.to_day > today:
        raise InvalidBody.at(
            "to", f"must not be after today ({today}): future days cannot be simulated"
        )
    if body.to_day - body.from_day >= body.most_days * ONE_DAY:
        raise InvalidBody.at(
            "to", f"at most {body.most_days} days: split the range into several requests"
        )


def _creators(
    context: RequestContext, structure: PayoutStructure, body: schemas.Asked
) -> Sequence[UUID]:
    """Return the creators to simulate.

    Raises NotFound, and InvalidBody for too large a campaign.
    """
    if body.creator_ids is not None and body.campaign_id is None:
        return _named(context, structure, body.creator_ids)
    if body.creator_ids is None and body.campaign_id is not None:
        return _of_campaign(context, structure, body.campaign_id, body.most_creators)
    raise InvalidBody.at("creator_ids", "send either creator_ids or campaign_id")


def _named(
    context: RequestContext, structure: PayoutStructure, creator_ids: Sequence[UUID]
) -> Sequence[UUID]:
    creators = list(dict.fromkeys(creator_ids))
    known = in_project(context.session, context.organization_id, structure.project_id, creators)
    if missing := [str(creator) for creator in creators if creator not in known]:
        raise NotFound("Creators not found in this project", not_found_ids=[*missing])
    return creators


def _of_campaign(
    context: RequestContext, structure: PayoutStructure, campaign_id: UUID, most: int
) -> Sequence[UUID]:
    campaign = campaigns.require_campaign(context, campaign_id)
    if campaign.project_id != structure.project_id:
        raise InvalidBody.at("campaign_id", "must be a campaign of the structure's project")
    creators = of_campaign(context.session, context.organization_id, campaign.id, most + 1)
    if len(creators) > most:
        message = f"has more than {most} creators: send creator_ids for some of them"
        raise InvalidBody.at("campaign_id", message)
    return creators
