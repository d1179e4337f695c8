"""`tracker backup` and `tracker restore`: the restored API gives the same answers."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from orchestration.cli.backup import _delete_older, _spoken
from tests.factories.marts import Account, History, Video
from tests.fixtures.api import NOW, Api, Client, new_tenant, publish_history, running_api
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.orchestration.commands import environment, started, tracker_here
from warehouse.backup import batches
from warehouse.backup.manifest import BucketRecord
from warehouse.backup.restore import _bring
from warehouse.operational.store import operational_store
from warehouse.settings import Settings
from warehouse.step_metrics import BACKUP, last_ended
from warehouse.storage.storage import FileVersion
from warehouse.warehouse_lock import warehouse_lock

MONTHS = [datetime(2026, month, 3, 10, tzinfo=UTC) for month in range(1, 6)]
SERIES = {"metric": "views", "from": "2026-01-01", "to": "2026-05-19", "granularity": "week"}


@dataclass(frozen=True)
class Served:
    """A service with a history, its commands' environment, and its API's answers."""

    settings: Settings
    env: dict[str, str]
    key: str
    creator: str
    answers: dict[str, Any]


@pytest.fixture
def service(settings: Settings, database_url: str) -> Iterator[Served]:
    settings = settings.at(NOW)
    with (
        operational_store(settings) as store,
        running_api(settings, store) as api,
        new_tenant(api) as tenant,
    ):
        creator = tenant.creator()["id"]
        tenant.video()
        tenant.campaign()
        [method, *_] = tenant.client.data("GET", "/payout-methods")
        account = {"payout_method_id": method["id"], "details": {"iban": "DE00 1234"}}
        tenant.client.data("PUT", f"/creators/{creator}/payout-account", json=account)
        readings: dict[datetime, dict[str, int | None]] = {at: {"view": at.month} for at in MONTHS}
        history = History(
            videos=[Video("one", readings, creator=UUID(creator))],
            accounts=[Account("account", dict.fromkeys(MONTHS, 7), creator=UUID(creator))],
            as_of=NOW,
            organization=tenant.organization_id,
        )
        publish_history(settings, history)
        answers = all_answers(api, tenant.client, creator)
        yield Served(
            settings,
            environment(settings.home_path, database_url),
            tenant.made.api_key,
            creator,
            answers,
        )


def all_answers(api: Api, client: Client, creator: str) -> dict[str, Any]:
    """The API's answers to a GET of every collection, and to a series over all months."""
    paths = [
        path.removeprefix("/api/v2")
        for path, operations in api.document["paths"].items()
        if "get" in operations and "{" not in path
    ]
    answers = {path: client.get(path) for path in paths}
    series = {"entity": "creator", "entity_id": creator, **SERIES}
    answers["series"] = client.get("/analytics", params=series)
    return {path: without_request(answer.json()) for path, answer in answers.items()}


def without_request(envelope: Any) -> Any:
    if isinstance(envelope, dict) and isinstance(envelope.get("meta"), dict):
        envelope["meta"].pop("request_id", None)
    return envelope


@pytest.fixture
def elsewhere(databases: FreshDatabase, tmp_path: Path) -> Iterator[Settings]:
    with databases() as url:
        with psycopg.connect(url) as connection:
            connection.execute("drop schema public cascade")
            connection.execute("create schema public")
        yield settings_for(tmp_path / "elsewhere", url).at(NOW)


def environment_of(settings: Settings) -> dict[str, str]:
    return environment(settings.home_path, settings.database_url.get_secret_value())


@pytest.mark.slow
def test_the_restored_api_gives_the_same_answers(
    service: Served, elsewhere: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "backup"
    backup = tracker_here("backup", str(folder), "--json", env=service.env)
    assert backup.returncode == 0, backup.stderr
    report = json.loads(backup.stdout)
    assert report["path"] == str(folder)
    assert report["files"] == sum(1 for path in folder.rglob("*") if path.is_file()) - 1
    assert "Dumping PostgreSQL" in backup.stderr
    assert BACKUP in last_ended(service.settings.metrics_path, "succeeded")

    env = {**environment_of(elsewhere), "TRACKER_SECRET_KEY": "another than the one of the backup"}
    restored = tracker_here("restore", str(folder), "--json", env=env)

    assert restored.returncode == 0, restored.stderr
    assert json.loads(restored.stdout)["unreadable"] == ["payout details"]
    assert "The secret key does not open: payout details." in restored.stderr
    assert json.loads(restored.stdout)["as_of"] == "2026-05-20T12:00:00+00:00"
    with (
        operational_store(elsewhere) as store,
        running_api(elsewhere, store) as api,
        api.client(service.key) as client,
    ):
        answers = all_answers(api, client, service.creator)
    assert answers == service.answers
    assert all(answers[path]["data"] for path in ("/creators", "/campaigns", "series"))
    [line] = answers["series"]["data"]["series"]
    assert sum(point["value"] or 0 for point in line["points"]) == MONTHS[-1].month


@pytest.mark.slow
def test_only_the_newest_daily_backups_stay(service: Served, tmp_path: Path) -> None:
    backups = tmp_path / "backups"
    old, ahead = backups / "2026-05-19T033000Z", backups / "2099-05-19T033000Z"
    foreign = backups / "2026-05-18"
    for folder in (old, ahead, foreign):
        folder.mkdir(parents=True)
        (folder / "manifest.json").touch()
    backup = tracker_here("backup", "--retain", "1", str(backups), "--json", env=service.env)
    assert backup.returncode == 0, backup.stderr
    first = Path(json.loads(backup.stdout)["path"])
    assert {*backups.iterdir()} == {foreign, first}
    few = {backups / "few" / f"2026-05-{day}T033000Z" for day in range(10, 20)}
    for folder in few:
        folder.mkdir(parents=True)
        (folder / "manifest.json").touch()
    backup = tracker_here("backup", "--retain", "14", str(backups / "few"), env=service.env)
    assert backup.returncode == 0, backup.stderr
    assert {*(backups / "few").iterdir()} > few


@pytest.mark.parametrize("effects", [1, 4, 8])
def test_a_killed_deletion_continues_with_the_next_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effects: int
) -> None:
    old, made = tmp_path / "2026-05-10T033000Z", tmp_path / "2026-05-12T033000Z"
    for folder in (old, made):
        (folder / "landing").mkdir(parents=True)
        for name in ("landing/batch", *map(str, range(8)), "manifest.json"):
            (folder / name).touch()
    left = count(effects, -1)

    def or_killed(change: Callable[..., None]) -> Callable[..., None]:
        def changed(*arguments: Any, **options: Any) -> None:
            if not next(left):
                raise KeyboardInterrupt
            change(*arguments, **options)

        return changed

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        for name in ("unlink", "rmdir"):
            patch.setattr(os, name, or_killed(getattr(os, name)))
        _delete_older(made, 1)
    _delete_older(made, 1)
    assert not old.exists() or not [*old.iterdir()]
    assert len([*made.rglob("*")]) == 11


@pytest.mark.slow
def test_a_backup_waits_for_the_writer_with_a_message(service: Served, tmp_path: Path) -> None:
    with warehouse_lock(service.settings):
        process = started("backup", str(tmp_path / "backup"), env=service.env)
        message = process.stderr.readline()
        assert "waiting for the warehouse, which process" in message
        assert not (tmp_path / "backup").exists()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert (tmp_path / "backup" / "manifest.json").exists()


@pytest.mark.slow
def test_impossible_backups_are_reported_in_one_line(
    service: Served, elsewhere: Settings, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    for arguments, env, complaint in (
        (["backup", str(tmp_path / "full")], service.env, "already exists"),
        (["restore", str(tmp_path / "none")], environment_of(elsewhere), "is not a backup"),
    ):
        refused = tracker_here(*arguments, env=env)
        assert refused.returncode == 1
        assert refused.stdout == ""
        assert complaint in refused.stderr.splitlines()[-1]


def test_older_backups_are_deleted_even_if_the_backup_cannot_be_recorded(
    settings: Settings, database_url: str, tmp_path: Path
) -> None:
    """A full disk of the data folder must not fill the backups' disk too."""
    env = environment(settings.home_path, database_url)
    settings.home_path.mkdir(exist_ok=True)
    settings.metrics_path.write_text("no folder")
    before = tmp_path / "backups" / "2026-05-10T033000Z"
    before.mkdir(parents=True)
    (before / "manifest.json").touch()
    backup = tracker_here("backup", "--retain", "1", str(before.parent), env=env)
    assert backup.returncode == 0, backup.stderr
    assert not before.exists()


def test_the_current_folder_can_be_the_backups_folder(
    settings: Settings, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    backup = tracker_here("backup", ".", env=environment(settings.home_path, database_url))
    assert backup.returncode == 0, backup.stderr
    assert (tmp_path / "empty" / "manifest.json").exists()


def test_a_restore_shows_what_it_copies_in_the_bucket(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    objects = {"data/one": FileVersion(3 << 20, "v1")}
    monkeypatch.setattr(batches, "bring_objects", lambda *_: iter([3 << 20]))
    with _spoken() as on_progress:
        _bring(Settings(home=tmp_path), BucketRecord(url="s3://a", objects=objects), on_progress)
    assert "Copying objects" in capsys.readouterr().err
