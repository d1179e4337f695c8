"""What members decide after the first publication, over REST, and a late reading."""

import csv
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from orchestration.cli.demo.program import BY_SALE, FIRST_WAVE, Program
from orchestration.cli.demo.truth import Simulator
from orchestration.scraping.spelling import PlatformSpelling
from warehouse.imports import layouts
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

LATE, DISPUTED, APPROVED = 4, 9, 11
SHARE_OF_BUDGET = 0.9
"""Share of the spend that the month would reach at its pace so far, before corrections and holds.
"""


def decide(program: Program, today: date) -> None:
    """Record conversions, tag a post, approve and pay amounts, dispute one, set a budget."""
    _record_conversions(program, today)
    _tag_best_post(program)
    _approve_and_pay(program)
    _dispute(program)
    _set_budget(program, today)


def _record_conversions(program: Program, today: date) -> None:
    """Record one sign-up per 500 views that a creator gained on a day, and one sale per 2,500."""
    conversions: list[dict[str, Any]] = []
    for number in BY_SALE:
        creator_id = program.creators[number]
        for day, views in _views_by_day(program, creator_id, today):
            at = f"{day}T12:00:00Z"
            for key, each, value in (("signup", 500, 0), ("sale", 2_500, 2_990)):
                if count := views // each:
                    conversions.append(
                        {
                            "conversion_event_key": key,
                            "creator_id": creator_id,
                            "quantity": count,
                            "value_cents": value,
                            "occurred_at": at,
                        }
                    )
    path = f"/projects/{program.project_id}/conversions"
    program.rest.post(path, {"conversions": conversions})


def _views_by_day(program: Program, creator_id: str, today: date) -> list[tuple[str, int]]:
    answer = program.rest.get(
        f"/analytics?entity=creator&entity_id={creator_id}&metric=views&granularity=day"
        f"&from={today - timedelta(days=20)}&to={today - timedelta(days=1)}"
    )
    points = answer["series"][0]["points"]
    return [(point["bucket_start"], max(point["value"] or 0, 0)) for point in points]


def _tag_best_post(program: Program) -> None:
    posts = program.rest.every("/videos", creator_id=program.creators[LATE])
    best = max(posts, key=lambda post: post["view_count"] or 0)
    program.rest.post(f"/videos/{best['id']}/tags", {"tags": ["Best of September"]})


def _amounts(program: Program, number: int) -> list[dict[str, Any]]:
    """Return a creator's final amounts that are not on hold, oldest first."""
    final: list[dict[str, Any]] = program.rest.every(
        "/payout-accruals", creator_id=program.creators[number], status="final", held="false"
    )
    return sorted(final, key=lambda amount: amount["period_start"])


def _approve_and_pay(program: Program) -> None:
    """Pay one creator all final amounts, and approve the oldest amount of another."""
    due = _amounts(program, LATE)
    for amount in (*due, *_amounts(program, APPROVED)[:1]):
        program.rest.patch(f"/payout-accruals/{amount['id']}", {"status": "approved"})
    payment = {
        "creator_id": program.creators[LATE],
        "project_id": program.project_id,
        "payout_method_id": program.rest.get("/payout-methods")[0]["id"],
        "accrual_ids": [amount["id"] for amount in due],
    }
    program.rest.post("/payout-payments", payment)


def _dispute(program: Program) -> None:
    first, *_ = _amounts(program, DISPUTED)
    reason = "My post of the first evening is missing."
    program.rest.post("/payout-disputes", {"accrual_id": first["id"], "reason": reason})


def _set_budget(program: Program, today: date) -> None:
    """Set a campaign's monthly budget, which the month nearly reaches at its pace so far."""
    amounts = program.rest.every("/payout-accruals", project_id=program.project_id)
    payees = {program.creators[number] for number in FIRST_WAVE}
    spent = sum(amount["amount_cents"] for amount in amounts if amount["creator_id"] in payees)
    in_dollars = round(spent * 30 / today.day / SHARE_OF_BUDGET / 100)
    budget = {"name": "September", "amount_cents": in_dollars * 100, "period": "monthly"}
    of = {"project_id": program.project_id, "campaign_id": program.campaign_id}
    program.rest.post("/budgets", of | budget)


def note_late_reading(program: Program, simulator: Simulator, at: datetime, file: Path) -> None:
    """Write the current counts of a creator's posts as CSV, like an export from the platform."""
    true = simulator.truth("tiktok", program.handles[LATE]) or {"posts": []}
    platform_video_ids = {post["platform_video_id"] for post in _posts_of(program, LATE)}
    counts = ("view_count", "like_count", "comment_count", "share_count", "save_count")
    with file.open("w", newline="") as opened:
        rows = csv.writer(opened)
        rows.writerow(("platform", "platform_video_id", "captured_at", *counts))
        for post in true["posts"]:
            if (video_id := post["platform_video_id"]) in platform_video_ids:
                row = (post.get(name) for name in counts)
                rows.writerow(("tiktok", video_id, at.isoformat(), *row))


def _posts_of(program: Program, number: int) -> list[dict[str, Any]]:
    posts: list[dict[str, Any]] = program.rest.every("/videos", creator_id=program.creators[number])
    return posts


def import_late_reading(
    program: Program, store: OperationalStore, settings: Settings, file: Path
) -> None:
    """Import the export, after its week was paid."""
    from warehouse.imports.snapshots import import_snapshots  # noqa: PLC0415  loads polars

    import_snapshots(
        store,
        settings,
        file,
        kind=layouts.VIDEO_SNAPSHOTS,
        project_id=UUID(program.project_id),
        spelling=PlatformSpelling(),
        skip_bad=False,
        on_rows=lambda _rows: None,
        on_wait=lambda _message: None,
    )
