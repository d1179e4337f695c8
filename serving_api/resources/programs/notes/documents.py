"""Kinds of entities with notes: an entry in DOCUMENTS adds one.

Only where a kind's notes are stored, who may write them, and their page belong here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, func, null, select, true

from serving_api.errors import ApiError, InsufficientRole, InvalidEntityType, NotYourDocument
from serving_api.kit.principals import Principal
from warehouse.operational.base import Noted
from warehouse.operational.models import (
    Campaign,
    Creator,
    Member,
    Organization,
    PayoutMethod,
    PayoutPayment,
    PayoutStructure,
    Project,
    User,
)
from warehouse.operational.models import Video as VideoRow

EditRule = Literal["org_admin", "write_scope", "own_document"]
"""Who may write: org admins, every key with the scope `write`, or only the member."""

Column = SQLColumnExpression[Any]

EVERY_ROW = true()
_NAME_LENGTH = 100


@dataclass(frozen=True, kw_only=True)
class Document:
    """How one kind of entity stores notes. `app_path` is formatted with id and project_id."""

    model: type[Noted]
    id: Column
    organization_id: Column
    name: Column
    created_at: Column
    edit_rule: EditRule
    app_path: str
    project_id: Column | None = None
    is_listed: Column = EVERY_ROW

    def refusal(self, caller: Principal, entity_id: UUID) -> ApiError | None:
        """Return the error if the caller may not write these notes, else None.

        Ignores the scope.
        """
        if self.edit_rule == "org_admin" and not caller.is_org_admin:
            return InsufficientRole()
        if self.edit_rule == "own_document" and entity_id != caller.user_id:
            return NotYourDocument()
        return None


_MEMBER_NAME = select(User.display_name).where(User.id == Member.user_id).scalar_subquery()
_VIDEO_NAME = func.coalesce(
    VideoRow.custom_title,
    func.left(func.split_part(func.btrim(VideoRow.caption), "\n", 1), _NAME_LENGTH),
)
_PAYMENT_NAME = func.coalesce(
    PayoutPayment.reference,
    func.concat(
        "Payment of ",
        func.to_char(PayoutPayment.amount_cents / Decimal(100), "FM999,999,999,999,990.00"),
        " ",
        PayoutPayment.currency,
    ),
)

DOCUMENTS: Mapping[str, Document] = {
    "organization": Document(
        model=Organization,
        id=Organization.id,
        organization_id=Organization.id,
        name=Organization.name,
        created_at=Organization.created_at,
        edit_rule="org_admin",
        app_path="/organization",
    ),
    "project": Document(
        model=Project,
        id=Project.id,
        organization_id=Project.organization_id,
        name=Project.name,
        created_at=Project.created_at,
        project_id=Project.id,
        edit_rule="org_admin",
        app_path="/projects/{id}",
    ),
    "campaign": Document(
        model=Campaign,
        id=Campaign.id,
        organization_id=Campaign.organization_id,
        name=Campaign.name,
        created_at=Campaign.created_at,
        project_id=Campaign.project_id,
        edit_rule="write_scope",
        app_path="/projects/{project_id}/campaigns/{id}",
    ),
    "creator": Document(
        model=Creator,
        id=Creator.id,
        organization_id=Creator.organization_id,
        name=Creator.display_name,
        created_at=Creator.created_at,
        project_id=Creator.project_id,
        is_listed=Creator.is_active,
        edit_rule="write_scope",
        app_path="/projects/{project_id}/creators/{id}",
    ),
    "video": Document(
        model=VideoRow,
        id=VideoRow.id,
        organization_id=VideoRow.organization_id,
        name=_VIDEO_NAME,
        created_at=VideoRow.created_at,
        project_id=VideoRow.project_id,
        is_listed=VideoRow.tracking_status != "excluded",
        edit_rule="write_scope",
        app_path="/projects/{project_id}/videos/{id}",
    ),
    "payout_method": Document(
        model=PayoutMethod,
        id=PayoutMethod.id,
        organization_id=PayoutMethod.organization_id,
        name=PayoutMethod.name,
        created_at=PayoutMethod.created_at,
        edit_rule="org_admin",
        app_path="/payout-methods/{id}",
    ),
    "payout_structure": Document(
        model=PayoutStructure,
        id=PayoutStructure.id,
        organization_id=PayoutStructure.organization_id,
        name=PayoutStructure.name,
        created_at=PayoutStructure.created_at,
        project_id=PayoutStructure.project_id,
        edit_rule="org_admin",
        app_path="/projects/{project_id}/payout-structures/{id}",
    ),
    "payout_payment": Document(
        model=PayoutPayment,
        id=PayoutPayment.id,
        organization_id=PayoutPayment.organization_id,
        name=_PAYMENT_NAME,
        created_at=PayoutPayment.created_at,
        project_id=PayoutPayment.project_id,
        edit_rule="org_admin",
        app_path="/projects/{project_id}/payout-payments/{id}",
    ),
    "member": Document(
        model=Member,
        id=Member.user_id,
        organization_id=Member.organization_id,
        name=_MEMBER_NAME,
        created_at=Member.joined_at,
        edit_rule="own_document",
        app_path="/members/{id}",
    ),
}
"""By `entity_type`, in the order of lists."""


def document_of(entity_type: str) -> Document:
    """Return the document definition of a kind of entity. Raises InvalidEntityType."""
    document = DOCUMENTS.get(entity_type)
    if document is None:
        raise InvalidEntityType(f"entity_type must be one of {', '.join(DOCUMENTS)}")
    return document


def project_of(document: Document) -> Column:
    """Return the project's column, or null for a kind that belongs to the organization."""
    return null() if document.project_id is None else document.project_id


def is_of(document: Document, organization_id: UUID, entity_id: UUID) -> ColumnElement[bool]:
    return and_(document.organization_id == organization_id, document.id == entity_id)
