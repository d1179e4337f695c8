"""Spend of budgets, one accrual at a time, independent of the code under test."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

Row = Mapping[str, Any]
Tables = Mapping[str, Iterable[Row]]


def exposures(tables: Tables, accruals: Iterable[Row], as_of: datetime) -> list[dict[str, Any]]:
    """Return a row for each budget and month with amounts, and for the current month."""
    known = [row for row in accruals if row["status"] != "void"]
    zones = {row["id"]: row["analytics_tz"] for row in tables["organizations"]}
    made = []
    for budget in tables["payout_budgets"]:
        today = as_of.astimezone(ZoneInfo(zones[budget["organization_id"]])).date()
        months: dict[date | None, list[Row]] = defaultdict(list)
        present = today.replace(day=1) if budget["period"] else None
        months[present] = []
        for row in known:
            if counts(tables, budget, row):
                months[row["period_end"].replace(day=1) if budget["period"] else None].append(row)
        made += [summed(budget, month, rows, present) for month, rows in months.items()]
    return made


def summed(
    budget: Row, month: date | None, rows: Iterable[Row], present: date | None
) -> dict[str, Any]:
    """Return the spend of a budget in a month."""
    cents = dict.fromkeys(("open", "settling", "final", "approved", "paid"), 0)
    for row in rows:
        cents[row["status"]] += row["amount_cents"]
    spent = sum(cents.values())
    amount = budget["amount_cents"]
    return {
        "budget_id": budget["id"],
        "month": month,
        "is_present": month == present,
        **{f"{status}_cents": each for status, each in cents.items()},
        "exposure_cents": spent,
        "left_cents": amount - spent,
        "reached": [
            threshold for threshold in budget["thresholds"] if spent * 100 >= threshold * amount
        ],
    }


def counts(tables: Tables, budget: Row, accrual: Row) -> bool:
    """Whether an accrual counts in a budget, in any month."""
    if budget["campaign_id"]:
        return accrual["project_id"] == budget["project_id"] and accrual["creator_id"] in reached(
            tables, budget["campaign_id"]
        )
    if budget["structure_id"]:
        return bool(accrual["structure_id"] == budget["structure_id"])
    return bool(accrual["project_id"] == budget["project_id"])


def reached(tables: Tables, campaign_id: UUID) -> set[UUID]:
    """Return the creators of a campaign and its nested campaigns."""
    campaigns, creators = [campaign_id], set()
    owners = {row["id"]: row["creator_id"] for row in tables["videos"]}
    for campaign in campaigns:
        for item in tables["campaign_items"]:
            if item["campaign_id"] == campaign:
                below = item["child_campaign_id"]
                if below and below not in campaigns:
                    campaigns.append(below)
                creators |= {item["creator_id"], owners.get(item["video_id"])}
    return creators - {None}
