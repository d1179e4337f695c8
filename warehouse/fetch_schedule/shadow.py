"""A copy of the schedule for forecasts, in temporary tables of one connection.

They shadow the real tables by name, so that the schedule's own statements work on them unchanged;
the connection is otherwise read-only. A large schedule is sampled by hashes of accounts, always
the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

import psycopg

from warehouse.fetch_schedule.conditions import SUBJECT_SQL
from warehouse.fetch_schedule.members import (
    ADD_ACCOUNT_FETCHES,
    ADD_POSTS,
    LET_GO_OF_ACCOUNT_FETCHES,
    LET_GO_OF_POSTS,
)
from warehouse.fetch_schedule.statements import planning
from warehouse.operational.store import OperationalStore
from warehouse.reading.statements import statement

MOST_POSTS = 4_000
"""Approximate number of posts in a sample, whose forecast takes seconds."""

_COUNT = "select count(*) from videos"

_IN_SAMPLE = (
    f"hashtext(coalesce({SUBJECT_SQL}, '#' || videos.platform_video_id)) & {{mask}}::int4 = 0"
)

_COPY = """
    create temporary table copied_fetches (like post_looks) with (fillfactor = 40);
    create temporary table copied_account_fetches (like visits) with (fillfactor = 40);
    create unique index on copied_fetches (video_id);
    create index on copied_fetches (platform, subject);
    create index on copied_fetches (platform, platform_video_id);
    create unique index on copied_account_fetches (platform, subject);
    insert into copied_fetches
    select fetches.*
    from post_looks as fetches
    inner join videos on fetches.video_id = videos.id
    left join accounts on videos.account_id = accounts.id
    where {in_sample};
    insert into copied_account_fetches
    select visits.* from visits
    where exists (
        select from copied_fetches as fetches
        where fetches.platform = visits.platform and fetches.subject = visits.subject
    )
    or (visits.subject not like '#%' and hashtext(visits.subject) & {mask} = 0);
    alter table copied_fetches rename to post_looks;
    alter table copied_account_fetches rename to visits;
"""

_LEAVE_THE_SAMPLE = "delete from visits where subject not like '#%' and hashtext(subject) & {} <> 0"

_COPY_REGISTRY: Final = statement(__name__, "copy_registry.sql")

LATE = "ln(0.25 + extract(epoch from {} - {})::float8 / 86400)"
"""A post's assumed growth: the logarithm of its age in days, plus six hours."""

_GROWTH = f"""
    create temporary table growth as
    with known as (
        select
            fetches.video_id,
            fetches.views,
            fetches.read_at,
            fetches.views_a_day,
            coalesce(videos.posted_at, videos.created_at) as posted_at
        from post_looks as fetches inner join videos on fetches.video_id = videos.id
    ),
    steps as (
        select
            *,
            greatest(read_at, posted_at) as since,
            views / ({LATE.format("greatest(read_at, posted_at)", "posted_at")} - ln(0.25)) as step
        from known where views is not null and read_at > posted_at
    )
    select
        known.video_id,
        known.posted_at,
        coalesce(known.views, 0) as views,
        case when known.views is null then known.posted_at else greatest(known.read_at, posted_at)
        end as since,
        case
            when known.views is null then coalesce((select avg(step) from steps), 0)
            else coalesce(known.views_a_day, 0)
                * (0.25 + extract(epoch from greatest(known.read_at - posted_at, '0')) / 86400)
        end::float8 as step
    from known;
    alter table growth add primary key (video_id);
    create temporary table coming as
    select
        gen_random_uuid() as id,
        videos.organization_id,
        videos.creator_id,
        videos.platform,
        'new ' || videos.platform_video_id as platform_video_id,
        fetches.subject,
        videos.posted_at + %(span)s as posted_at,
        coalesce(
            fetches.views / nullif(
                {LATE.format("greatest(fetches.read_at, videos.posted_at)", "videos.posted_at")}
                - ln(0.25), 0
            ),
            growth.step
        ) as step
    from post_looks as fetches
    inner join videos on fetches.video_id = videos.id
    inner join growth on fetches.video_id = growth.video_id
    where fetches.subject not like '#%%' and videos.posted_at > %(begins)s - %(span)s
        and videos.posted_at <= %(begins)s;
    analyze
"""  # noqa: S608  SQL of ours


@contextmanager
def shadow_plan(
    store: OperationalStore, begins: datetime, span: timedelta
) -> Iterator[tuple[psycopg.Connection, int]]:
    """Yield (connection to the copy, factor), with all decisions applied to the copy.

    The factor is the number of posts that one in the copy represents. Accounts are assumed to
    publish in the coming `span` as in the last one.
    """
    with psycopg.connect(store.dsn, autocommit=True) as connection:
        [posts] = connection.execute(_COUNT).fetchone() or (0,)
        stands_for = 1 << max(0, -(-posts // MOST_POSTS) - 1).bit_length()
        connection.execute("set temp_buffers = '128MB'; set jit = off")
        with connection.transaction():
            _copy(connection, stands_for - 1)
        _write(connection, _GROWTH, {"begins": begins, "span": span})
        connection.execute("set default_transaction_read_only = on")
        yield connection, stands_for


def _copy(connection: psycopg.Connection, mask: int) -> None:
    """Copy the schedule, add missing posts and remove those that left."""
    connection.execute("set transaction isolation level repeatable read")
    in_sample = _IN_SAMPLE.format(mask=mask)
    connection.execute(_COPY.format(in_sample=in_sample, mask=mask).encode())
    for query in (
        LET_GO_OF_POSTS.about(which="true").statement,
        ADD_POSTS.about(which=in_sample).statement,
        ADD_ACCOUNT_FETCHES.format(accounts="true", posts="true"),
        _LEAVE_THE_SAMPLE.format(mask),
        LET_GO_OF_ACCOUNT_FETCHES.format(which="true"),
        _COPY_REGISTRY,
        *planning("true", "true"),
    ):
        connection.execute(query.encode(), prepare=False)


def _write(connection: psycopg.Connection, statements: str, values: dict[str, object]) -> None:
    """Execute parametrized statements one by one, as the server requires."""
    for query in statements.split(";\n"):
        known = {name: value for name, value in values.items() if f"%({name})s" in query}
        connection.execute(query.encode(), known or None)
