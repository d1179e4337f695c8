"""One answer each by SQL, REST and MCP, to print beside the commands that repeat them."""

from contextlib import closing

from orchestration.cli.demo.program import ON_BOTH, Program
from warehouse.publication.current import CurrentPublication
from warehouse.settings import Settings

COSTS = "select sum(cost_cents) as cents, sum(tracked_views) as views from marts.costs_and_results"


def balance_of(program: Program) -> str:
    """Return the path of what a creator is owed."""
    return f"/creators/{program.creators[ON_BOTH]}/payout-balance"


def examples(settings: Settings, program: Program) -> dict[str, str]:
    """Return what the three commands answer, in a few words."""
    with (
        closing(CurrentPublication(settings.publications_path)) as current,
        current.cursor() as publication,
    ):
        [(cents, views)] = publication.execute(COSTS).fetchall()
    balance = program.rest.get(balance_of(program))["balance_cents"]
    [budget] = program.rest.get("/budgets")
    spent = program.rest.get(f"/budgets/{budget['id']}")["exposure"]["share"]
    return {
        "sql": f"${cents / 100:,.2f} for {views:,} views",
        "rest": f"{program.handles[ON_BOTH]} is owed ${balance / 100:,.2f}",
        "mcp": f"the budget, of which {spent:.0%} is spent",
    }
