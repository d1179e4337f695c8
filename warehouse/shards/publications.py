"""The current publications of all shards in a data folder, and which one has an organization.

Without shards there is one publication, and it is not searched for organizations.

    HOME/publications               those of `main`
    HOME/shards/NAME/publications   those of each other shard

Nobody lacks numbers while moving between shards: publications that lack somebody whom the previous
ones had are not read yet, in whatever order they arrive. If publications come from a bucket and
the one with the caller's data has not arrived yet, the caller is told so.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from uuid import UUID

from duckdb import Error as DuckDBError

from warehouse.publication.current import CurrentPublication, NoPublication, Opened, open_one
from warehouse.publication.errors import NotHereYetError
from warehouse.publication.info import PublicationInfo
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.shards.joined import ShardPublication, age_of, join
from warehouse.shards.whereabouts import Whereabouts

AWAITED_SECONDS = 60.0
"""How long to read the previous publications for somebody the next ones lack."""

Targets = Mapping[str, str]
"""The target of each shard's current publication."""


@dataclass
class _Together:
    """All shards' publications at one moment, kept open by `open_files` for its readers.

    `whose` are the organizations and projects in any of them.
    """

    targets: Targets
    opened: Mapping[str, Opened]
    of: Mapping[UUID, Sequence[ShardPublication]]
    whose: Set[UUID]
    damaged: Exception | None
    open_files: ExitStack
    readers: int = 1
    joined: dict[UUID, Opened] = field(default_factory=dict)
    joining: Lock = field(default_factory=Lock)

    def having(self, organization_id: UUID | None, project_id: UUID | None) -> Opened:
        """Return the publication with an organization, else `main`'s; raises the reason for none.

        With a project, return the one that has it, if there are several.
        """
        parts = self.of.get(organization_id, ()) if organization_id else ()
        parts = [part for part in parts if project_id in part.projects] or parts
        if len(parts) == 1:
            return parts[0].opened
        if parts and organization_id:
            return self._joined(organization_id, parts)
        if self.damaged is not None:
            raise self.damaged
        if MAIN_SHARD not in self.opened:
            raise NoPublication
        return self.opened[MAIN_SHARD]

    def _joined(self, organization_id: UUID, parts: Sequence[ShardPublication]) -> Opened:
        with self.joining:
            if organization_id not in self.joined:
                made = join(parts)
                self.open_files.callback(made.database.close)
                self.joined[organization_id] = made
            return self.joined[organization_id]

    def require(self, shards: Set[str], organization_id: UUID, project_id: UUID | None) -> None:
        """Raise NotHereYetError if the only shards with the caller's data have not arrived here."""
        lacking = shards - self.opened.keys() - {MAIN_SHARD}
        parts = self.of.get(organization_id, ())
        if project_id is None:
            has_them = bool(parts) and len(shards) == 1  # as while an organization moves
        else:
            has_them = any(project_id in part.projects for part in parts)
        if lacking and not has_them and self.damaged is None:
            raise NotHereYetError(lacking)

    def end(self) -> None:
        self.readers -= 1
        if self.readers == 0:
            self.open_files.close()


@dataclass
class ShardPublications:
    """The current publications of all shards; safe to share between threads."""

    settings: Settings
    monotonic: Callable[[], float] = time.monotonic
    _whereabouts: Whereabouts = field(init=False)
    _path: Path = field(init=False)
    _shards: dict[str, CurrentPublication] = field(default_factory=dict)
    _together: _Together | None = None
    _lacked_since: float | None = None
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._whereabouts = Whereabouts(self.settings, self.monotonic)
        self._path = self.settings.shards_path  # made absolute once: every request looks there

    @contextmanager
    def lease(
        self, organization_id: UUID | None = None, project_id: UUID | None = None
    ) -> Iterator[Opened]:
        """Yield the publication that has an organization, open for the block.

        For an organization in none yet, or for no organization, yield that of `main`. If two have
        it during a move, yield the newer one: both are right. If several shards have its projects,
        yield all of them as one publication, or with a project the one that has it. Raises
        NoPublication, NotHereYetError, and OSError or duckdb.Error if one that may have it cannot
        be read.
        """
        with self._pinned() as together:
            if organization_id is not None:
                together.require(
                    self._requested_shards(organization_id, project_id), organization_id, project_id
                )
            yield together.having(organization_id, project_id)

    @contextmanager
    def lease_of(
        self, publications: Sequence[UUID], organization_id: UUID | None
    ) -> Iterator[Opened]:
        """Yield these publications of an organization as one, even after they were replaced.

        Raises NoPublication if one is gone.
        """
        with ExitStack() as stack:
            current = stack.enter_context(self.lease(organization_id))
            if current.publications == tuple(publications):
                yield current
                return
            opened = [self.replaced(publication) for publication in publications]
            for lease in opened:
                stack.callback(lease.database.close)
            if organization_id is None or len(opened) == 1:
                yield opened[0]
                return
            joined = join(_parts_of(opened).get(organization_id, ()))
            stack.callback(joined.database.close)
            yield joined

    def replaced(self, publication_id: UUID) -> Opened:
        """Open any shard's publication until its database is closed. Raises NoPublication."""
        for shard in self.names():
            with suppress(NoPublication):
                return open_one(self.settings.of_shard(shard).publications_path, publication_id)
        raise NoPublication

    @contextmanager
    def leases(self) -> Iterator[Mapping[str, Opened]]:
        """Yield the shards' existing publications by shard, open for the block.

        Raises OSError and duckdb.Error if one cannot be read.
        """
        with self._pinned() as together:
            if together.damaged is not None:
                raise together.damaged
            yield together.opened

    def infos(self) -> Mapping[str, PublicationInfo]:
        """Return the publication of each shard; shards without one are left out."""
        with self.leases() as opened:
            return {shard: publication.info for shard, publication in opened.items()}

    def names(self) -> list[str]:
        """Return the shards that have a folder here, `main` first."""
        try:
            with os.scandir(self._path) as entries:
                others = {entry.name for entry in entries if entry.is_dir()}
        except FileNotFoundError:
            others = set()
        return [MAIN_SHARD, *sorted(others - {MAIN_SHARD})]

    def close(self) -> None:
        """Release all publications; a file is closed with its last cursor."""
        with self._lock:
            self._replace(None)
            for publication in self._shards.values():
                publication.close()

    def _requested_shards(self, organization_id: UUID, project_id: UUID | None) -> Set[str]:
        """Return the shards with the requested data, and note the request."""
        with self._lock:
            shards = self._whereabouts.served_by().shards_of(organization_id, project_id)
            for shard in shards:
                self._whereabouts.note_requested(shard)
        return shards

    @contextmanager
    def _pinned(self) -> Iterator[_Together]:
        names = self.names()
        with self._lock:
            together = self._current(names)
            together.readers += 1
        try:
            yield together
        finally:
            with self._lock:
                together.end()

    def _current(self, names: list[str]) -> _Together:
        """Return the current publications, or the open ones while the new ones lack somebody."""
        last, targets = self._together, self._targets(names)
        if last is not None and last.targets == targets:
            self._lacked_since = None
            return last
        new = self._opened(names)
        if last is not None and self._is_awaited(last, new):
            new.end()
            return last
        self._replace(new)
        return new

    def _is_awaited(self, last: _Together, new: _Together) -> bool:
        if last.whose <= new.whose:
            return False
        now = self.monotonic()
        if self._lacked_since is None:
            self._lacked_since = now
        return now - self._lacked_since < AWAITED_SECONDS

    def _opened(self, names: list[str]) -> _Together:
        opened: dict[str, Opened] = {}
        damaged: Exception | None = None
        with ExitStack() as stack:
            for name in names:
                try:
                    opened[name] = stack.enter_context(self._of(name).lease())
                except NoPublication:
                    continue
                except (OSError, DuckDBError) as error:
                    damaged = error
            of = _parts_of(opened.values()) if len(names) > 1 or self._whereabouts.is_noted else {}
            targets = {name: publication.target for name, publication in opened.items()}
            whose = of.keys() | {
                project for parts in of.values() for part in parts for project in part.projects
            }
            return _Together(targets, opened, of, whose, damaged, stack.pop_all())

    def _targets(self, names: list[str]) -> Targets:
        targets = {name: self._of(name).target() for name in names}
        return {name: target for name, target in targets.items() if target is not None}

    def _of(self, shard: str) -> CurrentPublication:
        if shard not in self._shards:
            path = self.settings.of_shard(shard).publications_path
            self._shards[shard] = CurrentPublication(path)
        return self._shards[shard]

    def _replace(self, together: _Together | None) -> None:
        if self._together is not None:
            self._together.end()
        self._together, self._lacked_since = together, None


def _parts_of(opened: Iterable[Opened]) -> Mapping[UUID, Sequence[ShardPublication]]:
    """Return the publications to read for each organization: the newest for each project."""
    parts: dict[UUID, list[ShardPublication]] = {}
    known: dict[UUID, set[UUID]] = {}
    for publication in sorted(opened, key=age_of, reverse=True):
        for organization_id, projects in publication.projects.items():
            before = known.setdefault(organization_id, set())
            if organization_id not in parts or projects - before:
                part = ShardPublication(publication, projects - before, not_of=projects & before)
                parts.setdefault(organization_id, []).append(part)
            before |= projects
    return parts
