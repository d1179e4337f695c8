"""Applies decisions since the last planning to the fetch schedule, at a cost by their number.

Every such decision is a row of a Followed table, or a deadline, with the id of the transaction
that wrote it. If transaction ids do not continue (another server, a restored backup), or the
membership statements changed, the whole schedule is planned again. If only the rule changed, all
its members are planned again.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from psycopg.rows import dict_row
from sqlalchemy.orm import Session

from warehouse.fetch_schedule.conditions import SUBJECT_SQL, sql_of
from warehouse.fetch_schedule.members import (
    ADD_ACCOUNT_FETCHES,
    ADD_POSTS,
    LET_GO_OF_ACCOUNT_FETCHES,
    LET_GO_OF_POSTS,
    MEMBERSHIP,
    SCHEDULED_POSTS,
    plan_everything,
)
from warehouse.fetch_schedule.plan import lock_plan, plan_all, plan_some, run
from warehouse.fetch_schedule.statements import PLANNING
from warehouse.operational.origin import ORIGIN, digest
from warehouse.operational.session import WriteSession, driver_of
from warehouse.reading.statements import statement
from warehouse.registration.scrapable import scrapable_video

MEMBERS, RULE = digest(MEMBERSHIP), digest(PLANNING)
"""Digests of the statements for membership and for due times."""

CHANGED: Final = statement(__name__, "changed.sql")
"""Ids changed since a transaction. `creators` are those with changed deadlines or thresholds."""

_TOUCHED = """
    create temporary table touched_accounts (id uuid primary key) on commit drop;
    create temporary table touched_posts (id uuid primary key) on commit drop;
    create temporary table touched_fetches (
        platform text, subject text, primary key (platform, subject)
    ) on commit drop
"""

_TOUCH_ACCOUNTS = "insert into touched_accounts select unnest(%(accounts)s::uuid[])"

_TOUCH_POSTS = """
    insert into touched_posts
    select id from videos where changed_by >= %(since)s
    union
    select id from videos where organization_id = any(%(organizations)s)
    union
    select id from videos where project_id = any(%(projects)s)
    union
    select id from videos where creator_id = any(%(creators)s)
"""

_OF_TOUCHED_ACCOUNTS = "videos.account_id in (select id from touched_accounts)"

_TOUCH_MOVED_POSTS = f"""
    insert into touched_posts
    select scheduled.video_id
    from ({SCHEDULED_POSTS.format(which=_OF_TOUCHED_ACCOUNTS)}) as scheduled
    left join post_looks on scheduled.video_id = post_looks.video_id
    where post_looks.subject is distinct from scheduled.subject
    union
    select videos.id
    from videos inner join post_looks on videos.id = post_looks.video_id
    where not ({sql_of(scrapable_video())}) and {_OF_TOUCHED_ACCOUNTS}
    on conflict do nothing
"""  # noqa: S608  SQL of ours
"""Posts of a changed account that leave, join, or move to another account fetch."""

_TOUCH_ACCOUNT_FETCHES = f"""
    insert into touched_fetches
    select platform, subject from post_looks where video_id in (select id from touched_posts)
    union
    select platform, {SUBJECT_SQL} from accounts where id in (select id from touched_accounts)
    union
    select platform, '@' || handle from accounts where id in (select id from touched_accounts)
    on conflict do nothing
"""  # noqa: S608  SQL of ours
"""Run before and after posts move from one account fetch to another."""

_A_TOUCHED_POST = "{}.{} in (select id from touched_posts)"
_ONE_BY_ONE = "videos.id = any(array(select id from touched_posts))"
"""The same condition through the index: PostgreSQL overestimates how many posts are not scrapable.
"""
_TOUCHED_ACCOUNT_FETCH = (
    "({0}.platform, {0}.subject) in (select platform, subject from touched_fetches)"
)


def plan_changes(session: WriteSession) -> None:
    """Apply the decisions since the last planning. Costs nothing if there are none.

    Readings are in the schedule already (see `noting`).
    """
    lock_plan(session)
    reach = _reach(session)
    if reach.goes_on_from is None:
        plan_everything(session)
    else:
        changed = _changed(session, reach.goes_on_from)
        if any(changed.values()):
            _apply(session, {**changed, "since": reach.goes_on_from})
        if reach.has_other_rule:
            plan_all(session)
        elif not any(changed.values()):
            return
    driver = driver_of(session)
    driver.execute("delete from plan_reach")
    reached = [reach.origin, f"{MEMBERS} {RULE}", reach.up_to]
    driver.execute("insert into plan_reach values (%s, %s, %s)", reached)


def is_behind(session: Session) -> bool:
    """Return whether `plan_changes` has anything to do."""
    reach = _reach(session)
    if reach.goes_on_from is None or reach.has_other_rule:
        return True
    return any(_changed(session, reach.goes_on_from).values())


class _Reach(NamedTuple):
    """How far the schedule follows decisions, and how far it could.

    `goes_on_from` is the first transaction it lacks, None if it has to be planned from scratch.
    """

    origin: str
    up_to: int
    goes_on_from: int | None
    has_other_rule: bool


def _reach(session: Session) -> _Reach:
    driver = driver_of(session)
    origin, up_to = driver.execute(ORIGIN).fetchall()[0]
    reach = driver.execute("select origin, rule, up_to from plan_reach").fetchall()
    before, statements, since = reach[0] if reach else ("", "", 0)
    members, _, rule = statements.partition(" ")
    goes_on = (before, members) == (origin, MEMBERS) and since <= up_to
    return _Reach(origin, up_to, since if goes_on else None, rule != RULE)


def _changed(session: Session, since: int) -> Mapping[str, object]:
    """Return the ids written by transactions from `since` on."""
    with driver_of(session).cursor(row_factory=dict_row) as cursor:
        return cursor.execute(CHANGED, {"since": since}).fetchall()[0]


def _apply(session: WriteSession, changed: Mapping[str, object]) -> None:
    run(session, _TOUCHED)
    run(session, _TOUCH_ACCOUNTS, changed)
    run(session, "analyze touched_accounts")
    run(session, _TOUCH_POSTS, changed)
    run(session, _TOUCH_MOVED_POSTS)
    run(session, "analyze touched_posts")
    run(session, _TOUCH_ACCOUNT_FETCHES)
    run(session, LET_GO_OF_POSTS.about(which=_ONE_BY_ONE).statement)
    of_touched = _A_TOUCHED_POST.format("videos", "id")
    run(session, ADD_POSTS.about(which=of_touched).statement)
    run(session, _TOUCH_ACCOUNT_FETCHES)
    run(session, "analyze touched_fetches")
    of_posts, of_account_fetches = (
        _TOUCHED_ACCOUNT_FETCH.format("post_looks"),
        _TOUCHED_ACCOUNT_FETCH.format("visits"),
    )
    accounts = "id in (select id from touched_accounts)"
    run(session, ADD_ACCOUNT_FETCHES.format(accounts=accounts, posts=of_posts))
    run(session, LET_GO_OF_ACCOUNT_FETCHES.format(which=of_account_fetches))
    plan_some(session, _A_TOUCHED_POST.format("fetches", "video_id"), _TOUCHED_ACCOUNT_FETCH)
