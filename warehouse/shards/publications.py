"""The current publications of all shards in a data folder, and which one has an organization.

Without shards there is one publication, and it is not searched for organizations.

    HOME/publications               those of `main`
    HOME/shards/NAME/publications   those of each other shard

An organization has numbers while it moves between shards: publications without one that the
previous ones had are not read yet, in whatever order they arrive. If publications come from a
bucket and the one with the caller's data has not arrived yet, the caller is told so.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Lock
from uuid import UUID

from duckdb import Error as DuckDBError

from warehouse.publication.current import CurrentPublication, NoPublication, Opened, open_one
from warehouse.publication.errors import NotHereYetError
from warehouse.publication.info import PublicationInfo
from warehouse.publication.shared.nodes import takes
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.shards.whereabouts import Whereabouts

Targets = Mapping[str, str]
"""The target of each shard's current publication."""


@dataclass
class Together:
    """All shards' publications at one moment, kept open by `open_files` for its readers.

    `of` has the publication to read for each organization.
    """

    targets: Targets
    opened: Mapping[str, Opened]
    of: Mapping[UUID, Opened]
    damaged: Exception | None
    open_files: ExitStack
    readers: int = 1

    def having(self, organization_id: UUID | None) -> Opened:
        """Return the publication with an organization, else `main`'s. Raises why there is none."""
        if organization_id is not None and organization_id in self.of:
            return self.of[organization_id]
        if self.damaged is not None:
            raise self.damaged
        if MAIN_SHARD not in self.opened:
            raise NoPublication
        return self.opened[MAIN_SHARD]

    def require(self, shard: str, organization_id: UUID, *, may_lack: Set[str]) -> None:
        """Raise the reason why the caller's shard is not here, unless `may_lack` has it.

        It is NotHereYetError, unless a publication is damaged. While an organization moves, the
        publication of its previous shard is enough.
        """
        if shard not in self.opened.keys() | may_lack and organization_id not in self.of:
            raise self.damaged or NotHereYetError({shard})

    def end(self) -> None:
        self.readers -= 1
        if self.readers == 0:
            self.open_files.close()


def newest_of(opened: Iterable[Opened]) -> Mapping[UUID, Opened]:
    """Return the newest publication that has each organization."""
    by_age = sorted(opened, key=_age_of)
    return {organization: each for each in by_age for organization in each.organizations}


def _age_of(opened: Opened) -> tuple[datetime, datetime]:
    return opened.info.as_of, opened.info.published_at


AWAITED_SECONDS = 60.0
"""How long to read the previous publications for somebody the next ones lack."""


@dataclass
class ShardPublications:
    """The current publications of all shards; safe to share between threads."""

    settings: Settings
    monotonic: Callable[[], float] = time.monotonic
    _whereabouts: Whereabouts = field(init=False)
    _path: Path = field(init=False)
    _shards: dict[str, CurrentPublication] = field(default_factory=dict)
    _together: Together | None = None
    _lacked_since: float | None = None
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._whereabouts = Whereabouts(self.settings, self.monotonic)
        self._path = self.settings.shards_path  # made absolute once: every request looks there

    @contextmanager
    def lease(self, organization_id: UUID | None = None) -> Iterator[Opened]:
        """Yield the publication that has an organization, open for the block.

        For an organization in none yet, or for no organization, yield that of `main`. If two have
        it during a move, yield the newer one: both are right. Raises NoPublication,
        NotHereYetError, and OSError or duckdb.Error if one that may have it cannot be read.
        """
        with self._pinned() as together:
            if organization_id is not None:
                shard = self._requested_shard(organization_id)
                may_lack = self._may_lack(together)
                together.require(shard, organization_id, may_lack=may_lack)
            yield together.having(organization_id)

    @contextmanager
    def lease_of(self, publication_id: UUID, organization_id: UUID | None) -> Iterator[Opened]:
        """Yield a publication, even after it was replaced. Raises NoPublication if it is gone."""
        with self.lease(organization_id) as current:
            if current.info.publication_id == publication_id:
                yield current
                return
        opened = self.replaced(publication_id)
        try:
            yield opened
        finally:
            opened.database.close()

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

    def _requested_shard(self, organization_id: UUID) -> str:
        """Return the shard with the requested data, and note the request."""
        with self._lock:
            shard = self._whereabouts.served_by().organizations.get(organization_id, MAIN_SHARD)
            self._whereabouts.note_requested(shard)
        return shard

    def _may_lack(self, together: Together) -> Set[str]:
        """Return `main` unless PostgreSQL has a publication of it that is built elsewhere."""
        if MAIN_SHARD in together.opened:
            return frozenset()
        with self._lock:
            is_published = MAIN_SHARD in self._whereabouts.served_by().published
        is_there = together.damaged is not None or takes(self.settings, MAIN_SHARD)
        return frozenset() if is_published and is_there else {MAIN_SHARD}

    @contextmanager
    def _pinned(self) -> Iterator[Together]:
        names = self.names()
        with self._lock:
            together = self._current(names)
            together.readers += 1
        try:
            yield together
        finally:
            with self._lock:
                together.end()

    def _current(self, names: list[str]) -> Together:
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

    def _is_awaited(self, last: Together, new: Together) -> bool:
        if last.of.keys() <= new.of.keys():
            return False
        now = self.monotonic()
        if self._lacked_since is None:
            self._lacked_since = now
        return now - self._lacked_since < AWAITED_SECONDS

    def _opened(self, names: list[str]) -> Together:
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
            of = newest_of(opened.values()) if len(names) > 1 or self._whereabouts.is_noted else {}
            targets = {name: publication.target for name, publication in opened.items()}
            return Together(targets, opened, of, damaged, stack.pop_all())

    def _targets(self, names: list[str]) -> Targets:
        targets = {name: self._of(name).target() for name in names}
        return {name: target for name, target in targets.items() if target is not None}

    def _of(self, shard: str) -> CurrentPublication:
        if shard not in self._shards:
            path = self.settings.of_shard(shard).publications_path
            self._shards[shard] = CurrentPublication(path)
        return self._shards[shard]

    def _replace(self, together: Together | None) -> None:
        if self._together is not None:
            self._together.end()
        self._together, self._lacked_since = together, None
