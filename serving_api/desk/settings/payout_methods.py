"""`/desk/projects/{project_id}/settings/payout-methods`: payout methods."""

from functools import partial
from typing import Any
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.body_forms import BodyForm, Field
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, ShowForm, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in
from serving_api.desk.once import AdminReader, AdminWriter
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, FormPage, settings_page
from serving_api.files.signed_urls import Files
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import lock_own
from serving_api.resources.payouts.methods import service as methods
from serving_api.resources.payouts.methods.schemas import (
    NewPayoutMethod,
    PayoutMethod,
    PayoutMethodChanges,
    PayoutMethodQuery,
)
from warehouse.operational.models import PayoutMethod as PayoutMethodRow

ON_A_PAGE, TAB = 50, "Payout methods"
METHODS = f"{SETTINGS}/payout-methods"
ONE = f"{METHODS}/{{payout_method_id}}"
FORM = BodyForm(NewPayoutMethod, Field("name", "Name"))


router = desk_router()


@router.get(METHODS, dependencies=[views])
def show_methods(request: Request, context: AdminReader, cursor: str | None = None) -> Response:
    return _all(request, context, cursor)(NOTHING)


@router.post(METHODS, dependencies=[views])
def change_methods(
    request: Request, context: AdminWriter, files: Files, project_id: UUID, fields: OwnFields
) -> Response:
    """Add, disable, enable or delete a payout method."""
    show_again(request, fields, FORM.names, _all(request, context, None))
    back, words = METHODS.format(project_id=project_id), "Method added."
    undo, ids = None, list[UUID]()
    if "name" in fields:
        methods.create(context, body_of(NewPayoutMethod, **FORM.read(fields)))
    else:
        action, ids = chosen_in(fields, ("disable", "enable", "delete"))
        method_id, words = ids[0], f"Method {action}d."
        undo = {"disable": "enable", "enable": "disable"}.get(action)
        if action == "delete":
            methods.delete(context, files, method_id)
        else:
            method = lock_own(context, PayoutMethodRow, method_id, "Payout method")
            changes = body_of(PayoutMethodChanges, is_active=action == "enable")
            if method.is_active == changes.is_active:
                undo, words = None, f"The method was already {action}d."
            methods.change(context, files, method_id, changes)
    return redirect(back, words, undo, ids)


@router.get(ONE, dependencies=[views])
def show_method(request: Request, context: AdminReader, payout_method_id: UUID) -> Response:
    method = methods.read_method(context, payout_method_id)
    return _page_of(method).show(request, context, Entered(FORM.filled(method), {}))


@router.post(ONE, dependencies=[views])
def rename_method(
    *,
    request: Request,
    context: AdminWriter,
    files: Files,
    project_id: UUID,
    payout_method_id: UUID,
    fields: OwnFields,
) -> Response:
    method = methods.read_method(context, payout_method_id)
    _page_of(method).show_again(request, context, fields)
    changes = body_of(PayoutMethodChanges, **FORM.read(fields))
    methods.change(context, files, payout_method_id, changes)
    return redirect(METHODS.format(project_id=project_id), "Method saved.")


def _all(request: Request, context: RequestContext, cursor: str | None) -> ShowForm:
    query = PayoutMethodQuery(include_disabled=True, limit=ON_A_PAGE, cursor=cursor)
    page = methods.list_methods(context, query)
    values: dict[str, Any] = {"form": FORM, "methods": page.data, "cursor": page.meta.nextCursor}
    return partial(settings_page, request, context, "desk_payout_methods.html", TAB, **values)


def _page_of(method: PayoutMethod) -> FormPage:
    return FormPage(TAB, method.name, "Save", FORM)
