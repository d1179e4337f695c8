"""`tracker lake`: lines for analysts, and what it refuses."""

from pathlib import Path

from tests.orchestration.commands import environment, tracker_here


def test_it_prints_the_line_by_which_a_role_attaches_it(tmp_path: Path, database_url: str) -> None:
    env = environment(tmp_path, database_url, TRACKER_LAKE_URL=".")
    printed = tracker_here("lake", "attach", "--role", "analyst", env=env)
    [line] = printed.stdout.splitlines()
    assert line.startswith("attach 'ducklake:postgres:")
    assert "user=analyst" in line
    assert line.endswith("as lake (metadata_schema 'lake', read_only); use lake.marts;")
    refused = tracker_here("lake", "grant", "analyst", env=env)
    assert (refused.returncode, "the lake is empty" in refused.stderr) == (1, True)


def test_it_says_where_there_is_none(tmp_path: Path) -> None:
    refused = tracker_here("lake", "attach", env=environment(tmp_path))
    assert refused.returncode == 1
    assert "there is no lake. Set TRACKER_LAKE_URL to its location." in refused.stderr
