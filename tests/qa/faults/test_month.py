"""Days with a kill of every kind, upgrades and wrong clocks: nothing is missing.

A day takes minutes and reports its events. `make soak` plays two; DAYS=30 plays a month, and
EARLIER="COMMIT COMMIT" starts with earlier versions, which are upgraded on the way.
"""

import json
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from io import BytesIO
from os import environ
from pathlib import Path
from random import Random
from types import SimpleNamespace

import duckdb
import pytest
from dagster import RunsFilter

from orchestration.cli.demo.command import CREATORS
from orchestration.cli.demo.program import start_program
from orchestration.cli.demo.rest import Rest
from orchestration.cli.demo.truth import Simulator
from orchestration.running.postgresql import open_instance
from orchestration.running.runs import UNDER_WAY
from tests.doses import REPOSITORY, SEED
from tests.qa.faults.month import ROUND, Interruption, Month, installed, needs_compiler
from tests.warehouse.operational.processes import wait_until
from warehouse.operational.leases import FETCH_LEASE
from warehouse.settings import Settings

STARTS = datetime(2026, 9, 1, 6, tzinfo=UTC)
DAYS = int(environ.get("DAYS", "2"))
EARLIER = tuple(environ.get("EARLIER", "").split())
"""Commits of earlier versions, the oldest first, with which the test starts."""
UPGRADED = (DAYS // 10, DAYS // 5)
IN_TIME = FETCH_LEASE + 3 * ROUND
"""Fetches of a killed worker wait for its lease to end, and then for two more kills."""
KINDS = ("api", "worker", "daemon", "code", "deliverer", "run", "postgresql")
OFF = tuple(timedelta(minutes=minutes) for minutes in (20, -20, 30 * 24 * 60))
WHOLE_MARTS = """
    select table_name from duckdb_tables
    where database_name = 'one' and schema_name = 'marts'
        and table_name not in ('publication', 'run')
"""


def source_trees(folder: Path) -> list[Path]:
    """Return the source trees of all versions, the present one last."""
    trees = []
    for commit in EARLIER:
        command = ["git", "archive", "--format=tar", commit]
        packed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=BytesIO(packed)) as files:
            files.extractall(folder / commit, filter="data")
        trees.append(folder / commit)
    return [*trees, REPOSITORY]


def begin(month: Month, tree: Path) -> str:
    """Install a version with the demo's organization and decisions.

    Returns its API key.
    """
    assert month.command(tree, "init").returncode == 0
    options = ("--name", "Acme", "--plan", "ultra", "--tz", "Europe/Berlin", "--project", "Launch")
    made = month.command(tree, "org", "create", *options, "--json")
    assert made.returncode == 0, made
    organization = SimpleNamespace(**json.loads(made.stdout))
    month.start_all(tree)
    with (
        closing(Simulator(month.platforms_url)) as simulator,
        closing(Rest(month.base_url, organization.api_key)) as rest,
    ):
        start_program(rest, organization, simulator.handles_on_both(CREATORS))
    month.reach(month.clock.now(), published=True)
    return str(organization.api_key)


def upgrade(month: Month, tree: Path) -> None:
    """Upgrade in the documented order: schema, API, workers, Dagster."""
    assert month.command(tree, "init").returncode == 0
    month.start("api", tree)
    month.start("worker", tree)
    month.reach(month.next_due(month.clock.now() + timedelta(hours=4)))
    month.start("up", tree)


def live(month: Month, tree: Path, day: int, random: Random) -> None:
    """Live through a day with all faults."""
    ends = STARTS + timedelta(days=day + 1)
    wrongs = [
        *(partial(month.kill, kind) for kind in KINDS),
        partial(month.killed_command, tree, random.uniform(3, 15)),
        partial(month.wrong_clock, tree, random.choice(OFF)),
        None,
        *([partial(month.cut_power, tree)] if day % 7 == 3 else []),
    ]
    random.shuffle(wrongs)
    while month.clock.now() < ends:
        happens = wrongs[:2]
        del wrongs[:2]
        steps = [Interruption(random.uniform(0, 8), happen) for happen in happens if happen]
        if None in happens:
            steps += [Interruption(0, month.away), Interruption(12, month.back)]
        month.reach(month.next_due(ends), *steps)
    assert not wrongs, "a day has room for all"
    month.reach(month.clock.now(), published=True)


def compare(folder: Path, other: Path) -> Mapping[str, int]:
    """Return the number of rows of each table in two publications, which must be equal."""
    sizes = {}
    with duckdb.connect() as connection:
        for name, path in (("one", folder), ("other", other)):
            connection.execute(f"attach '{path}' as {name} (read_only)")
        for (table,) in connection.execute(WHOLE_MARTS).fetchall():
            rows = [f"from {name}.marts.{table}" for name in ("one", "other")]
            for first, second in (rows, rows[::-1]):
                lacks = connection.execute(f"{first} except all ({second}) limit 3").fetchall()
                assert not lacks, (table, first, lacks)
            sizes[table] = connection.execute(f"select count(*) {rows[0]}").fetchall()[0][0]
    return sizes


@pytest.mark.slow
@pytest.mark.soak
@needs_compiler
def test_a_month_of_kills_upgrades_and_wrong_clocks_misses_nothing(tmp_path: Path) -> None:
    random = Random(SEED)
    trees = source_trees(tmp_path / "versions")
    with installed(Path(environ.get("MONTH", tmp_path)), STARTS) as month:
        begin(month, trees[0])
        tree, *later = trees
        for day in range(DAYS):
            if later and day in UPGRADED:
                tree, *later = later
                upgrade(month, tree)
            live(month, tree, day, random)
            sys.stdout.write(f"{month.clock.now()} {month.played}\n")
            sys.stdout.flush()
        settings = Settings(home=month.home, database_url=month.url, _env_file=None)
        assert not list((month.home / "landing" / "rejected").glob("*"))
        with open_instance(settings) as instance:
            wait_until(lambda: not instance.get_runs(RunsFilter(statuses=list(UNDER_WAY))))
        month.stop_all()
        untouched = month.restored()
        sizes = compare(month.publication(month.home), month.publication(untouched))
        sys.stdout.write(f"the same in both: {json.dumps(sizes)}\n")
    assert month.played.latest < IN_TIME
