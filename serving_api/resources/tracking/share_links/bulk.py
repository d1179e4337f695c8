"""Share links of many creators in one request. Unknown creators are skipped."""

from collections import Counter
from collections.abc import Iterator
from itertools import repeat
from uuid import UUID

from serving_api.errors import InvalidBody
from serving_api.kit.request_context import WriteContext
from serving_api.resources.tracking.share_links import presenter, repository, schemas
from serving_api.resources.tracking.share_links.pins import random_pin, set_pin
from serving_api.resources.tracking.share_links.service import replace, require_sections


def share_many(context: WriteContext, body: schemas.BulkShare) -> schemas.SharedMany:
    """Create or replace the links of creators; duplicate ids count once.

    Raises NoSections, and InvalidBody for a PIN without pin_mode `shared`.
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
            url=presenter.url_of(context.session, creator_id),
            pin=pin,
            sections=presenter.sections_of(link),
            status="updated" if creator_id in links else "created",
        )
    return _answer(
        [done.get(creator_id) or _skipped(creator_id) for creator_id in creator_ids], body
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
