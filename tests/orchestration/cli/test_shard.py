"""`tracker shard` and `tracker lake`, as the installation's owner uses them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from click.testing import Result
from sqlalchemy import text
from typer.testing import CliRunner

from orchestration.cli.app import app
from orchestration.cli.doctor.checks.shards import check_shards
from orchestration.cli.doctor.finding import Installation
from orchestration.cli.output import CommandFailed
from tests.factories.tracking import add_organization, add_video
from tests.orchestration.commands import environment, tracker_here
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.operational.unpublished import forget, waiting_changes
from warehouse.settings import Settings
from warehouse.shards.members import digest_of, members_of
from warehouse.shards.serving import hand_over

Tracker = Callable[..., Any]


@pytest.fixture
def tracker(tmp_path: Path, database_url: str) -> Tracker:
    env = environment(tmp_path, database_url)
    return lambda *arguments: CliRunner().invoke(app, ["shard", *map(str, arguments)], env=env)


def output_of(result: Result) -> str:
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.stdout


def refusal(result: Result) -> str:
    assert isinstance(result.exception, CommandFailed), result.output
    assert result.exception.exit_code == 2
    return str(result.exception)


def listed(tracker: Tracker) -> dict[str, dict[str, Any]]:
    return {each.pop("shard"): each for each in json.loads(output_of(tracker("list", "--json")))}


def publish(store: OperationalStore, shard: str | None) -> None:
    """Record a publication of the shard with all its members, without its files."""
    with store.write_session() as session:
        hand_over(session, shard, digest_of(members_of(session, shard)))


def is_requested(store: OperationalStore, shard: str) -> bool:
    """Whether a change requests a rollup of the shard; clears the request."""
    with store.write_session() as session:
        waiting = waiting_changes(session, shard)
        forget(session, range(waiting.first, waiting.last + 1) if waiting else [], shard)
        return waiting is not None


def add_posts(store: OperationalStore, name: str, posts: int) -> NewOrganization:
    made = add_organization(store, name)
    for number in range(posts):
        add_video(store, made, f"{name}{number}")
    return made


def test_without_shards_it_says_so_and_moves_nothing(
    tracker: Tracker, store: OperationalStore, organization: NewOrganization
) -> None:
    assert output_of(tracker("list")).startswith("No shards: one worker computes all")
    assert json.loads(output_of(tracker("list", "--json"))) == []
    assert output_of(tracker("balance")) == "Nothing to move.\n"
    to_main = tracker("move", "main", "--organization", organization.organization_id)
    assert refusal(to_main) == "it is already in main."


@pytest.mark.slow
def test_a_move_from_its_request_to_its_final_publication(
    tracker: Tracker, store: OperationalStore, organization: NewOrganization
) -> None:
    moved = organization.organization_id
    output_of(tracker("add", "eu"))
    assert [is_requested(store, name) for name in ("main", "eu")] == [True, False]
    order = ("move", "eu", "--organization", moved)
    message = f"organization {moved} would move from main to eu\n"
    assert output_of(tracker(*order, "--dry-run")) == message
    assert listed(tracker)["eu"]["organizations"] == 0
    assert output_of(tracker(*order)) == f"organization {moved} moves from main to eu\n"
    assert (listed(tracker)["eu"]["organizations"], listed(tracker)["eu"]["arriving"]) == (1, 1)
    assert [is_requested(store, name) for name in ("main", "eu", "eu")] == [True, True, False]
    assert refusal(tracker(*order)).startswith("it is moving from main to eu, until the next")
    assert refusal(tracker("remove", "eu")).startswith("eu still has members, or serves some")
    publish(store, "eu")
    assert listed(tracker)["eu"]["arriving"] == 0
    assert is_requested(store, "main")
    assert refusal(tracker(*order)) == "it is already in eu."
    output_of(tracker("move", "main", "--organization", moved))
    publish(store, None)
    assert output_of(tracker("remove", "eu")).startswith("Removed eu.")
    assert listed(tracker) == {}
    with store.read_session() as session:
        assert members_of(session, None) is None


@pytest.mark.slow
def test_impossible_changes_are_refused_with_the_reason(
    tracker: Tracker, organization: NewOrganization
) -> None:
    nobody = UUID(int=1)
    output_of(tracker("add", "eu"))
    assert refusal(tracker("add", "eu")) == "shard eu already exists."
    assert refusal(tracker("add", "main")) == "shard main already exists."
    assert refusal(tracker("add", "EU 2")).startswith(
        "'EU 2' is not a valid name: use 1 to 40 of a-z"
    )
    assert refusal(tracker("move", "eu", "--organization", nobody)).endswith(f"{nobody}.")
    nowhere = tracker("move", "us", "--organization", organization.organization_id)
    assert refusal(nowhere).startswith("there is no shard us: add it with `tracker shard add us`")
    assert refusal(tracker("remove", "us")).startswith("there is no shard us")
    assert refusal(tracker("remove", "main")).startswith("main cannot be removed")
    assert refusal(tracker("split", "us", "eu")).startswith("there is no shard us")
    assert refusal(tracker("split", "eu", "us")).startswith("eu has nothing to give")
    assert tracker("split", "main", "main").exit_code == 1


@pytest.mark.slow
def test_half_of_the_posts_move_and_shards_have_equal_weights_afterwards(
    tracker: Tracker, store: OperationalStore
) -> None:
    """Weights are posts plus one for each project: 5, 4, 3 and 2, so 5 + 2 stay and 4 + 3 move."""
    names = {"five": 4, "four": 3, "three": 2, "two": 1}
    made = {name: add_posts(store, name, posts) for name, posts in names.items()}
    plan = json.loads(output_of(tracker("split", "main", "eu", "--dry-run", "--json")))
    gone = [made[name].organization_id for name in ("four", "three")]
    assert {each["organization_id"] for each in plan} == {str(each) for each in gone}
    assert listed(tracker) == {}
    assert json.loads(output_of(tracker("split", "main", "eu", "--json"))) == plan
    publish(store, "eu")
    both = listed(tracker)
    assert (both["main"]["posts"], both["eu"]["posts"]) == (5, 5)
    assert output_of(tracker("balance")) == "Nothing to move.\n"
    output_of(tracker("add", "us"))
    moves = json.loads(output_of(tracker("balance", "--json")))  # of 7, 7 and 0: 5 goes, then 3
    assert [(each["giver"], each["receiver"]) for each in moves] == [("main", "us"), ("eu", "main")]
    weights = {name: each["posts"] + each["projects"] for name, each in listed(tracker).items()}
    assert weights == {"main": 2 + 3, "eu": 4, "us": 5}


def test_the_list_shows_each_shards_builder_and_delay(
    tracker: Tracker, store: OperationalStore
) -> None:
    output_of(tracker("add", "eu"))
    facts = """
        insert into leases values
            ('shard eu', 'host, process 7', 3, clock_timestamp() + interval '1 minute'),
            ('shard main', 'host, process 8', 3, clock_timestamp() - interval '1 minute');
        insert into registered_batches (batch_id, kind, registered_at, batch_seq)
        values (gen_random_uuid(), 'scrape', now(), 7);
        update shards set ingested_up_to = 5 where name = 'eu'
    """
    with store.write_session() as session:
        session.execute(text(facts))
    shards = listed(tracker)
    assert (shards["eu"]["builder"], shards["eu"]["behind"]) == ("host, process 7", 2)
    assert (shards["main"]["builder"], shards["main"]["behind"]) == (None, 7)
    assert shards["eu"]["as_of"] is None
    assert "host, process 7" in output_of(tracker("list"))


def test_the_doctor_names_shards_without_a_builder(
    tracker: Tracker, store: OperationalStore, settings: Settings, organization: NewOrganization
) -> None:
    assert organization
    output_of(tracker("add", "eu"))
    facts = """
        insert into registered_batches (batch_id, kind, registered_at, batch_seq)
        values (gen_random_uuid(), 'scrape', clock_timestamp() - interval '4 hours', 1);
    """
    with store.write_session() as session:
        session.execute(text(facts))
    main, eu = check_shards(Installation(settings, "127.0.0.1", 0))
    assert (main.level, main.message) == ("warn", "main: 1 organizations, no publication yet")
    late = "eu: 0 organizations, 1 batches behind for 4.0 h; no worker builds it"
    assert (eu.level, eu.message) == ("warn", late)
    assert "TRACKER_SHARD=eu" in (eu.way_out or "")
    with store.write_session() as session:
        session.execute(text("update shards set ingested_up_to = 1"))
    _, eu = check_shards(Installation(settings, "127.0.0.1", 0))
    assert (eu.level, eu.message) == ("ok", "eu: 0 organizations, 0 batches behind")


def test_it_prints_the_attach_line_of_a_role(tmp_path: Path, database_url: str) -> None:
    env = environment(tmp_path, database_url, TRACKER_LAKE_URL=".")
    printed = tracker_here("lake", "attach", "--role", "analyst", env=env)
    [line] = printed.stdout.splitlines()
    assert line.startswith("attach 'ducklake:postgres:")
    assert "user=analyst" in line
    assert line.endswith("as lake (metadata_schema 'lake', read_only); use lake.marts;")
    refused = tracker_here("lake", "grant", "analyst", env=env)
    assert (refused.returncode, "the lake is empty" in refused.stderr) == (1, True)


def test_it_reports_a_missing_lake(tmp_path: Path) -> None:
    refused = tracker_here("lake", "attach", env=environment(tmp_path))
    assert refused.returncode == 1
    assert "there is no lake. Set TRACKER_LAKE_URL to its location." in refused.stderr
