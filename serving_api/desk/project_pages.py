"""What surrounds the pages of a project: its name, its other pages, who is signed in."""

from typing import Any

from fastapi import Request, Response

from serving_api.desk.entry import layout_of
from serving_api.pages import page

ROOMS = (
    ("Overview", ""),
    ("Creators", "/creators"),
    ("Campaigns", "/campaigns"),
    ("Posts", "/posts"),
    ("Payouts", "/payouts"),
    ("Inbox", "/inbox"),
    ("Rule lab", "/rule-lab"),
    ("Health", "/health"),
    ("Settings", "/settings"),
)
"""The pages of a project and their paths, in the order in which they are shown."""


def project_page(request: Request, template: str, room: str, **values: Any) -> Response:
    """Return a page of a project, for who has got in; `room` is which of ROOMS it belongs to."""
    return page(
        template,
        layout=layout_of(request),
        place=request.state.place,
        rooms=ROOMS,
        room=room,
        **values,
    )
