"""Choices of the rule form."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from serving_api.desk.body_forms import BodyForm
from serving_api.desk.rules.forms import FORMS, KINDS, REPEATED_ROWS, SCOPE, rows_for, scopes_of
from serving_api.desk.rules.repeated_rows import RepeatedRows
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.structures.rules import CriteriaType
from serving_api.resources.payouts.structures.schemas import Structure
from serving_api.resources.programs.conversion_events import service as conversion_events
from serving_api.resources.programs.conversion_events.schemas import ConversionEventQuery
from serving_api.resources.tracking.accounts import service as accounts

WEEKDAYS: Mapping[str, str] = {
    "": "Monday",
    "2": "Tuesday",
    "3": "Wednesday",
    "4": "Thursday",
    "5": "Friday",
    "6": "Saturday",
    "7": "Sunday",
}


@dataclass(frozen=True, slots=True)
class Offers:
    """Choices by submitted value, and the number of rows.

    `is_new`: choices that cannot be changed later are included.
    """

    kind: CriteriaType
    rows: int
    scopes: Mapping[str, str]
    events: Mapping[str, str]
    is_new: bool
    weekdays: ClassVar[Mapping[str, str]] = WEEKDAYS

    @property
    def title(self) -> str:
        return KINDS[self.kind]

    @property
    def form(self) -> BodyForm:
        """The fields of the kind, without scope and rows."""
        return FORMS[self.kind]

    @property
    def repeated_rows(self) -> RepeatedRows | None:
        return REPEATED_ROWS.get(self.kind)

    @property
    def choices(self) -> Mapping[str, Mapping[str, str]]:
        """Labels of values, by the last part of their field's path."""
        own = {name.rpartition(".")[2]: labels for name, labels in self.form.choices.items()}
        return {**own, "conversion_event_id": self.events, SCOPE: self.scopes}


def offers_of(
    context: RequestContext,
    project_id: UUID,
    kind: CriteriaType,
    values: Mapping[str, str],
    structure: Structure | None = None,
) -> Offers:
    """Return the choices for a form with `values`; of accounts only the rule's own, if any."""
    account_id = structure.account_id if structure else None
    own = [accounts.read_account(context, account_id)] if account_id else []
    scopes = scopes_of(own)
    events = _events(context, project_id) if kind == "conversion" else {}
    return Offers(kind, rows_for(kind, values), scopes, events, is_new=structure is None)


def _events(context: RequestContext, project_id: UUID) -> dict[str, str]:
    """Return the project's conversion events, after an empty choice."""
    query = ConversionEventQuery(include_inactive=True)
    listed = conversion_events.list_events(context, project_id, query)
    return {"": "Choose", **{str(event.id): event.name for event in listed}}
