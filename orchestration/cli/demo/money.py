"""Compares amounts with the simulator's counts: for thresholds of views, and all that is owed."""

from datetime import date

from duckdb import DuckDBPyConnection

from orchestration.cli.demo.answers import Answer, Question
from orchestration.cli.demo.program import BONUSES, ON_BOTH, SALES_BPS, Program
from orchestration.cli.demo.truth import TrueViews


def balance_of(program: Program) -> str:
    """Return the path of a creator's payout balance."""
    return f"/creators/{program.creators[ON_BOTH]}/payout-balance"


BONUSES_PAID = """
    select
        platform_video_id, accruals.view_count, period_start, amount_cents,
        (evidence ->> 'views_read')::bigint as views
    from marts.payout_accruals as accruals
    inner join marts.videos on accruals.subject_id = videos.video_id
    where accruals.creator_id = ? and criteria_type = 'view_threshold' and status = 'final'
    order by period_start, platform_video_id, accruals.view_count
"""


def ask_for_money(
    program: Program, publication: DuckDBPyConnection, creator: TrueViews, today: date
) -> list[Question]:
    """Ask what a creator is owed; days, views and cents have to be the simulator's."""
    handle, creator_id = program.handles[ON_BOTH], program.creators[ON_BOTH]
    bonuses = []
    for post, threshold, day, cents, views in publication.execute(
        BONUSES_PAID, [creator_id]
    ).fetchall():
        label = f"{views:,} views, threshold {threshold:,} reached on {day}"
        is_true = creator.reached.get((post, threshold)) == (day, views)
        bonuses.append(Answer(label, cents, BONUSES[threshold] if is_true else None))
    due = [
        BONUSES[threshold]
        for (_, threshold), reached in creator.reached.items()
        if reached and reached[0] < today
    ]
    conversions = f"/projects/{program.project_id}/conversions"
    sales = program.rest.every(conversions, creator_id=creator_id)
    commission = sum(sale["total_value_cents"] for sale in sales) * SALES_BPS // 10_000
    owed = Answer(
        f"{len(due)} thresholds, 10% of recorded sales",
        program.rest.get(balance_of(program))["balance_cents"],
        sum(due) + commission,
    )
    return [
        Question(f"Cents for each view threshold of {handle}'s posts", BONUSES_PAID, bonuses),
        Question(f"Cents that {handle} is owed", balance_of(program), [owed]),
    ]
