"""`/organizations/{organization_id}/api-keys`; `auth.keys` decides whether a key works."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Admin, ReadingAdmin
from serving_api.errors import ActsAsNotMember, InsufficientScope, InvalidBody, LimitReached
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import Keyset, PageQuery, read_slice
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import count_rows, from_row, lock_own, rows_of
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.organization import organizations
from serving_api.resources.organization.api_keys import schemas
from serving_api.resources.organization.api_keys.schemas import Reason, Status
from serving_api.resources.organization.members import repository as members
from warehouse.clock import system_clock
from warehouse.operational import models
from warehouse.operational.api_keys import new_api_key
from warehouse.operational.models import ApiKey, Member, User

NEWEST_FIRST = Keyset(ApiKey.created_at, ApiKey.id, "api-keys")


@dataclass(frozen=True, slots=True)
class Involved:
    """A user as its API keys need it. No role means no member."""

    display_name: str
    is_banned: bool
    role: str | None


def count_active(context: RequestContext, now: datetime) -> int:
    """Return how many keys count towards the plan's limit: not revoked, deactivated or expired."""
    active = rows_of(ApiKey, context.organization_id).where(ApiKey.status == "active")
    unexpired = or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > now)
    return count_rows(context.session, active.where(unexpired))


def involved(
    session: Session, organization_id: UUID, keys: Iterable[ApiKey]
) -> Mapping[UUID, Involved]:
    """Return the users that keys act as and that created them by id, by one query."""
    ids = {user_id for key in keys for user_id in (key.acts_as_user_id, key.created_by_user_id)}
    statement = (
        select(User.id, User.display_name, User.is_banned, Member.role)
        .outerjoin(
            Member, and_(Member.user_id == User.id, Member.organization_id == organization_id)
        )
        .where(User.id.in_(ids))
    )
    return {
        row.id: Involved(row.display_name, row.is_banned, row.role)
        for row in session.execute(statement)
    }


def status_of(
    key: ApiKey, people: Mapping[UUID, Involved], *, is_suspended: bool, now: datetime
) -> tuple[Status, str | None]:
    if key.status != "active":
        stored: Status = "revoked" if key.status == "revoked" else "deactivated"
        return stored, key.deactivation_reason
    reason = _reason(key, people, is_suspended=is_suspended, now=now)
    return ("deactivated", reason) if reason else ("active", None)


def _reason(
    key: ApiKey, people: Mapping[UUID, Involved], *, is_suspended: bool, now: datetime
) -> Reason | None:
    acting, creating = people[key.acts_as_user_id], people[key.created_by_user_id]
    if key.expires_at and key.expires_at <= now:
        return "expired"
    if key.created_by_user_id != key.acts_as_user_id:
        if creating.is_banned:
            return "key_creator_banned"
        if creating.role != "admin":
            return "key_creator_not_admin"
    if is_suspended:
        return "organization_suspended"
    return "member_banned" if acting.is_banned else None


def list_keys(
    context: RequestContext, organization_id: UUID, query: PageQuery
) -> Page[schemas.ApiKey]:
    """Return a page of the organization's keys, newest first. Raises NotFound."""
    context.caller.require_organization(organization_id)
    statement = rows_of(models.ApiKey, organization_id)
    page_slice = read_slice(context.session, statement, NEWEST_FIRST.of(organization_id), query)
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
    current = count_active(context, now)
    maximum = context.caller.plan.max_api_keys_per_org
    if current >= maximum:
        raise LimitReached("max_api_keys_per_org", current=current, maximum=maximum)


def _present(
    session: Session, organization_id: UUID, rows: Sequence[models.ApiKey]
) -> list[schemas.ApiKey]:
    organization = organizations.require(session, organization_id)
    people = involved(session, organization_id, rows)
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


router = keyed_router("api keys")


@router.get("/organizations/{organization_id}/api-keys")
def list_api_keys(
    *, context: ReadingAdmin, organization_id: UUID, query: Params[PageQuery]
) -> Page[schemas.ApiKey]:
    """List API keys, including revoked and deactivated ones. The newest comes first."""
    return list_keys(context, organization_id, query)


@router.post(
    "/organizations/{organization_id}/api-keys",
    status_code=201,
    responses=answers(ActsAsNotMember, LimitReached),
)
@idempotent(secrets=("key",))
def create_api_key(
    *, context: Admin, organization_id: UUID, body: schemas.NewApiKey
) -> Envelope[schemas.CreatedApiKey]:
    """Create an API key for yourself or another member. The key is shown only once."""
    return Envelope(data=create(context, organization_id, body))


@router.delete("/organizations/{organization_id}/api-keys/{key_id}")
def revoke_api_key(*, context: Admin, organization_id: UUID, key_id: UUID) -> Envelope[Deleted]:
    """Revoke an API key immediately. It stays listed."""
    revoke(context, organization_id, key_id)
    return Envelope(data=Deleted())
