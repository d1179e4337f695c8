"""What conversions name, found for a whole batch at once: their events and their targets.

Every row is then judged on its own, in the order of the request, so that the first one at fault is
the one that is named.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, or_, select, tuple_
from sqlalchemy.orm import Session

from scrapers.urls import InvalidAccount, normalize_handle
from serving_api.errors import (
    AccountNotFound,
    ConversionEventInactive,
    ConversionEventNotFound,
    CreatorNotFound,
    VideoNotFound,
    VideoUnattributed,
)
from serving_api.resources.conversions.schemas import NewConversion, TargetType
from warehouse.operational.models import Account, ConversionEvent, Creator, Project, Video
from warehouse.operational.session import WriteSession

Entity = TypeVar("Entity", Account, Creator, Video)
Handle = tuple[str, str]
"""Platform and normalized handle."""


@dataclass(frozen=True, slots=True)
class Target:
    """Who is credited: what the caller named, and what it belongs to now."""

    type: TargetType
    creator_id: UUID
    account_id: UUID | None = None
    video_id: UUID | None = None


class Named:
    """The events and targets that the rows of one request name, as far as they exist."""

    def __init__(
        self, session: WriteSession, project: Project, rows: Sequence[NewConversion]
    ) -> None:
        self._project = project
        events = _events(session, project, rows)
        self._events_by_id = {event.id: event for event in events}
        self._events_by_key = {event.key: event for event in events}
        self._creators = _by_id(session, project, Creator, (row.creator_id for row in rows))
        self._accounts = _by_id(session, project, Account, (row.account_id for row in rows))
        self._videos = _by_id(session, project, Video, (row.video_id for row in rows))
        self._by_handle = _by_handle(session, project, rows)

    def event_of(self, row: NewConversion) -> ConversionEvent:
        """Return the row's event. Raises ConversionEventNotFound and ConversionEventInactive."""
        event = (
            self._events_by_id.get(row.conversion_event_id)
            if row.conversion_event_id is not None
            else self._events_by_key.get((row.conversion_event_key or "").lower())
        )
        if event is None:
            raise ConversionEventNotFound
        if not event.is_active:
            raise ConversionEventInactive
        return event

    def target_of(self, row: NewConversion) -> Target:
        """Return who is credited for the row.

        Raises CreatorNotFound, AccountNotFound, VideoNotFound and VideoUnattributed.
        """
        if row.creator_id is not None:
            return self._creator(row.creator_id)
        if row.video_id is not None:
            return self._video(row.video_id)
        account = (
            self._accounts.get(row.account_id)
            if row.account_id is not None
            else self._by_handle.get(_handle_of(row))
        )
        return self._account(account)

    def _creator(self, creator_id: UUID) -> Target:
        creator = self._creators.get(creator_id)
        if creator is None or creator.project_id != self._project.id:
            raise CreatorNotFound
        return Target("creator", creator.id)

    def _account(self, account: Account | None) -> Target:
        if account is None or account.project_id != self._project.id:
            raise AccountNotFound
        return Target("account", account.creator_id, account.id)

    def _video(self, video_id: UUID) -> Target:
        video = self._videos.get(video_id)
        if video is None:
            raise VideoNotFound
        if video.project_id != self._project.id or not (video.account_id and video.creator_id):
            raise VideoUnattributed
        return Target("video", video.creator_id, video.account_id, video.id)


def _events(
    session: WriteSession, project: Project, rows: Sequence[NewConversion]
) -> Sequence[ConversionEvent]:
    """Return the events that are named; nobody changes or deletes them before the end."""
    ids = {row.conversion_event_id for row in rows if row.conversion_event_id}
    keys = {row.conversion_event_key.lower() for row in rows if row.conversion_event_key}
    named: list[ColumnElement[bool]] = []
    if ids:
        named.append(ConversionEvent.id.in_(ids))
    if keys:
        named.append(ConversionEvent.key.in_(keys))
    return session.scalars(
        select(ConversionEvent)
        .where(
            ConversionEvent.organization_id == project.organization_id,
            ConversionEvent.project_id == project.id,
            or_(*named),
        )
        # In one order, so that two batches never wait for each other in a circle.
        .order_by(ConversionEvent.id)
        .with_for_update(read=True)
    ).all()


def _by_id(
    session: Session, project: Project, kind: type[Entity], ids: Iterable[UUID | None]
) -> Mapping[UUID, Entity]:
    wanted = {each for each in ids if each is not None}
    if not wanted:
        return {}
    found = select(kind).where(kind.organization_id == project.organization_id, kind.id.in_(wanted))
    return {row.id: row for row in session.scalars(found)}


def _by_handle(
    session: Session, project: Project, rows: Collection[NewConversion]
) -> Mapping[Handle | None, Account]:
    """Return the accounts that have the handles now; removed ones have none any more."""
    wanted = {handle for row in rows if (handle := _handle_of(row))}
    if not wanted:
        return {}
    found = select(Account).where(
        Account.organization_id == project.organization_id,
        Account.project_id == project.id,
        Account.is_active,
        tuple_(Account.platform, Account.handle).in_(wanted),
    )
    return {(row.platform, row.handle): row for row in session.scalars(found)}


def _handle_of(row: NewConversion) -> Handle | None:
    """Return the platform and handle that a row names, None where no account can have it."""
    if row.platform is None or row.handle is None:
        return None
    try:
        return row.platform, normalize_handle(row.platform, row.handle)
    except InvalidAccount:
        return None
