"""Which shards answer for whom, as PostgreSQL said last: noted on machines that take publications.

Without it a machine that has not all of them yet would say of who is in another one that nothing is
known of them. Whoever is asked about is noted too: a node may have the shards of those alone.

    HOME/shards/served_by.json   organizations and projects, with the shard that answers for them
    HOME/shards/NAME/asked       when somebody last asked for what that shard has
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.landing.folders import write_file
from warehouse.operational.models import ShardAssignment
from warehouse.settings import MAIN_SHARD, Settings

FORGOTTEN_AFTER = timedelta(days=1)
NOTED_EVERY_SECONDS = 60.0
"""How often it is noted that a shard is asked for, by each process."""


class ServedBy(NamedTuple):
    """Which shard answers for whom; who is in neither is `main`'s."""

    organizations: Mapping[UUID, str]
    projects: Mapping[UUID, Mapping[UUID, str]]
    """Of organizations that have projects apart."""

    def shards_of(self, organization_id: UUID, project_id: UUID | None) -> set[str]:
        """Return which shards have an organization, with a project the one that has that."""
        whole = self.organizations.get(organization_id, MAIN_SHARD)
        apart = self.projects.get(organization_id, {})
        if project_id is not None:
            return {apart.get(project_id, whole)}
        return {whole, *apart.values()}


NOBODY_APART = ServedBy({}, {})


def note_served_by(settings: Settings, session: Session) -> None:
    """Note which shard answers for whom; nothing where nothing is sharded, and never was."""
    rows = session.scalars(select(ShardAssignment).order_by(ShardAssignment.id)).all()
    path = _path(settings)
    if not rows and not path.exists():
        return
    content = json.dumps(
        [[str(row.organization_id), _text(row.project_id), row.served_by] for row in rows]
    )
    if not path.exists() or path.read_text(encoding="utf-8") != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, content)


def is_requested(settings: Settings, shard: str | None, now: datetime) -> bool:
    """Tell whether a node is to have a shard's publications; `now` is the real time (UTC)."""
    if shard is None or settings.node_shards == "all":
        return True
    try:
        st_mtime = _requested_path(settings, shard).stat().st_mtime
    except FileNotFoundError:
        return False
    return now.timestamp() - st_mtime < FORGOTTEN_AFTER.total_seconds()


@dataclass
class Whereabouts:
    """What was noted of who is where, read again when it changes; for one thread at a time."""

    settings: Settings
    monotonic: Callable[[], float] = time.monotonic
    _read: ServedBy = NOBODY_APART
    _as_of: tuple[int, int] | None = None
    _requested_at: dict[str, float] = field(default_factory=dict)
    _path: Path = field(init=False)

    def __post_init__(self) -> None:
        self._path = _path(self.settings)

    def served_by(self) -> ServedBy:
        """Return which shard answers for whom; `main` for all where that was never noted."""
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            return NOBODY_APART
        as_of = (stat.st_mtime_ns, stat.st_ino)
        if as_of != self._as_of:
            rows = json.loads(self._path.read_text(encoding="utf-8"))
            self._read, self._as_of = _served_by(rows), as_of
        return self._read

    @property
    def is_noted(self) -> bool:
        """Tell whether it was noted who is where, which is so where publications are taken."""
        return self.served_by() is not NOBODY_APART

    def note_requested(self, shard: str) -> None:
        """Note that somebody asks for what a shard has."""
        now = self.monotonic()
        last = self._requested_at.get(shard)
        if shard == MAIN_SHARD or (last is not None and now - last < NOTED_EVERY_SECONDS):
            return
        path = _requested_path(self.settings, shard)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self._requested_at[shard] = now


def _served_by(rows: list[tuple[str, str | None, str]]) -> ServedBy:
    organizations: dict[UUID, str] = {}
    projects: dict[UUID, dict[UUID, str]] = {}
    for organization, project, shard in rows:
        if project is None:
            organizations[UUID(organization)] = shard
        else:
            projects.setdefault(UUID(organization), {})[UUID(project)] = shard
    return ServedBy(organizations, projects)


def _path(settings: Settings) -> Path:
    return settings.shards_path / "served_by.json"


def _requested_path(settings: Settings, shard: str) -> Path:
    return settings.of_shard(shard).shard_path / "asked"


def _text(value: UUID | None) -> str | None:
    return str(value) if value else None
