"""Import files and a project to import them into."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from orchestration.scraping.spelling import PlatformSpelling
from tests.factories.tracking import Customer
from tests.fixtures.operational import settings_for
from warehouse.connection import open_warehouse
from warehouse.imports import layouts
from warehouse.imports.report import Report
from warehouse.imports.snapshots import import_snapshots
from warehouse.imports.videos import import_videos
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.raw.ingest import ingest_registered
from warehouse.settings import Settings

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Importer(Customer):
    """Imports into one project and reads the raw tables."""

    settings: Settings

    @property
    def project_id(self) -> UUID:
        assert self.organization.project_id is not None
        return self.organization.project_id

    def write_csv(self, kind: str, *lines: str) -> Path:
        """Write a CSV file of this kind with its required columns and these lines."""
        path = self.settings.home_path / f"{kind}.csv"
        header = (name for name in layouts.COLUMNS[kind] if name not in layouts.MAY_LACK)
        text = "\n".join([",".join(header), *lines]) + "\n"
        path.write_text(text, encoding="utf-8", newline="")
        return path

    def videos(self, path: Path, *, skip_bad: bool = False) -> Report:
        return import_videos(
            self.store,
            self.settings,
            path,
            project_id=self.project_id,
            spelling=PlatformSpelling(),
            skip_bad=skip_bad,
            on_rows=lambda _rows: None,
        )

    def snapshots(
        self, path: Path, kind: str = layouts.VIDEO_SNAPSHOTS, *, skip_bad: bool = False
    ) -> Report:
        return import_snapshots(
            self.store,
            self.settings,
            path,
            kind=kind,
            project_id=self.project_id,
            spelling=PlatformSpelling(),
            skip_bad=skip_bad,
            on_rows=lambda _rows: None,
            on_wait=pytest.fail,
        )

    def ingested(self, query: str) -> list[tuple[Any, ...]]:
        """Ingest registered batches, then query the warehouse."""
        with open_warehouse(self.settings) as warehouse:
            ingest_registered(self.store, self.settings, warehouse)
            return warehouse.sql(query).fetchall()


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> Settings:
    return settings_for(tmp_path, database_url).at(NOW)


@pytest.fixture
def importer(
    store: OperationalStore, settings: Settings, organization: NewOrganization
) -> Importer:
    return Importer(store, organization, settings)
