"""Finds the posts and accounts of a file's rows, within one project.

Imports belong to their project: no reading reaches another project that tracks the same post.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import polars as pl
from duckdb import DuckDBPyConnection
from sqlalchemy import ARRAY, Row, String, any_, cast, literal, select
from sqlalchemy.orm import Session

from warehouse.imports.report import OtherShardError, UnknownProjectError
from warehouse.imports.values import Spelling
from warehouse.landing.schema import UTC
from warehouse.operational.models import Account, Project, Video
from warehouse.operational.store import OperationalStore
from warehouse.raw.copied_shard import copied_members
from warehouse.registration.scrapable import scrapable_account
from warehouse.settings import Settings
from warehouse.shards.members import Members, UnknownShardError, digest_of, members_of


def require_project(store: OperationalStore, project_id: UUID) -> None:
    with store.read_session() as session:
        if session.get(Project, project_id) is None:
            raise UnknownProjectError(project_id)


def require_member(store: OperationalStore, settings: Settings, project_id: UUID) -> Members | None:
    """Return the members of this process's shard, None for all organizations.

    Raises UnknownProjectError, and OtherShardError if another shard builds the project.
    """
    with store.read_session() as session:
        project = session.get(Project, project_id)
        try:
            members = members_of(session, settings.shard)
        except UnknownShardError as unknown:
            raise OtherShardError(str(unknown)) from unknown
    if project is None:
        raise UnknownProjectError(project_id)
    if members and not members.has(project.organization_id):
        raise OtherShardError(
            f"another shard builds project {project_id}: run the import on its machine with its "
            "TRACKER_SHARD"
        )
    return members


def require_copies_of(connection: DuckDBPyConnection, members: Members | None) -> None:
    """Raise OtherShardError if the warehouse's copies are those of other members."""
    if copied_members(connection) != digest_of(members):
        raise OtherShardError(
            "the members of this shard have changed: run `tracker run --no-scrape` first"
        )


def tracked_accounts(session: Session, project_id: UUID) -> pl.DataFrame:
    """Return the project's accounts that are not removed: platform, handle, id."""
    statement = select(Account.platform, Account.handle, cast(Account.id, String)).where(
        Account.project_id == project_id, Account.is_active
    )
    return _accounts(session.execute(statement))


def discovering_accounts(session: Session, project_id: UUID) -> pl.DataFrame:
    """Return the accounts under which new posts are registered, as in a scrape."""
    statement = select(Account.platform, Account.handle, cast(Account.id, String)).where(
        Account.project_id == project_id, scrapable_account()
    )
    return _accounts(session.execute(statement))


def identify(rows: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Add the other columns of `known` by its first two; null for unknown rows."""
    return rows.join(known, on=known.columns[:2], how="left", maintain_order="left")


class KnownVideos:
    """The project's posts of any status, loaded on demand and cached."""

    def __init__(self, store: OperationalStore, project_id: UUID, spelling: Spelling) -> None:
        self._store = store
        self._project_id = project_id
        self._spelling = spelling
        self._known = self._frame([])

    def identify(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Add `id`, null for posts that the project does not have, and `made_at`.

        `made_at` is when the post was published, else the time inside its id, less a day.
        """
        posts = rows.select("platform", "platform_video_id").unique().drop_nulls()
        unseen = posts.join(self._known, on=posts.columns, how="anti")
        with self._store.read_session() as session:
            for (platform,), of_platform in unseen.group_by("platform"):
                known = self._ask(session, str(platform), of_platform["platform_video_id"])
                self._known = self._known.vstack(known)
        return identify(rows, self._known)

    def _ask(self, session: Session, platform: str, ids: pl.Series) -> pl.DataFrame:
        id_array = literal(ids.to_list(), ARRAY(String))
        columns = (Video.platform, Video.platform_video_id, cast(Video.id, String), Video.posted_at)
        statement = select(*columns).where(
            Video.project_id == self._project_id,
            Video.platform == platform,
            Video.platform_video_id == any_(id_array),
        )
        return self._frame(
            (*post, video_id, posted_at or self._in_id(*post))
            for *post, video_id, posted_at in session.execute(statement)
        )

    def _in_id(self, platform: str, post: str) -> datetime | None:
        made_at = self._spelling.made_at(platform, post)
        return made_at and made_at - timedelta(days=1)

    @staticmethod
    def _frame(rows: Iterable[tuple[Any, ...]]) -> pl.DataFrame:
        texts = dict.fromkeys(("platform", "platform_video_id", "id"), pl.String)
        return pl.DataFrame(list(rows), {**texts, "made_at": UTC}, orient="row")


def _accounts(rows: Iterable[Row[tuple[str, str, str]]]) -> pl.DataFrame:
    schema = dict.fromkeys(("platform", "handle", "id"), pl.String)
    return pl.DataFrame([tuple(row) for row in rows], schema, orient="row")
