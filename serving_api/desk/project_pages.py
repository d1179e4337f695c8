"""The layout of project pages: project, sections and user; and scripts of desk pages."""

from pathlib import Path
from typing import Any

from fastapi import Request, Response

from serving_api.desk.entered import NOTHING, Entered
from serving_api.desk.entry import layout_of
from serving_api.desk.periods import Period
from serving_api.desk.sessions import PATH
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


def project_page(request: Request, template: str, room: str, **values: Any) -> Response:
    """Return a page of a project; `room` is its section in ROOMS.

    Its status is that of the errors in its form or in the dates of its period.
    """
    entered: Entered = values.setdefault("entered", NOTHING)
    period: Period | None = values.get("period")
    has_comments = plan(request.state.scope.plan).comment_insights_enabled
    return page(
        template,
        status=max(entered.status, period.rejected.status if period else 0),
        layout=layout_of(request),
        scope=request.state.scope,
        rooms=[link for link in ROOMS if link[0] != "Comments" or has_comments],
        room=room,
        has_scripts=True,
        desk_script=FILES.address_of(SCRIPT),
        sought=values.pop("sought", ""),
        **values,
    )
