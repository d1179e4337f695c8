"""Thirty days by one running clock, with six faults: it goes on, or says what to do.

After each the installation goes on by itself, or doctor has its line of docs/operations/monitor.md
within two minutes of the clock. At the end it has published what a build of nothing but the batches
publishes, which met no fault.
"""

import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.doses import REPOSITORY
from tests.factories.landing import post
from tests.qa.faults.business_clock import BusinessClock
from tests.qa.faults.month import Month, as_of_in, installed, needs_compiler
from tests.qa.faults.test_disk_full import fill, small_disk
from tests.qa.faults.test_month import STARTS, begin, compare
from tests.qa.faults.test_reported_faults import words_of
from tests.warehouse.operational.processes import wait_until
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.writer import LandingWriter

IN_TIME = timedelta(minutes=2)
THIRTY_DAYS = timedelta(days=30)
DETAILS = {"iban": "DE00 1234"}
MEGABYTES = 512
ROLLUPS = "select count(*) from dagster.runs where pipeline_name = 'rollup' and status = 'STARTED'"


@dataclass(frozen=True)
class Story:
    """An installation to which faults happen; `disk` is None if this user may mount none."""

    month: Month
    api: httpx.Client
    disk: Path | None

    def go_on(self, hours: float) -> None:
        self.month.clock.move_to(self.month.clock.now() + timedelta(hours=hours))

    def reports(self, fault: str, **environment: str) -> None:
        """Doctor has the line of a fault in time."""
        subject, words = words_of(fault)
        by = self.month.clock.now() + IN_TIME
        while True:
            done = self.month.command(REPOSITORY, "doctor", "--json", **environment)
            findings = json.loads(done.stdout)["findings"]
            lines = [line for line in findings if line["level"] != "ok"]
            if any(line["subject"] == subject and words in line["message"] for line in lines):
                return
            assert self.month.clock.now() < by, lines

    def payout_account(self, method: str = "GET", **request: Any) -> Any:
        """Call the API for the payout account of the first creator."""
        [creator, *_] = self.data("GET", "creators")
        return self.data(method, f"creators/{creator['id']}/payout-account", **request)

    def data(self, method: str, path: str, **request: Any) -> Any:
        answer = self.api.request(method, f"{self.month.base_url}/api/v2/{path}", **request)
        assert answer.is_success, answer.text
        return answer.json()["data"]


def restart_postgresql(story: Story) -> None:
    """During a rollup; nobody does anything."""
    story.go_on(6)
    with psycopg.connect(story.month.url, autocommit=True) as connection:
        wait_until(lambda: connection.execute(ROLLUPS).fetchall() != [(0,)])
    story.month.kill("postgresql")


def fill_disk(story: Story) -> None:
    if story.disk is None:
        return
    fill(story.disk)
    log = story.month.folder / "worker.log"
    story.go_on(6)
    wait_until(lambda: os.strerror(28) in log.read_text())
    story.reports("the disk of the data folder is full")
    (story.disk / "ballast").unlink()


def hang_daemon(story: Story) -> None:
    [daemon, *_] = story.month.of_up("dagster-daemon")
    os.kill(daemon, signal.SIGSTOP)
    story.go_on(2 / 60)
    story.reports("Dagster's daemon hangs")
    os.kill(daemon, signal.SIGCONT)  # `tracker up` replaces it after five minutes


def land_damaged(story: Story) -> None:
    landing = story.month.home / "landing"
    batch_id = LandingWriter(FolderLanding(landing)).land(posts=[post("7001", "demo")])
    posts = landing / "incoming" / str(batch_id) / "posts.parquet"
    posts.unlink()
    posts.symlink_to("nowhere")
    wait_until(lambda: any((landing / "rejected").glob("*")))
    story.reports("a batch always fails")


def change_key(story: Story) -> None:
    [method, *_] = story.data("GET", "payout-methods")
    account = {"payout_method_id": method["id"], "details": DETAILS}
    story.payout_account("PUT", json=account)
    another = {"TRACKER_SECRET_KEY": "another key of more than 32 characters"}
    for environment, details in ((another, None), ({}, DETAILS)):
        story.month.start("api", REPOSITORY, **environment)
        story.month.wait_for_api()
        assert story.payout_account()["details"] == details
    story.reports("the secret key is another", **another)


def set_clock_ahead(story: Story) -> None:
    """Of the machine with `tracker up`, which goes on once its clock is right."""
    month = story.month
    ahead = BusinessClock(month.database.parent / "ahead", month.clock.now() + 10 * IN_TIME)
    month.start("up", REPOSITORY, **ahead.environment)
    story.reports("the clock of a machine is ahead", **ahead.environment)
    month.clock.followers.append(ahead)
    month.clock.move_to(month.clock.now())


STEPS: tuple[tuple[Callable[[Story], None], ...], ...] = (
    (restart_postgresql,),
    (fill_disk,),
    (hang_daemon, change_key),
    (land_damaged,),
    (set_clock_ahead,),
)


@pytest.mark.slow
@pytest.mark.soak
@needs_compiler
def test_a_month_with_faults_goes_on_or_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    with (
        small_disk(tmp_path / "disk", MEGABYTES) as is_small,
        installed(tmp_path, STARTS) as month,
        httpx.Client(trust_env=False, timeout=60) as api,
    ):
        month.home = tmp_path / "disk" / "home"
        api.headers["Authorization"] = f"Bearer {begin(month, REPOSITORY)}"
        story = Story(month, api, tmp_path / "disk" if is_small else None)
        for number, faults in enumerate(STEPS, start=1):
            month.reach(STARTS + number * THIRTY_DAYS / len(STEPS))
            before = as_of_in(month.publication(month.home))
            for fault in faults:
                fault(story)
            month.reach(month.clock.now(), published=True)
            assert as_of_in(month.publication(month.home)) > before
        month.stop_all()
        published = month.publication(month.home)
        now = as_of_in(published).isoformat()
        rebuilt = month.command(REPOSITORY, "rebuild", TRACKER_NOW=now)
        assert rebuilt.returncode == 0, rebuilt
        assert published != month.publication(month.home)
        compare(published, month.publication(month.home))
