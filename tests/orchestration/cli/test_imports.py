"""`tracker import`, `backfill` and `rebuild` as people use them."""

import json
from pathlib import Path
from uuid import UUID

import pytest

from tests.factories.tracking import add_account, add_video
from tests.orchestration.commands import environment, tracker_here
from warehouse.imports.layouts import COLUMNS, VIDEO_SNAPSHOTS
from warehouse.landing.batches import registered
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

NOW = {"TRACKER_NOW": "2026-05-20T12:00:00Z"}

NOTHING_LOADED = (
    "nothing was loaded: 1 of 3 rows are invalid. Fix them, or load the others with --skip-bad."
)


@pytest.fixture
def env(tmp_path: Path, database_url: str) -> dict[str, str]:
    return environment(tmp_path, database_url, **NOW)


@pytest.fixture
def file(store: OperationalStore, organization: NewOrganization, tmp_path: Path) -> Path:
    """Two readings of a known post, with an invalid value between them."""
    add_video(store, organization, "7001")
    path = tmp_path / "history.csv"
    lines = [
        ",".join(COLUMNS[VIDEO_SNAPSHOTS]),
        "tiktok,7001,2026-05-01T10:00:00Z,10,,,,",
        "tiktok,7001,2026-05-02T10:00:00Z,\x1b[31m[red],,,,",
        "tiktok,7001,2026-05-03T10:00:00Z,12,,,,",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


class TestImport:
    def test_bad_rows_are_named_on_stderr_and_nothing_is_loaded(
        self, env: dict[str, str], organization: NewOrganization, file: Path, settings: Settings
    ) -> None:
        project = str(organization.project_id)
        refused = tracker_here(
            "import", "video-snapshots", str(file), "--project", project, env=env
        )
        assert refused.returncode == 1
        assert refused.stderr.splitlines()[-2:] == [
            r"tracker: line 3: view_count '\x1b[31m[red]' is not a whole number",
            f"tracker: {NOTHING_LOADED}",
        ]
        assert "\x1b" not in refused.stderr
        assert registered(settings.landing_path) == []

    def test_the_good_rows_are_loaded_on_request_and_json_reports_them(
        self, env: dict[str, str], organization: NewOrganization, file: Path, settings: Settings
    ) -> None:
        arguments = ["--project", str(organization.project_id), "--skip-bad", "--json"]
        done = tracker_here("import", "video-snapshots", str(file), *arguments, env=env)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {
            "rows": 3,
            "bad": 1,
            "loaded": 2,
            "known": 0,
            "outside_window": 0,
            "problems": [
                {
                    "line": 3,
                    "column": "view_count",
                    "value": "\x1b[31m[red]",
                    "reason": "is not a whole number",
                }
            ],
        }
        assert len(registered(settings.landing_path)) == 1

    @pytest.mark.parametrize(
        ("lines", "found"),
        [
            ([], "nothing was loaded: the file has no rows."),
            (["tiktok,7001,soon,10,,,,"] * 2, "nothing was loaded: 2 of 2 rows are invalid."),
        ],
    )
    def test_a_file_without_loaded_rows_fails(
        self,
        env: dict[str, str],
        organization: NewOrganization,
        file: Path,
        lines: list[str],
        found: str,
    ) -> None:
        file.write_text("\n".join([",".join(COLUMNS[VIDEO_SNAPSHOTS]), *lines]) + "\n")
        arguments = ["--project", str(organization.project_id), "--skip-bad"]
        done = tracker_here("import", "video-snapshots", str(file), *arguments, env=env)
        assert (done.returncode, done.stderr.splitlines()[-1]) == (1, f"tracker: {found}")

    def test_posts_are_registered(
        self,
        env: dict[str, str],
        store: OperationalStore,
        organization: NewOrganization,
        tmp_path: Path,
    ) -> None:
        add_account(store, organization, "demo", platform="instagram")
        path = tmp_path / "posts.csv"
        path.write_text(
            "platform,handle,platform_video_id,posted_at,caption\n"
            "instagram,demo,DXyrDajktaH,2026-05-01T10:00:00Z,hello\n"
        )
        arguments = ["import", "videos", str(path), "--project", str(organization.project_id)]
        first, second = tracker_here(*arguments, env=env), tracker_here(*arguments, env=env)
        assert "loaded          1" in first.stdout
        assert "known           1" in second.stdout

    @pytest.mark.parametrize(
        ("arguments", "refusal"),
        [
            (["video-snapshots", "nowhere.csv"], ("No such file", 1)),
            (["videos", "{file}"], ("has no column handle", 1)),
            (
                ["video-snapshots", "{file}", "--project", f"{'0' * 8}-0000-0000-0000-{'0' * 12}"],
                ("there is no project", 1),
            ),
            (["comments", "{file}"], ("comments", 2)),
            (["videos", "{file}", "--project", "mine"], ("UUID", 2)),
        ],
    )
    def test_impossible_imports_are_reported_in_one_line(
        self,
        env: dict[str, str],
        organization: NewOrganization,
        file: Path,
        arguments: list[str],
        refusal: tuple[str, int],
    ) -> None:
        complaint, exit_code = refusal
        words = [argument.format(file=file) for argument in arguments]
        project = [] if "--project" in words else ["--project", str(organization.project_id)]
        refused = tracker_here("import", *words, *project, env=env)
        assert (refused.returncode, refused.stdout) == (exit_code, "")
        assert complaint in refused.stderr
        assert "Traceback" not in refused.stderr


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_template_names_the_columns(env: dict[str, str], kind: str) -> None:
    assert (
        tracker_here("import", "--template", kind, env=env).stdout == f"{','.join(COLUMNS[kind])}\n"
    )


def test_an_unknown_template_is_refused(env: dict[str, str]) -> None:
    refused = tracker_here("import", "--template", "comments", env=env)
    assert refused.returncode == 2
    assert "use one of videos, video-snapshots" in refused.stderr


def test_an_import_is_listed_and_retracted(
    env: dict[str, str], organization: NewOrganization, file: Path
) -> None:
    def listed() -> list[dict[str, object]]:
        listing = tracker_here("import", "list", "--json", env=env)
        rows: list[dict[str, object]] = json.loads(listing.stdout)
        return rows

    arguments = ["--project", str(organization.project_id), "--skip-bad"]
    tracker_here("import", "video-snapshots", str(file), *arguments, env=env)
    [row] = listed()
    assert (row["file"], row["row_count"], row["retracted_at"]) == ("history.csv", 2, None)
    import_id = str(row["id"])
    retracted = tracker_here("import", "retract", import_id, "--reason", "[wrong]", env=env)
    assert (retracted.returncode, retracted.stdout) == (0, "")
    assert "`tracker run` computes without its readings" in retracted.stderr
    assert listed()[0]["retraction_reason"] == "[wrong]"
    listing = tracker_here("import", "list", env=env).stdout
    assert "2 rows  history.csv, by " in listing
    assert "retracted 2026-05-20 12:00Z: [wrong]" in listing
    again = tracker_here("import", "retract", import_id, "--reason", "again", env=env)
    assert again.returncode == 1
    assert "cannot be retracted: it was retracted at 2026-05-20" in again.stderr
    for reason, complaint in ((" ", "--reason is empty"), ("x", "there is no import")):
        refused = tracker_here("import", "retract", str(UUID(int=1)), "--reason", reason, env=env)
        assert complaint in refused.stderr
        assert "Traceback" not in refused.stderr


class TestBackfill:
    @pytest.mark.parametrize(
        ("first", "last", "complaint"),
        [
            ("2026-05-02", "2026-05-01", "--from is after --to"),
            ("2009-12-31", "2026-05-01", "between 2010-01-01 and 2026-05-20"),
            ("2026-05-01", "2026-05-21", "between 2010-01-01 and 2026-05-20"),
            ("yesterday", "2026-05-01", "yesterday"),
        ],
    )
    def test_days_that_form_no_range_are_refused(
        self, env: dict[str, str], first: str, last: str, complaint: str
    ) -> None:
        refused = tracker_here("backfill", "--from", first, "--to", last, env=env)
        assert refused.returncode == 2
        assert complaint in refused.stderr
