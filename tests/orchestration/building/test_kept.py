"""What is made of the dbt project alone is made once for all processes of a user."""

import fcntl
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Event

import pytest

from orchestration.building import project_cache
from orchestration.building.dbt_command import PROJECT
from warehouse.catalogue import meanings
from warehouse.settings import REPOSITORY


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / "cache" / name)
    return tmp_path / "cache" / "creator-tracker" / "dbt"


def never() -> bytes:
    raise AssertionError("it is made already")


def test_it_is_made_once(cache: Path) -> None:
    assert project_cache.made_once("parsed", lambda: b"first") == b"first"
    assert project_cache.made_once("parsed", never) == b"first"
    assert project_cache.made_once("another", lambda: b"other") == b"other"
    assert cache.stat().st_mode & 0o777 == 0o700


def test_another_version_of_the_project_has_its_own(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project_cache.made_once("parsed", lambda: b"earlier")
    for number in range(project_cache.MOST_VERSIONS + 2):
        monkeypatch.setattr(project_cache, "_version", lambda number=number: f"version-{number}")
        assert project_cache.made_once("parsed", lambda: b"later") == b"later"
    assert len(list(cache.iterdir())) == project_cache.MOST_VERSIONS
    assert project_cache.made_once("parsed", never) == b"later"


def test_what_somebody_else_may_have_written_is_not_read(cache: Path) -> None:
    """It says which SQL is executed."""
    project_cache.made_once("parsed", lambda: b"ours or theirs")
    cache.chmod(0o777)
    assert project_cache.made_once("parsed", lambda: b"ours") == b"ours"


def test_where_nothing_can_be_kept_everybody_makes_their_own(cache: Path) -> None:
    cache.parent.parent.mkdir(parents=True)
    cache.parent.write_text("no folder")
    assert project_cache.made_once("parsed", lambda: b"mine") == b"mine"


def test_others_wait_for_the_process_that_makes_it(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, both_asked, lock = count(1), Event(), fcntl.flock

    def noting(*arguments: int) -> None:
        if next(calls) == 2:
            both_asked.set()
        lock(*arguments)

    monkeypatch.setattr(fcntl, "flock", noting)
    with ThreadPoolExecutor(1) as other:
        second: list[Future[bytes]] = []

        def slow() -> bytes:
            second.append(other.submit(project_cache.made_once, "parsed", never))
            assert both_asked.wait(60)
            return b"made once"

        assert project_cache.made_once("parsed", slow) == b"made once"
        assert second[0].result() == b"made once"
    assert cache.is_dir()


def test_its_version_follows_every_file_of_the_project() -> None:
    followed = {path for pattern in project_cache.SOURCES for path in REPOSITORY.glob(pattern)}
    catalogue = Path(meanings.__file__).parent.glob("*.py")  # describes columns that inherit
    sources = [*PROJECT.rglob("*.sql"), *PROJECT.rglob("*.yml"), *catalogue]
    of_others = {"target", "publication"}  # what dbt writes, and how MetricFlow reaches answers
    assert {path for path in sources if not of_others & {*path.parts}} <= followed
