"""Incremental runs in a warehouse whose marts tests write, and what each touched."""

from datetime import datetime

import duckdb

TABLES = """
    create schema if not exists control;
    create schema if not exists intermediate;
    create schema if not exists operational;
    create or replace table intermediate.int_touched_creators (from_day date);
    create or replace table intermediate.int_touched_campaigns (from_day date);
    create or replace table intermediate.int_touched_payees (from_day date);
    create or replace table intermediate.int_touched_accruals (accrual_id uuid);
    create or replace table intermediate.int_touched_comments (comment_id uuid);
    create or replace table intermediate.int_comment_sightings
        (comment_id uuid, earliest_at timestamptz);
    create table if not exists machinery.payout_decided_accruals (
        organization_id uuid, accrual_id uuid, adjusts_accrual_id uuid, period_end date
    );
    create or replace table operational.payout_payment_accruals as
    from machinery.payout_decided_accruals limit 0;
    create or replace table operational.payout_accrual_decisions as
    from machinery.payout_decided_accruals limit 0;
"""
RUN = """
    create or replace table control.published as select run_id from marts.run;
    delete from marts.run;
    insert into marts.run (run_id) select uuid();
"""
BEGUN = "create or replace table control.run as select run_id, $1 as is_full_refresh from marts.run"
TOUCHED = """
    create or replace table intermediate.int_touched_{entities} as
    select $at::timestamptz as from_at, $at::date as from_day where $at is not null
"""


def begin_next(
    warehouse: duckdb.DuckDBPyConnection,
    videos: datetime | None = None,
    accounts: datetime | None = None,
    *,
    is_full_refresh: bool = False,
) -> None:
    """Begin a run after the last published one, with the first touched time of each entity type."""
    warehouse.execute(TABLES)
    warehouse.execute(RUN)
    warehouse.execute(BEGUN, [is_full_refresh])
    for entities, at in (("videos", videos), ("accounts", accounts)):
        warehouse.execute(TOUCHED.format(entities=entities), {"at": at})
