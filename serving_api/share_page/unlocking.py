"""Handling the PIN form."""

from collections.abc import Callable

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from serving_api.kit.services import services_of
from serving_api.resources.tracking.share_links.schemas import Pinned
from serving_api.share_page import pins
from serving_api.share_page.pins import ShareSessions, pin_form
from warehouse.clock import system_clock
from warehouse.operational.session import WriteSession

SEE_OTHER = 303


def try_pin(request: Request, lock: Callable[[WriteSession], Pinned], pin: str) -> Response:
    """Check the PIN of a link, which `lock` locks; start a session or show the form again."""
    services, now = services_of(request), system_clock()
    with services.store.write_session() as session:
        link = lock(session)
        outcome = pins.check_pin(link, pin.strip(), services.encryption, now)
    if outcome != "right":
        return pin_form(link, now, outcome)
    # Redirect, so that a reload does not submit the form again.
    unlocked = RedirectResponse(request.url.path, SEE_OTHER)
    services[ShareSessions].begin(unlocked, link)
    return unlocked
