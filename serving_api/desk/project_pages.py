"""The layout of project pages: project, sections and user; and scripts of desk pages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from fastapi import Request, Response
from markupsafe import Markup

from serving_api.desk.done import Done
from serving_api.desk.entered import NOTHING, Entered
from serving_api.desk.periods import Period
from serving_api.desk.sessions import FORM, PATH, DeskCookies, SignedIn, new_token
from serving_api.kit.services import services_of
from serving_api.page_files import PageFiles
from serving_api.pages import page
from warehouse.plans import plan

FILES_PATH = f"{PATH}/files"
PASSKEYS_SCRIPT = "passkeys.js"
SCRIPT = "desk.js"
"""Loaded by every project page."""

FILES = PageFiles(FILES_PATH, lambda: Path(__file__).parent.glob("static/*"))


ROOMS = (
    ("Overview", ""),
    ("Creators", "/creators"),
    ("Campaigns", "/campaigns"),
    ("Posts", "/posts"),
    ("Comments", "/comments"),
    ("Payouts", "/payouts"),
    ("Pay rules", "/settings/structures"),
    ("Inbox", "/inbox"),
    ("Rule lab", "/rule-lab"),
    ("Health", "/health"),
    ("Settings", "/settings"),
)
"""Sections of a project with their paths, in the order of the menu. Plans without comments have no
Comments section.
"""


DOCS: Mapping[str, str] = {
    "Creators": "docs/guides/fetch-schedule",
    "Campaigns": "docs/guides/pay-creators",
    "Posts": "docs/rules/counting",
    "Payouts": "docs/guides/pay-creators",
    "Pay rules": "docs/rules/money",
    "Inbox": "docs/guides/fetch-schedule",
    "Rule lab": "docs/rules/money",
    "Health": "docs/operations/monitor",
    "Payout methods": "docs/guides/pay-creators",
    "Budgets": "docs/guides/pay-creators",
    "Goals": "docs/rules/goals",
    "Share links": "docs/guides/share-pages",
    "Reports": "docs/guides/share-pages",
    "API keys": "docs/first-calls",
    "Agents": "docs/guides/mcp",
    "Webhooks": "docs/guides/webhooks",
}
"""Pages of the documentation by section or tab of the settings; others link DESK_GUIDE."""
DESK_GUIDE = "docs/guides/desk"


ONCE = "once"
"""The hidden field that makes each rendered form unique (see `desk.once`)."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Data for every page: the user, the form token, and what the last form did."""

    person: SignedIn
    form: str
    done: Done | None
    once: str = field(default_factory=new_token)

    @property
    def hidden(self) -> Markup:
        field = Markup('<input type="hidden" name="{}" value="{}">')
        return Markup("\n").join([field.format(FORM, self.form), field.format(ONCE, self.once)])


def layout_of(request: Request) -> Layout:
    cookies = services_of(request)[DeskCookies]
    form = cookies.form(cookies.token_of(request))
    done = getattr(request.state, "done", None) or cookies.done(request)
    return Layout(request.state.person, form, done)


def project_page(request: Request, template: str, room: str, **values: Any) -> Response:
    """Return a page of a project; `room` is its section in ROOMS.

    Its status is that of the errors in its form or in the dates of its period. What people did is
    in `staff_zone`, the organization's, which is the default of `zone`, that of numbers.
    """
    staff_zone = ZoneInfo(request.state.caller.analytics_tz)
    entered: Entered = values.setdefault("entered", NOTHING)
    period: Period | None = values.get("period")
    return page(
        template,
        status=max(entered.status, period.rejected.status if period else 0),
        staff_zone=staff_zone,
        **{"zone": staff_zone, **frame_of(request, room, values.get("tab")), **values},
    )


def frame_of(request: Request, room: str, tab: str | None = None) -> dict[str, Any]:
    """Return the values of `desk_project.html`, around a page or an error of a project."""
    docs_url = services_of(request).settings.docs_url
    docs_page = DOCS.get(tab or room, DESK_GUIDE)
    has_comments = plan(request.state.scope.plan).comment_insights_enabled
    return {
        "layout": layout_of(request),
        "scope": request.state.scope,
        "rooms": [link for link in ROOMS if link[0] != "Comments" or has_comments],
        "room": room,
        "docs": docs_url and f"{docs_url}{docs_page}.html",
        "has_scripts": True,
        "desk_script": FILES.address_of(SCRIPT),
        "sought": "",
    }
