"""All shards' publications at one moment, and which of them has an organization or project."""

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass, field
from threading import Lock
from uuid import UUID

from warehouse.publication.current import NoPublication, Opened
from warehouse.publication.errors import NotHereYetError
from warehouse.settings import MAIN_SHARD
from warehouse.shards.joined import ShardPublication, age_of, join

Targets = Mapping[str, str]
"""The target of each shard's current publication."""


@dataclass
class Together:
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

    def require(
        self,
        shards: Set[str],
        organization_id: UUID,
        project_id: UUID | None,
        *,
        may_lack: Set[str],
    ) -> None:
        """Raise the reason why a shard with the caller's data is not here, apart from `may_lack`.

        It is NotHereYetError, unless a publication is damaged.
        """
        lacking = shards - self.opened.keys() - may_lack
        parts = self.of.get(organization_id, ())
        if project_id is None:
            has_them = bool(parts) and len(shards) == 1  # as while an organization moves
        else:
            has_them = any(project_id in part.projects for part in parts)
        if lacking and not has_them:
            raise self.damaged or NotHereYetError(lacking)

    def end(self) -> None:
        self.readers -= 1
        if self.readers == 0:
            self.open_files.close()


def parts_of(opened: Iterable[Opened]) -> Mapping[UUID, Sequence[ShardPublication]]:
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
