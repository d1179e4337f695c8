"""Which shards serve whom and were published, as last read from PostgreSQL, on nodes.

Without this, a machine that lacks some publications would report members of those as unknown.
Requests are noted too: a node may be set to take only the shards that are requested.

    HOME/shards/served_by.json   organizations with the shard that serves them, and the
                                 shards with a publication to serve
    HOME/shards/NAME/requested   time of the last request for that shard's data
"""

import json
import time
from collections.abc import Callable, Collection, Mapping, Set
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
"""How often each process notes a request for a shard."""


class ServedBy(NamedTuple):
    """Which shard serves whom; `main` serves everybody else."""

    organizations: Mapping[UUID, str]
    published: Set[str]
    """Shards that PostgreSQL has a publication of."""


NO_SHARDS = ServedBy({}, frozenset())


def note_served_by(settings: Settings, session: Session, published: Collection[str]) -> None:
    """Note which shard serves whom, and which were `published`; nothing without shards ever."""
    rows = session.scalars(select(ShardAssignment).order_by(ShardAssignment.id)).all()
    path = _path(settings)
    if not rows and not path.exists():
        return
    of = {str(row.organization_id): row.served_by for row in rows}
    content = json.dumps({"served_by": of, "published": sorted(published)})
    if not path.exists() or path.read_text(encoding="utf-8") != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, content)


def is_requested(settings: Settings, shard: str | None, now: datetime) -> bool:
    """Tell whether a node needs a shard's publications; `now` is the real time (UTC)."""
    if shard is None or settings.node_shards == "all":
        return True
    try:
        st_mtime = _requested_path(settings, shard).stat().st_mtime
    except FileNotFoundError:
        return False
    return now.timestamp() - st_mtime < FORGOTTEN_AFTER.total_seconds()


@dataclass
class Whereabouts:
    """What was noted of who is served by which shard, reread on change; not thread-safe."""

    settings: Settings
    monotonic: Callable[[], float] = time.monotonic
    _read: ServedBy = NO_SHARDS
    _as_of: tuple[int, int] | None = None
    _requested_at: dict[str, float] = field(default_factory=dict)
    _path: Path = field(init=False)

    def __post_init__(self) -> None:
        self._path = _path(self.settings)

    def served_by(self) -> ServedBy:
        """Return which shard serves whom; `main` serves all if that was never noted."""
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            return NO_SHARDS
        as_of = (stat.st_mtime_ns, stat.st_ino)
        if as_of != self._as_of:
            noted = json.loads(self._path.read_text(encoding="utf-8"))
            if isinstance(noted, list):  # as 2.0.0 wrote it
                noted = {"served_by": {row[0]: row[2] for row in noted}, "published": [MAIN_SHARD]}
            organizations = {UUID(each): shard for each, shard in noted["served_by"].items()}
            self._read, self._as_of = ServedBy(organizations, {*noted["published"]}), as_of
        return self._read

    @property
    def is_noted(self) -> bool:
        """Whether it is noted which shard serves whom, as it is where publications are taken."""
        return self.served_by() is not NO_SHARDS

    def note_requested(self, shard: str) -> None:
        now = self.monotonic()
        last = self._requested_at.get(shard)
        if shard == MAIN_SHARD or (last is not None and now - last < NOTED_EVERY_SECONDS):
            return
        path = _requested_path(self.settings, shard)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self._requested_at[shard] = now


def _path(settings: Settings) -> Path:
    return settings.shards_path / "served_by.json"


def _requested_path(settings: Settings, shard: str) -> Path:
    return settings.of_shard(shard).shard_path / "requested"
