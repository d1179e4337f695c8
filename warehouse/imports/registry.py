"""Finds the posts and accounts of a file's rows, within one project.

Imports belong to their project: no reading reaches another project that tracks the same post.
"""

from collections.abc import Iterable
from uuid import UUID

import polars as pl
from duckdb import DuckDBPyConnection
from sqlalchemy import ARRAY, Row, String, any_, cast, literal, select
from sqlalchemy.orm import Session

from warehouse.imports.report import OtherShardError, UnknownProjectError
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
    if members and not members.has_project(project.organization_id, project_id):
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
    return _frame(session.execute(statement), "handle")


def discovering_accounts(session: Session, project_id: UUID) -> pl.DataFrame:
    """Return the accounts under which new posts are registered, as in a scrape."""
    statement = select(Account.platform, Account.handle, cast(Account.id, String)).where(
        Account.project_id == project_id, scrapable_account()
    )
    return _frame(session.execute(statement), "handle")


def identify(rows: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Add the column `id` by the other two columns of `known`; null for unknown rows."""
    keys = [column for column in known.columns if column != "id"]
    return rows.join(known, on=keys, how="left", maintain_order="left")


class KnownVideos:
    """The project's posts of any status, loaded on demand and cached."""

    def __init__(self, store: OperationalStore, project_id: UUID) -> None:
        self._store = store
        self._project_id = project_id
        self._known = _frame([], "platform_video_id")

    def identify(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Add the column `id`, null for posts that the project does not have."""
        posts = rows.select("platform", "platform_video_id").unique().drop_nulls()
        unseen = posts.join(self._known, on=posts.columns, how="anti")
        with self._store.read_session() as session:
            for (platform,), of_platform in unseen.group_by("platform"):
                known = self._ask(session, str(platform), of_platform["platform_video_id"])
                self._known = self._known.vstack(known)
        return identify(rows, self._known)

    def _ask(self, session: Session, platform: str, ids: pl.Series) -> pl.DataFrame:
        id_array = literal(ids.to_list(), ARRAY(String))
        statement = select(Video.platform, Video.platform_video_id, cast(Video.id, String)).where(
            Video.project_id == self._project_id,
            Video.platform == platform,
            Video.platform_video_id == any_(id_array),
        )
        return _frame(session.execute(statement), "platform_video_id")


def _frame(rows: Iterable[Row[tuple[str, str, str]]], key: str) -> pl.DataFrame:
    schema = dict.fromkeys(("platform", key, "id"), pl.String)
    return pl.DataFrame([tuple(row) for row in rows], schema, orient="row")
