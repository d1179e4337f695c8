"""Changed decisions enter the plan at a cost proportional to the changes."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from random import Random

import pytest
from sqlalchemy import Row, text

from tests.doses import sample
from tests.factories.landing import NOON, post
from tests.factories.payouts import add_assignment, add_structure, rule
from tests.factories.tracking import add_account, add_organization, add_video
from tests.warehouse.fetch_schedule.conftest import Plan
from warehouse.fetch_schedule.changes import CHANGED, plan_changes
from warehouse.fetch_schedule.members import MEMBERSHIP, plan_everything
from warehouse.fetch_schedule.statements import PLANNING
from warehouse.operational.base import Base, Followed
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore

DAY = timedelta(days=1)
DECISIONS = (
    "update organizations set freshness = {freshness} where id = {organization}",
    "update organizations set analytics_tz = {zone} where id = {organization}",
    "update organizations set is_suspended = {yes} where id = {organization}",
    "update projects set is_archived = {yes} where id = {project}",
    "update creators set is_active = {yes} where id = {creator}",
    "update accounts set is_active = {yes} where id = {account}",
    "update accounts set deactivated_at = case when {yes} then now() end where id = {account}",
    "update accounts set platform_user_id = {name} where id = {account}",
    "update accounts set platform_user_id = null where id = {account}",
    "update accounts set handle = {name} where id = {account}",
    "update accounts set creator_id = {creator} where id = {account}",
    "update videos set tracking_disabled = {yes} where id = {video}",
    "update videos set frozen_at = case when {yes} then now() end where id = {video}",
    "update videos set account_id = {account} where id = {video}",
    "update videos set account_id = null, creator_id = null where id = {video}",
    "update videos set creator_id = {creator} where id = {video}",
    "update videos set posted_at = posted_at - interval '9 days' where id = {video}",
    "update payout_structures set is_active = {yes} where id = {structure}",
    "update payout_assignments set creator_id = {creator} where structure_id = {structure}",
    (
        "insert into look_deadlines (creator_id, ends_at, organization_id) select id,"
        " '2026-05-05 22:00:00+00', organization_id from creators where id = {creator}"
        " on conflict do nothing"
    ),
)
OWN = {"post_looks", "visits", "plan_reach", "departures"}


@pytest.fixture
def world(store: OperationalStore, organization: NewOrganization, plan: Plan) -> Plan:
    """Two organizations that share some tracked accounts and have read their posts."""
    draw = Random(1)
    tracking = (organization, add_organization(store, "Other", "Asia/Tokyo"))
    for owner in tracking:
        for number in range(4):
            account = add_account(store, owner, f"demo{number}", platform_user_id=f"id{number}")
            with store.read_session() as session:
                creator = session.execute(
                    text("select creator_id from accounts where id = :id"), {"id": account}
                ).scalar_one()
            for age in range(3):
                posted_at = NOON - draw.randrange(1, 90) * DAY
                name = f"1{number}{age}"
                add_video(store, owner, name, account=account, posted_at=posted_at)
            structure = add_structure(store, owner, rule("view_threshold"))
            add_assignment(store, structure, creator, date(2026, 1, 1))
        add_video(store, owner, "777")
    for _ in range(2):
        seen = ("777", *(f"1{number}{age}" for number in range(4) for age in range(3)))
        plan.read(*(post(post_id, "", view_count=draw.randrange(5_000)) for post_id in seen))
        plan.after(hours=3)
    plan.everything()
    return plan


def planned(plan: Plan) -> list[Row[object]]:
    posts = "select video_id::text, subject, due_at, reason, pays_at from post_looks"
    account_fetches = (
        "select platform, subject, coalesce(account_due_at, due_at), reason, pays_at from visits"
    )
    with plan.store.read_session() as session:
        return sorted(map(repr, session.execute(text(f"{posts} union all {account_fetches}"))))


def one(plan: Plan, draw: Random, table: str) -> str:
    with plan.store.read_session() as session:
        ids = session.scalars(text(f"select id from {table} order by id")).all()
    return f"'{draw.choice(ids)}'"


def decide(plan: Plan, draw: Random) -> str:
    values = {table[:-1]: one(plan, draw, table) for table in ("organizations", "projects")}
    values |= {table[:-1]: one(plan, draw, table) for table in ("creators", "accounts", "videos")}
    decision = draw.choice(DECISIONS).format(
        **values,
        structure=one(plan, draw, "payout_structures"),
        freshness=draw.choice(("'fast'", "'standard'", "'frugal'")),
        zone=draw.choice(("'UTC'", "'America/Lima'")),
        yes=draw.choice(("true", "false")),
        name=f"'n{draw.randrange(10**9)}'",
    )
    with plan.store.write_session() as session:
        session.execute(text(decision))
    return decision


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(6), small=2))
def test_after_any_decision_the_plan_equals_a_new_one(world: Plan, seed: int) -> None:
    draw = Random(seed)
    for _ in range(25):
        decisions = [decide(world, draw) for _ in range(draw.choice((1, 1, 3)))]
        world.everything()
        taken_in = planned(world)
        with world.store.write_session() as session:
            plan_everything(session)
        assert taken_in == planned(world), decisions


WRITES = "n_tup_ins + n_tup_upd + n_tup_del"
ANYTHING = f"seq_scan + coalesce(idx_scan, 0) + {WRITES}"


def cost_of(work: Callable[[WriteSession], None], plan: Plan, what: str) -> int:
    """Return how much one of PostgreSQL's counters of the plan's tables grows during `work`."""
    count = text(
        f"select coalesce(sum({what}), 0) from pg_stat_xact_user_tables"
        " where relname in ('post_looks', 'visits')"
    )
    with plan.store.write_session() as session:
        before = session.execute(count).scalar_one()
        work(session)
        return int(session.execute(count).scalar_one() - before)


def test_without_decisions_the_plan_is_not_read(world: Plan) -> None:
    assert cost_of(plan_changes, world, ANYTHING) == 0


def test_a_decision_about_a_post_writes_to_no_other(world: Plan) -> None:
    with world.store.write_session() as session:
        changed = text("update videos set tracking_disabled = true where platform_video_id = '777'")
        session.execute(changed)
    assert cost_of(plan_changes, world, WRITES) == 3  # two projects' rows and their account fetch


@pytest.mark.slow
def test_planning_everything_writes_only_changed_rows(world: Plan) -> None:
    assert cost_of(plan_everything, world, WRITES) == 0
    with world.store.write_session() as session:
        late = "due_at = due_at + interval '1 minute' where platform_video_id = '110'"
        session.execute(text(f"update post_looks set {late}"))
    assert cost_of(plan_everything, world, WRITES) == 2  # two projects' rows


@pytest.mark.slow
@pytest.mark.parametrize(
    "other", ["origin = 'another'", "rule = 'another ' || split_part(rule, ' ', 2)"]
)
def test_another_server_or_other_members_plan_everything(world: Plan, other: str) -> None:
    before = planned(world)
    with world.store.write_session() as session:
        session.execute(text("update post_looks set reason = 'of another rule'"))
        session.execute(text("update post_looks set subject = '#' where subject = '#777'"))
        session.execute(text(f"update plan_reach set {other}"))
    assert planned(world) != before
    world.everything()
    assert planned(world) == before
    assert cost_of(plan_changes, world, ANYTHING) == 0


@pytest.mark.slow
def test_another_rule_plans_everything_with_the_changes(
    world: Plan,
) -> None:
    with world.store.write_session() as session:
        session.execute(text("update post_looks set reason = 'of another rule'"))
        session.execute(text("update plan_reach set rule = split_part(rule, ' ', 1) || ' another'"))
        changed = text("update videos set tracking_disabled = true where platform_video_id = '777'")
        session.execute(changed)
    world.everything()
    taken_in = planned(world)
    assert "of another rule" not in str(taken_in)
    with world.store.write_session() as session:
        plan_everything(session)
    assert taken_in == planned(world)
    assert cost_of(plan_changes, world, ANYTHING) == 0


def test_every_table_that_the_plan_reads_records_changes() -> None:
    """Covers the tables that the plan joins by what users decide, including new rows."""
    read = set(re.findall(r"(?:from|join|using)\s+(\w+)", PLANNING + MEMBERSHIP, re.IGNORECASE))
    tables = read & set(Base.metadata.tables) - OWN
    followed = {
        mapper.class_.__tablename__
        for mapper in Base.registry.mappers
        if issubclass(mapper.class_, Followed)
    }
    compared_tables = set(re.findall(r"from (\w+)\s+where changed_by", CHANGED))
    assert tables <= compared_tables
    assert tables - followed == {"look_deadlines"}  # its rows are never updated
