"""`/desk/projects/{project_id}/settings/conversion-events`: kinds of conversions."""

import json
from functools import partial
from typing import Any
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.body_forms import BodyForm, Field
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, ShowForm, merged, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in
from serving_api.desk.once import Reader, Writer
from serving_api.desk.routes import views
from serving_api.desk.rules.words import cents_in
from serving_api.desk.settings.pages import SETTINGS, FormPage, settings_page
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
VALUE, TAB = "default_value_cents", "Conversions"
FORM = BodyForm(
    NewConversionEvent,
    Field(
        "key",
        "Key",
        "Your systems report it by this key. Use lower case; it cannot be changed.",
        most=63,
    ),
    Field("name", "Name"),
    Field("description", "Description"),
    Field(
        VALUE,
        "Value in dollars",
        "Default for conversions reported without a value. Leave empty for none.",
        read=lambda fields, name: cents_in(fields, name) or 0,
    ),
)


router = desk_router()


@router.get(EVENTS, dependencies=[views])
def show_events(request: Request, context: Reader, project_id: UUID) -> Response:
    return _all(request, context, project_id)(NOTHING)


@router.post(EVENTS, dependencies=[views])
def change_events(
    request: Request, context: Writer, project_id: UUID, fields: OwnFields
) -> Response:
    show_again(request, fields, FORM.names, _all(request, context, project_id))
    if "key" in fields:
        body = body_of(NewConversionEvent, **FORM.read(fields))
        conversion_events.create(context, project_id, body)
        words = "Event added."
    else:
        action, [event_id, *_] = chosen_in(fields, ("stop", "resume"))
        changes = body_of(ConversionEventChanges, is_active=action == "resume")
        conversion_events.change(context, project_id, event_id, changes)
        words = "Event stopped." if action == "stop" else "Event resumed."
    return redirect(EVENTS.format(project_id=project_id), words)


@router.get(ONE, dependencies=[views])
def show_event(request: Request, context: Reader, project_id: UUID, event_id: UUID) -> Response:
    event = conversion_events.read_event(context, project_id, event_id)
    page = _page_of(event)
    return page.show(request, context, Entered(page.form.filled(event), {}))


@router.post(ONE, dependencies=[views])
def change_event(
    request: Request, context: Writer, project_id: UUID, event_id: UUID, fields: OwnFields
) -> Response:
    """Change what was edited of a conversion event: its name, description or default value."""
    event = conversion_events.read_event(context, project_id, event_id)
    page = _page_of(event)
    page.show_again(request, context, fields)
    filled = page.form.filled(event)
    entered = merged(fields, filled)
    values = page.form.read(entered)
    if edited := {name: values[name] for name in values if entered[name] != filled[name]}:
        body = body_of(ConversionEventChanges, **edited)
        conversion_events.change(context, project_id, event_id, body)
    return redirect(EVENTS.format(project_id=project_id), "Event saved.")


def _page_of(event: ConversionEvent) -> FormPage:
    """Return the page that changes an event; a value in another currency stays unchanged."""
    form = FORM.without("key") if event.currency == CURRENCY else FORM.without("key", VALUE)
    worth = (
        f"Reported as {event.key}, worth {_worth(event)}. Recorded conversions keep their value."
    )
    return FormPage(TAB, event.name, "Save", form, worth, json.dumps(form.filled(event)))


def _worth(event: ConversionEvent) -> str:
    """Return an event's default value as text."""
    cents = event.default_value_cents
    return dollars(cents) if event.currency == CURRENCY else f"{cents:,} cents of {event.currency}"


def _all(request: Request, context: RequestContext, project_id: UUID) -> ShowForm:
    query = ConversionEventQuery(include_inactive=True)
    events = conversion_events.list_events(context, project_id, query)
    values: dict[str, Any] = {"events": events, "worth": _worth, "form": FORM}
    return partial(settings_page, request, context, "desk_events.html", TAB, **values)
