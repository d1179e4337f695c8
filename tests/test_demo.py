"""The demo: its numbers agree with the simulator, and no recipe or cell is empty."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import duckdb
import httpx
import pytest
from rich.console import Console

from orchestration.cli.demo import stage
from orchestration.cli.demo.answers import show
from orchestration.cli.demo.command import ADMIN, PASSPHRASE, Played, play, print_examples
from orchestration.cli.demo.program import ON_BOTH
from orchestration.cli.demo.rest import Rest
from orchestration.cli.demo.story import Story
from orchestration.cli.output import OUT
from orchestration.cli.ports import free_port
from scrapers.simulator import World
from tests.factories.visitors import read
from tests.fixtures.agents import Agent
from tests.fixtures.api import Api, running_api
from tests.fixtures.operational import settings_for
from tests.orchestration.commands import PATIENCE_SECONDS, environment, tracker_here
from tests.scenarios.test_recipes import RECIPES, RUN_NOTEBOOK, UNREACHABLE
from tests.serving_api.mcp import tasks
from warehouse.operational.server import is_alive
from warehouse.operational.store import operational_store

STORY = Story()
SERVE_DESK = """
import signal
from orchestration.cli.demo.stage import serve_desk
from warehouse.settings import Settings
signal.signal(signal.SIGINT, signal.default_int_handler)
serve_desk(Settings(), {}, "someone")
"""
TRACKED_SINCE = datetime(2026, 8, 24, 22, tzinfo=UTC)
"""Midnight of 25 August in Berlin, at UTC+2."""


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A folder that PostgreSQL's own user can read, unlike pytest's for root."""
    folder = Path(tempfile.mkdtemp(prefix="tracker demo-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def played(home: Path) -> Played:
    played = play(stage.fresh_home(settings_for(home)), STORY)
    assert not is_alive(home / "postgres"), "PostgreSQL was left running"
    return played


@pytest.fixture(scope="module")
def world() -> World:
    return World(STORY.seed, stage.CREATORS_IN_WORLD, fraud=stage.FRAUD)


@pytest.fixture(scope="module")
def lines(played: Played, home: Path) -> list[str]:
    """The printed examples of next steps."""
    with OUT.capture() as captured:
        print_examples(settings_for(home), STORY, played)
    return [line.strip() for line in captured.get().splitlines() if line.startswith("  ")]


class TestNumbers:
    @pytest.mark.slow
    def test_every_answer_agrees_with_the_simulator(self, played: Played) -> None:
        answers = [answer for question in played.questions for answer in question.answers]
        assert len(answers) > STORY.days
        assert [answer for answer in answers if answer.served != answer.true] == []
        assert all(answer.served for answer in answers)

    @pytest.mark.slow
    def test_views_of_tiktok_posts_are_exact_to_the_last_one(
        self, played: Played, world: World
    ) -> None:
        handle = played.program.handles[ON_BOTH]
        now = STORY.crawls[-1]
        true = {
            f"tiktok {post.platform_video_id}": post.view_count
            for post in world.posts("tiktok", handle, now)
            if post.posted_at >= TRACKED_SINCE
        }
        views_by_label = {
            answer.label: answer.served
            for answer in played.questions[2].answers
            if answer.label.startswith("tiktok")
        }
        assert views_by_label
        assert views_by_label.items() <= true.items()

    @pytest.mark.slow
    def test_each_question_is_printed_with_how_many_answers_agree(self, played: Played) -> None:
        printed = io.StringIO()
        show(Console(file=printed, width=200), played.questions)
        for question in played.questions:
            answer_count = len(question.answers)
            [row] = [line for line in printed.getvalue().splitlines() if question.text in line]
            assert f"{answer_count} of {answer_count}" in row
            assert f"{question.answers[-1].served:,}" in row


class TestMoney:
    @pytest.mark.slow
    def test_an_amount_has_the_views_and_the_day_of_the_simulator(self, played: Played) -> None:
        bonuses, owed = (question.answers for question in played.questions[3:])
        assert len(bonuses) > STORY.days
        pattern = r"[\d,]+ views, threshold (5|20),000 reached on 2026-09-\d\d"
        assert all(re.fullmatch(pattern, bonus.label) for bonus in bonuses)
        assert owed[0].true == owed[0].served
        assert owed[0].true > sum(bonus.true or 0 for bonus in bonuses)  # the rest is a commission

    @pytest.mark.slow
    def test_paid_and_committed_amounts_are_distinguished(self, lines: list[str]) -> None:
        assert any(
            re.search(r"the budget: \$0.00 paid, \$[\d,.]+ committed", line) for line in lines
        )


class TestStory:
    @pytest.mark.slow
    def test_posts_have_their_pictures(self, played: Played, home: Path) -> None:
        assert len(list((home / "files" / "pictures").iterdir())) > len(played.questions[2].answers)

    @pytest.mark.slow
    def test_every_recipe_has_an_answer(self, played: Played, home: Path, tmp_path: Path) -> None:
        current = settings_for(home).publications_path / "current.duckdb"
        copied = shutil.copy(current, tmp_path / "copied.duckdb")  # this process's API has it open
        with duckdb.connect(copied, read_only=True) as connection:
            connection.execute("set TimeZone = 'UTC'; set schema = 'marts'")
            answers = {
                number: connection.execute(query).fetchall() for number, query in RECIPES.items()
            }
        assert [number for number, rows in answers.items() if not rows] == []
        assert all(cost for _, _, cost, *_ in answers[1])

    @pytest.mark.slow
    def test_every_table_and_plot_of_the_notebook_has_rows(
        self, played: Played, home: Path
    ) -> None:
        ended = subprocess.run(
            [sys.executable, "-c", RUN_NOTEBOOK],
            check=True,
            env={**os.environ, "TRACKER_HOME": str(home), "HTTPS_PROXY": UNREACHABLE},
            stdout=subprocess.PIPE,
            text=True,
        )
        cells = json.loads(ended.stdout)
        assert len(cells) == 8
        for name, cell in cells.items():
            rows = list(cell["datasets"].values()) if name.endswith("_plot") else [cell]
            assert all(rows), name


@pytest.fixture(scope="module")
def served(played: Played, home: Path) -> Iterator[Api]:
    settings = settings_for(home).at(STORY.crawls[-1])
    with operational_store(settings) as store, running_api(settings, store) as api:
        yield api


@pytest.fixture(scope="module")
def keys(served: Api, played: Played) -> dict[str, str]:
    """The demo's key, and the key of scope `read` that the guide recommends."""
    organization = played.program.organization
    with served.client(organization.api_key) as client:
        path = f"/organizations/{organization.organization_id}/api-keys"
        body = {"name": "Agent", "scopes": ["read"]}
        read = client.data("POST", path, json=body)["key"]
    return {"read": read, "write": organization.api_key}


class TestAgents:
    @pytest.mark.slow
    @pytest.mark.parametrize("task", tasks.TASKS, ids=lambda task: task.question)
    def test_each_task_has_an_answer(
        self, served: Api, keys: dict[str, str], task: tasks.Task
    ) -> None:
        with Agent(served, keys[task.scope]) as agent:
            assert tasks.run(agent, task)


STATUSES = ("final", "on_hold", "approved", "paid", "settling", "open", "void")
SENTENCES = re.compile(r"<(ul|caption|p)\b[^>]*>(.*?)</\1>", re.DOTALL)
LINK = re.compile(r'<a href="(/desk/projects/[^"]+)"[^>]*>(.*?)</a>', re.DOTALL)
NUMBER = re.compile(r"\$?\d[\d,]*(?:\.\d\d)?")


def shows(page: httpx.Response, number: str) -> bool:
    """Whether a page has a number, as its total if it has one."""
    text = read(page)
    total = re.search(r"Total: (\$[\d,.]*\d)", text)
    return number == total[1] if total and "$" in number else number in NUMBER.findall(text)


class TestDesk:
    @pytest.mark.slow
    def test_each_number_of_a_sentence_is_that_of_the_page_that_it_links(
        self, served: Api, played: Played
    ) -> None:
        """An amount in progress is put on hold beside one to approve."""
        home = f"/desk/projects/{played.program.organization.project_id}"
        with httpx.Client(base_url=served.base_url, timeout=60, follow_redirects=True) as desk:

            def send(page: str, action: str, **fields: str) -> None:
                form = re.search(r'name="form" value="([^"]+)"', desk.get(page).text)
                assert form
                data = {"form": unescape(form[1]), **fields}
                assert desk.post(action, data=data).is_success

            send("/desk/sign-in", "/desk/sign-in", email=ADMIN, password=PASSPHRASE, to="/desk")
            amounts = desk.get(f"{home}/payouts?status=open").text
            amount = next(path for path, _ in LINK.findall(amounts) if "/amounts/" in path)
            send(amount, f"{amount}/hold", reason="Not signed")
            lists = [f"/payouts?status={status}" for status in STATUSES]
            links: set[tuple[str, str]] = set()
            for page in ("", "/health", "/posts/rising", "/posts/ranked", "/creators", *lists):
                for _, sentence in SENTENCES.findall(desk.get(home + page).text):
                    links.update(LINK.findall(sentence))
            numbers = {
                (unescape(path), number)
                for path, words in links
                for number in NUMBER.findall(unescape(re.sub(r"<[^>]+>", "", words)))
            }
            assert len(numbers) > 20
            wrong = [each for each in numbers if not shows(desk.get(each[0]), each[1])]
        assert wrong == []


class TestEnd:
    @pytest.mark.slow
    def test_there_are_nine_lines_and_the_desk_is_first(self, lines: list[str]) -> None:
        assert len(lines) == 9
        assert f"{ADMIN}, password: {PASSPHRASE}" in lines[1]

    @pytest.mark.slow
    def test_the_line_of_sql_returns_the_printed_result(self, lines: list[str]) -> None:
        command = "\n".join(lines[:1] + [line for line in lines if line.startswith("tracker sql")])
        process = subprocess.run(
            ["bash", "-c", command], check=True, capture_output=True, text=True
        )
        [views] = re.findall(r"for ([\d,]+) views", command)
        assert views.replace(",", "") in process.stdout


@pytest.mark.slow
def test_the_desk_is_open_at_the_end_until_ctrl_c(played: Played, home: Path) -> None:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE_DESK.format(port)],
        env=environment(home),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    line = next(line for line in process.stderr if line.startswith("The desk is open"))
    assert f"http://127.0.0.1:{port}/desk, someone. " in line
    opened = httpx.get(f"http://127.0.0.1:{port}/desk", follow_redirects=True)
    current = settings_for(home).publications_path / "current.duckdb"
    published = current.readlink()
    with closing(Rest(f"http://127.0.0.1:{port}", played.program.organization.api_key)) as rest:
        creator = f"/creators/{played.program.creators[ON_BOTH]}"
        rest.post(f"{creator}/tags", {"tags": ["Changed"]})
    deadline = time.monotonic() + PATIENCE_SECONDS
    while current.readlink() == published:
        assert time.monotonic() < deadline, "the desk's changes are published"
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, rest) == (0, "")
    assert opened.status_code == httpx.codes.OK
    assert "Password" in opened.text


def test_a_folder_that_is_no_demo_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("data", encoding="utf-8")
    refused = tracker_here("demo", env=environment(tmp_path))
    assert refused.returncode == 1
    assert "is not empty and not a demo" in refused.stderr
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "data"
