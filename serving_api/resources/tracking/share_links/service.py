"""`/creators/{creator_id}/share-link` and `/share-links/bulk` (contract, Share links).

A removed creator has no link: its page is gone permanently.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import repeat
from typing import Annotated
from uuid import UUID

from fastapi import Body, Query

from serving_api.auth.dependencies import AdminReader, AdminWriter
from serving_api.errors import InvalidBody, InvalidPin, NoSections, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import require_row
from serving_api.openapi import answers
from serving_api.resources.tracking.creators import repository as creators
from serving_api.resources.tracking.share_links import repository, schemas
from serving_api.resources.tracking.share_links.schemas import random_pin, set_pin
from warehouse.operational.models import ShareLink
from warehouse.operational.session import WriteSession


def read(
    context: RequestContext, creator_id: UUID, *, include_pin: bool
) -> schemas.AnyShareLink | None:
    """Return a creator's link, or None. Raises NotFound for the creator.

    The PIN requires the scope `write`: raises InsufficientScope.
    """
    if include_pin:
        context.caller.require_scope("write")
    creators.require_active(context, creator_id)
    link = repository.find(context.session, context.organization_id, creator_id)
    if link is None:
        return None
    return repository.present(
        context.session, link, context.services.encryption if include_pin else None
    )


def put(
    context: WriteContext, creator_id: UUID, body: schemas.NewShareLink
) -> schemas.AnyShareLink:
    """Create or replace a creator's link, and enable it. Raises NotFound, NoSections."""
    require_sections(body)
    link = _locked(context, creator_id)
    link = replace(context.session, context.organization_id, creator_id, link, body)
    set_pin(link, body.pin or random_pin(), context.services.encryption)
    context.session.flush()
    return repository.present(context.session, link, context.services.encryption)


def change(
    context: WriteContext, creator_id: UUID, changes: schemas.ShareLinkChanges
) -> schemas.AnyShareLink:
    """Change a link; the answer has the PIN if it changed.

    Raises NotFound, NoSections, and InvalidBody for both `pin` and `regenerate_pin`.
    """
    pin = _new_pin(changes)
    link = require_row(_locked(context, creator_id), "Share link")
    for sent, column in _COLUMNS.items():
        if changes.sends(sent):
            setattr(link, column, getattr(changes, sent))
    require_sections(link)
    if pin is not None:
        set_pin(link, pin, context.services.encryption)
    context.session.flush()
    return repository.present(
        context.session, link, context.services.encryption if pin is not None else None
    )


def delete(context: WriteContext, creator_id: UUID) -> None:
    """Delete a creator's link if there is one. Raises NotFound for the creator."""
    link = _locked(context, creator_id)
    if link is not None:
        context.session.delete(link)


def replace(
    session: WriteSession,
    organization_id: UUID,
    creator_id: UUID,
    link: ShareLink | None,
    sections: schemas.Sections,
) -> ShareLink:
    """Return the link, created if missing, enabled and with these sections, still without a PIN."""
    if link is None:
        link = ShareLink(organization_id=organization_id, creator_id=creator_id)
        session.add(link)
    link.is_enabled = True
    link.show_analytics = sections.show_analytics
    link.show_payouts = sections.show_payouts
    return link


def require_sections(sections: schemas.Sections | ShareLink) -> None:
    """Raise NoSections if the page would be empty."""
    if not (sections.show_analytics or sections.show_payouts):
        raise NoSections


_COLUMNS = {
    "enabled": "is_enabled",
    "show_analytics": "show_analytics",
    "show_payouts": "show_payouts",
}


def _new_pin(changes: schemas.ShareLinkChanges) -> str | None:
    regenerates = changes.sends("regenerate_pin") and changes.regenerate_pin
    if not changes.sends("pin"):
        return random_pin() if regenerates else None
    if regenerates:
        raise InvalidBody.at("regenerate_pin", "send either pin or regenerate_pin")
    return changes.pin


def _locked(context: WriteContext, creator_id: UUID) -> ShareLink | None:
    """Return the link locked for update, or None. Raises NotFound for the creator."""
    organization_id = context.organization_id
    if not repository.lock_shareable(context.session, organization_id, [creator_id]):
        raise NotFound.named("Creator")
    return repository.lock_for_change(context.session, organization_id, [creator_id]).get(
        creator_id
    )


def _pins(body: schemas.BulkShare) -> Iterator[str]:
    """Return an iterator of PINs: a random one for each creator, or the same for all."""
    if body.pin_mode == "shared":
        return repeat(body.pin or random_pin())
    if body.pin is not None:
        raise InvalidBody.at("pin", "is only for pin_mode 'shared'")
    return iter(random_pin, None)


def _skipped(creator_id: UUID) -> schemas.Skipped:
    return schemas.Skipped(creator_id=creator_id, error="Creator not found")


def _answer(
    data: list[schemas.Shared | schemas.Skipped], body: schemas.BulkShare
) -> schemas.SharedMany:
    ended = Counter(entry.status for entry in data)
    meta = schemas.BulkMeta(
        created=ended["created"],
        updated=ended["updated"],
        skipped=ended["skipped"],
        pin_mode=body.pin_mode,
    )
    return schemas.SharedMany(data=data, meta=meta)


router = keyed_router("share links")

IncludePin = Annotated[bool, Query(description="Include the PIN. Requires the scope `write`")]


@router.get("/creators/{creator_id}/share-link")
def get_share_link(
    *, context: AdminReader, creator_id: UUID, include_pin: IncludePin = False
) -> Envelope[schemas.AnyShareLink | None]:
    """Return a creator's share link. The answer is null if there is none."""
    link = read(context, creator_id, include_pin=include_pin)
    return Envelope(data=link)


@router.post(
    "/creators/{creator_id}/share-link", status_code=201, responses=answers(InvalidPin, NoSections)
)
@idempotent(secrets=("pin",))
def put_share_link(
    *,
    context: AdminWriter,
    creator_id: UUID,
    body: Annotated[schemas.NewShareLink | None, Body()] = None,
) -> Envelope[schemas.OpenShareLink]:
    """Create or replace a creator's share link with a new PIN, and enable it.

    Visitors who unlocked the page have to enter the new PIN.
    """
    settings = body or schemas.NewShareLink()
    return Envelope(data=put(context, creator_id, settings))


@router.patch("/creators/{creator_id}/share-link", responses=answers(InvalidPin, NoSections))
def change_share_link(
    *, context: AdminWriter, creator_id: UUID, changes: schemas.ShareLinkChanges
) -> Envelope[schemas.AnyShareLink]:
    """Change a share link. A new PIN is in the answer, and visitors have to enter it."""
    return Envelope(data=change(context, creator_id, changes))


@router.delete("/creators/{creator_id}/share-link")
def delete_share_link(*, context: AdminWriter, creator_id: UUID) -> Envelope[Deleted]:
    """Delete a creator's share link, if there is one."""
    delete(context, creator_id)
    return Envelope(data=Deleted())


@router.post("/share-links/bulk", responses=answers(InvalidPin, NoSections))
@idempotent(secrets=("pin",))
def share_creators(*, context: AdminWriter, body: schemas.BulkShare) -> schemas.SharedMany:
    """Create or replace the share links of up to 200 creators. The answer has their PINs.

    Ids that are not creators of the organization are skipped.
    """
    require_sections(body)
    pins = _pins(body)
    creator_ids = list(dict.fromkeys(body.creator_ids))
    shareable = repository.lock_shareable(context.session, context.organization_id, creator_ids)
    links = repository.lock_for_change(context.session, context.organization_id, shareable)
    done: dict[UUID, schemas.Shared] = {}
    for creator_id in shareable:
        pin = next(pins)
        link = replace(
            context.session, context.organization_id, creator_id, links.get(creator_id), body
        )
        set_pin(link, pin, context.services.encryption)
        done[creator_id] = schemas.Shared(
            creator_id=creator_id,
            url=repository.url_of(context.session, creator_id),
            pin=pin,
            sections=repository.sections_of(link),
            status="updated" if creator_id in links else "created",
        )
    return _answer(
        [done.get(creator_id) or _skipped(creator_id) for creator_id in creator_ids], body
    )
