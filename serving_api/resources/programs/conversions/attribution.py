"""Looks up the events and targets of a whole batch of conversions at once.

Each row is then validated in the order of the request, so that an error names the first invalid
one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ColumnElement, Select, or_, select
from sqlalchemy.orm import Session

from scrapers.urls import InvalidAccount, normalize_handle
from serving_api.errors import (
    AccountNotFound,
    ConversionEventInactive,
    ConversionEventNotFound,
    CreatorNotFound,
    NotFound,
    VideoNotFound,
    VideoUnattributed,
)
from serving_api.kit.pagination import among
from serving_api.kit.rows import rows_of
from serving_api.resources.programs.conversions.schemas import NewConversion, TargetType
from warehouse.operational.models import Account, ConversionEvent, Creator, Project, Video
from warehouse.operational.session import WriteSession

Handle = tuple[str, str]
"""Platform and handle."""


@dataclass(frozen=True, slots=True)
class Target:
    """The credited target, and the creator and account it belongs to now."""

    type: TargetType
    creator_id: UUID
    account_id: UUID | None = None
    video_id: UUID | None = None


class Named:
    """The existing events and targets that the rows of one request name."""

    def __init__(
        self, session: WriteSession, project: Project, rows: Sequence[NewConversion]
    ) -> None:
        self._project = project
        events = _events(session, project, rows)
        self._events_by_id = {event.id: event for event in events}
        self._events_by_key = {event.key: event for event in events}
        self._creators = _creators(session, project, {row.creator_id for row in rows})
        self._accounts = _accounts(session, project, {row.account_id for row in rows})
        self._by_handle = _by_handle(session, project, {_sent(row) for row in rows})
        self._videos = _videos(session, project, {row.video_id for row in rows})

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
        """Return the row's target.

        Raises CreatorNotFound, AccountNotFound, VideoNotFound and VideoUnattributed.
        """
        if row.creator_id is not None:
            return _require(self._creators.get(row.creator_id), CreatorNotFound)
        if row.account_id is not None:
            return _require(self._accounts.get(row.account_id), AccountNotFound)
        if row.video_id is not None:
            return self._of_video(row.video_id)
        return _require(self._by_handle.get(_sent(row)), AccountNotFound)

    def _of_video(self, video_id: UUID) -> Target:
        video = self._videos.get(video_id)
        if video is None:
            raise VideoNotFound
        if video.project_id != self._project.id or not (video.account_id and video.creator_id):
            raise VideoUnattributed
        return Target("video", video.creator_id, video.account_id, video.id)


def _require(target: Target | None, absent: type[NotFound]) -> Target:
    if target is None:
        raise absent
    return target


def _events(
    session: WriteSession, project: Project, rows: Sequence[NewConversion]
) -> Sequence[ConversionEvent]:
    """Return the named events, share-locked so that they are not changed or deleted meanwhile."""
    ids = {row.conversion_event_id for row in rows if row.conversion_event_id}
    keys = {row.conversion_event_key.lower() for row in rows if row.conversion_event_key}
    named: list[ColumnElement[bool]] = []
    if ids:
        named.append(ConversionEvent.id.in_(ids))
    if keys:
        named.append(ConversionEvent.key.in_(keys))
    return session.scalars(
        rows_of(ConversionEvent, project.organization_id)
        .where(ConversionEvent.project_id == project.id, or_(*named))
        # A fixed order, so that two batches cannot deadlock.
        .order_by(ConversionEvent.id)
        .with_for_update(read=True)
    ).all()


def _creators(
    session: Session, project: Project, ids: Collection[UUID | None]
) -> Mapping[UUID | None, Target]:
    """Return the project's creators by id, including removed ones."""
    if ids == {None}:
        return {}
    statement = select(Creator.id).where(
        Creator.organization_id == project.organization_id,
        Creator.project_id == project.id,
        among(Creator.id, ids),
    )
    return {each: Target("creator", each) for each in session.scalars(statement)}


def _accounts(
    session: Session, project: Project, ids: Collection[UUID | None]
) -> Mapping[UUID | None, Target]:
    """Return the project's accounts by id, including removed ones."""
    if ids == {None}:
        return {}
    statement = _of_accounts(project).where(among(Account.id, ids))
    return {each: Target("account", owner, each) for each, owner, *_ in session.execute(statement)}


def _by_handle(
    session: Session, project: Project, sent: Collection[Handle]
) -> Mapping[Handle, Target]:
    """Return the accounts with these handles now, by handle as sent.

    Removed accounts have no handle.
    """
    named = {each: normalized for each in sent if (normalized := _normalized(*each))}
    if not named:
        return {}
    statement = _of_accounts(project).where(
        Account.is_active,
        Account.platform.in_({platform for platform, _ in named.values()}),
        among(Account.handle, {handle for _, handle in named.values()}),
    )
    there = {
        (platform, handle): Target("account", owner, each)
        for each, owner, platform, handle in session.execute(statement)
    }
    return {each: there[handle] for each, handle in named.items() if handle in there}


def _of_accounts(project: Project) -> Select[UUID, UUID, str, str]:
    return select(Account.id, Account.creator_id, Account.platform, Account.handle).where(
        Account.organization_id == project.organization_id, Account.project_id == project.id
    )


def _videos(
    session: Session, project: Project, ids: Collection[UUID | None]
) -> Mapping[UUID | None, Video]:
    """Return the organization's videos; whether one can be credited is checked later."""
    if ids == {None}:
        return {}
    statement = rows_of(Video, project.organization_id).where(among(Video.id, ids))
    return {row.id: row for row in session.scalars(statement)}


def _sent(row: NewConversion) -> Handle:
    """Return a row's platform and handle, empty if it names another target."""
    return row.platform or "", row.handle or ""


def _normalized(platform: str, handle: str) -> Handle | None:
    """Return the normalized handle, or None if no account can have it."""
    try:
        return platform, normalize_handle(platform, handle)
    except InvalidAccount:
        return None
