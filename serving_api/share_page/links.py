"""Open share links, and unlocking them with a PIN.

One statement and one error for every reason: an unknown creator, no link, a disabled link, a
removed creator and a suspended organization cannot be distinguished by response or time.
"""

from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from serving_api.errors import NotFound
from serving_api.kit.services import services_of
from serving_api.resources.tracking.share_links.schemas import Pinned
from serving_api.share_page import pins
from serving_api.share_page.pins import ShareSessions, pin_form
from warehouse.clock import system_clock
from warehouse.operational.models import Creator, Organization, ShareLink
from warehouse.operational.session import WriteSession

Link = TypeVar("Link")


def find_open(session: Session, creator_id: str) -> ShareLink:
    """Return an open page's link. Raises NotFound."""
    return known_of(session.scalar(_open(creator_id)))


def lock_open(session: WriteSession, creator_id: str) -> ShareLink:
    """Return an open page's link, locked. Raises NotFound."""
    return known_of(session.scalar(_open(creator_id).with_for_update(of=ShareLink)))


def _open(creator_id: str) -> Select[ShareLink]:
    return (
        select(ShareLink)
        .join(Creator, Creator.id == ShareLink.creator_id)
        .join(Organization, Organization.id == ShareLink.organization_id)
        .where(
            ShareLink.creator_id == id_of(creator_id),
            ShareLink.is_enabled,
            Creator.is_active,
            Organization.is_suspended.is_(False),
        )
    )


def id_of(text: str) -> UUID:
    """Return the id in a page's URL, accepting only its canonical form. Raises NotFound."""
    try:
        creator_id = UUID(text)
    except ValueError:
        raise _not_available() from None
    if str(creator_id) != text:
        raise _not_available()
    return creator_id


def known_of(link: Link | None) -> Link:
    """Return the link. Raises the same NotFound for every reason."""
    if link is None:
        raise _not_available()
    return link


def _not_available() -> NotFound:
    return NotFound("This page is not available. Ask the sender of the link.")


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
