"""`/desk/projects/{project_id}/settings/budgets`: budgets of a project, campaign or structure."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any, Final
from uuid import UUID

from fastapi import Request, Response

from serving_api.charts.chart import Chart, ChartEvent, Line
from serving_api.desk.body_forms import BodyForm, Field
from serving_api.desk.choices import campaign_choices
from serving_api.desk.done import redirect
from serving_api.desk.entered import EXPECTED, NOTHING, Entered, differences, seen_in, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of
from serving_api.desk.once import AdminReader, AdminWriter
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.desk.sorting import Column, Position, SortedTable, page_or_file
from serving_api.errors import InvalidBody, NotFound
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.budgets import service as budgets
from serving_api.resources.payouts.budgets.schemas import (
    Budget,
    BudgetChanges,
    BudgetDetail,
    BudgetQuery,
    NewBudget,
)
from serving_api.resources.payouts.budgets.spend import committed_spend_by_day
from serving_api.resources.payouts.structures import service as structures
from serving_api.resources.payouts.structures.schemas import StructureQuery
from warehouse.reading.accruals.committed_spend import CommittedSpend


def burn_down(context: RequestContext, budget: BudgetDetail) -> Chart:
    """Chart the rest of a budget by day, after all amounts and after payments."""
    today, spend_by_day = committed_spend_by_day(context, budget.id)
    amount = budget.amount_cents
    left = {day: amount - spend.total_cents for day, spend in spend_by_day.items()}
    unpaid = {day: amount - spend.paid_cents for day, spend in spend_by_day.items()}
    lines = [
        Line("Left", _until(left, today), "area", "cents"),
        Line("Left when open periods end", _from(left, today), "expected", "cents"),
        Line("Left after payments", _until(unpaid, today), unit="cents"),
    ]
    events = sorted(_events(budget, spend_by_day, today), key=lambda event: event.day)
    return Chart("Budget left by day", list(spend_by_day), lines, events, today)


def _until(cents: Mapping[date, int], last: date) -> list[int | None]:
    return [value if day <= last else None for day, value in cents.items()]


def _from(cents: Mapping[date, int], first: date) -> list[int | None]:
    return [value if day >= first else None for day, value in cents.items()]


def _events(
    budget: BudgetDetail, spend_by_day: Mapping[date, CommittedSpend], today: date
) -> Iterator[ChartEvent]:
    """Yield the days on which thresholds were or will be reached."""
    for threshold in budget.thresholds:
        needed = threshold * budget.amount_cents
        for day, spend in spend_by_day.items():
            if day <= today and 100 * spend.total_cents >= needed:
                yield ChartEvent(day, f"{threshold}% reached")
                break
    for foreseen in budget.exposure.foreseen:
        if foreseen.day in spend_by_day:
            yield ChartEvent(foreseen.day, f"{foreseen.threshold}% expected")


MOST_LISTED = 100
BUDGETS = f"{SETTINGS}/budgets"
LIST = "desk_budget_list.html"
ONE = f"{BUDGETS}/{{budget_id}}"
THRESHOLDS, STOPS, OF = "thresholds", "on_exceeded", "of"
# A comma without a space may be a decimal comma: 80,5 is not 80 and 5. No two parts of the
# expression match the same spaces, so that matching takes linear time.
_PERCENTAGES = re.compile(r"[0-9]{1,4}(?: ?%)?(?:(?: ?, +| +)[0-9]{1,4}(?: ?%)?)*")
_DIGITS = re.compile(r"[0-9]+")
PERIODS: Mapping[str, str] = {"": "in total", "monthly": "per calendar month"}


def _percentages_in(fields: Mapping[str, str], name: str) -> list[int]:
    """Return the alert percentages. Raises InvalidBody."""
    sent = fields.get(name, "").strip()
    if sent and not _PERCENTAGES.fullmatch(sent):
        raise InvalidBody.at(
            name, "Enter whole percentages separated by a comma and a space (80, 100)"
        )
    return [int(number) for number in _DIGITS.findall(sent)]


FORM = BodyForm(
    NewBudget,
    Field("name", "Name"),
    Field("amount_cents", "Amount in dollars"),
    Field(
        THRESHOLDS,
        "Alert at percent",
        "Sends a webhook event at each percentage. Leave empty for no alerts.",
        value="80, 100",
        read=_percentages_in,
        most=60,
    ),
    Field(
        STOPS, "Block new assignments when the budget is used up", on="stop_assignments", off="warn"
    ),
)
CALLED = {name: name for name in (*FORM.names, "period", OF)} | {
    "campaign_id": OF,
    "structure_id": OF,
}
"""Form fields by body field; the scope of a budget is one choice."""

COLUMNS: Final[tuple[Column[BudgetDetail], ...]] = (
    Column("id", None, lambda budget: budget.id),
    Column("name", "Budget", lambda budget: budget.name),
    Column("amount_cents", "Amount", lambda budget: budget.amount_cents, is_number=True),
    Column(
        "earned_cents", "Committed", lambda budget: budget.exposure.exposure_cents, is_number=True
    ),
    Column("left_cents", "Left", lambda budget: budget.exposure.left_cents, is_number=True),
)


router = desk_router()


@router.get(BUDGETS, dependencies=[views])
def show_budgets(
    request: Request, context: AdminReader, project_id: UUID, cursor: str | None = None
) -> Response:
    values = _listed(request, context, project_id, cursor)
    table: SortedTable[BudgetDetail] = values["table"]
    return table.file("budgets") if table.is_file else _page(request, context, LIST, **values)


@router.post(BUDGETS, dependencies=[views])
def make_budget(
    request: Request, context: AdminWriter, project_id: UUID, fields: OwnFields
) -> Response:
    """Create a budget of the project, a campaign or a structure."""
    values = _listed(request, context, project_id)
    show_again(request, fields, CALLED, partial(_page, request, context, LIST, **values))
    kind, _, entity_id = fields.get(OF, "").partition(".")
    of = {f"{kind}_id": entity_id} if kind in {"campaign", "structure"} else {}
    period = fields.get("period") or None
    body = {"project_id": project_id, "period": period, **of, **FORM.read(fields)}
    budgets.create(context, body_of(NewBudget, **body))
    return redirect(request.url.path, "Budget created.")


@router.get(ONE, dependencies=[views])
def show_budget(
    request: Request, context: AdminReader, project_id: UUID, budget_id: UUID
) -> Response:
    budget = _budget_in(context, project_id, budget_id)
    return _one(request, context, budget, Entered(FORM.filled(budget), {}))


@router.post(ONE, dependencies=[views])
def change_budget(
    request: Request, context: AdminWriter, project_id: UUID, budget_id: UUID, fields: OwnFields
) -> Response:
    """Change or delete a budget; its scope cannot change."""
    budget = _budget_in(context, project_id, budget_id)
    show = partial(_one, request, context, budget)
    changed = partial(_changed, fields, budget)
    show_again(request, fields, CALLED, show, changed, filled=FORM.filled(budget))
    if "delete" in fields:
        budgets.delete(context, budget_id)
    else:
        expected = fields.get(EXPECTED)
        changes = body_of(BudgetChanges, **FORM.read(fields), expected_version=expected)
        budgets.change(context, budget_id, changes)
    done = "deleted" if "delete" in fields else "saved"
    return redirect(BUDGETS.format(project_id=project_id), f"Budget {done}.")


def _changed(fields: Mapping[str, str], budget: Budget) -> list[str]:
    seen = seen_in(fields, FORM.names)
    return differences(seen, FORM.filled(budget), FORM.labels, FORM.choices)


def _budget_in(context: RequestContext, project_id: UUID, budget_id: UUID) -> BudgetDetail:
    """Return a project's budget. Raises NotFound."""
    budget = budgets.read_budget(context, budget_id)
    if budget.project_id != project_id:
        raise NotFound.named("Budget")
    return budget


def _listed(
    request: Request, context: RequestContext, project_id: UUID, cursor: str | None = None
) -> dict[str, Any]:
    """Return a page of a project's budgets, and the latest campaigns and structures as scopes."""
    of_project: dict[str, Any] = {"project_id": project_id, "limit": MOST_LISTED}
    query = page_or_file(request, BudgetQuery(**of_project, cursor=cursor))
    page = budgets.read_page(context, query)
    named = campaign_choices(context, project_id)
    ruled = structures.list_structures(context, StructureQuery(is_active=True, **of_project)).data
    offered = {
        **{f"campaign.{campaign_id}": f"Campaign {name}" for campaign_id, name in named.items()},
        **{f"structure.{structure.id}": f"Rule {structure.name}" for structure in ruled},
    }
    table = SortedTable(request, COLUMNS, page.data)
    pager = Position(cursor=cursor, sort=table.sort).pager(page.meta, MOST_LISTED)
    return {"table": table, "pager": pager, "offered": {"": "Whole project", **offered}}


def _one(
    request: Request, context: RequestContext, budget: BudgetDetail, entered: Entered
) -> Response:
    return _page(
        request,
        context,
        "desk_budget.html",
        entered,
        draws_charts=True,
        budget=budget,
        chart=burn_down(context, budget),
        seen=json.dumps(FORM.filled(budget)),
    )


def _page(
    request: Request,
    context: RequestContext,
    template: str,
    entered: Entered = NOTHING,
    **values: Any,
) -> Response:
    content = {"form": FORM, "periods": PERIODS, **values}
    return settings_page(request, context, template, "Budgets", entered, **content)
