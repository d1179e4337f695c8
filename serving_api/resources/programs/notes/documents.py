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

_NAMES = ("id", "organization_id", "project_id", "name", "created_at")


def _document(model: Any, edit_rule: EditRule, app_path: str, **others: Column) -> Document:
    """Return the definition of a kind; `others` are columns that its table names differently."""
    columns: dict[str, Any] = {name: getattr(model, name, None) for name in _NAMES} | others
    return Document(model=model, edit_rule=edit_rule, app_path=app_path, **columns)


_OF_PROJECT = "/projects/{project_id}"

DOCUMENTS: Mapping[str, Document] = {
    "organization": _document(
        Organization, "org_admin", "/organization", organization_id=Organization.id
    ),
    "project": _document(Project, "org_admin", "/projects/{id}", project_id=Project.id),
    "campaign": _document(Campaign, "write_scope", f"{_OF_PROJECT}/campaigns/{{id}}"),
    "creator": _document(
        Creator,
        "write_scope",
        f"{_OF_PROJECT}/creators/{{id}}",
        name=Creator.display_name,
        is_listed=Creator.is_active,
    ),
    "video": _document(
        VideoRow,
        "write_scope",
        f"{_OF_PROJECT}/videos/{{id}}",
        name=_VIDEO_NAME,
        is_listed=VideoRow.tracking_status != "excluded",
    ),
    "payout_method": _document(PayoutMethod, "org_admin", "/payout-methods/{id}"),
    "payout_structure": _document(
        PayoutStructure, "org_admin", f"{_OF_PROJECT}/payout-structures/{{id}}"
    ),
    "payout_payment": _document(
        PayoutPayment, "org_admin", f"{_OF_PROJECT}/payout-payments/{{id}}", name=_PAYMENT_NAME
    ),
    "member": _document(
        Member,
        "own_document",
        "/members/{id}",
        id=Member.user_id,
        name=_MEMBER_NAME,
        created_at=Member.joined_at,
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
