"""`/desk/projects/{project_id}/settings/conversion-events`: kinds of conversions."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import SEE_OTHER, OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in, text_of
from serving_api.desk.once import Reader, Writer
from serving_api.desk.routes import views
from serving_api.desk.rules.amounts import cents_in, hundredth_of
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.summary import dollars
from serving_api.resources.payouts.structures.rules import CURRENCY
from serving_api.resources.programs.conversion_events import service as conversion_events
from serving_api.resources.programs.conversion_events.schemas import (
    ConversionEvent,
    ConversionEventChanges,
    ConversionEventQuery,
    NewConversionEvent,
)

EVENTS = f"{SETTINGS}/conversion-events"
ONE = f"{EVENTS}/{{event_id}}"
VALUE = "default_value_cents"
NAMES = ("key", "name", "description", VALUE)


router = desk_router()


@router.get(EVENTS, dependencies=[views])
def show_events(request: Request, context: Reader, project_id: UUID) -> Response:
    """Show the conversion events and the form that adds one."""
    return _all(request, context, _listed(context, project_id), NOTHING)


@router.post(EVENTS, dependencies=[views])
def change_events(
    request: Request, context: Writer, project_id: UUID, fields: OwnFields
) -> Response:
    """Add, disable or enable a conversion event."""
    listed = _listed(context, project_id)
    show_again(request, fields, NAMES, partial(_all, request, context, listed))
    if "key" in fields:
        body = body_of(NewConversionEvent, key=fields["key"].strip(), **_entered_in(fields))
        conversion_events.create(context, project_id, body)
    else:
        action, [event_id, *_] = chosen_in(fields, ("stop", "resume"))
        changes = body_of(ConversionEventChanges, is_active=action == "resume")
        conversion_events.change(context, project_id, event_id, changes)
    return RedirectResponse(EVENTS.format(project_id=project_id), SEE_OTHER)


@router.get(ONE, dependencies=[views])
def show_event(request: Request, context: Reader, project_id: UUID, event_id: UUID) -> Response:
    """Show the form that changes a conversion event."""
    event = conversion_events.read_event(context, project_id, event_id)
    filled = {
        "name": event.name,
        "description": event.description or "",
        VALUE: hundredth_of(event.default_value_cents),
    }
    return _one(request, context, event, Entered(filled, {}))


@router.post(ONE, dependencies=[views])
def change_event(
    request: Request, context: Writer, project_id: UUID, event_id: UUID, fields: OwnFields
) -> Response:
    """Change a conversion event's name, description and default value."""
    event = conversion_events.read_event(context, project_id, event_id)
    show_again(request, fields, NAMES, partial(_one, request, context, event))
    changes = _entered_in(fields)
    if event.currency != CURRENCY:
        # The form has no field for other currencies; an omitted field stays unchanged.
        del changes[VALUE]
    body = body_of(ConversionEventChanges, **changes)
    conversion_events.change(context, project_id, event_id, body)
    return RedirectResponse(EVENTS.format(project_id=project_id), SEE_OTHER)


def _listed(context: RequestContext, project_id: UUID) -> Sequence[ConversionEvent]:
    query = ConversionEventQuery(include_inactive=True)
    return conversion_events.list_events(context, project_id, query)


def _entered_in(fields: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": fields.get("name"),
        "description": text_of(fields.get("description", "")),
        VALUE: cents_in(fields, VALUE) or 0,
    }


def _worth(event: ConversionEvent) -> str:
    """Return an event's default value as text."""
    cents = event.default_value_cents
    return dollars(cents) if event.currency == CURRENCY else f"{cents:,} cents of {event.currency}"


def _all(
    request: Request, context: RequestContext, events: Sequence[ConversionEvent], entered: Entered
) -> Response:
    values = {"events": events, "worth": _worth, "entered": entered, "status": entered.status}
    return settings_page(request, context, "desk_events.html", "Conversions", **values)


def _one(
    request: Request, context: RequestContext, event: ConversionEvent, entered: Entered
) -> Response:
    values = {"event": event, "worth": _worth, "entered": entered, "status": entered.status}
    return settings_page(request, context, "desk_event.html", "Conversions", **values)
