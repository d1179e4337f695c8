"""Of which posts evidence is asked what it cannot say by itself: those that could count in it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

Evidence = dict[str, Any]
SCOPE = ("platform_scope", "platform", "account_id", "view_lifetime_days")
"""What evidence of cpm says of which posts count, and how long; goals have their own scopes."""

POSTS = """
    asked as (
        select unnest(
            from_json(
                $asked,
                '[{
                    "accrual_id": "UUID", "creator_id": "UUID", "timezone": "VARCHAR",
                    "from_day": "DATE", "ends_at": "TIMESTAMPTZ", "platform_scope": "VARCHAR",
                    "platform": "VARCHAR", "account_id": "UUID", "view_lifetime_days": "INTEGER"
                }]'
            ),
            max_depth := 2
        )
    ),

    posts as (
        select
            asked.accrual_id,
            asked.ends_at,
            timezone(asked.timezone, cast(asked.from_day as timestamp)) as begins_at,
            videos.video_id,
            videos.first_captured_at,
            videos.account_id,
            videos.posted_at_awaited_until,
            videos.views_due_from,
            videos.views_due_until,
            coalesce(videos.posted_at, videos.first_captured_at)
            + asked.view_lifetime_days * interval 24 hours as lifetime_ends_at
        from asked
        inner join marts.videos as videos
            on
                asked.creator_id = videos.creator_id
                and case coalesce(asked.platform_scope, 'all')
                    when 'all' then true
                    when 'platform' then asked.platform = videos.platform
                    when 'account' then asked.account_id = videos.account_id
                end
        where videos.organization_id = $organization_id and videos.is_counted
    )
"""
"""Counted posts that the creator has now, in the scope of the accrual's version."""


@dataclass(frozen=True, slots=True)
class Published:
    """An accrual's evidence as published, of whom it is, since and until when its period runs."""

    evidence: Evidence
    creator_id: UUID
    timezone: str
    period_start: date
    ends_at: datetime


def parameters_of(organization_id: UUID, published: Mapping[UUID, Published]) -> dict[str, Any]:
    """Return the parameters of a query with POSTS."""
    asked = [_asked(accrual_id, of) for accrual_id, of in published.items()]
    return {"organization_id": organization_id, "asked": json.dumps(asked)}


def _asked(accrual_id: UUID, of: Published) -> dict[str, Any]:
    covered = of.evidence.get("covered") or [{"from": str(of.period_start)}]
    return {
        "accrual_id": str(accrual_id),
        "creator_id": str(of.creator_id),
        "timezone": of.timezone,
        "from_day": covered[0]["from"],
        "ends_at": of.ends_at.isoformat(),
        **{name: of.evidence.get(name) for name in SCOPE},
    }


def instant(at: datetime) -> str:
    """Return an instant as evidence has it."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
