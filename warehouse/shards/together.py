"""All shards' publications at one moment, and which of them has an organization."""

from collections.abc import Iterable, Mapping, Set
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from warehouse.publication.current import NoPublication, Opened
from warehouse.publication.errors import NotHereYetError
from warehouse.settings import MAIN_SHARD

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
