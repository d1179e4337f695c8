"""Prompts for frequent tasks: which tools to use, in which order."""

from typing import Annotated

from fastmcp import FastMCP
from pydantic import Field

_WEEKLY = """\
Write a report on one week of a creator's work for the creator's managers.

Creator: {creator}
Last day of the week: {until}

1. Find the creator with `creators_list` (`search`). If several match, ask which one is meant.
   Call tools that are not in your list with `call_read_tool`.
2. Read the creator's notes with `notes_get` (`entity_type` creator). Agreements explain numbers.
3. Get views, likes, comments and shares by day with `analytics_query` (entity `creator`,
   granularity `day`, `compare` prior_period) for these seven days.
4. Find the posts behind them: `analytics_query` with `breakdown` video for views.
5. Get the goals that were met with `goals_compliance` (period `weekly`, `reference_date` the last
   day, `creator_id`), and the events of these days with `annotations_list`.
6. Get the week's earnings with `payout_accruals_list` (`creator_id`, `from`, `to`).

Then write, in at most one page: what changed since the previous week and by how much; the posts
that made the difference; goals met and missed; earnings (convert cents to currency units); one
suggestion. Say that a number is unknown (null) instead of omitting it or calling it 0, and that
numbers of the last day may still grow. Change nothing.
"""

_PAYOUT = """\
Explain to someone without accounting knowledge why a creator is owed an amount.

Creator: {creator}
Question: {question}

1. Find the creator with `creators_list` (`search`). If several match, ask which one is meant.
   Call tools that are not in your list with `call_read_tool`.
2. Get the amounts owed and paid with `payout_balances_get`.
3. List the amounts behind them with `payout_accruals_list` (`creator_id`; `from` and `to` if the
   question is about a period). Follow `meta.nextCursor` to the end.
4. For each amount in question, get its evidence with `payout_accruals_get`, and the version of the
   rule that applied with `payout_structures_get`. An adjustment's `reason` says what changed since
   the amount was paid; its `evidence` has both the paid and the owed amount.
5. If something seems to be missing, check `payout_assignments_list` (was the creator assigned at
   that time?), `videos_list` with `creator_id` (which posts are excluded or not yet reviewed?) and
   `payout_payments_list` (was it paid, void or failed?).

Then explain step by step, with the arithmetic: what was counted, the rule in plain words, the
amount, its status, and what happens next. Amounts are integer cents; show them in currency units.
Use only the rules that the tools return, and do not guess: say what you could not find out.
Approve, void and pay nothing.
"""


def add_prompts(server: FastMCP) -> None:
    server.prompt(
        name="weekly_creator_report",
        title="Weekly creator report",
        description="One page about a creator's week: numbers, posts, goals, earnings.",
    )(_weekly_creator_report)
    server.prompt(
        name="payout_explanation",
        title="Payout explanation",
        description="Why a creator is owed an amount, step by step.",
    )(_payout_explanation)


def _weekly_creator_report(
    creator: Annotated[str, Field(description="Name, handle or id of the creator")],
    until: Annotated[
        str, Field(description="Last day of the week, YYYY-MM-DD; default: yesterday")
    ] = "yesterday",
) -> str:
    return _WEEKLY.format(creator=creator, until=until)


def _payout_explanation(
    creator: Annotated[str, Field(description="Name, handle or id of the creator")],
    question: Annotated[
        str, Field(description="What is unclear; default: the balance as a whole")
    ] = "How is the current balance computed?",
) -> str:
    return _PAYOUT.format(creator=creator, question=question)
