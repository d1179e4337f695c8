"""The demo, shortened: what it prints is what the simulated platforms say themselves."""

import io
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from orchestration.cli.demo import stage
from orchestration.cli.demo.answers import show
from orchestration.cli.demo.command import Played, play, say_where_to_look_next
from orchestration.cli.demo.story import Story
from orchestration.cli.opening import opened_store
from orchestration.cli.output import OUT
from scrapers.simulator import World
from serving_api.oauth.sign_in import Person, sign_in
from tests.fixtures.operational import settings_for
from tests.orchestration.commands import environment, tracker
from warehouse.operational.server import is_alive
from warehouse.platforms import PLATFORMS

STORY = Story(creators=6, days=4, builds=(3, 4))
TRACKED_SINCE = datetime(2026, 8, 24, 22, tzinfo=UTC)
"""Midnight of 25 August in Berlin, two hours ahead of UTC."""


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A folder that PostgreSQL's own user can reach, unlike pytest's for root."""
    folder = Path(tempfile.mkdtemp(prefix="tracker-demo-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def played(home: Path) -> Played:
    return play(stage.fresh_home(settings_for(home)), STORY)


@pytest.fixture(scope="module")
def world() -> World:
    return World(STORY.seed, stage.CREATORS_IN_WORLD)


class TestDemo:
    def test_every_answer_agrees_with_the_simulator(self, played: Played) -> None:
        answers = [answer for question in played.questions for answer in question.answers]
        assert len(answers) > STORY.days
        assert [answer for answer in answers if answer.served != answer.true] == []
        assert all(answer.served for answer in answers)

    def test_views_of_tiktok_posts_are_exact_to_the_last_one(
        self, played: Played, world: World
    ) -> None:
        handle = played.cast.campaign_members[0]
        now = STORY.sweeps[-1]
        true = {
            f"tiktok {post.platform_video_id}": post.view_count
            for post in world.posts("tiktok", handle, now)
            if post.posted_at >= TRACKED_SINCE
        }
        shown = {
            answer.label: answer.served
            for answer in played.questions[-1].answers
            if answer.label.startswith("tiktok")
        }
        assert shown
        assert shown.items() <= true.items()

    def test_a_creators_days_add_up_all_platforms(self, played: Played, world: World) -> None:
        handle = played.cast.campaign_members[0]
        for answer, now in zip(played.questions[0].answers, STORY.sweeps, strict=True):
            tiktok, *others = (
                sum(
                    post.view_count or 0
                    for post in world.posts(platform, handle, now)
                    if post.posted_at >= TRACKED_SINCE and not post.plays_hidden
                )
                for platform in PLATFORMS
            )
            assert answer.served is not None
            assert tiktok <= answer.served <= tiktok + sum(others)

    def test_the_numbers_are_printed_with_the_request_that_gave_them(self, played: Played) -> None:
        printed = io.StringIO()
        show(Console(file=printed, width=200), played.questions)
        text = printed.getvalue()
        assert "≠" not in text
        for question in played.questions:
            assert question.request in text
            assert all(f"{answer.served:,}" in text for answer in question.answers)

    def test_what_is_said_of_sql_works_as_it_stands(self, played: Played, home: Path) -> None:
        with OUT.capture() as captured:
            say_where_to_look_next(settings_for(home), STORY, played)
        lines = captured.get().splitlines()
        begins = next(number for number, line in enumerate(lines) if "import duckdb" in line)
        command = "\n".join(lines[begins : begins + 2])
        shown = subprocess.run(["bash", "-c", command], check=True, capture_output=True, text=True)
        assert "new_followers" in shown.stdout

    def test_what_is_said_of_the_desk_sets_the_password_that_is_told(
        self, played: Played, home: Path
    ) -> None:
        with OUT.capture() as captured:
            say_where_to_look_next(settings_for(home), STORY, played)
        text = captured.get()
        [command] = [line for line in text.splitlines() if "set-password" in line]
        said = subprocess.run(["bash", "-c", command], check=True, capture_output=True, text=True)
        assert said.stdout == "admin@demo.invalid has another password.\n"
        assert "admin@demo.invalid signs in with that password at http://" in text
        password = command.split("'")[1]
        with opened_store(settings_for(home)) as store:
            came = sign_in(store, "admin@demo.invalid", password, datetime.now(UTC))
        assert isinstance(came, Person)

    def test_nothing_is_left_running(self, played: Played, home: Path) -> None:
        assert not is_alive(home / "postgres")


def test_a_folder_that_is_no_demo_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("data", encoding="utf-8")
    refused = tracker("demo", env=environment(tmp_path))
    assert refused.returncode == 1
    assert "holds something else than a demo" in refused.stderr
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "data"
