"""The `tracker` command as people use it: its output and exit codes."""

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from ctypes.util import find_library
from pathlib import Path
from subprocess import CompletedProcess, run
from uuid import UUID

import duckdb
import pytest
from typer.testing import CliRunner

from orchestration.cli.app import Tracker, app
from scrapers.simulator import RunningSimulator
from tests.factories.marts import FEW, empty_marts
from tests.orchestration.commands import PATIENCE_SECONDS, environment, tracker_here
from tests.orchestration.conftest import FIRST_DAY
from warehouse.connection import open_warehouse
from warehouse.publication.publish import publish
from warehouse.settings import REPOSITORY, Settings


@pytest.fixture
def env(tmp_path: Path, database_url: str) -> dict[str, str]:
    return environment(tmp_path, database_url)


class TestOrgCreate:
    def test_an_organization_is_made_with_its_first_project(self, env: dict[str, str]) -> None:
        made = tracker_here(
            *("org", "create", "--name", "Acme", "--plan", "ultra", "--tz", "Europe/Berlin"),
            *("--project", "Launch", "--json"),
            env=env,
        )
        assert made.returncode == 0
        answer = json.loads(made.stdout)
        assert list(answer) == ["organization_id", "user_id", "api_key", "project_id"]
        assert UUID(answer["project_id"])
        assert answer["api_key"].startswith("svc_")

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            (["--tz", "Mars/Olympus"], "Mars/Olympus"),
            (["--plan", "gold"], "gold"),
            (["--project", ""], "project_name"),
            (["--email", "nobody"], "nobody"),
        ],
    )
    def test_an_invalid_organization_is_reported_in_one_line(
        self, env: dict[str, str], arguments: list[str], complaint: str
    ) -> None:
        refused = tracker_here("org", "create", "--name", "Acme", *arguments, env=env)
        assert refused.returncode == 2
        assert refused.stdout == ""
        (line,) = refused.stderr.splitlines()
        assert complaint in line


UNDER_A_UNIT = """
import sys
from tests.fixtures.syscalls import restrict
restrict(sys.stdin.read())
from orchestration.cli.app import main
main()
"""


def tracker_under_a_unit(*arguments: str, env: Mapping[str, str]) -> CompletedProcess[str]:
    """Run a command under the units' filter: Polars calls cachestat, unknown to systemd 252."""
    unit = REPOSITORY / "docs/operations/systemd/tracker.service"
    return run(
        [sys.executable, "-c", UNDER_A_UNIT, *arguments],
        env=dict(env),
        input=unit.read_text(),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


class TestRun:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        "tracker",
        [
            tracker_here,
            pytest.param(
                tracker_under_a_unit,
                marks=pytest.mark.skipif(
                    not (shutil.which("systemd-analyze") and find_library("seccomp")),
                    reason="not installed (Debian: apt-get install systemd libseccomp2)",
                ),
            ),
        ],
    )
    def test_a_run_reports_as_json_and_publishes(
        self,
        tracker: Callable[..., CompletedProcess[str]],
        env: dict[str, str],
        two_tracked: list[str],
        simulator: RunningSimulator,
    ) -> None:
        simulator.set_now(FIRST_DAY)
        env |= {
            "TRACKER_TIKTOK_BASE_URL": simulator.tiktok_url,
            "TRACKER_INSTAGRAM_BASE_URL": simulator.instagram_url,
            "TRACKER_SCRAPE_REQUESTS_PER_SECOND": "10000",
            "TRACKER_COMMENT_REQUESTS_PER_SECOND": "10000",
        }
        ran = tracker("run", "--as-of", FIRST_DAY.isoformat(), "--json", env=env)
        assert ran.returncode == 0, ran.stderr
        report = json.loads(ran.stdout)
        assert report["outcomes"]["ok"] >= 2 * 2 * len(two_tracked)
        assert "collect comments" in report["seconds"]
        with duckdb.connect(report["publication_path"], read_only=True) as publication:
            handles = publication.sql("select distinct handle from marts.accounts").fetchall()
        assert sorted(handle for (handle,) in handles) == sorted(two_tracked)

    @pytest.mark.slow
    def test_a_failed_step_is_one_line_with_a_way_out(
        self, env: dict[str, str], settings: Settings
    ) -> None:
        with open_warehouse(settings) as warehouse:
            warehouse.execute("alter table raw.account_snapshots rename video_count to videos")
        failed = tracker_here("run", "--no-scrape", env=env)
        assert failed.returncode == 1
        complaint = failed.stderr.splitlines()[-1]
        assert complaint.startswith("tracker: compute: ")
        assert "The last publication is still served" in complaint

    @pytest.mark.parametrize(
        "as_of",
        [
            "yesterday",
            "2026-03-01",
            "2026-03-01T06:00:00",
            "9999-12-31T23:00:00-12:00",
            "2206-03-01T06:00:00Z",
        ],
    )
    def test_an_instant_needs_its_offset(self, env: dict[str, str], as_of: str) -> None:
        refused = tracker_here("run", "--as-of", as_of, env=env)
        assert refused.returncode == 2
        assert "2026-03-01T06:00:00Z" in refused.stderr

    def test_an_unusable_setting_is_named(self, env: dict[str, str]) -> None:
        refused = tracker_here("run", env={**env, "TRACKER_NOW": "soon"})
        assert refused.returncode == 2
        assert refused.stderr.startswith("tracker: TRACKER_NOW is invalid")


class TestServe:
    @pytest.mark.parametrize("command", ["serve", "up"])
    def test_several_processes_need_redis_for_rate_limits(
        self, env: dict[str, str], command: str
    ) -> None:
        refused = tracker_here(command, "--workers", "2", env=env)
        assert refused.returncode == 1
        assert refused.stderr.splitlines()[-1] == (
            "tracker: 2 processes cannot share rate limits without Redis."
            " Set TRACKER_REDIS_URL, or serve from one process."
        )


class TestPublish:
    def test_a_moved_publication_is_mended(
        self, tmp_path: Path, database_url: str, settings: Settings
    ) -> None:
        with empty_marts(FEW) as marts:
            publish(settings, marts, as_of=FIRST_DAY)
        moved = tmp_path.rename(tmp_path.with_name(f"{tmp_path.name}-moved"))
        env = environment(moved, database_url)
        mended = tracker_here("publish", "--relocate", "--json", env=env)
        assert mended.returncode == 0, mended.stderr
        path = json.loads(mended.stdout)["publication_path"]
        assert Path(path).is_relative_to(moved)
        with duckdb.connect(path, read_only=True) as publication:
            assert publication.sql("select count(*) from marts.video_deltas").fetchall() == [(0,)]

    @pytest.mark.parametrize("command", [["publish", "--relocate"], ["sql", "from campaigns"]])
    def test_a_publication_that_cannot_be_read_is_named_in_one_line(
        self, env: dict[str, str], settings: Settings, command: list[str]
    ) -> None:
        folder = settings.publications_path / "one"
        folder.joinpath("months").mkdir(parents=True)
        (folder / "publication.duckdb").write_bytes(b"damaged" * 1000)
        (settings.publications_path / "current.duckdb").symlink_to("one/publication.duckdb")
        refused = tracker_here(*command, env=env)
        assert refused.returncode == 1
        (line,) = refused.stderr.splitlines()
        assert "cannot be read" in line
        assert "tracker doctor" in line

    def test_relocating_nothing_says_what_makes_the_first_publication(
        self, env: dict[str, str]
    ) -> None:
        refused = tracker_here("publish", "--relocate", env=env)
        assert refused.returncode == 1
        assert "create one with `tracker run`" in refused.stderr


def test_help_groups_the_commands() -> None:
    printed = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).output
    assert Tracker.modules.keys() == set(" ".join(Tracker.headings.values()).split())
    at = [printed.index(f" {heading} ─") for heading in Tracker.headings]
    assert at == sorted(at)
    assert " Commands ─" not in printed
