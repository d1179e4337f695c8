"""The data model for clients: entities, their fields and relationships."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from inspect import cleandoc
from typing import Any, Literal

from pydantic import BaseModel, Field
from sqlalchemy import Table, inspect

from serving_api.auth.dependencies import ReadKey
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.analytics.annotations.schemas import Annotation
from serving_api.resources.comments.settings import CommentSettings
from serving_api.resources.organization.api_keys.schemas import ApiKey
from serving_api.resources.organization.invitations.service import Invitation
from serving_api.resources.organization.members.schemas import ListedMember
from serving_api.resources.organization.organizations import OrganizationDetail
from serving_api.resources.organization.projects import ProjectDetail
from serving_api.resources.payouts.accounts import PayoutAccount
from serving_api.resources.payouts.accruals.schemas import AccrualDetail
from serving_api.resources.payouts.assignments.schemas import Assignment
from serving_api.resources.payouts.methods.schemas import PayoutMethod
from serving_api.resources.payouts.payments.schemas import PaymentDetail
from serving_api.resources.payouts.structures.schemas import StructureDetail, Version
from serving_api.resources.programs.campaigns.schemas import CampaignDetail, CampaignItem
from serving_api.resources.programs.content_groups.schemas import ContentGroup
from serving_api.resources.programs.conversion_events.schemas import ConversionEvent
from serving_api.resources.programs.conversions.schemas import Conversion
from serving_api.resources.programs.goals.schemas import Goal
from serving_api.resources.programs.tags.schemas import Tag
from serving_api.resources.tracking.accounts.schemas import AccountDetail
from serving_api.resources.tracking.creators.schemas import CreatorDetail
from serving_api.resources.tracking.scrape_jobs import ScrapeJob
from serving_api.resources.tracking.share_links.schemas import ShareLink
from serving_api.resources.tracking.videos.schemas import VideoDetail
from warehouse.operational import models
from warehouse.operational.base import Base


class EntityField(BaseModel):
    """A field of an entity by its name in answers. `values` lists an enum's values."""

    name: str
    type: str = Field(description="uuid, string, integer, date, array of uuid, ...")
    nullable: bool
    values: list[str] | None
    description: str | None


class Relationship(BaseModel):
    """A field that holds the id of another entity (a member's id is its user_id)."""

    field: str
    entity: str
    kind: Literal["many_to_one"] = "many_to_one"
    required: bool


class Entity(BaseModel):
    """A kind of entity."""

    name: str
    description: str
    fields: list[EntityField]
    relationships: list[Relationship]


class DataModel(BaseModel):
    """All kinds of entities."""

    entities: list[Entity]


@dataclass(frozen=True, kw_only=True)
class EntityModels:
    """The table of an entity and its answer.

    `names` maps a stored reference to the field of the answer if their names differ.
    """

    stored: type[Base]
    answered: type[BaseModel]
    names: Mapping[str, str] = field(default_factory=dict)


ENTITIES: Mapping[str, EntityModels] = {
    "organization": EntityModels(stored=models.Organization, answered=OrganizationDetail),
    "member": EntityModels(stored=models.Member, answered=ListedMember),
    "invitation": EntityModels(stored=models.Invitation, answered=Invitation),
    "api_key": EntityModels(
        stored=models.ApiKey,
        answered=ApiKey,
        names={"acts_as_user_id": "acts_as.user_id", "created_by_user_id": "created_by.user_id"},
    ),
    "comment_settings": EntityModels(
        stored=models.CommentSettings, answered=CommentSettings, names={"organization_id": "org_id"}
    ),
    "project": EntityModels(
        stored=models.Project, answered=ProjectDetail, names={"organization_id": "org_id"}
    ),
    "creator": EntityModels(
        stored=models.Creator, answered=CreatorDetail, names={"organization_id": "org_id"}
    ),
    "account": EntityModels(
        stored=models.Account, answered=AccountDetail, names={"organization_id": "org_id"}
    ),
    "payout_method": EntityModels(
        stored=models.PayoutMethod, answered=PayoutMethod, names={"organization_id": "org_id"}
    ),
    "payout_structure": EntityModels(stored=models.PayoutStructure, answered=StructureDetail),
    "payout_version": EntityModels(stored=models.PayoutVersion, answered=Version),
    "payout_assignment": EntityModels(stored=models.PayoutAssignment, answered=Assignment),
    "payout_accrual": EntityModels(stored=models.PayoutPaymentAccrual, answered=AccrualDetail),
    "payout_payment": EntityModels(
        stored=models.PayoutPayment, answered=PaymentDetail, names={"organization_id": "org_id"}
    ),
    "payout_account": EntityModels(stored=models.PayoutAccount, answered=PayoutAccount),
    "share_link": EntityModels(stored=models.ShareLink, answered=ShareLink),
    "video": EntityModels(stored=models.Video, answered=VideoDetail),
    "content_group": EntityModels(
        stored=models.ContentGroup, answered=ContentGroup, names={"organization_id": "org_id"}
    ),
    "campaign": EntityModels(stored=models.Campaign, answered=CampaignDetail),
    "campaign_item": EntityModels(stored=models.CampaignItem, answered=CampaignItem),
    "tag": EntityModels(stored=models.Tag, answered=Tag),
    "annotation": EntityModels(stored=models.Annotation, answered=Annotation),
    "goal": EntityModels(stored=models.Goal, answered=Goal),
    "conversion_event": EntityModels(
        stored=models.ConversionEvent, answered=ConversionEvent, names={"organization_id": "org_id"}
    ),
    "conversion": EntityModels(stored=models.Conversion, answered=Conversion),
    "scrape_job": EntityModels(stored=models.ScrapeJob, answered=ScrapeJob),
}
"""Entities by name, in the order of the answer."""

OF_TABLE: Mapping[str, str] = {
    **{entity.stored.__tablename__: name for name, entity in ENTITIES.items()},
    models.User.__tablename__: "member",
}
"""Entities by table. Users appear only as members."""


JsonSchema = Mapping[str, Any]


@cache
def data_model() -> DataModel:
    return DataModel(entities=[_entity(name, known) for name, known in ENTITIES.items()])


def _entity(name: str, known: EntityModels) -> Entity:
    described = known.answered.model_json_schema(mode="serialization")
    definitions = described.get("$defs", {})
    fields = [_field(field, shape, definitions) for field, shape in described["properties"].items()]
    return Entity(
        name=name,
        description=" ".join(cleandoc(known.answered.__doc__ or "").split()),
        fields=fields,
        relationships=list(_relationships(known, {field.name for field in fields})),
    )


def _field(name: str, shape: JsonSchema, definitions: JsonSchema) -> EntityField:
    choices = [_resolved(choice, definitions) for choice in shape.get("anyOf", [shape])]
    kinds = [choice for choice in choices if choice.get("type") != "null"]
    return EntityField(
        name=name,
        type=" or ".join(dict.fromkeys(_type_of(kind, definitions) for kind in kinds)) or "null",
        nullable=len(kinds) < len(choices),
        values=next((list(kind["enum"]) for kind in kinds if "enum" in kind), None),
        description=shape.get("description"),
    )


def _resolved(shape: JsonSchema, definitions: JsonSchema) -> JsonSchema:
    reference = shape.get("$ref")
    resolved: JsonSchema = definitions[reference.rpartition("/")[2]] if reference else shape
    return resolved


def _type_of(shape: JsonSchema, definitions: JsonSchema) -> str:
    kind = str(shape.get("format") or shape.get("type") or "any").replace("date-time", "datetime")
    if kind != "array":
        return kind
    return f"array of {_type_of(_resolved(shape.get('items', {}), definitions), definitions)}"


def _relationships(known: EntityModels, field_names: set[str]) -> Iterator[Relationship]:
    """Yield the stored references that answers include."""
    table = inspect(known.stored).local_table
    assert isinstance(table, Table)  # noqa: S101 - every model has one
    for key in sorted(table.foreign_keys, key=lambda key_column: key_column.parent.name):
        column = key.parent
        field = known.names.get(column.name, column.name)
        entity = OF_TABLE.get(key.column.table.name)
        if entity and not column.primary_key and field.partition(".")[0] in field_names:
            yield Relationship(field=field, entity=entity, required=not column.nullable)


router = keyed_router("service")


@router.get("/schema", responses=answers())
def get_schema(*, _caller: ReadKey) -> Envelope[DataModel]:
    """Return the data model: entities, their fields and relationships."""
    return Envelope(data=data_model())
