"""Create, list and revoke API keys; `auth.keys` decides whether a key works."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import ActsAsNotMember, InsufficientScope, InvalidBody, LimitReached
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, lock_own, rows_of
from serving_api.resources.organization import organizations
from serving_api.resources.organization.api_keys import repository, schemas
from serving_api.resources.organization.api_keys.repository import status_of
from serving_api.resources.organization.members import repository as members
from warehouse.clock import system_clock
from warehouse.operational import models
from warehouse.operational.api_keys import new_api_key
from warehouse.operational.models import ApiKey


def list_keys(
    context: RequestContext, organization_id: UUID, query: PageQuery
) -> Page[schemas.ApiKey]:
    """Return a page of the organization's keys, newest first. Raises NotFound."""
    context.caller.require_organization(organization_id)
    statement = rows_of(models.ApiKey, organization_id)
    page_slice = read_slice(
        context.session, statement, repository.NEWEST_FIRST.of(organization_id), query
    )
    return page_slice.page(lambda rows: _present(context.session, organization_id, rows))


def create(
    context: WriteContext, organization_id: UUID, body: schemas.NewApiKey
) -> schemas.CreatedApiKey:
    """Create a key. Its text is only in this answer.

    Its creator is that of the calling key, so that a chain of keys ends with the person it depends
    on. Raises NotFound, InsufficientScope, ActsAsNotMember, InvalidBody and LimitReached.
    """
    context.caller.require_organization(organization_id)
    now = system_clock()
    _require_own_scopes(context.caller, body)
    organizations.lock(context.session, organization_id)
    members.require_admin_still(context)
    acts_as = _acting_member(context, organization_id, body)
    if body.expires_at is not None and body.expires_at <= now:
        raise InvalidBody.at("expires_at", "must be in the future")
    _make_room(context, now)
    text, key_hash, prefix = new_api_key()
    key = models.ApiKey(
        organization_id=organization_id,
        name=body.name,
        key_hash=key_hash,
        key_prefix=prefix,
        scopes=body.scopes,
        acts_as_user_id=acts_as,
        created_by_user_id=context.caller.maker_id,
        status="active",
        expires_at=body.expires_at,
    )
    context.session.add(key)
    context.session.flush()
    return schemas.CreatedApiKey(
        **dict(_present(context.session, organization_id, [key])[0]), key=text
    )


def revoke(context: WriteContext, organization_id: UUID, key_id: UUID) -> None:
    """Revoke a key permanently. Can be repeated. Raises NotFound."""
    context.caller.require_organization(organization_id)
    key = lock_own(context, ApiKey, key_id, "API key", key_share=False)
    if key.status != "revoked":
        key.status = "revoked"
        key.revoked_at = system_clock()


def _require_own_scopes(caller: Principal, body: schemas.NewApiKey) -> None:
    missing = [scope for scope in body.scopes if scope not in caller.scopes]
    if missing:
        refusal = InsufficientScope(", ".join(missing), sorted(caller.scopes))
        refusal.meta["required"] = [*missing]
        raise refusal


def _acting_member(context: RequestContext, organization_id: UUID, body: schemas.NewApiKey) -> UUID:
    """Return the user that the key acts as.

    Raises ActsAsNotMember, InvalidBody for an admin scope.
    """
    user_id = body.acts_as_user_id or context.caller.user_id
    member = members.find(context.session, organization_id, user_id)
    if member is None:
        raise ActsAsNotMember
    if "admin" in body.scopes and member.role != "admin":
        raise InvalidBody.at("scopes", "'admin' requires a key that acts as an org admin")
    return user_id


def _make_room(context: RequestContext, now: datetime) -> None:
    current = repository.count_active(context.session, context.organization_id, now)
    maximum = context.caller.plan.max_api_keys_per_org
    if current >= maximum:
        raise LimitReached("max_api_keys_per_org", current=current, maximum=maximum)


def _present(
    session: Session, organization_id: UUID, rows: Sequence[models.ApiKey]
) -> list[schemas.ApiKey]:
    organization = organizations.require(session, organization_id)
    people = repository.involved(session, organization_id, rows)
    now = system_clock()

    def person(user_id: UUID) -> dict[str, object]:
        return {"user_id": user_id, "display_name": people[user_id].display_name}

    def present(row: models.ApiKey) -> schemas.ApiKey:
        suspended = organization.is_suspended
        status, reason = status_of(row, people, is_suspended=suspended, now=now)
        return from_row(
            schemas.ApiKey,
            row,
            acts_as=person(row.acts_as_user_id),
            created_by=person(row.created_by_user_id),
            status=status,
            deactivation_reason=reason,
        )

    return [present(row) for row in rows]
