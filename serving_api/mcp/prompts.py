"""Work that people ask agents for again and again: which tools to use, and in which order."""

from typing import Annotated

from fastmcp import FastMCP
from pydantic import Field

_WEEKLY = """\
Write a report on one week of a creator's work for the people who look after the creator.

Creator: {creator}
Last day of the week: {until}

1. Find the creator with `creators_list` (`search`). If several fit, ask which one is meant.
   Tools that are not in your list are called with `call_read_tool`.
2. Read its notes with `notes_get` (`entity_type` creator): agreements there explain the numbers.
3. Get views, likes, comments and shares by day with `analytics_query` (entity `creator`,
   granularity `day`, `compare` prior_period) for these seven days.
4. Find what was behind them: `analytics_query` with `breakdown` video for views.
5. See which goals were met with `goals_compliance` (period `weekly`, `reference_date` the last day,
   `creator_id`), and what came up on these days with `annotations_list`.
6. See what the week earned with `payout_accruals_list` (`creator_id`, `from`, `to`).

Then write, in at most one page: what changed against the week before and by how much; the posts
that made the difference; goals met and missed; what was earned (cents to whole currency units);
one suggestion. Say where a number is not known (null) instead of leaving it out or calling it 0,
and that figures of the last day may still grow. Change nothing.
"""

_PAYOUT = """\
Explain to a person who is no accountant why a creator is owed what the service says.

Creator: {creator}
Question: {question}

1. Find the creator with `creators_list` (`search`). If several fit, ask which one is meant.
   Tools that are not in your list are called with `call_read_tool`.
2. Get what is owed and what was paid with `payout_balances_get`.
3. List the amounts behind it with `payout_accruals_list` (`creator_id`; `from` and `to` if the
   question is about a time). Follow `meta.nextCursor` to the end.
4. For each amount in question, get what it was computed from with `payout_accruals_get`, and the
   rule with the version that held then with `payout_structures_get`. An adjustment's `reason` says
   what changed since the amount was paid; its `evidence` has what was paid beside what is owed.
5. If something seems to be missing, look at `payout_assignments_list` (was the creator assigned in
   that time?), `videos_list` with `creator_id` (which posts are excluded or not yet reviewed?) and
   `payout_payments_list` (was it paid, void or failed?).

Then explain step by step, with the arithmetic: what was counted, the rule in plain words, the
amount, its status, and what happens next. Amounts are integer cents; show them in currency units.
Do not recompute by other rules than those you were told, and do not guess: say what you could not
find out. Approve, void and pay nothing.
"""


def add_prompts(server: FastMCP) -> None:
    """Add the prompts."""
    server.prompt(
        name="weekly_creator_report",
        title="Weekly creator report",
        description="A page about one week of a creator: numbers, posts, goals, earnings.",
    )(_weekly_creator_report)
    server.prompt(
        name="payout_explanation",
        title="Payout explanation",
        description="Why a creator is owed what it is owed, step by step.",
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
    ] = "How does the present balance come about?",
) -> str:
    return _PAYOUT.format(creator=creator, question=question)
