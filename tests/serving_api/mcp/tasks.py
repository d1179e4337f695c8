"""Twenty tasks as people give them to an agent, and the calls that each needs.

They are written for the demo's organization; `tests/test_demo.py` runs them. A call may use values
of earlier answers as `{name}`, and store values under a path such as `data.0.id`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fixtures.agents import Agent


@dataclass(frozen=True)
class Call:
    """A call of a tool. `keep` names values of its answer by their path."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    keep: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """The question, the calls, and the path of the answer in the last response."""

    question: str
    calls: tuple[Call, ...]
    answer: str
    scope: str = "read"


def read(query: str, name: str, arguments: Mapping[str, Any], **keep: str) -> tuple[Call, Call]:
    """The calls for an unlisted read tool: search for it, call it."""
    search = Call("search_tools", {"query": query}, {"tool": name})
    return search, Call("call_read_tool", {"name": name, "arguments": arguments}, keep)


def write(query: str, name: str, arguments: Mapping[str, Any]) -> tuple[Call, Call]:
    """The calls for an unlisted write tool."""
    search, call = read(query, name, arguments)
    return search, Call("call_write_tool", call.arguments)


PROJECT = Call("projects_list", {}, {"project": "data.0.id"})
LUCKY = Call("creators_list", {"search": "Lucky Easel"}, {"creator": "data.0.id"})
FIRST_WAVE = Call("campaigns_list", {"limit": 50}, {"campaign": "data.2.id"})
SEPTEMBER = {"from": "2026-09-01", "to": "2026-09-30"}

TASKS = (
    Task(
        "How many views did Lucky Easel get in each week of September?",
        (
            LUCKY,
            Call(
                "analytics_query",
                {
                    "entity": "creator",
                    "entity_id": "{creator}",
                    "metric": "views",
                    "granularity": "week",
                    **SEPTEMBER,
                },
            ),
        ),
        "data.series.0.points.0.value",
    ),
    Task(
        "Which creators gained most views in the last 30 days?",
        (PROJECT, Call("leaderboards_creators", {"project_id": "{project}"})),
        "data.0.value",
    ),
    Task(
        "Which posts carried the first wave?",
        (FIRST_WAVE, Call("leaderboards_videos", {"campaign_id": "{campaign}"})),
        "data.0.value",
    ),
    Task(
        "What do we owe Lucky Easel?",
        (LUCKY, Call("payout_balances_get", {"creator_id": "{creator}"})),
        "data.balance_cents",
    ),
    Task(
        "Where does Amber Teapot's last final amount come from?",
        (
            Call("creators_list", {"search": "Amber"}, {"creator": "data.0.id"}),
            Call(
                "payout_accruals_list",
                {"creator_id": "{creator}", "status": "final"},
                {"accrual": "data.0.id"},
            ),
            Call("payout_accruals_get", {"accrual_id": "{accrual}"}),
        ),
        "data.evidence",
    ),
    Task(
        "Which amounts are on hold?", (Call("payout_accruals_list", {"held": True}),), "data.0.held"
    ),
    Task(
        "What did a thousand views cost in the first wave, by creator?",
        (FIRST_WAVE, Call("campaigns_costs", {"campaign_id": "{campaign}"})),
        "data.creators.0.cost_per_thousand_cents",
    ),
    Task(
        "How much of September's budget is spent?",
        (
            *read("budgets", "budgets_list", {}, budget="data.0.id"),
            Call("call_read_tool", {"name": "budgets_get", "arguments": {"budget_id": "{budget}"}}),
        ),
        "data.exposure.share",
    ),
    Task(
        "Who met the weekly posting goals?",
        (
            PROJECT,
            Call(
                "goals_compliance",
                {"project_id": "{project}", "period": "weekly", "reference_date": "2026-09-27"},
            ),
        ),
        "data.0",
    ),
    Task(
        "What needs my attention today?",
        (PROJECT, Call("projects_health", {"project_id": "{project}"})),
        "data.health.signals.0.detail",
    ),
    Task(
        "Do any readings look as if views were bought?",
        (PROJECT, *read("posts with bought views", "anomalies_list", {"project_id": "{project}"})),
        "data.0.sentence",
    ),
    Task(
        "How many views will Lucky Easel have by the end of the week?",
        (
            LUCKY,
            *read(
                "forecast of views",
                "analytics_forecast",
                {"entity": "creator", "entity_id": "{creator}"},
            ),
        ),
        "data.views",
    ),
    Task(
        "Which posts wait for review?",
        (PROJECT, *read("posts to review", "inbox_list", {"project_id": "{project}"})),
        "data.0.url",
    ),
    Task(
        "How did Lucky Easel's followers grow?",
        (
            LUCKY,
            *read(
                "accounts of a creator",
                "creator_accounts_list",
                {"creator_id": "{creator}"},
                account="data.0.id",
            ),
            *read("followers of an account", "accounts_stats", {"account_id": "{account}"}),
        ),
        "data.0.follower_count",
    ),
    Task(
        "What did Amber Teapot sell?",
        (
            PROJECT,
            Call("creators_list", {"search": "Amber"}, {"creator": "data.0.id"}),
            *read(
                "list conversions",
                "conversions_list",
                {"project_id": "{project}", "creator_id": "{creator}"},
            ),
        ),
        "data.0.total_value_cents",
    ),
    Task(
        "What would $200 a week instead of $150 have paid Amber Teapot?",
        (
            Call("creators_list", {"search": "Amber"}, {"creator": "data.0.id"}),
            *read("payout rules", "payout_structures_list", {}, structure="data.3.id"),
            Call(
                "search_tools", {"query": "simulate a rule"}, {"tool": "payout_structures_simulate"}
            ),
            Call("describe_tools", {"names": ["payout_structures_simulate"]}),
            Call(
                "call_read_tool",
                {
                    "name": "payout_structures_simulate",
                    "arguments": {
                        "body": {
                            "structure_id": "{structure}",
                            "creator_ids": ["{creator}"],
                            "rule": {
                                "kind": "rule",
                                "criteria_type": "recurring",
                                "criteria_params": {},
                                "period": "weekly",
                                "proration_mode": "prorate",
                                "currency": "USD",
                                "amount_cents": 20_000,
                            },
                            **SEPTEMBER,
                        }
                    },
                },
            ),
        ),
        "data",
    ),
    Task(
        "What do people say below our posts?",
        (
            PROJECT,
            *read("sentiment of comments", "comment_signals_get", {"project_id": "{project}"}),
        ),
        "data.sentiment.positive",
    ),
    Task(
        "Note that Lucky Easel is away in October, and show me the notes.",
        (
            LUCKY,
            *write(
                "write notes",
                "notes_write",
                {
                    "entity_type": "creator",
                    "entity_id": "{creator}",
                    "body": {"mode": "append", "content": "Away in October."},
                },
            ),
            *read("read notes", "notes_get", {"entity_type": "creator", "entity_id": "{creator}"}),
        ),
        "data.readme",
        scope="write",
    ),
    Task(
        "Approve the last final amount of Lucky Easel.",
        (
            LUCKY,
            Call(
                "payout_accruals_list",
                {"creator_id": "{creator}", "status": "final", "held": False},
                {"accrual": "data.0.id", "amount": "data.0.amount_cents"},
            ),
            *write(
                "approve an accrual",
                "payout_accruals_decide",
                {
                    "accrual_id": "{accrual}",
                    "body": {"status": "approved", "amount_cents": "{amount}"},
                },
            ),
        ),
        "data.status",
        scope="write",
    ),
    Task(
        "Tag Lucky Easel and Amber Teapot as favourites.",
        (
            LUCKY,
            Call("creators_list", {"search": "Amber"}, {"other": "data.0.id"}),
            *write(
                "add tags to several creators",
                "tags_apply",
                {
                    "body": {
                        "entity_type": "creator",
                        "entity_ids": ["{creator}", "{other}"],
                        "tags": ["Favourite"],
                    }
                },
            ),
        ),
        "data",
        scope="write",
    ),
)


def run(agent: Agent, task: Task) -> Any:
    """Make a task's calls in order and return the answer."""
    variables: dict[str, Any] = {}
    content: Any = None
    for call in task.calls:
        result = agent.result(
            "tools/call", name=call.tool, arguments=_filled(call.arguments, variables)
        )
        text = result["content"][0]["text"]
        assert not result["isError"], (call, text)
        if call.tool == "search_tools":
            assert f"### {call.keep['tool']}\n" in text, (call, text)
            continue
        content = json.loads(text)
        variables |= {name: _at(path, content) for name, path in call.keep.items()}
    return _at(task.answer, content)


def _filled(value: Any, variables: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return {name: _filled(each, variables) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(each, variables) for each in value]
    is_name = isinstance(value, str) and value.startswith("{") and value.endswith("}")
    return variables[value[1:-1]] if is_name else value


def _at(path: str, content: Any) -> Any:
    for part in path.split("."):
        content = content[int(part) if isinstance(content, list) else part]
    return content
