"""The layout of settings pages, with the tabs that the member may see."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import Request, Response

from serving_api.desk.body_forms import BodyForm, Fields
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.project_pages import project_page
from serving_api.desk.sessions import PATH
from serving_api.kit.request_context import RequestContext

SETTINGS = f"{PATH}/projects/{{project_id}}/settings"

TABS = {
    "Team": (("Members", "", False), ("Organization", "/organization", True)),
    "Program": (("Goals", "/goals", False), ("Conversions", "/conversion-events", False)),
    "Money": (("Budgets", "/budgets", True), ("Payout methods", "/payout-methods", True)),
    "Sharing": (("Share links", "/share-links", True), ("Reports", "/reports", True)),
    "Connections": (
        ("Agents", "/apps", False),
        ("API keys", "/keys", True),
        ("Webhooks", "/webhooks", True),
    ),
}
"""Groups of tabs with their paths, and whether only org admins see them."""


@dataclass(frozen=True, slots=True)
class FormPage:
    """A settings page with a form of a body; `intro` explains what it makes.

    `seen` are the values that the form is filled in with, as JSON (see `desk.entered`).
    """

    tab: str
    title: str
    button: str
    form: BodyForm
    intro: str = ""
    seen: str = ""
    template: str = "desk_form.html"

    def show(
        self, request: Request, context: RequestContext, entered: Entered = NOTHING
    ) -> Response:
        return settings_page(request, context, self.template, self.tab, entered, form_page=self)

    def show_again(self, request: Request, context: RequestContext, fields: Fields) -> None:
        """Show errors raised from here on beside the fields."""
        show_again(request, fields, self.form.names, partial(self.show, request, context))


def settings_page(
    request: Request,
    context: RequestContext,
    template: str,
    tab: str,
    entered: Entered = NOTHING,
    **values: Any,
) -> Response:
    """Return a settings page; `tab` is its name in TABS, unless it is a section of its own."""
    is_admin = context.caller.is_org_admin
    return project_page(
        request,
        template,
        values.pop("room", "Settings"),
        entered=entered,
        tabs={
            group: visible
            for group, tabs in TABS.items()
            if (visible := [tab[:2] for tab in tabs if is_admin or not tab[2]])
        },
        tab=tab,
        is_admin=is_admin,
        **values,
    )
